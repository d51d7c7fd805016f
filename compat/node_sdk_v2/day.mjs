// The day's work in version 2 of the SDK for JavaScript.
import AWS from "aws-sdk";

import { queueUrlIsTheEndpoint, STEPS } from "../node_day/work.mjs";
import { CREDENTIALS, ENDPOINT, REGION, runSteps } from "../node_day/steps.mjs";

function adapter(endpoint) {
  const options = { endpoint, region: REGION, credentials: new AWS.Credentials(CREDENTIALS) };
  // One attempt: a retry that succeeds would hide an answer that was wrong.
  const client = new AWS.SQS({ ...options, maxRetries: 0 });
  return {
    missingQueue: "The specified queue does not exist.",
    call: (operation, input) => client[operation[0].toLowerCase() + operation.slice(1)](input).promise(),
    fault: (error) => ({ code: error.code, status: error.statusCode, message: error.message }),
  };
}

// Whatever endpoint this SDK is given, it sends what concerns a queue to the address in its URL.
const sqs = { ...adapter(ENDPOINT), byQueueUrl: adapter("http://127.0.0.1:9") };
await runSteps("node_sdk_v2", [...STEPS, queueUrlIsTheEndpoint], sqs);
