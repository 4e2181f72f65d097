"""Enumerations whose values are the headers' constants."""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Constant(IntEnum):
    """A number of the library's. A newer library's number becomes a member named UNKNOWN_number."""

    def __str__(self) -> str:
        return self.name

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return cls._value2member_map_.setdefault(value, member)
