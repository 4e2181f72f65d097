"""Tracked events."""

from __future__ import annotations

from typing import Any

from .._attributes import to_json
from .._native import NULL, ffi, lib
from .._text import KEYS
from ..context import pointer_of
from ..status import Error, Status
from .context import AnyContext, given


class Events:
    """What `launchdarkly.Client` records."""

    __slots__ = ()

    _pointer: Any

    def track_event(
        self, key: str, data: Any = None, metric: float | None = None, *, context: AnyContext | None = None
    ) -> Status:
        """Records a custom event; `data` is what JSON can say.

        `context` is for mode server; None stands for the current one.
        """
        try:
            text = NULL if data is None else to_json(data, "an event's data")
        except Error as problem:
            return problem.status
        number = NULL if metric is None else ffi.new("double *", metric)
        subject = given(context)
        call = lib.hoist_launchdarkly_track_for
        return Status(call(self._pointer, KEYS[key], pointer_of(subject), text, number))

    def flush_soon(self) -> Status:
        """Sends what is recorded, of all environments, without waiting for it."""
        return Status(lib.hoist_launchdarkly_flush(self._pointer))
