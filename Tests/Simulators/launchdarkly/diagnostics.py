"""What a diagnostic event must be (protocol 4.6)."""

from __future__ import annotations

from typing import Any, Mapping

from loopback.findings import Findings, Shape, array, boolean, brief, integer, literal, parse_json, record, text
from loopback.text import ANY_UUID4
from loopback.wire import Request

from .knowledge import Knowledge
from .payloads import check_secrets, content

INIT, STATISTICS = "diagnostic-init", "diagnostic"

_TEXT, _ANY_TEXT, _FLAG, _COUNT = text(), text(empty=True), boolean(), integer()
SDK = record({"name": _TEXT, "version": _TEXT}, {"wrapperName": _TEXT, "wrapperVersion": _TEXT})
COMMON: dict[str, Shape] = {"creationDate": _COUNT, "id": record({
    "diagnosticId": text(ANY_UUID4, "a UUID of version 4"), "sdkKeySuffix": _ANY_TEXT})}
_OPENING = record({"timestamp": _COUNT, "durationMillis": _COUNT, "failed": _FLAG})
STATISTICS_MEMBERS: dict[str, Shape] = {
    **COMMON, "kind": literal(STATISTICS), "dataSinceDate": _COUNT, "droppedEvents": _COUNT, "eventsInLastBatch": _COUNT,
    "streamInits": array(_OPENING)}
_CONFIGURATION: dict[str, Shape] = {
    "customBaseURI": _FLAG, "customEventsURI": _FLAG, "customStreamURI": _FLAG, "eventsCapacity": _COUNT,
    "connectTimeoutMillis": _COUNT, "eventsFlushIntervalMillis": _COUNT, "streamingDisabled": _FLAG,
    "allAttributesPrivate": _FLAG, "pollingIntervalMillis": _COUNT, "backgroundPollingIntervalMillis": _COUNT,
    "useReport": _FLAG, "backgroundPollingDisabled": _FLAG, "evaluationReasonsRequested": _FLAG,
    "maxCachedContexts": integer(-1), "mobileKeyCount": integer(1), "diagnosticRecordingIntervalMillis": _COUNT,
    "customHeaders": _FLAG,
}
_PLATFORM = record({"name": _TEXT, "systemName": _TEXT, "systemVersion": _TEXT, "backgroundEnabled": _FLAG,
                    "streamingEnabled": _FLAG, "deviceType": _TEXT})
SHAPES: dict[str, Shape] = {
    INIT: record({**COMMON, "kind": literal(INIT), "sdk": SDK, "configuration": record(_CONFIGURATION),
                  "platform": _PLATFORM}),
    STATISTICS: record(STATISTICS_MEMBERS),
}


def read_diagnostic(findings: Findings, request: Request, shapes: Mapping[str, Shape] = SHAPES) -> dict[str, Any] | None:
    """A diagnostic event of the right form; None after a finding."""
    before = len(findings)
    data = content(findings, request)
    document = parse_json(findings, data) if len(findings) == before else None
    if len(findings) > before:
        return None
    if not findings.require(isinstance(document, dict), "body", f"must be an object, is {brief(document)}"):
        return None
    kind = document.get("kind")
    shape = shapes.get(kind) if isinstance(kind, str) else None
    if findings.require(shape is not None, "body.kind", f"must be one of {', '.join(shapes)}, is {brief(kind)}"):
        assert shape is not None
        shape(findings, "body", document)
    return document if len(findings) == before else None


def check_diagnostic(findings: Findings, request: Request, known: Knowledge, key: str,
                     shapes: Mapping[str, Shape] = SHAPES) -> None:
    """`key` is the one that the request names: a diagnostic event tells its end."""
    document = read_diagnostic(findings, request, shapes)
    if document is None:
        return
    check_secrets(findings, request, known)
    suffix = key[-6:]
    findings.require(document["id"]["sdkKeySuffix"] == suffix, "body.id.sdkKeySuffix", f"must be {suffix!r}")
    known.check_time(findings, "body.creationDate", document["creationDate"])
    if document["kind"] == STATISTICS:
        begun = document["dataSinceDate"]
        findings.require(begun <= document["creationDate"], "body.dataSinceDate", "is after the end")
        return
    before = [found for found in known.ledger.diagnostics() if found["kind"] == INIT
              and found["id"]["diagnosticId"] == document["id"]["diagnosticId"]]
    findings.require(not before or before == [document], "body.id.diagnosticId", "began before, with other content")
