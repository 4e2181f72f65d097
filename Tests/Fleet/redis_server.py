"""A server of the tests' own, and the few words of its protocol that they speak."""

from __future__ import annotations

import random
import socket
import subprocess
from pathlib import Path
from types import TracebackType


class Wire:
    """One connection to Redis."""

    def __init__(self, place: str | tuple[str, int]) -> None:
        self.socket = socket.socket(socket.AF_UNIX if isinstance(place, str) else socket.AF_INET)
        self.socket.connect(place)
        self.lines = self.socket.makefile("rb")

    def close(self) -> None:
        self.lines.close()
        self.socket.close()

    def ask(self, *words: object) -> object:
        told = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(told) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in told))
        return self._answer()

    def _answer(self) -> object:
        line = self.lines.readline()
        assert line.endswith(b"\r\n"), "the server has gone"
        kind, rest = line[:1], line[1:-2]
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.lines.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self._answer() for _ in range(int(rest))]
        return rest.decode()


class RedisServer:
    """`redis-server` on a unix socket in a folder of its own, and, if asked for, on a port of this machine."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        # A socket's path has to be short: the folder is the current one of the server.
        self.folder, self.options, self.port = folder, options, port
        self.socket = str(folder / "r.sock")
        self.process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", self.socket, "--dir", str(self.folder),
                   "--save", "", "--appendonly", "no", "--daemonize", "no", *self.options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        assert self.process.stdout
        said = []
        for line in self.process.stdout:
            said.append(line)
            if "accept connections at" in line:
                return
        raise AssertionError("redis-server has not started:\n" + "".join(said))

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            assert self.process.stdout
            self.process.stdout.close()
        self.process = None

    def ask(self, *words: object) -> object:
        wire = Wire(self.socket)
        try:
            return wire.ask(*words)
        finally:
            wire.close()

    def names(self) -> list[str]:
        found = self.ask("KEYS", "*")
        assert isinstance(found, list)
        return sorted(one.decode() for one in found)

    def pass_a_tick(self) -> None:
        """Until the server's own clock, by which leases are judged, shows another millisecond, and one more."""
        def now() -> int:
            seconds, micros = self.ask("TIME")  # type: ignore[misc]
            return int(seconds) * 1000 + int(micros) // 1000
        began = now()
        while now() < began + 2:
            pass

    def __enter__(self) -> RedisServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def free_port() -> int:
    """One below those that the machine gives out, so that no other test gets it by chance before it is used, or between two uses."""
    while True:
        with socket.socket() as taken:
            try:
                taken.bind(("127.0.0.1", random.randrange(10_000, 32_768)))
                return int(taken.getsockname()[1])
            except OSError:
                pass
