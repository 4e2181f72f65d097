"""Requests to addresses that the harness has named."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

_LIMIT_SECONDS = 10.0


def post(url: str, body: dict[str, Any] | None) -> tuple[int, bytes]:
    """Posts JSON, or nothing; answers status and body."""
    return request("POST", url, b"" if body is None else json.dumps(body).encode(), "application/json")


def request(method: str, url: str, body: bytes | None = None, kind: str = "") -> tuple[int, bytes]:
    """One request, on a connection of its own: callbacks come from many threads."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=_LIMIT_SECONDS)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path or "/", body, {"Content-Type": kind} if kind else {})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
