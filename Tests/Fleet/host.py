"""A host over a plug-in, which does what it is told: see host.c."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

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
