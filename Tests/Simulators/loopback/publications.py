"""Documents behind keys, as a CDN serves them: with a date, by which a client asks for changes."""

from __future__ import annotations

import copy
import email.utils
import gzip
import json
import threading
from dataclasses import dataclass
from typing import Any, Iterator

from .findings import Findings
from .text import HTTP_DATE
from .wire import Request, Response

FIRST_MODIFIED = 1_767_607_200
"""Seconds since 1970 of the first publication: Mon, 05 Jan 2026 10:00:00 GMT. Each further one is a minute later."""

_CONDITIONS = ("if-modified-since", "if-none-match", "if-match", "if-unmodified-since", "if-range", "range")


@dataclass(frozen=True)
class Published:
    """What one key is answered with. `token` is for services that guard a document by one."""

    body: bytes
    last_modified: str
    token: str | None = None


def as_published(document: dict[str, Any] | str | bytes) -> tuple[bytes, dict[str, Any] | None]:
    """What is sent of a document, and the object that it is. Text and bytes are sent as they are, whatever they are."""
    if isinstance(document, dict):
        body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
        return body, copy.deepcopy(document)
    if not isinstance(document, (str, bytes)):
        raise TypeError("what is published is an object or a text")
    body = document.encode() if isinstance(document, str) else document
    try:
        known = json.loads(body)
    except (ValueError, RecursionError):
        known = None
    return body, known if isinstance(known, dict) else None


def objects_of(holder: Any, name: str) -> Iterator[dict[str, Any]]:
    """The objects in the list that a member is, whatever else is in it."""
    entries = holder.get(name) if isinstance(holder, dict) else None
    yield from (entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else ()


class Publications:
    """Thread-safe. The documents in force, and every date that was ever sent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: dict[str, Published] = {}
        self._dates: dict[str, list[str]] = {}
        self._publications = 0

    def put(self, key: str, body: bytes, token: str | None = None) -> Published:
        with self._lock:
            moment = FIRST_MODIFIED + 60 * self._publications
            self._publications += 1
            published = Published(body, email.utils.formatdate(moment, usegmt=True), token)
            self._current[key] = published
            self._dates.setdefault(key, []).append(published.last_modified)
        return published

    def withdraw(self, key: str) -> None:
        """Makes a key unknown."""
        with self._lock:
            self._current.pop(key, None)

    def current(self, key: str) -> Published | None:
        with self._lock:
            return self._current.get(key)

    def keys(self) -> dict[str, Published]:
        with self._lock:
            return dict(self._current)

    def issue(self, key: str, date: str) -> None:
        """Counts a date that was sent outside the ordinary course as issued; for any key when it is empty."""
        with self._lock:
            self._dates.setdefault(key, []).append(date)

    def issued(self, key: str, date: str) -> bool:
        """Whether a client can have this date from us."""
        with self._lock:
            return date in self._dates.get(key, []) or date in self._dates.get("", [])

    def check_date(self, findings: Findings, request: Request, key: str) -> None:
        """No date but one that came with a document of this key, byte for byte."""
        date = request.header("if-modified-since")
        if date is not None:
            findings.require(self.issued(key, date), "header if-modified-since", f"{date!r} was never sent for {key}")


def check_conditions(findings: Findings, request: Request, dated: bool) -> None:
    """Only a request for a dated document has a condition, and only the one about its date."""
    for name in _CONDITIONS:
        value = request.header(name)
        if value is None:
            continue
        if name != "if-modified-since" or not dated:
            findings.add(f"header {name}", "is not documented for this request")
        else:
            findings.require(HTTP_DATE.fullmatch(value) is not None, f"header {name}", f"{value!r} is no HTTP date")
    for name in ("cache-control", "pragma") if dated else ():
        findings.require(request.header(name) is None, f"header {name}", "goes round the cache of the CDN")


def answer_published(request: Request, published: Published, dated: bool, compress: bool) -> Response:
    """The document, or 304 when the client has it; without its date when the service sends none."""
    headers = [("Last-Modified", published.last_modified)] if dated else []
    if dated and request.header("if-modified-since") == published.last_modified:
        return Response(304, headers=headers)
    response = Response(200, published.body, [("Content-Type", "application/json"), *headers])
    if compress and "gzip" in (request.header("accept-encoding") or ""):
        response.body = gzip.compress(response.body, mtime=0)
        response.headers.append(("Content-Encoding", "gzip"))
    return response
