"""Everything that has a time, in accounts with times of their own."""

import asyncio
import json

import pytest

from emulator.errors import PurgeQueueInProgress, RequestThrottled
from tests.kit.accounts import A, Account, B, run, settled
from tests.support.clocks import START_MS

HALF_A_DAY_S = 43_200
FIFO = {"FifoQueue": "true", "ContentBasedDeduplication": "true"}


def arn(account, name):
    return f"arn:aws:sqs:us-east-1:{account}:{name}"


async def two_accounts_with_a_queue(emulator):
    first, second = Account(emulator, A), Account(emulator, B)
    return first, second, await first.make_queue(), await second.make_queue()


# Messages


def test_a_timeout_of_half_a_day_ends_for_one_account_and_not_for_another():
    async def work(emulator):
        first, second, mine, theirs = await two_accounts_with_a_queue(emulator)
        for account, queue in ((first, mine), (second, theirs)):
            await account.send(queue, "hello")
            await account.receive(queue, visibility_timeout=HALF_A_DAY_S)
        first.clock.advance(seconds=HALF_A_DAY_S)
        assert (await first.receive(mine), await second.receive(theirs)) == (["hello"], [])

    run(work)


def test_delays_end_and_messages_expire_by_the_accounts_clock():
    async def work(emulator):
        first, second, mine, theirs = await two_accounts_with_a_queue(emulator)
        await second.send(theirs, "old")
        for account, queue in ((first, mine), (second, theirs)):
            await account.send(queue, "delayed", delay_seconds=900)
        first.clock.advance(seconds=900)
        emulator.clock.advance(ms=1)
        assert await first.receive(mine) == ["delayed"]
        assert await second.receive(theirs) == ["old"]
        second.clock.advance(seconds=345_600)
        assert await second.receive(theirs) == []

    run(work)


def test_the_minute_after_a_purge_is_the_accounts():
    async def work(emulator):
        first, second, mine, theirs = await two_accounts_with_a_queue(emulator)
        await first.call("PurgeQueue", queue_url=mine)
        await second.call("PurgeQueue", queue_url=theirs)
        first.clock.advance(seconds=60)
        await first.call("PurgeQueue", queue_url=mine)
        with pytest.raises(PurgeQueueInProgress):
            await second.call("PurgeQueue", queue_url=theirs)

    run(work)


def test_quotas_count_the_seconds_of_each_account():
    async def work(emulator):
        first, second = Account(emulator, A), Account(emulator, B)
        queues = [await account.make_queue("orders.fifo", **FIFO) for account in (first, second)]
        for number in range(300):
            for account, queue in zip((first, second), queues, strict=True):
                await account.send(queue, str(number), message_group_id="g")
        for account, queue in zip((first, second), queues, strict=True):
            with pytest.raises(RequestThrottled):
                await account.send(queue, "x", message_group_id="g")
        first.clock.advance(seconds=1)
        await first.send(queues[0], "x", message_group_id="g")
        with pytest.raises(RequestThrottled):
            await second.send(queues[1], "x", message_group_id="g")

    run(work, fifo_quotas=True)


def test_calls_of_accounts_with_different_times_do_not_free_each_others_quotas():
    async def work(emulator):
        first, second = Account(emulator, A), Account(emulator, B)
        first.clock.advance(seconds=HALF_A_DAY_S)
        queues = [await account.make_queue("orders.fifo", **FIFO) for account in (first, second)]
        for _ in range(300):
            for account, queue in zip((first, second), queues, strict=True):
                await account.receive(queue)
        for account, queue in zip((first, second), queues, strict=True):
            with pytest.raises(RequestThrottled):
                await account.receive(queue)

    run(work, fifo_quotas=True)


# Long polls


def test_an_advance_ends_the_long_polls_of_its_account_only():
    async def work(emulator):
        first, second, mine, theirs = await two_accounts_with_a_queue(emulator)
        my_poll, their_poll = await first.poll(mine), await second.poll(theirs)
        first.clock.advance(ms=19_999)
        await settled()
        assert not my_poll.done()
        first.clock.advance(ms=1)
        assert await my_poll == []
        await settled()
        assert not their_poll.done()
        second.clock.advance(seconds=20)
        assert await their_poll == []

    run(work)


def test_an_advance_wakes_a_long_poll_for_a_message_that_becomes_due():
    async def work(emulator):
        first, second, mine, theirs = await two_accounts_with_a_queue(emulator)
        for account, queue in ((first, mine), (second, theirs)):
            await account.send(queue, "delayed", delay_seconds=5)
        my_poll, their_poll = await first.poll(mine), await second.poll(theirs)
        first.clock.advance(seconds=5)
        assert await my_poll == ["delayed"]
        await settled()
        assert not their_poll.done()
        emulator.clock.advance(seconds=5)
        assert await their_poll == ["delayed"]

    run(work)


def test_an_account_that_leaves_the_servers_time_takes_its_long_polls_along():
    async def work(emulator):
        first, second, mine, theirs = await two_accounts_with_a_queue(emulator)
        my_poll, their_poll = await first.poll(mine), await second.poll(theirs)
        first.clock.freeze()
        emulator.clock.advance(seconds=20)
        assert await their_poll == []
        await settled()
        assert not my_poll.done()
        first.clock.advance(seconds=20)
        assert await my_poll == []

    run(work)


@pytest.mark.parametrize("ahead_s", [HALF_A_DAY_S, 0, -HALF_A_DAY_S])
def test_a_long_poll_ends_although_its_account_was_dropped(ahead_s):
    async def work(emulator):
        first = Account(emulator, A)
        queue = await first.make_queue()
        first.clock.set(START_MS + ahead_s * 1000)
        poll = await first.poll(queue)
        emulator.worlds.drop(A)
        await settled()
        emulator.clock.advance(seconds=20)
        assert await poll == []

    run(work)


def test_a_long_poll_lasts_no_longer_than_its_wait_after_the_clock_was_set_back():
    async def work(emulator):
        first = Account(emulator, A)
        queue = await first.make_queue()
        poll = await first.poll(queue)
        first.clock.set(START_MS - HALF_A_DAY_S * 1000)
        await settled()
        first.clock.advance(ms=19_999)
        await settled()
        assert not poll.done()
        first.clock.advance(ms=1)
        assert await poll == []

    run(work)


def test_a_long_poll_gets_a_message_that_comes_after_the_clock_was_set_back():
    async def work(emulator):
        first = Account(emulator, A)
        queue = await first.make_queue()
        poll = await first.poll(queue)
        first.clock.set(START_MS - HALF_A_DAY_S * 1000)
        await first.send(queue, "hello")
        assert await poll == ["hello"]

    run(work)


def test_a_hundred_accounts_wait_and_each_is_woken_by_its_own_clock():
    async def work(emulator):
        accounts = [Account(emulator, f"{number:012}") for number in range(1, 101)]
        queues = [await account.make_queue() for account in accounts]
        waiting = zip(accounts, queues, strict=True)
        polls = [asyncio.ensure_future(one.receive(queue, wait_time_seconds=20)) for one, queue in waiting]
        await settled()
        for number, account in enumerate(accounts):
            account.clock.advance(seconds=20)
            await settled()
            assert [poll.done() for poll in polls] == [place <= number for place in range(100)]

    run(work)


# Move tasks


async def start_move(account, rate=1, count=10):
    """A task that moves `count` messages of a dead-letter queue of its own, at a rate; its first is moved."""
    name = "dead"
    dead = await account.make_queue(name)
    policy = {"deadLetterTargetArn": arn(account.name, name), "maxReceiveCount": 1}
    await account.make_queue("source", RedrivePolicy=json.dumps(policy))
    await account.make_queue("target")
    await account.send(dead, *(str(number) for number in range(count)))
    await account.call(
        "StartMessageMoveTask",
        source_arn=arn(account.name, "dead"),
        destination_arn=arn(account.name, "target"),
        max_number_of_messages_per_second=rate,
    )
    await settled()


async def moved(account):
    await settled()
    answer = await account.call("ListMessageMoveTasks", source_arn=arn(account.name, "dead"))
    return answer.results[0].approximate_number_of_messages_moved


def test_a_move_task_goes_at_the_rate_of_its_accounts_clock():
    async def work(emulator):
        first, second = Account(emulator, A), Account(emulator, B)
        for account in (first, second):
            await start_move(account)
        first.clock.advance(seconds=3)
        assert (await moved(first), await moved(second)) == (4, 1)
        emulator.clock.advance(seconds=1)
        assert (await moved(first), await moved(second)) == (4, 2)

    run(work)


def test_a_move_task_goes_on_although_the_clock_was_set_back():
    async def work(emulator):
        first = Account(emulator, A)
        await start_move(first)
        first.clock.advance(seconds=3)
        assert await moved(first) == 4
        first.clock.set(START_MS - HALF_A_DAY_S * 1000)
        before = await moved(first)
        first.clock.advance(seconds=2)
        assert await moved(first) == before + 2

    run(work)


def test_a_move_task_draws_its_ids_from_the_seed_of_its_account():
    found = []

    async def work(emulator):
        first, second = Account(emulator, A), Account(emulator, B)
        await start_move(second)
        emulator.worlds.reseed(first.world, 42)
        await start_move(first)
        answer = await first.call("ReceiveMessage", queue_url=f"http://x/{A}/target")
        found.append(answer.messages[0].message_id)

    run(work)
    run(work)
    assert found[0] == found[1]
