"""The day's work in the last botocore that spoke AWS Query and XML to SQS."""

import os
import sys

import botocore.session
from botocore.config import Config
from botocore_day import STEPS, Sqs
from botocore_day.wire import check_xml, watch
from botocore_day.world import REGION
from steps import equal, run_steps

ENDPOINT = os.environ["SQS_ENDPOINT"]
# One attempt: a retry that succeeds would hide an answer that was wrong.
CONFIG = Config(retries={"total_max_attempts": 1}, read_timeout=30, connect_timeout=5)


def main() -> int:
    session = botocore.session.get_session()
    client = session.create_client("sqs", endpoint_url=ENDPOINT, region_name=REGION, config=CONFIG)
    equal(client.meta.service_model.metadata["protocol"], "query", "protocol of this botocore")
    watch(client, check_xml)
    text = "The specified queue does not exist for this wsdl version."
    sqs = Sqs(client, ENDPOINT, text, "AttributeNames")
    return run_steps("botocore_query", STEPS, sqs, workers=6)


if __name__ == "__main__":
    sys.exit(main())
