"""Checks of request headers that every protocol makes."""

from __future__ import annotations

import re

from .findings import Findings
from .text import SEMVER_TEXT
from .wire import Request

JSON = re.compile("application/json")
USER_AGENT = re.compile("hoist/" + SEMVER_TEXT, re.ASCII)


def check_header(findings: Findings, request: Request, name: str, pattern: re.Pattern[str], what: str) -> None:
    """A header that must be there and wholly match `pattern` (described by `what`)."""
    value = request.header(name)
    if findings.require(value is not None, f"header {name}", "is missing"):
        holds = pattern.fullmatch(value or "") is not None
        findings.require(holds, f"header {name}", f"must be {what}, is {value!r}")


def check_user_agent(findings: Findings, request: Request) -> None:
    check_header(findings, request, "user-agent", USER_AGENT, "hoist/<semantic version>")


def check_absent(findings: Findings, request: Request, *names: str) -> None:
    """Headers that no request of the protocol has: credentials elsewhere, and what only browsers send."""
    for name in ("cookie", "proxy-authorization", "referer", "origin", *names):
        findings.require(request.header(name) is None, f"header {name}", "has no business here")


def check_repeated(findings: Findings, request: Request) -> None:
    names = [name.lower() for name, _ in request.headers]
    for name in sorted({name for name in names if names.count(name) > 1}):
        findings.add(f"header {name}", "is sent more than once")


def check_body_headers(findings: Findings, request: Request, coding: str | None = None) -> None:
    """A GET has no body; everything else has one of a known length, in this coding or as it is."""
    if request.method == "GET":
        findings.require(not request.body, "body", "a GET must not carry one")
    else:
        framed = request.header("content-length") is not None or request.header("transfer-encoding") is not None
        findings.require(framed, "header content-length", "is missing")
    encoding = request.header("content-encoding")
    if coding is None:
        findings.require(encoding is None, "header content-encoding", "is not understood by the service")
    else:
        findings.require(encoding == coding, "header content-encoding", f"must be {coding}, is {encoding!r}")
