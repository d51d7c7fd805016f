import pytest

from emulator.wire.signature import Signature, signature_of

SCOPE = "20260101/eu-west-3/sqs/aws4_request"


def test_the_header_of_version_4_names_key_and_region():
    header = (
        f"AWS4-HMAC-SHA256 Credential=111122223333/{SCOPE}, "
        "SignedHeaders=content-type;host;x-amz-date, Signature=0123456789abcdef"
    )
    assert signature_of({"authorization": header}, "") == Signature("111122223333", "eu-west-3")


def test_the_header_may_be_written_without_blanks():
    header = f"AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/{SCOPE},SignedHeaders=host,Signature=00"
    assert signature_of({"authorization": header}, "") == Signature("AKIAEXAMPLE", "eu-west-3")


@pytest.mark.parametrize("slash", ["%2F", "%2f", "/"])
def test_a_presigned_query_of_version_4_names_key_and_region(slash: str):
    credential = f"AKIAEXAMPLE/{SCOPE}".replace("/", slash)
    query = (
        f"Action=ListQueues&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Expires=60"
    )
    assert signature_of({}, query) == Signature("AKIAEXAMPLE", "eu-west-3")


def test_a_query_of_version_2_names_the_key_only():
    query = "Action=ListQueues&AWSAccessKeyId=111122223333&SignatureVersion=2&Signature=abc%3D"
    assert signature_of({}, query) == Signature("111122223333", None)


def test_the_first_parameter_may_be_the_key_of_version_2():
    assert signature_of({}, "AWSAccessKeyId=AKIA%2BX&Action=ListQueues") == Signature("AKIA+X", None)


def test_the_header_counts_before_the_query():
    headers = {"authorization": f"AWS4-HMAC-SHA256 Credential=HEADER/{SCOPE}, SignedHeaders=host"}
    assert signature_of(headers, "AWSAccessKeyId=QUERY").access_key == "HEADER"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Basic dXNlcjpwYXNz"},
        {"authorization": "Bearer abc"},
        {"authorization": "AWS4-HMAC-SHA256"},
        {"authorization": "AWS4-HMAC-SHA256 Credential=, SignedHeaders=, Signature="},
        {"authorization": "AWS4-HMAC-SHA256 Credential=AKIA, SignedHeaders=host, Signature=0"},
        {"authorization": "AWS4-HMAC-SHA256 Credential=AKIA/2026/eu-west-3/sqs/aws4_request"},
        {"authorization": "AWS4-HMAC-SHA256 Credential=////////"},
        {"authorization": "SignedHeaders" * 1000},
        {"authorization": "\xff\xfe\x00"},
    ],
)
def test_what_is_no_signature_is_nobody(headers: dict[str, str]):
    assert signature_of(headers, "") == Signature()


@pytest.mark.parametrize(
    "query",
    ["X-Amz-Credential=", "X-Amz-Credential=%zz", "AWSAccessKeyId=", "NotAWSAccessKeyId=x", "%ff&=&&"],
)
def test_garbage_in_a_query_is_nobody(query: str):
    assert signature_of({}, query) == Signature()
