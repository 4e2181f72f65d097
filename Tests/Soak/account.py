"""What came of a day: what the program said, and what the service was told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

HOUR = 60
"""Minutes."""


@dataclass
class Day:
    name: str
    hours: int
    status: int | None = None
    """None: it had to be ended."""
    samples: list[dict[str, Any]] = field(default_factory=list)
    """What the program told, with the numbers of requests and open streams at that moment."""
    said: dict[str, Counter[str]] = field(default_factory=lambda: {what: Counter() for what in ("recorded", "unsaved", "refused")})
    """The events, by what the service tells them by."""
    arrived: Counter[str] = field(default_factory=Counter)
    unheard: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    complaints: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def told(self, when: str) -> list[dict[str, Any]]:
        return [sample for sample in self.samples if sample["when"] == when]
