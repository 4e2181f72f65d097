"""LaunchDarkly: flags of any type, decided by the service for clients, and by rules for servers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ...plugins import Request
from ..records import Tracked
from .base import Service, path_of


class LaunchDarkly(Service):
    """Both modes, polled."""

    mode = "server"
    needed = {"mobile_key": "mob-hoist-testing"}
    given = {"streaming_mode": "polling", "diagnostic_opt_out": True, "events.flush_interval_ms": 3_600_000}

    def answer(self, request: Request, flags: Mapping[str, Any], number: int) -> bytes | None:
        """Rules, or the values of a context."""
        path = path_of(request)
        if path.endswith("/sdk/latest-all"):
            rules = {key: {"key": key, "version": number, "on": True, "variations": [value], "targets": [],
                           "fallthrough": {"variation": 0}, "offVariation": 0, "salt": "salt"}
                     for key, value in flags.items()}  # fmt: skip
            return json.dumps({"flags": rules, "segments": {}}).encode()
        if "/msdk/evalx/" in path:
            values = {key: {"value": value, "variation": 0, "version": number} for key, value in flags.items()}
            return json.dumps(values).encode()
        return None

    def read(self, request: Request) -> Iterable[Tracked]:
        """Custom events."""
        for event in json.loads(request.body or b"[]"):
            if event.get("kind") == "custom":
                data = event.get("data")
                properties = data if isinstance(data, dict) else {} if data is None else {"data": data}
                keys = event.get("contextKeys") or _keys(event.get("context", {}))
                yield Tracked(
                    event["key"],
                    event.get("metricValue"),
                    properties,
                    keys.get("user") or next(iter(keys.values()), None),
                )


def _keys(context: Mapping[str, Any]) -> dict[str, str]:
    if context.get("kind") != "multi":
        return {context["kind"]: context["key"]} if "key" in context else {}
    return {kind: part["key"] for kind, part in context.items() if isinstance(part, dict)}
