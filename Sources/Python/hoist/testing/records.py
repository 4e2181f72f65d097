"""What a test reads back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A flag that was read."""

    key: str
    value: Any = None
    """What the flag holds; None where the service hears of the variation alone."""
    variation: str = ""
    targeting_key: str | None = None
    """Of the call, or the handle, or the client's current one."""
    error_code: str = ""
    """Empty, or why the fallback was given."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """An event as the service has got it."""

    key: str
    value: float | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    targeting_key: str | None = None
    """The person that it is of; None where the service's events are of no person."""
