"""What calls answer: statuses, and the one exception."""

from __future__ import annotations

from typing import Any

from ._constant import Constant
from ._native import NULL, ffi, lib
from ._text import decode


class Status(Constant):
    """Result of a call that can fail. True when the call succeeded: `if client.flush(2): …`."""

    OK = lib.HOIST_OK
    ARGUMENT = lib.HOIST_ERR_ARGUMENT
    STATE = lib.HOIST_ERR_STATE
    TIMEOUT = lib.HOIST_ERR_TIMEOUT
    CONFIG = lib.HOIST_ERR_CONFIG
    PARSE = lib.HOIST_ERR_PARSE
    LIMIT = lib.HOIST_ERR_LIMIT
    IO = lib.HOIST_ERR_IO
    NETWORK = lib.HOIST_ERR_NETWORK
    NOT_FOUND = lib.HOIST_ERR_NOT_FOUND
    UNSUPPORTED = lib.HOIST_ERR_UNSUPPORTED
    SUPERSEDED = lib.HOIST_ERR_SUPERSEDED
    CANCELLED = lib.HOIST_ERR_CANCELLED
    PLUGIN = lib.HOIST_ERR_PLUGIN
    UNLEASH_URL = lib.HOIST_ERR_UNLEASH_URL
    UNLEASH_NETWORK = lib.HOIST_ERR_UNLEASH_NETWORK
    UNLEASH_NO_RESPONSE = lib.HOIST_ERR_UNLEASH_NO_RESPONSE
    UNLEASH_UNHANDLED_STATUS = lib.HOIST_ERR_UNLEASH_UNHANDLED_STATUS
    UNLEASH_DECODING = lib.HOIST_ERR_UNLEASH_DECODING
    OPTIMIZELY_SDK_NOT_READY = lib.HOIST_ERR_OPTIMIZELY_SDK_NOT_READY
    OPTIMIZELY_DATAFILE_INVALID = lib.HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID
    OPTIMIZELY_DATAFILE_VERSION_INVALID = lib.HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID
    OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED = lib.HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED
    OPTIMIZELY_DATAFILE_LOADING_FAILED = lib.HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED
    OPTIMIZELY_DATAFILE_REFUSED = lib.HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED
    OPTIMIZELY_FEATURE_KEY_INVALID = lib.HOIST_ERR_OPTIMIZELY_FEATURE_KEY_INVALID
    OPTIMIZELY_EXPERIMENT_KEY_INVALID = lib.HOIST_ERR_OPTIMIZELY_EXPERIMENT_KEY_INVALID
    OPTIMIZELY_VARIATION_UNKNOWN = lib.HOIST_ERR_OPTIMIZELY_VARIATION_UNKNOWN
    OPTIMIZELY_VARIABLE_KEY_INVALID = lib.HOIST_ERR_OPTIMIZELY_VARIABLE_KEY_INVALID
    OPTIMIZELY_VARIABLE_VALUE_INVALID = lib.HOIST_ERR_OPTIMIZELY_VARIABLE_VALUE_INVALID
    OPTIMIZELY_EVENT_KEY_INVALID = lib.HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID
    OPTIMIZELY_USER_ID_INVALID = lib.HOIST_ERR_OPTIMIZELY_USER_ID_INVALID
    OPTIMIZELY_EVENT_TAGS_INVALID = lib.HOIST_ERR_OPTIMIZELY_EVENT_TAGS_INVALID
    OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER = lib.HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER
    OPTIMIZELY_FETCH_SEGMENTS_FAILED = lib.HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED
    OPTIMIZELY_ODP_EVENT_FAILED = lib.HOIST_ERR_OPTIMIZELY_ODP_EVENT_FAILED
    OPTIMIZELY_ODP_NOT_INTEGRATED = lib.HOIST_ERR_OPTIMIZELY_ODP_NOT_INTEGRATED
    OPTIMIZELY_ODP_NOT_ENABLED = lib.HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED
    OPTIMIZELY_ODP_INVALID_DATA = lib.HOIST_ERR_OPTIMIZELY_ODP_INVALID_DATA
    OPTIMIZELY_ODP_INVALID_ACTION = lib.HOIST_ERR_OPTIMIZELY_ODP_INVALID_ACTION
    LAUNCHDARKLY_KIND_INVALID = lib.HOIST_ERR_LAUNCHDARKLY_KIND_INVALID
    LAUNCHDARKLY_KEY_EMPTY = lib.HOIST_ERR_LAUNCHDARKLY_KEY_EMPTY
    LAUNCHDARKLY_MULTI_EMPTY = lib.HOIST_ERR_LAUNCHDARKLY_MULTI_EMPTY
    LAUNCHDARKLY_KINDS_DUPLICATE = lib.HOIST_ERR_LAUNCHDARKLY_KINDS_DUPLICATE
    LAUNCHDARKLY_MULTI_BUILDER_REQUIRED = lib.HOIST_ERR_LAUNCHDARKLY_MULTI_BUILDER_REQUIRED
    LAUNCHDARKLY_ATTRIBUTE_REFUSED = lib.HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED
    LAUNCHDARKLY_UNAUTHORIZED = lib.HOIST_ERR_LAUNCHDARKLY_UNAUTHORIZED
    LAUNCHDARKLY_STREAM_SHUT_DOWN = lib.HOIST_ERR_LAUNCHDARKLY_STREAM_SHUT_DOWN
    LAUNCHDARKLY_SHED = lib.HOIST_ERR_LAUNCHDARKLY_SHED
    LAUNCHDARKLY_ALREADY_STARTED = lib.HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED
    FLAGSHIP_NOT_INITIALIZED = lib.HOIST_ERR_FLAGSHIP_NOT_INITIALIZED
    FLAGSHIP_PANIC = lib.HOIST_ERR_FLAGSHIP_PANIC
    FLAGSHIP_NO_CONSENT = lib.HOIST_ERR_FLAGSHIP_NO_CONSENT
    FLAGSHIP_FETCH_FAILED = lib.HOIST_ERR_FLAGSHIP_FETCH_FAILED
    FLAGSHIP_CONTEXT_REFUSED = lib.HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED
    FLAGSHIP_HIT_INVALID = lib.HOIST_ERR_FLAGSHIP_HIT_INVALID
    FLAGSHIP_FLAG_TYPE = lib.HOIST_ERR_FLAGSHIP_FLAG_TYPE

    def __bool__(self) -> bool:
        return int(self) == 0


class Error(Exception):
    """Something could not be set up.

    Raised by constructors and set-up calls, never by an evaluation. A plug-in may raise it to
    answer the library with a status of its choice.
    """

    def __init__(self, status: Status, message: str = "") -> None:
        super().__init__(message or status.name)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.status, str(self)))


class ErrorSlot:
    """The place where a C call leaves its error."""

    __slots__ = ("pointer",)

    def __init__(self) -> None:
        self.pointer = ffi.new("hoist_error **")

    def check(self, status: int, what: str = "") -> None:
        """Raises when the call failed."""
        error, self.pointer[0] = self.pointer[0], NULL
        try:
            if status != Status.OK:
                raise Error(Status(status), decode(lib.hoist_error_message(error)) or what)
        finally:
            lib.hoist_error_free(error)

    def answer(self, status: int) -> Status:
        """The status of a call that does not raise; its error is let go of."""
        error, self.pointer[0] = self.pointer[0], NULL
        lib.hoist_error_free(error)
        return Status(status)

    def failed(self, what: str) -> Error:
        """The error of a call that answered NULL."""
        error, self.pointer[0] = self.pointer[0], NULL
        status = Status(lib.hoist_error_status(error)) if error else Status.ARGUMENT
        message = decode(lib.hoist_error_message(error))
        lib.hoist_error_free(error)
        return Error(status, message or what)


def check(status: int, what: str) -> None:
    """Raises when a call without a message of its own failed."""
    if status:
        raise Error(Status(status), f"{what}: {decode(lib.hoist_status_name(status))}")
