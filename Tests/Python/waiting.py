"""Waiting for what another thread or the service does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Case = TypeVar("Case")


def side_by_side(cases: Iterable[Case], work: Callable[[Case], object]) -> None:
    """Runs a work for all cases at once: for those that spend their time waiting. Names the cases that fail."""
    cases = list(cases)
    with ThreadPoolExecutor(len(cases)) as pool:
        runs = [pool.submit(work, case) for case in cases]
    problems = [f"{case}: {run.exception()!r}" for case, run in zip(cases, runs, strict=True) if run.exception()]
    assert not problems, "\n".join(problems)


def until(condition: Callable[[], object], timeout: float = 10.0) -> bool:
    """Whether a condition came true in time."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def quickest(action: Callable[[], object], enough: float, times: int = 3) -> float:
    """How many seconds an action takes: a busy machine adds to one of several, but not to each."""
    taken: list[float] = []
    while len(taken) < times and (not taken or taken[-1] > enough):
        begin = time.monotonic()
        action()
        taken.append(time.monotonic() - begin)
    return min(taken)
