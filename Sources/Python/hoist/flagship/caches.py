"""Caches of visitors and hits that the host keeps itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Union

from .._attributes import to_json
from .._callback import implements, overridden, owner, table
from .._native import NULL, lib
from .._text import decode, decode_bytes
from ..config import Config
from ..status import ErrorSlot, Status

Record = dict[str, Any]
"""What is cached of a visitor, or of a hit; the vendor's own form."""
Found = Union[Mapping[str, Any], str, bytes, None]
"""What a look-up answers: a record, or its JSON text; None for nothing."""


class VisitorCache:
    """Keeps visitors: their flags for when the service cannot be asked, their assignments so that they stay.

    In place of the client's store, also for the members that are not overridden: those do nothing.
    Called on a lane of its own, one call at a time; a call that takes longer than the property
    `visitor_cache.timeout_ms` is left to itself. What members raise is logged and else ignored.
    """

    def cache(self, visitor_id: str, record: Record) -> None:
        """Keeps the whole record of a visitor; called after each fetch."""

    def lookup(self, visitor_id: str) -> Found:
        """The record as it was cached; called when a visitor is made."""

    def flush(self, visitor_id: str) -> None:
        """Forgets a visitor, who has refused."""


class HitCache:
    """Keeps hits and activates until the service has them, so that the end of the process does not lose them.

    In place of the client's store, also for the members that are not overridden: those do nothing.
    Called on a lane of its own, one call at a time; a look-up that takes longer than the property
    `hit_cache.timeout_ms` is left to itself. A change that raises is asked for again.
    """

    def cache(self, hits: dict[str, Record]) -> None:
        """Keeps hits by id, in place of those of the same ids."""

    def lookup(self) -> Found:
        """All hits by id, as they were cached."""

    def flush(self, ids: list[str]) -> None:
        """Forgets hits: they have arrived, are too old, or their visitor has refused."""

    def flush_all(self) -> None:
        """Forgets every hit without exception."""


def set_visitor_cache(config: Config, cache: VisitorCache) -> None:
    """Keeps visitors in place of the client's own store."""
    if not isinstance(cache, VisitorCache):
        raise TypeError(f"a visitor cache is a hoist.flagship.VisitorCache, not {type(cache).__name__}")
    slot = ErrorSlot()
    filled = table("flagship_visitor_cache", cache, overridden(cache, VisitorCache, ("cache", "lookup", "flush")))
    call = lib.hoist_flagship_config_set_visitor_cache
    slot.check(call(config._pointer, filled, slot.pointer), "the visitor cache")


def set_hit_cache(config: Config, cache: HitCache) -> None:
    """Keeps hits in place of the client's own store."""
    if not isinstance(cache, HitCache):
        raise TypeError(f"a hit cache is a hoist.flagship.HitCache, not {type(cache).__name__}")
    slot = ErrorSlot()
    filled = table("flagship_hit_cache", cache, overridden(cache, HitCache, ("cache", "lookup", "flush", "flush_all")))
    slot.check(lib.hoist_flagship_config_set_hit_cache(config._pointer, filled, slot.pointer), "the hit cache")


# ---- Visitors ------------------------------------------------------------------------------------


@implements("flagship_visitor_cache", "cache")
def _cache_visitor(user_data: Any, visitor_id: Any, text: Any, length: int) -> None:
    owner(user_data).cache(decode(visitor_id), json.loads(decode_bytes(text, length)))


@implements("flagship_visitor_cache", "lookup")
def _look_visitor_up(user_data: Any, visitor_id: Any, lookup: Any) -> None:
    try:
        _reply(lib.hoist_flagship_visitor_lookup_reply, lookup, owner(user_data).lookup(decode(visitor_id)))
    finally:
        # Whatever was raised is an answer, too: nobody waits for it. A second answer is none.
        lib.hoist_flagship_visitor_lookup_reply(lookup, NULL, 0)


@implements("flagship_visitor_cache", "flush")
def _flush_visitor(user_data: Any, visitor_id: Any) -> None:
    owner(user_data).flush(decode(visitor_id))


# ---- Hits ----------------------------------------------------------------------------------------


@implements("flagship_hit_cache", "cache", failure=Status)
def _cache_hits(user_data: Any, text: Any, length: int) -> int:
    owner(user_data).cache(json.loads(decode_bytes(text, length)))
    return Status.OK


@implements("flagship_hit_cache", "lookup", failure=Status)
def _look_hits_up(user_data: Any, lookup: Any) -> int:
    _reply(lib.hoist_flagship_hit_lookup_reply, lookup, owner(user_data).lookup())
    return Status.OK


@implements("flagship_hit_cache", "flush", failure=Status)
def _flush_hits(user_data: Any, ids: Any, count: int) -> int:
    owner(user_data).flush([decode(ids[index]) for index in range(count)])
    return Status.OK


@implements("flagship_hit_cache", "flush_all", failure=Status)
def _flush_all_hits(user_data: Any) -> int:
    owner(user_data).flush_all()
    return Status.OK


def _reply(call: Any, lookup: Any, found: Found) -> None:
    if found is None:
        call(lookup, NULL, 0)
        return
    if isinstance(found, str):
        text = found.encode("utf-8", "surrogatepass")
    else:
        text = found if isinstance(found, bytes) else to_json(dict(found), "the answer of a cache")
    call(lookup, text, len(text))
