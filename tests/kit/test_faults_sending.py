from tests.kit.planned import run


def test_a_message_can_be_received_only_later_than_it_was_sent():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        assert await scene.receive(queue) == []
        scene.clock.advance(ms=2499)
        assert await scene.receive(queue) == []
        scene.clock.advance(ms=1)
        assert await scene.receive(queue) == ["a"]

    run(test, {"kind": "delayed-send", "delay_s": 2.5})


def test_each_message_of_a_batch_is_decided_on_by_itself():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, *"abcd", action="SendMessageBatch")
        assert await scene.receive(queue) == ["a", "c"]
        scene.clock.advance(seconds=1)
        assert await scene.receive(queue) == ["b", "d"]
        assert scene.struck() == ["delayed-send"] * 2

    run(test, {"kind": "delayed-send", "when": {"every": 2}})


def test_only_the_action_that_is_named_is_delayed():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a", action="SendMessage")
        await scene.send(queue, "b", action="SendMessageBatch")
        assert await scene.receive(queue) == ["a"]

    run(test, {"kind": "delayed-send", "match": {"actions": ["SendMessageBatch"]}})


def test_no_message_of_a_fifo_queue_is_delayed():
    async def test(scene):
        queue = await scene.make("orders.fifo")
        await scene.send(queue, "a")
        assert await scene.receive(queue) == ["a"]
        assert scene.counters() == [(0, 0)]

    run(test, {"kind": "delayed-send"})
