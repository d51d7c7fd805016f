"""The client of the kit, against a server in this process."""

import http.server
import threading
from datetime import UTC, datetime

import pytest

from emulator.testing import Kit, KitError, NotReached, WaitedInVain, running
from emulator.testing.plugin import account_for

NEW_YEAR_MS = 1_767_225_600_000


@pytest.fixture
def account():
    return account_for("tests", "", "test_kit")


@pytest.fixture
def kit(shared, account):
    kit = Kit(shared.url, account)
    kit.clock.freeze()
    kit.clock.set(NEW_YEAR_MS)
    return kit


@pytest.fixture
def sqs(shared, account):
    return shared.client(account=account)


@pytest.fixture
def orders(kit, sqs):
    return sqs.create_queue(QueueName="orders")["QueueUrl"]


def send(sqs, queue, *bodies, **members):
    return [sqs.send_message(QueueUrl=queue, MessageBody=body, **members)["MessageId"] for body in bodies]


def receive(sqs, queue):
    return sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])


# The clock


def test_the_clock_of_an_account_leaves_all_others_alone(shared, kit, account):
    assert kit.clock.advance(seconds=1.5, ms=1).now_ms == NEW_YEAR_MS + 1_501
    assert kit.clock.read().account == account
    assert shared.kit.clock.read().real
    assert Kit(shared.url, "999999999999").clock.read().real


def test_the_clock_can_be_set_in_every_spelling_of_a_moment(kit):
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    for spelling in (moment, "2030-01-01T00:00:00Z", 1_893_456_000_000):
        kit.clock.set(0)
        kit.clock.set(spelling)
        assert kit.clock.now() == moment


def test_the_clock_can_run_on_at_another_speed_and_be_forgotten(kit):
    assert not kit.clock.resume().frozen
    assert kit.clock.run_at(60).speed == 60
    assert kit.clock.freeze().frozen
    assert kit.clock.forget().real


def test_a_clock_does_not_go_backward_by_advancing(kit):
    with pytest.raises(KitError, match="ms") as caught:
        kit.clock.advance(seconds=-1)
    assert caught.value.status == 400


# Queues and messages


def test_queues_tell_their_counts_attributes_and_tags(kit, sqs, orders):
    sqs.tag_queue(QueueUrl=orders, Tags={"team": "shop"})
    send(sqs, orders, "a", "b")
    receive(sqs, orders)
    send(sqs, orders, "c", DelaySeconds=9)
    (queue,) = kit.queues(prefix="ord")
    assert (queue.name, queue.account, queue.region, queue.url) == (
        "orders",
        kit.account,
        "us-east-1",
        orders,
    )
    assert (queue.visible, queue.in_flight, queue.delayed, queue.fifo) == (0, 2, 1, False)
    assert queue.attributes["VisibilityTimeout"] == "30"
    assert queue.tags == {"team": "shop"}
    assert queue.created_ms == NEW_YEAR_MS
    assert kit.queues(prefix="mail") == []


@pytest.mark.parametrize("spelling", ["orders", "{url}", "{arn}"])
def test_a_queue_goes_by_name_url_or_arn(kit, sqs, orders, spelling):
    queue = kit.queue("orders")
    text = spelling.format(url=queue.url, arn=queue.arn)
    send(sqs, orders, "hello")
    assert kit.queue(text) == kit.queue("orders")
    assert kit.bodies(text) == ["hello"]


def test_a_queue_that_is_not_there_is_named(kit):
    with pytest.raises(KitError, match="there is no queue nowhere"):
        kit.queue("nowhere")
    with pytest.raises(KitError, match="there is no queue nowhere") as caught:
        kit.peek("nowhere")
    assert (caught.value.status, caught.value.title) == (404, "Not Found")


def test_peeking_tells_states_and_changes_nothing(kit, sqs, orders):
    send(sqs, orders, "taken")
    receive(sqs, orders)
    send(sqs, orders, "visible")
    send(sqs, orders, "later", DelaySeconds=9)
    for _ in range(2):
        assert [(m.body, m.state, m.seconds_left, m.receive_count) for m in kit.peek(orders)] == [
            ("taken", "in-flight", 30.0, 1),
            ("visible", "visible", None, 0),
            ("later", "delayed", 9.0, 0),
        ]
    assert kit.bodies(orders, state=["in-flight", "delayed"]) == ["taken", "later"]


def test_peeking_filters_by_text_and_attribute(kit, sqs, orders):
    tenant = {"tenant": {"DataType": "String", "StringValue": "acme"}}
    send(sqs, orders, "red apple", MessageAttributes=tenant)
    send(sqs, orders, "red pear")
    (message,) = kit.peek(orders, text="red", attribute="tenant=acme")
    assert message.body == "red apple"
    assert message.attributes["tenant"].string_value == "acme"


def test_peeking_goes_over_all_pages_unless_there_is_a_limit(kit, sqs, orders):
    for start in range(0, 230, 10):
        entries = [{"Id": str(n), "MessageBody": str(n)} for n in range(start, start + 10)]
        sqs.send_message_batch(QueueUrl=orders, Entries=entries)
    assert kit.bodies(orders) == [str(n) for n in range(230)]
    assert [message.body for message in kit.peek(orders, limit=105)] == [str(n) for n in range(105)]


# History


def test_the_history_of_a_message_is_there_after_it_was_deleted(kit, sqs, orders):
    (sent,) = send(sqs, orders, "hello")
    (message,) = receive(sqs, orders)
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
    history = kit.history(sent)
    assert (history.message_id, history.body) == (sent, "hello")
    assert history.kinds == ["sent", "received", "deleted"]
    received = history.events[1]
    assert (received.queue, received.account, received.at_ms) == ("orders", kit.account, NEW_YEAR_MS)
    assert (received.details.receive_count, received.details.timeout_s) == (1, 30)
    assert received.request_id
    assert received.caller.account == kit.account


def test_events_can_be_asked_for_by_all_that_they_have(kit, sqs, orders):
    ids = send(sqs, orders, "a", "b")
    kit.clock.advance(seconds=1)
    receive(sqs, orders)
    kinds = kit.journal.kinds
    assert kinds() == ["sent", "sent", "received", "received"]
    assert kinds(kind="sent") == ["sent", "sent"]
    assert kinds(kind=["received", "deleted"], text="a") == ["received"]
    assert kinds(message_id=ids[1]) == ["sent", "received"]
    assert kinds(queue="mail") == []
    assert kinds(from_ms=NEW_YEAR_MS + 1) == ["received", "received"]
    assert kinds(limit=3) == ["sent", "sent", "received"]
    last = kit.journal.events(limit=3)[-1].number
    assert kinds(after=last) == ["received"]


def test_waiting_ends_with_what_happened_before_or_happens_meanwhile(kit, sqs, orders):
    (sent,) = send(sqs, orders, "hello")
    assert kit.journal.wait("sent", queue=orders).message_id == sent
    after = kit.journal.last_number()
    meanwhile = threading.Timer(0, lambda: send(sqs, orders, "again"))
    meanwhile.start()
    assert kit.journal.wait(["sent", "deleted"], text="again", after=after).kind == "sent"
    meanwhile.join()


def test_waiting_in_vain_ends_with_an_error_of_its_own(kit, orders):
    with pytest.raises(WaitedInVain) as caught:
        kit.journal.wait("deleted", queue=orders, timeout_s=0.01)
    assert caught.value.status == 408
    with pytest.raises(WaitedInVain):
        kit.journal.wait("sent", include_past=False, timeout_s=0.01)


def test_a_queue_is_drained_once_nothing_is_in_it(kit, sqs, orders):
    kit.journal.drained(orders)
    send(sqs, orders, "hello")
    with pytest.raises(WaitedInVain):
        kit.journal.drained("orders", timeout_s=0.01)
    (message,) = receive(sqs, orders)
    with pytest.raises(WaitedInVain):
        kit.journal.drained(orders, timeout_s=0.01)
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
    kit.journal.drained(orders)


# Faults


def test_a_fault_counts_and_can_be_taken_away(kit, sqs, orders):
    fault = kit.faults.add("error", status=503, queue=orders, actions=["SendMessage"], every=2)
    assert (fault.name, fault.kind, fault.rule["status"]) == ("error", "error", 503)
    send(sqs, orders, "a")
    with pytest.raises(sqs.exceptions.ClientError, match="ServiceUnavailable"):
        send(sqs, orders, "b")
    assert [(fault.matched, fault.acted) for fault in kit.faults.planned()] == [(2, 1)]
    kit.faults.remove("error")
    assert kit.faults.planned() == []


def test_a_fault_may_be_spelled_as_in_a_config_file(kit, sqs, orders):
    match = {"attribute": {"name": "tenant", "value": "acme"}}
    rule = {"name": "acme is slow", "kind": "throttle", "match": match, "when": {"times": 1}}
    with pytest.raises(KitError, match="name"):
        kit.faults.add_rule(rule)
    kit.faults.add_rule(rule | {"name": "acme"})
    other = kit.faults.add("throttle", name="other", attribute="tenant=acme", times=1)
    assert {**other.rule, "name": "acme"} == kit.faults.planned()[0].rule


def test_a_profile_plans_several_faults_and_clearing_takes_all_away(kit):
    kit.faults.profile("hostile")
    assert "reorder" in {fault.kind for fault in kit.faults.planned()}
    kit.faults.profile("none")
    kit.faults.add("throttle")
    kit.faults.clear()
    assert kit.faults.planned() == []


@pytest.mark.parametrize(
    ("kind", "rule", "complaint"),
    [
        ("gremlins", {}, "'gremlins' is no kind of fault; known are duplicate, "),
        ("throttle", {"colour": "red"}, "colour: unknown; known are "),
        ("throttle", {"probability": 2}, "when.probability: "),
        ("duplicate", {"queue": "orders.fifo"}, "AWS rules out duplicate on FIFO queues"),
    ],
)
def test_a_fault_that_does_not_fit_is_refused_in_words(kit, kind, rule, complaint):
    with pytest.raises(KitError) as caught:
        kit.faults.add(kind, **rule)
    assert complaint in caught.value.detail


# Seed, reset, snapshot


def test_the_same_seed_gives_the_same_ids_to_the_same_calls(kit, sqs, orders):
    kit.seed(7)
    first = send(sqs, orders, "a", "b")
    kit.seed(7)
    assert send(sqs, orders, "a", "b") == first


def test_a_queue_can_be_emptied_alone(kit, sqs, orders):
    sqs.create_queue(QueueName="mail")
    send(sqs, orders, "a")
    send(sqs, "mail", "b")
    assert kit.reset(queue=orders) == 1
    assert (kit.bodies("orders"), kit.bodies("mail")) == ([], ["b"])


def test_a_reset_forgets_all_of_the_account_and_nothing_else(shared, kit, sqs, orders):
    shared.client(account="999999999998").create_queue(QueueName="theirs")
    send(sqs, orders, "a")
    kit.faults.add("throttle")
    assert kit.reset() == 1
    assert kit.queues() == kit.journal.events() == kit.faults.planned() == []
    assert kit.clock.read().real
    assert [queue.name for queue in Kit(shared.url, "999999999998").queues()] == ["theirs"]


def test_a_snapshot_brings_the_state_back_on_another_server():
    with running() as one, running() as other:
        sqs = one.client()
        send(sqs, sqs.create_queue(QueueName="orders")["QueueUrl"], "hello")
        other.kit.restore(one.kit.snapshot())
        assert other.kit.bodies("orders") == ["hello"]


def test_what_is_no_snapshot_is_refused(kit):
    with pytest.raises(KitError, match="is no snapshot"):
        kit.restore(b"hello")


# Whom it talks to


@pytest.mark.parametrize(
    "url", ["127.0.0.1:9324", "ftp://localhost", "http://", "http://localhost:port", "http://localhost/?a=b"]
)
def test_a_url_that_is_none_is_told_at_once(url):
    with pytest.raises(NotReached, match="is not a URL such as"):
        Kit(url)


def test_a_server_that_is_not_there_is_named():
    with pytest.raises(
        NotReached, match=r"no sqs-emulator answers at http://127\.0\.0\.1:1: Connection refused"
    ):
        Kit("http://127.0.0.1:1").queues()


@pytest.fixture(params=[(200, b"{}"), (200, b"\xff"), (404, b"not here"), (500, b"")])
def stranger(request):
    """Something else that speaks HTTP."""
    status, body = request.param

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_is_no_emulator_is_told_from_one_that_refuses(stranger):
    with pytest.raises(NotReached, match=stranger):
        Kit(stranger).clock.read()


def test_a_url_may_end_with_a_slash(shared):
    assert Kit(shared.url + "/").queues() == shared.kit.queues()


def test_one_kit_serves_several_threads(kit, sqs, orders):
    waiter = threading.Thread(target=kit.journal.wait, args=["sent"])
    waiter.start()
    assert kit.bodies(orders) == []  # although the other call is not answered yet
    send(sqs, orders, "hello")
    waiter.join(10)
    assert not waiter.is_alive()
