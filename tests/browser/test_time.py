"""Clock and faults on the page, and what tells that they are not as in reality."""

import pytest
from botocore.exceptions import ClientError
from playwright.sync_api import expect


def test_the_clock_is_advanced_and_the_banner_tells_that_it_is_not_real(page, site):
    queue = site.create("orders")
    site.send(queue, "hello")
    site.receive(queue, VisibilityTimeout=3600)
    page.goto(site.url("time"))
    expect(page.get_by_test_id("clock-now")).to_contain_text("2026-01-01 00:00:00")
    page.get_by_test_id("advance-3600").click()
    expect(page.get_by_test_id("clock-now")).to_contain_text("2026-01-01 01:00:00")
    expect(page.get_by_test_id("banner")).to_contain_text("the clock stands still")
    assert len(site.receive(queue)) == 1


def test_a_fault_is_switched_on_and_off(page, site):
    queue = site.create("orders")
    page.goto(site.url("time"))
    expect(page.get_by_test_id("fault-row")).to_have_count(0)
    page.get_by_test_id("fault-kind").select_option("error")
    page.get_by_test_id("fault-add").click()
    expect(page.get_by_test_id("fault-row")).to_have_count(1)
    expect(page.get_by_test_id("banner")).to_contain_text("fault")
    with pytest.raises(ClientError):
        site.send(queue, "hello")
    page.get_by_test_id("fault-row").get_by_role("button").click()
    expect(page.get_by_test_id("fault-row")).to_have_count(0)
    site.send(queue, "hello")
