"""Deltas for polling clients (protocol B.8)."""

from __future__ import annotations

from loopback.delivery import json_response
from loopback.wire import Request, Response

from .query import Filter
from .state import FeatureState


def event_id(text: str | None) -> int | None:
    """The id in `If-None-Match` or `Last-Event-ID`; quotes are optional."""
    digits = (text or "").strip('"')
    return int(digits) if digits.isascii() and digits.isdigit() else None


def answer_delta(request: Request, state: FeatureState, wanted: Filter) -> Response:
    revision, events = state.events_after(event_id(request.header("if-none-match")), wanted)
    tag = ("ETag", f'"{revision}"')
    return json_response(200, {"events": events}, [tag]) if events else Response(304, headers=[tag])
