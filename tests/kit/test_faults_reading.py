import msgspec

from tests.kit.planned import run


def test_a_new_queue_is_listed_only_after_a_while():
    async def test(scene):
        await scene.make("old")
        scene.clock.advance(seconds=5)
        await scene.make("new")
        assert await scene.list() == ["old"]
        scene.clock.advance(ms=4999)
        assert await scene.list() == ["old"]
        scene.clock.advance(ms=1)
        assert await scene.list() == ["new", "old"]
        assert scene.counters() == [(2, 2)]

    run(test, {"kind": "stale-list", "lag_s": 5})


def test_a_queue_that_was_deleted_is_listed_for_a_while():
    async def test(scene):
        queue = await scene.make("a")
        await scene.make("b")
        scene.clock.advance(seconds=60)
        await delete(scene, queue)
        assert await scene.list() == ["a", "b"]
        assert await scene.list(prefix="b") == await scene.list(after="a") == ["b"]
        scene.clock.advance(seconds=5)
        assert await scene.list() == ["b"]

    run(test, {"kind": "stale-list", "lag_s": 5})


def test_only_queues_of_the_pattern_are_listed_late():
    async def test(scene):
        await scene.make("orders")
        await scene.make("mail")
        assert await scene.list() == ["mail"]

    run(test, {"kind": "stale-list", "match": {"queue": "ord*"}})


def test_a_page_is_filled_with_the_names_that_follow_those_left_out():
    async def test(scene):
        for number in range(10):
            await scene.make(f"{number}")
        assert await scene.list(limit=3) == ["1", "3", "5"]
        assert await scene.list(limit=3, after="5") == ["7", "9"]

    run(test, {"kind": "stale-list", "match": {"queue": "[02468]"}})


def test_pages_have_deleted_queues_in_their_places():
    async def test(scene):
        for number in range(6):
            await scene.make(f"{number}")
        scene.clock.advance(seconds=60)
        for number in (0, 3, 5):
            await delete(scene, await scene.find(f"{number}"))
        names, after = [], ""
        while page := await scene.list(limit=2, after=after):
            names += page
            after = page[-1]
        assert names == ["0", "1", "2", "3", "4", "5"]

    run(test, {"kind": "stale-list", "lag_s": 5})


def test_attributes_are_told_as_they_were_a_moment_ago():
    async def test(scene):
        queue = await scene.make(VisibilityTimeout="10")
        scene.clock.advance(seconds=100)
        await change(scene, queue, VisibilityTimeout="20")
        scene.clock.advance(seconds=30)
        await change(scene, queue, VisibilityTimeout="40")
        assert await timeout(scene, queue) == "10"
        scene.clock.advance(seconds=30)
        assert await timeout(scene, queue) == "20"
        scene.clock.advance(seconds=30)
        assert await timeout(scene, queue) == "40"
        assert scene.counters() == [(2, 2)]  # where nothing has changed, there is nothing to be late with

    run(test, {"kind": "stale-attributes", "lag_s": 60})


def test_counts_are_those_that_were_told_a_moment_ago():
    async def test(scene):
        queue = await scene.make()
        assert await visible(scene, queue) == "0"
        await scene.send(queue, "a")
        scene.clock.advance(seconds=59)
        assert await visible(scene, queue) == "0"
        scene.clock.advance(seconds=1)
        assert await visible(scene, queue) == "1"
        scene.clock.advance(seconds=3600)
        await scene.send(queue, "b")
        assert await visible(scene, queue) == "2"

    run(test, {"kind": "stale-attributes", "lag_s": 60})


def test_counts_that_nobody_asked_for_earlier_are_exact():
    async def test(scene):
        queue = await scene.make()
        await scene.send(queue, "a")
        assert await visible(scene, queue) == "1"

    run(test, {"kind": "stale-attributes"})


def test_what_a_clock_that_was_set_back_has_not_seen_yet_is_not_told():
    async def test(scene):
        queue = await scene.make()
        assert await visible(scene, queue) == "0"
        await scene.send(queue, "a")
        scene.clock.set(scene.clock.now_ms() - 1000)
        assert await visible(scene, queue) == "1"

    run(test, {"kind": "stale-attributes"})


async def delete(scene, queue):
    now_ms = scene.clock.now_ms()
    await scene.engine.delete_queue(queue.id, now_ms=now_ms)
    scene.faults.past.queue_deleted(queue, now_ms)


async def change(scene, queue, **attributes):
    before, now_ms = await scene.find(queue.name), scene.clock.now_ms()
    scene.faults.past.queue_changed(before, now_ms)
    changed = msgspec.structs.replace(before, attributes=before.attributes | attributes, modified_ms=now_ms)
    await scene.engine.update_queue(queue.id, lambda queue: changed)


async def timeout(scene, queue):
    return (await scene.attributes(queue, "VisibilityTimeout"))["VisibilityTimeout"]


async def visible(scene, queue):
    name = "ApproximateNumberOfMessages"
    return (await scene.attributes(queue, name))[name]
