"""Hearing what nodes tell each other."""

import asyncio
from collections import Counter


async def until(found):
    """Waits for what another node is told."""
    for _ in range(500):
        if await found() if asyncio.iscoroutinefunction(found) else found():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come")


class Ears:
    """Hears what other nodes tell."""

    def __init__(self, engine):
        self.told = Counter()
        self.changed = []
        self.blind = asyncio.Event()
        self.clocks = 0
        engine.listen(self)

    def messages_came(self, queue_id, count):
        self.told[queue_id] += count

    def queue_changed(self, queue_id):
        self.changed.append(queue_id)

    def lost_track(self):
        self.blind.set()

    async def clocks_changed(self):
        self.clocks += 1
