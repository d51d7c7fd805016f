// A day's work for every SDK for JavaScript. Each script brings an adapter `sqs`:
//   sqs.call(operation, input)     the answer to one request
//   sqs.byQueueUrl                 an adapter for a client that has only queue URLs to go by, if there can be one
//   sqs.fault(error)               { code, status, message }, with the code of the Query protocol
//   sqs.missingQueue               the one text in which AWS's protocols differ
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { between, ENDPOINT, freshName, md5, members, REGION } from "./steps.mjs";

const BODIES = [
  "hello",
  "Grüße 😀 \u202e\ufffd\u{10ffff}",
  "<a b=\"c\">&amp; ]]> &#13; '</a>",
  "\r\n\t  spaces around and lines \r and \n  ",
  '{"json": "\\u0041 \\" \\\\"}',
  "a=b&c=d%20+e;f",
  "x".repeat(1_048_576),
];
const ATTRIBUTES = {
  color: { DataType: "String", StringValue: "blue" },
  count: { DataType: "Number", StringValue: "3" },
  blob: { DataType: "Binary", BinaryValue: Buffer.from([1, 2, 3]) },
};
// Digests published by AWS's users, so that a mistake shared by an SDK and the server cannot hide.
const MD5_OF_ATTRIBUTES = "d838729972a4b70e2d2acd9d59ac847c";
const TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
const MD5_OF_TRACE = "5ae4d5d7636402d80f4eb6d213245a88";
const FIFO = { FifoQueue: "true", ContentBasedDeduplication: "true" };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function createQueue(sqs, attributes = {}) {
  const name = freshName("node", attributes.FifoQueue ? ".fifo" : "");
  const answer = await sqs.call("CreateQueue", { QueueName: name, Attributes: attributes });
  return answer.QueueUrl;
}

async function attributesOf(sqs, url, ...names) {
  const answer = await sqs.call("GetQueueAttributes", { QueueUrl: url, AttributeNames: names });
  return answer.Attributes;
}

async function arnOf(sqs, url) {
  return (await attributesOf(sqs, url, "QueueArn")).QueueArn;
}

async function receive(sqs, url, more = {}) {
  const everything = { AttributeNames: ["All"], MessageAttributeNames: ["All"], MaxNumberOfMessages: 10 };
  return (await sqs.call("ReceiveMessage", { QueueUrl: url, ...everything, ...more })).Messages ?? [];
}

const bodies = (messages) => messages.map((message) => message.Body);

async function refused(sqs, operation, input, code, status, text) {
  try {
    await sqs.call(operation, input);
  } catch (error) {
    const fault = sqs.fault(error);
    assert.deepEqual({ code: fault.code, status: fault.status }, { code, status }, `${operation}: ${error}`);
    if (text !== undefined) assert.equal(fault.message, text);
    return;
  }
  assert.fail(`${operation}: ${code} expected, but the call succeeded`);
}

async function queues(sqs) {
  const name = freshName("orders");
  const given = { VisibilityTimeout: "45", DelaySeconds: "5" };
  const tags = { team: "core", env: "größer" };
  const url = (await sqs.call("CreateQueue", { QueueName: name, Attributes: given, tags })).QueueUrl;
  assert.equal(new URL(url).origin, ENDPOINT);
  const account = url.split("/").at(-2);
  assert.equal((await sqs.call("GetQueueUrl", { QueueName: name })).QueueUrl, url);
  await sqs.call("SetQueueAttributes", { QueueUrl: url, Attributes: { DelaySeconds: "7" } });
  const found = await attributesOf(sqs, url, "QueueArn", "DelaySeconds", "VisibilityTimeout", "Policy");
  const QueueArn = `arn:aws:sqs:${REGION}:${account}:${name}`;
  assert.deepEqual({ ...found }, { QueueArn, DelaySeconds: "7", VisibilityTimeout: "45" });
  assert.ok(Object.keys(await attributesOf(sqs, url, "All")).length > 10, "all attributes");
  await sqs.call("TagQueue", { QueueUrl: url, Tags: { env: "dev" } });
  await sqs.call("UntagQueue", { QueueUrl: url, TagKeys: ["team"] });
  assert.deepEqual({ ...(await sqs.call("ListQueueTags", { QueueUrl: url })).Tags }, { env: "dev" });
}

async function listQueuesInPages(sqs) {
  const prefix = freshName("paged");
  const urls = [];
  for (let n = 0; n < 3; n++)
    urls.push((await sqs.call("CreateQueue", { QueueName: `${prefix}-${n}` })).QueueUrl);
  const first = await sqs.call("ListQueues", { QueueNamePrefix: prefix, MaxResults: 2 });
  members(first, "QueueUrls", "NextToken");
  const more = { QueueNamePrefix: prefix, MaxResults: 2, NextToken: first.NextToken };
  const last = await sqs.call("ListQueues", more);
  members(last, "QueueUrls");
  assert.deepEqual([first.QueueUrls, last.QueueUrls], [urls.slice(0, 2), urls.slice(2)]);
}

async function messageBodies(sqs) {
  const url = await createQueue(sqs);
  for (const body of BODIES) {
    const sent = await sqs.call("SendMessage", { QueueUrl: url, MessageBody: body });
    members(sent, "MD5OfMessageBody", "MessageId");
    assert.match(sent.MessageId, UUID);
    const [message] = await receive(sqs, url);
    assert.ok(message.Body === body, `body ${body.slice(0, 60)} came back as ${message.Body.slice(0, 60)}`);
    assert.deepEqual([message.MD5OfBody, sent.MD5OfMessageBody], [md5(body), md5(body)]);
    assert.equal(message.MessageId, sent.MessageId);
    await sqs.call("DeleteMessage", { QueueUrl: url, ReceiptHandle: message.ReceiptHandle });
  }
}

async function messageAttributes(sqs) {
  const url = await createQueue(sqs);
  const trace = { AWSTraceHeader: { DataType: "String", StringValue: TRACE } };
  const input = { MessageAttributes: ATTRIBUTES, MessageSystemAttributes: trace };
  const sent = await sqs.call("SendMessage", { QueueUrl: url, MessageBody: "x", ...input });
  assert.equal(sent.MD5OfMessageAttributes, MD5_OF_ATTRIBUTES);
  assert.equal(sent.MD5OfMessageSystemAttributes, MD5_OF_TRACE);
  const [message] = await receive(sqs, url);
  assert.equal(message.MD5OfMessageAttributes, MD5_OF_ATTRIBUTES);
  assert.deepEqual(Object.keys(message.MessageAttributes).sort(), ["blob", "color", "count"]);
  for (const [name, { DataType, StringValue, BinaryValue }] of Object.entries(message.MessageAttributes)) {
    assert.deepEqual([DataType, StringValue], [ATTRIBUTES[name].DataType, ATTRIBUTES[name].StringValue]);
    if (BinaryValue !== undefined) assert.deepEqual([...BinaryValue], [1, 2, 3]);
  }
  const system = message.Attributes;
  assert.equal(system.AWSTraceHeader, TRACE);
  assert.equal(system.ApproximateReceiveCount, "1");
  between(Number(system.SentTimestamp), Date.now() - 10_000, Date.now() + 10_000, "SentTimestamp");
}

async function batches(sqs) {
  const url = await createQueue(sqs, { MaximumMessageSize: "1024" });
  const given = ["a", "b", "c"].map((id) => ({ Id: id, MessageBody: `body ${id}` }));
  given[2].MessageAttributes = ATTRIBUTES;
  const long = { Id: "long", MessageBody: "x".repeat(1025) };
  const sent = await sqs.call("SendMessageBatch", { QueueUrl: url, Entries: [...given, long] });
  assert.deepEqual(sent.Successful.map((entry) => entry.Id), ["a", "b", "c"]);
  assert.equal(sent.Successful[2].MD5OfMessageAttributes, MD5_OF_ATTRIBUTES);
  assert.equal(sent.Failed.length, 1);
  const { Id, SenderFault, Code, Message } = sent.Failed[0];
  assert.deepEqual([Id, SenderFault, Code], ["long", true, "InvalidParameterValue"]);
  assert.match(Message, /Message must be shorter than 1024 bytes\.$/);
  const received = await receive(sqs, url);
  assert.deepEqual(bodies(received).sort(), ["body a", "body b", "body c"]);
  const entries = received.map((m, n) => ({ Id: `n${n}`, ReceiptHandle: m.ReceiptHandle }));
  const free = entries.map((entry) => ({ ...entry, VisibilityTimeout: 0 }));
  const freed = await sqs.call("ChangeMessageVisibilityBatch", { QueueUrl: url, Entries: free });
  assert.equal(freed.Successful.length, 3);
  assert.equal((await receive(sqs, url)).length, 3, "messages set free");
  entries.push({ Id: "bad", ReceiptHandle: "bad" });
  const deleted = await sqs.call("DeleteMessageBatch", { QueueUrl: url, Entries: entries });
  assert.equal(deleted.Successful.length, 3);
  assert.deepEqual([deleted.Failed[0].Id, deleted.Failed[0].Code], ["bad", "ReceiptHandleIsInvalid"]);
}

async function visibilityTimeout(sqs) {
  const url = await createQueue(sqs, { VisibilityTimeout: "3" });
  await sqs.call("SendMessage", { QueueUrl: url, MessageBody: "again" });
  const started = Date.now();
  const [first] = await receive(sqs, url);
  assert.deepEqual(await receive(sqs, url), [], "messages while hidden");
  const [second] = await receive(sqs, url, { WaitTimeSeconds: 10, VisibilityTimeout: 1 });
  between(Date.now() - started, 2900, 8000, "milliseconds until the message came back");
  assert.equal(second.MessageId, first.MessageId);
  assert.equal(second.Attributes.ApproximateReceiveCount, "2");
  const named = { QueueUrl: url, ReceiptHandle: second.ReceiptHandle };
  await sqs.call("ChangeMessageVisibility", { ...named, VisibilityTimeout: 60 });
  await sleep(1100);
  assert.deepEqual(await receive(sqs, url), [], "messages while hidden for longer");
}

async function longPollWokenByASend(sqs) {
  const url = await createQueue(sqs);
  const poll = receive(sqs, url, { WaitTimeSeconds: 20 });
  await sleep(500);
  const sent = Date.now();
  await sqs.call("SendMessage", { QueueUrl: url, MessageBody: "wake up" });
  assert.deepEqual(bodies(await poll), ["wake up"]);
  between(Date.now() - sent, 0, 2000, "milliseconds from the send to the end of the poll");
}

async function fifo(sqs) {
  const url = await createQueue(sqs, FIFO);
  const sent = [];
  for (const body of ["a1", "a2", "b1", "a1"])
    sent.push(await sqs.call("SendMessage", { QueueUrl: url, MessageBody: body, MessageGroupId: body[0] }));
  const numbers = sent.map((answer) => answer.SequenceNumber);
  numbers.forEach((number) => assert.match(number, /^\d{20}$/));
  assert.ok(numbers[0] < numbers[1] && numbers[1] < numbers[2], `${numbers} do not grow`);
  assert.deepEqual([sent[3].MessageId, numbers[3]], [sent[0].MessageId, numbers[0]], "a duplicate");
  const [a1] = await receive(sqs, url, { MaxNumberOfMessages: 1 });
  assert.equal(a1.Body, "a1");
  assert.equal(a1.Attributes.SequenceNumber, numbers[0]);
  assert.equal(a1.Attributes.MessageGroupId, "a");
  assert.equal(a1.Attributes.MessageDeduplicationId.length, 64);
  assert.deepEqual(bodies(await receive(sqs, url)), ["b1"], "while group a is locked");
  await sqs.call("DeleteMessage", { QueueUrl: url, ReceiptHandle: a1.ReceiptHandle });
  assert.deepEqual(bodies(await receive(sqs, url)), ["a2"], "once group a is free");
  const entries = [1, 2, 3].map((n) => ({ Id: `n${n}`, MessageBody: `c${n}`, MessageGroupId: "c" }));
  const batch = await sqs.call("SendMessageBatch", { QueueUrl: url, Entries: entries });
  batch.Successful.forEach((entry) => assert.match(entry.SequenceNumber, /^\d{20}$/));
  const attempt = { ReceiveRequestAttemptId: "attempt" };
  const received = await receive(sqs, url, attempt);
  assert.deepEqual(bodies(received), ["c1", "c2", "c3"]);
  assert.deepEqual(await receive(sqs, url, attempt), received, "the same attempt again");
}

async function fifoRefusals(sqs) {
  const url = await createQueue(sqs, { FifoQueue: "true" });
  const send = { QueueUrl: url, MessageBody: "x" };
  await refused(sqs, "SendMessage", send, "MissingParameter", 400);
  await refused(sqs, "SendMessage", { ...send, MessageGroupId: "g" }, "InvalidParameterValue", 400);
  const late = { ...send, MessageGroupId: "g", MessageDeduplicationId: "d", DelaySeconds: 1 };
  await refused(sqs, "SendMessage", late, "InvalidParameterValue", 400);
  const name = { QueueName: freshName("plain"), Attributes: { FifoQueue: "true" } };
  await refused(sqs, "CreateQueue", name, "InvalidParameterValue", 400);
}

async function redriveAndMoveBack(sqs) {
  const dead = await createQueue(sqs);
  const deadArn = await arnOf(sqs, dead);
  const policy = JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount: 1 });
  const url = await createQueue(sqs, { RedrivePolicy: policy, VisibilityTimeout: "0" });
  const sources = await sqs.call("ListDeadLetterSourceQueues", { QueueUrl: dead });
  assert.deepEqual(sources.queueUrls, [url]);
  await sqs.call("SendMessage", { QueueUrl: url, MessageBody: "doomed" });
  assert.deepEqual(bodies(await receive(sqs, url)), ["doomed"]);
  assert.deepEqual(await receive(sqs, url), [], "messages of the second receive");
  const [moved] = await receive(sqs, dead, { VisibilityTimeout: 0 });
  assert.equal(moved.Attributes.DeadLetterQueueSourceArn, await arnOf(sqs, url));
  const task = await sqs.call("StartMessageMoveTask", { SourceArn: deadArn });
  members(task, "TaskHandle");
  assert.deepEqual(bodies(await receive(sqs, url, { WaitTimeSeconds: 10 })), ["doomed"], "moved back");
  const { Results } = await sqs.call("ListMessageMoveTasks", { SourceArn: deadArn });
  assert.equal(Results.length, 1);
  assert.equal(Results[0].SourceArn, deadArn);
  assert.equal(Number(Results[0].ApproximateNumberOfMessagesMoved), 1);
}

async function permissions(sqs) {
  const url = await createQueue(sqs);
  const input = { QueueUrl: url, Label: "shop", AWSAccountIds: ["111122223333"], Actions: ["SendMessage"] };
  await sqs.call("AddPermission", input);
  const [statement] = JSON.parse((await attributesOf(sqs, url, "Policy")).Policy).Statement;
  assert.deepEqual([statement.Sid, statement.Action], ["shop", "SQS:SendMessage"]);
  await sqs.call("RemovePermission", { QueueUrl: url, Label: "shop" });
  await refused(sqs, "RemovePermission", { QueueUrl: url, Label: "shop" }, "InvalidParameterValue", 400);
}

/** In the Query protocol these are parameters with an empty value. */
async function emptyLists(sqs) {
  const url = await createQueue(sqs);
  await sqs.call("SendMessage", { QueueUrl: url, MessageBody: "x", MessageAttributes: ATTRIBUTES });
  const [message] = await receive(sqs, url, { AttributeNames: [], MessageAttributeNames: [] });
  assert.deepEqual([message.Attributes, message.MessageAttributes], [undefined, undefined]);
  members(await sqs.call("GetQueueAttributes", { QueueUrl: url, AttributeNames: [] }));
  const simple = "AWS.SimpleQueueService";
  for (const operation of ["SendMessageBatch", "DeleteMessageBatch", "ChangeMessageVisibilityBatch"]) {
    const text = `There should be at least one ${operation}RequestEntry in the request.`;
    const none = { QueueUrl: url, Entries: [] };
    await refused(sqs, operation, none, `${simple}.EmptyBatchRequest`, 400, text);
  }
}

async function purgeAndDelete(sqs) {
  const url = await createQueue(sqs);
  const name = url.split("/").at(-1);
  await sqs.call("SendMessage", { QueueUrl: url, MessageBody: "old" });
  await sqs.call("PurgeQueue", { QueueUrl: url });
  assert.deepEqual(await receive(sqs, url), [], "messages after the purge");
  let text = `Only one PurgeQueue operation on ${name} is allowed every 60 seconds.`;
  const simple = "AWS.SimpleQueueService";
  await refused(sqs, "PurgeQueue", { QueueUrl: url }, `${simple}.PurgeQueueInProgress`, 403, text);
  await sqs.call("DeleteQueue", { QueueUrl: url });
  text = "You must wait 60 seconds after deleting a queue before you can create another with the same name.";
  await refused(sqs, "CreateQueue", { QueueName: name }, `${simple}.QueueDeletedRecently`, 400, text);
  const missing = `${simple}.NonExistentQueue`;
  await refused(sqs, "ReceiveMessage", { QueueUrl: url }, missing, 400, sqs.missingQueue);
}

async function refusals(sqs) {
  const url = await createQueue(sqs);
  let text = 'The input receipt handle "bad" is not a valid receipt handle.';
  const bad = { QueueUrl: url, ReceiptHandle: "bad" };
  await refused(sqs, "DeleteMessage", bad, "ReceiptHandleIsInvalid", 404, text);
  text = "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.";
  const eleven = { QueueUrl: url, MaxNumberOfMessages: 11 };
  await refused(sqs, "ReceiveMessage", eleven, "InvalidParameterValue", 400, text);
  const entries = ["same", "same"].map((id) => ({ Id: id, MessageBody: "x" }));
  const code = "AWS.SimpleQueueService.BatchEntryIdsNotDistinct";
  await refused(sqs, "SendMessageBatch", { QueueUrl: url, Entries: entries }, code, 400, "Id same repeated.");
  const foobar = { QueueUrl: url, AttributeNames: ["Foobar"] };
  await refused(sqs, "GetQueueAttributes", foobar, "InvalidAttributeName", 400, "Unknown Attribute Foobar.");
  const forbidden = { QueueUrl: url, MessageBody: "a\u0001b" };
  await refused(sqs, "SendMessage", forbidden, "InvalidMessageContents", 400);
}

/** For clients that send what concerns a queue to the address in its URL. Not one of STEPS: some do not. */
export async function queueUrlIsTheEndpoint(sqs) {
  const url = await createQueue(sqs);
  await sqs.byQueueUrl.call("SendMessage", { QueueUrl: url, MessageBody: "by URL" });
  const [message] = await receive(sqs.byQueueUrl, url);
  assert.equal(message.Body, "by URL");
  await sqs.byQueueUrl.call("DeleteMessage", { QueueUrl: url, ReceiptHandle: message.ReceiptHandle });
}

export const STEPS = [
  queues,
  listQueuesInPages,
  messageBodies,
  messageAttributes,
  batches,
  visibilityTimeout,
  longPollWokenByASend,
  fifo,
  fifoRefusals,
  redriveAndMoveBack,
  permissions,
  purgeAndDelete,
  refusals,
  emptyLists,
];
