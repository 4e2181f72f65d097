"""The services that a program lives a day with: those of Tests/Contract, at a pace of their own, and what they were told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from loopback.posts import Post
from services import ALL
from services.base import Simulated

# A thing of the true time that takes this long is ten minutes of the fast one.
PATIENCE = {"network.timeout_ms": 600_000, "network.connect_timeout_ms": 600_000}
FLUSH_MS = 30_000


def _of_unleash(post: Post) -> Iterator[tuple[str, int]]:
    for metric in post.body.get("impactMetrics") or []:
        if metric["type"] == "counter":
            yield from ((metric["name"], sample["value"]) for sample in metric["samples"])


def _of_optimizely(post: Post) -> Iterator[tuple[str, int]]:
    for visitor in post.body["visitors"] if post.endpoint.startswith("events-") else []:
        for snapshot in visitor["snapshots"]:
            yield from ((str(int(event["value"])), 1) for event in snapshot["events"] if event["key"] == "purchase")


def _of_launchdarkly(post: Post) -> Iterator[tuple[str, int]]:
    for event in post.body["content"] if post.endpoint == "events" else []:
        if event["kind"] == "custom":
            yield str(int(event["metricValue"])), 1


def _of_flagship(post: Post) -> Iterator[tuple[str, int]]:
    for hit in post.body.get("h") or [post.body] if post.endpoint == "hits" else []:
        if hit.get("ea") == "purchase":
            yield str(int(hit["ev"])), 1


@dataclass(frozen=True)
class Soaked:
    """A service, what its client is given beside what scenarios give it, and how its posts are read."""

    contract: str
    """Its name in Tests/Contract."""
    properties: dict[str, Any]
    event: str
    """The key of what is tracked."""
    read: Callable[[Post], Iterator[tuple[str, int]]] | None
    """The numbers that a post tells of, or with `names` the keys, and how often. None: Kameleoon's, whose posts are of lines."""
    names: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    """Of the simulator."""

    def make(self, folder: Any) -> Simulated:
        made = ALL[self.contract](folder)
        assert isinstance(made, Simulated)
        return made

    def name_of(self, number: str) -> str:
        """What the service tells an event by."""
        return f"{self.event}{int(number) % self.names}" if self.names else number

    def arrived(self, service: Simulated) -> tuple[Counter[str], Counter[str]]:
        """How often each came, and of these how often the client could not learn of it."""
        found: Counter[str] = Counter()
        unheard: Counter[str] = Counter()
        ledger: Any = service.simulator.ledger
        if self.read is None:
            doubtful = set(ledger.as_json()["unacknowledged"])
            for line in ledger.lines("conversion", distinct=False):
                number = str(int(float(line.values["revenue"])))
                found[number] += 1
                unheard[number] += line.nonce in doubtful
            return found, unheard
        for post in ledger.posts:
            for name, count in self.read(post):
                found[name] += count
                unheard[name] += 0 if post.acknowledged else count
        return found, unheard


LAUNCHDARKLY = {**PATIENCE, "events.flush_interval_ms": FLUSH_MS, "event_capacity": 10_000, "connection_timeout_ms": 600_000,
                "initial_retry_delay_ms": 1000}
SOAKED = {
    "unleash": Soaked("unleash-backend-polling", {**PATIENCE, "refresh_interval": 15, "metrics_interval": 60}, "event_", _of_unleash,
                      names=8),
    "optimizely": Soaked("optimizely", {
        **PATIENCE, "polling_interval": 300, "events.timer_interval": 30, "events.flush_interval_ms": 0,
        "datafile.timeout_ms": 600_000}, "purchase", _of_optimizely),
    "launchdarkly": Soaked("launchdarkly-streaming", LAUNCHDARKLY, "purchase", _of_launchdarkly, options={"event_capacity": 10_000}),
    "launchdarkly-server": Soaked("launchdarkly-server-streaming", LAUNCHDARKLY, "purchase", _of_launchdarkly),
    "flagship": Soaked("flagship-bucketing", {
        **PATIENCE, "polling_interval": 60, "events.flush_interval_ms": FLUSH_MS, "timeout_ms": 600_000,
        "visitor_cache.timeout_ms": 60_000}, "purchase", _of_flagship),
    "kameleoon": Soaked("kameleoon-polling", {
        **PATIENCE, "refresh_interval_minute": 10, "tracking_interval_millisecond": 5000, "default_timeout_millisecond": 600_000,
        "data_expiration_interval_minute": 60,  # each conversion of a visitor's is kept otherwise
    }, "501", None),
}
