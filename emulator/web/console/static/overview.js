// The overview: filters, order, sums, and queues that come and go.

import { forgetHooks, number, setText } from "./live.js";
import { readCharts } from "./sparkline.js";

const REFRESH_MS = 1500;
const WARNINGS_MS = 4000;
const MODIFIED = 8; // in what the live stream tells of a queue
const overview = document.getElementById("overview");

/** By key: visible, in flight and delayed, for the sums. */
const counts = new Map();
let order = { by: "name", down: false };
let rows = readRows();

function readRows() {
  return [...document.querySelectorAll("#queue-rows > tr")].map((element) => {
    const { key, queue } = element.dataset;
    const [region, account] = key.split("/");
    const cells = element.cells;
    return {
      element,
      key,
      name: queue.toLowerCase(),
      account,
      region,
      counts: [cells[1], cells[2], cells[3]],
      oldest: cells[4].firstElementChild,
      flags: cells[cells.length - 1],
    };
  });
}

function countOf(row, index) {
  return counts.get(row.key)?.[index] ?? Number(row.counts[index].textContent.replaceAll(",", ""));
}

// Filters; they stand in the address, so that a page can be kept or sent to others

function filters() {
  const form = document.querySelector("[data-filters]");
  if (!form) return null;
  const { name, account, region, busy } = form.elements;
  return { name: name.value.trim(), account: account.value, region: region.value, busy: busy.checked };
}

function applyFilters() {
  const chosen = filters();
  if (!chosen) return;
  const part = chosen.name.toLowerCase();
  let fitting = 0;
  for (const row of rows) {
    const fits =
      row.name.includes(part) &&
      (!chosen.account || row.account === chosen.account) &&
      (!chosen.region || row.region === chosen.region) &&
      (!chosen.busy || countOf(row, 0) + countOf(row, 1) + countOf(row, 2) > 0);
    fitting += fits;
    const hidden = !fits || fitting > room;
    if (row.element.hidden !== hidden) row.element.hidden = hidden;
  }
  const all = Math.max(rows.length, complete ? 0 : queueCount());
  const noun = all === 1 ? "queue" : "queues";
  const text = fitting === all ? `${number(all)} ${noun}` : `${number(fitting)} of ${number(all)} ${noun}`;
  setText(document.querySelector("[data-filter-count]"), text);
  document.querySelector("[data-no-match]").hidden = fitting > 0;
  document.querySelector("[data-more-rows]").hidden = fitting <= room;
}

// Rows are laid out as far as somebody looks: a table with all of 500 queues takes its time.

const ROWS = 50;
let room = ROWS;

function showMore() {
  room += ROWS;
  applyFilters();
}

const bottom = new IntersectionObserver((entries) => {
  if (entries.some((entry) => entry.isIntersecting)) showMore();
}, { rootMargin: "400px" });

function watchBottom() {
  bottom.disconnect();
  const more = document.querySelector("[data-more-rows]");
  if (more) bottom.observe(more);
}

/** Of the page as it came. */
function queueCount() {
  return Number(document.querySelector("[data-queue-count]").dataset.queueCount);
}

function keepFilters() {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters())) if (value) query.set(name, value === true ? "1" : value);
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}

function recallFilters() {
  const form = document.querySelector("[data-filters]");
  if (!form) return;
  const query = new URLSearchParams(location.search);
  for (const name of ["name", "account", "region"]) form.elements[name].value = query.get(name) ?? "";
  form.elements.busy.checked = query.has("busy");
  for (const name of ["account", "region"]) {
    // One that has no queues any more would hide them all without a word.
    if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
  }
}

// Order

const ORDERS = {
  name: (row) => row.name,
  visible: (row) => countOf(row, 0),
  in_flight: (row) => countOf(row, 1),
  delayed: (row) => countOf(row, 2),
  oldest: (row) => (row.oldest.dataset.oldestMs ? -Number(row.oldest.dataset.oldestMs) : -Infinity),
};

function applyOrder() {
  for (const button of document.querySelectorAll("[data-sort]")) {
    const active = button.dataset.sort === order.by && (order.by !== "name" || order.down);
    button.closest("th").setAttribute("aria-sort", active ? (order.down ? "descending" : "ascending") : "none");
  }
  const value = ORDERS[order.by];
  const sign = order.down ? -1 : 1;
  rows.sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    return (a < b ? -1 : a > b ? 1 : 0) * sign || (one.name < other.name ? -1 : one.name > other.name ? 1 : one.key < other.key ? -1 : 1);
  });
  document.getElementById("queue-rows").append(...rows.map((row) => row.element));
  applyFilters();
}

// What the live stream tells

function sum() {
  const sums = [0, 0, 0];
  for (const values of counts.values()) for (let index = 0; index < 3; index++) sums[index] += values[index];
  ["visible", "in_flight", "delayed"].forEach((field, index) => {
    const element = document.querySelector(`[data-sum="${field}"]`);
    setText(element, number(sums[index]));
    element.toggleAttribute("data-zero", sums[index] === 0);
  });
  setText(document.querySelector('[data-sum="queues"]'), number(counts.size));
}

let news = false;

document.addEventListener("emulator:live", ({ detail }) => {
  if (detail.first) counts.clear();
  for (const key of detail.gone) counts.delete(key);
  for (const [key, values] of Object.entries(detail.queues)) {
    const before = counts.get(key);
    if (before && before[MODIFIED] !== values[MODIFIED]) wanted.add(key);
    counts.set(key, values);
  }
  sum();
  news = true;
  follow();
  if (filters()?.busy) applyFilters();
});

// Rows that come and go

/** Keys of queues whose rows have to be asked for. */
const wanted = new Set();
/** Whether all rows are there that the page was made with; before, a row that misses is no news. */
let complete = false;
let following = false;
const AT_ONCE = 40;

async function htmlOf(path) {
  const answer = await fetch(path, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new TypeError(`${path}: ${answer.status}`);
  return answer.text();
}

const idle = () => new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve, { timeout: 200 }));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The rows behind those of the page as it came, a hundred at a time. */
async function loadRest() {
  complete = false;
  while (rows.length && rows.length < queueCount()) {
    await idle();
    const html = await htmlOf(`/_emulator/console/overview/rows?after=${encodeURIComponent(rows.at(-1).key)}`);
    if (!putRows(html)) break;
  }
  complete = true;
}

/** Puts rows in the place of those of the same queues, or behind the others. Returns how many there were. */
function putRows(html) {
  const template = document.createElement("template");
  template.innerHTML = `<table><tbody>${html}</tbody></table>`;
  const fresh = [...template.content.querySelectorAll("tr")];
  const body = document.getElementById("queue-rows");
  const old = new Map(rows.map((row) => [row.key, row.element]));
  for (const row of fresh) {
    const before = old.get(row.dataset.key);
    if (before) before.replaceWith(row);
    else body.append(row);
  }
  rowsChanged();
  return fresh.length;
}

function rowsChanged() {
  rows = readRows();
  forgetHooks();
  readCharts();
  for (const name of ["account", "region"]) addOptions(name);
  applyFilters();
}

function addOptions(name) {
  const select = document.querySelector(`[data-filters] [name="${name}"]`);
  const known = new Set([...select.options].map((option) => option.value));
  for (const value of new Set(rows.map((row) => row[name]))) if (!known.has(value)) select.add(new Option(value));
}

/** Brings the rows to what the live stream told. */
async function follow() {
  if (following || !complete) return;
  following = true;
  try {
    while (await bringUpToDate()) await pause(REFRESH_MS);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the server is away: the header says so
  } finally {
    following = false;
  }
}

/** Returns whether there was anything to do. */
async function bringUpToDate() {
  if (counts.size === 0 && rows.length === 0) return false;
  if (counts.size === 0 || rows.length === 0) {
    await replaceAll();
    return true;
  }
  const shown = new Set(rows.map((row) => row.key));
  const gone = rows.filter((row) => !counts.has(row.key));
  for (const key of counts.keys()) if (!shown.has(key)) wanted.add(key);
  if (!gone.length && !wanted.size) return false;
  for (const row of gone) row.element.remove();
  if (gone.length) rowsChanged();
  while (wanted.size) {
    const some = [...wanted].slice(0, AT_ONCE);
    for (const key of some) wanted.delete(key);
    const query = new URLSearchParams(some.map((key) => ["key", key]));
    putRows(await htmlOf(`/_emulator/console/overview/rows?${query}`));
    applyOrder();
    await idle();
  }
  document.getElementById("relations").innerHTML = await htmlOf("/_emulator/console/overview/relations");
  forgetHooks();
  return true;
}

async function replaceAll() {
  overview.innerHTML = await htmlOf("/_emulator/console/overview");
  forgetHooks();
  rows = readRows();
  readCharts();
  recallFilters();
  applyFilters();
  watchBottom();
  await loadRest();
}

let shownWarnings = "";

async function refreshWarnings() {
  if (!news || document.hidden) return;
  news = false;
  const html = await htmlOf("/_emulator/console/overview/warnings").catch(() => null);
  if (html === null) return;
  const place = document.getElementById("warnings");
  const open = place.querySelector("details")?.open;
  if (html === shownWarnings || place.contains(document.activeElement)) return;
  shownWarnings = html;
  place.innerHTML = html;
  if (open) place.querySelector("details")?.setAttribute("open", "");
  flagRows(place);
}

/** The flags of the rows say what the list says. */
function flagRows(place) {
  const texts = new Map();
  for (const item of place.querySelectorAll("[data-warned]")) {
    const found = texts.get(item.dataset.warned) ?? { level: "warn", texts: [] };
    if (item.dataset.level === "alarm") found.level = "danger";
    found.texts.push(item.dataset.text);
    texts.set(item.dataset.warned, found);
  }
  for (const row of rows) {
    const cell = row.flags;
    const found = texts.get(row.key);
    const text = found ? found.texts.join("; ") : "";
    if ((cell.firstElementChild?.title ?? "") === text) continue;
    cell.replaceChildren();
    if (!found) continue;
    const badge = document.createElement("span");
    badge.className = `badge ${found.level}`;
    badge.title = text;
    const mark = document.createElement("span");
    mark.ariaHidden = "true";
    mark.textContent = `! ${found.texts.length}`;
    const words = document.createElement("span");
    words.className = "sr-only";
    words.textContent = text;
    badge.append(mark, words);
    cell.append(badge);
  }
}

document.addEventListener("input", (event) => {
  if (!event.target.closest("[data-filters]")) return;
  room = ROWS;
  applyFilters();
  keepFilters();
});
document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-filters]")) event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-show-more]")) showMore();
  const button = event.target.closest("[data-sort]");
  if (!button) return;
  const by = button.dataset.sort;
  // Figures begin with the largest, names with A.
  order = { by, down: order.by === by ? !order.down : by !== "name" };
  applyOrder();
});

recallFilters();
applyFilters();
watchBottom();
loadRest().then(follow);
setInterval(refreshWarnings, WARNINGS_MS);
