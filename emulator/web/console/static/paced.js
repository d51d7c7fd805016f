/** Runs `work` at once, and after that at most once in `ms`; what is asked for meanwhile is done then. */
export function paced(work, ms) {
  let busy = false;
  let asked = false;
  return async function run() {
    asked = true;
    if (busy) return;
    busy = true;
    try {
      while (asked) {
        asked = false;
        await work().catch((error) => {
          if (!(error instanceof TypeError)) throw error; // the server is away: the header says so
        });
        await new Promise((resolve) => setTimeout(resolve, ms));
      }
    } finally {
      busy = false;
    }
  };
}
