import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import boto3  # noqa: F401  # loaded before the time of a start is taken
import pytest

import emulator.testing.thread  # noqa: F401
from emulator.settings import StartError
from emulator.testing import Kit, NotReached, running

NEW_YEAR_MS = 1_767_225_600_000


def test_a_server_runs_until_the_block_ends():
    with running() as server:
        assert server.client().list_queues()["ResponseMetadata"]["HTTPStatusCode"] == 200
        assert server.url.startswith("http://127.0.0.1:")
        assert repr(server) == f"<sqs-emulator at {server.url}>"
    with pytest.raises(NotReached):
        server.kit.queues()


def test_a_server_ends_with_the_block_also_when_it_fails():
    with pytest.raises(ZeroDivisionError), running() as server:
        raise ZeroDivisionError
    with pytest.raises(NotReached):
        server.kit.queues()


def test_several_servers_run_side_by_side():
    with running() as one, running() as other:
        one.client().create_queue(QueueName="orders")
        assert len(one.kit.queues()) == 1
        assert other.kit.queues() == []


def test_a_start_takes_less_than_three_tenths_of_a_second():
    started = time.perf_counter()
    with running() as server:
        server.client("sqs", account="111111111111")
        assert time.perf_counter() - started < 0.3


def test_a_frozen_clock_begins_where_it_is_told_to():
    with running(frozen=True, now_ms=NEW_YEAR_MS) as server:
        reading = server.kit.clock.read()
        assert (reading.now_ms, reading.frozen) == (NEW_YEAR_MS, True)
        server.kit.clock.advance(seconds=1)
        assert Kit(server.url, "111111111111").clock.now_ms() == NEW_YEAR_MS + 1_000


def test_a_clock_is_the_systems_unless_told_otherwise():
    with running() as server:
        assert server.kit.clock.read().real


def test_the_same_seed_gives_the_same_answers():
    def ids():
        with running(frozen=True, now_ms=NEW_YEAR_MS, seed=3) as server:
            sqs = server.client()
            url = sqs.create_queue(QueueName="orders")["QueueUrl"]
            sent = sqs.send_message(QueueUrl=url, MessageBody="hello")
            return sent["MessageId"], sqs.receive_message(QueueUrl=url)["Messages"][0]["ReceiptHandle"]

    assert ids() == ids()


def test_settings_go_by_their_names():
    with running(region="eu-west-1", account="123456789012", cooldowns=False) as server:
        sqs = server.client(region="eu-west-1", account="123456789012")
        url = sqs.create_queue(QueueName="orders")["QueueUrl"]
        sqs.delete_queue(QueueUrl=url)
        sqs.create_queue(QueueName="orders")
        assert server.kit.queues()[0].arn == "arn:aws:sqs:eu-west-1:123456789012:orders"


def test_queues_may_come_from_a_config_file(tmp_path):
    config = tmp_path / "sqs.yaml"
    config.write_text("region: eu-west-1\nqueues: [orders]\n", encoding="utf-8")
    with running(config=str(config)) as server:
        assert [(queue.name, queue.region) for queue in server.kit.queues()] == [("orders", "eu-west-1")]


@pytest.mark.parametrize("name", ["colour", "admin", "admin_port", "log_level"])
def test_a_setting_that_is_none_is_refused(name):
    with pytest.raises(TypeError, match=name), running(**{name: 1}):
        pass


def test_what_keeps_a_server_from_starting_is_raised(tmp_path):
    (tmp_path / "data").write_text("no database")
    with pytest.raises(StartError, match="data"), running(data=str(tmp_path / "data")):
        pass
    with running() as server:
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(StartError, match="cannot listen"), running(port=port):
            pass
    with pytest.raises(StartError, match=r"sqs\.yaml"), running(config="sqs.yaml"):
        pass


def test_nothing_of_the_process_changes():
    def everything():
        loggers = (logging.root, logging.getLogger("uvicorn"), logging.getLogger("uvicorn.access"))
        environment = {name: text for name, text in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
        return (
            [(one.level, list(one.handlers), one.propagate) for one in loggers],
            [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)],
            environment,
            threading.active_count(),
        )

    before = everything()
    with running() as server:
        server.kit.queues()
        assert everything()[:3] == before[:3]
    assert everything() == before


def test_a_server_can_run_beside_an_event_loop_of_the_test():
    async def test():
        with running() as server:
            assert await asyncio.to_thread(server.kit.queues) == []

    asyncio.run(test())


def test_a_client_that_waits_does_not_hold_up_the_end():
    with running(frozen=True) as server:
        sqs = server.client()
        url = sqs.create_queue(QueueName="orders")["QueueUrl"]
        poll = threading.Thread(target=lambda: sqs.receive_message(QueueUrl=url, WaitTimeSeconds=20))
        poll.start()
        sqs.send_message(QueueUrl=url, MessageBody="hello")  # answers it; the connection stays open
        poll.join()
    started = time.perf_counter()
    assert time.perf_counter() - started < 2


def test_unittest_needs_no_plugin():
    class Orders(unittest.TestCase):
        def setUp(self):
            self.server = self.enterContext(running(frozen=True))
            self.sqs = self.server.client()

        def test_a_message_waits_for_its_time(self):
            url = self.sqs.create_queue(QueueName="orders")["QueueUrl"]
            self.sqs.send_message(QueueUrl=url, MessageBody="hello", DelaySeconds=900)
            self.server.kit.clock.advance(seconds=900)
            assert self.server.kit.bodies(url, state="visible") == ["hello"]

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Orders).run(result)
    assert (result.testsRun, result.failures, result.errors) == (1, [], [])


def test_a_process_that_forgets_to_end_its_server_ends_anyway():
    code = "from emulator.testing import running; r = running(); r.__enter__(); print('up')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout == "up\n"
