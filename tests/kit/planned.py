"""One account of an emulator in this process, with faults planned for it."""

import asyncio

import msgspec

from emulator.app import open_emulator
from emulator.domain.model import ClaimOrder, Draft, Queue, QueueKey, Receipt
from emulator.faults import Faults, deleting, reading, receiving, requests, rule_of, sending
from emulator.ids import SeededIds, seeded_chance
from emulator.journal import EventKind, Filter
from emulator.operations import OPERATIONS
from emulator.settings import Settings
from emulator.signals import ClientGone
from tests.support.clocks import frozen_clock

ACCOUNT = "111111111111"


def planned(*rules, seed=7):
    faults = Faults(seeded_chance(seed))
    for rule in rules:
        faults.add(rule_of(rule))
    return faults


class Scene:
    """What the places where faults act are given, and what happened there."""

    def __init__(self, emulator, faults, account=ACCOUNT):
        self.emulator = emulator
        self.engine = emulator.engine
        self.clock = emulator.clock
        self.faults = faults
        emulator.worlds.of(account).faults = faults
        self.client_gone = ClientGone()
        plain = emulator.context(account, "us-east-1")
        self.ctx = msgspec.structs.replace(plain, client_gone=self.client_gone)

    async def make(self, name="orders", **attributes) -> Queue:
        if name.endswith(".fifo"):
            attributes["FifoQueue"] = "true"
        operation = OPERATIONS["CreateQueue"]
        await operation.run(self.ctx, operation.request(queue_name=name, attributes=attributes))
        return await self.find(name)

    async def find(self, name="orders") -> Queue:
        found = await self.engine.find_queue(QueueKey(self.ctx.account, "us-east-1", name))
        assert found is not None
        return found

    async def send(self, queue, *bodies, attributes=None, action="SendMessage"):
        drafts = [
            Draft(
                message_id=self.ctx.ids.uuid(),
                body=body,
                sent_ms=self.clock.now_ms(),
                due_ms=self.clock.now_ms(),
                sender_id="AIDA",
                attributes=attributes,
                group_id="g" if queue.is_fifo else None,
                deduplication_id=body if queue.is_fifo else None,
                deduplication_key=body if queue.is_fifo else None,
            )
            for body in bodies
        ]
        await self.engine.append(queue.id, sending.delayed(self.ctx, queue, drafts, action))

    async def claim(self, queue, limit=10, timeout_s=30, *, short_poll=True, **members):
        order = ClaimOrder(limit=limit, hide_ms=timeout_s * 1000, now_ms=self.clock.now_ms(), **members)
        claim = await receiving.claim(self.ctx, queue, order, short_poll=short_poll)
        return claim.deliveries

    async def receive(self, queue, limit=10, timeout_s=30, **members):
        return [one.body for one in await self.claim(queue, limit, timeout_s, **members)]

    async def delete(self, queue, *deliveries, action="DeleteMessage"):
        receipts = [Receipt(queue.id, one.seq, one.receive_count) for one in deliveries]
        return await deleting.delete(self.ctx, queue, receipts, action, now_ms=self.clock.now_ms())

    async def counts(self, queue):
        counts = await self.engine.counts(queue, now_ms=self.clock.now_ms())
        return counts.visible, counts.in_flight, counts.delayed

    async def list(self, prefix="", after="", limit=100):
        return await reading.list_queues(self.ctx, prefix=prefix, after=after, limit=limit)

    async def attributes(self, queue, *names):
        return await reading.attributes(self.ctx, await self.find(queue.name), names)

    async def ask(self, action, **members):
        """What becomes of a request."""
        return await requests.fate_of(self.ctx, action, OPERATIONS[action].request(**members))

    def struck(self):
        """The names of the rules that acted, in order."""
        found = self.ctx.journal.query(Filter(kinds=frozenset({EventKind.FAULT})), limit=10_000)
        return [event.details.fault for event in found]

    def counters(self):
        return [(one.matched, one.acted) for one in self.faults.rules()]


def run(test, *rules, seed=7, **settings):
    """Runs a test, a coroutine, with a scene in which these rules are set."""

    async def opened():
        emulator = await open_emulator(Settings(**settings), clock=frozen_clock(), ids=SeededIds())
        try:
            return await test(Scene(emulator, planned(*rules, seed=seed)))
        finally:
            await emulator.close()

    return asyncio.run(opened())
