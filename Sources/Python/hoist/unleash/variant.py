"""Variants of a toggle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import detail as _detail
from .._native import lib, use
from .._text import decode


@dataclass(frozen=True, slots=True)
class Payload:
    """What a variant carries."""

    type: str
    """string, json, csv or number."""
    value: str

    def json(self, fallback: Any = None) -> Any:
        """The value decoded from JSON; `fallback` when it is none."""
        loaded = _detail.load(self.value)
        return fallback if loaded is None and self.value.strip() != "null" else loaded


@dataclass(frozen=True, slots=True)
class Variant:
    """The variant chosen for a context; "disabled" when there is none."""

    name: str = "disabled"
    enabled: bool = False
    """Whether a real variant was chosen."""
    feature_enabled: bool | None = None
    """The member feature_enabled as the service sent it; None when it did not."""
    is_feature_enabled: bool = False
    """Whether the toggle is on, also where the service did not say."""
    payload: Payload | None = None


_TRISTATE = {
    lib.HOIST_UNLEASH_ABSENT: None,
    lib.HOIST_UNLEASH_FALSE: False,
    lib.HOIST_UNLEASH_TRUE: True,
}


def tristate(value: bool | None) -> int:
    """A member that may be missing, for C."""
    return int(lib.HOIST_UNLEASH_ABSENT if value is None else value)


def read(pointer: Any) -> Variant:
    """Reads a variant of the library's and frees it."""
    try:
        kind = decode(lib.hoist_unleash_variant_payload_type(pointer))
        return Variant(
            decode(lib.hoist_unleash_variant_name(pointer)),
            lib.hoist_unleash_variant_enabled(pointer),
            _TRISTATE.get(lib.hoist_unleash_variant_feature_enabled(pointer)),
            lib.hoist_unleash_variant_is_feature_enabled(pointer),
            Payload(kind, decode(lib.hoist_unleash_variant_payload_value(pointer))) if kind else None,
        )
    finally:
        lib.hoist_unleash_variant_free(pointer)


use(Variant=Variant, Payload=Payload)
