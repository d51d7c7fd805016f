"""Move tasks go on after a restart, and no message is lost or doubled."""

import pytest

from emulator.settings import Settings
from tests.contract.clients import client_of
from tests.contract.fifo import policy_to
from tests.contract.move_tasks import arn, ended, newest, start
from tests.support.answers import bodies, counts, entries, receive
from tests.support.server import running_server

COUNT = 230


def make_three_queues(sqs):
    """A source, its dead-letter queue with messages, and a destination."""
    sqs.create_queue(QueueName="dead")
    sqs.create_queue(QueueName="source", Attributes={"RedrivePolicy": policy_to(arn(sqs, "dead"))})
    sqs.create_queue(QueueName="destination")
    for number in range(0, COUNT, 10):
        texts = [str(one) for one in range(number, number + 10)]
        sqs.send_message_batch(QueueUrl="dead", Entries=entries(*texts))


def drain(sqs, queue):
    received = []
    while texts := bodies(receive(sqs, queue, VisibilityTimeout=3600)):
        received += texts
    return received


@pytest.mark.parametrize("rate", [20, None])
def test_over_a_restart_nothing_is_lost_or_doubled(protocol, tmp_path, rate):
    settings = Settings(data=str(tmp_path / "data"))
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        make_three_queues(sqs)
        start(sqs, "dead", "destination", rate)
        server.clock.advance(seconds=3)
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        server.clock.advance(seconds=60)
        entry = ended(sqs, "dead")
        assert (entry["Status"], entry["ApproximateNumberOfMessagesMoved"]) == ("COMPLETED", COUNT)
        assert drain(sqs, "destination") == [str(number) for number in range(COUNT)]
        assert counts(sqs, "dead") == (0, 0, 0)


def test_a_restart_does_not_end_a_task(protocol, tmp_path):
    settings = Settings(data=str(tmp_path / "data"))
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        make_three_queues(sqs)
        handle = start(sqs, "dead", "destination", rate=1)
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        entry = newest(sqs, "dead")
        assert (entry["Status"], entry["TaskHandle"]) == ("RUNNING", handle)
        sqs.cancel_message_move_task(TaskHandle=handle)
        moved_count = ended(sqs, "dead")["ApproximateNumberOfMessagesMoved"]
        assert (counts(sqs, "dead")[0], counts(sqs, "destination")[0]) == (COUNT - moved_count, moved_count)


def test_a_task_that_has_ended_is_listed_after_a_restart(protocol, tmp_path):
    settings = Settings(data=str(tmp_path / "data"))
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        make_three_queues(sqs)
        start(sqs, "dead", "destination")
        before = ended(sqs, "dead")
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        assert newest(sqs, "dead") == before
        assert counts(sqs, "destination") == (COUNT, 0, 0)
