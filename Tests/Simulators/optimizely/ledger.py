"""What the services were told: every request that they accepted, and how often each event came."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Iterable

from loopback.findings import Findings
from loopback.posts import Post, Posts

from .happenings import IMPRESSION, Happening, happenings

EVENT, PLATFORM_EVENT = "event", "platform event"


@dataclass
class Prediction:
    """A variation that was asked for, and the answer where one was given."""

    rule: str
    visitor: str
    variation: str | None = None


def _canonical(content: Any) -> str:
    """Text to compare by: in Python true equals 1."""
    return json.dumps(content, sort_keys=True)


class Ledger(Posts):
    """What comes again is also counted under its uuid."""

    def _forget(self) -> None:
        self._accepted: dict[tuple[str, str], list[tuple[str, Post]]] = {}
        self._predictions: dict[str, Prediction] = {}

    # What the services do.

    def book(self, endpoint: str, document: Any, contents: Iterable[tuple[str, str, Any]] = ()) -> Post:
        """Books a request with the kind, id and content of each event in it."""
        post = self.accept(None, endpoint, document)
        with self._lock:
            for kind, identifier, content in contents:
                self._accepted.setdefault((kind, identifier), []).append((_canonical(content), post))
        return post

    def check_again(self, findings: Findings, where: str, kind: str, identifier: str, content: Any, once: bool) -> None:
        """An event may come again, but as it was."""
        with self._lock:
            before = list(self._accepted.get((kind, identifier), []))
        if any(known != _canonical(content) for known, _ in before):
            findings.add(where, f"{identifier} was that of another {kind} before")
        elif once:
            findings.require(not any(post.acknowledged for _, post in before), where,
                             f"the {kind} {identifier} was accepted before, and its client knew")

    def ask(self, findings: Findings, where: str, uuid: str, rule: str, visitor: str) -> None:
        """Notes a question to the prediction server, whatever becomes of it; a uuid stands for one question."""
        with self._lock:
            known = self._predictions.setdefault(uuid.lower(), Prediction(rule, visitor))
        same = (known.rule, known.visitor) == (rule, visitor)
        findings.require(same, where, f"{uuid} was that of the visitor {known.visitor!r} and the rule {known.rule}")

    def predict(self, uuid: str, rule: str, visitor: str, variation: str) -> None:
        with self._lock:
            self._predictions[uuid.lower()] = Prediction(rule, visitor, variation)

    def prediction(self, uuid: str) -> Prediction | None:
        with self._lock:
            return self._predictions.get(uuid.lower())

    # What tests read.

    def events(self, acknowledged: bool | None = None) -> list[Happening]:
        """Every event that was accepted, as often as it came: all, or only (un)acknowledged ones."""
        return [happening for post in self.posts if post.endpoint.startswith("events-")
                and acknowledged in (None, post.acknowledged) for happening in happenings(post.body)]

    def uuids(self) -> Counter[str]:
        """How often each event was accepted."""
        return Counter(happening.uuid for happening in self.events())

    def platform_events(self) -> list[dict[str, Any]]:
        """Every event the data platform accepted, as often as it came."""
        return [event for document in self.bodies("platform-events") for event in document]

    def idempotence_ids(self) -> Counter[str]:
        return Counter(str(event["data"].get("idempotence_id")) for event in self.platform_events())

    def impressions(self) -> Counter[str]:
        """Distinct impressions per `flag/rule/variation`."""
        return Counter(happening.variation for happening in self._distinct() if happening.event["key"] == IMPRESSION)

    def conversions(self) -> dict[str, dict[str, Any]]:
        """Distinct conversions per event key: how many, and the sums of revenue and value."""
        sums: dict[str, dict[str, Any]] = {}
        for happening in self._distinct():
            event = happening.event
            if event["key"] != IMPRESSION:
                found = sums.setdefault(event["key"], {"count": 0, "revenue": 0, "value": 0.0})
                found["count"] += 1
                found["revenue"] += event.get("revenue", 0)
                found["value"] += event.get("value", 0.0)
        return sums

    def as_json(self) -> dict[str, Any]:
        return {"posts": len(self.posts), "events": len(self.events()), "uuids": self.uuids(),
                "impressions": self.impressions(), "conversions": self.conversions(),
                "unacknowledged": [happening.uuid for happening in self.events(acknowledged=False)],
                "platformEvents": len(self.platform_events()), "idempotenceIds": self.idempotence_ids(),
                "segmentQueries": len(self.bodies("segments")), "predictions": len(self.bodies("predictions"))}

    def _distinct(self) -> list[Happening]:
        """One of each uuid, as the service counts."""
        return list({happening.uuid: happening for happening in self.events()}.values())
