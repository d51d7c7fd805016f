"""Waiting for an event."""

import asyncio

from emulator.journal import EventKind, Filter
from tests.kit.journals import Story

PATIENCE_S = 10


def run(work):
    """Runs a test, a coroutine that is given a story and its queue."""

    async def told():
        story = Story()
        await asyncio.wait_for(work(story, story.queue()), PATIENCE_S)

    asyncio.run(told())


async def started(work):
    """A wait that found nothing yet."""
    task = asyncio.ensure_future(work)
    for _ in range(10):
        await asyncio.sleep(0)
    assert not task.done()
    return task


def test_what_has_happened_already_is_found_at_once():
    async def work(story, queue):
        story.live(queue, "a", "b")
        event = await story.journal.wait(Filter(text="b", kinds={EventKind.DELETED}), timeout_s=0)
        assert event.message_id == "id-b"

    run(work)


def test_a_wait_ends_with_the_event_that_fits():
    async def work(story, queue):
        wanted = Filter(text="b", kinds=frozenset({EventKind.DELETED}))
        wait = await started(story.journal.wait(wanted, timeout_s=PATIENCE_S))
        story.live(queue, "a")
        await started(asyncio.shield(wait))
        story.live(queue, "b")
        event = await wait
        assert (event.kind, event.message_id) == ("deleted", "id-b")

    run(work)


def test_only_what_comes_later_counts_if_asked_so():
    async def work(story, queue):
        story.send(queue, "a")
        after = story.journal.last_number
        wait = await started(story.journal.wait(Filter(), timeout_s=PATIENCE_S, after=after))
        story.send(queue, "b")
        assert (await wait).message_id == "id-b"

    run(work)


def test_what_time_alone_does_ends_a_wait():
    async def work(story, queue):
        wanted = Filter(kinds=frozenset({EventKind.RETURNED}))
        wait = await started(story.journal.wait(wanted, timeout_s=PATIENCE_S))
        story.send(queue, "a")
        story.receive(queue)
        story.now_ms += 60_000
        story.look(queue)
        assert (await wait).message_id == "id-a"

    run(work)


def test_nothing_comes_of_a_wait_in_vain():
    async def work(story, queue):
        story.send(queue, "a")
        assert await story.journal.wait(Filter(queue="other"), timeout_s=0.01) is None

    run(work)


def test_a_wait_survives_a_journal_that_is_forgotten():
    async def work(story, queue):
        story.live(queue, "a")
        wait = await started(story.journal.wait(Filter(text="b"), timeout_s=PATIENCE_S))
        story.journal.forget()
        story.send(queue, "b")
        assert (await wait).number == 1

    run(work)


def test_a_stop_ends_waits():
    async def work(story, queue):
        wait = await started(story.journal.wait(Filter(), timeout_s=PATIENCE_S))
        story.journal.close()
        assert await wait is None
        assert await story.journal.wait(Filter(), timeout_s=PATIENCE_S) is None

    run(work)


def test_a_wait_that_is_cancelled_leaves_nothing_behind():
    async def work(story, queue):
        wait = await started(story.journal.wait(Filter(), timeout_s=PATIENCE_S))
        wait.cancel()
        await asyncio.wait([wait])
        assert story.journal._waiters == []

    run(work)
