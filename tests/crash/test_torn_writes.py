"""A server that dies in the middle of a write, at each of many places of its files.

A limit on file sizes ends the process in the write that crosses it, as SIGXFSZ is made deadly here.
"""

import http.client
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from tests.cli.servers import Server, clean_environment, running
from tests.crash.files import check_copy

MORTAL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
from emulator.cli import main
main()
"""
SIGXFSZ = -signal.SIGXFSZ
QUEUES = "queues: [{name: orders, tags: {long: %s}}]\n" % ("x" * 250)


# Not only the first write beyond the limit: these meet the middle of a page, of a frame, of a commit.
LIMITS = [120_000, 150_001, 250_123]


@contextmanager
def mortal(folder, limit_bytes):
    """A server whose files may have this size, whatever becomes of it."""
    command = [sys.executable, "-c", MORTAL, str(limit_bytes)]
    command += ["serve", "--port", "0", "--data", "sqs.db", "--config", "sqs.yaml"]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield Server(process, process.stdout.readline())
        process.kill()


@pytest.mark.parametrize("limit_bytes", [100, 600, 20_480, 40_960])
def test_a_first_start_that_is_cut_off_does_not_spoil_the_file(tmp_path, limit_bytes):
    (tmp_path / "sqs.yaml").write_text(QUEUES)
    with mortal(tmp_path, limit_bytes) as server:
        assert server.start_line == ""
    assert server.process.returncode == SIGXFSZ
    with running("--data", "sqs.db", cwd=tmp_path) as server:
        server.call("CreateQueue", QueueName="orders")
        server.stop()
    check_copy(tmp_path / "sqs.db", tmp_path / "copies")


@pytest.mark.parametrize("limit_bytes", LIMITS)
def test_a_commit_that_is_cut_off_loses_nothing_acknowledged(tmp_path, limit_bytes):
    (tmp_path / "sqs.yaml").write_text(QUEUES)
    sent = []
    with mortal(tmp_path, limit_bytes) as server, suppress(OSError, http.client.HTTPException):
        while len(sent) < 1_000:
            body = f"{len(sent)} " + "x" * (1_000 * (len(sent) % 20))
            server.call("SendMessage", QueueUrl="orders", MessageBody=body)
            sent.append(body)
    assert server.process.returncode == SIGXFSZ
    check_copy(tmp_path / "sqs.db", tmp_path / "copies")
    with running("--data", "sqs.db", cwd=tmp_path) as server:
        found = []
        while messages := server.call("ReceiveMessage", QueueUrl="orders", MaxNumberOfMessages=10):
            found += [message["Body"] for message in messages["Messages"]]
        server.stop()
    assert found == sent
