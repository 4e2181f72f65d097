"""`hoist forward` as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from waiting import PATIENCE_S



class Forwarder:
    def __init__(self, command: list[str | Path], key: str, **environment: str) -> None:
        self.process = subprocess.Popen(command, env={**os.environ, "HOIST_KEY": key, "SWIFT_BACKTRACE": "enable=no", **environment},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # A line that never comes fails the test: reading ends with the process.
        self.limit = threading.Timer(PATIENCE_S, self.process.kill)
        self.limit.daemon = True
        self.limit.start()

    def wait_for(self, what: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self.process.stdout
        for line in self.process.stdout:
            told: dict[str, Any] = json.loads(line)
            if what(told):
                return told
        raise AssertionError(f"it ended: {self.end()}")

    def wait_for_figures(self, **wanted: int) -> dict[str, Any]:
        return self.wait_for(lambda told: told["event"] == "figures" and all(told[name] == value for name, value in wanted.items()))

    def end(self, number: int = signal.SIGKILL) -> tuple[int, str, str]:
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=PATIENCE_S)
        self.limit.cancel()
        return self.process.returncode, out, err
