"""The data platform (ODP): audience segments, and a platform of the host's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Union

from .._attributes import to_json
from .._callback import implements, overridden, owner, table
from .._constant import Constant
from .._native import NULL, ffi, lib
from .._text import decode, encode
from ..config import Config
from ..status import ErrorSlot, Status

Scalar = Union[str, int, float, bool, None]


class SegmentOption(Constant):
    """What a fetch of segments does with those that are kept."""

    IGNORE_CACHE = lib.HOIST_OPTIMIZELY_IGNORE_SEGMENT_CACHE
    RESET_CACHE = lib.HOIST_OPTIMIZELY_RESET_SEGMENT_CACHE


class PlatformManager:
    """A data platform of the host's own, in place of the service's. Override one member or both.

    Runs on a lane of its client's, one call at a time, and may block.
    """

    def segments(self, user_id: str, options: frozenset[SegmentOption]) -> Iterable[str]:
        """Which segments a user is in. May raise `hoist.Error` with `Status.OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER`."""
        raise NotImplementedError

    def send(self, type: str, action: str, identifiers: dict[str, str], data: dict[str, Scalar]) -> None:
        """Takes an event; the library's own are "client_initialized" and "identified"."""
        raise NotImplementedError


_MEMBERS = {"segments": "fetch_segments", "send": "send_event"}


def set_platform(config: Config, manager: PlatformManager) -> None:
    """Asks a data platform of the host's, for what it brings."""
    if not isinstance(manager, PlatformManager):
        raise TypeError(f"a data platform is a hoist.optimizely.PlatformManager, not {type(manager).__name__}")
    slot = ErrorSlot()
    members = [_MEMBERS[name] for name in overridden(manager, PlatformManager, _MEMBERS)]
    filled = table("optimizely_odp_manager", manager, members)
    slot.check(lib.hoist_optimizely_config_set_odp_manager(config._pointer, filled, slot.pointer), "the data platform")


@implements("optimizely_odp_manager", "fetch_segments", failure=Status)
def _fetch_segments(user_data: Any, user_id: Any, options: int, sink: Any) -> int:
    chosen = frozenset(option for option in SegmentOption if options & int(option))
    for name in owner(user_data).segments(decode(user_id), chosen):
        status = lib.hoist_optimizely_segment_sink_add(sink, encode(name))
        if status:
            return int(status)
    return Status.OK


@implements("optimizely_odp_manager", "send_event", failure=Status)
def _send_event(user_data: Any, kind: Any, action: Any, identifiers: Any, data: Any) -> int:
    owner(user_data).send(decode(kind), decode(action), json.loads(decode(identifiers)), json.loads(decode(data)))
    return Status.OK


def segment_bits(options: Iterable[SegmentOption]) -> int:
    """Options as the library takes them."""
    bits = 0
    for option in options:
        bits |= int(SegmentOption(int(option)))
    return bits


def send_event(
    client: Any,
    action: str,
    type: str | None,
    identifiers: Mapping[str, str] | None,
    data: Mapping[str, Scalar] | None,
) -> Status:
    """Records an event; answers why not."""
    slot = ErrorSlot()
    texts = [NULL if part is None else to_json(dict(part), "an ODP event") + b"\0" for part in (identifiers, data)]
    kind = NULL if type is None else encode(type)
    status = lib.hoist_optimizely_send_odp_event(client._pointer, kind, encode(action), *texts, slot.pointer)
    return slot.answer(status)


def names_array(names: Iterable[str] | None) -> tuple[Any, int, list[Any]]:
    """Names of segments for C: the array, how many there are, and what must live as long."""
    if names is None:
        return NULL, 0, []
    if isinstance(names, str):
        raise TypeError("segments are a list of str, not one str")
    texts = [ffi.new("char[]", encode(name)) for name in names]
    return ffi.new("char *[]", texts or [NULL]), len(texts), texts
