"""Which endpoints there are and what each demands of a request (protocol 2.2-2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

from loopback.wire import Request

STREAM, STREAM_REPORT, POLL, POLL_REPORT = "stream", "stream-report", "poll", "poll-report"
EVENTS, DIAGNOSTICS = "events", "diagnostics"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Endpoint:
    """One endpoint. Where the path ends with a slash, the context follows it."""

    name: str
    method: str
    path: str

    @property
    def has_context_in_path(self) -> bool:
        return self.path.endswith("/")

    @property
    def is_stream(self) -> bool:
        return self.name in (STREAM, STREAM_REPORT)

    @property
    def is_poll(self) -> bool:
        return self.name in (POLL, POLL_REPORT)

    @property
    def serves_flags(self) -> bool:
        return self.is_stream or self.is_poll

    def matches(self, path: str) -> bool:
        return path.startswith(self.path) if self.has_context_in_path else path == self.path


ENDPOINTS = {endpoint.name: endpoint for endpoint in (
    Endpoint(STREAM, "GET", "/meval/"),
    Endpoint(STREAM_REPORT, "REPORT", "/meval"),
    Endpoint(POLL, "GET", "/msdk/evalx/contexts/"),
    Endpoint(POLL_REPORT, "REPORT", "/msdk/evalx/context"),
    Endpoint(EVENTS, "POST", "/mobile/events/bulk"),
    Endpoint(DIAGNOSTICS, "POST", "/mobile/events/diagnostic"),
)}
NAMES = (*ENDPOINTS, UNKNOWN)
STREAMING = (STREAM, STREAM_REPORT)


def resolve(request: Request, prefix: str, endpoints: Mapping[str, Endpoint] = ENDPOINTS) -> str:
    """The endpoint's name for a request; its method may still be wrong."""
    path = request.path
    if not path.startswith(prefix):
        return UNKNOWN
    below = path.removeprefix(prefix)
    return next((name for name, endpoint in endpoints.items() if endpoint.matches(below)), UNKNOWN)


def context_segment(endpoint: Endpoint, request: Request, prefix: str) -> str:
    """What follows the path of an endpoint that takes its context there."""
    return request.path.removeprefix(prefix).removeprefix(endpoint.path)
