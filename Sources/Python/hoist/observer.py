"""Observers: being told of changes."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import detail as _detail
from ._callback import implements, owner, table
from ._constant import Constant
from ._native import ffi, lib
from ._text import decode, optional
from .status import Error, Status, check

if TYPE_CHECKING:
    from .client import Client


class Topic(Constant):
    """What an observer is told of."""

    READY = lib.HOIST_TOPIC_READY
    CONFIGURATION_CHANGED = lib.HOIST_TOPIC_CONFIGURATION_CHANGED
    FLAG_CHANGED = lib.HOIST_TOPIC_FLAG_CHANGED
    ERROR = lib.HOIST_TOPIC_ERROR
    STATE = lib.HOIST_TOPIC_STATE
    IMPRESSION = lib.HOIST_TOPIC_IMPRESSION
    EVENTS_SENT = lib.HOIST_TOPIC_EVENTS_SENT
    CONTEXT_CHANGED = lib.HOIST_TOPIC_CONTEXT_CHANGED
    INITIALIZED = lib.HOIST_TOPIC_INITIALIZED
    RECOVERED = lib.HOIST_TOPIC_RECOVERED
    UPDATED = lib.HOIST_TOPIC_UPDATED
    FETCH_FAILED = lib.HOIST_TOPIC_FETCH_FAILED
    SEND_FAILED = lib.HOIST_TOPIC_SEND_FAILED
    UNLEASH_READY = lib.HOIST_TOPIC_UNLEASH_READY
    UNLEASH_UPDATE = lib.HOIST_TOPIC_UNLEASH_UPDATE


@dataclass(frozen=True, slots=True)
class Notification:
    """One piece of news."""

    topic: Topic
    message: str
    """One line for people: the cause of an error, the new state."""
    status: Status
    """Status of what failed; OK when nothing did."""
    keys: tuple[str, ...]
    """The flags it speaks of."""
    data: Any
    """The vendor's own payload, e.g. of an impression."""


Observer = Callable[[Notification], object]


class Subscription:
    """One registration of an observer, until `cancel` or the end of a `with` block."""

    __slots__ = ("_keeper", "_pointer", "_token")

    def __init__(self, client: Client, token: int) -> None:
        # A further environment's client is valid as long as the one that was opened.
        self._keeper = weakref.ref(getattr(client, "_primary", client))
        self._pointer = ffi.cast("hoist_client *", client._pointer)
        self._token = token

    def cancel(self) -> bool:
        """No new call begins afterwards. False when it had ended before."""
        return self._keeper() is not None and lib.hoist_client_unobserve(self._pointer, self._token) == Status.OK

    def is_of(self, client: Client) -> bool:
        """Whether a client's changes are told."""
        return bool(self._pointer == client._pointer)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()


def observe(client: Client, topic: Topic, observer: Observer, key: str | None) -> Subscription:
    """Registers an observer."""
    if not isinstance(topic, Topic):
        raise TypeError(f"a topic is a hoist.Topic, not {type(topic).__name__}")
    if not callable(observer):
        raise TypeError(f"an observer is a function, not {type(observer).__name__}")
    call, name = lib.hoist_client_observe, optional(key)
    return subscribe(
        client, "observer", observer, None,
        lambda filled, token: call(client._pointer, int(topic), name, filled, token),
    )  # fmt: skip


def subscribe(
    client: Client, kind: str, observer: object, members: Iterable[str] | None, call: Callable[[Any, Any], int]
) -> Subscription:
    """Registers an observer of any kind by `call(table, token)`; `members` of its table, or all."""
    token = ffi.new("hoist_token *")
    check(call(table(kind, observer, members), token), "the observer")
    return Subscription(client, token[0])


@implements("observer", "notify")
def _notify(user_data: Any, notification: Any) -> None:
    owner(user_data)(
        Notification(
            Topic(lib.hoist_notification_topic(notification)),
            decode(lib.hoist_notification_message(notification)),
            Status(lib.hoist_notification_status(notification)),
            tuple(
                decode(lib.hoist_notification_key(notification, index))
                for index in range(lib.hoist_notification_key_count(notification))
            ),
            _detail.load(decode(lib.hoist_notification_json(notification))),
        )
    )
