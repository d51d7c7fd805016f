// Consumers as programs write them with sqs-consumer: each message is handled once, and what fails comes again.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import * as sdk from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";

import { between, CREDENTIALS, ENDPOINT, freshName, REGION, runSteps, until } from "../node_day/steps.mjs";

// One attempt: a retry that succeeds would hide an answer that was wrong.
const sqs = new sdk.SQSClient({ endpoint: ENDPOINT, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 });
const COUNTS = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"];

async function createQueue(attributes = {}) {
  const name = freshName("consumed", attributes.FifoQueue ? ".fifo" : "");
  return (await sqs.send(new sdk.CreateQueueCommand({ QueueName: name, Attributes: attributes }))).QueueUrl;
}

async function attributesOf(queueUrl, names) {
  const input = { QueueUrl: queueUrl, AttributeNames: names };
  return (await sqs.send(new sdk.GetQueueAttributesCommand(input))).Attributes;
}

function send(queueUrl, body, more = {}) {
  return sqs.send(new sdk.SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, ...more }));
}

async function sendMany(queueUrl, bodies, more = () => ({})) {
  for (let n = 0; n < bodies.length; n += 10) {
    const entries = bodies.slice(n, n + 10).map((body, i) => ({ Id: `n${i}`, MessageBody: body, ...more(body) }));
    await sqs.send(new sdk.SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
  }
}

/** Runs a consumer while `work` does its part, and then stops it. No error of the service may come up. */
async function consuming(options, work) {
  const consumer = Consumer.create({ sqs, waitTimeSeconds: 20, suppressFifoWarning: true, ...options });
  const events = { errors: [], failures: 0, empty: 0 };
  consumer.on("error", (error) => events.errors.push(error));
  consumer.on("processing_error", () => events.failures++);
  consumer.on("timeout_error", (error) => events.errors.push(error));
  consumer.on("empty", () => events.empty++);
  const stopped = new Promise((resolve) => consumer.once("stopped", resolve));
  consumer.start();
  try {
    await work(events);
  } finally {
    consumer.stop({ abort: true });
    await stopped;
  }
  assert.deepEqual(events.errors, []);
}

async function isEmpty(queueUrl) {
  const counts = await attributesOf(queueUrl, COUNTS);
  return Object.values(counts).every((count) => count === "0");
}

/** One by one, as the library does unless told otherwise. */
async function messages(_) {
  const queueUrl = await createQueue();
  const wanted = Array.from({ length: 25 }, (_, n) => `message ${n}`);
  const handled = [];
  const handleMessage = async (message) => {
    handled.push(message.Body);
    return message;
  };
  await consuming({ queueUrl, handleMessage }, async (events) => {
    await sendMany(queueUrl, wanted);
    await until(() => isEmpty(queueUrl), 20, "an empty queue");
    assert.equal(events.empty, 0, "answers without messages");
  });
  assert.deepEqual(handled.sort(), wanted.sort());
}

async function messagesInBatches(_) {
  const queueUrl = await createQueue();
  const wanted = Array.from({ length: 100 }, (_, n) => `message ${n}`);
  const handled = [];
  const handleMessageBatch = async (batch) => {
    handled.push(...batch.map((message) => message.Body));
    return batch;
  };
  await sendMany(queueUrl, wanted);
  await consuming({ queueUrl, handleMessageBatch, batchSize: 10 }, () =>
    until(() => isEmpty(queueUrl), 20, "an empty queue"),
  );
  assert.deepEqual(handled.sort(), wanted.sort());
}

async function wokenByASend(_) {
  const queueUrl = await createQueue();
  let woken;
  const handleMessage = async (message) => {
    woken = Date.now();
    return message;
  };
  await consuming({ queueUrl, handleMessage }, async (events) => {
    await sleep(1000);
    const sent = Date.now();
    await send(queueUrl, "wake up");
    await until(() => woken !== undefined, 10, "a message");
    between(woken - sent, 0, 2000, "milliseconds from the send to the handler");
    assert.equal(events.empty, 0, "answers while there was nothing");
    await until(() => isEmpty(queueUrl), 5, "an empty queue");
  });
}

/** A message whose handler fails is set free at once, until it is moved to the dead-letter queue. */
async function failuresAndDeadLetters(_) {
  const dead = await createQueue();
  const { QueueArn } = await attributesOf(dead, ["QueueArn"]);
  const policy = JSON.stringify({ deadLetterTargetArn: QueueArn, maxReceiveCount: 3 });
  const queueUrl = await createQueue({ RedrivePolicy: policy });
  const attempts = [];
  const handleMessage = async (message) => {
    attempts.push(`${message.Body} ${message.Attributes.ApproximateReceiveCount}`);
    if (message.Body === "bad" || message.Attributes.ApproximateReceiveCount === "1") throw new Error("no");
    return message;
  };
  const names = { messageSystemAttributeNames: ["ApproximateReceiveCount"] };
  await send(queueUrl, "good");
  await send(queueUrl, "bad");
  await consuming({ queueUrl, handleMessage, terminateVisibilityTimeout: true, ...names }, async (events) => {
    const moved = async () => (await attributesOf(dead, COUNTS))[COUNTS[0]] === "1";
    await until(async () => (await isEmpty(queueUrl)) && (await moved()), 20, "one message in the dead-letter queue");
    assert.equal(events.failures, 4, "failures");
  });
  assert.deepEqual(attempts.sort(), ["bad 1", "bad 2", "bad 3", "good 1", "good 2"]);
}

/** A slow handler prolongs the visibility timeout, so that nobody else gets the message. */
async function heartbeat(_) {
  const queueUrl = await createQueue();
  let handled = 0;
  const handleMessage = async (message) => {
    handled++;
    await sleep(3500);
    return message;
  };
  const options = { queueUrl, handleMessage, visibilityTimeout: 2, heartbeatInterval: 1 };
  await send(queueUrl, "slow");
  await consuming(options, () =>
    consuming(options, () => until(() => isEmpty(queueUrl), 10, "an empty queue")),
  );
  assert.equal(handled, 1, "number of times the message was handled");
}

async function fifo(_) {
  const queueUrl = await createQueue({ FifoQueue: "true", ContentBasedDeduplication: "true" });
  const wanted = Array.from({ length: 40 }, (_, n) => `${"abcd"[n % 4]} ${10 + n}`);
  const handled = [];
  const handleMessageBatch = async (batch) => {
    handled.push(...batch.map((message) => message.Body));
    return batch;
  };
  await sendMany(queueUrl, wanted, (body) => ({ MessageGroupId: body[0] }));
  const options = { queueUrl, handleMessageBatch, batchSize: 5 };
  await consuming(options, () =>
    consuming(options, () => until(() => isEmpty(queueUrl), 20, "an empty queue")),
  );
  assert.equal(handled.length, wanted.length);
  for (const group of "abcd") {
    const ofGroup = (bodies) => bodies.filter((body) => body.startsWith(group));
    assert.deepEqual(ofGroup(handled), ofGroup(wanted), `order in group ${group}`);
  }
}

const STEPS = [messages, messagesInBatches, wokenByASend, failuresAndDeadLetters, heartbeat, fifo];
await runSteps("node_sqs_consumer", STEPS, null);
