import asyncio

from emulator.domain.model import MessageAttributeValue, Redrive
from emulator.operations import OPERATIONS
from tests.kit.accounts import settled
from tests.kit.planned import run

TEN = [str(number) for number in range(10)]


def test_a_duplicate_is_handed_out_again_although_the_first_one_was_deleted():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        (first,) = await scene.claim(queue)
        await scene.delete(queue, first)
        (second,) = await scene.claim(queue)
        assert (second.message_id, second.body, second.sent_ms) == (first.message_id, "a", first.sent_ms)
        assert second.seq != first.seq
        await scene.delete(queue, second)
        assert await scene.counts(queue) == (0, 0, 0)
        assert scene.struck() == ["duplicate"]

    run(test, {"kind": "duplicate"})


def test_a_duplicate_comes_while_the_first_one_is_in_flight():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        assert [await scene.receive(queue) for _ in range(3)] == [["a"], ["a"], []]

    run(test, {"kind": "duplicate"})


def test_a_message_is_duplicated_once_only_however_often_it_comes():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        for _ in range(5):
            await scene.receive(queue)
            scene.clock.advance(seconds=31)
        assert await scene.counts(queue) == (2, 0, 0)
        assert scene.counters() == [(1, 1)]

    run(test, {"kind": "duplicate"})


def test_a_duplicate_can_come_later():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        scene.clock.advance(seconds=100)
        (first,) = await scene.claim(queue)
        await scene.delete(queue, first)
        scene.clock.advance(seconds=4)
        assert await scene.receive(queue) == []
        scene.clock.advance(seconds=1)
        assert await scene.receive(queue) == ["a"]

    run(test, {"kind": "duplicate", "after_s": 5})


def test_each_message_of_a_receive_is_decided_on_by_itself():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *TEN)
        assert await scene.receive(queue) == TEN
        assert await scene.receive(queue) == ["2", "5", "8"]
        assert scene.counters() == [(10, 3)]

    run(test, {"kind": "duplicate", "when": {"every": 3}})


def test_a_duplicate_wakes_a_receiver_that_waits():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        with scene.ctx.signals.watch(queue.id) as arrival:
            await scene.receive(queue)
            assert arrival.woken

    run(test, {"kind": "duplicate"})


def test_the_duplicate_of_a_dead_letter_is_a_dead_letter_too():
    async def test(scene):
        queue, dead = await scene.make(), await scene.make("dead")
        await scene.send(queue, "a")
        redrive = Redrive(dead.id, 1)
        assert await scene.receive(queue, redrive=redrive) == ["a"]
        scene.clock.advance(seconds=31)
        assert await scene.receive(queue, redrive=redrive) == []
        first, second = [(await scene.claim(dead))[0] for _ in range(2)]
        assert first.dead_letter_source_arn == second.dead_letter_source_arn == queue.arn

    run(test, {"kind": "duplicate", "match": {"queue": "dead"}})


def test_fifo_queues_never_get_duplicates_other_orders_or_shorter_timeouts():
    async def test(scene):
        queue = await scene.make("orders.fifo")
        await scene.send(queue, *TEN)
        assert await scene.receive(queue) == TEN
        scene.clock.advance(seconds=29)
        assert await scene.receive(queue) == []
        assert scene.counters() == [(0, 0)] * 4

    run(
        test,
        {"kind": "duplicate"},
        {"kind": "reorder"},
        {"kind": "partial-poll", "sampled": 0},
        {"kind": "early-expiry"},
    )


def test_a_visibility_timeout_can_end_early():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        await scene.receive(queue, timeout_s=40)
        scene.clock.advance(seconds=9)
        assert await scene.receive(queue) == []
        scene.clock.advance(seconds=1)
        assert await scene.receive(queue) == ["a"]

    run(test, {"kind": "early-expiry", "fraction": 0.25, "when": {"times": 1}})


def test_a_message_without_a_timeout_is_no_occasion_for_an_early_end():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        await scene.receive(queue, timeout_s=0)
        assert scene.counters() == [(0, 0)]

    run(test, {"kind": "early-expiry"})


def test_a_message_can_be_told_by_its_attribute_or_its_body():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "order-1", attributes={"tenant": attribute("x")})
        await scene.send(queue, "order-2", attributes={"tenant": attribute("y")})
        await scene.send(queue, "invoice-2", attributes={"tenant": attribute("y")})
        await scene.receive(queue)
        assert await scene.receive(queue) == ["order-2"]

    match = {"attribute": {"name": "tenant", "value": "y"}, "body": "^order"}
    run(test, {"kind": "duplicate", "match": match})


def test_reordering_takes_any_of_the_first_messages_in_any_order():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *TEN)
        first = await scene.receive(queue, limit=3)
        assert len(set(first)) == 3
        assert set(first) <= set(TEN[:5])
        rest = await scene.receive(queue)
        assert set(first) | set(rest) >= set(TEN[:8])
        received = [*first, *rest]
        while more := await scene.receive(queue):
            received += more
        assert sorted(received) == TEN
        assert received != TEN

    run(test, {"kind": "reorder", "window": 5})


def test_reordering_takes_the_same_order_again_with_the_same_seed_and_another_with_another():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *TEN)
        return await scene.receive(queue)

    rule = {"kind": "reorder"}
    assert run(test, rule, seed=1) == run(test, rule, seed=1) != run(test, rule, seed=2)


def test_one_message_alone_is_no_occasion_to_reorder():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        assert await scene.receive(queue) == ["a"]
        assert scene.counters() == [(0, 0)]

    run(test, {"kind": "reorder"})


def test_a_reordered_receive_that_dead_letters_all_it_chose_still_gets_a_message():
    async def test(scene):
        queue, dead = await scene.make(), await scene.make("dead")
        await scene.send(queue, *TEN[:4])
        await scene.receive(queue, limit=2, short_poll=False)
        scene.clock.advance(seconds=31)
        received = []
        for _ in range(4):
            received += await scene.receive(queue, limit=1, redrive=Redrive(dead.id, 1))
        assert len(received) == 2
        assert await scene.counts(dead) == (2, 0, 0)

    run(test, {"kind": "reorder"})


def test_a_short_poll_can_come_back_empty_although_a_message_is_there():
    async def test(scene):
        queue = await scene.make()
        assert await scene.receive(queue) == []
        await scene.send(queue, "a")
        assert await scene.receive(queue) == []
        assert await scene.receive(queue) == ["a"]
        assert await scene.receive(queue) == []
        assert scene.counters() == [(2, 1)]  # polls that found nothing do not count

    run(test, {"kind": "partial-poll", "sampled": 0, "when": {"times": 1}})


def test_long_polls_look_at_all_partitions():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *TEN)
        assert await scene.receive(queue, short_poll=False) == TEN

    run(test, {"kind": "partial-poll", "sampled": 0})


def test_short_polls_that_go_on_get_all_messages():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *TEN)
        received, polls = [], 0
        while len(received) < 10:
            received += await scene.receive(queue)
            polls += 1
        assert polls > 1
        assert sorted(received) == TEN

    run(test, {"kind": "partial-poll", "partitions": 4, "sampled": 1})


def test_a_message_is_always_in_the_same_partition_whatever_other_accounts_do():
    async def test(scene):
        queue, other = await scene.make(), await scene.make("other")
        for body in TEN:
            await scene.send(queue, body)
            if others:
                await scene.engine.append(other.id, [])
                scene.emulator.engine._store.state.seqs.draw()
        return [await scene.receive(queue) for _ in range(4)]

    rule = {"kind": "partial-poll", "partitions": 4, "sampled": 2}
    others = False
    alone = run(test, rule)
    others = True
    assert run(test, rule) == alone


def test_messages_of_the_sampled_partitions_are_reordered_too():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *TEN)
        received = await scene.receive(queue)
        assert 0 < len(received) < 10
        assert received != sorted(received)

    run(test, {"kind": "partial-poll", "sampled": 2}, {"kind": "reorder"})


def test_receivers_that_come_at_once_each_get_a_message_though_they_chose_the_same(tmp_path):
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *TEN)
        received = await asyncio.gather(*(scene.receive(queue, limit=1) for _ in TEN))
        assert sorted(body for (body,) in received) == TEN

    run(test, {"kind": "reorder"}, data=str(tmp_path / "data.db"))


def test_a_long_poll_goes_on_although_the_rules_are_taken_away():
    async def test(scene):
        queue = await scene.make()
        receive = OPERATIONS["ReceiveMessage"]
        request = receive.request(queue_url="orders", wait_time_seconds=20)
        poll = asyncio.ensure_future(receive.run(scene.ctx, request))
        await settled()
        scene.ctx.world.faults = None
        await scene.send(queue, "a")
        scene.ctx.signals.notify(queue.id)
        assert [message.body for message in (await poll).messages] == ["a"]

    run(test, {"kind": "reorder"}, {"kind": "duplicate"})


def attribute(value):
    return MessageAttributeValue(data_type="String", string_value=value)
