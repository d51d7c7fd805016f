"""Charts of a queue, and alarms that go by the emulator's clock."""

import boto3
import pytest
from playwright.sync_api import expect

from tests.browser.site import ACCOUNT, REGION


@pytest.fixture
def queue(site):
    return site.create("orders")


def charts_of(site, name):
    return site.url(f"charts?queue={name}&account={ACCOUNT}&region={REGION}")


def test_charts_are_drawn_and_follow_what_happens(page, site, queue):
    page.goto(charts_of(site, "orders"))
    expect(page.locator('[data-test="chart"] canvas').first).to_be_visible()
    site.send(queue, "a", "b")
    expect(page.get_by_test_id("chart").first).to_contain_text("Visible: 2 now")
    site.clock.advance(seconds=3 * 60)
    site.send(queue, "c")
    expect(page.get_by_test_id("chart").first).to_contain_text("Visible: 3 now, 3 at most")
    expect(page.locator("main")).to_contain_text("Oldest: 3 min now")


def test_a_chart_is_also_a_table(page, site, queue):
    site.send(queue, "a")
    site.clock.advance(seconds=60)
    page.goto(charts_of(site, "orders"))
    first = page.get_by_test_id("chart").first
    first.get_by_text("As a table").click()
    expect(first.get_by_role("row")).to_have_count(3)  # the head, and two minutes
    expect(first.get_by_role("row").nth(1)).to_contain_text("01-01 00:01")


def test_an_alarm_goes_off_two_hours_later_wherever_one_looks(page, site, queue):
    cloudwatch = boto3.client(
        "cloudwatch",
        endpoint_url=site.server.url,
        region_name=REGION,
        aws_access_key_id=ACCOUNT,
        aws_secret_access_key="test",
    )
    cloudwatch.put_metric_alarm(
        AlarmName="orders wait",
        Namespace="AWS/SQS",
        MetricName="ApproximateAgeOfOldestMessage",
        Dimensions=[{"Name": "QueueName", "Value": "orders"}],
        Statistic="Maximum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=3600,
        ComparisonOperator="GreaterThanThreshold",
    )
    site.send(queue, "hello")
    page.goto(charts_of(site, "orders"))
    expect(page.get_by_test_id("alarm-row")).not_to_have_attribute("data-state", "ALARM")
    site.clock.advance(seconds=2 * 3600)
    page.goto(site.url())
    expect(page.locator('[data-test="warning"][data-kind="alarm"]')).to_contain_text("orders wait")
    page.goto(charts_of(site, "orders"))
    expect(page.get_by_test_id("alarm-row")).to_have_attribute("data-state", "ALARM")
    page.goto(site.queue_page("orders"))
    expect(page.get_by_test_id("alarm")).to_have_attribute("data-state", "ALARM")
