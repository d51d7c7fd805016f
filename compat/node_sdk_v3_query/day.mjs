// The day's work in the last release of version 3 that spoke the Query protocol to SQS.
import { STEPS } from "../node_day/work.mjs";
import { exceptionClasses, paginator, sdkV3 } from "../node_day/sdk_v3.mjs";
import { runSteps } from "../node_day/steps.mjs";

const missingQueue = "The specified queue does not exist for this wsdl version.";
const sqs = sdkV3("application/x-www-form-urlencoded", missingQueue);
await runSteps("node_sdk_v3_query", [...STEPS, paginator, exceptionClasses], sqs);
