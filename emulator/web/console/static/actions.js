// What buttons and forms do. With data-action they send an AWS request, with data-kit ("POST /path") a call of
// the test kit; fields become the JSON body by their names ("Attributes.DelaySeconds" is nested).
//
//   data-body      JSON that the fields are added to
//   data-account, data-region   whose request it is
//   data-confirm   asked first, in a dialog; data-confirm-word on its button
//   data-done      the toast after success
//   data-then      "reload", "refresh" (the event emulator:refresh), or a path to go to
//
// Fields: data-type="number" or "json"; empty ones are left out unless they have data-keep.
// After success, the event "emulator:done" is dispatched on the element, and bubbles.

/** Shows a short message. `kind`: "ok" or "error". */
export function toast(text, kind = "ok") {
  const place = document.getElementById("toasts");
  const element = document.createElement("div");
  element.className = `toast ${kind}`;
  element.dataset.test = "toast";
  element.dataset.kind = kind;
  const words = document.createElement("p");
  words.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "icon-button";
  close.setAttribute("aria-label", "Close this message");
  close.textContent = "×";
  close.addEventListener("click", () => element.remove());
  element.append(words, close);
  place.append(element);
  while (place.children.length > 4) place.firstElementChild.remove();
  setTimeout(() => element.remove(), kind === "error" ? 12000 : 5000);
}

/** Asks in a dialog; resolves to whether the answer was yes. */
export function confirmed(text, word = "OK") {
  const dialog = document.getElementById("confirm");
  dialog.querySelector("#confirm-text").textContent = text;
  dialog.querySelector("button[value=yes]").textContent = word;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Raised for every answer that is no success; its message is for people. */
export class Refused extends Error {}

async function answerOf(response) {
  const text = await response.text();
  let content = null;
  try {
    content = text ? JSON.parse(text) : null;
  } catch {
    // An answer that is no JSON has no more to say than its status.
  }
  if (response.ok) return content;
  const code = content?.__type?.split("#").pop();
  const reason = content?.detail ?? content?.message ?? content?.Message ?? response.statusText;
  throw new Refused(code ? `${code}: ${reason}` : reason || `The answer was ${response.status}.`);
}

async function send(method, path, body) {
  const options = { method };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "content-type": "application/json" };
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused("The emulator does not answer.");
  }
  return answerOf(response);
}

/** One AWS request. `place`: {account, region}. Returns the answer; raises Refused. */
export function aws(action, body, place = {}) {
  const query = new URLSearchParams();
  if (place.account) query.set("account", place.account);
  if (place.region) query.set("region", place.region);
  return send("POST", `/_emulator/console/aws/${action}?${query}`, body);
}

/** One call of the test kit, or of the console. */
export function kit(method, path, body) {
  return send(method, path, body);
}

function valueOf(field) {
  const text = field.value;
  switch (field.dataset.type) {
    case "number":
      return Number(text);
    case "json":
      return JSON.parse(text);
    default:
      return text;
  }
}

/** The fields of a form as a JSON body. */
export function bodyOf(form) {
  const body = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || field.type === "submit" || field.type === "button") continue;
    if (field.type === "radio" && !field.checked) continue;
    if (field.type === "checkbox") {
      put(body, field.name, field.dataset.type === "boolean" ? field.checked : String(field.checked));
    } else if (field.value !== "" || field.hasAttribute("data-keep")) {
      put(body, field.name, valueOf(field));
    }
  }
  return body;
}

function put(body, name, value) {
  const parts = name.split(".");
  const last = parts.pop();
  let place = body;
  for (const part of parts) place = place[part] ??= {};
  place[last] = value;
}

function merged(one, other) {
  const both = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const nested = value && typeof value === "object" && !Array.isArray(value) && both[name];
    both[name] = nested ? merged(both[name], value) : value;
  }
  return both;
}

async function run(element, fields) {
  const { action, kit: call, confirm, confirmWord, done } = element.dataset;
  if (confirm && !(await confirmed(confirm, confirmWord))) return;
  const busy = [element, ...element.querySelectorAll("button")];
  for (const one of busy) one.setAttribute("aria-busy", "true");
  try {
    const body = merged(JSON.parse(element.dataset.body || "{}"), fields());
    const [method, path] = call ? call.split(" ") : [];
    const bodyless = method === "GET" || method === "DELETE";
    const answer = action
      ? await aws(action, body, element.dataset)
      : await kit(method, path, bodyless ? undefined : body);
    element.closest("dialog")?.close();
    if (done) toast(done);
    element.dispatchEvent(new CustomEvent("emulator:done", { bubbles: true, detail: answer }));
    follow(element.dataset.then);
  } catch (error) {
    toast(error instanceof SyntaxError ? `That is no valid JSON: ${error.message}` : error.message, "error");
    if (!(error instanceof Refused || error instanceof SyntaxError)) throw error;
  } finally {
    for (const one of busy) one.removeAttribute("aria-busy");
  }
}

/** What comes after an action: see data-then. */
export function follow(then) {
  if (then === "reload") location.reload();
  else if (then === "refresh") document.dispatchEvent(new CustomEvent("emulator:refresh"));
  else if (then) location.assign(then);
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) {
    document.getElementById(opener.dataset.open).showModal();
    return;
  }
  const closer = event.target.closest("[data-close]");
  if (closer) {
    closer.closest("dialog").close();
    return;
  }
  const button = event.target.closest("button[data-action], button[data-kit]");
  if (!button || button.getAttribute("aria-busy") === "true") return;
  event.preventDefault();
  run(button, () => ({}));
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.action && !form.dataset.kit) return;
  event.preventDefault();
  if (form.getAttribute("aria-busy") !== "true") run(form, () => bodyOf(form));
});
