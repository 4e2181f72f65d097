"""Strict checks of every request header (protocol 2.2, 2.4, 2.5, 2.10)."""

from __future__ import annotations

import re

from loopback.findings import Findings
from loopback.headers import check_absent, check_body_headers, check_header, check_repeated, check_user_agent
from loopback.publications import check_conditions
from loopback.text import SEMVER
from loopback.wire import Request

from .options import Options
from .routes import STREAM, TOKEN, TRACKING, Endpoint

KEY = re.compile(r"[\x21-\x7e]+")
TYPE, VERSION = "x-kameleoon-sdk-type", "x-kameleoon-sdk-version"
_FORM = re.compile("application/x-www-form-urlencoded")
_ANYTHING = re.compile(r"\*/\*")
_STREAM = re.compile("text/event-stream")
_NO_CACHE = re.compile("no-cache")
_BEARER = re.compile(r"Bearer [\x21-\x7e]+")
_BASIC = re.compile(r"Basic [A-Za-z0-9+/]+={0,2}")


def check_headers(findings: Findings, request: Request, endpoint: Endpoint, options: Options) -> None:
    """Everything that can be said about the headers of one request alone."""
    check_repeated(findings, request)
    if options.user_agent:
        check_user_agent(findings, request)
    check_absent(findings, request, "last-event-id", "x-api-key")
    _check_accept(findings, request, endpoint)
    _check_content_type(findings, request, endpoint)
    _check_sender(findings, request, endpoint, options)
    _check_authorization(findings, request, endpoint)
    check_conditions(findings, request, endpoint.is_dated)
    check_body_headers(findings, request)


def _check_accept(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    if endpoint.name != STREAM:
        accept = request.header("accept")
        findings.require(accept in (None, "*/*", "application/json"), "header accept",
                         f"must be */* or application/json where it is sent, is {accept!r}")
        return
    check_header(findings, request, "accept", _STREAM, "text/event-stream")
    check_header(findings, request, "cache-control", _NO_CACHE, "no-cache")
    connection = request.header("connection")
    findings.require(connection is None or connection.lower() == "keep-alive", "header connection",
                     f"must be Keep-Alive where it is sent, is {connection!r}")


def _check_content_type(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    if endpoint.name == TRACKING:
        check_header(findings, request, "content-type", _ANYTHING, "*/*")
    elif endpoint.name == TOKEN:
        check_header(findings, request, "content-type", _FORM, "application/x-www-form-urlencoded")
    else:
        findings.require(request.header("content-type") is None, "header content-type", "says nothing about a GET")


def _check_sender(findings: Findings, request: Request, endpoint: Endpoint, options: Options) -> None:
    """Only a configuration is asked for with the sender in headers."""
    for name, _ in request.headers:
        if name.lower().startswith("x-kameleoon-") and not (endpoint.is_dated and name.lower() in (TYPE, VERSION)):
            findings.add(f"header {name.lower()}", f"is not documented for {endpoint.name}")
    if endpoint.is_dated:
        name = re.compile(re.escape(options.client_name)) if options.client_name else KEY
        check_header(findings, request, TYPE, name, options.client_name or "a name")
        version = re.compile(re.escape(options.client_version)) if options.client_version else SEMVER
        check_header(findings, request, VERSION, version, options.client_version or "a version")


def _check_authorization(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    if endpoint.name == TOKEN:
        check_header(findings, request, "authorization", _BASIC, "Basic and the credentials in base 64")
    elif not endpoint.authorised:
        findings.require(request.header("authorization") is None, "header authorization",
                         f"has no business at {endpoint.name}")
    elif request.header("authorization") is not None:
        check_header(findings, request, "authorization", _BEARER, "Bearer and a token")
