"""The stream of deltas (protocol B.9)."""

from __future__ import annotations

import json
from typing import Any

from loopback.faults import Applied
from loopback.server import Exchange
from loopback.streaming import EventStream

from .delta import event_id
from .query import Filter
from .state import FeatureState


class DeltaStream(EventStream):
    """One open stream: what a client lacks at first, and then every change."""

    def __init__(self, client: str | None, exchange: Exchange, applied: Applied | None, state: FeatureState,
                 wanted: Filter) -> None:
        super().__init__(client, exchange, applied)
        self.last_event_id: int | None = None
        self._state = state
        self._wanted = wanted

    def greet(self) -> None:
        known = event_id(self._exchange.request.header("last-event-id"))
        self._send_delta("unleash-connected", known)

    def refresh(self) -> None:
        if self._state.revision != self.last_event_id:
            self._send_delta("unleash-updated", self.last_event_id)

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "lastEventId": self.last_event_id}

    def _send_delta(self, event: str, known: int | None) -> None:
        revision, events = self._state.events_after(known, self._wanted)
        self.last_event_id = revision
        if events or event == "unleash-connected":
            data = json.dumps({"events": events}, ensure_ascii=False, separators=(",", ":"))
            self.send_event(event, data, revision)
