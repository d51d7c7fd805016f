"""Several servers over one database, each in a process of its own."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.cli.servers import Server, running

FLAGS = ("--no-cooldowns", "--postgres-connections", "6")


class Node:
    """A server that comes back on the port that it had."""

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        self._stack = ExitStack()
        self.server: Server = self._stack.enter_context(running(*flags))
        self.port = self.server.port
        self.logs: list[str] = []
        """What it wrote to stderr, for each time it ran."""

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.server = self._stack.enter_context(running(*self._flags, "--port", str(self.port)))

    def stop(self) -> None:
        code = self._end(signal.SIGTERM)
        assert code == 0, f"the node on port {self.port} ended with {code}: {self.logs[-1]}"

    def close(self) -> None:
        self._stack.close()

    def _end(self, by: signal.Signals) -> int:
        code, _, log = self.server.stop(by)
        self.logs.append(log)
        self._stack.close()
        return code


class Cluster:
    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def start(self, *flags: str) -> None:
        """One more node."""
        self.nodes.append(Node(*FLAGS, *flags))

    @property
    def ports(self) -> list[int]:
        return [node.port for node in self.nodes]

    def stop(self) -> None:
        """All nodes. Fails if one of them had an error of its own."""
        for node in self.nodes:
            node.stop()
        for node in self.nodes:
            for log in node.logs:
                assert "Traceback" not in log, log

    def close(self) -> None:
        for node in self.nodes:
            node.close()


@contextmanager
def cluster(url: str, schema: str, count: int = 3) -> Iterator[Cluster]:
    """The nodes are gone at the end, whatever happened."""
    made = Cluster()
    try:
        for _ in range(count):
            made.start("--data", url, "--postgres-schema", schema)
        yield made
    finally:
        made.close()
