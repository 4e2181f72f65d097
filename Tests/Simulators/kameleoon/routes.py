"""Which endpoints there are and what each demands of a request (protocol 2.1-2.10)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loopback.wire import Request

CONFIGURATION, STREAM, TRACKING = "configuration", "stream", "tracking"
VISITOR, REMOTE, TOKEN = "visitor-data", "remote-data", "token"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Endpoint:
    """One endpoint. `path` wholly matches the request's; its group is `site`.

    The services have hosts of their own; here each is a folder, so that a request at a wrong one is noticed.
    """

    name: str
    method: str
    path: re.Pattern[str]
    required: tuple[str, ...] = ()
    """Names that the query must have."""
    optional: tuple[str, ...] = ()
    """Names that the query may have."""
    authorised: bool = False
    """Whether a request may bear an access token."""

    @property
    def is_dated(self) -> bool:
        return self.name == CONFIGURATION


_SENDER = ("sdkName", "sdkVersion", "siteCode")
_VISITS = ("currentVisit", "customData", "conversion", "geolocation", "experiment", "page", "personalization", "kcs",
           "cbs")
ENDPOINTS = {endpoint.name: endpoint for endpoint in (
    Endpoint(CONFIGURATION, "GET", re.compile("/sdk-config/v3/(?P<site>[^/]*)"), optional=("environment", "ts")),
    Endpoint(STREAM, "GET", re.compile("/events/sse"), ("siteCode",)),
    Endpoint(TRACKING, "POST", re.compile("/data/visit/events"), (*_SENDER, "bodyUa"), authorised=True),
    Endpoint(VISITOR, "GET", re.compile("/data/visit/visitor"),
             ("siteCode", "maxNumberPreviousVisits", "version", "staticData"),
             ("visitorCode", "mappingValue", *_VISITS), authorised=True),
    Endpoint(REMOTE, "GET", re.compile("/data/map/map"), ("siteCode", "key"), authorised=True),
    Endpoint(TOKEN, "POST", re.compile("/api/oauth/token"), _SENDER),
)}
NAMES = (*ENDPOINTS, UNKNOWN)
SWITCHES = frozenset((*_VISITS, "staticData", "bodyUa"))
"""Names in queries whose only value is `true`: what is false is left out."""


def resolve(request: Request) -> str:
    """The endpoint's name for a request; its method may still be wrong."""
    return next((name for name, endpoint in ENDPOINTS.items() if endpoint.path.fullmatch(request.path)), UNKNOWN)


def site_in_path(endpoint: Endpoint, request: Request) -> str:
    """The site's code as the path has it, encoded; empty for a path without."""
    match = endpoint.path.fullmatch(request.path)
    return match.groupdict().get("site") or "" if match is not None else ""
