"""The encryption attributes: KMS keys and SQS-managed encryption, of which a queue has one at most."""

import pytest

from tests.contract.fifo import send_fifo, take
from tests.support.answers import (
    Refusal,
    bodies,
    error_of,
    queue_attributes,
    receive,
    send,
)

KMS = ("KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds")
ONE_ONLY = Refusal(
    400,
    "InvalidAttributeName",
    "You can use one type of server-side encryption (SSE) at one time. "
    "You can either enable KMS SSE or SQS SSE.",
)


def encryption(sqs, queue):
    """Key, reuse period, managed encryption; None for what is not there."""
    found = queue_attributes(sqs, queue)
    return tuple(found.get(name) for name in (*KMS, "SqsManagedSseEnabled"))


def change(sqs, queue, **attributes):
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)


def refused_change(sqs, queue, **attributes):
    return error_of(sqs.set_queue_attributes, QueueUrl=queue, Attributes=attributes)


@pytest.fixture(params=[False, True], ids=["standard", "fifo"])
def queue(request, make_queue):
    return make_queue(fifo=request.param)


def test_a_new_queue_has_managed_encryption(sqs, queue):
    assert encryption(sqs, queue) == (None, None, "true")


def test_kms_attributes_that_were_never_set_are_left_out_even_by_name(sqs, queue):
    assert queue_attributes(sqs, queue, *KMS) == {}


@pytest.mark.parametrize("key", ["alias/aws/sqs", "1234abcd", "arn:aws:kms:us-east-1:000000000000:key/x"])
def test_a_key_alone_switches_managed_encryption_off(sqs, queue, key):
    change(sqs, queue, KmsMasterKeyId=key)
    assert encryption(sqs, queue) == (key, "300", "false")


def test_a_queue_can_be_created_with_a_key(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key", KmsDataKeyReusePeriodSeconds=600)
    assert encryption(sqs, queue) == ("alias/key", "600", "false")


def test_a_key_goes_with_managed_encryption_switched_off(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key", SqsManagedSseEnabled="false")
    assert encryption(sqs, queue) == ("alias/key", "300", "false")


def test_the_reuse_period_can_be_changed_alone(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key")
    change(sqs, queue, KmsDataKeyReusePeriodSeconds="86400")
    assert encryption(sqs, queue) == ("alias/key", "86400", "false")


@pytest.mark.parametrize("seconds", ["59", "86401", "x"])
def test_a_reuse_period_is_from_a_minute_to_a_day(sqs, make_queue, seconds):
    queue = make_queue(KmsMasterKeyId="alias/key")
    expected = Refusal(
        400, "InvalidAttributeValue", "Invalid value for the parameter KmsDataKeyReusePeriodSeconds."
    )
    assert refused_change(sqs, queue, KmsDataKeyReusePeriodSeconds=seconds) == expected


def test_managed_encryption_can_be_switched_off_and_on(sqs, queue):
    change(sqs, queue, SqsManagedSseEnabled="false")
    assert encryption(sqs, queue) == (None, None, "false")
    change(sqs, queue, SqsManagedSseEnabled="True")
    assert encryption(sqs, queue) == (None, None, "true")


def test_managed_encryption_takes_the_place_of_a_key(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key", KmsDataKeyReusePeriodSeconds=600)
    change(sqs, queue, SqsManagedSseEnabled="true")
    assert encryption(sqs, queue) == (None, None, "true")


def test_a_key_that_is_taken_away_takes_its_period_along(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key", KmsDataKeyReusePeriodSeconds=600)
    change(sqs, queue, KmsMasterKeyId="")
    assert encryption(sqs, queue) == (None, None, "false")


def test_the_next_key_begins_with_the_default_period(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key", KmsDataKeyReusePeriodSeconds=600)
    change(sqs, queue, KmsMasterKeyId="")
    change(sqs, queue, KmsMasterKeyId="alias/other")
    assert encryption(sqs, queue) == ("alias/other", "300", "false")


def test_taking_the_key_away_and_managed_encryption_go_in_one_call(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key")
    change(sqs, queue, KmsMasterKeyId="", SqsManagedSseEnabled="true")
    assert encryption(sqs, queue) == (None, None, "true")


def test_both_in_one_call_are_refused_and_change_nothing(sqs, queue):
    both = {"KmsMasterKeyId": "alias/key", "SqsManagedSseEnabled": "true"}
    assert refused_change(sqs, queue, **both) == ONE_ONLY
    assert encryption(sqs, queue) == (None, None, "true")


def test_a_new_queue_with_both_is_refused(sqs):
    both = {"KmsMasterKeyId": "alias/key", "SqsManagedSseEnabled": "true"}
    assert error_of(sqs.create_queue, QueueName="never-made", Attributes=both) == ONE_ONLY


@pytest.mark.parametrize("attributes", [{"KmsMasterKeyId": "alias/key"}, {"SqsManagedSseEnabled": "false"}])
def test_bodies_come_back_in_clear(sqs, make_queue, attributes):
    queue = make_queue(**attributes)
    send(sqs, queue, "hello")
    assert bodies(receive(sqs, queue)) == ["hello"]


def test_deduplication_by_content_sees_the_clear_body(sqs, make_queue):
    queue = make_queue(fifo=True, KmsMasterKeyId="alias/key", ContentBasedDeduplication="true")
    send_fifo(sqs, queue, "g-1", "g-1", MessageDeduplicationId=None)
    assert take(sqs, queue) == ["g-1"]


def test_changing_the_encryption_leaves_messages_alone(sqs, make_queue):
    queue = make_queue()
    send(sqs, queue, "before")
    change(sqs, queue, KmsMasterKeyId="alias/key")
    send(sqs, queue, "after")
    assert bodies(receive(sqs, queue)) == ["before", "after"]


def test_a_queue_that_is_there_must_have_the_same_key(sqs, make_queue):
    name = make_queue(KmsMasterKeyId="alias/key").rsplit("/", 1)[1]
    sqs.create_queue(QueueName=name, Attributes={"KmsMasterKeyId": "alias/key"})
    text = "A queue already exists with the same name and a different value for attribute KmsMasterKeyId"
    refusal = error_of(sqs.create_queue, QueueName=name, Attributes={"KmsMasterKeyId": "alias/other"})
    assert refusal == Refusal(400, "QueueAlreadyExists", text)
