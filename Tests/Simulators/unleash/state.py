"""The flags the service holds, their revision, and the history that deltas are made from."""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from typing import Any, Callable

from .evaluate import Evaluator
from .query import Filter

KEPT_EVENTS = 1000


@dataclass(frozen=True)
class Snapshot:
    revision: int
    features: tuple[dict[str, Any], ...]
    segments: tuple[dict[str, Any], ...]


class FeatureState:
    """Thread-safe. The revision is the id of the last event, so both count alike."""

    def __init__(self, document: dict[str, Any] | None = None, revision: int = 1) -> None:
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []
        self._events: list[dict[str, Any]] = []
        self._complete_since = revision
        self._lowest_sent = revision
        self._highest_sent = revision
        self._evaluator: Evaluator | None = None
        self._snapshot = _read(document or {"features": []}, revision)

    @property
    def revision(self) -> int:
        return self.snapshot().revision

    def snapshot(self) -> Snapshot:
        with self._lock:
            return self._snapshot

    def evaluator(self) -> Evaluator:
        """The compiled rules of the present state."""
        with self._lock:
            if self._evaluator is None:
                self._evaluator = Evaluator(list(self._snapshot.features), list(self._snapshot.segments))
            return self._evaluator

    def on_change(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    def replace(self, document: dict[str, Any]) -> int:
        """Takes over a client features document; returns the new revision, higher even if nothing differs."""
        with self._lock:
            old = self._snapshot
            new = _read(document, old.revision)
            events = _differences(old, new)
            for offset, event in enumerate(events, start=1):
                event["eventId"] = old.revision + offset
            revision = old.revision + max(1, len(events))
            self._snapshot = Snapshot(revision, new.features, new.segments)
            self._events += events
            for dropped in self._events[:-KEPT_EVENTS]:
                self._complete_since = dropped["eventId"]
            self._events = self._events[-KEPT_EVENTS:]
            self._highest_sent = max(self._highest_sent, revision)
            self._evaluator = None
        for listener in self._listeners:
            listener()
        return revision

    def update(self, *features: dict[str, Any], remove: tuple[str, ...] = (),
               segments: tuple[dict[str, Any], ...] = ()) -> int:
        """Inserts or replaces some flags and segments and removes others; returns the new revision."""
        now = self.snapshot()
        by_name = {feature["name"]: feature for feature in now.features} | {f["name"]: f for f in features}
        by_id = {segment["id"]: segment for segment in now.segments} | {s["id"]: s for s in segments}
        kept = [feature for name, feature in by_name.items() if name not in remove]
        return self.replace({"features": kept, "segments": list(by_id.values())})

    def forget_history(self) -> None:
        """Makes the next delta of a client that is behind a full hydration."""
        with self._lock:
            self._events = []
            self._complete_since = self._snapshot.revision

    def issued(self, event_id: int) -> bool:
        """Whether a client can know this event id from us."""
        with self._lock:
            return self._lowest_sent <= event_id <= self._highest_sent

    def note_sent(self, event_id: int) -> None:
        """Counts an id that was sent outside the ordinary course as issued."""
        with self._lock:
            self._lowest_sent = min(self._lowest_sent, event_id)
            self._highest_sent = max(self._highest_sent, event_id)

    def events_after(self, event_id: int | None, wanted: Filter = Filter()) -> tuple[int, list[dict[str, Any]]]:
        """The revision, and the events that lead from an id to it: none, the missing ones, or a hydration."""
        with self._lock:
            snapshot, events, complete_since = self._snapshot, list(self._events), self._complete_since
        if event_id is None or not complete_since <= event_id <= snapshot.revision:
            return snapshot.revision, [_hydration(snapshot, wanted)]
        missing = [_filtered(event, wanted) for event in events if event["eventId"] > event_id]
        return snapshot.revision, missing


def without_tags(feature: dict[str, Any]) -> dict[str, Any]:
    """Tags are for filtering here; the service does not tell them to clients."""
    return {name: value for name, value in feature.items() if name != "tags"}


def _read(document: dict[str, Any], revision: int) -> Snapshot:
    if not isinstance(document, dict) or not isinstance(document.get("features"), list):
        raise ValueError("a state is an object with the array features")
    features = copy.deepcopy(document["features"])
    segments = copy.deepcopy(document.get("segments") or [])
    if not all(isinstance(feature, dict) and isinstance(feature.get("name"), str) for feature in features):
        raise ValueError("every feature needs a name")
    return Snapshot(revision, tuple(features), tuple(segments))


def _hydration(snapshot: Snapshot, wanted: Filter) -> dict[str, Any]:
    features = [without_tags(feature) for feature in snapshot.features if wanted.admits(feature)]
    return {"eventId": snapshot.revision, "type": "hydration", "features": features,
            "segments": list(snapshot.segments)}


def _filtered(event: dict[str, Any], wanted: Filter) -> dict[str, Any]:
    if event["type"] != "feature-updated":
        return event
    feature = event["feature"]
    if not wanted.admits(feature):
        return {"eventId": event["eventId"], "type": "feature-removed", "featureName": feature["name"],
                "project": feature.get("project", "default")}
    return {**event, "feature": without_tags(feature)}


def _differences(old: Snapshot, new: Snapshot) -> list[dict[str, Any]]:
    """Events from one state to another; segments come before the flags that may need them, removals last."""
    events: list[dict[str, Any]] = []
    old_segments = {segment["id"]: segment for segment in old.segments}
    new_segments = {segment["id"]: segment for segment in new.segments}
    old_features = {feature["name"]: feature for feature in old.features}
    new_features = {feature["name"]: feature for feature in new.features}
    events += [{"type": "segment-updated", "segment": segment} for identifier, segment in new_segments.items()
               if old_segments.get(identifier) != segment]
    events += [{"type": "feature-updated", "feature": feature} for name, feature in new_features.items()
               if old_features.get(name) != feature]
    events += [{"type": "feature-removed", "featureName": name, "project": feature.get("project", "default")}
               for name, feature in old_features.items() if name not in new_features]
    events += [{"type": "segment-removed", "segmentId": identifier} for identifier in old_segments
               if identifier not in new_segments]
    return events
