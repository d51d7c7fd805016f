"""Queue URLs as AWS spells them: every kind of host leads to the queue of the path."""

import pytest

from tests.contract.clients import client_of
from tests.support.answers import bodies, receive, send


def reaches(sqs, queue, host):
    send(sqs, f"https://{host}/000000000000/{queue.rsplit('/', 1)[1]}", "hello")
    return bodies(receive(sqs, queue)) == ["hello"]


@pytest.mark.parametrize(
    "host",
    [
        "sqs.us-east-1.amazonaws.com",
        "sqs-fips.us-east-1.amazonaws.com",
        "sqs.us-east-1.api.aws",
        "sqs-fips.us-east-1.api.aws",
        "us-east-1.queue.amazonaws.com",
        "queue.amazonaws.com",
    ],
)
def test_aws_s_hosts_lead_to_the_queue(sqs, queue, host):
    assert reaches(sqs, queue, host)


def test_the_host_of_china_leads_to_the_queue(protocol, server):
    sqs = client_of(protocol, server.url, region="cn-north-1")
    queue = sqs.create_queue(QueueName=f"in-china-{protocol}")["QueueUrl"]
    assert reaches(sqs, queue, "sqs.cn-north-1.amazonaws.com.cn")
