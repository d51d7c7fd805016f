"""A message's way through the console, as somebody sees it who only looks."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def story(page, site):
    """On the page of a queue whose dead-letter queue takes what was received once."""
    site.create_with_dlq("orders", max_receive_count=1)
    page.goto(site.queue_page("orders"))
    expect(page.get_by_test_id("no-messages")).to_be_visible()
    return page


def rows(page, state=None):
    chosen = "" if state is None else f'[data-state="{state}"]'
    return page.locator(f'[data-test="message-row"]{chosen}')


def test_a_queue_is_created_and_stands_in_the_list(page, site):
    page.goto(site.url())
    page.get_by_test_id("create-queue").click()
    page.get_by_test_id("create-name").fill("orders")
    page.get_by_test_id("create-submit").click()
    page.wait_for_url(re.compile("/queues/us-east-1/000000000000/orders$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("orders")
    page.goto(site.url())
    expect(page.locator('[data-test="queue-row"][data-queue="orders"]')).to_be_visible()


def test_what_is_sent_on_the_page_can_be_received(story, site):
    story.get_by_test_id("send-body").fill("copy {{n}}")
    story.get_by_test_id("send-copies").fill("3")
    story.get_by_test_id("send-submit").click()
    expect(rows(story)).to_have_count(3)
    queue = site.sqs.get_queue_url(QueueName="orders")["QueueUrl"]
    bodies = {message["Body"] for message in site.receive(queue, MaxNumberOfMessages=10)}
    assert bodies == {"copy 1", "copy 2", "copy 3"}


def test_a_message_appears_without_a_reload_and_can_be_looked_into(story, site):
    queue = site.sqs.get_queue_url(QueueName="orders")["QueueUrl"]
    site.send(queue, '{"order": 42, "items": [{"sku": "TEA-100"}]}')
    expect(rows(story, "visible")).to_have_count(1)
    expect(story.get_by_test_id("count-visible")).to_have_text("1")
    story.get_by_test_id("peek").click()
    unfolded = rows(story).locator("[data-unfolded]")
    expect(unfolded).to_contain_text("TEA-100")
    attributes = site.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    assert attributes["ApproximateNumberOfMessagesNotVisible"] == "0"


def test_a_message_in_flight_counts_down_by_the_emulators_clock(story, site):
    queue = site.sqs.get_queue_url(QueueName="orders")["QueueUrl"]
    site.send(queue, "hello")
    site.receive(queue, VisibilityTimeout=100)
    expect(rows(story, "in-flight")).to_have_count(1)
    expect(story.get_by_test_id("countdown")).to_have_text("1 min 40 s")
    site.clock.advance(seconds=60)
    expect(story.get_by_test_id("countdown")).to_have_text("40 s")
    site.clock.advance(seconds=40)
    expect(rows(story, "visible")).to_have_count(1)


def test_a_dead_letter_is_redriven_and_its_life_is_told(story, site):
    queue = site.sqs.get_queue_url(QueueName="orders")["QueueUrl"]
    (message_id,) = site.send(queue, "poison")
    site.receive(queue, VisibilityTimeout=10)
    site.clock.advance(seconds=10)
    assert site.receive(queue) == []
    story.goto(site.queue_page("orders-dlq"))
    expect(rows(story, "visible")).to_have_count(1)
    story.get_by_test_id("redrive").click()
    progress = story.get_by_test_id("redrive-progress")
    expect(progress).to_have_attribute("data-status", "COMPLETED")
    expect(progress).to_contain_text("1 of 1 moved")
    expect(rows(story)).to_have_count(0)
    story.goto(site.message_page(message_id))
    kinds = story.locator('[data-test="timeline-event"]').evaluate_all(
        "events => events.map(event => event.dataset.kind)"
    )
    assert kinds == ["sent", "received", "returned", "dead-lettered", "moved"]
    expect(story.get_by_test_id("timeline")).to_contain_text("orders-dlq")


def test_a_slow_redrive_shows_how_far_it_is_and_can_be_cancelled(page, site):
    _, dead = site.create_with_dlq("orders")
    site.fill(dead, 30)
    page.goto(site.queue_page("orders-dlq"))
    page.get_by_label("Move messages to").fill("arn:aws:sqs:us-east-1:000000000000:orders")
    page.get_by_label("At most per second").fill("2")
    page.get_by_test_id("redrive").click()
    progress = page.get_by_test_id("redrive-progress")
    expect(progress).to_contain_text("1 of 30 moved")
    site.clock.advance(seconds=5)
    expect(progress).to_contain_text("11 of 30 moved")
    page.get_by_test_id("redrive-cancel").click()
    site.clock.advance(seconds=1)
    expect(progress).to_have_attribute("data-status", "CANCELLED")


def test_a_time_line_leads_to_the_requests_behind_it(page, site):
    queue = site.create("orders")
    (message_id,) = site.send(queue, "hello")
    page.goto(site.message_page(message_id))
    expect(page.get_by_test_id("timeline-event")).to_have_count(1)
    page.get_by_test_id("raw-request").first.click()
    expect(page.locator("body")).to_contain_text("SendMessage")


def test_a_queue_is_purged_once_that_is_confirmed(story, site):
    queue = site.sqs.get_queue_url(QueueName="orders")["QueueUrl"]
    site.send(queue, "a", "b")
    expect(rows(story)).to_have_count(2)
    story.get_by_test_id("purge").click()
    story.keyboard.press("Escape")
    expect(rows(story)).to_have_count(2)
    story.get_by_test_id("purge").click()
    story.get_by_test_id("confirm-yes").click()
    expect(story.get_by_test_id("no-messages")).to_be_visible()


def test_a_refusal_is_told_in_the_words_of_aws(story, site):
    queue = site.sqs.get_queue_url(QueueName="orders")["QueueUrl"]
    site.sqs.purge_queue(QueueUrl=queue)
    story.get_by_test_id("purge").click()
    story.get_by_test_id("confirm-yes").click()
    expect(story.get_by_test_id("toast")).to_contain_text(
        "Only one PurgeQueue operation on orders is allowed"
    )


def test_one_message_is_deleted_whatever_its_state(page, site):
    fifo = site.create("steps.fifo", ContentBasedDeduplication="true")
    site.send(fifo, "one", "two", MessageGroupId="g")
    site.receive(fifo)
    page.goto(site.queue_page("steps.fifo"))
    expect(rows(page, "locked")).to_have_count(1)
    expect(page.get_by_test_id("group-row")).to_have_count(1)
    rows(page, "in-flight").get_by_test_id("delete-message").click()
    page.get_by_test_id("confirm-yes").click()
    expect(rows(page, "visible")).to_have_count(1)


def test_attributes_tags_and_policy_are_edited(page, site):
    queue = site.create("orders")
    page.goto(site.queue_page("orders"))
    page.get_by_test_id("edit-attributes").click()
    page.get_by_label("Visibility timeout").fill("77")
    page.get_by_test_id("save-attributes").click()
    expect(page.get_by_test_id("attributes")).to_contain_text("1 min 17 s")
    page.get_by_test_id("edit-tags").click()
    page.get_by_test_id("add-tag").click()
    page.get_by_role("dialog").get_by_label("Key").last.fill("team")
    page.get_by_role("dialog").get_by_label("Value").last.fill("core")
    page.get_by_test_id("save-tags").click()
    expect(page.get_by_test_id("tags")).to_contain_text("core")
    found = site.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    assert found["VisibilityTimeout"] == "77"
    assert site.sqs.list_queue_tags(QueueUrl=queue)["Tags"] == {"team": "core"}


def test_a_body_with_markup_is_shown_and_not_run(story, site):
    queue = site.sqs.get_queue_url(QueueName="orders")["QueueUrl"]
    script = "<script>document.title = 'run'</script><img src=x onerror=\"document.title='run'\">"
    attribute = {"<b>name": {"DataType": "String", "StringValue": script}}
    with pytest.raises(site.sqs.exceptions.ClientError):
        site.send(queue, script, MessageAttributes=attribute)  # SQS takes no such name
    (message_id,) = site.send(
        queue, script, MessageAttributes={"name": {"DataType": "String", "StringValue": script}}
    )
    expect(rows(story)).to_have_count(1)
    story.get_by_test_id("peek").click()
    expect(rows(story).locator("[data-unfolded]")).to_contain_text("<script>")
    story.goto(site.message_page(message_id))
    expect(story.locator("main")).to_contain_text("<script>")
    assert "run" not in story.title()
    assert story.locator("main img").count() == 0
