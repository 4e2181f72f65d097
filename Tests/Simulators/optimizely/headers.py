"""Strict checks of every request header (protocol 3.1, 3.2, 3.5-3.7)."""

from __future__ import annotations

import re

from loopback.findings import Findings
from loopback.headers import JSON, check_body_headers, check_header, check_repeated, check_user_agent
from loopback.publications import check_conditions
from loopback.wire import Request

from .options import Options
from .routes import Endpoint

BEARER = re.compile(r"Bearer [A-Za-z0-9\-._~+/]+=*", re.ASCII)
KEY = re.compile(r"[\x21-\x7e]+")

_CREDENTIALS = {"authorization": (BEARER, "Bearer and a token"), "x-api-key": (KEY, "the bare public key")}
_SECRETS = (*_CREDENTIALS, "cookie", "proxy-authorization", "x-optimizely-sdk-key")


def check_headers(findings: Findings, request: Request, endpoint: Endpoint, options: Options) -> None:
    """Everything that can be said about the headers of one request alone."""
    check_repeated(findings, request)
    if options.user_agent:
        check_user_agent(findings, request)
    accept = request.header("accept")
    findings.require(accept in (None, "*/*", "application/json"), "header accept",
                     f"must be */* or application/json where it is sent, is {accept!r}")
    if endpoint.method == "GET":
        findings.require(request.header("content-type") is None, "header content-type", "says nothing about a GET")
    else:
        check_header(findings, request, "content-type", JSON, "application/json")
    _check_credentials(findings, request, endpoint)
    if endpoint.region is not None and options.event_header:
        findings.require(request.header(options.event_header) is not None, f"header {options.event_header}", "is missing")
    check_conditions(findings, request, dated=endpoint.method == "GET")
    check_body_headers(findings, request)


def _check_credentials(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    """What an endpoint asks for, and nothing that is meant for another."""
    for name in _SECRETS:
        if name == endpoint.credential:
            check_header(findings, request, name, *_CREDENTIALS[name])
        else:
            findings.require(request.header(name) is None, f"header {name}", f"has no business at {endpoint.name}")
