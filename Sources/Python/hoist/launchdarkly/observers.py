"""Observers: being told of changed flags, of the connection's mode and of stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from .. import detail as _core
from .._callback import implements
from .._callback import owner as behind
from .._native import ffi, lib
from .._text import decode, encode
from ..observer import Subscription, subscribe
from .connection import ConnectionMode
from .owner import check, end_all, held_weakly, own
from .stores import StoreStatus

if TYPE_CHECKING:
    from ..client import Client


@dataclass(frozen=True, slots=True)
class ChangedFlag:
    """How one flag has changed."""

    key: str
    old_value: Any
    new_value: Any
    existed: bool = True
    """False: there was no such flag, and the old value is None for that."""
    exists: bool = True
    """False: there is no such flag any more."""


ChangedFlags = dict[str, ChangedFlag]


@dataclass(frozen=True)
class Told:
    """The functions behind one registration."""

    changed: Callable[[list[ChangedFlag]], object] | None = None
    unchanged: Callable[..., object] | None = None
    connection_mode: Callable[..., object] | None = None
    rules_changed: Callable[..., object] | None = None
    store: Callable[..., object] | None = None


class Observers:
    """Whom `launchdarkly.Client` tells of changes.

    Observers belong to an owner, which is any object, held weakly: they end with it, with
    `stop_observing`, and with the client. Without one they belong to the client. A method of the
    owner does not keep it alive; any other function that refers to it does. Each ends alone with its
    `Subscription`, too. They run on the client's delivery lane, in the order of the updates, or in
    `dispatch`, and may call everything but what waits.
    """

    __slots__ = ()

    _pointer: Any

    def observe_flag(
        self, key: str, handler: Callable[[ChangedFlag], object], owner: object = None
    ) -> Subscription:
        """Each change of one flag."""
        call, name = held_weakly(handler, owner), encode(key)
        told = Told(changed=lambda flags: [call(flag) for flag in flags])
        return self._register("changed", told, owner, partial(lib.hoist_launchdarkly_observe_flag, self._pointer, name))

    def observe_flags(
        self, keys: Iterable[str], handler: Callable[[ChangedFlags], object], owner: object = None
    ) -> Subscription:
        """One call for each update, with those of some flags that changed."""
        if isinstance(keys, str):
            raise TypeError("keys are a list of str, not one str")
        texts = [ffi.new("char[]", encode(key)) for key in keys]
        call = partial(lib.hoist_launchdarkly_observe_flags, self._pointer, ffi.new("char *[]", texts), len(texts))
        return self._register("changed", _of_many(handler, owner), owner, call)

    def observe_all(self, handler: Callable[[ChangedFlags], object], owner: object = None) -> Subscription:
        """One call for each update, with all flags that changed."""
        call = partial(lib.hoist_launchdarkly_observe_all, self._pointer)
        return self._register("changed", _of_many(handler, owner), owner, call)

    def observe_unchanged(self, handler: Callable[[], object], owner: object = None) -> Subscription:
        """Updates that change no flag at all."""
        call, told = lib.hoist_launchdarkly_observe_unchanged, Told(unchanged=held_weakly(handler, owner))
        return self._register("unchanged", told, owner, partial(call, self._pointer))

    def observe_connection_mode(
        self, handler: Callable[[ConnectionMode], object], owner: object = None
    ) -> Subscription:
        """Another mode of the connection than before."""
        call = lib.hoist_launchdarkly_observe_connection_mode
        told = Told(connection_mode=held_weakly(handler, owner))
        return self._register("connection_mode", told, owner, partial(call, self._pointer))

    def observe_store_status(self, handler: Callable[[StoreStatus], object], owner: object = None) -> Subscription:
        """Changes of what is known of the store of rules, in mode server."""
        call, told = lib.hoist_launchdarkly_observe_store_status, Told(store=held_weakly(handler, owner))
        return self._register("store_status", told, owner, partial(call, self._pointer))

    def observe_big_segments_status(
        self, handler: Callable[[StoreStatus], object], owner: object = None
    ) -> Subscription:
        """Changes of what is known of the store of big segments, in mode server, after the first poll of it."""
        call, told = lib.hoist_launchdarkly_observe_big_segments_status, Told(store=held_weakly(handler, owner))
        return self._register("big_segments_status", told, owner, partial(call, self._pointer))

    def stop_observing(self, owner: object = None) -> None:
        """Ends all observers of an owner in this environment; without one, those that belong to the client."""
        end_all(self._owner(owner), self._client)

    def _register(self, member: str, told: Told, owner: object, call: Callable[[Any, Any], int]) -> Subscription:
        by = self._owner(owner)
        check(by)
        made = subscribe(self._client, "launchdarkly_observer", told, [member], call)
        own(by, made)
        return made

    def _owner(self, owner: object) -> object:
        # Further environments are handed out anew each time, and live as long as the client that was opened.
        return getattr(self, "_primary", self) if owner is None else owner

    @property
    def _client(self) -> Client:
        return cast("Client", self)


def _of_many(handler: Callable[[ChangedFlags], object], owner: object) -> Told:
    call = held_weakly(handler, owner)
    return Told(changed=lambda flags: call({flag.key: flag for flag in flags}))


@implements("launchdarkly_observer", "changed")
def _changed(user_data: Any, changes: Any, count: int) -> None:
    told = behind(user_data).changed
    if told is not None:
        told([_read(changes[index]) for index in range(count)])


@implements("launchdarkly_observer", "unchanged")
def _unchanged(user_data: Any) -> None:
    told = behind(user_data).unchanged
    if told is not None:
        told()


@implements("launchdarkly_observer", "connection_mode")
def _connection_mode(user_data: Any, mode: int) -> None:
    told = behind(user_data).connection_mode
    if told is not None:
        told(ConnectionMode(mode))


@implements("launchdarkly_observer", "rules_changed")
def _rules_changed(user_data: Any, keys: Any, count: int) -> None:
    told = behind(user_data).rules_changed
    if told is not None:
        told([decode(keys[index]) for index in range(count)])


@implements("launchdarkly_observer", "store_status")
def _store_status(user_data: Any, is_available: bool, is_stale: bool) -> None:
    told = behind(user_data).store
    if told is not None:
        told(StoreStatus(bool(is_available), bool(is_stale)))


implements("launchdarkly_observer", "big_segments_status")(_store_status)


def _read(change: Any) -> ChangedFlag:
    old, new = decode(change.old_value), decode(change.new_value)
    return ChangedFlag(decode(change.key), _core.load(old), _core.load(new), bool(old), bool(new))
