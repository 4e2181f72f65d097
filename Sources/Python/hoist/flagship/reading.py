"""How a visitor's flags are read."""

from __future__ import annotations

from typing import Any

from .._native import lib
from . import flag as _flag
from .flag import Flag, Value
from .flags import Flags


class Reading:
    """What `flagship.Visitor` can do about flags."""

    __slots__ = ()

    _pointer: Any

    def flag(self, key: str) -> Flag:
        """A flag, which reads the visitor's flags at each call; one that does not exist for an unknown key."""
        return _flag.of(self._pointer, key)

    def value(self, key: str, default: Value, expose: bool = True) -> Value:
        """`Flag.value` of a key, without making a flag."""
        found: Value = _flag.value_by_key(self._pointer, key, default, expose)
        return found

    @property
    def flags(self) -> Flags:
        """All flags that the visitor has now, by key."""
        return Flags(lib.hoist_flagship_visitor_flags(self._pointer))
