"""What an account may have of its own: its time, its seed, its planned misbehaviour.

Tests that run next to each other use accounts of their own, and so never move each other's time.
"""

from typing import TYPE_CHECKING

from emulator.clock import AdjustableClock
from emulator.ids import Chance, Ids, SeededIds, seeded_chance

if TYPE_CHECKING:
    from emulator.faults import Faults


class World:
    """Of one account, or the server's. An account's follows the server's in all that was not set for it."""

    __slots__ = (
        "_chance",
        "_faults",
        "_followers",
        "_lent",
        "_server",
        "clock",
        "faults_here",
        "ids",
        "seed",
    )

    def __init__(self, clock: AdjustableClock, ids: Ids, server: "World | None" = None) -> None:
        self.clock = clock
        """The same object for ever; an account's leaves the server's time when it is adjusted."""
        self.ids = ids
        """Its own if it has a seed, else the server's."""
        self.seed: int | None = None
        self.faults_here: Faults | None = None
        """The rules that hold: its own, else the server's. Worked out when rules change, as every request
        looks at it."""
        self._faults: Faults | None = None
        self._server = server
        self._followers: list[World] = []
        self._chance: Chance | None = None
        self._lent: tuple[Faults, Faults] | None = None
        """The server's rules, and what they are with the chance of this world."""
        if server is not None:
            server._followers.append(self)
            self._settle()

    @property
    def faults(self) -> "Faults | None":
        """Its own rules; None while there are none."""
        return self._faults

    @faults.setter
    def faults(self, faults: "Faults | None") -> None:
        self._faults = faults
        self._settle()

    def _settle(self) -> None:
        self.faults_here = self._faults
        if self._faults is None and self._server is not None:
            self.faults_here = self._borrowed(self._server.faults)
        for follower in self._followers:
            follower._settle()

    def _borrowed(self, shared: "Faults | None") -> "Faults | None":
        if shared is None or self.seed is None:
            return shared
        if self._lent is None or self._lent[0] is not shared:
            self._lent = (shared, shared.drawing_from(self.chance))
        return self._lent[1]

    @property
    def chance(self) -> Chance:
        """For rules; it comes from the seed."""
        if self._chance is None:
            seed = self._server.seed if self._server is not None and self.seed is None else self.seed
            self._chance = seeded_chance(seed)
        return self._chance

    def _sow(self, seed: int | None, ids: Ids) -> None:
        self.seed, self.ids = seed, ids
        self._chance = self._lent = None
        if self._faults is not None:
            self._faults.restart(self.chance)
        self._settle()


class Worlds:
    def __init__(self, clock: AdjustableClock, ids: Ids) -> None:
        self.server = World(clock, ids)
        self._of_accounts: dict[str, World] = {}

    def of(self, account: str) -> World:
        """The same object for every call of an account, so that a request that waits notices what changes."""
        world = self._of_accounts.get(account)
        if world is None:
            world = World(self.server.clock.follower(), self.server.ids, self.server)
            self._of_accounts[account] = world
        return world

    def clock_of(self, account: str | None) -> AdjustableClock:
        """None stands for the server's."""
        return (self.server if account is None else self.of(account)).clock

    def accounts(self) -> list[str]:
        """Those that were asked for."""
        return list(self._of_accounts)

    def drop(self, account: str) -> None:
        """Nothing is the account's own any more. Whoever waits there goes on by the server's clock."""
        world = self._of_accounts.get(account)
        if world is not None:
            world.faults = None
            world._sow(None, self.server.ids)
            world.clock.restore()

    def drop_all(self) -> None:
        """The server's own stays as it is."""
        for account in list(self._of_accounts):
            self.drop(account)

    def reseed(self, world: World, seed: int) -> None:
        """Ids and rules begin anew from this seed. The server's holds for all accounts without one."""
        world._sow(seed, SeededIds(seed))
        if world is self.server:
            for follower in self._of_accounts.values():
                if follower.seed is None:
                    follower._sow(None, world.ids)
