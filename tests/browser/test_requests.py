"""The list of requests as it fills, and one of them from both sides."""

import pytest
from botocore.exceptions import ClientError
from playwright.sync_api import expect

from tests.http.connections import ask


def rows(page, action):
    return page.locator(f'[data-test="request-row"][data-action="{action}"]')


def test_a_request_stands_in_the_list_without_a_reload(page, site):
    queue = site.create("orders")
    page.goto(site.url("requests"))
    expect(rows(page, "CreateQueue")).to_have_count(1)
    site.send(queue, "hello")
    expect(rows(page, "SendMessage")).to_have_count(1)
    expect(page.get_by_test_id("request-row").first).to_have_attribute("data-action", "SendMessage")


def test_refused_requests_are_found_by_the_filter(page, site):
    site.create("orders")
    with pytest.raises(ClientError):
        site.sqs.get_queue_url(QueueName="none")
    page.goto(site.url("requests"))
    page.get_by_test_id("filter-status").select_option("error")
    expect(page.get_by_test_id("request-row")).to_have_count(1)
    rows(page, "GetQueueUrl").get_by_role("link").click()
    expect(page.get_by_test_id("went-out")).to_contain_text("QueueDoesNotExist")


def test_a_request_is_copied_as_a_command(page, site):
    site.send(site.create("orders"), "it's tea")
    page.goto(site.url("requests"))
    rows(page, "SendMessage").get_by_role("link").click()
    page.get_by_test_id("copy-cli").click()
    expect(page.get_by_test_id("toast")).to_contain_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.get_by_test_id("cli-command").text_content()
    assert "aws sqs send-message" in copied
    assert """--message-body 'it'"'"'s tea'""" in copied


def test_both_protocols_are_shown_as_they_came(page, site):
    body = "Action=CreateQueue&QueueName=letters&Attribute.1.Name=DelaySeconds&Attribute.1.Value=5"
    ask(site.server.url, "POST", "/", body.encode())
    page.goto(site.url("requests"))
    rows(page, "CreateQueue").get_by_role("link").click()
    expect(page.get_by_test_id("came-in")).to_contain_text("Attribute.1.Value")
    expect(page.get_by_test_id("went-out")).to_contain_text("<CreateQueueResponse")


def test_a_signature_is_never_shown(page, site):
    site.create("orders")
    (exchange,) = site.server.emulator.traffic.latest(1)
    (_, signature) = exchange.request.headers["authorization"].split("Signature=")
    assert len(signature) == 64
    page.goto(site.url(f"requests/{exchange.request_id}"))
    expect(page.get_by_test_id("came-in")).to_contain_text("authorization")
    assert signature not in page.content()
