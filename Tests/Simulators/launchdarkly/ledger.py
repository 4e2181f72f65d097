"""What the service was told: every payload that it accepted, and sums over them."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from loopback.findings import Findings
from loopback.posts import Post, Posts

from .routes import DIAGNOSTICS, EVENTS

SUMMARY = "summary"
Outcome = tuple[int | None, int | None]
"""Variation and version of a counter."""


class Ledger(Posts):
    """Accepted events and diagnostics. A payload that came again is booked again, and summed up once by its id."""

    def _forget(self) -> None:
        self._seen: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}
        self._payloads: dict[str, list[Post]] = {}

    # What the service does.

    def book(self, client: str | None, endpoint: str, key: str, payload: str | None, body: Any) -> Post:
        post = self.accept(client, endpoint, {"key": key, "payload": payload, "content": body})
        if payload is not None:
            with self._lock:
                self._payloads.setdefault(payload.lower(), []).append(post)
        return post

    def check_payload(self, findings: Findings, where: str, payload: str, sender: str, body: bytes, once: bool) -> None:
        """An id stands for one payload, whatever became of it, also where the next process sends it; a sender keeps the id of
        what it sends again, and a payload that arrived stays away."""
        name, content = payload.lower(), hashlib.sha256(body).digest()
        digest = hashlib.sha256(sender.encode() + b"\0" + body).digest()
        with self._lock:
            known = self._seen.setdefault(name, content)
            first = self._names.setdefault(digest, name)
            accepted = list(self._payloads.get(name, []))
            refused = first not in self._payloads
        findings.require(known == content, where, f"{payload} was that of another payload")
        findings.require(first == name or not refused, where, f"this payload came as {first} before, and keeps its id")
        if once:
            findings.require(not any(post.acknowledged for post in accepted), where,
                             f"{payload} was accepted before, and its client knew")

    # What tests read.

    def payloads(self, key: str | None = None, distinct: bool = True) -> list[list[dict[str, Any]]]:
        """Accepted payloads in order: all, or those of one environment; each id once or as often as it came."""
        found, names = [], set()
        for post in self.posts:
            content = post.body
            if post.endpoint != EVENTS or key not in (None, content["key"]):
                continue
            if distinct and content["payload"] in names:
                continue
            names.add(content["payload"])
            found.append(content["content"])
        return found

    def payload_ids(self) -> Counter[str]:
        """How often each payload was accepted."""
        return Counter(post.body["payload"] for post in self.posts if post.endpoint == EVENTS)

    def events(self, kind: str | None = None, key: str | None = None) -> list[dict[str, Any]]:
        """Every event of distinct payloads: all, or of one kind, one environment."""
        return [event for payload in self.payloads(key) for event in payload if kind in (None, event["kind"])]

    def kinds(self) -> Counter[str]:
        return Counter(event["kind"] for event in self.events())

    def custom(self) -> dict[str, dict[str, Any]]:
        """Custom events per key: how many, and the sum of their metric values."""
        sums: dict[str, dict[str, Any]] = {}
        for event in self.events("custom"):
            found = sums.setdefault(event["key"], {"count": 0, "metricValue": 0})
            found["count"] += 1
            found["metricValue"] += event.get("metricValue", 0)
        return sums

    def counts(self, key: str | None = None) -> dict[str, Counter[Outcome]]:
        """Evaluations per flag, by variation and version: sums over all summaries."""
        sums: dict[str, Counter[Outcome]] = {}
        for summary in self.events(SUMMARY, key):
            for flag, feature in summary["features"].items():
                for counter in feature["counters"]:
                    outcome = (counter.get("variation"), counter.get("version"))
                    sums.setdefault(flag, Counter())[outcome] += counter["count"]
        return sums

    def evaluations(self, key: str) -> int:
        """How often a flag was evaluated, as all summaries say."""
        return sum(self.counts().get(key, Counter()).values())

    def diagnostics(self) -> list[dict[str, Any]]:
        return [body["content"] for body in self.bodies(DIAGNOSTICS)]

    def as_json(self) -> dict[str, Any]:
        counts = {key: [{"variation": variation, "version": version, "count": count}
                        for (variation, version), count in outcomes.items()]
                  for key, outcomes in self.counts().items()}
        return {"posts": len(self.posts), "kinds": self.kinds(), "custom": self.custom(), "counts": counts,
                "payloadIds": self.payload_ids(), "diagnostics": len(self.diagnostics()),
                "unacknowledged": [post.body["payload"] for post in self.posts if not post.acknowledged]}
