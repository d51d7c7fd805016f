// Loaded before anything is painted, so that no page flashes in the other theme.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem("emulator-theme");
  } catch {
    // Storage may be blocked; then the system decides.
  }
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("emulator-theme", root.dataset.theme);
    } catch {
      // It holds for this page only.
    }
    document.dispatchEvent(new CustomEvent("emulator:theme", { detail: root.dataset.theme }));
  });
})();
