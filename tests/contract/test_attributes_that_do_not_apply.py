"""GetQueueAttributes leaves out what a queue cannot have, or what says nothing about it."""

import pytest

from tests.support.answers import content, queue_attributes


@pytest.mark.parametrize(
    "name", ["FifoQueue", "ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit"]
)
def test_a_standard_queue_leaves_out_the_attributes_of_fifo_queues(sqs, queue, name):
    assert content(sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[name])) == {}
    assert queue_attributes(sqs, queue, name, "DelaySeconds") == {"DelaySeconds": "0"}


def test_a_reuse_period_is_reported_with_its_key_only(sqs, make_queue):
    name = "KmsDataKeyReusePeriodSeconds"
    queue = make_queue(KmsMasterKeyId="alias/key", **{name: 600})
    assert queue_attributes(sqs, queue, name) == {name: "600"}
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"KmsMasterKeyId": ""})
    assert queue_attributes(sqs, queue, name) == {}
