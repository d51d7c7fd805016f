"""What every operation is given: the parts of the emulator, and who is asking."""

from typing import TYPE_CHECKING

import msgspec

from emulator.clock import Clock
from emulator.engine.base import Engine
from emulator.ids import Ids
from emulator.journal import Journal
from emulator.mover import Mover
from emulator.settings import Settings
from emulator.signals import ClientGone, Signals
from emulator.throttle import Throttle
from emulator.worlds import World

if TYPE_CHECKING:
    from emulator.faults import Faults


class Context(msgspec.Struct, frozen=True, kw_only=True):
    settings: Settings
    engine: Engine
    signals: Signals
    mover: Mover
    throttle: Throttle | None = None
    """None: calls are not counted."""
    journal: Journal | None = None
    """None: nothing is recorded."""
    world: World
    """The caller's account's time, ids and planned misbehaviour."""
    account: str
    region: str
    sender_id: str
    """The unique id of the caller, which messages carry as SenderId."""
    base_url: str
    """Scheme and host under which the caller reaches us; queue URLs begin with it."""
    request_id: str = ""
    trace_header: str | None = None
    """The X-Amzn-Trace-Id header, which becomes AWSTraceHeader of messages sent without one."""
    client_gone: ClientGone

    @property
    def clock(self) -> Clock:
        return self.world.clock

    @property
    def ids(self) -> Ids:
        return self.world.ids

    @property
    def faults(self) -> "Faults | None":
        """None: there are no rules."""
        return self.world.faults_here
