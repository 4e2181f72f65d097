"""HTTP carried by the host."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from .._callback import implements, owner, report
from .._native import NULL, ffi, lib
from .._text import decode, decode_bytes, encode, milliseconds
from ..status import Status
from .headers import Headers, c_headers, read_headers


@dataclass(frozen=True, slots=True)
class Request:
    """A request to carry."""

    method: str
    url: str
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes | None = None
    timeout: float | None = None
    """Seconds for the whole exchange; None for a stream."""
    is_stream: bool = False
    """Hand out the answer as it comes: open, receive…, end."""


class Exchange:
    """One exchange in progress, to be finished once by `respond`, `fail` or `end`, on any thread.

    What comes after the first finish, or after the library's own deadline, is ignored. An exchange
    that is dropped unfinished fails.
    """

    __slots__ = ("_finished", "_pointer")

    def __init__(self, pointer: Any) -> None:
        self._finished = False
        self._pointer: Any = ffi.gc(pointer, _drop)

    @property
    def finished(self) -> bool:
        """Whether this side has finished it."""
        return self._finished

    @property
    def cancelled(self) -> bool:
        """Whether the library has given up on it: finishing early saves work."""
        return bool(lib.hoist_http_exchange_is_cancelled(self._pointer))

    def respond(self, status: int, body: bytes | None = None, headers: Headers = ()) -> Status:
        """Finishes with a whole answer. None is an answer without a body, which b"" is not."""
        array, count, _texts = c_headers(headers)
        data, size = (NULL, 0) if body is None else (ffi.from_buffer(body), len(body))
        return self._finish(lib.hoist_http_exchange_respond(self._pointer, status, array, count, data, size))

    def fail(self, message: str) -> Status:
        """Finishes without an answer; one line for the log, without secrets."""
        return self._finish(lib.hoist_http_exchange_fail(self._pointer, encode(message)))

    def open(self, status: int, headers: Headers = ()) -> Status:
        """Stream: the head of the answer is there."""
        array, count, _texts = c_headers(headers)
        return Status(lib.hoist_http_exchange_open(self._pointer, status, array, count))

    def receive(self, data: bytes) -> Status:
        """Stream: the next bytes of the body. CANCELLED when nobody wants more: end it."""
        return Status(lib.hoist_http_exchange_receive(self._pointer, ffi.from_buffer(data), len(data)))

    def end(self) -> Status:
        """Stream: finishes in good order."""
        return self._finish(lib.hoist_http_exchange_end(self._pointer))

    def _finish(self, status: int) -> Status:
        # STATE: it had ended before, by the library's deadline or by another finish.
        if status in (Status.OK, Status.STATE):
            self._finished = True
        return Status(status)


class Transport(ABC):
    """Carries requests in place of libcurl."""

    @abstractmethod
    def send(self, request: Request, exchange: Exchange) -> None:
        """Begins an exchange; should not block. Raising means that it failed."""


def _drop(pointer: Any) -> None:
    # Finishing twice is ignored; an exchange must be finished before it is given back.
    lib.hoist_http_exchange_fail(pointer, b"the transport dropped the exchange")
    lib.hoist_http_exchange_release(pointer)


@implements("transport", "send", failure=Status)
def _send(user_data: Any, request: Any, pointer: Any) -> int:
    exchange = Exchange(pointer)
    try:
        owner(user_data).send(_request(request), exchange)
    except BaseException as problem:
        report("transport.send", problem)
        # The plug-in may have handed the exchange on before it raised, so it stays a valid one.
        exchange.fail(f"the transport raised {type(problem).__name__}")
    return Status.OK


def _request(request: Any) -> Request:
    return Request(
        decode(request.method),
        decode(request.url),
        read_headers(request.headers, request.header_count),
        decode_bytes(request.body, request.body_size) if request.body else None,
        request.timeout_ms / 1000 if request.timeout_ms > 0 else None,
        bool(request.is_stream),
    )


def c_request(request: Request) -> tuple[Any, list[Any]]:
    """A request for C, and what must live as long."""
    headers, count, texts = c_headers(request.headers)
    method, url = ffi.new("char[]", encode(request.method)), ffi.new("char[]", encode(request.url))
    told = ffi.new("hoist_http_request *")
    told.struct_size, told.method, told.url = ffi.sizeof("hoist_http_request"), method, url
    told.headers, told.header_count = headers, count
    kept = [method, url, headers, texts]
    if request.body is not None:
        kept.append(ffi.from_buffer(request.body))
        told.body, told.body_size = kept[-1], len(request.body)
    told.timeout_ms = 0 if request.timeout is None else max(1, milliseconds(request.timeout))
    told.is_stream = request.is_stream
    return told, kept
