import json
import re
import socket

from emulator import __version__
from tests.cli.servers import run, running


def test_the_first_line_says_where_it_listens_and_how_to_point_clients_at_it():
    with running() as server:
        line = server.start_line
        assert line.startswith(f"sqs-emulator listens on {server.url} ")
        assert f'boto3.client("sqs", endpoint_url="{server.url}")' in line
        assert f"aws sqs list-queues --endpoint-url {server.url}" in line
        assert json.loads(server.get("/_emulator/ready")) == {"status": "ready"}
        server.process.terminate()
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""


def test_the_port_can_be_chosen_by_flag_and_by_variable():
    port = free_port()
    with running("--port", str(port)) as server:
        assert server.port == port
    with running(SQS_EMULATOR_PORT=str(port)) as server:
        assert server.port == port


def test_a_server_on_all_addresses_names_one_that_clients_can_use():
    with running("--host", "0.0.0.0") as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert server.call("ListQueues") == {}


def test_localhost_is_where_everybody_expects_it():
    with running("--host", "localhost") as server:
        assert server.url.startswith("http://127.0.0.1:")


def test_account_region_and_base_url_come_from_the_settings():
    flags = ("--account", "123456789012", "--region", "eu-west-1", "--base-url", "https://sqs.example.com/")
    with running(*flags) as server:
        url = server.call("CreateQueue", QueueName="orders")["QueueUrl"]
        assert url == "https://sqs.example.com/123456789012/orders"
        asked = server.call("GetQueueAttributes", QueueUrl=url, AttributeNames=["QueueArn"])
        assert asked["Attributes"]["QueueArn"] == "arn:aws:sqs:eu-west-1:123456789012:orders"


def test_without_cooldowns_a_deleted_name_can_be_used_at_once():
    with running("--no-cooldowns") as server:
        url = server.call("CreateQueue", QueueName="orders")["QueueUrl"]
        server.call("PurgeQueue", QueueUrl=url)
        server.call("PurgeQueue", QueueUrl=url)
        server.call("DeleteQueue", QueueUrl=url)
        assert server.call("CreateQueue", QueueName="orders")["QueueUrl"] == url


def test_messages_are_still_there_after_a_restart_with_a_data_file(tmp_path):
    with running("--data", "sqs.db", cwd=tmp_path) as server:
        url = server.call("CreateQueue", QueueName="orders")["QueueUrl"]
        server.call("SendMessage", QueueUrl=url, MessageBody="keep me")
        assert server.stop()[0] == 0
    with running("--data", "sqs.db", cwd=tmp_path) as server:
        (message,) = server.call("ReceiveMessage", QueueUrl="orders")["Messages"]
        assert message["Body"] == "keep me"


def test_the_version_is_shown():
    assert run("--version") == (0, f"sqs-emulator {__version__}\n", "")


def test_the_help_names_every_flag():
    code, text, _ = run("serve", "--help")
    assert code == 0
    assert {"--host", "--port", "--data", "--config"} <= set(re.findall("--[a-z-]+", text))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
