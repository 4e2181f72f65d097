"""What is asked about one visitor: segments of partners, and the emotion score (FS-207, FS-209)."""

from __future__ import annotations

from loopback.delivery import json_response
from loopback.findings import Findings
from loopback.text import decode
from loopback.wire import Request, Response

from .environment import Environment
from .routes import SCORE, Endpoint, parameter


def check_visitor(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    """The visitor's id in the path is encoded, and not empty."""
    encoded = parameter(endpoint, request, "visitor")
    findings.require(encoded != "", "path", "names no visitor")
    decode(findings, "path", encoded)
    wanted = "partner=eai" if endpoint.name == SCORE else None
    findings.require(request.query == wanted, "query", f"must be {wanted}, is {request.query!r}")


def answer_visitor(request: Request, endpoint: Endpoint, environment: Environment) -> Response:
    visitor = decode(Findings(), "path", parameter(endpoint, request, "visitor"))
    if endpoint.name != SCORE:
        return json_response(200, environment.segments_of(visitor))
    score = environment.score_of(visitor)
    return Response(204) if score is None else json_response(200, {"eai": {"eas": score}})
