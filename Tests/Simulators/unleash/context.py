"""The evaluation context: five fixed fields, the time, and properties (protocol B.2, C.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

FIELDS = ("userId", "sessionId", "environment", "appName", "remoteAddress", "currentTime")


@dataclass
class Context:
    """All values are text; what is missing is not there, and an empty text is not missing."""

    fields: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        """A field by its name, otherwise a property."""
        return self.fields.get(name) if name in FIELDS else self.properties.get(name)

    def get_timed(self, name: str) -> str | None:
        """Like `get`, but a missing time is now."""
        if name == "currentTime" and name not in self.fields:
            return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return self.get(name)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Context:
        """Reads a context given as JSON the way the vendor's engine does (C.1)."""
        wrapped = document.get("context")
        if isinstance(wrapped, dict):
            document = wrapped
        context = cls()
        given = document.get("properties")
        for name, value in (given if isinstance(given, dict) else {}).items():
            target = context.fields if name in FIELDS else context.properties
            _put(target, name, _text(value))
        # The top level wins over properties, for the fixed fields even with a null.
        for name, value in document.items():
            if name in FIELDS:
                context.fields.pop(name, None)
                _put(context.fields, name, _text(value))
            elif name not in ("properties", "context") and isinstance(value, str):
                context.properties[name] = value
        return context

    def without_empty(self) -> Context:
        """What the server looks at: empty values count as missing."""
        return Context({name: value for name, value in self.fields.items() if value},
                       {name: value for name, value in self.properties.items() if value})


def _put(target: dict[str, str], name: str, value: str | None) -> None:
    if value is not None:
        target[name] = value


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return None
