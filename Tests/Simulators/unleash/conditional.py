"""Entity tags: making them, and answering 304 (protocol B.2, B.4-B.7)."""

from __future__ import annotations

import base64
import hashlib
import re

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
