"""Flags kept by the host."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .._callback import implements, owner
from .._native import lib
from .._text import decode
from ..status import Status
from .bootstrap import Toggle, c_toggle, read_toggle


class Storage(ABC):
    """Keeps the toggles of a frontend client. `value` runs on evaluating threads, for every read."""

    @abstractmethod
    def set(self, toggles: Sequence[Toggle]) -> None:
        """Replaces all toggles."""

    @abstractmethod
    def value(self, name: str) -> Toggle | None:
        """The toggle of a name; None when there is none."""

    @abstractmethod
    def clear(self) -> None:
        """Forgets all toggles."""


@implements("unleash_storage", "set")
def _set(user_data: Any, toggles: Any, count: int) -> None:
    owner(user_data).set([read_toggle(toggles[index]) for index in range(count)])


@implements("unleash_storage", "value", failure=Status)
def _value(user_data: Any, name: Any, sink: Any) -> int:
    toggle = owner(user_data).value(decode(name))
    if toggle is None:
        return Status.NOT_FOUND
    told, _texts = c_toggle(toggle)
    return int(lib.hoist_unleash_toggle_sink_put(sink, told))


@implements("unleash_storage", "clear")
def _clear(user_data: Any) -> None:
    owner(user_data).clear()
