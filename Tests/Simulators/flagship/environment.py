"""What is served: bucketing files, decisions, account settings, segments and scores."""

from __future__ import annotations

import copy
import threading
from typing import Any, Iterator

from loopback.publications import Publications, Published, as_published, objects_of

Document = dict[str, Any]
Pair = tuple[str, str]
"""A variation group and one of its variations."""


class Environment:
    """Thread-safe. One environment, `identifier`, with everything that it ever served."""

    def __init__(self, identifier: str, api_key: str, publications: Publications) -> None:
        self.identifier = identifier
        self.api_key = api_key
        self._publications = publications
        self._lock = threading.Lock()
        self._document: Document = {}
        self._pairs: set[Pair] = set()
        self._answers: dict[str | None, list[Document]] = {}
        self._panic = False
        self._settings: Document | None = None
        self._segments: dict[str, list[Document]] = {}
        self._scores: dict[str, str] = {}

    # What tests change.

    def publish(self, document: Document | str | bytes) -> Published:
        """Puts a bucketing file in place. Text and bytes are sent as they are."""
        body, known = as_published(document)
        if known is not None:
            with self._lock:
                self._document = known
            self.learn(known)
        return self._publications.put(self.identifier, body)

    def decide(self, campaigns: list[Document] | None, visitor: str | None = None) -> None:
        """Sets the campaigns that one visitor gets, or all that have none of their own. None takes them away."""
        if campaigns is not None and not isinstance(campaigns, list):
            raise TypeError("campaigns are a list")
        with self._lock:
            if campaigns is None:
                self._answers.pop(visitor, None)
            else:
                self._answers[visitor] = copy.deepcopy(campaigns)
        self.learn({"campaigns": campaigns or []})

    def panic(self, on: bool = True) -> None:
        """Makes every decision one of panic; the bucketing file is another matter."""
        with self._lock:
            self._panic = bool(on)

    def settle(self, settings: Document | None) -> None:
        """Sets the account settings; without them those of the bucketing file hold."""
        with self._lock:
            self._settings = copy.deepcopy(settings)

    def segment(self, visitor: str, segments: list[Document]) -> None:
        """What partners know of a visitor: `segment`, `value` and `partner` each."""
        with self._lock:
            self._segments[visitor] = [{"visitor_id": visitor, **entry} for entry in copy.deepcopy(segments)]

    def score(self, visitor: str, score: str | None) -> None:
        with self._lock:
            if score is None:
                self._scores.pop(visitor, None)
            else:
                self._scores[visitor] = score

    def learn(self, document: Document) -> None:
        """Lets activations be of the variations in a bucketing file, or in the campaigns of a decision."""
        pairs = set(_pairs(document))
        with self._lock:
            self._pairs |= pairs

    # What the service asks.

    def knows(self, pair: Pair) -> bool:
        with self._lock:
            return pair in self._pairs

    @property
    def account_settings(self) -> Document:
        with self._lock:
            settings = self._document.get("accountSettings") if self._settings is None else self._settings
            return copy.deepcopy(settings) if isinstance(settings, dict) else {}

    @property
    def in_panic(self) -> bool:
        with self._lock:
            return self._panic

    def campaigns_of(self, visitor: str) -> list[Document]:
        """Those that were set; else of each campaign in the file the first variation of the first group."""
        with self._lock:
            for key in (visitor, None):
                if key in self._answers:
                    return copy.deepcopy(self._answers[key])
            return list(_firsts(self._document))

    def segments_of(self, visitor: str) -> list[Document]:
        with self._lock:
            return copy.deepcopy(self._segments.get(visitor, []))

    def score_of(self, visitor: str) -> str | None:
        with self._lock:
            return self._scores.get(visitor)

    def as_json(self) -> Document:
        with self._lock:
            return {"apiKey": self.api_key, "panic": self._panic, "variations": sorted(map(list, self._pairs)),
                    "answers": sorted(visitor or "" for visitor in self._answers)}


class Environments:
    """Thread-safe. All environments of a service, and the dates of their bucketing files."""

    def __init__(self) -> None:
        self.publications = Publications()
        self._lock = threading.Lock()
        self._known: dict[str, Environment] = {}

    def add(self, identifier: str, api_key: str) -> Environment:
        made = Environment(identifier, api_key, self.publications)
        with self._lock:
            self._known[identifier] = made
        return made

    def find(self, identifier: str) -> Environment | None:
        with self._lock:
            return self._known.get(identifier)

    def with_key(self, api_key: str | None) -> Environment | None:
        """The first one of that API key, or without a key the first of all: who hosts the service knows which."""
        with self._lock:
            return next((known for known in self._known.values() if api_key in (None, known.api_key)), None)

    @property
    def any_collects_emotions(self) -> bool:
        """Whether an account wants them; their events do not say whose they are."""
        with self._lock:
            known = list(self._known.values())
        return any(environment.account_settings.get("eaiCollectEnabled") is True for environment in known)

    def as_json(self) -> Document:
        with self._lock:
            return {identifier: known.as_json() for identifier, known in self._known.items()}


def _pairs(document: Document) -> Iterator[Pair]:
    for campaign in objects_of(document, "campaigns"):
        if isinstance(campaign.get("variation"), dict):
            yield str(campaign.get("variationGroupId", "")), str(campaign["variation"].get("id", ""))
        for group in objects_of(campaign, "variationGroups"):
            for variation in objects_of(group, "variations"):
                yield str(group.get("id", "")), str(variation.get("id", ""))


def _firsts(document: Document) -> Iterator[Document]:
    for campaign in objects_of(document, "campaigns"):
        group = next(objects_of(campaign, "variationGroups"), {})
        variation = next((entry for entry in objects_of(group, "variations") if entry.get("allocation")), None)
        if variation is None:
            continue
        keys = {key for other in objects_of(group, "variations") for key in other["modifications"]["value"]}
        value = {**dict.fromkeys(sorted(keys)), **variation["modifications"]["value"]}
        yield {
            "id": campaign["id"], "name": campaign.get("name", ""), "slug": campaign.get("slug"),
            "type": campaign.get("type", ""), "variationGroupId": group["id"],
            "variationGroupName": group.get("name", ""),
            "variation": {"id": variation["id"], "name": variation.get("name", ""),
                          "reference": bool(variation.get("reference")),
                          "modifications": {**variation["modifications"], "value": value}}}
