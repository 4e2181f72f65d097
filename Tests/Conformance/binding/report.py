"""Counts what passed, and keeps what is to be said about what did not."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

SHOWN_FAILURES = 20


@dataclass
class Report:
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Cases that cannot be said here, by the reason."""
    lines: list[str] = field(default_factory=list)
    file: str = ""

    def check(self, case: object, expected: Any, actual: Any) -> None:
        """Compares two values of JSON; a number is never a bool, and members have no order."""
        if text(expected) == text(actual):
            self.passed += 1
        else:
            self.fail(case, text(expected), text(actual))

    def fail(self, case: object, expected: str, actual: str) -> None:
        self.failed += 1
        if self.failed <= SHOWN_FAILURES:
            self.lines += [f"FAILED {self.file} case {case}", f"  expected {expected}", f"  actual   {actual}"]
        elif self.failed == SHOWN_FAILURES + 1:
            self.lines.append("further failures are counted, not shown")

    def skip(self, count: int, reason: str) -> None:
        self.skipped[reason] += count


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
