"""What a payload of events must be (protocol 7)."""

from __future__ import annotations

from launchdarkly.contexts import parts, qualified_key
from launchdarkly.events import CUSTOM, DEBUG, FEATURE, IDENTIFY
from launchdarkly.knowledge import Knowledge
from launchdarkly.ledger import SUMMARY
from launchdarkly.payloads import anything, check_payload, present, read_payload
from launchdarkly.redaction import check_event_context
from launchdarkly.summaries import check_summary, summary_shape
from loopback.findings import Findings, Shape, integer, number, record, text
from loopback.wire import Request

from .environment import Item, without_anonymous
from .evaluations import check_counters, check_evaluation
from .migrations import SHAPE as MIGRATION_SHAPE
from .migrations import check_migration
from .reasons import reason

INDEX, MIGRATION = "index", "migration_op"

_TEXT, _ANY_TEXT = text(), text(empty=True)
_COMMON: dict[str, Shape] = {"kind": _TEXT, "creationDate": integer(), "context": anything}
_EVALUATION = record({**_COMMON, "key": _TEXT, "value": anything, "version": integer()}, {
    "default": anything, "variation": integer(), "reason": reason, "prereqOf": _TEXT})
SHAPES: dict[str, Shape] = {
    INDEX: record(_COMMON),
    IDENTIFY: record(_COMMON, {"key": _ANY_TEXT}),
    FEATURE: _EVALUATION,
    DEBUG: _EVALUATION,
    CUSTOM: record({**_COMMON, "key": _ANY_TEXT}, {"data": present, "metricValue": number()}),
    MIGRATION: record({**_COMMON, **MIGRATION_SHAPE}, {"samplingRatio": integer(-(2**53))}),
    SUMMARY: summary_shape(anything),
}
_HIDING = (FEATURE, CUSTOM, MIGRATION)
"""Events that tell no attribute of a context that is anonymous."""


def read_events(findings: Findings, request: Request) -> list[Item] | None:
    """The events of a payload where all have the form of their kind; None after a finding."""
    return read_payload(findings, request, SHAPES)


def check_events(findings: Findings, request: Request, known: Knowledge, sender: str) -> None:
    payload = request.header("x-launchdarkly-payload-id") or ""

    def check(events: list[Item]) -> None:
        for index, event in enumerate(events):
            _check_event(findings, f"body[{index}]", event, known)
        if not findings:
            _check_introductions(findings, events, known, sender, payload.lower())

    check_payload(findings, request, known, sender, SHAPES, check)


def _check_event(findings: Findings, where: str, event: Item, known: Knowledge) -> None:
    if event["kind"] == SUMMARY:
        check_summary(findings, where, event, known)
        check_counters(findings, where, event, known)
        return
    known.check_time(findings, f"{where}.creationDate", event["creationDate"])
    _check_context(findings, f"{where}.context", event, known)
    if event["kind"] in (FEATURE, DEBUG):
        check_evaluation(findings, where, event, known)
    elif event["kind"] == MIGRATION:
        check_migration(findings, where, event, known)


def _check_context(findings: Findings, where: str, event: Item, known: Knowledge) -> None:
    document, options, before = event["context"], known.options, len(findings)
    try:
        met = known.environment.contexts(qualified_key(document))
    except (KeyError, TypeError, AttributeError):
        met = []  # The form is wrong, which the next line says.
    check_event_context(findings, where, document, met, options.all_attributes_private, options.private_attributes,
                        event["kind"] in _HIDING)
    if options.omit_anonymous and event["kind"] in (INDEX, IDENTIFY) and len(findings) == before:
        findings.require(all("anonymous" not in part for _, part in parts(document)), where,
                         "has an anonymous part, which has to be left out")


def _check_introductions(findings: Findings, events: list[Item], known: Knowledge, sender: str, payload: str) -> None:
    """Each context is introduced once, before the first event that it is in (7.2)."""
    options = known.options
    heard_of = known.ledger.introduced(sender, payload)
    if heard_of is None:
        return
    for index, event in enumerate(events):
        if event["kind"] == SUMMARY:
            continue
        where, key = f"body[{index}].context", _introduced_as(event["context"], options.omit_anonymous)
        if event["kind"] == INDEX:
            repeated = key in heard_of and not options.repeated_indexes
            findings.require(not repeated, where, f"{key} was introduced before")
        elif event["kind"] in (FEATURE, DEBUG, CUSTOM) and options.indexes:
            findings.require(key is None or key in heard_of, where, f"{key} was not introduced by an event before")
        if key is not None:
            heard_of.add(key)
    if not findings:
        known.ledger.introduce(sender, payload, heard_of)


def _introduced_as(context: Item, omits_anonymous: bool) -> str | None:
    """The key under which a context is introduced; None for one that is not."""
    told = without_anonymous(context) if omits_anonymous else context
    return None if told is None else qualified_key(told)
