"""KMS and SQS-managed encryption exclude each other (spec 3.13)."""

import pytest

from emulator.domain.attributes import changed_attributes, new_attributes, reported_attributes
from emulator.errors import InvalidAttributeName
from tests.domain.factories import queue, refused

KMS = {"KmsMasterKeyId": "alias/mine", "KmsDataKeyReusePeriodSeconds": "600", "SqsManagedSseEnabled": "false"}


def changed(attributes, **given):
    return changed_attributes(queue(**attributes), given)


@pytest.mark.parametrize(
    ("current", "given", "after"),
    [
        (
            {},
            {"KmsMasterKeyId": "alias/mine"},
            {"KmsMasterKeyId": "alias/mine", "SqsManagedSseEnabled": "false"},
        ),
        ({}, {"SqsManagedSseEnabled": "false"}, {"SqsManagedSseEnabled": "false"}),
        (KMS, {"SqsManagedSseEnabled": "true"}, {"SqsManagedSseEnabled": "true"}),
        (KMS, {"SqsManagedSseEnabled": "false"}, KMS),
        (KMS, {"KmsMasterKeyId": ""}, {"SqsManagedSseEnabled": "false"}),
        (KMS, {"KmsMasterKeyId": "", "SqsManagedSseEnabled": "true"}, {"SqsManagedSseEnabled": "true"}),
        (
            KMS,
            {"KmsMasterKeyId": "other", "SqsManagedSseEnabled": "False"},
            {**KMS, "KmsMasterKeyId": "other"},
        ),
        ({}, {"KmsMasterKeyId": ""}, {}),
        ({}, {"KmsDataKeyReusePeriodSeconds": "600"}, {"KmsDataKeyReusePeriodSeconds": "600"}),
    ],
)
def test_a_queue_has_one_kind_of_encryption(current, given, after):
    assert changed(current, **given) == after
    if not current:
        assert new_attributes(False, given) == after


def test_two_kinds_of_encryption_in_one_call_are_refused():
    given = {"KmsMasterKeyId": "alias/mine", "SqsManagedSseEnabled": "true"}
    text = (
        "You can use one type of server-side encryption (SSE) at one time. "
        "You can either enable KMS SSE or SQS SSE."
    )
    with refused(InvalidAttributeName, text):
        new_attributes(False, given)
    with refused(InvalidAttributeName, text):
        changed({}, **given)


def test_with_the_key_its_reuse_period_is_no_longer_reported():
    after = changed(KMS, KmsMasterKeyId="", KmsDataKeyReusePeriodSeconds="300")
    assert reported_attributes(queue(**after), None, list(KMS)) == {"SqsManagedSseEnabled": "false"}
