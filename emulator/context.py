"""What every operation is given: the parts of the emulator, and who is asking."""

import msgspec

from emulator.clock import Clock
from emulator.engine.base import Engine
from emulator.ids import Ids
from emulator.mover import Mover
from emulator.settings import Settings
from emulator.signals import ClientGone, Signals
from emulator.throttle import Throttle


class Context(msgspec.Struct, frozen=True, kw_only=True):
    settings: Settings
    engine: Engine
    clock: Clock
    ids: Ids
    signals: Signals
    mover: Mover
    throttle: Throttle
    account: str
    region: str
    sender_id: str
    """The unique id of the caller, which messages carry as SenderId."""
    base_url: str
    """Scheme and host under which the caller reaches us; queue URLs begin with it."""
    trace_header: str | None = None
    """The X-Amzn-Trace-Id header, which becomes AWSTraceHeader of messages sent without one."""
    client_gone: ClientGone
