"""What the service knows of a visitor, and what it keeps for the site."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .._attributes import to_json
from .._callback import forget, function, implements, keep, owner
from .._native import NULL, ffi, lib
from .._text import decode_bytes, milliseconds, optional, take
from .._wait import interruptible
from ..status import Error, ErrorSlot, Status, check
from .data import CustomData, Data, read_list

if TYPE_CHECKING:
    from .client import Client


@dataclass(frozen=True)
class Filter:
    """What is asked of a visitor's visits."""

    previous_visit_amount: int = 1
    """Visits before the current one, 1 to 25."""
    current_visit: bool = True
    custom_data: bool = True
    page_views: bool = False
    geolocation: bool = False
    device: bool = False
    browser: bool = False
    operating_system: bool = False
    conversions: bool = False
    experiments: bool = False
    personalization: bool = False
    kcs: bool = False
    """Conversion scores, of the vendor's add-on for predictive targeting."""
    cbs: bool = False
    """Scores of contextual bandits."""
    visitor_code: bool = True
    """Whether the code of the most recent visit becomes the one that the visitor is decided by."""


class Remote:
    """What `kameleoon.Visitor` can ask the service. The calls that wait raise `hoist.Error`."""

    __slots__ = ()

    _pointer: Any

    @property
    def client(self) -> Client | None:
        """The visitor's client."""
        raise NotImplementedError

    # ---- Visits ----------------------------------------------------------------------------------

    def remote_visitor_data(
        self, filter: Filter | None = None, add_data: bool = True, timeout: float | None = None
    ) -> list[Data]:
        """Asks for the visitor's visits, adds what they tell to the visitor, and waits for the end.

        Answers custom data, page views, device, browser, operating system, geolocation and conversions. What the
        visitor has already wins. `add_data` False: only the visitor's code is taken over. None: the client's own limit.
        """
        place = ffi.new("hoist_kameleoon_data_list **")
        asked, limit = _filter(filter), milliseconds(timeout)
        call = lib.hoist_kameleoon_visitor_get_remote_visitor_data_wait
        check(interruptible(lambda: call(self._pointer, asked, add_data, limit, place)), "the visitor's data")
        return _taken(place[0])

    def remote_visitor_data_soon(
        self,
        done: Callable[[Status, list[Data]], object] | None = None,
        filter: Filter | None = None,
        add_data: bool = True,
        timeout: float | None = None,
    ) -> Status:
        """`remote_visitor_data` that does not wait; `done` is called once if this answers OK."""
        asked, limit = _filter(filter), milliseconds(timeout)
        call = lib.hoist_kameleoon_visitor_get_remote_visitor_data
        return _start("kameleoon_data_done", done, lambda told, data: call(
            self._pointer, asked, add_data, limit, told, data))  # fmt: skip

    def add_remote_visitor_data(self, document: Any, track: bool = True) -> Status:
        """Adds an answer of the vendor's Data API about the visitor's visits that the program has already.

        `track` False: for targeting alone, never sent. Raises `hoist.Error` for what is no such answer.
        """
        text, slot = to_json(document, "the visits"), ErrorSlot()
        call = lib.hoist_kameleoon_visitor_add_remote_visitor_data
        status = Status(call(self._pointer, text, len(text), track, slot.pointer))
        if status in (Status.ARGUMENT, Status.PARSE):
            slot.check(status, "the visits")
        return slot.answer(status)

    async def remote_visitor_data_async(
        self, filter: Filter | None = None, add_data: bool = True, timeout: float | None = None
    ) -> list[Data]:
        """`remote_visitor_data` for asyncio."""
        from .. import _awaited

        found: list[Data] = await _awaited.value_of(
            self.client, lambda done: self.remote_visitor_data_soon(done, filter, add_data, timeout), "the visitor's data"
        )
        return found

    # ---- Remote data -----------------------------------------------------------------------------

    def remote_data(self, key: str | None = None, timeout: float | None = None) -> Any:
        """Asks for what the site keeps under a key, or under the visitor's code, and waits for it; None for nothing."""
        place = ffi.new("hoist_text **")
        call = lib.hoist_kameleoon_visitor_get_remote_data_wait
        check(interruptible(lambda: call(self._pointer, optional(key), milliseconds(timeout), place)), "remote data")
        return _json(take(place[0]))

    def remote_data_soon(
        self, done: Callable[[Status, Any], object] | None = None, key: str | None = None, timeout: float | None = None
    ) -> Status:
        """`remote_data` that does not wait; `done` is called once if this answers OK."""
        call, limit = lib.hoist_kameleoon_visitor_get_remote_data, milliseconds(timeout)
        return _start("kameleoon_remote_data_done", done, lambda told, data: call(
            self._pointer, optional(key), limit, told, data))  # fmt: skip

    async def remote_data_async(self, key: str | None = None, timeout: float | None = None) -> Any:
        """`remote_data` for asyncio."""
        from .. import _awaited

        return await _awaited.value_of(
            self.client, lambda done: self.remote_data_soon(done, key, timeout), "remote data"
        )

    # ---- Warehouse audiences ---------------------------------------------------------------------

    def warehouse_audience(
        self, index: int, warehouse_key: str | None = None, timeout: float | None = None
    ) -> CustomData:
        """Asks which audiences of a data warehouse the visitor is in, and adds their names as that custom data."""
        place = ffi.new("hoist_kameleoon_data_list **")
        call = lib.hoist_kameleoon_visitor_get_warehouse_audience_wait
        check(interruptible(lambda: call(self._pointer, optional(warehouse_key), index, milliseconds(timeout), place)), "warehouse audiences")
        return _alone(_taken(place[0]))

    def warehouse_audience_soon(
        self,
        index: int,
        done: Callable[[Status, list[Data]], object] | None = None,
        warehouse_key: str | None = None,
        timeout: float | None = None,
    ) -> Status:
        """`warehouse_audience` that does not wait; `done` is called once if this answers OK."""
        call, limit = lib.hoist_kameleoon_visitor_get_warehouse_audience, milliseconds(timeout)
        return _start("kameleoon_data_done", done, lambda told, data: call(
            self._pointer, optional(warehouse_key), index, limit, told, data))  # fmt: skip

    async def warehouse_audience_async(
        self, index: int, warehouse_key: str | None = None, timeout: float | None = None
    ) -> CustomData:
        """`warehouse_audience` for asyncio."""
        from .. import _awaited

        def begin(done: Callable[[Status, list[Data]], object]) -> Status:
            return self.warehouse_audience_soon(index, done, warehouse_key, timeout)

        return _alone(await _awaited.value_of(self.client, begin, "warehouse audiences"))


@implements("kameleoon_data_done")
def _data_done(user_data: Any, status: int, data: Any) -> None:
    done: Callable[[Status, list[Data]], object] = owner(user_data)
    forget(user_data)
    done(Status(status), read_list(data))


@implements("kameleoon_remote_data_done")
def _remote_data_done(user_data: Any, status: int, text: Any, length: int) -> None:
    done: Callable[[Status, Any], object] = owner(user_data)
    forget(user_data)
    try:
        told, found = Status(status), _json(decode_bytes(text, length))
    except Error as failure:
        told, found = failure.status, None
    done(told, found)


def _start(kind: str, done: Callable[..., object] | None, call: Callable[[Any, Any], int]) -> Status:
    if done is None:
        return Status(call(NULL, NULL))
    handle = keep(done)
    status = Status(call(function(kind), handle))
    if not status:
        forget(handle)
    return status


def _filter(filter: Filter | None) -> Any:
    if filter is None:
        return NULL
    filled = ffi.new("hoist_kameleoon_filter *")
    filled.struct_size = ffi.sizeof(filled[0])
    for name, value in asdict(filter).items():
        setattr(filled, name, value)
    return filled


def _taken(pointer: Any) -> list[Data]:
    try:
        return read_list(pointer)
    finally:
        lib.hoist_kameleoon_data_list_free(pointer)


def _alone(data: list[Data]) -> CustomData:
    """The custom data that a call about audiences answers."""
    return next(datum for datum in data if isinstance(datum, CustomData))


def _json(text: bytes | None) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:  # no JSON, or not UTF-8
        raise Error(Status.PARSE, "the remote data is no JSON") from None
