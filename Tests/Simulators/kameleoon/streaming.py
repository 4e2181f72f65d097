"""The stream of real-time events (protocol 2.4)."""

from __future__ import annotations

import json
from typing import Any

from loopback.faults import Applied
from loopback.server import Exchange
from loopback.streaming import EventStream

UPDATE = "configuration-update-event"


class UpdateStream(EventStream):
    """One open stream. It begins with nothing."""

    def __init__(self, exchange: Exchange, applied: Applied | None, site: str) -> None:
        super().__init__(None, exchange, applied)
        self.site = site

    def announce(self, time: int) -> None:
        """Tells that there is a new configuration."""
        self.send_event(UPDATE, json.dumps({"ts": time}))

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "site": self.site}
