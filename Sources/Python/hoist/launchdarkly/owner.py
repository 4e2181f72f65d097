"""Owners of observers: objects whose observers end with them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from .._native import NULL, ffi, lib

_Function = TypeVar("_Function", bound=Callable[..., object])


class _Owner:
    """The library's side of an object that owns observers."""

    def __init__(self, owned_by: object) -> None:
        self.pointer: Any = ffi.gc(lib.hoist_launchdarkly_owner_new(), lib.hoist_launchdarkly_owner_free)
        number = id(owned_by)
        self.watched = weakref.ref(owned_by, lambda _: _forget(number))


_owners: dict[int, _Owner] = {}
# An object may end, and so call back into this module, while the lock is held by the same thread.
_lock = threading.RLock()


def pointer_for(owned_by: object) -> Any:
    """The library's owner for an object, made when there is none. TypeError for what cannot be held weakly."""
    with _lock:
        found = _owners.get(id(owned_by))
        if found is None or found.watched() is not owned_by:
            found = _owners[id(owned_by)] = _Owner(owned_by)
        return found.pointer


def known_pointer(owned_by: object) -> Any:
    """The library's owner for an object; NULL when it owns nothing."""
    with _lock:
        found = _owners.get(id(owned_by))
        return found.pointer if found is not None and found.watched() is owned_by else NULL


def _forget(number: int) -> None:
    with _lock:
        gone = _owners.pop(number, None)
    if gone is not None:
        ffi.release(gone.pointer)  # no call begins afterwards


def held_weakly(handler: _Function, owned_by: object) -> Callable[..., object]:
    """The handler; a method of the owner without the owner, which it would keep alive otherwise."""
    if owned_by is None or getattr(handler, "__self__", None) is not owned_by:
        return handler
    method = weakref.WeakMethod(handler)

    def call(*arguments: object) -> object:
        found = method()
        return None if found is None else found(*arguments)

    return call
