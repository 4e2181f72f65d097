"""What every payload of events is held to, of clients and of servers alike (protocol 2.4, 4.4)."""

from __future__ import annotations

import gzip
import zlib
from typing import Any, Callable, Mapping

from loopback.findings import Findings, Shape, array, brief, one_of, parse_json
from loopback.wire import Request

from .knowledge import Knowledge
from .ledger import SUMMARY

REASONS = ("OFF", "FALLTHROUGH", "TARGET_MATCH", "RULE_MATCH", "PREREQUISITE_FAILED", "ERROR")
ERRORS = ("CLIENT_NOT_READY", "FLAG_NOT_FOUND", "MALFORMED_FLAG", "USER_NOT_SPECIFIED", "WRONG_TYPE", "EXCEPTION")


def anything(findings: Findings, where: str, value: Any) -> None:
    pass


def present(findings: Findings, where: str, value: Any) -> None:
    findings.require(value is not None, where, "is null and has to be left out")


def reason(findings: Findings, where: str, value: Any) -> None:
    if not findings.require(isinstance(value, dict), where, f"must be an object, is {brief(value)}"):
        return
    one_of(*REASONS)(findings, f"{where}.kind", value.get("kind"))
    if "errorKind" in value:
        one_of(*ERRORS)(findings, f"{where}.errorKind", value["errorKind"])


def content(findings: Findings, request: Request) -> bytes:
    """The body of a request as it was before it was compressed."""
    if request.header("content-encoding") != "gzip":
        return request.body
    try:
        return gzip.decompress(request.body)
    except (OSError, EOFError, zlib.error) as error:
        findings.add("body", f"is not gzip: {error}")
        return b""


def read_payload(findings: Findings, request: Request, shapes: Mapping[str, Shape]) -> list[dict[str, Any]] | None:
    """The events of a payload where all have the form of their kind; None after a finding."""
    before = len(findings)
    data = content(findings, request)
    document = parse_json(findings, data) if len(findings) == before else None
    if len(findings) == before:
        array(_event(shapes), 1)(findings, "body", document)
    return document if len(findings) == before else None


def _event(shapes: Mapping[str, Shape]) -> Shape:
    def check(findings: Findings, where: str, value: Any) -> None:
        kind = value.get("kind") if isinstance(value, dict) else None
        shape = shapes.get(kind) if isinstance(kind, str) else None
        if shape is None:
            findings.add(f"{where}.kind", f"must be one of {', '.join(shapes)}, is {brief(kind)}")
        else:
            shape(findings, where, value)

    return check


def check_payload(findings: Findings, request: Request, known: Knowledge, sender: str, shapes: Mapping[str, Shape],
                  check: Callable[[list[dict[str, Any]]], None]) -> None:
    """What holds for any payload, and what `check` says of the events of this one; `sender` is who keeps ids."""
    events = read_payload(findings, request, shapes)
    if events is None:
        return
    check_secrets(findings, request, known)
    _check_count(findings, events, known)
    check(events)
    if not findings:
        known.ledger.check_payload(findings, "header x-launchdarkly-payload-id",
                                   request.header("x-launchdarkly-payload-id") or "", sender, request.body,
                                   known.options.exactly_once)


def check_secrets(findings: Findings, request: Request, known: Knowledge) -> None:
    data = content(Findings(), request)
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
