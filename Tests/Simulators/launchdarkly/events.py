"""What a payload of events must be (protocol 4.4, and the strict points of section 7)."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

from loopback.findings import Findings, Shape, array, brief, integer, number, one_of, parse_json, record, text
from loopback.wire import Request

from .contexts import canonical, qualified_key
from .environment import Flag, version_of
from .headers import mobile_key
from .knowledge import Knowledge
from .ledger import SUMMARY
from .redaction import check_event_context
from .summaries import SUMMARY_SHAPE, check_summary

IDENTIFY, FEATURE, DEBUG, CUSTOM = "identify", "feature", "debug", "custom"
REASONS = ("OFF", "FALLTHROUGH", "TARGET_MATCH", "RULE_MATCH", "PREREQUISITE_FAILED", "ERROR")
ERRORS = ("CLIENT_NOT_READY", "FLAG_NOT_FOUND", "MALFORMED_FLAG", "USER_NOT_SPECIFIED", "WRONG_TYPE", "EXCEPTION")

_TEXT, _ANY_TEXT = text(), text(empty=True)


def _anything(findings: Findings, where: str, value: Any) -> None:
    pass


def _present(findings: Findings, where: str, value: Any) -> None:
    findings.require(value is not None, where, "is null and has to be left out")


def _reason(findings: Findings, where: str, value: Any) -> None:
    if not findings.require(isinstance(value, dict), where, f"must be an object, is {brief(value)}"):
        return
    one_of(*REASONS)(findings, f"{where}.kind", value.get("kind"))
    if "errorKind" in value:
        one_of(*ERRORS)(findings, f"{where}.errorKind", value["errorKind"])


_COMMON: dict[str, Shape] = {"kind": _TEXT, "creationDate": integer(), "context": _anything}
_EVALUATION = record({**_COMMON, "key": _TEXT, "value": _anything},
                     {"default": _anything, "version": integer(), "variation": integer(), "reason": _reason})
SHAPES: dict[str, Shape] = {
    IDENTIFY: record(_COMMON, {"key": _ANY_TEXT}),
    FEATURE: _EVALUATION,
    DEBUG: _EVALUATION,
    CUSTOM: record({**_COMMON, "key": _ANY_TEXT}, {"data": _present, "metricValue": number()}),
    SUMMARY: SUMMARY_SHAPE,
}


def content(findings: Findings, request: Request) -> bytes:
    """The body of a request as it was before it was compressed."""
    if request.header("content-encoding") != "gzip":
        return request.body
    try:
        return gzip.decompress(request.body)
    except (OSError, EOFError, zlib.error) as error:
        findings.add("body", f"is not gzip: {error}")
        return b""


def read_events(findings: Findings, request: Request) -> list[dict[str, Any]] | None:
    """The events of a payload where all have the form of their kind; None after a finding."""
    before = len(findings)
    data = content(findings, request)
    document = parse_json(findings, data) if len(findings) == before else None
    if len(findings) == before:
        array(_event, 1)(findings, "body", document)
    return document if len(findings) == before else None


def _event(findings: Findings, where: str, value: Any) -> None:
    kind = value.get("kind") if isinstance(value, dict) else None
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        findings.add(f"{where}.kind", f"must be one of {', '.join(SHAPES)}, is {brief(kind)}")
    else:
        shape(findings, where, value)


def check_events(findings: Findings, request: Request, known: Knowledge, client: str | None) -> None:
    events = read_events(findings, request)
    if events is None:
        return
    _check_secrets(findings, content(Findings(), request), known)
    _check_count(findings, events, known)
    for index, event in enumerate(events):
        where = f"body[{index}]"
        if event["kind"] == SUMMARY:
            check_summary(findings, where, event, known)
            continue
        known.check_time(findings, f"{where}.creationDate", event["creationDate"])
        _check_context(findings, f"{where}.context", event, known)
        if event["kind"] in (FEATURE, DEBUG):
            _check_evaluation(findings, where, event, known)
    _check_identify(findings, events)
    if not findings:
        sender = f"{mobile_key(request)} {client}"
        known.ledger.check_payload(findings, "header x-launchdarkly-payload-id",
                                   request.header("x-launchdarkly-payload-id") or "", sender, request.body,
                                   known.options.exactly_once)


def _check_secrets(findings: Findings, data: bytes, known: Knowledge) -> None:
    for secret in known.options.secrets:
        findings.require(secret.encode() not in data, "body", f"tells {secret!r}, which is private")


def _check_count(findings: Findings, events: list[dict[str, Any]], known: Knowledge) -> None:
    """The capacity counts everything but summaries; those come last."""
    kinds = [event["kind"] for event in events]
    single = [kind for kind in kinds if kind != SUMMARY]
    capacity, summaries = known.options.event_capacity, len(kinds) - len(single)
    findings.require(len(single) <= capacity, "body", f"must hold at most {capacity} events, holds {len(single)}")
    findings.require(SUMMARY not in kinds[: len(single)], "body", "has a summary before other events")
    if not known.options.context_summaries:
        findings.require(summaries <= 1, "body", f"must hold one summary, holds {summaries}")


def _check_context(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
    document, options = event["context"], known.options
    hide_anonymous = event["kind"] == FEATURE
    try:
        met = known.environment.contexts(qualified_key(document))
    except (KeyError, TypeError, AttributeError):
        met = []  # The form is wrong, which the next line says.
    check_event_context(findings, where, document, met, options.all_attributes_private, options.private_attributes,
                        hide_anonymous)


def _check_identify(findings: Findings, events: list[dict[str, Any]]) -> None:
    for index, event in enumerate(events):
        if event["kind"] == IDENTIFY and "key" in event and not findings:
            expected = qualified_key(event["context"])
            findings.require(event["key"] == expected, f"body[{index}].key", f"must be {expected!r}, is {event['key']!r}")


def _check_evaluation(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
    """The flag was served like this, and asks for such an event."""
    if known.options.foreign_flags:
        return
    served = known.environment.served(event["key"])
    if not findings.require(bool(served), f"{where}.key", f"{event['key']} is no flag that was ever served"):
        return
    same = [flag for flag in served if version_of(flag) == event.get("version")]
    if not findings.require(bool(same), f"{where}.version", f"{event.get('version')} was never served"):
        return
    same = [flag for flag in same if flag.get("variation") == event.get("variation") or "variation" not in event]
    if not findings.require(bool(same), f"{where}.variation", f"{event.get('variation')} was never served"):
        return
    values = [flag for flag in same if _may_result(event, flag)]
    findings.require(bool(values), f"{where}.value", f"{brief(event['value'])} is neither served nor the default")
    if event["kind"] == FEATURE:
        findings.require(any(flag.get("trackEvents") for flag in same), where, "is of a flag that is not tracked")
    else:
        until = max(flag.get("debugEventsUntilDate") or 0 for flag in same)
        findings.require(event["creationDate"] < until, where, "is of a flag that is not debugged at that time")
    if "reason" in event and event["reason"].get("kind") != "ERROR":
        reasons = [canonical(flag.get("reason")) for flag in same]
        findings.require(canonical(event["reason"]) in reasons, f"{where}.reason", "was never served")


def _may_result(event: dict[str, Any], flag: Flag) -> bool:
    """A value is served as it is, cut to an integer where one was asked for, or replaced by the default."""
    value, found = flag.get("value"), canonical(event["value"])
    allowed = [value, event.get("default")]
    if isinstance(value, float):
        allowed.append(int(value))
    return found in map(canonical, allowed)
