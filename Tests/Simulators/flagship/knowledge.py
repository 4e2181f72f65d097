"""What a check may consult besides the request itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loopback.findings import Findings
from loopback.wire import Request

from .environment import Environment, Environments
from .ledger import Ledger
from .options import Options
from .routes import BUCKETING, DECISIONS, OWN_DECISIONS


@dataclass(frozen=True)
class Knowledge:
    environments: Environments
    ledger: Ledger
    options: Options
    now: int
    """Milliseconds since 1970."""
    asked: Callable[[str], int]
    """How many requests of an endpoint came, whatever became of them."""

    def takes_segments(self, visitor: str) -> bool:
        """Whether there may be SEGMENT hits of a visitor: not where the service makes the decisions (3.2)."""
        if self.options.segments != "bucketing":
            return self.options.segments == "any"
        asks_service = self.asked(DECISIONS) + self.asked(OWN_DECISIONS) > 0
        return not self.ledger.is_decided(visitor) and (self.asked(BUCKETING) > 0 or not asks_service)

    def environment(self, findings: Findings, where: str, identifier: str) -> Environment | None:
        """The environment that a body names."""
        found = self.environments.find(identifier)
        findings.require(found is not None, where, f"{identifier} is no environment")
        return found

    def sender(self, findings: Findings, request: Request) -> tuple[str, str] | None:
        """Name and version of the client as the headers have them, for bodies to agree; None for faulty headers."""
        if any(finding.where.startswith("header x-sdk-") for finding in findings):
            return None
        return request.header("x-sdk-client") or "", request.header("x-sdk-version") or ""
