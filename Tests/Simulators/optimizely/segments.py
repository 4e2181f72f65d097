"""The data platform's segments: the query, and who is in which (protocol 3.5)."""

from __future__ import annotations

import threading
from typing import Any

from loopback.delivery import json_response
from loopback.findings import Findings, array, brief, parse_json, record
from loopback.wire import Request, Response

from .project import Project
from .scalars import ANY_TEXT, TEXT, is_vuid

QUERY = ("query($userId: String, $audiences: [String]) {customer(%s: $userId) "
         "{audiences(subset: $audiences) {edges {node {name state}}}}}")

BODY = record({"query": TEXT, "variables": record({"userId": ANY_TEXT, "audiences": array(TEXT, 1)})})


class Customers:
    """Thread-safe. Who qualifies for what; nobody for anything at first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._qualified: dict[str, list[str]] = {}
        self._unknown: set[str] = set()

    def qualify(self, user_id: str, *segments: str) -> None:
        """Says what a user qualifies for: these segments, and no other."""
        with self._lock:
            self._qualified[user_id] = list(segments)
            self._unknown.discard(user_id)

    def forget(self, user_id: str) -> None:
        """Makes an identifier invalid to the platform."""
        with self._lock:
            self._unknown.add(user_id)

    def segments_of(self, user_id: str) -> list[str] | None:
        """None for an identifier that the platform does not know."""
        with self._lock:
            return None if user_id in self._unknown else list(self._qualified.get(user_id, []))

    def as_json(self) -> dict[str, Any]:
        with self._lock:
            return {"qualified": dict(self._qualified), "unknown": sorted(self._unknown)}


def check_key(findings: Findings, request: Request, projects: list[Project]) -> list[Project]:
    """The datafiles whose public key a request bears."""
    key = request.header("x-api-key")
    found = [project for project in projects if project.platform_key == key]
    if key is not None:
        findings.require(bool(found), "header x-api-key", f"{key!r} is the public key of no datafile")
    return found


def check_segments(findings: Findings, request: Request, projects: list[Project]) -> None:
    """The exact text, and all segments that the typed audiences of one datafile ask for."""
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODY(findings, "body", document)
    known = check_key(findings, request, projects)
    if len(findings) > before or not known:
        return
    variables = document["variables"]
    expected = QUERY % ("vuid" if is_vuid(variables["userId"]) else "fs_user_id")
    findings.require(document["query"] == expected, "body.query", f"must be {expected!r}")
    audiences = variables["audiences"]
    findings.require(len(set(audiences)) == len(audiences), "body.variables.audiences", "names one more than once")
    complete = any(project.segments == set(audiences) for project in known)
    findings.require(complete, "body.variables.audiences",
                     f"must be all that the datafile asks for, {sorted(known[0].segments)}, is {brief(audiences)}")


def answer_segments(document: dict[str, Any], customers: Customers) -> Response:
    variables = document["variables"]
    qualified = customers.segments_of(variables["userId"])
    if qualified is None:
        extensions = {"code": "INVALID_IDENTIFIER_EXCEPTION", "classification": "DataFetchingException"}
        error = {"message": "no such customer", "path": ["customer"], "extensions": extensions}
        return json_response(200, {"errors": [error], "data": {"customer": None}})
    edges = [{"node": {"name": name, "state": "qualified" if name in qualified else "not_qualified"}}
             for name in variables["audiences"]]
    return json_response(200, {"data": {"customer": {"audiences": {"edges": edges}}}})
