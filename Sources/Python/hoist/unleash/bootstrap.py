"""Flags to start with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Union

from .._native import ffi, lib
from .._text import decode, document, encode
from ..status import ErrorSlot, check
from .variant import Payload, Variant, tristate


@dataclass(frozen=True, slots=True)
class Toggle:
    """One flag as the service hands it out."""

    name: str
    enabled: bool = False
    variant: Variant | None = None
    impression_data: bool = False


class Bootstrap:
    """Flags to start with, from code, from JSON text or from a file in the service's answer format."""

    __slots__ = ("_pointer",)

    def __init__(self, toggles: Iterable[Toggle] = ()) -> None:
        self._pointer: Any = ffi.gc(lib.hoist_unleash_bootstrap_new(), lib.hoist_unleash_bootstrap_free)
        for toggle in toggles:
            self.add(toggle)

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> Bootstrap:
        """Flags from the service's answer format. Raises `hoist.Error` when it cannot be read."""
        data = document(json.dumps(text) if isinstance(text, Mapping) else text)
        slot = ErrorSlot()
        return cls._of(lib.hoist_unleash_bootstrap_from_json(data, len(data), slot.pointer), slot)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Bootstrap:
        """Flags from a file. Raises `hoist.Error` when it cannot be read."""
        slot = ErrorSlot()
        return cls._of(lib.hoist_unleash_bootstrap_from_file(encode(fspath(path)), slot.pointer), slot)

    @classmethod
    def _of(cls, pointer: Any, slot: ErrorSlot) -> Bootstrap:
        if not pointer:
            raise slot.failed("the bootstrap")
        made = cls.__new__(cls)
        made._pointer = ffi.gc(pointer, lib.hoist_unleash_bootstrap_free)
        return made

    def add(self, toggle: Toggle) -> None:
        """Adds a flag."""
        if not isinstance(toggle, Toggle):
            raise TypeError(f"a toggle is a hoist.unleash.Toggle, not {type(toggle).__name__}")
        told, _texts = c_toggle(toggle)
        check(lib.hoist_unleash_bootstrap_add(self._pointer, told), f'toggle "{toggle.name}"')


BootstrapLike = Union[Bootstrap, Iterable[Toggle], Mapping[str, Any], str, bytes]
"""A bootstrap, flags, or a document in the service's answer format, decoded or as JSON."""


def as_bootstrap(bootstrap: BootstrapLike) -> Bootstrap:
    """The bootstrap a caller means."""
    if isinstance(bootstrap, Bootstrap):
        return bootstrap
    if isinstance(bootstrap, (Mapping, str, bytes)):
        return Bootstrap.from_json(bootstrap)
    return Bootstrap(bootstrap)


def c_toggle(toggle: Toggle) -> tuple[Any, list[Any]]:
    """A flag for C, and what must live as long."""
    texts: list[Any] = []

    def text(value: str) -> Any:
        texts.append(ffi.new("char[]", encode(value)))
        return texts[-1]

    told = ffi.new("hoist_unleash_toggle *")
    told.struct_size = ffi.sizeof("hoist_unleash_toggle")
    told.name = text(toggle.name)
    told.enabled = toggle.enabled
    told.impression_data = toggle.impression_data
    told.variant_feature_enabled = lib.HOIST_UNLEASH_ABSENT
    if toggle.variant is not None:
        told.variant_name = text(toggle.variant.name)
        told.variant_enabled = toggle.variant.enabled
        told.variant_feature_enabled = tristate(toggle.variant.feature_enabled)
        if toggle.variant.payload is not None:
            told.payload_type = text(toggle.variant.payload.type)
            told.payload_value = text(toggle.variant.payload.value)
    return told, texts


def read_toggle(toggle: Any) -> Toggle:
    """A flag that C lends."""
    variant = None
    if toggle.variant_name:
        payload = Payload(decode(toggle.payload_type), decode(toggle.payload_value)) if toggle.payload_type else None
        told = toggle.variant_feature_enabled
        feature_enabled = None if told == lib.HOIST_UNLEASH_ABSENT else bool(told)
        is_on = toggle.enabled if feature_enabled is None else feature_enabled
        variant = Variant(decode(toggle.variant_name), toggle.variant_enabled, feature_enabled, is_on, payload)
    return Toggle(decode(toggle.name), toggle.enabled, variant, toggle.impression_data)
