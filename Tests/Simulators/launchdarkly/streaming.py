"""The stream of flags (protocol 2.2)."""

from __future__ import annotations

import itertools
import json
from typing import Any

from loopback.faults import Applied
from loopback.server import Exchange
from loopback.streaming import EventStream

from .contexts import Context
from .environment import Change, Environment, as_served
from .options import PING, PUT, Options


class FlagStream(EventStream):
    """One open stream: all flags of one context at first, and then every change, one event each."""

    def __init__(self, client: str | None, exchange: Exchange, applied: Applied | None, environment: Environment,
                 context: Context, with_reasons: bool, options: Options, numbers: itertools.count[int]) -> None:
        super().__init__(client, exchange, applied)
        self.environment = environment
        self.context = context
        self._with_reasons = with_reasons
        self._options = options
        self._numbers = numbers
        if options.environment_id:
            self.headers = (("X-LD-EnvID", options.environment_id),)

    def greet(self) -> None:
        if self._options.greeting == PUT:
            self.put()
        elif self._options.greeting == PING:
            self.send("ping", "")

    def put(self) -> None:
        """Sends all flags."""
        self.send("put", _text(self.environment.flags_of(self.context, self._with_reasons)))

    def tell(self, change: Change) -> None:
        """Sends a change, where it is one for this context."""
        if change.context is None and change.flag is not None and self.environment.has_own(self.context, change.key):
            return
        if change.context not in (None, self.context.key):
            return
        if change.flag is None:
            self.send("delete", _text({"key": change.key, "version": change.version}))
        else:
            self.send("patch", _text({"key": change.key, **as_served(change.flag, self._with_reasons)}))

    def send(self, event: str, data: str) -> None:
        self.send_event(event, data, str(next(self._numbers)) if self._options.event_ids else None)

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "mobileKey": self.environment.mobile_key, "context": self.context.key}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
