from xml.etree import ElementTree

import pytest

from emulator.operations.receive_message import Message, ReceiveMessageResponse
from emulator.wire.xml import element, escape, members


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("hello", "hello"),
        ("", ""),
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("&amp;", "&amp;amp;"),
        ("<![CDATA[x]]>", "&lt;![CDATA[x]]&gt;"),
        ("a\rb", "a&#xD;b"),
        ("a\r\nb", "a&#xD;\nb"),
        ("tab\tline\n", "tab\tline\n"),
        ("ünïcödé 日本語 \U0001f600", "ünïcödé 日本語 \U0001f600"),
        ("\ue000\ufffd\U0010ffff", "\ue000\ufffd\U0010ffff"),
        ("\x85\u2028\xa0", "\x85\u2028\xa0"),
    ],
)
def test_text_is_escaped(text: str, written: str):
    assert escape(text) == written


@pytest.mark.parametrize("text", ["\x00", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff", "a\x00<\r"])
def test_what_xml_cannot_carry_becomes_a_replacement_character(text: str):
    written = escape(text)
    assert "\ufffd" in written
    ElementTree.fromstring(f"<a>{written}</a>".encode())


@pytest.mark.parametrize("text", ["a\rb", "a\r\nb", "\r", "  lead and trail  ", "\n\n", "]]>", "<&>\"'"])
def test_a_reader_gets_back_what_was_written(text: str):
    assert ElementTree.fromstring(element("Body", text)).text == text


def test_numbers_and_truth_are_written_in_words_of_xml():
    assert element("N", 5) == "<N>5</N>"
    assert element("N", -5) == "<N>-5</N>"
    assert element("B", True) == "<B>true</B>"
    assert element("B", False) == "<B>false</B>"
    assert element("N", 0) == "<N>0</N>"


def written_and_read(*texts: str) -> list[str | None]:
    messages = [Message(message_id="1", receipt_handle="h", md5_of_body="5", body=text) for text in texts]
    document = f"<a>{members(ReceiveMessageResponse(messages=messages))}</a>"
    return [body.text for body in ElementTree.fromstring(document.encode()).iter("Body")]


@pytest.mark.parametrize("text", ["<b>&amp;</b>", "a\r\n", "100% %s %d %%", "{0} {x}", "", "ünïcödé"])
def test_each_text_of_an_answer_is_written_for_itself(text: str):
    assert written_and_read("plain", text, "100%") == ["plain", text or None, "100%"]


def test_one_text_that_xml_cannot_carry_changes_no_other():
    assert written_and_read("a & b", "c\x00d", "\ud83d", "\ude00") == [
        "a & b",
        "c\ufffdd",
        "\ufffd",
        "\ufffd",
    ]
