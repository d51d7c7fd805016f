// The list of requests: filters work at once, and new requests come in at its top.

import { paced } from "./paced.js";

const form = document.getElementById("request-filters");
const place = document.getElementById("requests");
const follow = document.getElementById("follow");
const durations = document.getElementById("durations");
const PERIOD_MS = 700;

function query() {
  const wanted = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value.trim()) wanted.set(name, value.trim());
  return wanted.toString();
}

async function htmlOf(path) {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new TypeError(`${path}: ${answer.status}`);
  return answer.text();
}

let shown = query();
let isFirstPage = !new URLSearchParams(location.search).has("before");

const refresh = paced(async () => {
  const wanted = query();
  const template = document.createElement("template");
  template.innerHTML = await htmlOf(`/_emulator/console/requests/rows?${wanted}`);
  if (wanted === shown && isFirstPage) putNew(template.content);
  else place.replaceChildren(template.content);
  shown = wanted;
  isFirstPage = true;
}, PERIOD_MS);

/** A row that is there already is the same for ever, so only new ones come in: focus and selection stay. */
function putNew(fresh) {
  const [old, now] = [place.querySelector("tbody"), fresh.querySelector("tbody")];
  if (!old || !now) {
    place.replaceChildren(fresh);
    return;
  }
  const kept = new Set([...now.rows].map((row) => row.id));
  const added = [...now.rows].filter((row) => !document.getElementById(row.id));
  for (const row of added) row.classList.add("new");
  old.prepend(...added);
  for (const row of [...old.rows]) if (!kept.has(row.id)) row.remove();
  const [pager, freshPager] = [place.querySelector(".pager"), fresh.querySelector(".pager")];
  pager?.remove();
  if (freshPager) place.append(freshPager);
}

form.addEventListener("input", (event) => {
  if (event.target === follow) return;
  const wanted = query();
  history.replaceState(null, "", wanted ? `?${wanted}` : location.pathname);
  refresh();
});
form.addEventListener("submit", (event) => event.preventDefault());

const showDurations = paced(async () => {
  document.getElementById("durations-table").innerHTML = await htmlOf("/_emulator/console/requests/durations");
}, 2000);

let last = null;
document.addEventListener("emulator:live", ({ detail }) => {
  const isNew = last !== null && detail.requests !== last;
  last = detail.requests;
  if (!isNew) return;
  if (follow.checked && isFirstPage) refresh();
  if (durations.open) showDurations();
});
follow.addEventListener("change", () => follow.checked && isFirstPage && refresh());
durations.addEventListener("toggle", () => durations.open && showDurations());
if (durations.open) showDurations();
