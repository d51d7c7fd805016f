"""What every operation is given: the parts of the emulator, and who is asking."""

from dataclasses import dataclass, field

from emulator.clock import Clock
from emulator.engine.base import Engine
from emulator.ids import Ids
from emulator.settings import Settings
from emulator.signals import ClientGone, Signals


@dataclass(frozen=True, slots=True)
class Context:
    settings: Settings
    engine: Engine
    clock: Clock
    ids: Ids
    signals: Signals
    account: str
    region: str
    base_url: str
    """Scheme and host under which the caller reaches us; queue URLs begin with it."""
    trace_header: str | None = None
    """The X-Amzn-Trace-Id header, which becomes AWSTraceHeader of messages sent without one."""
    client_gone: ClientGone = field(default_factory=ClientGone)
