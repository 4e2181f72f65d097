"""How a scenario says what is not as the contract wants it, and the one file of what is known not to be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

FILE = Path(__file__).with_name("known-differences.txt")
Known = dict[tuple[str, str], str]
"""What happens today, by scenario and service."""

Value = TypeVar("Value")
_PREFACE = """\
# Where the library does not do yet what the contract says: the scenario, then services and what happens today. An entry
# that is not true any more fails the run: take it out. `Tests/Contract/run --record` writes the file anew.
"""


class Difference(AssertionError):
    """The library does something else than the contract says. The text is the same on every run."""


class Patience:
    """How long a scenario waits for what should happen. Shorter where it is known not to."""

    seconds = 8.0


def expect(actual: object, wanted: object, what: str) -> None:
    """Fails unless a thing is as wanted."""
    if actual != wanted:
        raise Difference(f"{what}: {_shown(actual)}, not {_shown(wanted)}")


def require(condition: object, what: str) -> None:
    """Fails, saying what is the case instead."""
    if not condition:
        raise Difference(what)


def until(condition: Callable[[], object], what: str, timeout: float | None = None) -> None:
    """Waits for a condition, and fails when it does not come true."""
    require(comes_true(condition, timeout), what)


def comes_true(condition: Callable[[], object], timeout: float | None = None) -> bool:
    """Whether a condition comes true in time."""
    deadline = time.monotonic() + (Patience.seconds if timeout is None else timeout)
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.003)
    return True


def returns(call: Callable[[], Value], what: str, timeout: float | None = None) -> Value:
    """What a call gives, which may not take for ever."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append((call(), None))
        except BaseException as problem:
            found.append((None, problem))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(Patience.seconds if timeout is None else timeout)
    require(found, f"{what} does not return")
    value, problem = found[0]
    if problem is not None:
        raise problem
    return value


def _shown(value: object) -> str:
    name = getattr(value, "name", None)
    return name if isinstance(name, str) and isinstance(value, int) else repr(value) if isinstance(value, str) else str(value)


def load() -> Known:
    known: Known = {}
    scenario = ""
    for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            scenario = line.strip()
            continue
        services, colon, today = line.strip().partition(": ")
        if not colon or not scenario:
            raise ValueError(f"{FILE.name}, line {number}: neither a scenario nor services and what happens")
        for service in services.split(", "):
            known[scenario, service] = today
    return known


def save(known: Known) -> None:
    """Writes the file, the services of one difference together."""
    grouped: dict[str, dict[str, list[str]]] = {}
    for (scenario, service), today in known.items():
        grouped.setdefault(scenario, {}).setdefault(today, []).append(service)
    lines = [_PREFACE]
    for scenario, found in grouped.items():
        lines.append(f"{scenario}\n" + "".join(f"    {', '.join(services)}: {today}\n" for today, services in found.items()))
    FILE.write_text("\n".join(lines), encoding="utf-8")
