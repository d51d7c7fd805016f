"""Tests that run at the same time against one server never meet.

Every test of the suite that is run here uses the same names, moves its own clock, plans its own faults, seeds
its own ids and looks at its own history. SQS_EMULATOR_PARALLEL_TESTS says how many there are: by default 200
in CI, and few elsewhere.
"""

import os
import subprocess
import sys

import pytest

from emulator.testing import running

COUNT = int(os.environ.get("SQS_EMULATOR_PARALLEL_TESTS", "200" if "CI" in os.environ else "20"))
WORKERS = 2 if COUNT < 100 else 4
SUITE = """
import os, pytest
from botocore.exceptions import ClientError

NEW_YEAR_MS = 1_767_225_600_000

@pytest.mark.parametrize("number", range(int(os.environ["COUNT"])))
def test_alone(number, sqs, sqs_queue, sqs_kit, sqs_clock, sqs_faults, sqs_journal):
    sqs_kit.seed(number % 3)
    sqs_clock.set(NEW_YEAR_MS + number)
    sqs_faults.add("throttle", queue="queue", actions=["ReceiveMessage"], nth=1 + number % 2)
    sent = sqs.send_message(QueueUrl=sqs_queue, MessageBody=f"from {number}")["MessageId"]
    refusals, bodies = 0, []
    for _ in range(3):
        try:
            answer = sqs.receive_message(QueueUrl=sqs_queue, MaxNumberOfMessages=10, VisibilityTimeout=43_200)
            bodies += [message["Body"] for message in answer.get("Messages", [])]
        except ClientError:
            refusals += 1
        sqs_clock.advance(seconds=43_200)
    assert (refusals, bodies) == (1, [f"from {number}"] * 2)
    assert sqs_clock.now_ms() == NEW_YEAR_MS + number + 3 * 43_200_000
    assert [queue.name for queue in sqs_kit.queues()] == ["queue"]
    assert sqs_kit.history(sent).body == f"from {number}"
    assert sqs_journal.kinds(kind=["sent", "fault"]) == ["sent", "fault"]
"""


@pytest.mark.timeout(300)
def test_tests_at_once_on_one_server_do_not_meet(tmp_path):
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        str(WORKERS),
        "-p",
        "no:cacheprovider",
        str(tmp_path),
    ]
    with running() as server:
        environment = {**os.environ, "SQS_EMULATOR_URL": server.url, "COUNT": str(COUNT)}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280, check=False
        )
        assert done.returncode == 0, done.stdout
        assert f"{COUNT} passed" in done.stdout
        assert server.kit.queues() == server.kit.journal.events() == []
        assert server.kit.clock.read().real
