"""Stores of a program's own for mode server: rules that processes share, and segments too large for the rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._callback import implements, owner, table
from .._constant import Constant
from .._native import ffi, lib
from .._text import decode, decode_bytes, encode, structs
from ..config import Config
from .._wait import interruptible
from ..status import ErrorSlot, Status, check


class ItemKind(Constant):
    """What an item is."""

    FLAG = lib.HOIST_LAUNCHDARKLY_FLAG
    SEGMENT = lib.HOIST_LAUNCHDARKLY_SEGMENT


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A flag or a segment as a store keeps it."""

    kind: ItemKind
    key: str
    version: int
    is_deleted: bool
    """Kept for its version alone."""
    json: str
    """As the service wrote it; of a deleted one a tombstone."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What is known of a store."""

    is_available: bool
    is_stale: bool


class RulesStore(ABC):
    """Keeps the rules of an environment for several processes. Members run one at a time for one client and may block.

    Each does what it says or raises, and has changed nothing then: it is tried again.
    """

    @abstractmethod
    def init(self, items: Sequence[StoredItem]) -> None:
        """Keeps these items in place of all others, and that there has been a whole set."""

    @abstractmethod
    def all(self, kind: ItemKind) -> Mapping[str, str] | Iterable[tuple[str, str]]:
        """The JSON of all items of a kind by their keys, deleted ones among them."""

    @abstractmethod
    def upsert(self, item: StoredItem) -> str | None:
        """Keeps one item where none is kept, or one of a lower version.

        Returns:
            None when it did; else the JSON of the one that is kept.
        """

    @abstractmethod
    def initialized(self) -> bool:
        """Whether there has been a whole set, from any process."""


class BigSegmentStore(ABC):
    """Tells which contexts are in segments that are too large for the rules."""

    @abstractmethod
    def metadata(self) -> int | None:
        """When it was last brought up to date, in milliseconds since 1970; None: never. On a thread of the client's."""

    @abstractmethod
    def memberships(self, context_hash: str) -> Mapping[str, bool] | None:
        """The memberships of a context by KEY.gGENERATION of the segment. On evaluating threads, perhaps on several at once."""


def set_store(config: Config, store: RulesStore) -> None:
    """Keeps a client's rules in a store of the program's own, or takes them from there alone with `daemon_mode`."""
    _plug(lib.hoist_launchdarkly_config_set_store, config, store, RulesStore, "launchdarkly_store")


def set_big_segments(config: Config, store: BigSegmentStore) -> None:
    """Asks a store of the program's own for big segments."""
    _plug(lib.hoist_launchdarkly_config_set_big_segments, config, store, BigSegmentStore, "launchdarkly_big_segments")


def _plug(call: Any, config: Config, store: object, base: type, kind: str) -> None:
    if not isinstance(store, base):
        raise TypeError(f"a store is a hoist.launchdarkly.{base.__name__}, not {type(store).__name__}")
    slot = ErrorSlot()
    slot.check(call(config._pointer, table(kind, store), slot.pointer), "the store")


class Stores:
    """What `launchdarkly.Client` knows of its stores, in mode server."""

    __slots__ = ()

    _pointer: Any

    @property
    def store_status(self) -> StoreStatus:
        """Of the store of rules; available without one."""
        return self._status("hoist_launchdarkly_store_status", lib.hoist_launchdarkly_get_store_status)

    @property
    def big_segments_status(self) -> StoreStatus:
        """Of the store of big segments, as last polled; the first poll is waited for. Not available without one."""
        return self._status("hoist_launchdarkly_big_segments_status", lib.hoist_launchdarkly_get_big_segments_status)

    def _status(self, kind: str, call: Any) -> StoreStatus:
        found = ffi.new(f"{kind} *")
        found.struct_size = ffi.sizeof(kind)
        check(interruptible(lambda: int(call(self._pointer, found))), "the store's status")
        return StoreStatus(bool(found.is_available), bool(found.is_stale))


@implements("launchdarkly_store", "init", failure=Status)
def _init(user_data: Any, items: Any, count: int) -> int:
    owner(user_data).init([_item(item) for item in structs(items, count)])
    return Status.OK


@implements("launchdarkly_store", "all", failure=Status)
def _all(user_data: Any, kind: int, sink: Any) -> int:
    found = owner(user_data).all(ItemKind(kind))
    for key, text in found.items() if isinstance(found, Mapping) else found:
        check(_add(sink, key, text), "an item of all")
    return Status.OK


@implements("launchdarkly_store", "upsert", failure=Status)
def _upsert(user_data: Any, item: Any, sink: Any) -> int:
    mine = _item(item)
    kept = owner(user_data).upsert(mine)
    if kept is None:
        return Status.OK
    check(_add(sink, mine.key, kept), "the kept item")
    return Status.STATE


@implements("launchdarkly_store", "initialized", failure=Status)
def _initialized(user_data: Any, found: Any) -> int:
    found[0] = bool(owner(user_data).initialized())
    return Status.OK


@implements("launchdarkly_big_segments", "metadata", failure=Status)
def _metadata(user_data: Any, found: Any) -> int:
    date = owner(user_data).metadata()
    if date is None:
        return Status.NOT_FOUND
    found[0] = date
    return Status.OK


@implements("launchdarkly_big_segments", "memberships", failure=Status)
def _memberships(user_data: Any, context_hash: Any, sink: Any) -> int:
    found = owner(user_data).memberships(decode(context_hash))
    if found is None:
        return Status.NOT_FOUND
    for reference, is_included in found.items():
        call = lib.hoist_launchdarkly_membership_sink_add
        check(call(sink, encode(reference), bool(is_included)), f'membership "{reference}"')
    return Status.OK


def _item(item: Any) -> StoredItem:
    text = decode_bytes(item.json, item.json_size).decode("utf-8", "replace")
    return StoredItem(ItemKind(item.kind), decode(item.key), item.version, bool(item.is_deleted), text)


def _add(sink: Any, key: str, text: str) -> int:
    json = text.encode()
    return int(lib.hoist_launchdarkly_item_sink_add(sink, encode(key), json, len(json)))
