"""What a payload of events must be (protocol 4.4, and the strict points of section 7)."""

from __future__ import annotations

from typing import Any

from loopback.findings import Findings, Shape, brief, integer, number, record, text
from loopback.wire import Request

from .contexts import canonical, qualified_key
from .environment import Flag, version_of
from .headers import mobile_key
from .knowledge import Knowledge
from .ledger import SUMMARY
from .payloads import anything, check_payload, present, read_payload, reason
from .redaction import check_event_context
from .summaries import check_summary, check_whose, summary_shape

IDENTIFY, FEATURE, DEBUG, CUSTOM = "identify", "feature", "debug", "custom"

_TEXT, _ANY_TEXT = text(), text(empty=True)
_COMMON: dict[str, Shape] = {"kind": _TEXT, "creationDate": integer(), "context": anything}
_EVALUATION = record({**_COMMON, "key": _TEXT, "value": anything},
                     {"default": anything, "version": integer(), "variation": integer(), "reason": reason})
SHAPES: dict[str, Shape] = {
    IDENTIFY: record(_COMMON, {"key": _ANY_TEXT}),
    FEATURE: _EVALUATION,
    DEBUG: _EVALUATION,
    CUSTOM: record({**_COMMON, "key": _ANY_TEXT}, {"data": present, "metricValue": number()}),
    SUMMARY: summary_shape(present, context=anything),
}


def read_events(findings: Findings, request: Request) -> list[dict[str, Any]] | None:
    """The events of a payload where all have the form of their kind; None after a finding."""
    return read_payload(findings, request, SHAPES)


def check_events(findings: Findings, request: Request, known: Knowledge, client: str | None) -> None:
    check_payload(findings, request, known, f"{mobile_key(request)} {client}", SHAPES,
                  lambda events: _check_each(findings, events, known))


def _check_each(findings: Findings, events: list[dict[str, Any]], known: Knowledge) -> None:
    for index, event in enumerate(events):
        where = f"body[{index}]"
        if event["kind"] == SUMMARY:
            check_whose(findings, where, event, known)
            check_summary(findings, where, event, known)
            continue
        known.check_time(findings, f"{where}.creationDate", event["creationDate"])
        _check_context(findings, f"{where}.context", event, known)
        if event["kind"] in (FEATURE, DEBUG):
            _check_evaluation(findings, where, event, known)
    _check_identify(findings, events)


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
