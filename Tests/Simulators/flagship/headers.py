"""Strict checks of every request header (protocol 3.1)."""

from __future__ import annotations

import re

from loopback.findings import Findings
from loopback.headers import JSON, check_absent, check_body_headers, check_header, check_repeated, check_user_agent
from loopback.publications import check_conditions
from loopback.text import SEMVER
from loopback.wire import Request

from .options import Options
from .routes import Endpoint

KEY = re.compile(r"[\x21-\x7e]+")
_CLIENT, _VERSION = "x-sdk-client", "x-sdk-version"


def check_headers(findings: Findings, request: Request, endpoint: Endpoint, options: Options) -> None:
    """Everything that can be said about the headers of one request alone."""
    check_repeated(findings, request)
    if options.user_agent:
        check_user_agent(findings, request)
    check_absent(findings, request, "authorization")
    if endpoint.method == "GET":
        _check_get(findings, request, options)
    else:
        check_header(findings, request, "accept", JSON, "application/json")
        check_header(findings, request, "content-type", JSON, "application/json")
        _check_sender(findings, request, options)
    _check_key(findings, request, endpoint)
    check_conditions(findings, request, endpoint.dated)
    check_body_headers(findings, request)


def _check_get(findings: Findings, request: Request, options: Options) -> None:
    accept = request.header("accept")
    findings.require(accept in (None, "*/*", "application/json"), "header accept",
                     f"must be */* or application/json where it is sent, is {accept!r}")
    findings.require(request.header("content-type") is None, "header content-type", "says nothing about a GET")
    if request.header(_CLIENT) is not None or request.header(_VERSION) is not None:
        _check_sender(findings, request, options)


def _check_sender(findings: Findings, request: Request, options: Options) -> None:
    name = re.compile(re.escape(options.client_name)) if options.client_name else KEY
    check_header(findings, request, _CLIENT, name, options.client_name or "a name")
    version = re.compile(re.escape(options.client_version)) if options.client_version else SEMVER
    check_header(findings, request, _VERSION, version, options.client_version or "a semantic version")
    for other, _ in request.headers:
        if other.lower().startswith("x-sdk-") and other.lower() not in (_CLIENT, _VERSION):
            findings.add(f"header {other.lower()}", "is not documented")


def _check_key(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    if endpoint.api_key == "always" or endpoint.api_key == "maybe" and request.header("x-api-key") is not None:
        check_header(findings, request, "x-api-key", KEY, "the bare API key")
    else:
        findings.require(request.header("x-api-key") is None, "header x-api-key",
                         f"has no business at {endpoint.name}")
