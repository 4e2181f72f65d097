"""Exposures: being told of flags that visitors saw, once the service has heard of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .metadata import Metadata


@dataclass(frozen=True, slots=True)
class ExposedVisitor:
    """Who saw a flag, as the visitor was then."""

    id: str
    anonymous_id: str | None
    context: dict[str, Any]
    _text: str = field(compare=False, repr=False)

    def to_json(self) -> str:
        """{"id": …, "anonymousId": … or null, "context": {…}}."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The same, decoded."""
        decoded: dict[str, Any] = json.loads(self._text)
        return decoded


@dataclass(frozen=True, slots=True)
class ExposedFlag:
    """The flag that was seen."""

    key: str
    value: Any
    default_value: Any
    """None where none was named, too."""
    metadata: Metadata
    _text: str = field(compare=False, repr=False)

    def to_json(self) -> str:
        """{"key": …, "value": …, "defaultValue": …, "metadata": {…}}; without `defaultValue` where none was named."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The same, decoded."""
        decoded: dict[str, Any] = json.loads(self._text)
        return decoded


VisitorExposed = Callable[[ExposedVisitor, ExposedFlag], object]


def read_visitor(text: str) -> ExposedVisitor:
    values = json.loads(text)
    return ExposedVisitor(values["id"], values.get("anonymousId"), values["context"], text)


def read_flag(text: str) -> ExposedFlag:
    values = json.loads(text)
    metadata = Metadata.from_dict(values.get("metadata", {}))
    return ExposedFlag(values["key"], values.get("value"), values.get("defaultValue"), metadata, text)
