"""What is served for a site: configurations, real-time events, data of visitors, remote data."""

from __future__ import annotations

import copy
import json
import threading
from typing import Any, Iterator

from loopback.publications import Publications, Published, as_published, objects_of

Document = dict[str, Any]
PRODUCTION = "production"
"""The environment of a client that names none."""


class Site:
    """Thread-safe. One site, `code`, with everything that it ever served."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.publications = Publications()
        self._lock = threading.Lock()
        self._current: dict[str, Document] = {}
        self._variations: dict[int, set[int]] = {}
        self._deliveries: set[int] = set()
        self._audiences: set[int] = set()
        self._mapping: set[int] = set()
        self._local: set[int] = set()
        self._times: set[int] = set()
        self._consents: dict[str, bool] = {}
        self._visitors: dict[str, Document] = {}
        self._remote: dict[str, bytes] = {}

    # What tests change.

    def publish(self, document: Document | str | bytes, environment: str = PRODUCTION) -> Published:
        """Puts a configuration in place. Text and bytes are sent as they are."""
        body, known = as_published(document)
        if known is not None:
            with self._lock:
                self._current[environment] = known
            self.learn(known)
        return self.publications.put(environment, body)

    def learn(self, document: Document) -> None:
        """Lets tracking requests be about what is in a configuration that a client has from elsewhere."""
        with self._lock:
            for experiment, rule in _experiments(document):
                variations = self._variations.setdefault(experiment, set())
                variations |= {entry["variationId"] for entry in objects_of(rule, "variationByExposition")
                               if isinstance(entry.get("variationId"), int)}
                if rule.get("type") == "TARGETED_DELIVERY":
                    self._deliveries.add(experiment)
            self._audiences |= {entry["id"] for entry in objects_of(document, "segments")
                                if entry.get("audienceTracking") is True}
            for entry in objects_of(document, "customData"):
                if isinstance(entry.get("index"), int):
                    self._mapping |= {entry["index"]} if entry.get("isMappingIdentifier") is True else set()
                    self._local |= {entry["index"]} if entry.get("localOnly") is True else set()

    def consent(self, visitor: str, given: bool = True) -> None:
        """Says what a visitor is known to have told the client; see `consents` of `Options`."""
        with self._lock:
            self._consents[visitor] = bool(given)

    def remember(self, visitor: str, document: Document | None) -> None:
        """Sets what is known of a visitor, in the form of the answer; without it, it is what tracking told."""
        with self._lock:
            if document is None:
                self._visitors.pop(visitor, None)
            else:
                self._visitors[visitor] = copy.deepcopy(document)

    def store(self, key: str, value: Any) -> None:
        """Sets remote data: JSON, or bytes that are sent as they are; None takes them away."""
        with self._lock:
            if value is None:
                self._remote.pop(key, None)
            else:
                self._remote[key] = value if isinstance(value, bytes) else json.dumps(value).encode()

    # What the service asks.

    def issue_time(self, time: int) -> None:
        with self._lock:
            self._times.add(time)

    def had_event(self, time: int) -> bool:
        with self._lock:
            return time in self._times

    @property
    def requires_consent(self) -> bool:
        """Whether one of the configurations in force does."""
        with self._lock:
            settings = [document.get("configuration") for document in self._current.values()]
        return any(isinstance(one, dict) and one.get("consentType") == "REQUIRED" for one in settings)

    def has_consent(self, visitor: str) -> bool:
        with self._lock:
            return self._consents.get(visitor, False)

    def is_delivery(self, experiment: int) -> bool:
        with self._lock:
            return experiment in self._deliveries

    def knows_experiment(self, experiment: int) -> bool:
        with self._lock:
            return experiment in self._variations

    def knows_variation(self, experiment: int, variation: int) -> bool:
        with self._lock:
            return variation in self._variations.get(experiment, set())

    def knows_audience(self, segment: int) -> bool:
        with self._lock:
            return segment in self._audiences

    def is_mapping(self, index: int) -> bool:
        with self._lock:
            return index in self._mapping

    def is_local(self, index: int) -> bool:
        with self._lock:
            return index in self._local

    def remembered(self, visitor: str) -> Document | None:
        with self._lock:
            return copy.deepcopy(self._visitors.get(visitor))

    def remote(self, key: str) -> bytes | None:
        with self._lock:
            return self._remote.get(key)

    def as_json(self) -> Document:
        with self._lock:
            return {"environments": sorted(self._current), "consents": dict(self._consents),
                    "visitors": sorted(self._visitors), "remote": sorted(self._remote),
                    "experiments": {str(one): sorted(found) for one, found in sorted(self._variations.items())}}


class Sites:
    """Thread-safe. All sites of a service."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Site] = {}

    def add(self, code: str) -> Site:
        with self._lock:
            return self._known.setdefault(code, Site(code))

    def find(self, code: str | None) -> Site | None:
        with self._lock:
            return self._known.get(code or "")

    def as_json(self) -> Document:
        with self._lock:
            return {code: known.as_json() for code, known in self._known.items()}


def _experiments(document: Document) -> Iterator[tuple[int, Document]]:
    """The experiments of all rules, and the holdout, with what has their variations."""
    rules = [rule for flag in objects_of(document, "featureFlags") for rule in objects_of(flag, "rules")]
    holdout = document.get("holdout")
    for rule in [*rules, *([holdout] if isinstance(holdout, dict) else [])]:
        if isinstance(rule.get("experimentId"), int):
            yield rule["experimentId"], rule
