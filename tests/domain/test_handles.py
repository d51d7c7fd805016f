"""Receipt handles: their format, which must not change, and what is none."""

import base64

import pytest

from emulator.domain import handles
from emulator.domain.handles import handle_of, receipt_of
from emulator.domain.model import Receipt

KEY, OTHER_KEY = bytes(range(32)), bytes(32)
RECEIPT = Receipt(7, 123456, 3)
ISSUED_EARLIER = (
    "AQEBAAAAAAAAAAcAAAAAAAHiQAAAAAPFJgC8CHft3T4ZFI+9nqvKhtrRmM30DPZn49AsG7fjYnDu"
    "EDjQosHMYReaWybIe7JeYCpOldTRolCB/sUJdMBTxSYAvAh37d0+GRSPvZ6ryoba0ZjN9Az2Z+PQ"
    "LBu342Jw7hA40KLBzGEXmlsmyHuyXmAqTpXU0aJQgf7FCXTAU8UmALwId+3dPhkUj72eq8qG2tGY"
    "zfQM9mfj0Cwbt+NicO4QONCiwcxhF5pbJsh7sl5gKk6V1NGiUIH+xQl0wFPFJgC8CHft3T4ZFI8="
)


@pytest.fixture(autouse=True)
def nothing_issued():
    handles._expected.clear()


def test_a_handle_of_an_earlier_version_is_still_good():
    assert receipt_of(KEY, ISSUED_EARLIER) == RECEIPT
    assert handle_of(KEY, RECEIPT) == ISSUED_EARLIER


def test_a_handle_is_as_long_as_those_of_aws_and_begins_like_them():
    handle = handle_of(KEY, RECEIPT)
    assert len(handle) == 304
    assert len(base64.b64decode(handle)) == 227
    assert handle.startswith("AQEB")
    assert "-" not in handle


@pytest.mark.parametrize("receipt", [RECEIPT, Receipt(1, 0, 1), Receipt(2**64 - 1, 2**64 - 1, 2**32 - 1)])
def test_a_handle_says_the_same_however_often_it_comes_back(receipt: Receipt):
    handle = handle_of(KEY, receipt)
    assert [receipt_of(KEY, handle) for _ in range(3)] == [receipt] * 3


def test_a_handle_is_good_only_where_it_was_issued():
    handle = handle_of(KEY, RECEIPT)
    assert receipt_of(OTHER_KEY, handle) is None
    assert receipt_of(KEY, handle) == RECEIPT
    assert receipt_of(OTHER_KEY, handle) is None


def test_old_handles_are_good_after_any_number_of_new_ones():
    receipts = [Receipt(1, seq, 1) for seq in range(2 * handles._MAX_EXPECTED + 10)]
    issued = [handle_of(KEY, receipt) for receipt in receipts]
    assert len(handles._expected) <= handles._MAX_EXPECTED
    assert [receipt_of(KEY, handle) for handle in issued] == receipts


@pytest.mark.parametrize("position", [0, 3, 4, 20, 31, 32, 150, 301])
@pytest.mark.parametrize("character", ["A", "z", "=", "-", "\n", "é", "\x00"])
def test_a_handle_with_another_character_is_none(position: int, character: str):
    handle = handle_of(KEY, RECEIPT)
    bent = handle[:position] + character + handle[position + 1 :]
    if bent != handle:
        assert receipt_of(KEY, bent) is None


@pytest.mark.parametrize(
    "text", ["", "AQEB", "A" * 304, "=" * 304, "A" * 303 + "=", "A" * 302 + "==", "é" * 304]
)
def test_what_is_no_handle_says_nothing(text: str):
    assert receipt_of(KEY, text) is None


def test_a_handle_of_another_length_is_none():
    handle = handle_of(KEY, RECEIPT)
    for bent in (handle[:-1], handle[:-4], handle + "A", handle + "\n", handle + "AAAA", handle * 2):
        assert receipt_of(KEY, bent) is None
