// The page of a queue: its messages, groups and move tasks follow the live stream.

import { forgetHooks } from "./live.js";
import { paced } from "./paced.js";
import { Refused, confirmed, follow, kit, toast } from "./actions.js";

const page = document.getElementById("queue-page");
const { queueKey: key, href, queue, account, region } = page.dataset;
const form = document.querySelector("[data-message-filters]");
const MESSAGES_MS = 700;
const PARTS_MS = 1000;

/** Where the pages before this one begin. */
const trail = [];
let after = new URLSearchParams(location.search).get("after") ?? "0";

function query() {
  const wanted = new URLSearchParams();
  if (form.elements.state.value) wanted.set("state", form.elements.state.value);
  if (form.elements.text.value.trim()) wanted.set("text", form.elements.text.value.trim());
  if (after !== "0") wanted.set("after", after);
  return wanted.toString();
}

async function htmlOf(path) {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.text();
}

function elementsOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

// Messages

let newest = 0;

const refreshMessages = paced(async () => {
  const mine = ++newest;
  const html = await htmlOf(`${href}/messages?${query()}`);
  if (mine !== newest) return;
  if (html === null) location.reload();
  else putMessages(elementsOf(html));
}, MESSAGES_MS);

/** Rows that did not change stay: what is unfolded in them stays unfolded, and the focus where it is. */
function putMessages(fresh) {
  const place = document.getElementById("messages");
  const body = place.querySelector("tbody");
  const freshBody = fresh.querySelector("tbody");
  if (!body || !freshBody) {
    place.replaceChildren(fresh);
    return;
  }
  const rows = [...freshBody.rows].map((row) => {
    const old = document.getElementById(row.id);
    if (old && old.dataset.version === row.dataset.version) return old;
    if (old) keepUnfolded(old, row);
    return row;
  });
  const kept = new Set(rows);
  for (const row of [...body.rows]) if (!kept.has(row)) row.remove();
  // In place, so that a row that stays is never taken out: it would lose the focus.
  rows.forEach((row, index) => {
    if (body.rows[index] !== row) body.insertBefore(row, body.rows[index] ?? null);
  });
  const pager = place.querySelector(".pager");
  const freshPager = fresh.querySelector(".pager");
  if (pager?.outerHTML === freshPager?.outerHTML) return;
  pager?.remove();
  if (freshPager) place.append(freshPager);
}

function keepUnfolded(old, row) {
  const [before, now] = [old.querySelector("details"), row.querySelector("details")];
  if (!before.open) return;
  now.open = true;
  unfold(now);
}

function seqOf(element) {
  return Number(element.closest("tr").id.slice(1));
}

async function unfold(details) {
  const place = details.querySelector("[data-unfolded]");
  if (place.childElementCount) return;
  const html = await htmlOf(`${href}/messages/${seqOf(details)}`);
  place.innerHTML = html ?? "<p>The message is gone.</p>";
}

document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.matches("details[data-unfold]") && event.target.open) unfold(event.target);
  },
  true,
);

function turnTo(start) {
  if (start === "back") after = trail.pop() ?? "0";
  else {
    if (start === "0") trail.length = 0;
    else trail.push(after);
    after = start;
  }
  showAnew();
}

function showAnew() {
  const wanted = query();
  history.replaceState(null, "", wanted ? `?${wanted}` : location.pathname);
  refreshMessages();
}

async function deleteMessage(row) {
  const state = row.dataset.state.replace("-", " ");
  if (!(await confirmed(`Delete this message? It is ${state}.`, "Delete"))) return;
  try {
    await kit("POST", "/_emulator/console/messages/delete", { queue, account, region, seq: seqOf(row) });
    toast("Deleted.");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.message, "error");
  }
  follow("refresh");
}

document.addEventListener("click", (event) => {
  const bin = event.target.closest("[data-delete]");
  if (bin) deleteMessage(bin.closest("tr"));
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-page]");
  if (!button) return;
  for (const each of document.querySelectorAll("[data-page]")) each.disabled = true; // until the page has come
  turnTo(button.dataset.page);
  document.getElementById("messages-title").scrollIntoView({ block: "nearest" });
});

form.addEventListener("input", () => {
  after = "0";
  trail.length = 0;
  showAnew();
});
form.addEventListener("submit", (event) => event.preventDefault());

// Groups, move tasks, and the facts beside them

/** By name of a part: the HTML that it was made from. */
const shown = new Map();

async function putPart(name) {
  const place = document.querySelector(`[data-part="${name}"]`);
  if (!place) return null;
  const html = await htmlOf(`${href}/${name}`);
  if (html === null || html === shown.get(name)) return place;
  shown.set(name, html);
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.test : null;
  const scrolled = place.querySelector(".scroll")?.scrollTop;
  place.innerHTML = html;
  if (focused) place.querySelector(`[data-test="${focused}"]`)?.focus();
  if (scrolled) place.querySelector(".scroll")?.scrollTo(0, scrolled);
  return place;
}

const refreshGroups = paced(() => putPart("groups"), PARTS_MS);

const refreshTasks = paced(async () => {
  const place = await putPart("tasks");
  if (place?.querySelector('[data-moving="true"]')) setTimeout(refreshTasks, PARTS_MS);
}, PARTS_MS / 2);

/** What changes by actions only: attributes, tags, policies, warnings. */
const refreshFacts = paced(async () => {
  const answer = await fetch(href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["queue-facts", "queue-details"]) {
    const [place, now] = [document.getElementById(id), fresh.getElementById(id)];
    if (place.querySelector("dialog[open]") || place.innerHTML === now.innerHTML) continue;
    place.replaceChildren(...now.childNodes);
  }
  // A first move task brings the panel for it.
  if (fresh.getElementById("tasks") && !document.getElementById("tasks")) location.reload();
  forgetHooks();
}, PARTS_MS);

document.addEventListener("emulator:live", ({ detail }) => {
  if (detail.gone.includes(key) || (detail.first && !(key in detail.queues))) {
    toast("The queue is gone.", "error");
    return;
  }
  if (!(key in detail.queues)) return;
  // Also after the first event: between the page and the stream, something may have happened.
  refreshMessages();
  refreshGroups();
  refreshTasks();
});

document.addEventListener("emulator:refresh", () => {
  refreshMessages();
  refreshGroups();
  refreshTasks();
  refreshFacts();
});
document.addEventListener("emulator:due", () => {
  refreshMessages();
  refreshGroups();
});

if (document.querySelector('[data-moving="true"]')) refreshTasks();
