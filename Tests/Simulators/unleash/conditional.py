"""Entity tags: making them, remembering them, and answering 304 (protocol B.2, B.4-B.7)."""

from __future__ import annotations

import base64
import hashlib
import re
import threading

from loopback.findings import Findings
from loopback.wire import Request, Response

_TAG = re.compile(r'(?:W/)?"[^"]*"')


def server_tag(body: bytes) -> str:
    """The weak tag that the server's web framework makes over a body."""
    digest = base64.b64encode(hashlib.sha1(body).digest()).decode()[:27]
    return f'W/"{len(body):x}-{digest}"'


def edge_tag(body: bytes) -> str:
    """Edge's strong tag over a body."""
    return f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'


def matches(request: Request, tag: str) -> bool:
    """Weak comparison with If-None-Match; a header that cannot be read matches nothing."""
    given = request.header("if-none-match")
    if given is None:
        return False
    if given.strip() == "*":
        return True
    return any(found.removeprefix("W/") == tag.removeprefix("W/") for found in _TAG.findall(given))


def server_conditional(request: Request, response: Response) -> Response:
    """Tags a frontend answer of the server: 304 for GET only, and never when asked with no-cache."""
    tag = server_tag(response.body)
    response.headers.append(("ETag", tag))
    refused = "no-cache" in (request.header("cache-control") or "").lower()
    if request.method == "GET" and not refused and matches(request, tag):
        return Response(304, headers=[("ETag", tag)])
    return response


def edge_conditional(request: Request, response: Response) -> Response:
    """Tags an answer of Edge, which compares for every method."""
    tag = edge_tag(response.body)
    response.headers.append(("ETag", tag))
    return Response(304, headers=[("ETag", tag)]) if matches(request, tag) else response


class IssuedTags:
    """Every tag that was ever sent, so that one not echoed byte for byte is noticed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tags: set[str] = set()

    def add(self, tag: str) -> None:
        with self._lock:
            self._tags.add(tag)

    def check(self, findings: Findings, tag: str) -> None:
        with self._lock:
            if tag in self._tags:
                return
            near = next((known for known in self._tags if _core(known) == _core(tag)), None)
        if near is not None:
            findings.add("header if-none-match", f"{tag!r} is not the tag byte for byte, that was {near!r}")
        else:
            findings.add("header if-none-match", f"{tag!r} was never issued")


def _core(tag: str) -> str:
    return tag.removeprefix("W/").removeprefix("w/").strip('"')
