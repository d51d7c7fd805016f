// Creating a queue, and changing its attributes, tags and policies.

import { Refused, aws, bodyOf, follow, toast } from "./actions.js";

/** RedrivePolicy as the API takes it; "" if no queue is named. */
function redrivePolicy(form) {
  const value = (name) => form.querySelector(`[data-redrive="${name}"]`)?.value.trim() ?? "";
  const target = value("deadLetterTargetArn");
  return target && JSON.stringify({ deadLetterTargetArn: target, maxReceiveCount: Number(value("maxReceiveCount")) });
}

async function attempt(form, work) {
  const button = form.querySelector("button:not([type=button])");
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.message, "error");
  } finally {
    button.disabled = false;
  }
}

// Create

function showType(form) {
  const fifo = form.elements.type.value === "fifo";
  for (const part of form.querySelectorAll("[data-fifo-only]")) part.hidden = !fifo;
}

async function create(form) {
  const { QueueName: typed, account, region, type, Attributes = {} } = bodyOf(form);
  const fifo = type === "fifo";
  const attributes = fifo ? { ...Attributes, FifoQueue: "true" } : { ...Attributes };
  if (!fifo) for (const name of ["ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit"]) delete attributes[name];
  const policy = redrivePolicy(form);
  if (policy) attributes.RedrivePolicy = policy;
  const name = fifo && !typed.endsWith(".fifo") ? `${typed}.fifo` : typed;
  await aws("CreateQueue", { QueueName: name, Attributes: attributes }, { account, region });
  location.assign(`/_emulator/console/queues/${region}/${account}/${encodeURIComponent(name)}`);
}

// Change

async function change(form) {
  const changed = {};
  for (const field of form.elements) {
    if (!field.name?.startsWith("Attributes.")) continue;
    const before = field.dataset.before ?? initial(field);
    if (field.value !== before) changed[field.name.slice("Attributes.".length)] = field.value;
  }
  if (form.querySelector("[data-redrive]")) {
    const policy = redrivePolicy(form);
    if (policy !== form.dataset.redrive) changed.RedrivePolicy = policy;
  }
  if (Object.keys(changed).length) {
    await aws("SetQueueAttributes", { QueueUrl: form.dataset.url, Attributes: changed }, form.dataset);
    toast(`Changed ${Object.keys(changed).join(", ")}.`);
  }
  form.closest("dialog").close();
  follow("refresh");
}

function initial(field) {
  if (field.tagName !== "SELECT") return field.defaultValue;
  return [...field.options].find((option) => option.defaultSelected)?.value ?? field.options[0]?.value ?? "";
}

// Tags: what is in the form in place of what the queue has

async function tag(form) {
  const before = JSON.parse(form.dataset.before);
  const after = {};
  for (const row of form.querySelectorAll("[data-pair]")) {
    const [key, value] = [...row.querySelectorAll("input")].map((input) => input.value);
    if (key !== "") after[key] = value;
  }
  const gone = Object.keys(before).filter((key) => !(key in after));
  const fresh = Object.fromEntries(Object.entries(after).filter(([key, value]) => before[key] !== value));
  if (gone.length) await aws("UntagQueue", { QueueUrl: form.dataset.url, TagKeys: gone }, form.dataset);
  if (Object.keys(fresh).length) await aws("TagQueue", { QueueUrl: form.dataset.url, Tags: fresh }, form.dataset);
  toast("Saved the tags.");
  form.closest("dialog").close();
  follow("refresh");
}

/** Adds an empty row to a list of fields, made from its template. */
export function addPair(list) {
  list.append(list.querySelector("template").content.cloneNode(true));
  const fields = list.querySelectorAll("[data-pair]");
  fields[fields.length - 1].querySelector("input, select").focus();
}

// ARNs that fields for one offer: asked for when somebody goes there, as there may be hundreds

document.addEventListener("focusin", async (event) => {
  const field = event.target.closest('[list="queue-arns"]');
  if (!field) return;
  const { account, region } = field.form.elements.account ? bodyOf(field.form) : field.form.dataset;
  const answer = await fetch(`/_emulator/console/arns?${new URLSearchParams({ account, region })}`);
  if (!answer.ok) return;
  const options = (await answer.json()).map((arn) => new Option(arn, arn));
  document.getElementById("queue-arns").replaceChildren(...options);
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (event.target.name === "type" && form?.hasAttribute("data-create-queue")) showType(form);
});

document.addEventListener("click", (event) => {
  const adder = event.target.closest("[data-add-pair]");
  if (adder) addPair(document.getElementById(adder.dataset.addPair));
  const remover = event.target.closest("[data-remove-pair]");
  if (remover) {
    const list = remover.closest("[data-pairs]");
    remover.closest("[data-pair]").remove();
    (list.querySelector("input") ?? document.querySelector(`[data-add-pair="${list.id}"]`))?.focus();
  }
});

const WORK = { createQueue: create, changeQueue: change, tagQueue: tag };

document.addEventListener("submit", (event) => {
  const form = event.target;
  const work = Object.keys(WORK).find((name) => name in form.dataset);
  if (!work) return;
  event.preventDefault();
  attempt(form, () => WORK[work](form));
});
