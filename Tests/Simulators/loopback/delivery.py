"""How an answer goes out: as it should, or in one of the ways a fault asks for."""

from __future__ import annotations

import json
import zlib
from typing import Callable, Iterator

from .faults import Applied
from .server import ClientGone, Exchange
from .signals import GONE, SIGNALLED
from .wire import Response

PIECE = 64 * 1024


def json_response(status: int, value: object, headers: list[tuple[str, str]] | None = None) -> Response:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(status, body, [("Content-Type", "application/json; charset=utf-8"), *(headers or [])])


def substitute(applied: Applied) -> Response | None:
    """The answer that a fault puts in place of the real one; None when it sends no plain answer."""
    maker = _SUBSTITUTES.get(applied.kind)
    if maker is None:
        return None
    response = maker(applied)
    response.headers += list(applied.fault.get("headers", {}).items())
    return response


def deliver(exchange: Exchange, response: Response, applied: Applied | None) -> bool:
    """Sends an answer; returns whether the connection is still in step."""
    way = _WAYS.get(applied.kind) if applied is not None else None
    if applied is None or way is None:
        exchange.send(response.encoded(close=exchange.request.wants_close))
        return True
    way(exchange, response, applied)
    return applied.kind == "slow"


def sabotage(exchange: Exchange, applied: Applied) -> bool:
    """Carries out a fault that sends no plain answer; returns whether the connection is still in step."""
    kind, fault = applied.kind, applied.fault
    if kind == "raw":
        exchange.send(fault.get("bytes", "").encode("latin-1", "replace"))
        return not fault.get("close", True)
    if kind == "huge":
        _huge(exchange, fault.get("size", 64 * 1024 * 1024), fault.get("framing", "declared"))
        return fault.get("framing", "declared") != "close"
    if kind == "hang" and hold(exchange, applied) == GONE:
        raise ClientGone("gave up waiting")
    if kind == "reset" or fault.get("then", "close") == "reset":
        exchange.reset()
    return False


def hold(exchange: Exchange, applied: Applied, seconds: float | None = None) -> str:
    """Waits until released, until the client leaves, or for a time."""
    return exchange.wait(applied.released, seconds)


def _status(applied: Applied) -> Response:
    fault = applied.fault
    status = fault.get("status", 500)
    body = fault.get("body", json.dumps({"name": "Simulated", "message": f"status {status} on demand"}))
    headers = [("Content-Type", "application/json; charset=utf-8")]
    if "retryAfter" in fault.parameters:
        headers.append(("Retry-After", fault.get("retryAfter", "")))
    if status == 429:
        headers += [("RateLimit-Limit", "6000"), ("RateLimit-Remaining", "0"), ("RateLimit-Reset", "60")]
    return Response(status, body.encode(), headers)


def _html(applied: Applied) -> Response:
    page = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Please sign in</h1></body></html>"
    return Response(applied.fault.get("status", 200), page, [("Content-Type", "text/html; charset=utf-8")])


def _garbage(applied: Applied) -> Response:
    noise = b'{"version": 2, "features": [{"na\xff\xfe\x00me": tru'
    return Response(applied.fault.get("status", 200), noise, [("Content-Type", "application/json")])


def _empty(applied: Applied) -> Response:
    return Response(applied.fault.get("status", 200), b"", [("Content-Type", "application/json")])


def _body(applied: Applied) -> Response:
    fault = applied.fault
    content_type = fault.get("contentType", "application/json")
    return Response(fault.get("status", 200), fault.get("body", "").encode(), [("Content-Type", content_type)])


def _redirect(applied: Applied) -> Response:
    return Response(applied.fault.get("status", 302), b"", [("Location", applied.fault.get("location", "/"))])


_SUBSTITUTES: dict[str, Callable[[Applied], Response]] = {
    "status": _status, "html": _html, "garbage": _garbage, "empty": _empty, "body": _body, "redirect": _redirect,
}


def _truncate(exchange: Exchange, response: Response, applied: Applied) -> None:
    keep = applied.fault.get("keep", len(response.body) // 2)
    exchange.send(response.head(length=len(response.body)) + response.body[:keep])


def _length(exchange: Exchange, response: Response, applied: Applied) -> None:
    claimed = max(0, len(response.body) + applied.fault.get("difference", 10))
    exchange.send(response.head(length=claimed) + response.body)


def _headers_only(exchange: Exchange, response: Response, applied: Applied) -> None:
    exchange.send(response.head(length=max(1, len(response.body))))


def _half_open(exchange: Exchange, response: Response, applied: Applied) -> None:
    _truncate(exchange, response, applied)
    if hold(exchange, applied) == GONE:
        raise ClientGone("gave up on a half-open answer")


def _slow(exchange: Exchange, response: Response, applied: Applied) -> None:
    data = response.encoded(close=exchange.request.wants_close)
    at_once = 0 if applied.fault.get("part", "body") == "all" else data.index(b"\r\n\r\n") + 4
    exchange.send(data[:at_once])
    step = applied.fault.get("chunk", 1)
    for start in range(at_once, len(data), step):
        exchange.send(data[start : start + step])
        outcome = hold(exchange, applied, applied.fault.get("interval", 1.0))
        if outcome == GONE:
            raise ClientGone("gave up on a slow answer")
        if outcome == SIGNALLED:
            exchange.send(data[start + step :])
            return


def _bad_chunk(exchange: Exchange, response: Response, applied: Applied) -> None:
    response.headers.append(("Transfer-Encoding", "chunked"))
    half = response.body[: max(1, len(response.body) // 2)] or b"{"
    exchange.send(response.head(length=None) + chunk(half) + b"ZZ\r\n")


def _drop(exchange: Exchange, response: Response, applied: Applied) -> None:
    if applied.fault.get("how", "close") == "reset":
        exchange.reset()


_WAYS: dict[str, Callable[[Exchange, Response, Applied], None]] = {
    "truncate": _truncate, "length": _length, "headers-only": _headers_only, "half-open": _half_open,
    "slow": _slow, "bad-chunk": _bad_chunk, "drop": _drop,
}


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _huge(exchange: Exchange, size: int, framing: str) -> None:
    """A valid JSON document of `size` bytes (after decoding): bounds have to hold, not parsers."""
    response = Response(200, headers=[("Content-Type", "application/json")])
    if framing == "gzip":
        response.headers += [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")]
    elif framing == "chunked":
        response.headers.append(("Transfer-Encoding", "chunked"))
    exchange.send(response.head(length=size if framing == "declared" else None, close=framing == "close"))
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for piece in _padding(size):
        if framing == "gzip":
            piece = packer.compress(piece)
        if framing in ("gzip", "chunked"):
            piece = chunk(piece) if piece else b""
        exchange.send(piece)
    if framing == "gzip":
        exchange.send(chunk(packer.flush()))
    if framing in ("gzip", "chunked"):
        exchange.send(b"0\r\n\r\n")


def _padding(size: int) -> Iterator[bytes]:
    yield b'{"padding":"'
    left = size - len(b'{"padding":""}')
    block = b"x" * PIECE
    while left > 0:
        yield block[: min(left, PIECE)]
        left -= PIECE
    yield b'"}'
