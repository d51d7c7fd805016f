// The day's work in the current SDK for JavaScript, which speaks AWS JSON 1.0.
import { queueUrlIsTheEndpoint, STEPS } from "../node_day/work.mjs";
import { exceptionClasses, paginator, sdkV3, sdkV3ByQueueUrl } from "../node_day/sdk_v3.mjs";
import { runSteps } from "../node_day/steps.mjs";

const JSON_TYPE = "application/x-amz-json-1.0";
const sqs = sdkV3(JSON_TYPE, "The specified queue does not exist.");
sqs.byQueueUrl = sdkV3ByQueueUrl(JSON_TYPE);
await runSteps("node_sdk_v3", [...STEPS, queueUrlIsTheEndpoint, paginator, exceptionClasses], sqs);
