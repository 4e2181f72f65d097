"""Where configurations and events are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .._callback import implements, overridden, owner
from .._native import ffi, lib
from .._text import decode, decode_bytes, encode, structs
from ..status import Status, check


@dataclass(frozen=True, slots=True)
class EventRow:
    """A recorded event as a cache keeps it."""

    id: str
    """Unique in the world; the row's key."""
    pipeline: str
    """Which queue it belongs to."""
    subject: str
    """The person it speaks of; empty for none."""
    created_at_unix_ms: int
    payload: bytes

    @classmethod
    def lent(cls, row: Any) -> EventRow:
        """A row that C lends."""
        texts = (decode(row.id), decode(row.pipeline), decode(row.subject))
        return cls(*texts, row.created_at_unix_ms, decode_bytes(row.payload, row.payload_size))


@dataclass(frozen=True, slots=True)
class Lead:
    """Who leads a value, and which version of it there is."""

    number: int
    """0: the one who asked does not lead. Else the lead's number: each new leader's is greater than all before."""
    version: int
    """0: nothing is kept. Else another number after each change of the value, made by any member."""


_OPTIONAL = (
    "replace", "replace_for", "append", "put_events", "claim_events", "remove_events", "purge_events", "renew_lease", "lead", "save_led",
    "give_back_events", "announce", "listen")


class CacheNews:
    """Takes what others announce, from a cache that tells of it; on any thread, at any time. What comes too late does no harm."""

    __slots__ = ("_pointer",)

    def __init__(self, pointer: Any) -> None:
        self._pointer = pointer

    def post(self, key: str | None) -> bool:
        """Tells that what is kept under a key has changed; None for any, when something may have been missed.

        Returns:
            Whether it is still wanted: False once `listen` was called with another or None, and in a forked child.
        """
        told = ffi.NULL if key is None else ffi.new("char[]", encode(key))
        return int(lib.hoist_cache_news_post(self._pointer, told)) == Status.OK


class Cache(ABC):
    """Keeps what must outlive the process. Members run one at a time for one client and may block.

    Events have an owner, a process, with a lease: rows of another owner whose lease is over may be
    claimed; no row may be owned by two at a time. A cache that overrides no member for events
    keeps configurations only.
    """

    @abstractmethod
    def load(self, key: str) -> bytes | None:
        """The value of a key; None when there is none."""

    @abstractmethod
    def save(self, key: str, value: bytes) -> None:
        """Sets the value of a key."""

    @abstractmethod
    def remove(self, key: str) -> None:
        """Forgets a key."""

    def replace(self, key: str, expected: bytes | None, value: bytes | None) -> bool:
        """Compare-and-set: sets a key's value, or forgets the key (None), if what is kept is `expected`.

        In one step for everybody who uses the same data, other processes too. A cache without it is asked
        to load and to save, one caller at a time in this process, and a line in the log says so.

        Returns:
            Whether it did; False when something else is kept.
        """
        raise NotImplementedError

    def replace_for(self, key: str, expected: bytes | None, value: bytes | None, lifetime_ms: int) -> bool:
        """Like `replace`, of a value that may be forgotten so many milliseconds after it was last written, by `append`, too.

        A cache without it is asked to `replace`, and keeps the value for ever.
        """
        raise NotImplementedError

    def append(self, key: str, head: bytes, more: bytes) -> bool:
        """Puts bytes behind a key's value, if that begins with `head`; `load` gives all of it from then on.

        In one step for everybody who uses the same data, other processes too. A cache without it is asked
        to write the whole value each time.

        Returns:
            Whether it did; False when nothing is kept, or it begins otherwise.
        """
        raise NotImplementedError

    def put_events(self, rows: Sequence[EventRow], owner: str, lease_ms: int) -> None:
        """Inserts rows, or replaces those of the same id that `owner` holds; all or none."""
        raise NotImplementedError

    def claim_events(
        self, pipeline: str, max_rows: int, max_bytes: int, owner: str, lease_ms: int
    ) -> Iterable[EventRow]:
        """Makes the oldest rows that nobody holds the owner's, and hands them out, oldest first."""
        raise NotImplementedError

    def remove_events(self, ids: Sequence[str], owner: str) -> None:
        """Removes those of the rows that `owner` holds."""
        raise NotImplementedError

    def purge_events(self, subject: str, pipeline: str) -> None:
        """Removes all rows of a subject in one pipeline, of any owner."""
        raise NotImplementedError

    def renew_lease(self, owner: str, lease_ms: int) -> None:
        """Prolongs the owner's lease on all its rows; 0 gives them back."""
        raise NotImplementedError

    def lead(self, key: str, holder: str | None, lease_ms: int) -> Lead:
        """Makes `holder` the leader of a value, who alone writes it, for a time from now; property `fetch.shared` needs it.

        It is that if there is no leader, that one's time is over, or `holder` leads, whose time begins anew; None only looks, and a
        `lease_ms` of 0 gives the lead back.
        """
        raise NotImplementedError

    def save_led(self, key: str, value: bytes, number: int) -> int | None:
        """Sets a value if `number` is the newest that `lead` has given out for it, in one step with that look.

        Returns:
            The value's version; None where another has led since, and nothing was changed.
        """
        raise NotImplementedError

    def give_back_events(self, ids: Sequence[str], owner: str) -> None:
        """Makes those of the rows that `owner` holds free to be claimed by any other; property `events.delivery` = `forward` needs it."""
        raise NotImplementedError

    def announce(self, key: str) -> None:
        """Tells all who use the same data that what is kept under a key has changed: a configuration, or a person's refusal.

        What it raises costs the others time only. With `listen`, or not at all.
        """
        raise NotImplementedError

    def listen(self, news: CacheNews | None) -> None:
        """Posts what others announce from now on, in place of what was given before; None: nothing any more, when this returns.

        Posts None whenever something may have been missed. Called anew in a forked child.
        """
        raise NotImplementedError

    def _members(self) -> list[str]:
        return ["load", "save", "remove", *overridden(self, Cache, _OPTIONAL)]


@implements("cache", "load", failure=Status)
def _load(user_data: Any, key: Any, sink: Any) -> int:
    return _write(owner(user_data).load(decode(key)), sink)


def _write(value: bytes | None, sink: Any) -> int:
    if value is None:
        return Status.NOT_FOUND
    data = bytes(value)
    return int(lib.hoist_bytes_sink_write(sink, data, len(data)))


@implements("cache", "replace", failure=Status)
def _replace(
    user_data: Any, key: Any, expected: Any, expected_size: int, value: Any, value_size: int, sink: Any
) -> int:
    cache, name = owner(user_data), decode(key)
    is_done = cache.replace(name, _optional(expected, expected_size), _optional(value, value_size))
    return _replaced(cache, name, is_done, sink)


@implements("cache", "replace_for", failure=Status)
def _replace_for(
    user_data: Any, key: Any, expected: Any, expected_size: int, value: Any, value_size: int, lifetime_ms: int, sink: Any
) -> int:
    cache, name = owner(user_data), decode(key)
    is_done = cache.replace_for(name, _optional(expected, expected_size), _optional(value, value_size), lifetime_ms)
    return _replaced(cache, name, is_done, sink)


def _replaced(cache: Cache, name: str, is_done: bool, sink: Any) -> int:
    if is_done:
        return Status.OK
    status = _write(cache.load(name), sink)
    return Status.STATE if status == Status.OK else status


@implements("cache", "append", failure=Status)
def _append(user_data: Any, key: Any, head: Any, head_size: int, more: Any, more_size: int) -> int:
    is_done = owner(user_data).append(decode(key), decode_bytes(head, head_size), decode_bytes(more, more_size))
    return Status.OK if is_done else Status.STATE


@implements("cache", "lead", failure=Status)
def _lead(user_data: Any, key: Any, holder: Any, lease_ms: int, number: Any, version: Any) -> int:
    found = owner(user_data).lead(decode(key), None if holder == ffi.NULL else decode(holder), lease_ms)
    number[0], version[0] = found.number, found.version
    return Status.OK


@implements("cache", "save_led", failure=Status)
def _save_led(user_data: Any, key: Any, value: Any, size: int, number: int, version: Any) -> int:
    made = owner(user_data).save_led(decode(key), decode_bytes(value, size), number)
    if made is None:
        return Status.STATE
    version[0] = made
    return Status.OK


def _optional(bytes_: Any, size: int) -> bytes | None:
    return None if bytes_ == ffi.NULL else decode_bytes(bytes_, size)


@implements("cache", "save", failure=Status)
def _save(user_data: Any, key: Any, value: Any, size: int) -> int:
    owner(user_data).save(decode(key), decode_bytes(value, size))
    return Status.OK


@implements("cache", "remove", failure=Status)
def _remove(user_data: Any, key: Any) -> int:
    owner(user_data).remove(decode(key))
    return Status.OK


@implements("cache", "put_events", failure=Status)
def _put_events(user_data: Any, rows: Any, count: int, holder: Any, lease_ms: int) -> int:
    owner(user_data).put_events([EventRow.lent(row) for row in structs(rows, count)], decode(holder), lease_ms)
    return Status.OK


@implements("cache", "claim_events", failure=Status)
def _claim_events(
    user_data: Any, pipeline: Any, max_rows: int, max_bytes: int, holder: Any, lease_ms: int, sink: Any
) -> int:
    found = owner(user_data).claim_events(decode(pipeline), max_rows, max_bytes, decode(holder), lease_ms)
    for row in found:
        check(_hand_out(sink, row), "a row of claim_events")
    return Status.OK


@implements("cache", "remove_events", failure=Status)
def _remove_events(user_data: Any, ids: Any, count: int, holder: Any) -> int:
    owner(user_data).remove_events([decode(ids[index]) for index in range(count)], decode(holder))
    return Status.OK


@implements("cache", "give_back_events", failure=Status)
def _give_back_events(user_data: Any, ids: Any, count: int, holder: Any) -> int:
    owner(user_data).give_back_events([decode(ids[index]) for index in range(count)], decode(holder))
    return Status.OK


@implements("cache", "announce", failure=Status)
def _announce(user_data: Any, key: Any) -> int:
    owner(user_data).announce(decode(key))
    return Status.OK


@implements("cache", "listen", failure=Status)
def _listen(user_data: Any, news: Any) -> int:
    owner(user_data).listen(None if news == ffi.NULL else CacheNews(news))
    return Status.OK


@implements("cache", "purge_events", failure=Status)
def _purge_events(user_data: Any, subject: Any, pipeline: Any) -> int:
    owner(user_data).purge_events(decode(subject), decode(pipeline))
    return Status.OK


@implements("cache", "renew_lease", failure=Status)
def _renew_lease(user_data: Any, holder: Any, lease_ms: int) -> int:
    owner(user_data).renew_lease(decode(holder), lease_ms)
    return Status.OK


def _hand_out(sink: Any, row: EventRow) -> int:
    texts = [ffi.new("char[]", encode(text)) for text in (row.id, row.pipeline, row.subject)]
    payload = ffi.from_buffer(row.payload)
    told = ffi.new("hoist_event_row *")
    told.struct_size = ffi.sizeof("hoist_event_row")
    told.id, told.pipeline, told.subject = texts
    told.created_at_unix_ms = row.created_at_unix_ms
    told.payload, told.payload_size = payload, len(row.payload)
    return int(lib.hoist_event_sink_add(sink, told))
