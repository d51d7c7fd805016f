"""Commands for people: they ask a running emulator over HTTP, with the same client that tests use.

Imported when one of them is named: starting a server needs none of it.
"""

import functools
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import click
import msgspec

from emulator import cli_views as views
from emulator.settings import account_id, region_name
from emulator.testing.answers import QueueInfo
from emulator.testing.connection import KitError, NotReached
from emulator.testing.kit import Kit
from emulator.testing.sqs import QueueCalls, Received

DEFAULT_URL = "http://127.0.0.1:9324"
STATES = ("visible", "in-flight", "delayed", "locked")
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|)")
UNITS_MS = {"ms": 1, "s": 1_000, "": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


class Refused(click.ClickException):
    """The emulator says no."""

    exit_code = 1


class Unreached(click.ClickException):
    """There is no emulator."""

    exit_code = 3


def read_by(read: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Makes an option's callback of a function that reads a text, or says in a ValueError what is wrong."""

    def callback(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
        try:
            if isinstance(given, tuple):
                return [read(text) for text in given]
            return None if given is None else read(given)
        except ValueError as error:
            raise click.BadParameter(str(error), context, parameter) from error

    return callback


def duration_ms(text: str) -> int:
    found = DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a duration such as 500ms, 30s, 15m, 12h or 4d")
    return round(float(found[1]) * UNITS_MS[found[2]])


def name_and_value(text: str) -> tuple[str, str]:
    name, given, value = text.partition("=")
    if not name or not given:
        raise ValueError(f"{text!r} is not NAME=VALUE")
    return name, value


def fault_member(text: str) -> tuple[str, Any]:
    """What reads as JSON is taken as JSON, and lists may be written with commas."""
    try:
        name, value = name_and_value(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if name == "actions":
        return name, value.split(",")
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value


class Asked(msgspec.Struct, frozen=True):
    """Whom a command asks, and how it shows the answer."""

    kit: Kit
    as_json: bool

    def at(self, queue: str) -> tuple[Kit, QueueInfo]:
        """The queue, wherever it is, and a client for its account and region."""
        found = self.kit.queue(queue)
        return Kit(self.kit.url, found.account, found.region), found

    def show(self, answer: Any, readable: Callable[[], str]) -> None:
        text = (
            msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()
            if self.as_json
            else readable()
        )
        click.echo(text)


OPTIONS = (
    click.option(
        "--url",
        envvar="SQS_EMULATOR_URL",
        default=DEFAULT_URL,
        show_default=True,
        show_envvar=True,
        metavar="URL",
        help="Where the emulator answers.",
    ),
    click.option(
        "--account", callback=read_by(account_id), metavar="ID", help="Only this account (12 digits)."
    ),
    click.option("--region", callback=read_by(region_name), metavar="NAME", help="Only this region."),
    click.option("--json", "as_json", is_flag=True, help="Answer in JSON, with everything there is to say."),
)


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options that all of them have, and hands it an `Asked` in their place."""

    @functools.wraps(command)
    def asking(*, url: str, account: str | None, region: str | None, as_json: bool, **arguments: Any) -> None:
        try:
            command(Asked(Kit(url, account, region), as_json), **arguments)
        except BrokenPipeError:  # whoever reads has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except NotReached as error:
            raise Unreached(error.detail) from error
        except KitError as error:
            raise Refused(error.detail) from error

    for option in reversed(OPTIONS):
        asking = option(asking)
    return asking


FILTERS = (
    click.option("--text", metavar="TEXT", help="Only messages with this in the body."),
    click.option("--attribute", metavar="NAME[=VALUE]", help="Only messages with this attribute."),
    click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="At most so many."),
)


def filtered(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(FILTERS):
        command = option(command)
    return command


@click.command
@click.option("--prefix", metavar="TEXT", help="Only names that begin like this.")
@asks
def queues(asked: Asked, prefix: str | None) -> None:
    """List queues and how many messages they have."""
    found = asked.kit.queues(prefix)
    asked.show(found, lambda: views.queue_table(found))


@click.command
@click.argument("queue")
@click.option("--state", type=click.Choice(STATES), multiple=True, help="Only these; may be given again.")
@filtered
@asks
def peek(asked: Asked, queue: str, state: Sequence[str], **filters: Any) -> None:
    """Show messages without receiving them.

    QUEUE is a name, a queue URL or an ARN.
    """
    there, _ = asked.at(queue)
    found = there.peek(queue, state=state or None, **filters)
    asked.show(found, lambda: views.message_table(found))


@click.command
@click.argument("message_id", required=False)
@click.option("--queue", metavar="QUEUE", help="Only what happened in this queue.")
@click.option("--kind", metavar="EVENT", multiple=True, help="Only such as deleted; may be given again.")
@filtered
@asks
def history(asked: Asked, message_id: str | None, kind: Sequence[str], limit: int, **filters: Any) -> None:
    """Show the life of one message, or what happened last.

    Deleted messages are still there.
    """
    if message_id is not None and not kind and not any(filters.values()):
        life = asked.kit.history(message_id)
        asked.show(life, lambda: views.life(life))
        return
    journal = asked.kit.journal
    # Without filters, the last events are those with the last numbers; else all that fit have to be read.
    after = max(0, journal.last_number() - limit) if message_id is None and not any(filters.values()) else 0
    found = journal.events(kind=list(kind) or None, message_id=message_id, after=after, **filters)[-limit:]
    asked.show(found, lambda: views.event_table(found))


@click.command
@click.argument("duration", callback=read_by(duration_ms), default="0s")
@click.option("--freeze", "course", flag_value="freeze", help="Then let the clock stand still.")
@click.option("--resume", "course", flag_value="resume", help="Then let the clock run on.")
@asks
def advance(asked: Asked, duration: int, course: str | None) -> None:
    """Move the clock forward.

    DURATION is such as 500ms, 30s, 15m, 12h or 4d. With --account it is the clock of this account, which
    then leaves the server's; without, that of the server and of all accounts that follow it.
    """
    clock = asked.kit.clock
    reading = clock.advance(ms=duration)
    if course is not None:
        reading = clock.freeze() if course == "freeze" else clock.resume()
    asked.show(reading, lambda: views.clock(reading))


@click.command
@click.option("--queue", metavar="QUEUE", help="Only empty this queue.")
@asks
def reset(asked: Asked, queue: str | None) -> None:
    """Forget queues and messages, or empty one queue.

    History, and the clocks, seeds and faults of accounts are forgotten with them.
    """
    if queue is not None:
        there, _ = asked.at(queue)
        there.reset(queue)
        asked.show({"queues": 1}, lambda: f"{queue} is empty")
        return
    gone = asked.kit.reset()
    asked.show({"queues": gone}, lambda: f"{views.count(gone, 'queue')} forgotten")


@click.command
@click.argument("queue")
@click.argument("body", required=False)
@click.option(
    "--attribute",
    callback=read_by(name_and_value),
    multiple=True,
    metavar="NAME=VALUE",
    help="A message attribute (a String); may be given again.",
)
@click.option("--group", metavar="ID", help="The MessageGroupId.")
@click.option("--deduplication-id", metavar="ID", help="The MessageDeduplicationId.")
@click.option("--delay", metavar="SECONDS", type=int, help="How long nobody can receive it.")
@asks
def send(
    asked: Asked,
    queue: str,
    body: str | None,
    attribute: Sequence[tuple[str, str]],
    group: str | None,
    deduplication_id: str | None,
    delay: int | None,
) -> None:
    """Send BODY, or standard input, to QUEUE."""
    _, info = asked.at(queue)
    sent = QueueCalls(info).send(
        sys.stdin.read() if body is None else body,
        MessageAttributes={name: {"DataType": "String", "StringValue": value} for name, value in attribute},
        MessageGroupId=group,
        MessageDeduplicationId=deduplication_id,
        DelaySeconds=delay,
    )
    asked.show(sent, lambda: sent.message_id)


@click.command
@click.argument("queue")
@asks
def drain(asked: Asked, queue: str) -> None:
    """Receive and delete the visible messages of QUEUE."""
    _, info = asked.at(queue)
    taken: list[Received] = []
    try:
        for batch in QueueCalls(info).take_all():
            taken += batch
    finally:  # what is deleted is shown, whatever ended it
        asked.show(taken, lambda: views.received_table(taken))


@click.command
@click.argument("file", type=click.File("wb", lazy=True))
@asks
def snapshot(asked: Asked, file: BinaryIO) -> None:
    """Write the whole state to FILE.

    FILE is a data file, which `serve --data` takes, too. - stands for standard output.
    """
    state = asked.kit.snapshot()  # before the file is opened
    file.write(state)


@click.command
@click.argument("file", type=click.File("rb"))
@asks
def restore(asked: Asked, file: BinaryIO) -> None:
    """Replace the whole state by that of FILE.

    FILE is a snapshot or a data file. - stands for standard input.
    """
    asked.kit.restore(file.read())


@click.command
@click.argument("action", type=click.Choice(["list", "add", "remove", "clear", "profile"]), default="list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@asks
def faults(asked: Asked, action: str, words: tuple[str, ...]) -> None:
    """Show the planned faults, or change them.

    \b
    faults                                  what is planned, and how often it acted
    faults add KIND [NAME=VALUE]...         add throttle queue=orders every=3
    faults remove NAME
    faults profile aws|hostile|none
    faults clear

    With --account those of this account, else those of all that have none of their own.
    """
    control = asked.kit.faults
    if action in ("add", "remove", "profile") and not words:
        raise click.UsageError(f"faults {action} needs a {'KIND' if action == 'add' else 'NAME'}")
    if action == "add":
        control.add(words[0], **dict(map(fault_member, words[1:])))
    elif action == "remove":
        for name in words:
            control.remove(name)
    elif action == "clear":
        control.clear()
    elif action == "profile":
        control.profile(words[0])
    planned = control.planned()
    asked.show(planned, lambda: views.fault_table(planned))


COMMANDS: dict[str, click.Command] = {
    "queues": queues,
    "peek": peek,
    "history": history,
    "send": send,
    "drain": drain,
    "advance": advance,
    "reset": reset,
    "faults": faults,
    "snapshot": snapshot,
    "restore": restore,
}
"""In the order of the help text."""
