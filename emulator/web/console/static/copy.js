// Buttons with data-copy put that text on the clipboard.

import { toast } from "./actions.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    toast("Copied.");
  } catch {
    toast("The browser does not let this page use the clipboard.", "error");
  }
});
