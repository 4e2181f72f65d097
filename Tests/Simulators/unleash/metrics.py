"""Strict checks of usage metrics, and the answer to them (protocol B.3)."""

from __future__ import annotations

import datetime
from typing import Any

from loopback.delivery import json_response
from loopback.findings import Findings, brief, integer, mapping, parse_json, record, text
from loopback.text import UTC_SECONDS
from loopback.wire import Request, Response

from .backend import FLAVOR, check_identity
from .impact import check_impact_metrics
from .options import EDGE, Options
from .routes import Endpoint

_TEXT = text()
_TIME = text(UTC_SECONDS, "UTC in whole seconds, YYYY-MM-DDTHH:MM:SSZ")
_BUCKET = record({"start": _TIME, "stop": _TIME, "toggles": mapping(
    record({"yes": integer(), "no": integer(), "variants": mapping(integer())}))})


def _later(findings: Findings, where: str, value: Any) -> None:
    """Members that get a check of their own."""


_PLATFORM = {"platformName": _TEXT, "platformVersion": _TEXT, "specVersion": _TEXT}
_REQUIRED = {"appName": _TEXT, "instanceId": _TEXT, "connectionId": _TEXT, "bucket": _later}
_OPTIONAL = {"impactMetrics": _later, **FLAVOR}
_FRONTEND = record(_REQUIRED, {**_PLATFORM, **_OPTIONAL})
_BACKEND = record({**_REQUIRED, **_PLATFORM}, _OPTIONAL)


def check_metrics(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) > before:
        return
    (_BACKEND if endpoint.backend else _FRONTEND)(findings, "body", document)
    if not isinstance(document, dict):
        return
    check_identity(findings, request, document)
    if not endpoint.backend:
        _check_flavor(findings, request, document)
    impact = document.get("impactMetrics")
    if "impactMetrics" in document:
        check_impact_metrics(findings, "body.impactMetrics", impact, document.get("appName"))
    bucket = document.get("bucket")
    if bucket is None:
        findings.require(bool(impact), "body.bucket", "may be null only beside impact metrics")
    else:
        _check_bucket(findings, bucket, bool(impact))


def _check_bucket(findings: Findings, bucket: Any, alone_is_empty: bool) -> None:
    before = len(findings)
    _BUCKET(findings, "body.bucket", bucket)
    if len(findings) > before:
        return
    start, stop = (_moment(findings, name, bucket[name]) for name in ("start", "stop"))
    if start is not None and stop is not None:
        findings.require(start <= stop, "body.bucket.stop", f"{bucket['stop']} is before the start {bucket['start']}")
    toggles = bucket["toggles"]
    findings.require(bool(toggles) or alone_is_empty, "body.bucket.toggles", "is empty, there was nothing to send")
    for name, counts in toggles.items():
        counted = counts["yes"] or counts["no"] or any(counts["variants"].values())
        findings.require(bool(counted), f"body.bucket.toggles.{name}", f"counts nothing: {brief(counts)}")


def _moment(findings: Findings, name: str, given: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.strptime(given, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        findings.add(f"body.bucket.{name}", f"{given} is no real time")
        return None


def _check_flavor(findings: Findings, request: Request, document: dict[str, Any]) -> None:
    """In frontend mode the service reads the flavour from headers, so a body alone would be lost."""
    for member, header in (("sdkFlavor", "unleash-sdk-flavor"), ("sdkFlavorVersion", "unleash-sdk-flavor-version")):
        said = document.get(member)
        if said is not None:
            announced = request.header(header)
            findings.require(said == announced, f"header {header}", f"is {announced!r}, but the body says {said!r}")


def answer_metrics(endpoint: Endpoint, options: Options) -> Response:
    """200 from the server's frontend API, 202 from everything else, 204 when switched off."""
    if not options.metrics_enabled:
        return Response(204)
    if endpoint.backend or options.flavour == EDGE:
        return json_response(202, {}) if options.flavour != EDGE else Response(202)
    return Response(200, b"OK", [("Content-Type", "text/plain; charset=utf-8")])
