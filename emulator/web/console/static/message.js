// The page of a message: its life is asked for again when the journal has something new, or a moment has come.

import { paced } from "./paced.js";

const place = document.getElementById("life");
const PERIOD_MS = 700;

const refresh = paced(async () => {
  if (!place.dataset.href) return;
  const answer = await fetch(place.dataset.href, { headers: { accept: "application/json" } });
  if (!answer.ok) return;
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  const fresh = template.content;
  const [list, freshList] = [place.querySelector(".timeline"), fresh.querySelector(".timeline")];
  if (!list || !freshList) {
    place.replaceChildren(fresh);
    return;
  }
  for (const part of ["header", ".now"]) put(place.querySelector(part), fresh.querySelector(part));
  follow(list, freshList);
}, PERIOD_MS);

function put(old, fresh) {
  if (old.innerHTML === fresh.innerHTML) return;
  const focused = old.contains(document.activeElement) ? document.activeElement.dataset.test : null;
  old.replaceWith(fresh);
  if (focused) fresh.querySelector(`[data-test="${focused}"]`)?.focus();
}

/** Events do not change, so those that are there stay, with what is unfolded in them. */
function follow(list, fresh) {
  const added = [...fresh.children].slice(list.children.length);
  const grew = [...list.children].every((item, index) => item.textContent === fresh.children[index]?.textContent);
  if (grew) {
    for (const item of added) item.classList.add("new");
    list.append(...added);
    return;
  }
  // The first ones left the journal, or their requests are not kept any more.
  for (const open of list.querySelectorAll("details[open]")) {
    const again = open.id && fresh.querySelector(`#${open.id}`);
    if (again) again.open = true;
  }
  list.replaceWith(fresh);
}

let last = null;
document.addEventListener("emulator:live", ({ detail }) => {
  if (last !== null && detail.journal !== last) refresh();
  last = detail.journal;
});
document.addEventListener("emulator:refresh", refresh);
document.addEventListener("emulator:due", refresh);
