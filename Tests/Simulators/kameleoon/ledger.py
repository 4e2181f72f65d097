"""What the service was told: every request that it accepted, and the events in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from loopback.findings import Findings
from loopback.posts import Post, Posts

from .lines import MAPPING_VALUE, Line
from .routes import TRACKING, VISITOR


@dataclass(frozen=True)
class Event:
    """One accepted line. `visit` counts the visits that were over by then."""

    line: Line
    site: str
    time: int
    visit: int
    post: Post


class Ledger(Posts):
    """What comes again is booked again, and counted once by its nonce."""

    def _forget(self) -> None:
        self._events: list[Event] = []
        self._contents: dict[str, str] = {}
        self._links: dict[tuple[str, str], str] = {}
        self._visit = 0

    # What the service does.

    def book(self, endpoint: str, site: str, content: Any, lines: list[Line], time: int) -> Post:
        post = self.accept(None, endpoint, {"site": site, "content": content})
        with self._lock:
            for line in lines:
                self._events.append(Event(line, site, time, self._visit, post))
                if "mappingIdentifier" in line.values and line.named != MAPPING_VALUE:
                    self._links.setdefault((site, next(iter(line.counts))), line.visitor)
        return post

    def check_again(self, findings: Findings, where: str, line: Line, once: bool) -> None:
        """A nonce stands for one event, whatever became of it, and an event that arrived stays away."""
        with self._lock:
            known = self._contents.get(line.nonce, line.content)
            accepted = [event.post for event in self._events if event.line.nonce == line.nonce] if once else []
        findings.require(known == line.content, where, f"{line.nonce} was that of another event before")
        findings.require(not any(post.acknowledged for post in accepted), where,
                         f"the event {line.nonce} was accepted before, and its client knew")

    def note(self, lines: list[Line]) -> None:
        """Remembers what nonces stand for, also of a request that a fault keeps from being accepted."""
        with self._lock:
            for line in lines:
                self._contents.setdefault(line.nonce, line.content)

    def end_visits(self) -> None:
        """Makes what was told so far that of previous visits."""
        with self._lock:
            self._visit += 1

    @property
    def visits_over(self) -> int:
        """How often `end_visits` was called."""
        with self._lock:
            return self._visit

    def owner(self, site: str, visitor: str) -> str:
        """The visitor that another one is linked to, or the visitor itself."""
        with self._lock:
            return self._links.get((site, visitor), visitor)

    def told_of(self, site: str, visitor: str) -> list[Event]:
        """Everything about a visitor and those linked to it, each nonce once."""
        owner, found = self.owner(site, visitor), {}
        with self._lock:
            events = list(self._events)
        for event in events:
            if event.site == site and self.owner(site, event.line.visitor) == owner:
                found.setdefault(event.line.nonce, event)
        return list(found.values())

    def has_read(self, site: str, visitor: str) -> bool:
        """Whether the data of a visitor were asked for."""
        return any(visitor in (query["content"].get("visitorCode"), query["content"].get("mappingValue"))
                   for query in self.bodies(VISITOR) if query["site"] == site)

    # What tests read.

    def lines(self, kind: str | None = None, visitor: str | None = None, distinct: bool = True) -> list[Line]:
        """Accepted lines in order: of one kind, of one visitor; each nonce once, or as often as it came."""
        with self._lock:
            events = list(self._events)
        found = [event.line for event in events
                 if kind in (None, event.line.kind.name) and visitor in (None, event.line.visitor)]
        return list({line.nonce: line for line in found}.values()) if distinct else found

    def kinds(self, visitor: str | None = None) -> list[str]:
        return [line.kind.name for line in self.lines(visitor=visitor)]

    def exposures(self) -> Counter[str]:
        """How often each `visitor/experiment/variation` was told."""
        return Counter("/".join((line.visitor, line.values["id"], line.values["variationId"]))
                       for line in self.lines("experiment"))

    def conversions(self) -> dict[str, dict[str, Any]]:
        """Per goal: how many, and the sum of their revenues."""
        sums: dict[str, dict[str, Any]] = {}
        for line in self.lines("conversion"):
            found = sums.setdefault(line.values["goalId"], {"count": 0, "revenue": 0.0})
            found["count"] += 1
            found["revenue"] += float(line.values["revenue"])
        return sums

    def custom_data(self, visitor: str) -> dict[int, list[str]]:
        """A visitor's custom data as last told."""
        return {int(line.values["index"]): list(line.counts) for line in self.lines("customData", visitor)}

    def deliveries(self) -> Counter[str]:
        """How often each nonce was accepted."""
        return Counter(line.nonce for line in self.lines(distinct=False))

    def queries(self, endpoint: str) -> list[dict[str, str]]:
        """What the accepted requests for data asked for."""
        return [body["content"] for body in self.bodies(endpoint)]

    def as_json(self) -> dict[str, Any]:
        return {"posts": len(self.posts), "requests": len(self.bodies(TRACKING)),
                "kinds": Counter(self.kinds()), "exposures": self.exposures(), "conversions": self.conversions(),
                "nonces": self.deliveries(), "links": {visitor: owner for (_, visitor), owner in self._links.items()},
                "unacknowledged": [event.line.nonce for event in self._events if not event.post.acknowledged]}
