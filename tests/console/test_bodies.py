"""What a body is, and what a page shows of it."""

import base64
import gzip
import json

import pytest

from emulator.web.console import json_tree
from emulator.web.console.bodies import MAX_RAW, decoded_base64, hex_dump, view_of
from tests.console.pages import queue_path

S3 = {
    "Records": [
        {
            "eventSource": "aws:s3",
            "eventName": "ObjectCreated:Put",
            "eventTime": "2026-01-01T00:00:00.000Z",
            "s3": {"bucket": {"name": "invoices"}, "object": {"key": "a+b%28c%29.pdf", "size": 2048}},
        }
    ]
}
SNS = {
    "Type": "Notification",
    "MessageId": "dc1e94d9-56c5-5e96-808d-cc7f68faa162",
    "TopicArn": "arn:aws:sns:us-east-1:000000000000:uploads",
    "Subject": "New",
    "Message": json.dumps(S3),
    "Timestamp": "2026-01-01T00:00:00.000Z",
    "MessageAttributes": {"origin": {"Type": "String", "Value": "s3"}},
}


def test_text_stays_text():
    view = view_of("hello <b>world</b>")
    assert (view.kind, view.size_bytes, view.raw, view.tree) == ("text", 18, "hello <b>world</b>", None)


def test_json_becomes_a_tree_with_its_names_in_order():
    tree = view_of('{"b": [1, true, null], "a": "é"}').tree
    assert tree is not None
    listed, text = tree.children
    assert [(node.name, node.kind) for node in tree.children] == [("b", "array"), ("a", "string")]
    assert [(node.kind, node.text) for node in listed.children] == [
        ("number", "1"),
        ("word", "true"),
        ("word", "null"),
    ]
    assert text.text == "é"


def test_numbers_are_shown_as_they_were_spelled():
    tree = view_of("[12345678901234567890123, 1.10, 1e400]").tree
    assert tree is not None
    assert [node.text for node in tree.children] == ["12345678901234567890123", "1.10", "1e400"]


def test_a_name_that_is_there_twice_is_shown_twice():
    tree = view_of('{"a": 1, "a": 2}').tree
    assert tree is not None
    assert [(node.name, node.text) for node in tree.children] == [("a", "1"), ("a", "2")]


@pytest.mark.parametrize("body", ["{not json", "[1, 2", '{"a": NaN}', "{} and more"])
def test_what_only_begins_like_json_is_text(body):
    assert view_of(body).kind == "text"


def test_json_that_nests_too_deep_to_be_read_is_text():
    assert view_of("[" * 100_000 + "]" * 100_000).kind == "text"


def test_a_deep_tree_is_shown_down_to_a_limit():
    node = view_of("[" * 100 + "]" * 100).tree
    depth = 0
    while node is not None and node.children:
        node, depth = node.children[0], depth + 1
    assert depth == json_tree.MAX_DEPTH
    assert node is not None
    assert (node.count, node.left_out) == (1, 1)


def test_a_wide_tree_is_of_bounded_size_and_says_how_much_is_left_out():
    wide = view_of(json.dumps([list(range(300))] * 300)).tree
    assert wide is not None
    assert sum(1 for _ in _nodes(wide)) == json_tree.MAX_NODES
    assert wide.count == len(wide.children) + wide.left_out == 300
    first = wide.children[0]
    assert (len(first.children), first.left_out) == (200, 100)


def _nodes(node):
    yield node
    for child in node.children:
        yield from _nodes(child)


def test_a_long_string_is_cut():
    tree = view_of(json.dumps({"a": "x" * 5_000})).tree
    assert tree is not None
    assert (len(tree.children[0].text), tree.children[0].left_out) == (4_000, 1_000)


def test_a_long_body_is_cut_where_it_is_shown_as_it_was_sent():
    view = view_of("é" * MAX_RAW + "x")
    assert (len(view.raw), view.is_cut, view.size_bytes) == (MAX_RAW, True, 2 * MAX_RAW + 1)


def test_half_a_surrogate_pair_is_shown_as_an_escape():
    tree = view_of('["\\ud800"]').tree
    assert tree is not None
    assert tree.children[0].text == "\\ud800"


def test_an_event_of_s3_is_told_record_by_record():
    view = view_of(json.dumps(S3))
    (record,) = view.records
    assert (view.kind, view.title) == ("s3", "S3 event")
    assert (record.event, record.bucket, record.key, record.size, record.at) == (
        "ObjectCreated:Put",
        "invoices",
        "a b(c).pdf",
        "2 KiB",
        "2026-01-01T00:00:00.000Z",
    )


def test_records_of_s3_without_what_they_should_have_are_told_too():
    (record,) = view_of('{"Records": [{"eventSource": "aws:s3", "s3": []}]}').records
    assert (record.event, record.bucket, record.key, record.size) == ("–", "–", "–", "–")


def test_many_records_are_counted():
    view = view_of(json.dumps({"Records": S3["Records"] * 60}))
    assert (len(view.records), view.records_left_out) == (50, 10)


def test_the_message_in_an_envelope_of_sns_is_shown_as_what_it_is():
    view = view_of(json.dumps(SNS))
    assert view.kind == "sns"
    assert ("Topic", "arn:aws:sns:us-east-1:000000000000:uploads") in view.facts
    assert ("Attribute origin", "s3") in view.facts
    assert view.inner is not None
    assert view.inner.kind == "s3"


def test_the_test_event_of_s3_and_events_of_eventbridge_are_known():
    test = {"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "invoices"}
    event = {"detail-type": "Order", "source": "shop", "detail": {"id": 1}}
    assert (view_of(json.dumps(test)).title, view_of(json.dumps(test)).facts) == (
        "S3 test event",
        (("Bucket", "invoices"),),
    )
    assert view_of(json.dumps(event)).facts == (("Detail type", "Order"), ("Source", "shop"))


def test_base64_is_decoded_to_what_is_in_it():
    view = view_of(base64.b64encode(json.dumps({"task": "resize"}).encode()).decode())
    assert view.kind == "base64"
    assert view.inner is not None
    assert view.inner.kind == "json"


def test_what_was_packed_is_unpacked():
    view = view_of(base64.b64encode(gzip.compress(b"hello " * 100, mtime=0)).decode())
    assert view.inner is not None
    assert view.inner.inner is not None
    assert view.inner.inner.raw == "hello " * 100


def test_binary_content_is_dumped():
    view = view_of(base64.b64encode(b"\x00\x01\xffABC4567890\x80").decode())
    assert view.inner is not None
    assert (view.inner.kind, view.inner.size_bytes) == ("binary", 14)
    assert view.inner.raw == "000000  00 01 ff 41 42 43 34 35 36 37 38 39 30 80        ...ABC4567890."


def test_a_dump_has_sixteen_bytes_a_line():
    assert hex_dump(bytes(range(65, 82))).splitlines() == [
        "000000  41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP",
        "000010  51                                               Q",
    ]


@pytest.mark.parametrize(
    "word", ["hello", "0123456789abcdef", "deadbeefdeadbeefdeadbeef", "internationalization", "aGVsbG8=", ""]
)
def test_words_are_not_taken_for_base64(word):
    assert decoded_base64(word) is None


def test_envelopes_in_envelopes_are_opened_only_so_far():
    body = "hello"
    for _ in range(10):
        body = json.dumps({**SNS, "Message": body})
    view, depth = view_of(body), 0
    while view.inner is not None:
        view, depth = view.inner, depth + 1
    assert (depth, view.kind) == (4, "text")


HOSTILE = '{"<script>alert(1)</script>": "<img src=x onerror=alert(1)>"}'


def test_nothing_of_a_body_becomes_markup(console, account):
    url = console.queue("orders", account)
    console.fill(url, HOSTILE, account=account)
    seq = console.queue_page("orders", account).one("message-row")["id"][1:]
    page = console.page(f"{queue_path('orders', account)}/messages/{seq}")
    assert page.all(tag="script") == page.all(tag="img") == []
    shown = page.one("message-body", data_kind="json")
    assert '<script>alert(1)</script>: "<img src=x onerror=alert(1)>"' in shown.text
