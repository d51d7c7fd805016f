"""A data file that cannot be written to is refused at the start, and left as it is.

Root may write to any file. The server is started without that privilege, which a capability stands for.
"""

import subprocess
import sys

import pytest

from tests.cli.servers import clean_environment, running

# PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH; refused, and not needed, for other users.
UNPRIVILEGED = """
import ctypes, os, sys
for capability in (1, 2):
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-m", "emulator", *sys.argv[1:]])
"""


@pytest.fixture
def data(tmp_path):
    """A data file that was closed in order, in a folder of its own."""
    path = tmp_path / "folder" / "sqs.db"
    path.parent.mkdir()
    with running("--data", str(path)) as server:
        server.call("CreateQueue", QueueName="orders")
        server.call("SendMessage", QueueUrl="orders", MessageBody="hello")
        server.stop()
    yield path
    path.parent.chmod(0o755)


def refusal_of(path):
    """What stderr says. The file is as before, and nothing new lies beside it."""
    before = {file: file.stat() for file in path.parent.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, "serve", "--port", "0", "--data", str(path)],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    after = {file: file.stat() for file in path.parent.iterdir()}
    assert {file: (one.st_size, one.st_mtime_ns) for file, one in after.items()} == {
        file: (one.st_size, one.st_mtime_ns) for file, one in before.items()
    }
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(str(path))
    assert "damaged" not in done.stderr
    return done.stderr


def still_has_its_message(path):
    with running("--data", str(path)) as server:
        assert server.call("ReceiveMessage", QueueUrl="orders")["Messages"][0]["Body"] == "hello"
        server.stop()


def test_a_read_only_file(data):
    data.chmod(0o444)
    assert "cannot be written to" in refusal_of(data)
    data.chmod(0o644)
    still_has_its_message(data)


def test_a_file_that_may_not_be_read(data):
    data.chmod(0o000)
    assert "cannot be read: Permission denied" in refusal_of(data)
    data.chmod(0o644)
    still_has_its_message(data)


def test_a_file_in_a_read_only_folder(data):
    data.parent.chmod(0o555)
    assert "cannot be written to" in refusal_of(data)
    data.parent.chmod(0o755)
    still_has_its_message(data)


def test_a_new_file_in_a_read_only_folder(data):
    data.parent.chmod(0o555)
    assert "may it be written to?" in refusal_of(data.parent / "new.db")


@pytest.mark.parametrize("read_only", ["sqs.db", "sqs.db-wal"])
def test_a_file_that_a_killed_server_left_and_that_is_read_only_now(data, read_only):
    with running("--data", str(data)) as server:
        server.call("CreateQueue", QueueName="more")
        server.process.kill()
    (data.parent / read_only).chmod(0o444)
    assert "cannot be written to" in refusal_of(data)
    (data.parent / read_only).chmod(0o644)
    still_has_its_message(data)
