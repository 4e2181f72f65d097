"""Which endpoints there are and what each demands of a request (protocol 3.1, 3.2, 3.5-3.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from loopback.wire import Request

US, EU = "US", "EU"


@dataclass(frozen=True)
class Endpoint:
    """One endpoint. `path` wholly matches the request's; its one group is an SDK key or a rule's id."""

    name: str
    method: str
    path: re.Pattern[str]
    credential: str | None = None
    """The header that carries one; every other is refused."""
    region: str | None = None


def _path(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("{}", "([^/]+)"), re.ASCII)


ENDPOINTS = {endpoint.name: endpoint for endpoint in (
    Endpoint("datafile", "GET", _path(r"/datafiles/{}\.json")),
    Endpoint("datafile-auth", "GET", _path(r"/datafiles/auth/{}\.json"), credential="authorization"),
    Endpoint("events-us", "POST", _path("/us/v1/events"), region=US),
    Endpoint("events-eu", "POST", _path("/eu/v1/events"), region=EU),
    Endpoint("segments", "POST", _path("/v3/graphql"), credential="x-api-key"),
    Endpoint("platform-events", "POST", _path("/v3/events"), credential="x-api-key"),
    Endpoint("predictions", "POST", _path("/predict/{}")),
)}
UNKNOWN = "unknown"
NAMES = (*ENDPOINTS, UNKNOWN)


def resolve(request: Request) -> str:
    """The endpoint's name for a request; its method may still be wrong."""
    return next((name for name, endpoint in ENDPOINTS.items() if endpoint.path.fullmatch(request.path)), UNKNOWN)


def path_parameter(endpoint: Endpoint, request: Request) -> str:
    """The SDK key or the rule's id in the path; empty for an endpoint without."""
    match = endpoint.path.fullmatch(request.path)
    return unquote(match.group(1)) if match is not None and match.groups() else ""
