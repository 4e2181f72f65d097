"""Listeners: being told of decisions, events and datafiles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._callback import implements, owner, table
from .._constant import Constant
from .._native import ffi, lib
from .._text import decode_bytes
from ..status import check

if TYPE_CHECKING:
    from ..client import Client


class NotificationKind(Constant):
    """What a listener is told of."""

    ACTIVATE = lib.HOIST_OPTIMIZELY_ACTIVATE
    TRACK = lib.HOIST_OPTIMIZELY_TRACK
    DATAFILE_CHANGE = lib.HOIST_OPTIMIZELY_DATAFILE_CHANGE
    DECISION = lib.HOIST_OPTIMIZELY_DECISION
    LOG_EVENT = lib.HOIST_OPTIMIZELY_LOG_EVENT


Listener = Callable[[Any], object]
"""Takes the notification as hoist/optimizely.h tells it for its kind."""


def add(client: Client, kind: NotificationKind, listener: Listener) -> int:
    """Adds a listener; answers its id."""
    if not callable(listener):
        raise TypeError(f"a listener is a function, not {type(listener).__name__}")
    number = ffi.new("int32_t *")
    filled = table("optimizely_listener", listener)
    check(lib.hoist_optimizely_add_listener(client._pointer, int(kind), filled, number), "the listener")
    return int(number[0])


@implements("optimizely_listener", "notify")
def _notify(user_data: Any, _kind: int, text: Any, length: int) -> None:
    owner(user_data)(json.loads(decode_bytes(text, length)))
