"""HTTP/1.1 as bytes: reading requests strictly and writing answers.

The reader is our own because a simulator has to see exactly what a client sent: duplicate
headers, odd white space and wrong lengths are findings here, not something to smooth over.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import BinaryIO, Callable

MAXIMUM_HEAD = 64 * 1024
MAXIMUM_BODY = 64 * 1024 * 1024

_TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_REQUEST_LINE = re.compile(rb"([A-Z]+) ([\x21-\x7e]+) HTTP/1\.1\Z")

Headers = tuple[tuple[str, str], ...]

REASONS = {
    200: "OK", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 422: "Unprocessable Entity", 429: "Too Many Requests",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout",
}


class WireError(Exception):
    """The bytes are not one well-formed HTTP/1.1 request."""


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: Headers
    body: bytes = b""
    peer: tuple[str, int] = ("127.0.0.1", 0)

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str | None:
        """The raw text after `?`; None when there is no `?`."""
        path, mark, query = self.target.partition("?")
        return query if mark else None

    def values(self, name: str) -> list[str]:
        """Every value sent under this header name, compared without case."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]

    def header(self, name: str) -> str | None:
        """The first value of a header, None when it was not sent."""
        values = self.values(name)
        return values[0] if values else None

    @property
    def wants_close(self) -> bool:
        return "close" in (self.header("connection") or "").lower()


def http_date(seconds: float) -> str:
    """Seconds since 1970 as HTTP headers say them."""
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(seconds))


@dataclass
class Response:
    """An answer before it becomes bytes. A bare one gets no header that it does not name."""

    status: int
    body: bytes = b""
    headers: list[tuple[str, str]] = field(default_factory=list)
    bare: bool = False

    @property
    def has_body(self) -> bool:
        return self.status not in (204, 304) and self.status >= 200

    def head(self, *, length: int | None, close: bool = False) -> bytes:
        """The status line and headers; `length` None leaves Content-Length out."""
        lines = [f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if not self.bare:
            if not any(name.lower() == "date" for name, _ in self.headers):
                lines.append(f"Date: {http_date(time.time())}")
            if length is not None and self.has_body:
                lines.append(f"Content-Length: {length}")
            if close:
                lines.append("Connection: close")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def encoded(self, *, close: bool = False) -> bytes:
        body = self.body if self.has_body else b""
        return self.head(length=len(body), close=close) + body


def read_request(
    stream: BinaryIO, peer: tuple[str, int], before_body: Callable[[Headers], None]
) -> Request | None:
    """Reads one request; None when the client closed the connection between requests.

    `before_body` runs once the head is known: the place for `100 Continue`.
    """
    head = _read_head(stream)
    if head is None:
        return None
    lines = head.split(b"\r\n")
    match = _REQUEST_LINE.match(lines[0])
    if match is None:
        raise WireError(f"request line {lines[0][:120]!r} is not METHOD TARGET HTTP/1.1")
    headers = tuple(_header(line) for line in lines[1:])
    method, target = match.group(1).decode(), match.group(2).decode()
    request = Request(method, target, headers, peer=peer)
    hosts = request.values("host")
    if len(hosts) != 1 or not hosts[0]:
        raise WireError("exactly one Host header is required")
    before_body(headers)
    return Request(method, target, headers, _read_body(stream, request), peer)


def expects_continue(headers: Headers) -> bool:
    return any(k.lower() == "expect" and v.lower() == "100-continue" for k, v in headers)


def _read_head(stream: BinaryIO) -> bytes | None:
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline(MAXIMUM_HEAD)
        if not line:
            if not head:
                return None
            raise WireError("connection closed inside the request head")
        if not line.endswith(b"\r\n"):
            raise WireError("a line of the request head does not end with CR LF")
        if not head and line == b"\r\n":
            raise WireError("empty line before the request line")
        head += line
        if len(head) > MAXIMUM_HEAD:
            raise WireError(f"request head longer than {MAXIMUM_HEAD} bytes")
    return bytes(head[:-4])


def _header(line: bytes) -> tuple[str, str]:
    name, colon, value = line.partition(b":")
    if not colon or _TOKEN.match(name) is None:
        raise WireError(f"header line {line[:80]!r} has no valid name")
    if re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value):
        raise WireError(f"header {name.decode()} holds a control character")
    text = value.strip(b" \t")
    try:
        return name.decode(), text.decode("utf-8")
    except UnicodeDecodeError:
        raise WireError(f"header {name.decode()} is not UTF-8") from None


def _read_body(stream: BinaryIO, request: Request) -> bytes:
    lengths = request.values("content-length")
    codings = request.values("transfer-encoding")
    if lengths and codings:
        raise WireError("both Content-Length and Transfer-Encoding")
    if codings:
        if [coding.lower() for coding in codings] != ["chunked"]:
            raise WireError(f"Transfer-Encoding {codings!r} is not chunked")
        return _read_chunks(stream)
    if not lengths:
        return b""
    if len(lengths) > 1 or not re.fullmatch(r"[0-9]{1,12}", lengths[0]):
        raise WireError(f"Content-Length {lengths!r} is not one number")
    length = int(lengths[0])
    if length > MAXIMUM_BODY:
        raise WireError(f"body of {length} bytes is larger than {MAXIMUM_BODY}")
    return _exactly(stream, length)


def _read_chunks(stream: BinaryIO) -> bytes:
    body = bytearray()
    while True:
        line = stream.readline(1024)
        match = re.fullmatch(rb"([0-9A-Fa-f]{1,8})(;[^\r\n]*)?\r\n", line)
        if match is None:
            raise WireError(f"bad chunk line {line[:40]!r}")
        size = int(match.group(1), 16)
        if len(body) + size > MAXIMUM_BODY:
            raise WireError(f"chunked body larger than {MAXIMUM_BODY}")
        body += _exactly(stream, size)
        if _exactly(stream, 2) != b"\r\n":
            raise WireError("chunk does not end with CR LF")
        if size == 0:
            return bytes(body)


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count) if count else b""
    if len(data) != count:
        raise WireError(f"connection closed after {len(data)} of {count} body bytes")
    return data
