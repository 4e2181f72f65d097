"""Observers of notifications: being told of decisions, events and datafiles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._callback import implements, owner
from .._constant import Constant
from .._native import lib
from .._text import decode_bytes
from ..observer import Subscription, subscribe

if TYPE_CHECKING:
    from ..client import Client


class NotificationKind(Constant):
    """What an observer is told of."""

    ACTIVATE = lib.HOIST_OPTIMIZELY_ACTIVATE
    TRACK = lib.HOIST_OPTIMIZELY_TRACK
    DATAFILE_CHANGE = lib.HOIST_OPTIMIZELY_DATAFILE_CHANGE
    DECISION = lib.HOIST_OPTIMIZELY_DECISION
    LOG_EVENT = lib.HOIST_OPTIMIZELY_LOG_EVENT


NotificationObserver = Callable[[Any], object]
"""Takes the notification as hoist/optimizely/observer.h tells it for its kind."""


def observe(client: Client, kind: NotificationKind, observer: NotificationObserver) -> Subscription:
    """Registers an observer."""
    if not callable(observer):
        raise TypeError(f"an observer is a function, not {type(observer).__name__}")
    call = lib.hoist_optimizely_observe
    return subscribe(
        client, "optimizely_observer", observer, None,
        lambda filled, token: call(client._pointer, int(kind), filled, token),
    )  # fmt: skip


@implements("optimizely_observer", "notify")
def _notify(user_data: Any, _kind: int, text: Any, length: int) -> None:
    owner(user_data)(json.loads(decode_bytes(text, length)))
