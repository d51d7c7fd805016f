"""What the places where faults act have in common.

Each of them asks its context for the rules once: they may be taken away while a request waits.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from emulator.context import Context
from emulator.domain.model import Delivery, Draft, Queue
from emulator.faults.faults import Content, Faults, Occasion
from emulator.faults.rules import Rule

R = TypeVar("R", bound=Rule)


def occasion(
    ctx: Context, action: str, queue: Queue | None, messages: Sequence[Draft | Delivery] = ()
) -> Occasion:
    return Occasion(
        action=action,
        account=ctx.account,
        now_ms=ctx.clock.now_ms(),
        queue=None if queue is None else queue.name,
        is_fifo=queue is not None and queue.is_fifo,
        messages=[Content(message.body, message.attributes) for message in messages],
    )


def strike(
    ctx: Context,
    faults: Faults,
    kinds: type[R] | tuple[type[R], ...],
    here: Occasion,
    queue: Queue | None,
    *,
    message_id: str | None = None,
    applies: Callable[[R], bool] | None = None,
) -> R | None:
    """The rule that acts here, if any does; the journal is told."""
    rule = faults.strike(kinds, here, applies)
    if rule is not None and ctx.journal is not None:
        ctx.journal.fault(ctx, rule.name, rule.kind, queue, message_id=message_id)
    return rule
