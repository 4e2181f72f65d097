"""Hosts over a plug-in, which do what they are told: see host.c, sharing_host.c and people_host.c."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

READY = 1
NOWHERE = "http://127.0.0.1:9/api"


class Host:
    def __init__(self, command: list[str | Path]) -> None:
        self.process = subprocess.Popen(command, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.errors = ""

    def do(self, line: str) -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip().removeprefix("HOIST_")

    def end(self) -> None:
        self.process.kill()
        self.errors += self.process.communicate()[1]


class Process:
    """One whose log is kept in a file."""

    def __init__(self, command: list[str | Path], log: Path) -> None:
        self.log = log
        with log.open("w") as errors:
            self.process = subprocess.Popen(command, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"}, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=errors, text=True)

    def do(self, line: str) -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def counters(self) -> dict[str, dict[str, int]]:
        told: dict[str, dict[str, int]] = json.loads(self.do("look").partition(" ")[2])
        return told

    def look(self) -> tuple[int, dict[str, int]]:
        state, _, told = self.do("look").partition(" ")
        counters = json.loads(told)
        return int(state), {**counters.get("shared_fetch", {}), "heard": counters["store"]["heard"]}

    @property
    def is_ready(self) -> bool:
        return self.look()[0] == READY

    def count(self, name: str) -> int:
        return self.look()[1][name]

    @property
    def has_fetched(self) -> bool:
        return "GET http" in self.log.read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()
