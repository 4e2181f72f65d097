"""Flags as a service publishes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._attributes import to_json
from .._native import ffi, lib
from .._text import encode
from ..context import Context
from ..status import ErrorSlot, check


class Variation(NamedTuple):
    """One of the values that a flag can have; a pair will do in its place."""

    name: str
    value: Any
    """What JSON can say; None: the caller's fallback is served."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag. Without variations it is a switch: True while it is enabled."""

    key: str
    variations: Sequence[tuple[str, Any]] = ()
    default: int = 0
    """The place of the variation that is served; -1 for none."""
    enabled: bool = True
    """Off, fallbacks are served, with the reason DISABLED."""
    is_decided_per_call: bool = False
    """`Provider.evaluate` chooses the variation."""
    is_recorded: bool = False
    """`Provider.record` is told of evaluations."""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, key: str, value: Any, **more: Any) -> Flag:
        """The flag that has one value."""
        return cls(key, (Variation("", value),), **more)


def flag_set(flags: Iterable[Flag], context: Context | None) -> Any:
    """Flags for C. Raises `hoist.Error`, which names the flag."""
    made = ffi.gc(lib.hoist_flag_set_new(), lib.hoist_flag_set_free)
    for flag in flags:
        told, _texts = _c_flag(flag)
        slot = ErrorSlot()
        slot.check(lib.hoist_flag_set_add(made, told, slot.pointer), f'flag "{flag.key}"')
    if context is not None:
        check(lib.hoist_flag_set_limit_to(made, context._pointer), "the context of the flags")
    return made


def _c_flag(flag: Flag) -> tuple[Any, list[Any]]:
    texts: list[Any] = []

    def text(data: bytes) -> Any:
        texts.append(ffi.new("char[]", data))
        return texts[-1]

    size = ffi.sizeof("hoist_flag_variation")
    rows = [(size, text(encode(name)), text(to_json(value, flag.key))) for name, value in flag.variations]
    told = ffi.new("hoist_flag *")
    told.struct_size, told.key = ffi.sizeof("hoist_flag"), text(encode(flag.key))
    told.enabled, told.default_variation = flag.enabled, flag.default if rows else -1
    told.is_decided_per_call, told.is_recorded = flag.is_decided_per_call, flag.is_recorded
    if rows:
        texts.append(ffi.new("hoist_flag_variation[]", rows))
        told.variations, told.variation_count = texts[-1], len(rows)
    if flag.metadata:
        told.metadata = text(to_json(dict(flag.metadata), flag.key))
    return told, texts
