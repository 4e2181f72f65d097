"""What hosts collect for the emotion score (FS-207): how it is made is between them and the service."""

from __future__ import annotations

from loopback.findings import Findings, Shape, brief, parse_json
from loopback.wire import Request

from .knowledge import Knowledge


def _event(findings: Findings, where: str, value: object) -> None:
    findings.require(isinstance(value, dict) and value != {}, where, f"must be an object with members, is {brief(value)}")


BODY: Shape = _event


def check_emotions(findings: Findings, request: Request, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODY(findings, "body", document)
    findings.require(known.environments.any_collects_emotions, "path", "no account collects them")
