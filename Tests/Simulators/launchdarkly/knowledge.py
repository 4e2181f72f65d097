"""What a check may consult besides the request itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from loopback.findings import Findings

from .ledger import Ledger
from .options import ServiceOptions


@dataclass(frozen=True)
class Knowledge:
    environment: Any
    """The `Environment` of the mode: what was served."""
    ledger: Ledger
    options: ServiceOptions
    now: Callable[[], int]
    """Milliseconds since 1970."""

    def check_time(self, findings: Findings, where: str, milliseconds: int) -> None:
        age, options = self.now() - milliseconds, self.options
        if options.maximum_age_ms is not None and age > options.maximum_age_ms:
            findings.add(where, f"{milliseconds} is too old for milliseconds since 1970")
        if options.maximum_skew_ms is not None and -age > options.maximum_skew_ms:
            findings.add(where, f"{milliseconds} is in the future")
