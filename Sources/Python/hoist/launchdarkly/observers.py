"""Observers: being told of changed flags and of the connection's mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .. import detail as _core
from .._callback import implements, table
from .._callback import owner as behind
from .._native import ffi, lib
from .._text import decode, encode
from ..status import Error, Status, check
from .connection import ConnectionMode
from .owner import held_weakly, known_pointer, pointer_for


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
class _Told:
    """The functions behind one registration."""

    changed: Callable[[list[ChangedFlag]], object] | None = None
    unchanged: Callable[..., object] | None = None
    connection_mode: Callable[..., object] | None = None


class Observers:
    """Whom `launchdarkly.Client` tells of changes.

    Observers belong to an owner, which is any object, held weakly: they end with it, with
    `stop_observing`, and with the client. Without one they belong to the client. A method of the
    owner does not keep it alive; any other function that refers to it does. They run on the
    client's delivery lane, in the order of the updates, or in `dispatch`, and may call everything
    but what waits. Raise `hoist.Error` on a closed client.
    """

    __slots__ = ()

    _pointer: Any

    def observe_flag(self, key: str, handler: Callable[[ChangedFlag], object], owner: object = None) -> None:
        """Each change of one flag."""
        call, name = held_weakly(handler, owner), encode(key)
        told = _Told(changed=lambda flags: [call(flag) for flag in flags])
        self._register("changed", told, owner, lambda by, filled: self._observe_one(by, name, filled))

    def observe_flags(
        self, keys: Iterable[str], handler: Callable[[ChangedFlags], object], owner: object = None
    ) -> None:
        """One call for each update, with those of some flags that changed."""
        if isinstance(keys, str):
            raise TypeError("keys are a list of str, not one str")
        texts = [ffi.new("char[]", encode(key)) for key in keys]
        array, call = ffi.new("char *[]", texts), lib.hoist_launchdarkly_observe_flags
        self._register(
            "changed", _of_many(handler, owner), owner,
            lambda by, filled: call(self._pointer, by, array, len(texts), filled),
        )  # fmt: skip

    def observe_all(self, handler: Callable[[ChangedFlags], object], owner: object = None) -> None:
        """One call for each update, with all flags that changed."""
        call = lib.hoist_launchdarkly_observe_all
        self._register("changed", _of_many(handler, owner), owner, lambda by, filled: call(self._pointer, by, filled))

    def observe_unchanged(self, handler: Callable[[], object], owner: object = None) -> None:
        """Updates that change no flag at all."""
        call, told = lib.hoist_launchdarkly_observe_unchanged, _Told(unchanged=held_weakly(handler, owner))
        self._register("unchanged", told, owner, lambda by, filled: call(self._pointer, by, filled))

    def observe_connection_mode(self, handler: Callable[[ConnectionMode], object], owner: object = None) -> None:
        """Another mode of the connection than before."""
        call = lib.hoist_launchdarkly_observe_connection_mode
        told = _Told(connection_mode=held_weakly(handler, owner))
        self._register("connection_mode", told, owner, lambda by, filled: call(self._pointer, by, filled))

    def stop_observing(self, owner: object = None) -> Status:
        """Ends all observers of an owner in this environment; without one, those that belong to the client."""
        pointer = known_pointer(self if owner is None else owner)
        return Status(lib.hoist_launchdarkly_stop_observing(self._pointer, pointer)) if pointer else Status.OK

    def _observe_one(self, by: Any, name: bytes, filled: Any) -> int:
        return int(lib.hoist_launchdarkly_observe_flag(self._pointer, by, name, filled))

    def _register(self, member: str, told: _Told, owner: object, call: Callable[[Any, Any], int]) -> None:
        by = pointer_for(self if owner is None else owner)
        status = call(by, table("launchdarkly_observer", told, [member]))
        if status == Status.STATE:
            raise Error(Status.STATE, "a closed client takes no observers")
        check(status, "the observer")


def _of_many(handler: Callable[[ChangedFlags], object], owner: object) -> _Told:
    call = held_weakly(handler, owner)
    return _Told(changed=lambda flags: call({flag.key: flag for flag in flags}))


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


def _read(change: Any) -> ChangedFlag:
    old, new = change.old_value, change.new_value
    return ChangedFlag(
        decode(change.key), _core.load(decode(old)) if old else None, _core.load(decode(new)) if new else None,
        bool(old), bool(new),
    )  # fmt: skip
