from emulator.domain.model import Outcome
from tests.kit.planned import run


def test_a_message_comes_back_after_its_timeout_although_its_delete_was_acknowledged():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        (first,) = await scene.claim(queue, timeout_s=30)
        assert await scene.delete(queue, first) == [Outcome.GONE]
        assert await scene.counts(queue) == (0, 1, 0)
        scene.clock.advance(seconds=30)
        (second,) = await scene.claim(queue)
        assert (second.message_id, second.receive_count) == (first.message_id, 2)
        assert await scene.delete(queue, second) == [Outcome.DONE]
        assert await scene.counts(queue) == (0, 0, 0)
        assert scene.struck() == ["lost-delete"]

    run(test, {"kind": "lost-delete", "when": {"times": 1}})


def test_it_can_come_back_sooner():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        await scene.delete(queue, *await scene.claim(queue, timeout_s=30))
        scene.clock.advance(seconds=5)
        assert await scene.receive(queue) == ["a"]

    run(test, {"kind": "lost-delete", "after_s": 5})


def test_it_can_come_back_at_once_and_wakes_a_receiver_that_waits():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        messages = await scene.claim(queue)
        with scene.ctx.signals.watch(queue.id) as arrival:
            await scene.delete(queue, *messages)
            assert arrival.woken
        assert await scene.receive(queue) == ["a"]

    run(test, {"kind": "lost-delete", "after_s": 0})


def test_each_entry_of_a_batch_is_decided_on_by_itself():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *"abcd")
        messages = await scene.claim(queue)
        outcomes = await scene.delete(queue, *messages, action="DeleteMessageBatch")
        assert outcomes == [Outcome.GONE, Outcome.DONE, Outcome.GONE, Outcome.DONE]
        scene.clock.advance(seconds=30)
        assert await scene.receive(queue) == ["a", "c"]

    run(test, {"kind": "lost-delete", "when": {"sequence": [True, False, True]}})


def test_the_delete_of_a_message_that_is_gone_cannot_get_lost():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        (message,) = await scene.claim(queue)
        await scene.delete(queue, message)
        await scene.delete(queue, message)
        assert scene.counters() == [(1, 0)]

    run(test, {"kind": "lost-delete", "when": {"nth": 2}})


def test_the_message_that_is_deleted_can_be_told_by_its_body():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "keep", "go")
        await scene.delete(queue, *await scene.claim(queue))
        scene.clock.advance(seconds=30)
        assert await scene.receive(queue) == ["keep"]

    run(test, {"kind": "lost-delete", "match": {"body": "keep"}})


def test_no_delete_on_a_fifo_queue_gets_lost():
    async def test(scene):
        queue = await scene.make("orders.fifo")
        await scene.send(queue, "a")
        assert await scene.delete(queue, *await scene.claim(queue)) == [Outcome.DONE]
        assert await scene.counts(queue) == (0, 0, 0)
        assert scene.counters() == [(0, 0)]

    run(test, {"kind": "lost-delete"})
