"""Parameters of the Query protocol (spec 1.3)."""

import tracemalloc
from contextlib import suppress
from urllib.parse import quote

import pytest

from emulator.errors import InvalidAction, MalformedInput, SqsError
from emulator.operations.create_queue import CreateQueueRequest
from emulator.operations.get_queue_attributes import GetQueueAttributesRequest
from emulator.operations.list_queues import ListQueuesRequest
from emulator.operations.receive_message import ReceiveMessageRequest
from emulator.operations.send_message import SendMessageRequest
from emulator.operations.send_message_batch import SendMessageBatchRequest
from emulator.wire import form
from emulator.wire.query import QueryCall
from tests.wire.wire_requests import query_call, wire_request


def names_of(text: str) -> list[str] | None:
    call = query_call("GetQueueAttributes", "QueueUrl=q&" + text)
    return call.arguments(GetQueueAttributesRequest).attribute_names


def sent(text: str) -> SendMessageRequest:
    return query_call("SendMessage", "QueueUrl=q&" + text).arguments(SendMessageRequest)


def test_list_entries_are_ordered_by_index():
    assert names_of("AttributeName.10=c&AttributeName.2=b&AttributeName.1=a") == ["a", "b", "c"]


def test_indices_may_have_gaps():
    assert names_of("AttributeName.3=a&AttributeName.700=b") == ["a", "b"]


def test_an_unnumbered_parameter_is_a_list_of_one():
    assert names_of("AttributeName=All") == ["All"]


def test_a_list_named_without_a_value_is_empty():
    """How SDKs of the Query protocol spell an empty list."""
    assert names_of("AttributeName=") == []


def test_numbered_entries_win_over_an_unnumbered_one():
    assert names_of("AttributeName=All&AttributeName.1=QueueArn") == ["QueueArn"]
    assert names_of("AttributeName.1=QueueArn&AttributeName=All") == ["QueueArn"]


@pytest.mark.parametrize(
    "text",
    [
        "AttributeName.1=a&AttributeName.x=b",
        "AttributeName.1=a&AttributeName.=b",
        "AttributeName.1=a&AttributeName.-1=b",
        "AttributeName.1=a&AttributeName.99999999999999999999=b",
        "AttributeName.1=a&AttributeNameX.1=b",
    ],
)
def test_what_is_no_index_is_ignored(text: str):
    assert names_of(text) == ["a"]


def test_map_entries_have_a_name_and_a_value():
    call = query_call(
        "CreateQueue",
        "QueueName=q&Attribute.2.Name=b&Attribute.2.Value=2&Attribute.1.Value=1&Attribute.1.Name=a",
    )
    assert call.arguments(CreateQueueRequest).attributes == {"a": "1", "b": "2"}


def test_a_map_entry_without_a_value_is_empty_and_one_without_a_name_is_ignored():
    call = query_call("CreateQueue", "QueueName=q&Tag.1.Key=a&Tag.2.Value=lost&Tag.3.Key=b&Tag.3.Value=")
    assert call.arguments(CreateQueueRequest).tags == {"a": "", "b": ""}


def test_nested_entries_are_structures():
    call = query_call(
        "SendMessageBatch",
        "QueueUrl=q&SendMessageBatchRequestEntry.2.Id=b&SendMessageBatchRequestEntry.1.Id=a"
        "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=k"
        "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.StringValue=v",
    )
    entries = call.arguments(SendMessageBatchRequest).entries
    assert entries is not None
    assert [entry.id for entry in entries] == ["a", "b"]
    assert entries[0].message_attributes is not None
    assert entries[0].message_attributes["k"].string_value == "v"


def test_lists_inside_an_attribute_value_are_read_by_their_query_names():
    value = "MessageAttribute.1.Value."
    request = sent(
        f"MessageAttribute.1.Name=k&{value}DataType=String&{value}StringListValue.1=a&{value}StringListValue.2=b"
        f"&{value}BinaryListValue.1=AQID"
    )
    assert request.message_attributes is not None
    assert request.message_attributes["k"].string_list_values == ["a", "b"]
    assert request.message_attributes["k"].binary_list_values == [b"\1\2\3"]


def test_celery_s_name_for_system_attributes_is_read():
    call = query_call("ReceiveMessage", "QueueUrl=q&MessageSystemAttributeName.1=SenderId")
    assert call.arguments(ReceiveMessageRequest).message_system_attribute_names == ["SenderId"]


@pytest.mark.parametrize("filler", ["", "&" + "x" * form.MAX_REMEMBERED_LENGTH + "=1"])
def test_requests_with_the_same_names_are_read_each_by_its_own_values(filler: str):
    for value, names in (("All", ["All"]), ("", []), ("QueueArn", ["QueueArn"])):
        assert names_of(f"AttributeName={value}{filler}") == names
    for body in "ab":
        assert sent(f"MessageBody={body}&DelaySeconds=1{filler}").message_body == body
    with pytest.raises(MalformedInput):
        sent(f"MessageBody=a&DelaySeconds=x{filler}")


def test_one_parameter_means_something_else_in_another_operation():
    text = "QueueUrl=q&AttributeName.1=All"
    assert query_call("X", text).arguments(GetQueueAttributesRequest).attribute_names == ["All"]
    assert query_call("X", text).arguments(SendMessageRequest) == SendMessageRequest(queue_url="q")
    assert query_call("X", text).arguments(ReceiveMessageRequest).attribute_names == ["All"]


def test_a_parameter_without_a_name_is_not_even_decoded():
    assert form.parse("=%FF&a=1&=") == {"a": "1"}


def test_the_later_of_two_equal_parameters_counts():
    assert sent("MessageBody=a&MessageBody=b").message_body == "b"


def test_the_form_body_counts_before_the_query_string():
    call = QueryCall(wire_request(query="Action=SendMessage&QueueUrl=q&MessageBody=query&DelaySeconds=5"))
    call.read(b"MessageBody=form")
    request = call.arguments(SendMessageRequest)
    assert (request.message_body, request.delay_seconds) == ("form", 5)


def test_a_get_request_has_no_form_body():
    call = QueryCall(wire_request(method="GET", query="Action=SendMessage&QueueUrl=q&MessageBody=query"))
    call.read(b"MessageBody=form")
    assert call.arguments(SendMessageRequest).message_body == "query"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a+b", "a b"),
        ("a%2Bb", "a+b"),
        ("100%25", "100%"),
        ("100%", "100%"),
        ("%zz", "%zz"),
        ("a%3Db=c", "a=b=c"),
        ("a%26b", "a&b"),
        ("a;b", "a;b"),
        ("%E2%82%AC", "€"),
        ("€", "€"),
        ("%0D%0A", "\r\n"),
        ("%00", "\x00"),
        ("%5C%5Cx41", "\\\\x41"),
        ("\\x41", "\\x41"),
        ("\\%41%5C", "\\A\\"),
        ("\\", "\\"),
        ("%c3%A9+é%", "é é%"),
        ("%u0041%4", "%u0041%4"),
        ("%E2%82%AC\\n%zz", "€\\n%zz"),
        ("%\n41", "%\n41"),
        ("null", "null"),
        ("true", "true"),
    ],
)
def test_text_is_decoded(written: str, read: str):
    assert sent(f"MessageBody={written}").message_body == read


@pytest.mark.parametrize("text", ["%FF", "%C3%28", "%ED%A0%80", "%F8%88%80%80%80", "%C3é", "%FF%zz"])
def test_what_is_no_utf_8_is_malformed(text: str):
    with pytest.raises(MalformedInput):
        form.parse(f"MessageBody={text}")


def test_a_body_that_is_no_utf_8_is_malformed():
    with pytest.raises(MalformedInput):
        QueryCall(wire_request()).read(b"Action=SendMessage&MessageBody=\xff\xfe")


def test_too_many_parameters_are_malformed():
    with pytest.raises(MalformedInput):
        form.parse("&".join(f"Tag.{n}.Key=x" for n in range(form.MAX_PARAMETERS + 1)))


def test_as_many_parameters_as_allowed_are_read():
    assert len(form.parse("&".join(f"a{n}=x" for n in range(form.MAX_PARAMETERS)))) == form.MAX_PARAMETERS


@pytest.mark.parametrize(
    "number", ["abc", "1.5", "", "null", "true", "5s", "0x10", "1,000", " 5", "NaN", "٥"]
)
def test_what_is_no_whole_number_is_malformed(number: str):
    with pytest.raises(MalformedInput):
        sent(f"DelaySeconds={quote(number)}")


@pytest.mark.parametrize("number", [0, 5, -1, 2**31])
def test_whole_numbers_are_read(number: int):
    assert sent(f"DelaySeconds={number}").delay_seconds == number


@pytest.mark.parametrize("digits", [19, 20, 100, 5_000])
def test_a_huge_whole_number_is_read_or_refused(digits: int):
    with suppress(SqsError):
        assert sent(f"DelaySeconds={'9' * digits}").delay_seconds == int("9" * digits)


def test_a_blob_is_base64():
    value = "MessageAttribute.1.Value."
    request = sent(f"MessageAttribute.1.Name=k&{value}DataType=Binary&{value}BinaryValue={quote('+/8=')}")
    assert request.message_attributes is not None
    assert request.message_attributes["k"].binary_value == b"\xfb\xff"
    with pytest.raises(MalformedInput):
        sent(f"MessageAttribute.1.Name=k&{value}DataType=Binary&{value}BinaryValue=@@@")


def test_parameters_of_a_signature_are_ignored():
    signing = (
        "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Date=c&X-Amz-Expires=d&X-Amz-SignedHeaders=e&X-Amz-Signature=f"
        "&AWSAccessKeyId=g&Signature=h&SignatureVersion=2&SignatureMethod=i&Timestamp=j&Expires=k&SecurityToken=l"
    )
    assert sent(f"{signing}&MessageBody=x") == sent("MessageBody=x")


CONFLICTS = [
    "AttributeName=a&AttributeName.=b",
    "AttributeName.=b&AttributeName=a",
    "AttributeName.1=a&AttributeName.1.=b",
    "AttributeName.1=a&AttributeName.1.Name=b",
    "AttributeName.1.Name=b",
    "AttributeName..1=a",
    "QueueUrl.=q",
    "QueueUrl.1=q",
    "QueueUrl=q&QueueUrl.=r&QueueUrl..=s",
    ".=x&=y",
    "=x",
    "&&&",
    "...",
    "a.b.c.d.e.f.g",
    "Attribute=x",
    "Attribute.1=x",
    "Attribute.1.Name.=x",
    "Attribute.1.Name.1=x&Attribute.1.Value.2=y",
    "Attribute.1.Name=a&Attribute.1.Name.b=c&Attribute.1.Value=d",
    "Tag.1.Key.=x&Tag.1.Value.=y",
    "MessageAttribute.1.Name=k&MessageAttribute.1.Value=x",
    "MessageAttribute.1.Name.=k&MessageAttribute.1.Value.StringValue=x",
    "MessageAttribute.1.Name=k&MessageAttribute.1.Value.StringValue.=x",
    "SendMessageBatchRequestEntry=x",
    "SendMessageBatchRequestEntry.1=x",
    "SendMessageBatchRequestEntry.1.=x&SendMessageBatchRequestEntry.1.Id=y",
    "SendMessageBatchRequestEntry.1.Id=x&SendMessageBatchRequestEntry.1.Id.=y",
    "Action.=x",
]


@pytest.mark.parametrize("text", CONFLICTS)
@pytest.mark.parametrize(
    "request_type",
    [GetQueueAttributesRequest, CreateQueueRequest, SendMessageRequest, SendMessageBatchRequest],
)
def test_conflicting_and_odd_names_are_read_or_refused(text: str, request_type: type):
    call = query_call("X", text, path="/000000000000/q")
    with suppress(SqsError):
        call.arguments(request_type)


def test_a_name_of_very_many_dots_costs_little():
    name = "a" + ".a" * 500_000
    tracemalloc.start()
    try:
        form.tree_of({name: "x"})
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 20 * len(name)


def test_the_queue_of_the_path_is_used_without_a_parameter():
    call = query_call("GetQueueAttributes", path="/000000000000/orders")
    assert call.arguments(GetQueueAttributesRequest).queue_url == "/000000000000/orders"


def test_the_parameter_counts_before_the_path():
    call = query_call("GetQueueAttributes", "QueueUrl=other", path="/000000000000/orders")
    assert call.arguments(GetQueueAttributesRequest).queue_url == "other"


def test_a_queue_operation_on_the_root_without_a_queue_is_no_valid_action():
    with pytest.raises(
        InvalidAction, match=r"^The action GetQueueAttributes is not valid for this endpoint\.$"
    ):
        query_call("GetQueueAttributes").arguments(GetQueueAttributesRequest)


@pytest.mark.parametrize(
    ("operation", "request_type"), [("CreateQueue", CreateQueueRequest), ("ListQueues", ListQueuesRequest)]
)
def test_a_queue_path_does_not_serve_the_root_s_actions(operation: str, request_type: type):
    with pytest.raises(InvalidAction, match=f"^The action {operation} is not valid for this endpoint"):
        query_call(operation, "QueueName=q", path="/000000000000/orders").arguments(request_type)
