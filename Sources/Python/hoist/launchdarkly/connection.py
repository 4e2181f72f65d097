"""How a client is connected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from .._constant import Constant
from .._native import ffi, lib
from .._text import decode
from ..status import Status, check

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class ConnectionMode(Constant):
    """How flags arrive now."""

    OFFLINE = lib.HOIST_LAUNCHDARKLY_CONNECTION_OFFLINE
    ESTABLISHING = lib.HOIST_LAUNCHDARKLY_CONNECTION_ESTABLISHING
    STREAMING = lib.HOIST_LAUNCHDARKLY_CONNECTION_STREAMING
    POLLING = lib.HOIST_LAUNCHDARKLY_CONNECTION_POLLING


class FailureReason(Constant):
    """What went wrong last."""

    NONE = lib.HOIST_LAUNCHDARKLY_FAILURE_NONE
    UNAUTHORIZED = lib.HOIST_LAUNCHDARKLY_FAILURE_UNAUTHORIZED
    HTTP_ERROR = lib.HOIST_LAUNCHDARKLY_FAILURE_HTTP_ERROR
    UNKNOWN = lib.HOIST_LAUNCHDARKLY_FAILURE_UNKNOWN


class DataSourceState(Constant):
    """Where the source of flags stands."""

    INITIALIZING = lib.HOIST_LAUNCHDARKLY_DATA_SOURCE_INITIALIZING
    VALID = lib.HOIST_LAUNCHDARKLY_DATA_SOURCE_VALID
    INTERRUPTED = lib.HOIST_LAUNCHDARKLY_DATA_SOURCE_INTERRUPTED
    OFFLINE = lib.HOIST_LAUNCHDARKLY_DATA_SOURCE_OFFLINE
    SHUT_DOWN = lib.HOIST_LAUNCHDARKLY_DATA_SOURCE_SHUT_DOWN


class ErrorKind(Constant):
    """What the last error was about."""

    NONE = lib.HOIST_LAUNCHDARKLY_ERROR_NONE
    UNKNOWN = lib.HOIST_LAUNCHDARKLY_ERROR_UNKNOWN
    NETWORK = lib.HOIST_LAUNCHDARKLY_ERROR_NETWORK
    RESPONSE = lib.HOIST_LAUNCHDARKLY_ERROR_RESPONSE
    INVALID_DATA = lib.HOIST_LAUNCHDARKLY_ERROR_INVALID_DATA


class RunMode(Constant):
    """Where the program is."""

    FOREGROUND = lib.HOIST_LAUNCHDARKLY_FOREGROUND
    BACKGROUND = lib.HOIST_LAUNCHDARKLY_BACKGROUND


@dataclass(frozen=True, slots=True)
class ConnectionInformation:
    """How flags arrive, and what is known of failures, also of an earlier run's."""

    mode: ConnectionMode
    failure_reason: FailureReason
    status_code: int | None
    """Of an HTTP error."""
    failure_text: str
    """What an unknown error said."""
    last_known_flag_validity: datetime | None
    """When flags were last known to be up to date; None while a stream keeps them so."""
    last_failed_connection: datetime | None


@dataclass(frozen=True, slots=True)
class DataSourceStatus:
    """The same in the terms of the vendor's other clients."""

    state: DataSourceState
    since: datetime
    error_kind: ErrorKind
    error_status: int | None
    error_message: str
    error_time: datetime | None


class Connection:
    """What `launchdarkly.Client` knows of its connection."""

    __slots__ = ()

    _pointer: Any

    @property
    def connection_information(self) -> ConnectionInformation:
        """How flags arrive now."""
        found = ffi.new("hoist_launchdarkly_connection *")
        found.struct_size = ffi.sizeof("hoist_launchdarkly_connection")
        check(lib.hoist_launchdarkly_connection_information(self._pointer, found), "the connection information")
        return ConnectionInformation(
            ConnectionMode(found.mode),
            FailureReason(found.reason),
            found.code or None,
            decode(found.text),
            _time(found.validity_ms) if found.has_validity else None,
            _time(found.failure_ms) if found.has_failure else None,
        )

    @property
    def data_source_status(self) -> DataSourceStatus:
        """Where the source of flags stands."""
        found = ffi.new("hoist_launchdarkly_data_source *")
        found.struct_size = ffi.sizeof("hoist_launchdarkly_data_source")
        check(lib.hoist_launchdarkly_data_source_status(self._pointer, found), "the data source")
        return DataSourceStatus(
            DataSourceState(found.state),
            _time(found.since_ms),
            ErrorKind(found.error_kind),
            found.error_status or None,
            decode(found.error_message),
            _time(found.error_ms) if found.error_ms else None,
        )

    def set_run_mode(self, mode: RunMode) -> Status:
        """Tells all environments that the program has gone to the background, or come back."""
        return Status(lib.hoist_launchdarkly_set_run_mode(self._pointer, int(mode)))


def _time(milliseconds: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)
