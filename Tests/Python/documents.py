"""Feature documents that the tests open clients with."""

from __future__ import annotations

import json
from typing import Any


def on(name: str, **more: Any) -> dict[str, Any]:
    """A feature that is on for everybody."""
    return {"name": name, "type": "release", "enabled": True, "project": "web",
            "strategies": [{"name": "default"}], **more}


def off(name: str) -> dict[str, Any]:
    return {"name": name, "type": "release", "enabled": False, "project": "web", "strategies": []}


def for_plan(name: str, plan: str) -> dict[str, Any]:
    """A feature that is on where the property `plan` has a value."""
    constraint = {"contextName": "plan", "operator": "IN", "values": [plan]}
    return on(name, strategies=[{"name": "default", "constraints": [constraint]}])


def carrying(name: str, kind: str, value: str) -> dict[str, Any]:
    """A feature whose one variant carries a payload."""
    return on(name, variants=[{"name": f"{name}-variant", "weight": 1000, "payload": {"type": kind, "value": value}}])


def document(*features: dict[str, Any]) -> dict[str, Any]:
    return {"version": 2, "features": list(features)}


LONG_TEXT = "é" * 3000
SETTINGS = {"colour": "blue", "sizes": [1, 2.5, None], "deep": {"a": {"b": True}}}

TYPED = document(
    on("switch"),
    off("dark"),
    for_plan("pro-only", "pro"),
    carrying("text", "string", "grün"),
    carrying("empty-text", "string", ""),
    carrying("long-text", "string", LONG_TEXT),
    carrying("whole", "number", "42"),
    carrying("broken", "number", "2.5"),
    carrying("settings", "json", json.dumps(SETTINGS)),
    carrying("nothing", "json", "null"),
)
"""One flag of each type that Unleash's payloads can have."""
