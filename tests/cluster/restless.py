"""The clients of tests/crash, on several nodes: whoever loses one goes on with another."""

import threading
from collections.abc import Sequence
from random import Random

from tests.cli.servers import Server
from tests.cluster.cluster import Cluster
from tests.crash.clients import Client, Consumer, Drainer, Producer, Redriver, ServerGone
from tests.crash.harness import create_queues
from tests.crash.ledger import Ledger

PRODUCERS, CONSUMERS, DRAINERS = 3, 5, 2
PAUSE_S = 0.02
"""Before the next node is tried."""
UNAVAILABLE = 503


class Restless:
    """Load from when it begins to when it is stopped."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.ledger = Ledger()
        self._cluster = cluster
        self._seed = seed
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, server: Server) -> None:
        create_queues(server)
        clients: list[Client] = [
            *(Producer(number, self._seed, self.ledger) for number in range(PRODUCERS)),
            *(Consumer(number, self._seed, self.ledger) for number in range(CONSUMERS)),
            Redriver(0, self._seed, self.ledger),
        ]
        for client in clients:
            client.on_answer = self._end_if_stopping
        self._run(clients)

    def stop(self) -> None:
        self._stopping.set()
        self._join()

    def drain(self) -> None:
        """Empties all queues through whichever node; move tasks come to their end."""
        self._stopping.clear()
        self._run([Drainer(number, self._seed, self.ledger) for number in range(DRAINERS)])
        self._join()

    def _end_if_stopping(self, action: str) -> None:
        if self._stopping.is_set():
            raise ServerGone(action)

    def _run(self, clients: Sequence[Client]) -> None:
        for client in clients:
            client.statuses_of_gone = (UNAVAILABLE,)
        self._threads = [
            threading.Thread(target=self._go_on, args=(client,), daemon=True) for client in clients
        ]
        for thread in self._threads:
            thread.start()

    def _go_on(self, client: Client) -> None:
        choices = Random(f"{self._seed}-{type(client).__name__}-{client.number}")
        while client.run(choices.choice(self._cluster.ports)) and not self._stopping.wait(PAUSE_S):
            pass

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()
