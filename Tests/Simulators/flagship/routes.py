"""Which endpoints there are and what each demands of a request (protocol 3.1; FS-207, FS-208, FS-209, FS-211)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loopback.wire import Request

DECISIONS, OWN_DECISIONS = "campaigns", "campaigns-own"
ACTIVATE, OWN_ACTIVATE = "activate", "activate-own"
BUCKETING, SETTINGS = "bucketing", "account-settings"
HITS, TROUBLESHOOTING, USAGE = "hits", "troubleshooting", "analytics"
SEGMENTS, SCORE, EMOTIONS = "segments", "emotion-score", "emotions"


@dataclass(frozen=True)
class Endpoint:
    """One endpoint. `path` wholly matches the request's; its groups are `environment` and `visitor`.

    The services have hosts of their own; here each is a folder, so that a request at a wrong one is noticed.
    """

    name: str
    method: str
    path: re.Pattern[str]
    api_key: str = "never"
    """Whether a request bears one: always, maybe or never."""
    dated: bool = False
    """Whether answers have a date, by which clients ask for changes."""


def _path(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("{e}", "(?P<environment>[^/]+)").replace("{v}", "(?P<visitor>[^/]*)"), re.ASCII)


ENDPOINTS = {endpoint.name: endpoint for endpoint in (
    Endpoint(OWN_DECISIONS, "POST", _path("/own/v2/campaigns"), api_key="maybe"),
    Endpoint(OWN_ACTIVATE, "POST", _path("/own/v2/activate")),
    Endpoint(DECISIONS, "POST", _path("/decision/v2/{e}/campaigns"), api_key="always"),
    Endpoint(ACTIVATE, "POST", _path("/decision/v2/activate")),
    Endpoint(BUCKETING, "GET", _path(r"/cdn/{e}/bucketing\.json"), dated=True),
    Endpoint(SETTINGS, "GET", _path(r"/cdn/{e}/accountSettings\.json")),
    Endpoint(HITS, "POST", _path("/events/?")),
    Endpoint(TROUBLESHOOTING, "POST", _path("/events/troubleshooting")),
    Endpoint(USAGE, "POST", _path("/events/analytics")),
    Endpoint(EMOTIONS, "POST", _path("/events/emotionsai")),
    Endpoint(SEGMENTS, "GET", _path("/data-connector/accounts/{e}/segments/{v}")),
    Endpoint(SCORE, "GET", _path("/uc-info/v1/segments/clients/{e}/visitors/{v}")),
)}
UNKNOWN = "unknown"
NAMES = (*ENDPOINTS, UNKNOWN)


def resolve(request: Request) -> str:
    """The endpoint's name for a request; its method may still be wrong."""
    return next((name for name, endpoint in ENDPOINTS.items() if endpoint.path.fullmatch(request.path)), UNKNOWN)


def parameter(endpoint: Endpoint, request: Request, name: str) -> str:
    """What the path says of `environment` or `visitor`, as it is encoded; empty for a path without."""
    match = endpoint.path.fullmatch(request.path)
    return match.groupdict().get(name) or "" if match is not None else ""
