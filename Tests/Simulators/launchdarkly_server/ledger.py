"""What the service was told, by whom, and whom it has heard of."""

from __future__ import annotations

from typing import Iterable

from launchdarkly.ledger import Ledger
from loopback.findings import Findings


class ServerLedger(Ledger):
    """Also which contexts a client introduced. What is said here holds for payloads that no answer reached, too."""

    def _forget(self) -> None:
        super()._forget()
        self._introduced: dict[str, dict[str, set[str]]] = {}
        self._instances: dict[str, set[str]] = {}

    def introduced(self, sender: str, payload: str) -> set[str] | None:
        """The contexts that payloads of a client introduced; None for a payload that came before."""
        with self._lock:
            payloads = self._introduced.get(sender, {})
            return None if payload in payloads else set().union(*payloads.values())

    def introduce(self, sender: str, payload: str, keys: Iterable[str]) -> None:
        with self._lock:
            self._introduced.setdefault(sender, {})[payload] = set(keys)

    def check_instance(self, findings: Findings, key: str, instance: str, maximum: int | None) -> None:
        """A client keeps its id: with so many clients of a key there are no more ids."""
        with self._lock:
            known = self._instances.setdefault(key, set())
            if maximum is None or instance in known or len(known) < maximum:
                known.add(instance)
                return
        findings.add("header x-launchdarkly-instance-id", f"{instance} is one more than there are clients")
