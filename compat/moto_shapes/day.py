"""Compares the shapes of our answers with moto's, call by call. With --all also those of next_calls.py."""

import os
import sys
from dataclasses import dataclass

from calls import CALLS, Call
from departures import DEPARTURES, Departure
from next_calls import NEXT
from servers import Server, moto_server
from shapes import differences
from steps import equal, holds, run_steps


@dataclass(frozen=True)
class Pair:
    ours: Server
    moto: Server


@dataclass(frozen=True)
class Comparison:
    """One call as a step."""

    call: Call

    @property
    def title(self) -> str:
        reasons = [departure.reason for departure in self.departures()]
        return f"{self.call.title} (moto {'; '.join(reasons)})" if reasons else self.call.title

    def departures(self) -> list[Departure]:
        return [departure for departure in DEPARTURES if self.call.title in departure.calls]

    def __call__(self, pair: Pair) -> None:
        found = differences(pair.ours.shape(self.call), pair.moto.shape(self.call))
        allowed = frozenset(line for departure in self.departures() for line in departure.differences)
        unexplained, gone = sorted(found - allowed), sorted(allowed - found)
        holds(not unexplained, f"differs: {'; '.join(unexplained)}")
        holds(not gone, f"no longer departs, take it out of departures.py: {'; '.join(gone)}")


def every_departure_belongs_to_a_call(_: Pair) -> None:
    titles = [call.title for call in (*CALLS, *NEXT)]
    equal(len(set(titles)), len(titles), "number of distinct titles")
    named = {title for departure in DEPARTURES for title in departure.calls}
    equal(sorted(named - set(titles)), [], "departures of no call")


def main() -> int:
    calls = (*CALLS, *NEXT) if "--all" in sys.argv[1:] else CALLS
    steps = [every_departure_belongs_to_a_call, *map(Comparison, calls)]
    with moto_server() as endpoint:
        return run_steps("moto_shapes", steps, Pair(Server(os.environ["SQS_ENDPOINT"]), Server(endpoint)))


if __name__ == "__main__":
    sys.exit(main())
