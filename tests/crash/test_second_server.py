"""Two servers never share a data file."""

import signal
import threading

import pytest

from emulator.engine.sqlite.database import open_file
from emulator.settings import StartError
from tests.cli.servers import refusal, running


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sqs.db"


def test_a_second_server_is_refused_while_the_first_goes_on_working(path):
    with running("--data", str(path)) as server:
        server.call("CreateQueue", QueueName="orders")
        enough, sent = threading.Event(), []

        def send_on():
            while not enough.is_set():
                server.call("SendMessage", QueueUrl="orders", MessageBody=f"message {len(sent)}")
                sent.append(f"message {len(sent)}")

        sender = threading.Thread(target=send_on)
        sender.start()
        try:
            complaint = refusal("--port", "0", "--data", str(path))
        finally:
            enough.set()
            sender.join()
        assert complaint == f"{path} is in use by another server\n"
        found = []
        while messages := server.call("ReceiveMessage", QueueUrl="orders", MaxNumberOfMessages=10):
            found += [message["Body"] for message in messages["Messages"]]
        assert found == sent


def test_a_second_server_is_refused_by_any_name_of_the_file(path, tmp_path):
    other = tmp_path / "other.db"
    with running("--data", str(path)):
        other.symlink_to(path)
        assert refusal("--port", "0", "--data", str(other)) == f"{other} is in use by another server\n"


def test_a_second_server_can_have_the_file_as_soon_as_the_first_was_killed(path):
    with running("--data", str(path)) as server:
        server.call("CreateQueue", QueueName="orders")
        server.stop(signal.SIGKILL)
    with running("--data", str(path)) as server:
        assert server.call("GetQueueUrl", QueueName="orders")["QueueUrl"].endswith("/orders")


def test_a_second_opening_in_one_process_does_not_let_others_in(path):
    """POSIX locks of a process end when it closes the file, by whichever descriptor."""
    database = open_file(path)
    with pytest.raises(StartError, match="in use"):
        open_file(path)
    assert refusal("--port", "0", "--data", str(path)) == f"{path} is in use by another server\n"
    database.close()
