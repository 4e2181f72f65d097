"""Telling the service what a visitor did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from .._callback import start
from .._native import lib
from ..status import Status
from .data import CustomData, pointers

if TYPE_CHECKING:
    from .visitor import Visitor


class Tracking:
    """What `kameleoon.Visitor` can tell the service."""

    __slots__ = ()

    _pointer: Any

    def track_conversion(
        self, goal_id: int, revenue: float = 0.0, negative: bool = False, metadata: Iterable[CustomData] = ()
    ) -> Status:
        """A goal was reached: sent with the next tracking request, with all that waits of the visitor."""
        with pointers(metadata) as (array, count):
            call = lib.hoist_kameleoon_visitor_track_conversion
            return Status(call(self._pointer, goal_id, revenue, negative, array, count))

    def flush(self, instant: bool = False, done: Callable[[Status], object] | None = None) -> Status:
        """Sends what waits of the visitor: at the next interval, or now. Does not wait for the answer.

        `done` is called once if this answers OK: with OK when the service has it, with NETWORK when it is kept.
        """
        call = lib.hoist_kameleoon_visitor_flush
        return start(lambda told, data: call(self._pointer, instant, told, data), done)

    async def flush_async(self, instant: bool = False, timeout: float | None = None) -> Status:
        """`flush` for asyncio, until the service has it or it is kept. TIMEOUT: it goes on."""
        from .. import _awaited

        client = cast("Visitor", self).client
        return await _awaited.status_of(client, lambda done: self.flush(instant, done), timeout)
