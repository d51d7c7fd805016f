"""Several servers over one database, each in a process of its own."""

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.cli.servers import Server, running

STOP_S = 20
FLAGS = ("--no-cooldowns", "--postgres-connections", "6")


class Node:
    """A server that comes back on the port that it had."""

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        self._stack = ExitStack()
        self.logs: list[list[str]] = []
        """The lines that it wrote to stderr, for each time it ran."""
        self._begin("--port", "0")
        self.port = self.server.port

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self._begin("--port", str(self.port))

    def stop(self) -> None:
        code = self._end(signal.SIGTERM)
        assert code == 0, f"the node on port {self.port} ended with {code}: {self.logs[-1]}"

    def close(self) -> None:
        self._stack.close()

    def _begin(self, *flags: str) -> None:
        self.server: Server = self._stack.enter_context(running(*self._flags, *flags))
        stderr = self.server.process.stderr
        assert stderr is not None
        lines: list[str] = []
        self.logs.append(lines)
        # Read all the time: a server that cannot write would stand still.
        self._reader = threading.Thread(target=lambda: lines.extend(stderr), daemon=True)
        self._reader.start()

    def _end(self, by: signal.Signals) -> int:
        self.server.process.send_signal(by)
        code = self.server.process.wait(STOP_S)
        self._reader.join()
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
                assert "Traceback" not in "".join(log), "".join(log)

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
