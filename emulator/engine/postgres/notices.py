"""What nodes tell each other, by LISTEN and NOTIFY: messages became available, queues or clocks changed.

A NOTIFY makes commits wait for each other, so it is not part of the transactions it tells about: it follows
them, on a connection of its own that waits for no disk, many notices at a time. Nothing rests on it but how
soon another node looks: what is lost with a node that dies is found at the next look.
"""

import asyncio
import itertools
import logging
import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import asyncpg
import msgspec

from emulator.engine.base import Listener
from emulator.engine.postgres.faults import LOST, explain

log = logging.getLogger(__name__)

PAUSE_S: Final = 0.002
"""Between two notices of a node: what comes in meanwhile goes together."""
PING_S: Final = 10.0
"""How often a silent connection is asked whether it is still there."""
AGAIN_S: Final = 0.5
"""From a failed attempt to connect to the next one."""
HEARD_S: Final = 1.0
"""How long it is waited for other nodes to say that they have heard something."""
MAX_PAYLOAD: Final = 7_000
EVERYTHING: Final = "*"
CLOCKS: Final = "clocks"

_OTHERS: Final = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE application_name = $1 AND datname = current_database() AND pid <> pg_backend_pid()"
)
_WORD: Final = re.compile(r"([a-z]+|\*|)(.*)")

Connect = Callable[[], Any]
Reading = asyncio.Future[None]


class _Asked(msgspec.Struct):
    """Other nodes are to say that they have heard it."""

    missing: int
    told: list[asyncio.Future[None]]


class Notices:
    def __init__(self, connect: Connect, schema: str) -> None:
        """`connect`: makes a connection, which waits for no disk, with the name of `name_of` this schema."""
        self._connect = connect
        self._channel = schema
        self._name = name_of(schema)
        self.listener: Listener | None = None
        self.on_changed: Callable[[int | None], Reading | None] = lambda queue_id: None
        """Called with the id of a queue that changed on another node; None: any of them did, or went."""
        self.on_gone: Callable[[int], None] = lambda queue_id: None
        """Called with the id of a queue that was deleted on another node."""
        self.on_hearing: Callable[[bool], None] = lambda hears: None
        """Called when this node begins, or ceases, to hear what others tell."""
        self._messages: Counter[int] = Counter()
        self._words: set[str] = set()
        self._speaking: asyncio.Event = asyncio.Event()
        self._lost = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._pid = 0
        self._told: list[asyncio.Future[None]] = []
        """Who waits until what is said next was heard."""
        self._asked: dict[str, _Asked] = {}
        self._questions = itertools.count(1)
        self._readings: set[Reading] = set()
        """What is being read because of what was heard."""
        self.hears = False

    async def start(self) -> None:
        """Raises what connecting raises."""
        connection = await self._open()
        self._tasks = [asyncio.get_running_loop().create_task(self._run(connection))]

    def tell(self, messages: Mapping[int, int]) -> None:
        self._messages.update(messages)
        self._speaking.set()

    async def tell_changed(self, queue_id: int | None, *, gone: bool = False) -> None:
        """As tell_word, of a queue, or of all."""
        word = f"gone{queue_id}" if gone else f"changed{queue_id}"
        await self.tell_word(EVERYTHING if queue_id is None else word)

    async def tell_word(self, word: str) -> None:
        """Returns once the other nodes have heard it, or cannot: they will read anew."""
        self._words.add(word)
        self._speaking.set()
        if self.hears:
            told = asyncio.get_running_loop().create_future()
            self._told.append(told)
            await told

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._give_up()

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
                self._give_up()
                connection.terminate()
            connection = await self._open_again()
            self._anything_may_have_changed()
            self._read_clocks()

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
            await self._say(connection)
            await pause(PAUSE_S)

    async def _say(self, connection: Any) -> None:
        question = self._ask() if self._told else None
        for payload in self._payloads(question):
            await connection.execute("SELECT pg_notify($1, $2)", self._channel, payload, timeout=PING_S)
        if question is None:
            return
        others = await connection.fetchval(_OTHERS, self._name, timeout=PING_S)
        self._count(question, others)
        asyncio.get_running_loop().call_later(HEARD_S, self._forget, question)

    def _payloads(self, question: str | None) -> list[str]:
        """Words: `*`, `clocks`, `changed7` and `gone7` for queue 7, `7:3` for three messages in it.

        `ask3.1` asks for `heard3.1`, and comes last.
        """
        words = [*self._words, *(f"{queue_id}:{count}" for queue_id, count in self._messages.items())]
        words += [] if question is None else [f"ask{question}"]
        self._words.clear()
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
            kind, rest = _WORD.fullmatch(word).groups()  # type: ignore[union-attr]
            if not kind:
                queue_id, _, count = rest.partition(":")
                if self.listener is not None:
                    self.listener.messages_came(int(queue_id), int(count))
            elif kind == EVERYTHING:
                self._anything_may_have_changed()
            elif kind == CLOCKS:
                self._read_clocks()
            elif kind == "ask":
                self._answer(rest)
            elif kind == "heard":
                self._count(rest, -1)
            else:
                (self.on_gone if kind == "gone" else self.on_changed)(int(rest))
                if self.listener is not None:
                    self.listener.queue_changed(int(rest))

    def _anything_may_have_changed(self) -> None:
        self._read(self.on_changed(None))
        if self.listener is not None:
            self.listener.lost_track()

    def _read_clocks(self) -> None:
        if self.listener is not None:
            self._read(asyncio.ensure_future(self.listener.clocks_changed()))

    def _read(self, reading: Reading | None) -> None:
        if reading is not None:
            self._readings.add(reading)
            reading.add_done_callback(self._readings.discard)

    def _set_hears(self, hears: bool) -> None:
        self.hears = hears
        self.on_hearing(hears)

    # Whether others have heard it

    def _ask(self) -> str:
        question = f"{self._pid}.{next(self._questions)}"
        self._asked[question] = _Asked(0, self._told)
        self._told = []
        return question

    def _answer(self, question: str) -> None:
        """Once all is read that it was told of before."""

        def answer(_: object = None) -> None:
            self._words.add(f"heard{question}")
            self._speaking.set()

        if self._readings:
            asyncio.gather(*self._readings, return_exceptions=True).add_done_callback(answer)
        else:
            answer()

    def _count(self, question: str, change: int) -> None:
        """`missing` may be below 0 for a moment: answers come before it is known how many there will be."""
        asked = self._asked.get(question)
        if asked is not None:
            asked.missing += change
            if asked.missing == 0:
                self._forget(question)

    def _forget(self, question: str) -> None:
        asked = self._asked.pop(question, None)
        for one in () if asked is None else asked.told:
            if not one.done():
                one.set_result(None)

    def _give_up(self) -> None:
        self._ask()
        for question in list(self._asked):
            self._forget(question)


def name_of(schema: str) -> str:
    """The application_name of connections that listen: those of one schema are counted by it."""
    return f"sqs-emulator notices {zlib.crc32(schema.encode()):08x}"


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
