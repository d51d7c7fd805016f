import http.client
import json
import signal
import socket

import pytest

from tests.cli.servers import Server, running

HEADERS = {"X-Amz-Target": "AmazonSQS.ReceiveMessage", "Content-Type": "application/x-amz-json-1.0"}


def connection(server: Server) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=lambda by: by.name)
def test_a_stop_ends_a_long_poll_at_once_and_does_not_wait_for_idle_connections(by):
    with running() as server:
        server.call("CreateQueue", QueueName="orders")
        idle = connection(server)
        idle.request("GET", "/_emulator/health")
        idle.getresponse().read()
        poll = connection(server)
        poll.request("POST", "/", json.dumps({"QueueUrl": "orders", "WaitTimeSeconds": 20}), HEADERS)
        # Answered after the poll was taken up, as both wait in the same event loop.
        server.get("/_emulator/health")
        code, seconds, log = server.stop(by)
        answer = poll.getresponse()
        assert (answer.status, json.loads(answer.read())) == (200, {})
        assert (code, log) == (0, "")
        assert seconds < 2
        idle.close()


def test_a_stop_does_not_wait_for_a_request_that_never_arrives():
    with running() as server, socket.create_connection(("127.0.0.1", server.port)) as stalled:
        stalled.sendall(b"POST / HTTP/1.1\r\nHost: sqs\r\nContent-Length: 100\r\n\r\n{")
        server.get("/_emulator/health")
        code, seconds, log = server.stop()
        assert (code, log) == (0, "")
        assert seconds < 2


def test_a_stop_while_nothing_happens_says_nothing():
    with running() as server:
        code, seconds, log = server.stop()
        assert (code, log) == (0, "")
        assert seconds < 2


def test_the_port_is_free_again_after_a_stop():
    with running() as server:
        poll = connection(server)
        poll.request("GET", "/_emulator/health")
        poll.getresponse().read()
        server.stop()
        with running("--port", str(server.port)) as again:
            assert again.port == server.port
        poll.close()
