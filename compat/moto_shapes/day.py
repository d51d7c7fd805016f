"""Compares the shapes of our answers with moto's, call by call, for every action of the service."""

import os
import sys
from dataclasses import dataclass

from calls import CALLS, Call
from departures import DEPARTURES, Departure
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
        reasons = [f"{each.reason} [{each.known_from}]" for each in self.departures()]
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
    titles = [call.title for call in CALLS]
    equal(len(set(titles)), len(titles), "number of distinct titles")
    named = {title for departure in DEPARTURES for title in departure.calls}
    equal(sorted(named - set(titles)), [], "departures of no call")


def every_action_is_compared(pair: Pair) -> None:
    client = pair.ours.client
    compared = {client.meta.method_to_api_mapping[call.method] for call in CALLS}
    equal(sorted(compared), sorted(client.meta.service_model.operation_names), "actions")


def main() -> int:
    steps = [every_departure_belongs_to_a_call, every_action_is_compared, *map(Comparison, CALLS)]
    with moto_server() as endpoint:
        pair = Pair(Server(os.environ["SQS_ENDPOINT"]), Server(endpoint))
        return run_steps("moto_shapes", steps, pair)


if __name__ == "__main__":
    sys.exit(main())
