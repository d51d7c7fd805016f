"""The list of queues follows what others do."""

from playwright.sync_api import expect


def row(page, name):
    return page.locator(f'[data-test="queue-row"][data-queue="{name}"]')


def test_queues_come_and_go_without_a_reload(page, site):
    page.goto(site.url())
    expect(page.get_by_role("heading", name="No queues yet")).to_be_visible()
    url = site.create("orders")
    expect(row(page, "orders")).to_be_visible()
    site.create("mails")
    expect(row(page, "mails")).to_be_visible()
    site.sqs.delete_queue(QueueUrl=url)
    expect(row(page, "orders")).to_have_count(0)


def test_counts_rates_and_sums_follow(page, site):
    url = site.create("orders")
    page.goto(site.url())
    expect(row(page, "orders").get_by_test_id("count-visible")).to_have_text("0")
    site.send(url, "a", "b", "c")
    expect(row(page, "orders").get_by_test_id("count-visible")).to_have_text("3")
    expect(row(page, "orders").locator("td.rate").first).not_to_have_text("0")
    site.receive(url, MaxNumberOfMessages=2)
    expect(row(page, "orders").get_by_test_id("count-in-flight")).to_have_text("2")
    expect(page.locator('[data-sum="in_flight"]')).to_have_text("2")


def test_a_dead_letter_queue_is_drawn_and_warned_of_once_it_has_messages(page, site):
    url, _ = site.create_with_dlq("orders", max_receive_count=1)
    page.goto(site.url())
    expect(page.get_by_test_id("relation")).to_contain_text("orders-dlq")
    expect(page.locator('[data-test="warning"][data-kind="fills"]')).to_have_count(0)
    site.send(url, "poison")
    site.receive(url, VisibilityTimeout=0)
    site.receive(url)
    expect(page.locator('[data-test="warning"][data-kind="fills"]')).to_contain_text("orders-dlq")
    expect(page.get_by_test_id("relation")).to_contain_text("1 visible")


def test_queues_are_filtered_by_name_and_the_filter_is_in_the_address(page, site):
    for name in ("orders", "orders-eu", "mails"):
        site.create(name)
    page.goto(site.url())
    page.get_by_test_id("filter").fill("ord")
    expect(page.locator('[data-test="queue-row"]:visible')).to_have_count(2)
    page.reload()
    expect(page.get_by_test_id("filter")).to_have_value("ord")
    expect(page.locator('[data-test="queue-row"]:visible')).to_have_count(2)
