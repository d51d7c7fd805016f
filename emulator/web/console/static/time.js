// The page of clock and faults: the clock goes on by itself, lists follow what is done, here or elsewhere.

import { Refused, follow, kit, toast } from "./actions.js";
import { paced } from "./paced.js";

const clockPlace = document.getElementById("clock");
const faultsPlace = document.getElementById("faults");
const { account } = clockPlace.dataset;
const query = account ? `?account=${account}` : "";
const LAST_MS = 253402300799999;

let face = readFace();

function readFace() {
  const { nowMs, frozen, speed } = clockPlace.querySelector("[data-clock-face]").dataset;
  return { now: Number(nowMs), frozen: frozen === "true", speed: Number(speed), at: performance.now() };
}

function tick() {
  const now = face.frozen ? face.now : face.now + (performance.now() - face.at) * face.speed;
  const text = new Date(Math.min(now, LAST_MS)).toISOString().slice(0, 19).replace("T", " ");
  const element = clockPlace.querySelector("[data-face-text]");
  if (element.textContent !== text) element.textContent = text;
}

async function put(place, name) {
  const answer = await fetch(`/_emulator/console/time/${name}${query}`, { headers: { accept: "application/json" } });
  if (!answer.ok) return;
  const html = await answer.text();
  if (html === place.dataset.html) return;
  place.dataset.html = html;
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const again = focused && { test: focused.dataset.test, at: [...place.querySelectorAll("button")].indexOf(focused) };
  place.innerHTML = html;
  if (!again) return;
  const button = place.querySelectorAll("button")[again.at];
  if (button?.dataset.test === again.test) button.focus();
}

const refreshClock = paced(async () => {
  await put(clockPlace, "clock");
  face = readFace();
  tick();
}, 500);
const refreshFaults = paced(() => put(faultsPlace, "faults"), 1000);

// Adjusting the clock

async function act(path, body, done) {
  try {
    await kit("POST", path, account ? { ...body, account } : body);
    toast(done);
  } catch (error) {
    toast(error.message, "error");
    if (!(error instanceof Refused)) throw error;
  }
  follow("refresh");
}

document.getElementById("advance-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { amount, unit } = event.target.elements;
  const name = unit.selectedOptions[0].textContent;
  act("/_emulator/clock/advance", { seconds: Number(amount.value) * Number(unit.value) }, `Advanced by ${amount.value} ${name}.`);
});

document.getElementById("set-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = event.target.elements.moment.value;
  act("/_emulator/clock/set", { now: `${text.length === 16 ? `${text}:00` : text}Z` }, `The clock shows ${text.replace("T", " ")}.`);
});

document.getElementById("whose").addEventListener("change", (event) => {
  location.assign(event.target.value ? `?account=${event.target.value}` : location.pathname);
});

// Planning a fault: only the fields of the chosen kind are sent

const kind = document.getElementById("fault-kind");
const action = document.getElementById("fault-action");
const distribution = document.getElementById("latency-distribution");

function showKind() {
  for (const fieldset of document.querySelectorAll("fieldset.kind")) {
    fieldset.hidden = fieldset.dataset.kind !== kind.value;
    for (const field of fieldset.querySelectorAll("input, select")) field.disabled = fieldset.hidden;
  }
  const possible = kind.selectedOptions[0].dataset.actions.split(" ");
  for (const option of action.options) {
    option.hidden = option.disabled = option.value !== "" && !possible.includes(option.textContent);
    if (option.disabled && option.selected) action.value = "";
  }
  if (kind.value !== "latency") return;
  const chosen = distribution.value ? JSON.parse(distribution.value) : "fixed";
  for (const place of document.querySelectorAll("[data-goes-with]")) {
    place.hidden = !place.dataset.goesWith.split(" ").includes(chosen);
    place.querySelector("input").disabled = place.hidden;
  }
}

kind.addEventListener("change", showKind);
distribution.addEventListener("change", showKind);
showKind();

// Following

let told = null;
document.addEventListener("emulator:live", ({ detail }) => {
  const now = { clock: JSON.stringify(detail.clock), faults: detail.faults, notices: detail.notices, requests: detail.requests };
  if (told === null || now.clock !== told.clock || now.notices !== told.notices || Object.keys(detail.queues).length) refreshClock();
  if (told !== null && (now.faults !== told.faults || now.notices !== told.notices || now.requests !== told.requests)) refreshFaults();
  told = now;
});
document.addEventListener("emulator:refresh", () => {
  refreshClock();
  refreshFaults();
});
document.addEventListener("emulator:due", refreshClock);
setInterval(tick, 250);
