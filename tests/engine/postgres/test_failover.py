"""A primary with a synchronous standby is killed under load: the standby takes over, and nothing is lost."""

import asyncio
from collections import Counter

import pytest

from emulator.engine.postgres.engine import open_postgres
from emulator.errors import ServiceUnavailable
from emulator.ids import RandomIds
from tests.engine.factories import NOW_MS, draft, key, order, receipt
from tests.support.standby import primary_and_standby


@pytest.fixture
def pair():
    with primary_and_standby() as pair:
        yield pair


class Load:
    """Clients that send, receive and delete through several nodes, and note what was acknowledged."""

    def __init__(self, nodes, queue, loop):
        self.nodes, self.queue, self.loop = nodes, queue, loop
        self.sent, self.deleted, self.unsure = set(), Counter(), set()
        self.refusals, self.last_good = 0, loop.time()
        self.longest_s = 0.0
        self.stopping = False

    async def call(self, work):
        try:
            found = await work
        except ServiceUnavailable:
            self.refusals += 1
            await asyncio.sleep(0.05)
            return None
        self.longest_s = max(self.longest_s, self.loop.time() - self.last_good)
        self.last_good = self.loop.time()
        return found

    async def send(self, node, name):
        number = 0
        while not self.stopping:
            number += 1
            body = f"{name}-{number}"
            members = {"group": f"g{number % 5}"} if self.queue.is_fifo else {}
            if await self.call(node.append(self.queue.id, [draft(body, **members)])) is not None:
                self.sent.add(body)

    async def receive(self, node, *, until_empty=False):
        while not self.stopping or until_empty:
            claim = await self.call(node.claim(self.queue, order(hide_ms=3_600_000)))
            if claim is None:
                continue
            for one in claim.deliveries:
                done = await self.call(node.delete(self.queue, [receipt(self.queue, one)], now_ms=NOW_MS))
                if done is None:
                    self.unsure.add(one.body)
                else:
                    self.deleted[one.body] += 1
            if until_empty and not claim.deliveries:
                return


@pytest.mark.parametrize("name", ["orders", "orders.fifo"])
@pytest.mark.timeout(180)
def test_a_primary_that_is_killed_under_load_loses_nothing(pair, loop, name):
    primary, standby, url = pair

    async def work():
        nodes = [await open_postgres(url, RandomIds(), connections=6) for _ in range(2)]
        attributes = {"FifoQueue": "true"} if name.endswith("fifo") else {}
        _, queue = await nodes[0].create_queue(key(name), attributes, {}, now_ms=NOW_MS, name_lock_ms=0)
        load = Load(nodes, queue, loop)
        clients = [
            loop.create_task(load.send(node, f"{n}-{c}")) for n, node in enumerate(nodes) for c in range(4)
        ]
        clients += [loop.create_task(load.receive(node)) for node in nodes for _ in range(2)]
        await asyncio.sleep(2)
        before = len(load.sent)
        assert before
        load.longest_s = 0.0
        await loop.run_in_executor(None, primary.kill)
        await loop.run_in_executor(None, standby.promote)
        while load.loop.time() - load.last_good > 0.2 or len(load.sent) < before + 50:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        load.stopping = True
        await asyncio.gather(*clients)
        seen = set()
        left = [one.delivery.body for one in await nodes[0].peek(queue, now_ms=NOW_MS, limit=100_000)]
        seen.update(left)
        counts = await nodes[1].counts(queue, now_ms=NOW_MS)
        assert counts.visible + counts.in_flight + counts.delayed == len(left) == len(seen)
        for node in nodes:
            await node.close()
        return load, seen

    load, left = loop.run_until_complete(work())
    print(f"{len(load.sent)} sent, {len(load.deleted)} deleted, {load.longest_s:.2f} s unavailable")
    assert load.refusals
    assert set(load.deleted.values()) == {1}
    assert not left & set(load.deleted), "a message that was deleted is there again"
    lost = load.sent - left - set(load.deleted) - load.unsure
    assert not lost
    assert load.longest_s < 30
