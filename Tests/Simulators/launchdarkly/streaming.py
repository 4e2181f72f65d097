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
from .options import PING, PUT, Options, ServiceOptions


class ChangeStream(EventStream):
    """One open stream of an environment: everything at first, and then every change, one event each."""

    def __init__(self, client: str | None, exchange: Exchange, applied: Applied | None, environment: Any,
                 options: ServiceOptions, numbers: itertools.count[int]) -> None:
        super().__init__(client, exchange, applied)
        self.environment = environment
        self.options = options
        self._numbers = numbers
        if options.environment_id:
            self.headers = (("X-LD-EnvID", options.environment_id),)

    # What a subclass defines.

    def put(self) -> None:
        """Sends all there is."""
        raise NotImplementedError

    def tell(self, change: Any) -> None:
        """Sends a change, where it is one for this stream."""
        raise NotImplementedError

    # The stream.

    def greet(self) -> None:
        if self.options.greeting == PUT:
            self.put()
        elif self.options.greeting == PING:
            self.send("ping", "")

    def send(self, event: str, data: Any) -> None:
        """Sends text as it is, and everything else as JSON."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        self.send_event(event, text, str(next(self._numbers)) if self.options.event_ids else None)


class FlagStream(ChangeStream):
    """The stream of one context."""

    def __init__(self, client: str | None, exchange: Exchange, applied: Applied | None, environment: Environment,
                 context: Context, with_reasons: bool, options: Options, numbers: itertools.count[int]) -> None:
        super().__init__(client, exchange, applied, environment, options, numbers)
        self.context = context
        self._with_reasons = with_reasons

    def put(self) -> None:
        self.send("put", self.environment.flags_of(self.context, self._with_reasons))

    def tell(self, change: Change) -> None:
        if change.context is None and change.flag is not None and self.environment.has_own(self.context, change.key):
            return
        if change.context not in (None, self.context.key):
            return
        if change.flag is None:
            self.send("delete", {"key": change.key, "version": change.version})
        else:
            self.send("patch", {"key": change.key, **as_served(change.flag, self._with_reasons)})

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "mobileKey": self.environment.mobile_key, "context": self.context.key}
