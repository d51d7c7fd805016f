"""What nodes tell each other, by LISTEN and NOTIFY: messages became available, queues changed.

A NOTIFY makes commits wait for each other, so it is not part of the transactions it tells about: it follows
them, on a connection of its own that waits for no disk, many notices at a time. Nothing rests on it but how
soon another node looks: what is lost with a node that dies is found at the next look.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import asyncpg  # type: ignore[import-untyped]

from emulator.engine.postgres.faults import LOST, explain

log = logging.getLogger(__name__)

PAUSE_S: Final = 0.002
"""Between two notices of a node: what comes in meanwhile goes together."""
PING_S: Final = 10.0
"""How often a silent connection is asked whether it is still there."""
AGAIN_S: Final = 0.5
"""From a failed attempt to connect to the next one."""
MAX_PAYLOAD: Final = 7_000
EVERYTHING: Final = "*"
_ALL: Final = 1_000_000
"""Receivers who wait: they look again, at a queue that is another one now."""

Connect = Callable[[], Any]


class Notices:
    def __init__(self, connect: Connect, channel: str) -> None:
        """`connect`: makes a connection, which waits for no disk."""
        self._connect = connect
        self._channel = channel
        self.on_notice: Callable[[int, int], None] = _nobody
        """Called with a queue's id and how many messages became available there, on another node."""
        self.on_blind: Callable[[], None] = lambda: None
        """Called when notices may have been missed: whoever waits should look."""
        self.on_changed: Callable[[int | None], None] = lambda queue_id: None
        """Called with the id of a queue that changed on another node; None: any of them did, or went."""
        self.on_gone: Callable[[int], None] = lambda queue_id: None
        """Called with the id of a queue that was deleted on another node."""
        self.on_hearing: Callable[[bool], None] = lambda hears: None
        """Called when this node begins, or ceases, to hear what others tell."""
        self._messages: Counter[int] = Counter()
        self._changed: set[str] = set()
        self._speaking: asyncio.Event = asyncio.Event()
        self._lost = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._pid = 0
        self._told: list[asyncio.Future[None]] = []
        self.hears = False

    async def start(self) -> None:
        """Raises what connecting raises."""
        connection = await self._open()
        self._tasks = [asyncio.get_running_loop().create_task(self._run(connection))]

    def tell(self, messages: Mapping[int, int]) -> None:
        self._messages.update(messages)
        self._speaking.set()

    async def tell_changed(self, queue_id: int | None, *, gone: bool = False) -> None:
        """Returns once it is told, or cannot be: other nodes will read anew."""
        word = f"gone{queue_id}" if gone else f"changed{queue_id}"
        self._changed.add(EVERYTHING if queue_id is None else word)
        self._speaking.set()
        if self.hears:
            told = asyncio.get_running_loop().create_future()
            self._told.append(told)
            await told

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._answer_told()

    async def _open(self) -> Any:
        connection = await self._connect()
        await connection.execute("SET synchronous_commit = off")
        await connection.add_listener(self._channel, self._heard)
        connection.add_termination_listener(lambda _: self._lost.set())
        self._lost.clear()
        self._pid = connection.get_server_pid()
        self._set_hears(True)
        return connection

    async def _run(self, connection: Any) -> None:
        while True:
            try:
                await self._speak(connection)
            except LOST as error:
                log.warning("the connection for notices was lost: %s", explain(error))
            except asyncpg.PostgresError as error:
                log.warning("the connection for notices is of no use: %s", explain(error))
            finally:
                self._set_hears(False)
                self._answer_told()
                connection.terminate()
            connection = await self._open_again()
            self.on_changed(None)
            self.on_blind()

    async def _open_again(self) -> Any:
        while True:
            try:
                return await self._open()
            except (*LOST, asyncpg.PostgresError) as error:
                log.debug("no connection for notices: %s", explain(error))
                await pause(AGAIN_S)

    async def _speak(self, connection: Any) -> None:
        """Until the connection is lost."""
        while True:
            try:
                async with asyncio.timeout(PING_S):
                    await _first_of(self._speaking, self._lost)
            except TimeoutError:
                await connection.execute("SELECT 1", timeout=PING_S)
                continue
            if self._lost.is_set():
                raise ConnectionError("the server closed it")
            self._speaking.clear()
            told, self._told = self._told, []
            try:
                for payload in self._payloads():
                    await connection.execute(
                        "SELECT pg_notify($1, $2)", self._channel, payload, timeout=PING_S
                    )
            finally:
                for one in told:
                    if not one.done():
                        one.set_result(None)
            await pause(PAUSE_S)

    def _payloads(self) -> list[str]:
        """Words: `*`, `changed7` and `gone7` for queue 7, `7:3` for three messages in it."""
        words = [*self._changed, *(f"{queue_id}:{count}" for queue_id, count in self._messages.items())]
        self._changed.clear()
        self._messages.clear()
        payloads, length = [""], 0
        for word in words:
            if length + len(word) >= MAX_PAYLOAD:
                payloads.append("")
                length = 0
            payloads[-1] += f"{word} "
            length += len(word) + 1
        return [payload for payload in payloads if payload]

    def _heard(self, connection: object, pid: int, channel: str, payload: str) -> None:
        if pid == self._pid:
            return
        for word in payload.split():
            queue_id, separator, count = word.partition(":")
            if word == EVERYTHING:
                self.on_changed(None)
                self.on_blind()
            elif separator:
                self.on_notice(int(queue_id), int(count))
            elif word.startswith("gone"):
                self.on_gone(int(word.removeprefix("gone")))
                self.on_notice(int(word.removeprefix("gone")), _ALL)
            else:
                self.on_changed(int(word.removeprefix("changed")))
                self.on_notice(int(word.removeprefix("changed")), _ALL)

    def _set_hears(self, hears: bool) -> None:
        self.hears = hears
        self.on_hearing(hears)

    def _answer_told(self) -> None:
        told, self._told = self._told, []
        for one in told:
            if not one.done():
                one.set_result(None)


def _nobody(queue_id: int, count: int) -> None:
    pass


async def _first_of(*events: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waiting:
            one.cancel()


async def pause(seconds: float) -> None:
    over = asyncio.Event()
    timer = asyncio.get_running_loop().call_later(seconds, over.set)
    try:
        await over.wait()
    finally:
        timer.cancel()
