"""What happened: every request with its answer, counters, violations, and waiting for them."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Callable

from .findings import Violation
from .wire import Headers, Request

KEPT_REQUESTS = 20_000


@dataclass
class Entry:
    """One request. `outcome` is open, answered, broken (on purpose) or gone (the client left)."""

    number: int
    at: float
    endpoint: str
    method: str
    target: str
    headers: Headers
    body: bytes
    client: str | None
    connection: int
    violations: list[Violation] = field(default_factory=list)
    status: int | None = None
    fault: str | None = None
    outcome: str = "open"

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number, "at": self.at, "endpoint": self.endpoint, "method": self.method,
            "target": self.target, "headers": [list(pair) for pair in self.headers],
            "body": self.body.decode("utf-8", "backslashreplace"), "client": self.client,
            "connection": self.connection, "violations": [str(v) for v in self.violations],
            "status": self.status, "fault": self.fault, "outcome": self.outcome,
        }


class Journal:
    """Thread-safe; keeps the last `KEPT_REQUESTS` requests and all counters."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.reset()

    def reset(self) -> None:
        with self._changed:
            self._entries: deque[Entry] = deque(maxlen=KEPT_REQUESTS)
            self._violations: list[Violation] = []
            self._received: Counter[str] = Counter()
            self._answered: Counter[str] = Counter()
            self._statuses: dict[str, Counter[str]] = {}
            self._in_flight: Counter[tuple[str, str | None]] = Counter()
            self._peak: dict[str, int] = {}
            self._number = 0

    def begin(self, endpoint: str, request: Request, client: str | None, connection: int,
              violations: list[Violation]) -> Entry:
        with self._changed:
            self._number += 1
            entry = Entry(self._number, time.time(), endpoint, request.method, request.target,
                          request.headers, request.body, client, connection, violations)
            self._entries.append(entry)
            self._violations += violations
            self._received[endpoint] += 1
            self._in_flight[endpoint, client] += 1
            self._peak[endpoint] = max(self._peak.get(endpoint, 0), self._in_flight[endpoint, client])
            self._changed.notify_all()
            return entry

    def finish(self, entry: Entry, outcome: str) -> None:
        """Closes an entry; a second call only corrects the outcome (the client turned out to be gone)."""
        with self._changed:
            was_open, entry.outcome = entry.outcome == "open", outcome
            self._changed.notify_all()
            if not was_open:
                return
            self._in_flight[entry.endpoint, entry.client] -= 1
            if outcome == "answered":
                self._answered[entry.endpoint] += 1
                by_status = self._statuses.setdefault(entry.endpoint, Counter())
                by_status[str(entry.status)] += 1

    def note(self, violation: Violation) -> None:
        """Records a violation that belongs to no single request."""
        with self._changed:
            self._violations.append(violation)
            self._changed.notify_all()

    @property
    def violations(self) -> list[Violation]:
        with self._changed:
            return list(self._violations)

    def requests(self, endpoint: str | None = None, since: int = 0) -> list[Entry]:
        """Kept requests with a number above `since`, oldest first."""
        with self._changed:
            return [e for e in self._entries if e.number > since and endpoint in (None, e.endpoint)]

    def count(self, endpoint: str) -> int:
        with self._changed:
            return self._received[endpoint]

    def counts(self) -> dict[str, Any]:
        """Requests received and answered per endpoint, answers by status, most in flight for one client."""
        with self._changed:
            return {
                "received": dict(self._received), "answered": dict(self._answered),
                "statuses": {name: dict(counter) for name, counter in self._statuses.items()},
                "mostInFlight": dict(self._peak),
            }

    def wait(self, endpoint: str, count: int, timeout: float, answered: bool = False) -> bool:
        """Waits until `count` requests of an endpoint were received (or answered) since the last reset."""
        def reached() -> bool:
            return (self._answered if answered else self._received)[endpoint] >= count

        return self.wait_until(reached, timeout)

    def wait_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Waits for a condition; it is looked at again whenever something happened."""
        with self._changed:
            return self._changed.wait_for(condition, timeout)

    def poke(self) -> None:
        """Makes waiters look at their condition again."""
        with self._changed:
            self._changed.notify_all()
