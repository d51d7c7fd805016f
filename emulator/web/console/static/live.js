// The live stream: one connection while the page can be seen. It patches [data-live="<key>:<field>"], and
// [data-field="<field>"] inside of [data-key="<key>"]; everybody else is told by the event "emulator:live", whose
// detail is what the server sent.

const FIELDS = ["visible", "in_flight", "delayed", "oldest_ms", "sent", "received", "deleted", "empty"];
const RETRY_MS = 3000;
const root = document.documentElement;

/** How the clock of the page's account stands. `at`: when we were told, in real milliseconds. */
let clock = readClock();
let source = null;

function readClock() {
  const shown = document.querySelector("[data-clock]");
  if (!shown) return { now_ms: Date.now(), frozen: false, speed: 1, at: performance.now() };
  const { nowMs, frozen, speed } = shown.dataset;
  return { now_ms: Number(nowMs), frozen: frozen === "true", speed: Number(speed), at: performance.now() };
}

/** The emulator's time now, in milliseconds. */
export function nowMs() {
  return clock.frozen ? clock.now_ms : clock.now_ms + (performance.now() - clock.at) * clock.speed;
}

const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

/** The two largest units: "2 h 5 min". As `duration` in formats.py. */
export function duration(seconds) {
  let left = Math.floor(seconds);
  const parts = [];
  for (const [size, unit] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count || (parts.length && left)) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).filter((part) => !part.startsWith("0 ")).join(" ") || "0 s";
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showClock() {
  const text = new Date(Math.min(nowMs(), 253402300799999)).toISOString().slice(0, 19).replace("T", " ");
  for (const element of document.querySelectorAll("[data-clock-text]")) setText(element, text);
  for (const element of document.querySelectorAll("[data-oldest-ms]")) {
    const oldest = element.dataset.oldestMs;
    setText(element, oldest === "" ? "–" : duration(Math.max(0, nowMs() - Number(oldest)) / 1000));
  }
}

const format = new Intl.NumberFormat("en-US");

/** A count with commas between thousands. */
export function number(count) {
  return count < 1000 ? String(count) : format.format(count);
}

function patch(queues) {
  for (const [key, values] of Object.entries(queues)) {
    const found = hooksOf(key);
    if (!found) continue;
    for (const { element, index } of found) {
      const value = values[index];
      if (FIELDS[index] === "oldest_ms") {
        element.dataset.oldestMs = value ?? "";
      } else {
        setText(element, number(value));
        element.toggleAttribute("data-zero", value === 0);
      }
    }
  }
}

// Looked up once for a state of the page: 500 queues have thousands of hooks.
let hooks = null;

function hooksOf(key) {
  if (hooks === null) {
    hooks = new Map();
    for (const element of document.querySelectorAll("[data-live]")) {
      const at = element.dataset.live.lastIndexOf(":");
      addHook(element.dataset.live.slice(0, at), element, element.dataset.live.slice(at + 1));
    }
    for (const element of document.querySelectorAll("[data-field]")) {
      addHook(element.closest("[data-key]").dataset.key, element, element.dataset.field);
    }
  }
  return hooks.get(key);
}

function addHook(key, element, field) {
  const hook = { element, index: FIELDS.indexOf(field) };
  const found = hooks.get(key);
  if (found) found.push(hook);
  else hooks.set(key, [hook]);
}

/** To be called by whoever puts elements with data-live into the page. */
export function forgetHooks() {
  hooks = null;
}

async function refreshBanner() {
  const answer = await fetch("/_emulator/console/banner", { headers: { accept: "text/html" } });
  if (answer.ok) document.getElementById("banner").innerHTML = await answer.text();
}

function show(state, text) {
  for (const element of document.querySelectorAll("[data-live-state]")) element.dataset.liveState = state;
  for (const element of document.querySelectorAll("[data-live-text]")) setText(element, text);
}

function connect() {
  if (source !== null || document.hidden) return;
  let banner = null;
  source = new EventSource(`/_emulator/console/live?account=${encodeURIComponent(root.dataset.account)}`);
  source.onopen = () => show("on", "Live");
  source.onerror = () => {
    show("off", "Offline");
    // Browsers try again by themselves, unless the answer was no stream.
    if (source?.readyState === EventSource.CLOSED) {
      disconnect();
      setTimeout(connect, RETRY_MS);
    }
  };
  source.onmessage = (event) => {
    const detail = JSON.parse(event.data);
    if (detail.clock) clock = { ...detail.clock, at: performance.now() };
    patch(detail.queues);
    showClock();
    // The page has the notices of when it was made; they are asked for again as soon as they may differ.
    if (banner !== null && banner !== detail.notices) refreshBanner();
    banner = detail.notices;
    document.dispatchEvent(new CustomEvent("emulator:live", { detail }));
  };
}

function disconnect() {
  source?.close();
  source = null;
}

// Browsers allow six connections to a server: tabs in the background must not take them all.
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
addEventListener("pagehide", disconnect);
addEventListener("pageshow", connect);
// Once all scripts of the page are there: none may miss the first event, which tells of all queues.
document.addEventListener("DOMContentLoaded", connect);
showClock();
setInterval(showClock, 500);
