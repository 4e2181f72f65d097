"""What a service is told of and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import detail as _detail
from .._native import lib
from .._text import decode, structs
from ..context import Context
from ..plugins import EventRow


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A queue of events, kept as durably as `events.durability` says; all times are seconds."""

    name: str
    """a to z, 0 to 9 and _; also the group of its counters in `Client.statistics`."""
    flush_interval: float = 0.0
    """Between deliveries, unless `events.flush_interval_ms` says; 0 is at once."""
    flush_count: int = 0
    """As soon as so many wait they are sent; 0: by the interval alone."""
    batch_count: int = 0
    """Most events of one batch; 0 is 500."""


@dataclass(frozen=True, slots=True)
class ProviderBatch:
    """Recorded events that travel together, the oldest first."""

    pipeline: str
    id: str
    """The same on every attempt."""
    attempt: int
    """1 at the first."""
    rows: tuple[EventRow, ...]


@dataclass(frozen=True, slots=True)
class ProviderEvent:
    """A tracked event."""

    key: str
    context: Context | None
    """A copy of the call's, else of the client's current one."""
    value: float | None
    properties: Mapping[str, Any]
    at_unix_ms: int


def read_batch(batch: Any) -> ProviderBatch:
    """A batch that C lends."""
    rows = structs(batch.rows, batch.row_count) if batch.row_count else []
    return ProviderBatch(
        decode(batch.pipeline), decode(batch.id), batch.attempt, tuple(EventRow.lent(row) for row in rows)
    )


def read_event(event: Any) -> ProviderEvent:
    """An event that C lends."""
    rows = structs(event.properties, event.property_count) if event.property_count else []
    value = event.value if event.has_value else None
    properties = {decode(row.name): _value(row) for row in rows}
    return ProviderEvent(decode(event.key), lent_context(event.context), value, properties, event.at_unix_ms)


def lent_context(pointer: Any) -> Context | None:
    """A copy of a context that C lends."""
    return Context.owning(lib.hoist_context_copy(pointer)) if pointer else None


def _value(row: Any) -> Any:
    if row.type == lib.HOIST_EVENT_BOOL:
        return bool(row.boolean)
    if row.type == lib.HOIST_EVENT_NUMBER:
        return row.number
    text = decode(row.text)
    return _detail.load(text) if row.type == lib.HOIST_EVENT_JSON else text
