"""Which endpoints there are and what each demands of a request (protocol B.1-B.9)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from loopback.wire import Request

from .options import EDGE, Options

JSON = ("application/json",)
JSON_OR_ANY = ("*/*", "application/json")


@dataclass(frozen=True)
class Endpoint:
    """One endpoint. `interval` says which interval `unleash-interval` carries, if any."""

    name: str
    path: str
    methods: tuple[str, ...]
    backend: bool
    accept: tuple[str, ...]
    accept_required: bool = True
    interval: str | None = None
    interval_required: bool = False
    conditional: bool = False
    edge_only: bool = False


ENDPOINTS = {endpoint.name: endpoint for endpoint in (
    Endpoint("frontend", "/api/frontend", ("GET", "POST"), False, JSON_OR_ANY, False, conditional=True),
    Endpoint("frontend-all", "/api/frontend/all", ("GET", "POST"), False, JSON_OR_ANY, False,
             conditional=True, edge_only=True),
    Endpoint("frontend-feature", "/api/frontend/features/", ("GET", "POST"), False, JSON_OR_ANY, False,
             conditional=True, edge_only=True),
    Endpoint("frontend-metrics", "/api/frontend/client/metrics", ("POST",), False, JSON),
    Endpoint("frontend-register", "/api/frontend/client/register", ("POST",), False, JSON),
    Endpoint("register", "/api/client/register", ("POST",), True, JSON_OR_ANY, interval="metrics"),
    Endpoint("features", "/api/client/features", ("GET",), True, JSON_OR_ANY,
             interval="refresh", interval_required=True, conditional=True),
    Endpoint("delta", "/api/client/delta", ("GET",), True, JSON_OR_ANY,
             interval="refresh", interval_required=True, conditional=True),
    Endpoint("streaming", "/api/client/streaming", ("GET",), True, ("text/event-stream",), interval="refresh"),
    Endpoint("metrics", "/api/client/metrics", ("POST",), True, JSON_OR_ANY,
             interval="metrics", interval_required=True),
)}
UNKNOWN = "unknown"
UNIMPLEMENTED = "unimplemented"
NAMES = (*ENDPOINTS, UNIMPLEMENTED, UNKNOWN)


def resolve(request: Request, options: Options) -> str:
    """The endpoint's name for a request; its method may still be wrong."""
    path = request.path
    if not path.startswith(options.prefix):
        return UNKNOWN
    path = path[len(options.prefix):]
    if options.flavour == EDGE and (path == "/api/proxy" or path.startswith("/api/proxy/")):
        path = "/api/frontend" + path[len("/api/proxy"):]
    if path == "/api/frontend/":
        return "frontend"
    if path in ("/api/frontend/client/features", "/api/frontend/health"):
        return UNIMPLEMENTED
    for name, endpoint in ENDPOINTS.items():
        if path == endpoint.path or (name == "frontend-feature" and path.startswith(endpoint.path)):
            return name
    return UNKNOWN


def feature_name(request: Request) -> str:
    """The flag's name at the end of the path."""
    return unquote(request.path.rpartition("/features/")[2])
