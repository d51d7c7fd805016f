// The send form: one message, or many copies in batches. All of them go through the API.

import { Refused, aws, toast } from "./actions.js";

const BATCH = 10;
const BATCH_BYTES = 1024 * 1024;
const form = document.querySelector("[data-send]");
const stop = form.querySelector("[data-send-stop]");
const progress = form.querySelector("[data-send-progress]");
const encoder = new TextEncoder();
let stopped = false;

function numbered(text, number) {
  return text.replaceAll("{{n}}", String(number));
}

function attributes() {
  const found = {};
  for (const row of form.querySelectorAll("[data-pair]")) {
    const [name, type, value] = ["name", "type", "value"].map((part) => row.querySelector(`[data-part-of="${part}"]`).value);
    if (name) found[name] = { DataType: type, [type === "Binary" ? "BinaryValue" : "StringValue"]: value };
  }
  return found;
}

function messageOf(number) {
  const { body, delay, group, dedup } = form.elements;
  const message = { MessageBody: numbered(body.value, number), MessageAttributes: attributes() };
  if (delay?.value) message.DelaySeconds = Number(delay.value);
  if (group?.value) message.MessageGroupId = numbered(group.value, number);
  if (dedup?.value) message.MessageDeduplicationId = numbered(dedup.value, number);
  return message;
}

async function sendOne() {
  await aws("SendMessage", { QueueUrl: form.dataset.url, ...messageOf(1) }, form.dataset);
  toast("Sent.");
}

async function sendMany(copies) {
  const each = encoder.encode(form.elements.body.value).length + 1024;
  const size = Math.max(1, Math.min(BATCH, Math.floor(BATCH_BYTES / each)));
  let sent = 0;
  stopped = false;
  progress.max = copies;
  progress.value = 0;
  progress.hidden = stop.hidden = false;
  try {
    for (let first = 1; first <= copies && !stopped; first += size) {
      const numbers = Array.from({ length: Math.min(size, copies - first + 1) }, (_, index) => first + index);
      const entries = numbers.map((number) => ({ Id: String(number), ...messageOf(number) }));
      const answer = await aws("SendMessageBatch", { QueueUrl: form.dataset.url, Entries: entries }, form.dataset);
      sent += answer.Successful?.length ?? 0;
      progress.value = sent;
      const [failed] = answer.Failed ?? [];
      if (failed) throw new Refused(`${failed.Code}: ${failed.Message} (${sent.toLocaleString("en-US")} were sent)`);
    }
    toast(`Sent ${sent.toLocaleString("en-US")} messages${stopped ? ", then stopped" : ""}.`);
  } finally {
    progress.hidden = stop.hidden = true;
  }
}

stop.addEventListener("click", () => {
  stopped = true;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const submit = form.querySelector('[data-test="send-submit"]');
  const copies = Number(form.elements.copies.value || 1);
  submit.disabled = true;
  try {
    await (copies === 1 ? sendOne() : sendMany(copies));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.message, "error");
  } finally {
    submit.disabled = false;
    submit.focus();
  }
});

// Ctrl+Enter or Cmd+Enter sends, as in other forms that hold a text.
form.elements.body.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
