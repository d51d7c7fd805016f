import asyncio

import pytest

from emulator.errors import InternalFailure, RequestThrottled, ServiceUnavailable
from emulator.faults import rule_of
from emulator.faults.requests import Fate, latency_ms, until_hung_up
from emulator.ids import seeded_chance
from emulator.operations.send_message_batch import SendMessageBatchRequestEntry
from tests.kit.accounts import settled
from tests.kit.planned import run


def test_a_call_is_throttled():
    async def test(scene):
        with pytest.raises(RequestThrottled):
            await scene.ask("ListQueues")
        assert await scene.ask("ListQueues") is None
        assert scene.struck() == ["throttle"]

    run(test, {"kind": "throttle", "when": {"nth": 1}})


@pytest.mark.parametrize(("status", "error"), [(500, InternalFailure), (503, ServiceUnavailable)])
def test_a_call_is_answered_with_an_error(status, error):
    async def test(scene):
        with pytest.raises(error):
            await scene.ask("ListQueues")

    run(test, {"kind": "error", "status": status})


@pytest.mark.parametrize(
    ("rule", "fate"),
    [
        ({"kind": "drop-connection"}, Fate.NO_EFFECT),
        ({"kind": "drop-connection", "at": "after"}, Fate.NO_REPLY),
        ({"kind": "lost-reply"}, Fate.SILENCE),
    ],
)
def test_a_call_may_get_no_answer(rule, fate):
    async def test(scene):
        assert await scene.ask("ListQueues") is fate

    run(test, rule)


def test_calls_can_be_told_by_action_and_queue():
    async def test(scene):
        queue = await scene.make()
        url = f"http://localhost/{queue.key.account}/orders"
        for action, members, acts in [
            ("SendMessage", {"queue_url": url, "message_body": "a"}, True),
            ("ReceiveMessage", {"queue_url": url}, False),
            ("SendMessage", {"queue_url": url + "-2", "message_body": "a"}, False),
            ("SendMessageBatch", {"queue_url": "orders"}, True),
            ("CreateQueue", {"queue_name": "orders"}, True),
            ("GetQueueUrl", {"queue_name": "orders"}, True),
            ("StartMessageMoveTask", {"source_arn": queue.arn}, True),
            ("ListQueues", {}, False),
        ]:
            assert (await scene.ask(action, **members) is Fate.SILENCE) == acts

    sends = ["SendMessage", "SendMessageBatch"]
    actions = [*sends, "CreateQueue", "GetQueueUrl", "StartMessageMoveTask", "ListQueues"]
    run(test, {"kind": "lost-reply", "match": {"queue": "orders", "actions": actions}})


def test_calls_that_send_can_be_told_by_any_of_their_messages():
    async def test(scene):
        await scene.make()
        assert await scene.ask("SendMessage", queue_url="orders", message_body="one") is None
        assert await scene.ask("SendMessage", queue_url="orders", message_body="two") is Fate.SILENCE
        batch = [SendMessageBatchRequestEntry(id=body, message_body=body) for body in ("one", "two")]
        assert await scene.ask("SendMessageBatch", queue_url="orders", entries=batch) is Fate.SILENCE
        assert await scene.ask("SendMessageBatch", queue_url="orders", entries=batch[:1]) is None
        assert await scene.ask("ReceiveMessage", queue_url="orders") is None
        assert scene.counters() == [(2, 2)]

    run(test, {"kind": "lost-reply", "match": {"body": "two"}})


def test_fifo_queues_are_throttled_as_others_are():
    async def test(scene):
        await scene.make("orders.fifo")
        with pytest.raises(RequestThrottled):
            await scene.ask("ReceiveMessage", queue_url="orders.fifo")

    run(test, {"kind": "throttle", "match": {"queue": "orders.fifo"}})


def test_a_call_waits_by_the_clock():
    async def test(scene):
        call = asyncio.ensure_future(scene.ask("ListQueues"))
        await settled()
        scene.clock.advance(ms=199)
        await settled()
        assert not call.done()
        scene.clock.advance(ms=1)
        assert await call is None

    run(test, {"kind": "latency", "ms": 200})


def test_a_call_waits_no_longer_because_the_clock_is_set_back():
    async def test(scene):
        call = asyncio.ensure_future(scene.ask("ListQueues"))
        await settled()
        scene.clock.set(scene.clock.now_ms() - 3_600_000)
        await settled()
        assert not call.done()
        scene.clock.advance(ms=200)
        assert await call is None

    run(test, {"kind": "latency", "ms": 200})


def test_a_call_may_wait_and_then_be_refused():
    async def test(scene):
        call = asyncio.ensure_future(scene.ask("ListQueues"))
        await settled()
        assert scene.struck() == ["latency", "throttle"]
        scene.clock.advance(ms=200)
        with pytest.raises(RequestThrottled):
            await call

    run(test, {"kind": "throttle"}, {"kind": "latency", "ms": 200})


def test_a_server_that_stops_keeps_nobody_waiting():
    async def test(scene):
        call = asyncio.ensure_future(scene.ask("ListQueues"))
        await settled()
        scene.ctx.signals.close()
        assert await call is None

    run(test, {"kind": "latency", "ms": 200})


@pytest.mark.parametrize(
    ("latency", "low", "high"),
    [
        ({"distribution": "uniform", "low_ms": 50, "high_ms": 60}, 50, 60),
        ({"distribution": "normal", "mean_ms": 50, "deviation_ms": 1}, 40, 60),
        ({"distribution": "normal", "mean_ms": 0, "deviation_ms": 100}, 0, 700),
        ({"distribution": "exponential", "mean_ms": 50}, 0, 1_000),
        ({"distribution": "exponential", "mean_ms": 0}, 0, 0),
    ],
)
def test_latencies_come_from_a_distribution(latency, low, high):
    rule = rule_of({"kind": "latency", **latency})
    drawn = [[latency_ms(seeded_chance(seed), rule) for seed in range(200)] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert all(low <= ms <= high for ms in drawn[0])
    assert low == high or len(set(drawn[0])) > 5


@pytest.mark.parametrize("hangs_up", [True, False])
def test_who_gets_no_reply_waits_until_it_hangs_up_or_the_server_stops(hangs_up):
    async def test(scene):
        silence = asyncio.ensure_future(until_hung_up(scene.ctx))
        await settled()
        assert not silence.done()
        (scene.client_gone.set if hangs_up else scene.ctx.signals.close)()
        await silence

    run(test)


def test_one_rule_at_most_keeps_a_caller_from_its_answer_and_all_of_them_count():
    async def test(scene):
        with pytest.raises(RequestThrottled):
            await scene.ask("ListQueues")
        assert await scene.ask("ListQueues") is Fate.SILENCE
        assert scene.counters() == [(2, 1), (2, 1)]

    run(test, {"kind": "throttle", "when": {"nth": 1}}, {"kind": "lost-reply"})
