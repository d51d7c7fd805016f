// Rates per second and small charts of the last half hour, kept up to date by the live stream. The server draws
// them first (sparklines.py); both give the same picture.

import { nowMs, number, setText } from "./live.js";

const BARS = 30;
const HEIGHT = 20;
const STEP = 4;
const MINUTE_MS = 60_000;
const FIELDS = { sent: 4, received: 5, deleted: 6 };
const RATE_MS = 5000;

/** By key: what the queue counted when, in real time, its charts, and the elements that show its rates. */
let queues = readAll();

function readAll() {
  const found = new Map();
  for (const place of document.querySelectorAll("[data-running-ms]")) {
    const { key, runningMs, counted } = place.dataset;
    const totals = counted ? counted.split(",").map(Number) : [0, 0, 0];
    const queue = { samples: [], charts: {}, rates: {} };
    for (const element of place.querySelectorAll("[data-rate]")) {
      const field = element.dataset.rate;
      queue.rates[field] = element;
      queue.charts[field] = chartOf(element, field, Number(runningMs), totals[FIELDS[field] - FIELDS.sent]);
    }
    found.set(key, queue);
  }
  return found;
}

function chartOf(rate, field, running, counted) {
  const svg = rate.parentElement.querySelector("svg");
  const values = svg ? svg.dataset.values.split(",").map(Number) : Array(BARS).fill(0);
  return { rate, field, path: svg?.firstElementChild, values, empty: !svg, running, counted };
}

/** Most queues rest: a chart comes into the page with its first bar. */
function pathOf(chart) {
  if (!chart.path) {
    chart.rate.insertAdjacentHTML(
      "afterend",
      `<svg class="spark" viewBox="0 0 ${BARS * STEP} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path/></svg>`,
    );
    chart.rate.nextElementSibling.classList.add(chart.field);
    chart.path = chart.rate.nextElementSibling.firstElementChild;
  }
  return chart.path;
}

/** To be called when the server's elements took the place of others. */
export function readCharts() {
  const old = queues;
  queues = readAll();
  for (const [key, queue] of queues) {
    queue.samples = old.get(key)?.samples ?? [];
    queue.busy = true;
  }
  tick();
}

function draw(chart) {
  const highest = Math.max(...chart.values);
  const lines = chart.values.map((value, index) =>
    value ? `M${index * STEP + STEP / 2} ${HEIGHT}V${HEIGHT - 1 - Math.round((value / highest) * (HEIGHT - 2))}` : "",
  );
  pathOf(chart).setAttribute("d", lines.join(""));
}

/** Moves the chart on to the minute that runs now. Returns whether it has to be drawn anew. */
function moveOn(chart, now) {
  const passed = Math.floor((now - chart.running) / MINUTE_MS);
  if (passed === 0) return false;
  chart.running += passed * MINUTE_MS;
  if (chart.empty) return false;
  // A clock that was set back starts anew: what lies ahead of it is forgotten.
  const fresh = Array(passed > 0 ? Math.min(passed, BARS) : BARS).fill(0);
  chart.values = [...chart.values, ...fresh].slice(-BARS);
  chart.empty = !chart.values.some(Boolean);
  return true;
}

function told({ detail }) {
  const at = performance.now();
  const now = nowMs();
  for (const [key, values] of Object.entries(detail.queues)) {
    const queue = queues.get(key);
    if (!queue) continue;
    for (const [field, chart] of Object.entries(queue.charts)) {
      const total = values[FIELDS[field]];
      if (total > chart.counted) {
        moveOn(chart, now);
        chart.values[BARS - 1] += total - chart.counted;
        chart.empty = false;
        draw(chart);
      }
      chart.counted = total;
    }
    queue.samples.push({ at, values });
  }
}

/** Over the last seconds. The server tells changes only, so what it told last holds until now. */
function rateOf(queue, index, at) {
  const first = queue.samples[0];
  const span = Math.min(Math.max(at - first.at, 1000), RATE_MS);
  return Math.max(0, (queue.samples.at(-1).values[index] - first.values[index]) / span) * 1000;
}

function tick() {
  const at = performance.now();
  const now = nowMs();
  for (const queue of queues.values()) {
    // The newest of those that are too old stays: the rate counts from it.
    while (queue.samples.length > 1 && at - queue.samples[1].at >= RATE_MS) queue.samples.shift();
    const busy = queue.samples.length > 1;
    if (queue.samples.length && (busy || queue.busy)) showRates(queue, at);
    queue.busy = busy;
    for (const chart of Object.values(queue.charts)) if (moveOn(chart, now)) draw(chart);
  }
}

function showRates(queue, at) {
  for (const [field, element] of Object.entries(queue.rates)) {
    const rate = rateOf(queue, FIELDS[field], at);
    setText(element, rate >= 10 ? number(Math.round(rate)) : rate ? rate.toFixed(1) : "0");
    element.toggleAttribute("data-zero", rate === 0);
  }
}

document.addEventListener("emulator:live", told);
setInterval(tick, 1000);
