"""Exposures: being told of flags that visitors saw, once the service has heard of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .._callback import implements, owner, table
from .._native import lib
from .._text import decode
from ..config import Config
from ..status import ErrorSlot
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


def set_observer(config: Config, exposed: VisitorExposed) -> None:
    """Tells a function of each exposure that the service has; in place of the former one."""
    if not callable(exposed):
        raise TypeError(f"an observer is a function, not {type(exposed).__name__}")
    slot = ErrorSlot()
    filled = table("flagship_exposure_observer", exposed)
    call = lib.hoist_flagship_config_set_exposure_observer
    slot.check(call(config._pointer, filled, slot.pointer), "the observer of exposures")


@implements("flagship_exposure_observer", "exposed")
def _exposed(user_data: Any, visitor: Any, flag: Any) -> None:
    owner(user_data)(_visitor(decode(visitor)), _flag(decode(flag)))


def _visitor(text: str) -> ExposedVisitor:
    values = json.loads(text)
    return ExposedVisitor(values["id"], values.get("anonymousId"), values["context"], text)


def _flag(text: str) -> ExposedFlag:
    values = json.loads(text)
    metadata = Metadata.from_dict(values.get("metadata", {}))
    return ExposedFlag(values["key"], values.get("value"), values.get("defaultValue"), metadata, text)
