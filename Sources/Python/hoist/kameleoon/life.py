"""Readiness, and what is told of the service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from .._callback import forget, function, implements, keep, owner
from .._constant import Constant
from .._native import lib
from .._text import decode, milliseconds
from ..observer import Subscription, subscribe
from ..status import Status, check

if TYPE_CHECKING:
    from ..client import Client


def version() -> str:
    """Name and version as requests carry them."""
    return decode(lib.hoist_kameleoon_version())


class RequestKind(Constant):
    """What a request was for."""

    DATAFILE = lib.HOIST_KAMELEOON_REQUEST_DATAFILE
    TRACKING = lib.HOIST_KAMELEOON_REQUEST_TRACKING
    REMOTE_VISITOR_DATA = lib.HOIST_KAMELEOON_REQUEST_REMOTE_VISITOR_DATA
    REMOTE_DATA = lib.HOIST_KAMELEOON_REQUEST_REMOTE_DATA
    ACCESS_TOKEN = lib.HOIST_KAMELEOON_REQUEST_ACCESS_TOKEN


class RequestEnd(Constant):
    """How an attempt at a request ended."""

    SUCCEEDED = lib.HOIST_KAMELEOON_REQUEST_SUCCEEDED
    REFUSED = lib.HOIST_KAMELEOON_REQUEST_REFUSED
    """The answer's status is no success."""
    NO_ANSWER = lib.HOIST_KAMELEOON_REQUEST_NO_ANSWER
    CANCELLED = lib.HOIST_KAMELEOON_REQUEST_CANCELLED
    """Called off, or out of time."""


class UpdateSource(Constant):
    """What brought a configuration."""

    POLLING = lib.HOIST_KAMELEOON_UPDATE_POLLING
    STREAMING = lib.HOIST_KAMELEOON_UPDATE_STREAMING


@dataclass(frozen=True, slots=True)
class Request:
    """One attempt at a request."""

    kind: RequestKind
    end: RequestEnd
    status: int
    """Of the answer; 0 without one."""
    duration: float
    """Seconds."""
    reason: str
    """Why there was no answer; "" for none."""


@dataclass(frozen=True)
class _Told:
    """The functions behind an observer."""

    configuration_updated: Callable[[], object] | None
    datafile_updated: Callable[[UpdateSource, int], object] | None
    request_ended: Callable[[Request], object] | None


class Life:
    """What `kameleoon.Client` can do about its life."""

    __slots__ = ()

    _pointer: Any

    @property
    def is_ready(self) -> bool:
        """Whether there is a configuration; it stays True."""
        return bool(lib.hoist_kameleoon_is_ready(self._pointer))

    def run_when_ready(self, done: Callable[[bool], object], timeout: float | None = 10.0) -> Status:
        """Calls a function once: with True as soon as the client is ready, with False when the time is over first.

        With the property `ready.fails_fast`, with False as soon as a fetch has failed. None: without limit.
        """
        handle = keep(done)
        call, limit = lib.hoist_kameleoon_run_when_ready, milliseconds(timeout)
        status = Status(call(self._pointer, limit, function("kameleoon_ready"), handle))
        if not status:
            forget(handle)
        return status

    def observe_service(
        self,
        configuration_updated: Callable[[], object] | None = None,
        datafile_updated: Callable[[UpdateSource, int], object] | None = None,
        request_ended: Callable[[Request], object] | None = None,
    ) -> Subscription:
        """Tells functions, at least one. Raises `hoist.Error`.

        `configuration_updated`: a real-time event has brought a new configuration, also one that was missed while there
        was no connection. `datafile_updated`: a new one has
        come from the service, however; with its modification time in milliseconds, 0 for none. `request_ended`: an
        attempt at a request has ended. On the client's delivery lane.
        """
        told = _Told(configuration_updated, datafile_updated, request_ended)
        wanted = [name for name in _Told.__dataclass_fields__ if getattr(told, name) is not None]
        call = partial(lib.hoist_kameleoon_observe, self._pointer)
        return subscribe(cast("Client", self), "kameleoon_observer", told, wanted, call)


@implements("kameleoon_ready")
def _ready(user_data: Any, is_ready: bool) -> None:
    done: Callable[[bool], object] = owner(user_data)
    forget(user_data)
    done(bool(is_ready))


@implements("kameleoon_observer", "configuration_updated")
def _configuration_updated(user_data: Any) -> None:
    owner(user_data).configuration_updated()


@implements("kameleoon_observer", "datafile_updated")
def _datafile_updated(user_data: Any, source: int, date_modified: int) -> None:
    owner(user_data).datafile_updated(UpdateSource(source), date_modified)


@implements("kameleoon_observer", "request_ended")
def _request_ended(user_data: Any, request: Any) -> None:
    owner(user_data).request_ended(
        Request(
            RequestKind(request.kind), RequestEnd(request.end), request.status, request.duration_ms / 1000,
            decode(request.reason),
        )  # fmt: skip
    )
