"""Strict checks of every request header (protocol B.1)."""

from __future__ import annotations

import re
import threading

from loopback.findings import Findings
from loopback.headers import JSON, check_body_headers, check_header, check_repeated, check_user_agent
from loopback.text import DECIMAL, ENTITY_TAG, SEMVER_TEXT, UUID4
from loopback.wire import Request

from .options import Options
from .routes import Endpoint

SPECIFICATION = "6.1.0"
SDK = re.compile("unleash-hoist-sdk:" + SEMVER_TEXT, re.ASCII)
EVENT_TAG = re.compile(r'[0-9]{1,18}|"[0-9]{1,18}"')
KEY = re.compile(r"[\x21-\x7e]+")

_FLAVOR = ("unleash-sdk-flavor", "unleash-sdk-flavor-version")
_BOTH = ("unleash-appname", "unleash-connection-id", "unleash-sdk")
_BACKEND = ("unleash-instanceid", "unleash-interval", "unleash-client-spec")
_CONSTANT = (*_BOTH, "unleash-instanceid", "user-agent", *_FLAVOR)


class Identities:
    """Remembers what each connection id said about itself; that must not change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, str | None]] = {}

    @property
    def clients(self) -> list[str]:
        """The connection ids seen, in order of appearance."""
        with self._lock:
            return list(self._known)

    def reset(self) -> None:
        with self._lock:
            self._known.clear()

    def check(self, findings: Findings, request: Request, options: Options) -> None:
        """Compares a request that is faultless so far with the first one of the same client."""
        client = request.header("unleash-connection-id") or ""
        said = {name: request.header(name) for name in _CONSTANT}
        with self._lock:
            known = self._known.get(client)
            if known is None:
                limit = options.maximum_clients
                if limit is not None and len(self._known) >= limit:
                    findings.add("header unleash-connection-id", f"is the {limit + 1}. one; it must not change")
                else:
                    self._known[client] = said
                return
        if known["unleash-instanceid"] is None or said["unleash-instanceid"] is None:
            # The frontend API has no such header, so one process may speak to both APIs.
            said["unleash-instanceid"] = known["unleash-instanceid"]
        for name, value in said.items():
            findings.require(value == known[name], f"header {name}",
                             f"was {known[name]!r} before, is {value!r} now")


def check_headers(findings: Findings, request: Request, endpoint: Endpoint, options: Options) -> None:
    """Everything that can be said about the headers of one request alone."""
    check_repeated(findings, request)
    check_user_agent(findings, request)
    check_header(findings, request, "content-type", JSON, "application/json")
    _check_key(findings, request, options.key_header)
    check_header(findings, request, "unleash-appname", re.compile(r".+"), "the application's name")
    check_header(findings, request, "unleash-connection-id", UUID4, "a lower-case UUID of version 4")
    check_header(findings, request, "unleash-sdk", SDK, "unleash-hoist-sdk:<semantic version>")
    _check_accept(findings, request, endpoint)
    _check_caching(findings, request, endpoint)
    if endpoint.backend:
        check_header(findings, request, "unleash-instanceid", re.compile(r".+"), "the instance id")
        check_header(findings, request, "unleash-client-spec", re.compile(re.escape(SPECIFICATION)), SPECIFICATION)
        _check_interval(findings, request, endpoint, options)
    _check_vendor_names(findings, request, endpoint)
    check_body_headers(findings, request)


def _check_key(findings: Findings, request: Request, header: str) -> None:
    name, key = header.lower(), request.header(header)
    if key is None:
        findings.add(f"header {name}", "is missing")
    elif KEY.fullmatch(key) is None:
        findings.add(f"header {name}", "must be the bare key, without a scheme, blanks or other characters")


def _check_accept(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    accept = request.header("accept")
    if accept is None:
        findings.require(not endpoint.accept_required, "header accept", "is missing")
    elif accept not in endpoint.accept:
        findings.add("header accept", f"must be {' or '.join(endpoint.accept)}, is {accept!r}")


def _check_caching(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    findings.require(request.header("cache") is None, "header cache", "is a slip that must not be sent")
    if endpoint.name != "streaming":
        for name in ("cache-control", "pragma"):
            findings.require(request.header(name) is None, f"header {name}", "makes the server skip its 304")
    tag = request.header("if-none-match")
    if tag is None:
        return
    if not endpoint.conditional:
        findings.add("header if-none-match", f"has no meaning for {endpoint.name}")
    elif not tag:
        findings.add("header if-none-match", "must be left out rather than be empty")
    elif endpoint.name == "delta":
        findings.require(EVENT_TAG.fullmatch(tag) is not None, "header if-none-match", f"{tag!r} is no event id")
    else:
        findings.require(ENTITY_TAG.fullmatch(tag) is not None, "header if-none-match", f"{tag!r} is no entity tag")


def _check_interval(findings: Findings, request: Request, endpoint: Endpoint, options: Options) -> None:
    name, value = "header unleash-interval", request.header("unleash-interval")
    if value is None:
        findings.require(not endpoint.interval_required, name, "is missing")
        return
    if endpoint.interval is None:
        findings.add(name, f"has no meaning for {endpoint.name}")
        return
    if DECIMAL.fullmatch(value) is None or len(value) > 12:
        findings.add(name, f"must be whole milliseconds, is {value!r}")
        return
    expected = options.refresh_interval_ms if endpoint.interval == "refresh" else options.metrics_interval_ms
    if expected is not None:
        findings.require(int(value) == expected, name, f"must be {expected} milliseconds, is {value}")
    elif 0 < int(value) < options.minimum_interval_ms:
        findings.add(name, f"{value} looks like seconds, milliseconds are required")


def _check_vendor_names(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    known = (*_BOTH, *_BACKEND) if endpoint.backend else (*_BOTH, *_FLAVOR)
    for name, value in request.headers:
        lowered = name.lower()
        if lowered.startswith("unleash-") and lowered not in known:
            findings.add(f"header {lowered}", f"is not documented for {endpoint.name}")
    for name, limit in zip(_FLAVOR, (256, 32)):
        given = request.header(name)
        fits = given is None or 0 < len(given) <= limit
        findings.require(fits, f"header {name}", f"must have 1 to {limit} characters")
    if request.header("last-event-id") is not None:
        if endpoint.name != "streaming":
            findings.add("header last-event-id", f"has no meaning for {endpoint.name}")
        elif re.fullmatch("[0-9]{1,18}", request.header("last-event-id") or "") is None:
            findings.add("header last-event-id", "must be an event id")
