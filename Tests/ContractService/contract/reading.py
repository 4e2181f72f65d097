"""Reading what the harness sends: members of JSON objects by name and type. Null is as good as absent."""

from __future__ import annotations

import json
import math
from typing import Any


class Refused(Exception):
    """A request that cannot be understood; the answer is 400."""


def parse(body: bytes) -> Members:
    """The object that a body holds."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise Refused(f"the body is not JSON: {problem}") from None
    return Members(document, "the body")


class Members:
    """One JSON object. Members that nobody asks for are ignored."""

    def __init__(self, values: Any, name: str) -> None:
        if not isinstance(values, dict):
            raise Refused(f"{name} is not an object")
        self.values: dict[str, Any] = values
        self.name = name

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def any(self, name: str) -> Any:
        """A member as it is."""
        return self.values.get(name)

    def text(self, name: str) -> str | None:
        """A text."""
        return self._typed(name, str, "a text")

    def boolean(self, name: str) -> bool:
        """A boolean; False when it is absent."""
        return self._typed(name, bool, "a boolean") or False

    def number(self, name: str) -> float | None:
        """A number."""
        value = self.values.get(name)
        is_number = isinstance(value, int) or isinstance(value, float) and math.isfinite(value)
        if isinstance(value, bool) or not is_number and value is not None:
            raise Refused(f"{self._path(name)} is not a number")
        return value

    def whole(self, name: str) -> int | None:
        """A number without a fraction, and not below zero."""
        value = self.number(name)
        if value is not None and (value < 0 or value != int(value)):
            raise Refused(f"{self._path(name)} is no whole number from zero on")
        return None if value is None else int(value)

    def object(self, name: str) -> Members | None:
        """An object."""
        return None if self.values.get(name) is None else Members(self.values[name], self._path(name))

    def objects(self, name: str) -> list[Members]:
        """A list of objects; empty when it is absent."""
        elements = self._typed(name, list, "a list") or []
        return [Members(element, f"{self._path(name)}[{at}]") for at, element in enumerate(elements)]

    def texts(self, name: str) -> list[str]:
        """A list of texts; empty when it is absent."""
        elements = self._typed(name, list, "a list") or []
        if not all(isinstance(element, str) for element in elements):
            raise Refused(f"{self._path(name)} is not a list of texts")
        return list(elements)

    def mapping(self, name: str) -> dict[str, Any]:
        """An object whose members have any type; empty when it is absent."""
        return dict(self._typed(name, dict, "an object") or {})

    def needed_text(self, name: str) -> str:
        """A text that must be there; it may be empty."""
        value = self.text(name)
        if value is None:
            raise Refused(f"{self._path(name)} is missing")
        return value

    def needed_object(self, name: str) -> Members:
        """An object that must be there."""
        value = self.object(name)
        if value is None:
            raise Refused(f"{self._path(name)} is missing")
        return value

    def _typed(self, name: str, kind: type, called: str) -> Any:
        value = self.values.get(name)
        if value is not None and not isinstance(value, kind):
            raise Refused(f"{self._path(name)} is not {called}")
        return value

    def _path(self, name: str) -> str:
        return f"{self.name}.{name}"
