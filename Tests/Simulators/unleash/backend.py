"""Features for local evaluation, and registration (protocol B.6)."""

from __future__ import annotations

import hashlib
import json

from loopback.delivery import json_response
from loopback.findings import Findings, array, integer, nullable, parse_json, record, text
from loopback.text import ISO_8601
from loopback.wire import Request, Response

from .conditional import edge_conditional
from .evaluate import BUILT_IN
from .headers import SDK, SPECIFICATION
from .options import EDGE, Options
from .query import Filter
from .state import FeatureState, without_tags

_TEXT = text()
FLAVOR = {"sdkFlavor": text(maximum=256), "sdkFlavorVersion": text(maximum=32)}

_REGISTRATION = record(
    {"appName": _TEXT, "instanceId": _TEXT, "connectionId": _TEXT,
     "sdkVersion": text(SDK, "unleash-hoist-sdk:<semantic version>"),
     "platformName": _TEXT, "platformVersion": _TEXT, "yggdrasilVersion": nullable(_TEXT), "specVersion": _TEXT,
     "strategies": array(_TEXT), "started": text(ISO_8601, "an ISO 8601 time with zone"), "interval": integer()},
    FLAVOR)


def check_registration(findings: Findings, request: Request, options: Options) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) > before:
        return
    _REGISTRATION(findings, "body", document)
    if not isinstance(document, dict):
        return
    check_identity(findings, request, document)
    said, announced = document.get("sdkVersion"), request.header("unleash-sdk")
    findings.require(said == announced, "body.sdkVersion", f"is {said!r}, but the header says {announced!r}")
    strategies = document.get("strategies")
    if isinstance(strategies, list):
        missing = [name for name in BUILT_IN if name not in strategies]
        findings.require(not missing, "body.strategies", f"lacks {', '.join(missing)}")
    interval = document.get("interval")
    if isinstance(interval, int):
        check_milliseconds(findings, "body.interval", interval, options.metrics_interval_ms, options)


def check_identity(findings: Findings, request: Request, document: dict) -> None:
    """Header and body must name the same application, connection, instance and specification."""
    pairs = (("appName", "unleash-appname"), ("connectionId", "unleash-connection-id"),
             ("instanceId", "unleash-instanceid"))
    for member, header in pairs:
        said, announced = document.get(member), request.header(header)
        if announced is not None and said is not None:
            findings.require(said == announced, f"body.{member}", f"is {said!r}, but the header says {announced!r}")
    specification = document.get("specVersion", SPECIFICATION)
    findings.require(specification == SPECIFICATION, "body.specVersion",
                     f"must be {SPECIFICATION}, is {specification!r}")


def check_milliseconds(findings: Findings, where: str, value: int, expected: int | None, options: Options) -> None:
    if expected is not None:
        findings.require(value == expected, where, f"must be {expected} milliseconds, is {value}")
    elif 0 < value < options.minimum_interval_ms:
        findings.add(where, f"{value} looks like seconds, milliseconds are required")


def query_hash(wanted: Filter, environment: str) -> str:
    """Eight hexadecimal digits that stand for a query."""
    text_form = json.dumps(wanted.as_json(environment), sort_keys=True)
    return hashlib.sha256(text_form.encode()).hexdigest()[:8]


def features_tag(wanted: Filter, environment: str, revision: int) -> str:
    return f'"{query_hash(wanted, environment)}:{revision}:v1"'


def environment_of(key: str | None) -> str:
    """The text between the first colon and the next dot."""
    return (key or "").partition(":")[2].partition(".")[0] or "default"


def answer_features(request: Request, state: FeatureState, options: Options, wanted: Filter) -> Response:
    environment = environment_of(request.header(options.key_header))
    snapshot = state.snapshot()
    tag = features_tag(wanted, environment, snapshot.revision)
    edge = options.flavour == EDGE
    if not edge and request.header("if-none-match") == tag:
        return Response(304, bare=True)
    headers = [("fetch-mode", options.fetch_mode)] if options.fetch_mode else []
    response = json_response(200, {
        "version": 2,
        "features": [without_tags(feature) for feature in snapshot.features if wanted.admits(feature)],
        "segments": list(snapshot.segments),
        "query": wanted.as_json(environment),
        "meta": {"revisionId": snapshot.revision, "etag": tag, "queryHash": query_hash(wanted, environment)},
    }, headers)
    if edge:
        return edge_conditional(request, response)
    response.headers.append(("ETag", tag))
    return response
