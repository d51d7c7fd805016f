// The adapter for version 3 of the SDK, whichever protocol the installed release speaks.
import assert from "node:assert/strict";

import * as sdk from "@aws-sdk/client-sqs";

import { CREDENTIALS, ENDPOINT, REGION } from "./steps.mjs";

/** `contentType` is that of the protocol in which every request must have been sent. */
export function sdkV3(contentType, missingQueue) {
  const client = clientFor(contentType, { endpoint: ENDPOINT });
  return { ...adapter(client), client, missingQueue };
}

/** Without an endpoint the current SDK sends what concerns a queue to the address in its URL, and says so. */
export function sdkV3ByQueueUrl(contentType) {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  return adapter(clientFor(contentType, { logger: quiet }));
}

function clientFor(contentType, more) {
  // One attempt: a retry that succeeds would hide an answer that was wrong.
  const client = new sdk.SQSClient({ region: REGION, credentials: CREDENTIALS, maxAttempts: 1, ...more });
  const watch = (next) => async (args) => {
    assert.equal(args.request.headers["content-type"], contentType, "protocol of this SDK");
    const result = await next(args);
    assert.match(result.response.headers["x-amzn-requestid"], /^[0-9a-f-]{36}$/);
    return result;
  };
  client.middlewareStack.add(watch, { step: "deserialize", priority: "low", name: "watch" });
  return client;
}

function adapter(client) {
  return {
    call: (operation, input) => client.send(new sdk[`${operation}Command`](input)),
    // Older releases leave code and text in the document of the error and make up others.
    fault: (error) => ({
      code: error.Error?.Code ?? error.Code ?? error.name,
      status: error.$metadata?.httpStatusCode,
      message: error.Error?.Message ?? error.message,
    }),
  };
}

export async function paginator(sqs) {
  const prefix = `pages-${process.pid}`;
  for (const n of [0, 1, 2]) await sqs.call("CreateQueue", { QueueName: `${prefix}-${n}` });
  const sizes = [];
  const pages = sdk.paginateListQueues({ client: sqs.client, pageSize: 2 }, { QueueNamePrefix: prefix });
  for await (const page of pages) sizes.push(page.QueueUrls.length);
  assert.deepEqual(sizes, [2, 1]);
}

/** Programs catch the modelled classes. */
export async function exceptionClasses(sqs) {
  const { QueueUrl } = await sqs.call("CreateQueue", { QueueName: `classes-${process.pid}` });
  const rows = [
    [sdk.QueueDoesNotExist, "GetQueueUrl", { QueueName: "nowhere" }],
    [sdk.ReceiptHandleIsInvalid, "DeleteMessage", { QueueUrl, ReceiptHandle: "bad" }],
    [sdk.InvalidBatchEntryId, "SendMessageBatch", { QueueUrl, Entries: [{ Id: "a:b", MessageBody: "x" }] }],
    [sdk.InvalidAttributeName, "GetQueueAttributes", { QueueUrl, AttributeNames: ["Foobar"] }],
  ];
  for (const [expected, operation, input] of rows)
    await assert.rejects(sqs.call(operation, input), (error) => {
      assert.equal(error.constructor.name, expected.name, `${operation}: ${error}`);
      return error instanceof expected;
    });
}
