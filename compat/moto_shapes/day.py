"""Compares the shapes of our answers with moto's, call by call. With --all also those of next_calls.py."""

import os
import sys
from dataclasses import dataclass

from calls import CALLS, Call
from departures import DEPARTURES
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
        departure = DEPARTURES.get(self.call.title)
        return self.call.title if departure is None else f"{self.call.title} (departs: {departure.reason})"

    def __call__(self, pair: Pair) -> None:
        found = differences(pair.ours.shape(self.call), pair.moto.shape(self.call))
        departure = DEPARTURES.get(self.call.title)
        allowed = frozenset() if departure is None else departure.differences
        unexplained, gone = sorted(found - allowed), sorted(allowed - found)
        holds(not unexplained, f"not allowed for: {'; '.join(unexplained)}")
        holds(not gone, f"no longer departs, take it out of departures.py: {'; '.join(gone)}")


def every_departure_belongs_to_a_call(_: Pair) -> None:
    titles = [call.title for call in (*CALLS, *NEXT)]
    equal(len(set(titles)), len(titles), "number of distinct titles")
    equal(sorted(set(DEPARTURES) - set(titles)), [], "departures of no call")


def main() -> int:
    calls = (*CALLS, *NEXT) if "--all" in sys.argv[1:] else CALLS
    steps = [every_departure_belongs_to_a_call, *map(Comparison, calls)]
    with moto_server() as endpoint:
        return run_steps("moto_shapes", steps, Pair(Server(os.environ["SQS_ENDPOINT"]), Server(endpoint)))


if __name__ == "__main__":
    sys.exit(main())
