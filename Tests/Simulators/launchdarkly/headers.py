"""Strict checks of every request header (protocol 2.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loopback.findings import Findings
from loopback.headers import JSON, check_body_headers, check_header, check_repeated
from loopback.text import ANY_UUID4, SEMVER_TEXT
from loopback.wire import Request

from .options import ServiceOptions
from .routes import EVENTS, Endpoint

SCHEMA = "4"
TAG = re.compile(r"[A-Za-z0-9._-]{1,64}")

_OWN = ("x-launchdarkly-wrapper", "x-launchdarkly-tags", "x-launchdarkly-instance-id")
_OF_EVENTS = ("x-launchdarkly-event-schema", "x-launchdarkly-payload-id")
_NEVER = ("cookie", "pragma", "referer", "origin", "if-modified-since", "x-launchdarkly-user-agent")


@dataclass(frozen=True)
class Manner:
    """How requests of one kind of kit differ from those of another."""

    key: str
    """The pattern of `Authorization`, and what a refusal calls it."""
    key_form: str
    agent: str
    tag_names: tuple[str, ...]
    accepts: bool
    """Whether posts say that they take JSON."""
    asks_for_gzip: bool
    """Whether polls take gzip."""


CLIENT = Manner(r"api_key [\x21-\x7e]+", "api_key <mobile key>", "HoistClient",
                ("application-id", "application-name", "application-version", "application-version-name"), True, False)


def mobile_key(request: Request) -> str:
    """The key that a request names; empty when it names none."""
    return (request.header("authorization") or "").removeprefix("api_key ")


def check_headers(findings: Findings, request: Request, endpoint: Endpoint, options: ServiceOptions,
                  manner: Manner = CLIENT) -> None:
    """Everything that can be said about the headers of one request alone."""
    check_repeated(findings, request)
    check_header(findings, request, "authorization", re.compile(manner.key), manner.key_form)
    if options.user_agent:
        agent = re.compile(f"{manner.agent}/{SEMVER_TEXT}", re.ASCII)
        check_header(findings, request, "user-agent", agent, f"{manner.agent}/<semantic version>")
    for name in _NEVER:
        findings.require(request.header(name) is None, f"header {name}", "has no business here")
    _check_accept(findings, request, endpoint, manner)
    _check_conditions(findings, request, endpoint)
    _check_content_type(findings, request, endpoint)
    _check_own(findings, request, endpoint, options, manner)
    compressed = options.compressed_events and not endpoint.serves_flags
    check_body_headers(findings, request, "gzip" if compressed else None)


def _check_accept(findings: Findings, request: Request, endpoint: Endpoint, manner: Manner) -> None:
    accept = request.header("accept")
    if endpoint.is_poll and manner.asks_for_gzip:
        codings = [coding.strip() for coding in (request.header("accept-encoding") or "").split(",")]
        findings.require("gzip" in codings, "header accept-encoding", "must name gzip")
    if endpoint.is_poll or not (endpoint.is_stream or manner.accepts):
        findings.require(accept in (None, "*/*", "application/json"), "header accept",
                         f"must be */* or application/json where it is sent, is {accept!r}")
    else:
        wanted = "text/event-stream" if endpoint.is_stream else "application/json"
        check_header(findings, request, "accept", re.compile(re.escape(wanted)), wanted)
    if endpoint.is_stream:
        check_header(findings, request, "cache-control", re.compile("no-cache"), "no-cache")
    else:
        findings.require(request.header("cache-control") is None, "header cache-control", "is for streams")


def _check_conditions(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    """An id is for streams, a tag for polls; that they were ever sent is looked at elsewhere."""
    for name, allowed in (("last-event-id", endpoint.is_stream), ("if-none-match", endpoint.is_poll)):
        value = request.header(name)
        if value is None:
            continue
        if not allowed:
            findings.add(f"header {name}", f"has no meaning for {endpoint.name}")
        else:
            findings.require(bool(value), f"header {name}", "must be left out rather than be empty")


def _check_content_type(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    if endpoint.method == "GET":
        findings.require(request.header("content-type") is None, "header content-type", "says nothing about a GET")
    else:
        check_header(findings, request, "content-type", JSON, "application/json")


def _check_own(findings: Findings, request: Request, endpoint: Endpoint, options: ServiceOptions, manner: Manner) -> None:
    known = (*_OWN, *_OF_EVENTS) if endpoint.name == EVENTS else _OWN
    for name, _ in request.headers:
        if name.lower().startswith("x-launchdarkly-") and name.lower() not in (*known, *_NEVER):
            findings.add(f"header {name.lower()}", f"is not documented for {endpoint.name}")
    _check_told(findings, request, "x-launchdarkly-wrapper", options.wrapper)
    if _check_told(findings, request, "x-launchdarkly-tags", options.application) and options.application:
        _check_tags(findings, options.application, manner.tag_names)
    instance = request.header("x-launchdarkly-instance-id")
    if instance is not None or options.instance_ids:
        check_header(findings, request, "x-launchdarkly-instance-id", ANY_UUID4, "a UUID of version 4")
    if endpoint.name == EVENTS:
        check_header(findings, request, "x-launchdarkly-event-schema", re.compile(SCHEMA), SCHEMA)
        check_header(findings, request, "x-launchdarkly-payload-id", ANY_UUID4, "a UUID of version 4")


def _check_told(findings: Findings, request: Request, name: str, expected: str) -> bool:
    """A header that is there just when the client was told its value."""
    value = request.header(name)
    if not expected:
        return findings.require(value is None, f"header {name}", f"was not asked for, is {value!r}")
    return findings.require(value == expected, f"header {name}", f"must be {expected!r}, is {value!r}")


def _check_tags(findings: Findings, value: str, allowed: tuple[str, ...]) -> None:
    """Each name once and in the documented order, one blank between, every value within its bounds."""
    pairs = [pair.partition("/") for pair in value.split(" ")]
    names = [name for name, _, _ in pairs]
    ordered = [name for name in allowed if name in names]
    fits = names == ordered and all(TAG.fullmatch(text) for _, _, text in pairs)
    findings.require(fits, "header x-launchdarkly-tags", f"{value!r} has a form that is not documented")
