"""Where the test kit answers: on the port of AWS requests, on its own, or nowhere."""

import re
import socket
import urllib.error
import urllib.request

import pytest

from tests.cli.servers import refusal, running

KIT = ("/_emulator/queues", "/_emulator/openapi.json", "/_aws/sqs/messages", "/moto-api/reset")
PROBES = ("/_emulator/health", "/_emulator/ready")


def test_without_the_settings_all_is_on_one_port():
    with running() as server:
        assert {status(server.url + path) for path in ("/_emulator/queues", *PROBES)} == {200}


def test_the_kit_has_a_port_of_its_own():
    with running("--admin-port", "0") as server:
        admin = admin_url(server)
        assert [status(server.url + path) for path in KIT] == [404] * 4
        assert [status(admin + path) for path in KIT[:2]] == [200, 200]
        assert {status(url + path) for url in (server.url, admin) for path in PROBES} == {200}


def test_the_kit_s_own_port_answers_no_aws_requests():
    with running("--admin-port", "0") as server:
        assert status(admin_url(server) + "/?Action=ListQueues") == 404
        assert status(server.url + "/?Action=ListQueues") == 200


def test_queue_urls_told_on_the_kit_s_own_port_are_those_of_the_other():
    with running("--admin-port", "0") as server:
        made = server.call("CreateQueue", QueueName="orders")["QueueUrl"]
        with urllib.request.urlopen(admin_url(server) + "/_emulator/queues", timeout=10) as answer:
            assert f'"{made}"' in answer.read().decode()


def test_a_server_with_two_ports_stops_at_once():
    with running("--admin-port", "0") as server:
        # An idle connection that is kept open on either port must not hold it up.
        idle = [socket.create_connection(("127.0.0.1", port(url))) for url in (server.url, admin_url(server))]
        code, seconds, log = server.stop()
        assert (code, log) == (0, "")
        assert seconds < 2
        for connection in idle:
            connection.close()


@pytest.mark.parametrize("flags", [("--no-admin",), ()])
def test_the_kit_can_be_switched_off(flags):
    with running(*flags, SQS_EMULATOR_ADMIN="false") as server:
        assert [status(server.url + path) for path in KIT] == [404] * 4
        assert {status(server.url + path) for path in PROBES} == {200}
        assert status(server.url + "/?Action=ListQueues") == 200


def test_a_port_for_what_is_switched_off_is_refused():
    complaint = refusal("--admin-port", "0", "--no-admin", "--port", "0")
    assert complaint == "--admin-port and --no-admin: there is nothing that the port would be for\n"


def test_a_port_in_use_is_named_with_its_flag():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        complaint = refusal("--admin-port", str(number), "--port", "0")
        assert complaint.startswith(f"cannot listen on 127.0.0.1, port {number}: ")
        assert complaint.endswith("(see --host and --admin-port)\n")


def test_the_two_ports_cannot_be_the_same():
    with socket.create_server(("127.0.0.1", 0)) as found:
        number = str(found.getsockname()[1])
    complaint = refusal("--admin-port", number, "--port", number)
    assert complaint.endswith("(see --host and --admin-port)\n")


def admin_url(server):
    found = re.search(r"test kit: (http://\S+)", server.start_line)
    assert found, server.start_line
    return found[1]


def port(url):
    return int(url.rpartition(":")[2])


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
