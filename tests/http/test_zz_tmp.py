from tests.http.test_long_polls import *
from tests.http.connections import *
def test_behind(server, queue, stack):
    opened = poll(server, queue, stack)
    server.wait_for_waiters(queue, 1)
    opened.send(request_bytes(opened.host, "GET", "/?Action=ListQueues"))
    ask_json(server.url, "ListQueues")
    opened.close()
    ask_json(server.url, "ListQueues")
    send(server, queue)
    assert counts(receive(server, queue)) == [("hello", "1")]
