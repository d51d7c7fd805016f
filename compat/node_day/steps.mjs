// What the scripts for Node share: running steps one by one, names, digests and waiting. The twin of steps.py.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export const ENDPOINT = process.env.SQS_ENDPOINT;
export const REGION = process.env.AWS_DEFAULT_REGION;
export const CREDENTIALS = {
  accessKeyId: process.env.AWS_ACCESS_KEY_ID,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
};

// Neither the age of this SDK nor that of Node is a matter of these runs.
process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = "true";
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

/** Run every step side by side, as each makes its own queues. A failure does not hide the other steps. */
export async function runSteps(client, steps, world) {
  const complaints = await Promise.all(steps.map((step) => complaintOf(step, world)));
  steps.forEach((step, n) =>
    console.log(complaints[n] === null ? `ok  ${step.name}` : `FAIL  ${step.name}: ${complaints[n]}`),
  );
  const good = complaints.filter((complaint) => complaint === null).length;
  console.log(`${client}: ${good}/${steps.length} steps`);
  process.exitCode = steps.length > 0 && good === steps.length ? 0 : 1;
}

async function complaintOf(step, world) {
  try {
    await step(world);
    return null;
  } catch (error) {
    return error.stack ?? String(error);
  }
}

/** A name that no other step and no earlier run has used: AWS keeps a deleted name closed for a minute. */
export function freshName(word, suffix = "") {
  return `${word}-${randomUUID().slice(0, 8)}${suffix}`;
}

export function md5(text) {
  return createHash("md5").update(text).digest("hex");
}

/** The answer has exactly these members: an extra one breaks strict clients as much as a missing one. */
export function members(answer, ...names) {
  const found = Object.keys(answer).filter((name) => name !== "$metadata" && answer[name] !== undefined);
  assert.deepEqual(found.sort(), names.sort(), "members");
}

export function between(value, low, high, what) {
  assert.ok(low <= value && value <= high, `${what}: ${value} is not between ${low} and ${high}`);
}

/** Wait for something that real time brings about. */
export async function until(condition, seconds, what) {
  const deadline = Date.now() + seconds * 1000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `not within ${seconds} s: ${what}`);
    await sleep(50);
  }
}
