"""/metrics, as Prometheus scrapes it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from emulator.domain.metrics import METRICS
from tests.contract.clients import server_with
from tests.http.connections import ask


@pytest.fixture(params=["memory", "file"])
def served(request, tmp_path):
    data = str(tmp_path / "data.db") if request.param == "file" else None
    with server_with("json", data=data) as (server, sqs):
        yield server, sqs


@pytest.fixture
def story(served):
    """A server on which something happened, for a look at its figures."""
    server, sqs = served
    orders = sqs.create_queue(QueueName="orders")["QueueUrl"]
    fifo = sqs.create_queue(QueueName="orders.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    sqs.create_queue(QueueName="empty")
    for body in ("12345", "123"):
        sqs.send_message(QueueUrl=orders, MessageBody=body)
    for _ in range(2):
        sqs.send_message(QueueUrl=fifo, MessageBody="x", MessageGroupId="g", MessageDeduplicationId="same")
    (message,) = sqs.receive_message(QueueUrl=orders)["Messages"]
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
    sqs.receive_message(QueueUrl=fifo)
    sqs.receive_message(QueueUrl=fifo)
    server.clock.advance(seconds=90)
    return server


def scraped(server):
    """Values by name and labels, in the text format."""
    answer = ask(server.url, "GET", "/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


def of_queue(name, queue, found):
    place = (("account", "000000000000"), ("queue", queue), ("region", "us-east-1"))
    return found.get((f"sqs_emulator_{name}", *place))


def test_each_queue_has_its_figures(story):
    found = scraped(story)
    assert of_queue("messages_visible", "orders", found) == 1
    assert of_queue("oldest_message_age_seconds", "orders", found) == 90
    assert of_queue("messages_sent_total", "orders", found) == 2
    assert of_queue("sent_message_size_bytes_count", "orders", found) == 2
    assert of_queue("sent_message_size_bytes_sum", "orders", found) == 8
    assert of_queue("messages_received_total", "orders", found) == 1
    assert of_queue("messages_deleted_total", "orders", found) == 1
    assert of_queue("messages_deduplicated_total", "orders.fifo", found) == 1
    assert of_queue("empty_receives_total", "orders.fifo", found) == 1
    assert of_queue("groups_with_messages_in_flight", "orders.fifo", found) == 0


def test_a_queue_has_no_figures_that_do_not_apply(story):
    found = scraped(story)
    assert of_queue("oldest_message_age_seconds", "empty", found) is None
    assert of_queue("messages_deduplicated_total", "orders", found) is None
    assert of_queue("noisy_groups", "orders", found) is None
    assert of_queue("messages_visible", "empty", found) == 0


def test_requests_are_counted_by_action_and_status(story):
    ask(story.url, "POST", "/", b"Action=Nonsense")
    found = scraped(story)
    sends = (("action", "SendMessage"), ("status", "200"))
    assert found["sqs_emulator_request_duration_seconds_count", *sends] == 4
    assert found["sqs_emulator_request_duration_seconds_sum", *sends] > 0
    unknown = (("action", "-"), ("status", "400"))
    assert found["sqs_emulator_request_duration_seconds_count", *unknown] == 1
    infinity = (("action", "SendMessage"), ("le", "+Inf"), ("status", "200"))
    assert found["sqs_emulator_request_duration_seconds_bucket", *infinity] == 4


def test_the_engine_tells_of_its_commits(story):
    found = scraped(story)
    has_file = story.emulator.settings.data is not None
    assert (found["sqs_emulator_engine_commit_requests_count",] > 0) == has_file
    assert (("sqs_emulator_engine_database_size_bytes",) in found) == has_file
    assert found["sqs_emulator_info", ("version", "0.1.0")] == 1


@pytest.mark.skipif(
    sys.platform != "linux", reason="prometheus_client reads the figures of a process from /proc"
)
def test_the_process_has_its_figures(story):
    found = scraped(story)
    assert found["process_resident_memory_bytes",] > 1_000_000
    assert found["process_cpu_seconds_total",] > 0


def test_each_metric_of_cloudwatch_is_there_under_its_name(story):
    text = ask(story.url, "GET", "/metrics").body.decode()
    for metric in METRICS:
        assert f"(CloudWatch: {metric.name})" in text


def test_openmetrics_is_spoken_to_who_asks_for_it(story):
    answer = ask(
        story.url, "GET", "/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"}
    )
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.body.endswith(b"# EOF\n")


def test_promtool_finds_nothing_to_say_about_the_page(story):
    text = ask(story.url, "GET", "/metrics").body
    done = subprocess.run([promtool(), "check", "metrics"], input=text, capture_output=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def promtool():
    beside = Path(sys.executable).with_name("promtool")
    found = shutil.which("promtool") or (str(beside) if beside.exists() else None)
    assert found is not None, "promtool was not found: `make test` gets it"
    return found


@pytest.mark.parametrize("settings", [{"admin": False}, {"admin_port": 0}], ids=["no admin", "admin port"])
def test_the_port_of_aws_requests_alone_has_no_metrics(settings):
    with server_with("json", **settings) as (server, _):
        assert ask(server.url, "GET", "/metrics").status == 404


def test_pages_of_other_origins_get_none(story):
    assert ask(story.url, "GET", "/metrics", headers={"origin": "https://elsewhere.example"}).status == 403
