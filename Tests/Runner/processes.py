"""Commands hear interrupts, and one that is ended is ended with everything that it started."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def hear_interrupts() -> None:
    """A shell that starts the run in the background has it ignore interrupts, and tests of interrupts with it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def kill_tree(root: int) -> None:
    """Kills a process and its descendants. Each is stopped first, so that it starts no more while others are found."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        process = waiting.pop()
        if send(process, signal.SIGSTOP):
            found.append(process)
            waiting += children(process)
    for process in found:
        send(process, signal.SIGKILL)


def children(process: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except OSError:  # it has just ended
        return []


def send(process: int, number: signal.Signals) -> bool:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return True
