// Charts of one queue. The figures come from charts.py; each chart also says them in a sentence and in a table.

import uPlot from "./uplot.esm.js";
import { duration } from "./live.js";
import { paced } from "./paced.js";

const place = document.getElementById("charts");
const HEIGHT = 200;
const PERIOD_MS = 2000;
const QUIET_MS = 15_000;
const COUNTS = [1, 2, 5].flatMap((one) => [...Array(10).keys()].map((power) => one * 10 ** power)).sort((a, b) => a - b);
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 345600, 604800];
const BYTES = [...Array(21).keys()].map((power) => 2 ** power);

const two = (count) => String(count).padStart(2, "0");

function clockTime(seconds) {
  const moment = new Date(seconds * 1000);
  return `${two(moment.getUTCHours())}:${two(moment.getUTCMinutes())}`;
}

function dayOf(seconds) {
  return new Date(seconds * 1000).toISOString().slice(5, 10);
}

const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

function said(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "seconds") return duration(value);
  if (unit === "bytes") return bytes(value);
  return plain.format(value);
}

function bytes(value) {
  if (value < 1024) return `${plain.format(value)} B`;
  const [scaled, name] = value < 1024 * 1024 ? [value / 1024, "KiB"] : [value / 1024 / 1024, "MiB"];
  return `${scaled.toFixed(1).replace(".0", "")} ${name}`;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** One card: its plot, legend, sentence and table. */
class Chart {
  constructor(card) {
    this.card = card;
    this.unit = card.dataset.unit;
    this.legend = [...card.querySelectorAll(".legend li")];
    this.plotPlace = card.querySelector(".plot");
    this.table = card.querySelector(".as-table");
    this.values = [];
    this.plot = null;
    this.thresholds = thresholdsOf(this.legend.map((item) => item.dataset.metric), this.unit);
    for (const item of this.legend) item.querySelector(".key").style.background = `var(--${item.dataset.colour})`;
    this.table.addEventListener("toggle", () => this.fillTable());
    new ResizeObserver(() => this.fit()).observe(this.plotPlace);
  }

  show(times, lines, from, to) {
    this.values = [times, ...lines];
    this.span = [from, to];
    if (this.plot) this.plot.setData(this.values);
    else this.draw();
    this.say();
    this.showLegend(null);
    this.fillTable();
  }

  draw() {
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.values, this.plotPlace);
  }

  fit() {
    const width = this.plotPlace.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  options() {
    const muted = colour("muted");
    const lines = { stroke: colour("line"), width: 1 };
    const axis = { stroke: muted, font: "12px system-ui, sans-serif", ticks: { ...lines, size: 4 }, grid: lines };
    return {
      width: this.plotPlace.clientWidth || 600,
      height: HEIGHT,
      padding: [12, 16, 0, 0],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      legend: { show: false },
      cursor: { sync: { key: "charts" }, drag: { x: false, y: false }, points: { size: 7 }, y: false },
      scales: {
        x: { range: () => this.span },
        y: { range: (_, low, high) => [0, Math.max(high ?? 0, ...this.thresholds, 1) * 1.08] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 28, values: (_, ticks, __, ___, step) => ticks.map((at) => timeLabel(at, step)) },
        { ...axis, ticks: { show: false }, size: 64, space: 36, incrs: this.steps(), values: (_, ticks) => ticks.map((at) => said(at, this.unit)) },
      ],
      series: [{}, ...this.legend.map((item) => this.seriesOf(item))],
      hooks: { setCursor: [(plot) => this.showLegend(plot.cursor.idx)], draw: [(plot) => this.drawThresholds(plot)] },
    };
  }

  steps() {
    if (this.unit === "seconds") return SECONDS;
    return this.unit === "bytes" ? BYTES : COUNTS;
  }

  seriesOf(item) {
    const stroke = colour(item.dataset.colour);
    const isOnly = this.legend.length === 1;
    if (isOnly && this.unit === "per minute") return { stroke, width: 0, fill: stroke, paths: uPlot.paths.bars({ size: [0.7, 24] }), points: { show: false } };
    return { stroke, width: 2, fill: isOnly ? `${stroke}22` : undefined, spanGaps: false, points: { size: 5, fill: stroke, filter: (_, line, shown) => (shown ? null : this.lonely(line)) } };
  }

  /** Points without a neighbour: no line leads to them. */
  lonely(line) {
    const values = this.values[line];
    const isOne = (at) => values[at] !== null && values[at] !== undefined;
    return values.flatMap((_, at) => (isOne(at) && !isOne(at - 1) && !isOne(at + 1) ? [at] : []));
  }

  drawThresholds(plot) {
    const { ctx } = plot;
    ctx.save();
    ctx.strokeStyle = colour("danger");
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.lineWidth = devicePixelRatio;
    for (const threshold of this.thresholds) {
      const y = Math.round(plot.valToPos(threshold, "y", true));
      ctx.beginPath();
      ctx.moveTo(plot.bbox.left, y);
      ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** What the lines have at the cursor, or else now. */
  showLegend(index) {
    const [times, ...lines] = this.values;
    if (!times) return;
    const at = index ?? times.length - 1;
    this.legend.forEach((item, line) => {
      item.querySelector("[data-value]").textContent = said(lines[line][at], this.unit);
    });
    this.card.querySelector("[data-at]").textContent = index === null || index === undefined ? "now" : `${dayOf(times[at])} ${clockTime(times[at])}`;
  }

  say() {
    const [, ...lines] = this.values;
    const sentences = this.legend.map((item, line) => {
      const found = lines[line].filter((value) => value !== null);
      if (!found.length) return `${item.dataset.line}: nothing in this time.`;
      const mean = found.reduce((sum, value) => sum + value, 0) / found.length;
      const [now, most] = [said(lines[line].at(-1), this.unit), said(Math.max(...found), this.unit)];
      return `${item.dataset.line}: ${now} now, ${most} at most, ${said(Math.round(mean * 10) / 10, this.unit)} on average.`;
    });
    const text = sentences.join(" ");
    const summary = this.card.querySelector("[data-summary]");
    if (summary.textContent !== text) summary.textContent = text;
  }

  fillTable() {
    if (!this.table.open || !this.values.length) return;
    const [times, ...lines] = this.values;
    const table = document.createElement("table");
    table.className = "plain";
    const head = table.createTHead().insertRow();
    for (const title of ["Time, UTC", ...this.legend.map((item) => item.dataset.line)]) head.append(cell("th", title, "col"));
    const body = table.createTBody();
    for (let at = times.length - 1; at >= 0; at -= 1) {
      if (lines.every((line) => line[at] === null)) continue;
      const row = body.insertRow();
      row.append(cell("th", `${dayOf(times[at])} ${clockTime(times[at])}`, "row"));
      for (const line of lines) row.append(cell("td", said(line[at], this.unit)));
    }
    this.table.querySelector(".table-box").replaceChildren(table);
  }
}

function cell(tag, text, scope) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (scope) element.scope = scope;
  return element;
}

function timeLabel(at, step) {
  return step >= 86400 || at % 86400 === 0 ? dayOf(at) : clockTime(at);
}

/** Alarms compare with what a gauge shows; counts of other periods than a minute are not to be compared. */
function thresholdsOf(metrics, unit) {
  if (unit === "per minute" || unit === "bytes") return [];
  const rows = [...document.querySelectorAll("[data-alarm-metric]")];
  return rows.filter((row) => metrics.includes(row.dataset.alarmMetric)).map((row) => Number(row.dataset.threshold));
}

const charts = new Map([...place.querySelectorAll("[data-chart]")].map((card) => [card.dataset.chart, new Chart(card)]));

const refresh = paced(async () => {
  const answer = await fetch(`/_emulator/console/charts/data?${place.dataset.query}`);
  if (!answer.ok) return;
  const data = await answer.json();
  const [from, to] = [data.times[0], Math.max(data.times.at(-1), data.times[0] + 60)];
  for (const { id, lines } of data.charts) charts.get(id)?.show(data.times, lines, from, to);
  place.dataset.shown = "yes";
}, PERIOD_MS);

function redraw() {
  for (const chart of charts.values()) if (chart.plot) chart.draw();
}

document.addEventListener("emulator:theme", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

let clock = "";
document.addEventListener("emulator:live", ({ detail }) => {
  const now = detail.clock ? JSON.stringify(detail.clock) : clock;
  if (place.dataset.key in detail.queues || now !== clock) refresh();
  clock = now;
});
setInterval(() => document.hidden || refresh(), QUIET_MS);
document.getElementById("queue-choice").addEventListener("change", (event) => event.target.form.submit());
refresh();
