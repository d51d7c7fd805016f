"""Many queues, many messages: pages come within a second, and stay smooth while things change."""

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.support.server import running_server

LONGEST_TASK_MS = 200
WATCH_TASKS = """
    window.longTasks = [];
    new PerformanceObserver(list => window.longTasks.push(...list.getEntries().map(one => one.duration)))
        .observe({entryTypes: ['longtask']});
"""
LOADED_MS = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
LIMIT_MS = 1_000
TRIES = 3
"""The best of them counts: the others tell of what else the machine does."""


@pytest.fixture(scope="module")
def site():
    """One for both tests, as it takes a while to fill."""
    with running_server() as server:
        yield Site(server)


@pytest.fixture(scope="module")
def crowd(site):
    """500 queues, one of them with 10,000 messages."""
    urls = [site.create(f"queue-{number:03}") for number in range(500)]
    site.fill(urls[0], 10_000)
    return urls


def load(page, address):
    """Opens a page that somebody has opened before; how long it took."""
    took_ms = []
    for _ in range(TRIES):
        page.goto(address)
        took_ms.append(page.evaluate(LOADED_MS))
    return min(took_ms)


def busy(site, urls, rounds):
    """Changes many queues, so that the page has something to follow."""
    for number in range(rounds):
        site.send(urls[number % len(urls)], "hello")


def test_500_queues_come_within_a_second_and_can_be_filtered(page, site, crowd):
    assert load(page, site.url()) < LIMIT_MS
    expect(page.get_by_test_id("queue-row")).to_have_count(500)
    page.evaluate(WATCH_TASKS)
    busy(site, crowd[1:], 200)
    last = page.locator('[data-test="queue-row"][data-queue="queue-200"]')
    expect(last.get_by_test_id("count-visible")).to_have_text("1")
    page.get_by_test_id("filter").fill("queue-42")
    expect(page.locator('[data-test="queue-row"]:visible')).to_have_count(10)
    assert max(page.evaluate("window.longTasks"), default=0) < LONGEST_TASK_MS


def test_10000_messages_come_within_a_second_page_by_page(page, site, crowd):
    assert load(page, site.queue_page("queue-000")) < LIMIT_MS
    expect(page.get_by_test_id("count-visible")).to_have_text("10,000")
    page.evaluate(WATCH_TASKS)
    first = page.get_by_test_id("message-row").first.get_attribute("data-message-id")
    page.get_by_test_id("next-page").click()
    expect(page.get_by_test_id("message-row").first).not_to_have_attribute("data-message-id", first or "")
    site.receive(crowd[0], MaxNumberOfMessages=10)
    expect(page.get_by_test_id("count-in-flight")).to_have_text("10")
    assert max(page.evaluate("window.longTasks"), default=0) < LONGEST_TASK_MS
