"""The Decision API: what a request must be, and the answer (protocol 3.2; FS-211, FS-214)."""

from __future__ import annotations

from typing import Any

from loopback.delivery import json_response
from loopback.findings import Findings, boolean, literal, mapping, nullable, parse_json, record
from loopback.text import decode_pairs
from loopback.wire import Request, Response

from .environment import Environment
from .identities import ids_of_decision
from .knowledge import Knowledge
from .routes import OWN_DECISIONS, Endpoint
from .scalars import RESERVED, TEXT, check_predefined, context_value

ALL_KEYS, EXTRAS = ("exposeAllKeys", "true"), ("extras[]", "accountSettings")

BODY = record({"visitorId": TEXT, "context": mapping(context_value), "trigger_hit": literal(False),
               "visitor_consent": boolean()}, {"anonymousId": nullable(TEXT), "decision_group": TEXT})


def check_query(findings: Findings, request: Request, endpoint: Endpoint) -> None:
    """Both pairs, in any order; a service of one's own need not be asked for account settings."""
    pairs = decode_pairs(findings, request.query or "", also_plain="[]")
    wanted = [ALL_KEYS, EXTRAS]
    for pair in wanted:
        missing = pair not in pairs and (endpoint.name != OWN_DECISIONS or pair != EXTRAS)
        findings.require(not missing, "query", f"lacks {pair[0]}={pair[1]}")
    for pair in pairs:
        findings.require(pair in wanted and pairs.count(pair) == 1, "query", f"{pair[0]}={pair[1]} is not documented")


def check_decision(findings: Findings, request: Request, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODY(findings, "body", document)
    if len(findings) > before:
        return
    context, where = document["context"], "body.context"
    check_predefined(findings, where, context)
    for name in RESERVED:
        findings.require(name in context, f"{where}.{name}", "is missing")
    expected = {"fs_users": document["visitorId"], "fs_all_users": ""}
    sender = known.sender(findings, request)
    if sender is not None:
        expected |= {"fs_client": sender[0], "fs_version": sender[1]}
    _check_visitor(findings, document, known)
    for name, value in expected.items():
        findings.require(context.get(name, value) == value, f"{where}.{name}",
                         f"must be {value!r}, is {context.get(name)!r}")


def _check_visitor(findings: Findings, document: dict[str, Any], known: Knowledge) -> None:
    ids, options = ids_of_decision(document), known.options
    known.ledger.check_ids(findings, "body.anonymousId", ids, options)
    if document["visitor_consent"] and not options.late_consents:
        findings.require(not known.ledger.has_refused(*ids), "body.visitor_consent", f"{ids[0]} has refused consent")


def answer_decision(request: Request, document: dict[str, Any], environment: Environment, extras: bool) -> Response:
    visitor = document["visitorId"]
    if environment.in_panic:
        return json_response(200, {"visitorId": visitor, "campaigns": [], "panic": True})
    answer: dict[str, Any] = {"visitorId": visitor, "campaigns": environment.campaigns_of(visitor)}
    settings = environment.account_settings
    if extras and settings and EXTRAS in decode_pairs(Findings(), request.query or "", also_plain="[]"):
        answer["extras"] = {"accountSettings": settings}
    return json_response(200, answer)
