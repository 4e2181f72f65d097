"""The tool as a process: run to its end, kept running, or on a terminal of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

ROOT = Path(__file__).resolve().parents[2]
FEATURES = ROOT / "Examples/data/features.json"
PROGRAM = os.environ.get("HOIST_CLI", str(ROOT / ".build-release/bin/hoist"))
LIMIT = 60.0
"""Seconds after which a run counts as hanging; none of them comes near."""


@dataclass
class Result:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def table(self) -> list[list[str]]:
        """Cells of each line below the header, by the columns of the header."""
        header, *lines = self.out.splitlines()
        starts = [at for at, letter in enumerate(header) if letter != " " and (at == 0 or header[at - 1] == " ")]
        ends = [*starts[1:], None]
        return [[line[start:end].strip() for start, end in zip(starts, ends)] for line in lines]


def environment(home: Path, extra: dict[str, str]) -> dict[str, str]:
    """Nothing of the machine's own that the tool reads."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": str(home), "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no", **extra}


class Tool:
    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: object, key: str | None = None, stdin: str = "", **extra: str) -> Result:
        done = subprocess.run(self.command(arguments), input=stdin, capture_output=True, text=True, timeout=LIMIT,
                              env=self.environment(key, extra))
        return Result(done.returncode, done.stdout, done.stderr)

    def offline(self, command: str, *arguments: object, **more: str) -> Result:
        return self(command, *arguments, "--features", FEATURES, **more)

    def start(self, *arguments: object, key: str | None = None, **extra: str) -> Running:
        return Running(subprocess.Popen(self.command(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=self.environment(key, extra)))

    def on_terminal(self, *arguments: object, columns: int = 80, key: str | None = None, until: str = "",
                    **extra: str) -> str:
        """What a terminal receives, to the end, or until a text has come; then the tool is interrupted."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        child = subprocess.Popen(self.command(arguments), stdin=follower, stdout=follower, stderr=follower,
                                 env=self.environment(key, {"TERM": "xterm", **extra}))
        os.close(follower)
        try:
            return _read(leader, until)
        finally:
            child.send_signal(signal.SIGINT)
            child.wait(LIMIT)
            os.close(leader)

    @staticmethod
    def command(arguments: tuple[object, ...]) -> list[str]:
        return [PROGRAM, *map(str, arguments)]

    def environment(self, key: str | None, extra: dict[str, str]) -> dict[str, str]:
        return environment(self.home, {**({"HOIST_KEY": key} if key else {}), **extra})


def _read(leader: int, until: str) -> str:
    received = b""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        if not select.select([leader], [], [], 1)[0]:
            continue
        try:
            piece = os.read(leader, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        received += piece
        if not piece or until and until in received.decode(errors="replace"):
            break
    return received.decode().replace("\r\n", "\n")


class Running:
    """A tool that goes on until it is told to stop."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        # A line that never comes fails the test: reading ends with the process.
        self.limit = threading.Timer(LIMIT, process.kill)
        self.limit.start()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.limit.cancel()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def line(self) -> str:
        """The next line; "" at the end."""
        return self.process.stdout.readline().rstrip("\n")

    def events(self) -> Iterator[dict[str, Any]]:
        for line in self.process.stdout:
            yield json.loads(line)

    def wait_for(self, event: str) -> dict[str, Any]:
        for found in self.events():
            if found["event"] == event:
                return found
        raise AssertionError(f"the tool ended without {event}: {self.process.stderr.read()}")

    def interrupt(self) -> int:
        """The exit status, and how long it took must not matter: the limit is there for hanging."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(5)

    def end(self) -> Result:
        out, err = self.process.communicate(timeout=LIMIT)
        return Result(self.process.returncode, out, err)
