import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.domain.digests import content_deduplication_id, md5_of_attributes, md5_of_text
from tests.domain.factories import binary, number, string

GENERAL, HELLO, HELP = (
    {"General": string("Kenobi")},
    {"Hello": string("There")},
    {"Help.Me": string("Me")},
)
TRACE_PARENT = b"traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01"
TRACE_HEADER = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"


@pytest.mark.parametrize(
    ("body", "md5"),
    [
        ("hello", "5d41402abc4b2a76b9719d911017c592"),
        ("Grüße 😀", "0a04968a90b7dd01f77c7f2f348a2f7e"),
        ("x", "9dd4e461268c8034f5c8564e155c67a6"),
    ],
)
def test_the_md5_of_a_body_is_that_of_its_utf8_bytes(body, md5):
    assert md5_of_text(body) == md5


# Spec 3.5, where each vector's origin is named.
@pytest.mark.parametrize(
    ("attributes", "md5"),
    [
        ({"k": string("x")}, "a45daa70926828a2f0a1db3418e6feb4"),
        ({**HELP, **HELLO, **GENERAL}, "4c360f3fdafd970e05fae2f149d997f5"),
        ({**GENERAL, **HELLO}, "fca026605781cb4126a1e9044df24232"),
        (HELLO, "a311262e065454b75da111d535b8dacd"),
        ({**HELLO, **HELP}, "83fee93c1bcd8b9a5a923ffacdc636c7"),
        ({"Foo": string("Bar")}, "ae7155c6026991b6d54b11589678bf9c"),
        ({"MyAttribute": string("foobar")}, "adb59cd4678ea5a855436b949cd07ab6"),
        ({"color": string("blue")}, "da1b33cc3cbfe8b1630921e78e6b9880"),
        ({"color": string("blue"), "blob": binary(b"\1\2\3")}, "529f8b419e1726e0a7dd48f13e20c8ca"),
        (
            {"color": string("blue"), "count": number("3"), "blob": binary(b"\1\2\3")},
            "d838729972a4b70e2d2acd9d59ac847c",
        ),
        ({"attr1": binary(TRACE_PARENT)}, "8cbe4db156db8a94db8b801b7addb984"),
        ({"timestamp": number("1493147359900")}, "235c5c510d26fb653d073faed50ae77c"),
        (
            {"timestamp": number("1493147359900", "Number.java.lang.Long")},
            "2e2e4876d8e0bd6b8c2c8f556831c349",
        ),
        ({"b": binary(b"\0\1", "Binary.gif")}, "0d13df055fbf2cc33b13842f50f96d1b"),
        (
            {"b": string("2"), "B": string("1"), "a": string("3"), "_": string("4")},
            "70453067c36b10ff95b8d5f6facabb75",
        ),
        ({"AWSTraceHeader": string(TRACE_HEADER)}, "5ae4d5d7636402d80f4eb6d213245a88"),
        ({"AWSTraceHeader": string("Root=1")}, "d6619b3d47b81d3fc72c0db005a70eda"),
    ],
)
def test_the_md5_of_attributes_is_the_known_one(attributes, md5):
    assert md5_of_attributes(attributes) == md5


def test_no_attributes_have_no_md5():
    assert md5_of_attributes({}) is None
    assert md5_of_attributes(None) is None


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), min_size=1, max_size=10))
def test_attributes_are_digested_in_the_order_of_their_utf8_names(values):
    def with_length(data):
        return struct.pack(">I", len(data)) + data

    expected = b"".join(
        with_length(name.encode()) + with_length(b"String") + b"\x01" + with_length(values[name].encode())
        for name in sorted(values, key=str.encode)
    )
    attributes = {name: string(value) for name, value in values.items()}
    assert md5_of_attributes(attributes) == hashlib.md5(expected).hexdigest()


def test_content_based_deduplication_uses_the_sha256_of_the_body():
    assert (
        content_deduplication_id("same") == "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5"
    )
