"""Owners of observers: objects whose observers end with them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ..observer import Subscription

if TYPE_CHECKING:
    from ..client import Client

_Function = TypeVar("_Function", bound=Callable[..., object])
_owned: dict[int, list[Subscription]] = {}
"""By the id of the owner, until that has gone."""
# An object may end, and so call back into this module, while the lock is held by the same thread.
_lock = threading.RLock()


def check(owner: object) -> None:
    """TypeError for what cannot be held weakly."""
    weakref.ref(owner)


def own(owner: object, subscription: Subscription) -> None:
    """Lets a registration end with an object."""
    with _lock:
        if id(owner) not in _owned:
            weakref.finalize(owner, _forget, id(owner)).atexit = False
        _owned.setdefault(id(owner), []).append(subscription)


def end_all(owner: object, client: Client) -> None:
    """Ends what an object owns of one client."""
    with _lock:
        all_of_it = _owned.get(id(owner), [])
        gone = [subscription for subscription in all_of_it if subscription.is_of(client)]
        all_of_it[:] = [subscription for subscription in all_of_it if not subscription.is_of(client)]
    for subscription in gone:
        subscription.cancel()


def _forget(number: int) -> None:
    with _lock:
        gone = _owned.pop(number, [])
    for subscription in gone:
        subscription.cancel()  # no call begins afterwards


def held_weakly(handler: _Function, owned_by: object) -> Callable[..., object]:
    """The handler; a method of the owner without the owner, which it would keep alive otherwise."""
    if owned_by is None or getattr(handler, "__self__", None) is not owned_by:
        return handler
    method = weakref.WeakMethod(handler)

    def call(*arguments: object) -> object:
        found = method()
        return None if found is None else found(*arguments)

    return call
