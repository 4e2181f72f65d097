"""What the service was told: every request that it accepted, and what follows from it about its visitors."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from loopback.findings import Findings
from loopback.posts import Post, Posts

from .consents import Consents, Ids
from .identities import Identities, ids_of_activation, ids_of_decision, ids_of_hit
from .options import Options
from .routes import ACTIVATE, DECISIONS, HITS, OWN_ACTIVATE, OWN_DECISIONS, TROUBLESHOOTING, USAGE

HIT, ACTIVATION = "hit", "activation"
CONSENT_ACTION = "fs_consent"
_CONSENT = re.compile("[^:]+:(?:true|false)")
TOLERANCE_MS = 2000
"""By how much two accounts of when something was made may differ."""

Item = dict[str, Any]


def identity(item: Item) -> str:
    """Everything but the age, as text: in Python true equals 1."""
    return json.dumps({name: value for name, value in item.items() if name != "qt" and value is not None},
                      sort_keys=True, ensure_ascii=False)


def creation(item: Item, now: int) -> int:
    return now - int(item["qt"])


def visitor_of(item: Item) -> str:
    """The visitor of a hit: `vid` is the anonymous id where there is one (3.5)."""
    return ids_of_hit(item)[0]


def _named(ids: Ids) -> set[str]:
    return {name for name in ids if name is not None}


def is_consent(item: Item) -> bool:
    return item.get("ea") == CONSENT_ACTION and _CONSENT.fullmatch(str(item.get("el"))) is not None


def _items(post: Post) -> list[Item]:
    """The hits or activations of a request."""
    body = post.body
    return body.get("batch") or body.get("h") or [body]


class Ledger(Posts):
    """What comes again is booked again, and counted once by what it says."""

    def _forget(self) -> None:
        self._made: dict[tuple[str, str], int] = {}
        self._accepted: dict[tuple[str, str], list[Post]] = {}
        self._consents = Consents()
        self._known: set[str] = set()
        self._identities = Identities()
        self._segments: dict[str, Item] = {}

    # What the service does.

    def book(self, endpoint: str, document: Item, now: int) -> Post:
        post = self.accept(None, endpoint, document)
        kind = {HITS: HIT, ACTIVATE: ACTIVATION, OWN_ACTIVATE: ACTIVATION}.get(endpoint)
        with self._lock:
            if endpoint in (DECISIONS, OWN_DECISIONS):
                self._identities.learn_decision(*ids_of_decision(document), now)
            for item in _items(post) if kind is not None else []:
                self._accepted.setdefault((kind, identity(item)), []).append(post)
                if kind == HIT:
                    self._learn(item)
                else:
                    self._identities.learn(*ids_of_activation(item))
        return post

    def _learn(self, item: Item) -> None:
        ids = ids_of_hit(item)
        self._identities.learn(*ids)
        self._known |= _named(ids)
        if is_consent(item):
            self._consents.hear(ids, item["el"].endswith(":true"))
        elif item["t"] == "SEGMENT":
            self._segments[ids[0]] = item["s"]

    def check_again(self, findings: Findings, where: str, kind: str, name: str, made: int, options: Options) -> None:
        """What comes again was made when it was made, and stays away once its client knows that it arrived."""
        with self._lock:
            before = self._made.setdefault((kind, name), made)
            accepted = list(self._accepted.get((kind, name), []))
        if options.distinct:
            findings.require(abs(before - made) <= TOLERANCE_MS, f"{where}.qt",
                             f"is off by {before - made} milliseconds from when the {kind} came before")
        if options.exactly_once:
            findings.require(not any(post.acknowledged for post in accepted), where,
                             f"the {kind} was accepted before, and its client knew")

    def check_consent(self, findings: Findings, where: str, items: list[Item], options: Options) -> None:
        """Hits come in the order in which they were made: those of a visitor about consent govern the others, under each
        of its ids."""
        with self._lock:
            consents, known = self._consents.copy(), set(self._known)
        for index, item in enumerate(items):
            ids, place = ids_of_hit(item), f"{where}[{index}]" if len(items) > 1 or where != "body" else where
            if is_consent(item):
                consents.hear(ids, item["el"].endswith(":true"))
                known |= _named(ids)
                continue
            refused = consents.refused(ids)
            if options.silent_after_refusal:
                findings.require(not refused, place, f"{', '.join(refused)} has refused consent")
            if options.consent_first:
                findings.require(not known.isdisjoint(_named(ids)), place, f"{ids[0]} was not heard of consent")

    def check_ids(self, findings: Findings, where: str, ids: Ids, options: Options, made: int | None = None) -> None:
        """Ids stand where they stood before. `made` is when what is told was made; a request for decisions has none."""
        with self._lock:
            flaw = self._identities.flaw(*ids)
            lacks = made is not None and self._identities.lacks_anonymous(*ids, made)
        findings.require(flaw is None, where, flaw or "")
        if not options.several_identities:
            findings.require(not lacks, where, f"lacks the anonymous id that {ids[0]} has in requests for decisions")

    def is_decided(self, visitor: str) -> bool:
        """Whether decisions were asked for, for that visitor."""
        with self._lock:
            return self._identities.is_decided(visitor)

    def has_refused(self, visitor: str, anonymous: str | None = None) -> bool:
        """Whether the last that was heard of a visitor's consent is that there is none."""
        with self._lock:
            return bool(self._consents.refused((visitor, anonymous)))

    def last_segment(self, visitor: str) -> Item | None:
        with self._lock:
            return self._segments.get(visitor)

    # What tests read.

    def hits(self, kind: str | None = None, visitor: str | None = None) -> list[Item]:
        """Every hit that was accepted, as often as it came: all, of one kind, of one visitor."""
        return [item for post in self.posts if post.endpoint == HITS for item in _items(post)
                if kind in (None, item["t"]) and visitor in (None, visitor_of(item))]

    def consents(self, visitor: str) -> list[bool]:
        """What a visitor's hits about consent said, in order."""
        return [item["el"].endswith(":true") for item in self.hits("EVENT", visitor) if is_consent(item)]

    def activations(self, visitor: str | None = None) -> list[Item]:
        """Every activation that was accepted, as often as it came."""
        return [item for post in self.posts if post.endpoint in (ACTIVATE, OWN_ACTIVATE) for item in _items(post)
                if visitor in (None, item["vid"])]

    def decisions(self, visitor: str | None = None) -> list[Item]:
        """The bodies of requests for decisions."""
        return [post.body for post in self.posts if post.endpoint in (DECISIONS, OWN_DECISIONS)
                and visitor in (None, post.body["visitorId"])]

    def deliveries(self) -> Counter[str]:
        """How often each hit was accepted, as text without its age."""
        return Counter(identity(item) for item in self.hits())

    def screens(self) -> Counter[str]:
        """How often each location came as a screen."""
        return Counter(item["dl"] for item in self.hits("SCREENVIEW"))

    def exposures(self) -> Counter[str]:
        """How often each visitor was activated for a variation, as `visitor/group/variation`."""
        return Counter("/".join((item["vid"], item["caid"], item["vaid"])) for item in self.activations())

    def reports(self) -> list[Item]:
        """Usage and troubleshooting, with the label and the rest as one object."""
        return [post.body["cv"] for post in self.posts if post.endpoint in (USAGE, TROUBLESHOOTING)]

    def as_json(self) -> dict[str, Any]:
        return {"posts": len(self.posts), "kinds": Counter(item["t"] for item in self.hits()),
                "hits": self.deliveries(), "screens": self.screens(), "exposures": self.exposures(),
                "consents": self._consents.as_json(), "decisions": len(self.decisions()),
                "reports": Counter(report["label"] for report in self.reports()),
                "unacknowledged": sum(len(_items(post)) for post in self.posts
                                      if not post.acknowledged and post.endpoint in (HITS, ACTIVATE, OWN_ACTIVATE))}
