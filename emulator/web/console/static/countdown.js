// Counts down to the moments in data-due-ms, and tells how long ago those in data-ago-ms were, by the emulator's
// clock. A moment that has come dispatches "emulator:due" on its element, once.

import { duration, nowMs, setText } from "./live.js";

function tick() {
  const now = nowMs();
  for (const element of document.querySelectorAll("[data-due-ms]")) {
    const left = Number(element.dataset.dueMs) - now;
    // Rounded up: 0 is shown when the moment has come, not before.
    setText(element, duration(Math.max(0, Math.ceil(left / 1000))));
    if (left > 0) delete element.dataset.due;
    else if (!element.dataset.due) {
      element.dataset.due = "yes";
      element.dispatchEvent(new CustomEvent("emulator:due", { bubbles: true }));
    }
  }
  for (const element of document.querySelectorAll("[data-ago-ms]")) {
    const past = (now - Number(element.dataset.agoMs)) / 1000;
    setText(element, past >= 0 ? `${duration(past)} ago` : `in ${duration(-past)}`);
  }
}

tick();
setInterval(tick, 500);
