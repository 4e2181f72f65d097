"""Usage and troubleshooting (protocol 6.4; FS-25, FS-203): what a request must be."""

from __future__ import annotations

import datetime
import re
from typing import Any

from loopback.findings import Findings, Shape, brief, integer, literal, mapping, one_of, parse_json, record, text
from loopback.murmur import murmur3
from loopback.text import ANY_UUID4, SEMVER
from loopback.wire import Request

from .knowledge import Knowledge
from .routes import TROUBLESHOOTING, USAGE, Endpoint
from .scalars import ANY_TEXT, TEXT

USAGE_LABEL = "SDK_CONFIG"
LABELS = (
    "VISITOR_FETCH_CAMPAIGNS", "VISITOR_AUTHENTICATE", "VISITOR_UNAUTHENTICATE", "VISITOR_SEND_HIT",
    "VISITOR_SEND_ACTIVATE", "SDK_BUCKETING_FILE", "SDK_BUCKETING_FILE_ERROR", "GET_CAMPAIGNS_ROUTE_RESPONSE_ERROR",
    "SEND_BATCH_HIT_ROUTE_RESPONSE_ERROR", "SEND_ACTIVATE_HIT_ROUTE_ERROR", "GET_FLAG_VALUE_FLAG_NOT_FOUND",
    "VISITOR_EXPOSED_FLAG_NOT_FOUND", "GET_FLAG_VALUE_TYPE_WARNING", "FLAG_EXPOSED_BEFORE_CALLING_VALUE_METHOD",
    "HTTP_CALL", "ERROR_CATCHED")
OF_THE_SDK = (
    "SDK_BUCKETING_FILE", "SDK_BUCKETING_FILE_ERROR", "GET_CAMPAIGNS_ROUTE_RESPONSE_ERROR",
    "SEND_BATCH_HIT_ROUTE_RESPONSE_ERROR", "SEND_ACTIVATE_HIT_ROUTE_ERROR", "HTTP_CALL", "ERROR_CATCHED")
"""Those that need not be about one visitor."""
_FACTS = {
    "FLAG_EXPOSED_BEFORE_CALLING_VALUE_METHOD": ("flag.key",), "VISITOR_EXPOSED_FLAG_NOT_FOUND": ("flag.key",),
    "GET_FLAG_VALUE_FLAG_NOT_FOUND": ("flag.key",), "GET_FLAG_VALUE_TYPE_WARNING": ("flag.key",),
    "VISITOR_SEND_HIT": ("hit.t",), "VISITOR_SEND_ACTIVATE": ("hit.caid", "hit.vaid"),
    "HTTP_CALL": ("http.request.method", "http.request.url", "http.response.code"), "ERROR_CATCHED": ("error.message",)}
"""What reports of a label tell at least, beside the common part and the visitor."""
STATUSES = ("SDK_NOT_INITIALIZED", "SDK_INITIALIZING", "SDK_INITIALIZED", "SDK_PANIC")
STRATEGIES = ("CONTINUOUS_CACHING", "PERIODIC_CACHING", "NO_CACHING_STRATEGY", "NO_CACHING", "NO_BATCHING")

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|\+0000)", re.ASCII)
_COUNT = text(re.compile("[0-9]+", re.ASCII), "an integer")
_TRUTH = one_of("true", "false")
_UUID = text(ANY_UUID4, "a UUID of version 4")

_ALWAYS: dict[str, Shape] = {
    "version": literal("1"), "envId": TEXT, "timestamp": text(_TIMESTAMP, "a time in UTC with milliseconds"),
    "timeZone": TEXT, "label": TEXT, "stack.type": literal("SDK"), "stack.name": TEXT,
    "stack.version": text(SEMVER, "a semantic version"), "flagshipInstanceId": _UUID,
    "logLevel": one_of("INFO", "WARNING", "ERROR")}
_CONFIGURATION: dict[str, Shape] = {
    "sdk.status": one_of(*STATUSES), "sdk.config.mode": one_of("DECISION_API", "BUCKETING"),
    "sdk.config.timeout": _COUNT, "sdk.config.pollingTime": _COUNT, "sdk.config.usingCustomLogManager": _TRUTH,
    "sdk.config.usingCustomHitCache": _TRUTH, "sdk.config.usingCustomVisitorCache": _TRUTH,
    "sdk.config.usingOnVisitorExposed": _TRUTH, "sdk.config.decisionApiUrl": TEXT, "sdk.config.logLevel": TEXT,
    "sdk.config.trackingManager.strategy": one_of(*STRATEGIES), "sdk.config.trackingManager.batchIntervals": _COUNT,
    "sdk.config.trackingManager.poolMaxSize": _COUNT,
    "sdk.lastInitializationTimestamp": text(_TIMESTAMP, "a time in UTC with milliseconds")}
_OF_TROUBLE = ("visitor.", "hit.", "flag.", "http.request.", "http.response.", "error.", "sdk.")
"""How the names begin of what troubleshooting tells beside the common part."""


def body(kind: str) -> Shape:
    return record({"t": literal(kind), "cid": TEXT, "ds": literal("APP"), "vid": TEXT, "qt": integer(),
                   "cv": mapping(ANY_TEXT)})


BODIES = {USAGE: body("USAGE"), TROUBLESHOOTING: body("TROUBLESHOOTING")}


def check_report(findings: Findings, request: Request, endpoint: Endpoint, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODIES[endpoint.name](findings, "body", document)
    if len(findings) > before:
        return
    told, where = document["cv"], "body.cv"
    known.environment(findings, "body.cid", document["cid"])
    findings.require(document["qt"] <= known.options.maximum_queue_ms, "body.qt", f"{document['qt']} is too old")
    _check_members(findings, where, told, endpoint.name)
    if len(findings) > before:
        return
    findings.require(told["envId"] == document["cid"], f"{where}.envId", f"must be {document['cid']}")
    sender = known.sender(findings, request)
    for name, value in zip(("stack.name", "stack.version"), sender or ()):
        findings.require(told[name] == value, f"{where}.{name}", f"must be {value}, is {told[name]}")
    level = "ERROR" if "ERROR" in told["label"] else \
        "WARNING" if "WARNING" in told["label"] or "FLAG_NOT_FOUND" in told["label"] else "INFO"
    findings.require(told["logLevel"] == level, f"{where}.logLevel", f"of {told['label']} must be {level}")
    if endpoint.name == TROUBLESHOOTING:
        _check_leave(findings, document, known)
    else:
        _UUID(findings, "body.vid", document["vid"])


def _check_members(findings: Findings, where: str, told: dict[str, Any], endpoint: str) -> None:
    label = str(told.get("label"))
    visitor = {} if label in OF_THE_SDK else {"visitor.visitorId": TEXT}
    facts = dict.fromkeys(_FACTS.get(label, ()), TEXT)
    wanted = {**_ALWAYS, **(_CONFIGURATION if endpoint == USAGE else {**visitor, **facts})}
    for name, shape in wanted.items():
        if findings.require(name in told, f"{where}.{name}", "is missing"):
            shape(findings, f"{where}.{name}", told[name])
    labels = (USAGE_LABEL,) if endpoint == USAGE else LABELS
    findings.require(told.get("label") in labels, f"{where}.label",
                     f"must be one of {', '.join(labels)}, is {brief(told.get('label'))}")
    for name in told:
        documented = name in wanted or endpoint == TROUBLESHOOTING and name.startswith(_OF_TROUBLE)
        findings.require(documented, f"{where}.{name}", "is not a documented member")


def _check_leave(findings: Findings, document: dict[str, Any], known: Knowledge) -> None:
    """Only in the window of the account settings, for the visitors that are chosen, and with their consent.

    What is about nobody is chosen by its sender."""
    visitor, place = document["cv"].get("visitor.visitorId"), "body.cv.visitor.visitorId"
    if visitor is None:
        visitor, place = document["vid"], "body.vid"
    findings.require(not known.ledger.has_refused(visitor), place, f"{visitor} has refused consent")
    environment = known.environments.find(document["cid"])
    if environment is None or known.options.foreign_settings:
        return
    window = environment.account_settings.get("troubleshooting") or {}
    start, end = _milliseconds(window.get("startDate")), _milliseconds(window.get("endDate"))
    if not findings.require(start < known.now < end, "body", "troubleshooting is off"):
        return
    bucket = murmur3(f"{visitor}{window['endDate']}".encode()) % 100
    findings.require(bucket <= window.get("traffic", 0), place,
                     f"{visitor} is in the bucket {bucket}, which is not chosen")


def _milliseconds(date: Any) -> float:
    """Milliseconds since 1970 of a date as account settings have it; 0 for anything else."""
    try:
        return datetime.datetime.fromisoformat(str(date).replace("Z", "+00:00")).timestamp() * 1000
    except ValueError:
        return 0.0
