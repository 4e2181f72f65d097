"""Hits: what a batch or a single one must be (protocol 3.5; FS-90…FS-99, FS-201, FS-210)."""

from __future__ import annotations

from typing import Any

from loopback.findings import (
    Findings, Shape, array, boolean, brief, integer, literal, mapping, nullable, number, one_of, parse_json, record)
from loopback.wire import Request

from .activations import check_age, check_distinct
from .identities import ids_of_hit
from .knowledge import Knowledge
from .ledger import CONSENT_ACTION, HIT, creation, is_consent, visitor_of
from .scalars import ANY_TEXT, TEXT, check_spelling, page_location

BATCH = "BATCH"
ENGAGEMENT = "User Engagement"

_ALWAYS: dict[str, Shape] = {"t": TEXT, "cid": TEXT, "ds": literal("APP"), "vid": TEXT, "qt": integer()}
_COMMON: dict[str, Shape] = {"cuid": nullable(TEXT), "uip": ANY_TEXT, "sr": ANY_TEXT, "sd": ANY_TEXT, "ul": ANY_TEXT,
                             "sn": integer(-(2**63)), "qa": boolean(), "dl": TEXT}


def _kind(required: dict[str, Shape], optional: dict[str, Shape] | None = None) -> Shape:
    common = {name: shape for name, shape in _COMMON.items() if name not in required}
    return record({**_ALWAYS, **required}, {**common, **(optional or {})})


KINDS: dict[str, Shape] = {
    "SCREENVIEW": _kind({"dl": TEXT}),
    "PAGEVIEW": _kind({"dl": page_location}),
    "TRANSACTION": _kind({"tid": TEXT, "ta": TEXT}, {
        "tr": number(), "ts": number(), "tt": number(), "tc": ANY_TEXT, "tcc": ANY_TEXT, "pm": ANY_TEXT, "sm": ANY_TEXT,
        "icn": integer(-(2**63))}),
    "ITEM": _kind({"tid": TEXT, "in": TEXT, "ic": TEXT}, {"ip": number(), "iq": integer(-(2**63)), "iv": ANY_TEXT}),
    "EVENT": _kind({"ec": one_of("Action Tracking", ENGAGEMENT), "ea": TEXT}, {"el": ANY_TEXT, "ev": integer()}),
    "SEGMENT": _kind({"s": mapping(ANY_TEXT)}),
}


def hit(findings: Findings, where: str, value: Any) -> None:
    """One hit of any kind."""
    kind = value.get("t") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        findings.add(f"{where}.t" if isinstance(value, dict) else where,
                     f"must be one of {', '.join(KINDS)}, is {brief(kind)}")
        return
    KINDS[kind](findings, where, value)


_BATCH = record({"t": literal(BATCH), "cid": TEXT, "ds": literal("APP"), "h": array(hit, 1)})


def body(findings: Findings, where: str, value: Any) -> None:
    """A batch, or a single hit without an envelope."""
    single = isinstance(value, dict) and "h" not in value and value.get("t") in KINDS
    (hit if single else _BATCH)(findings, where, value)


def hits_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    return document["h"] if document["t"] == BATCH else [document]


def check_hits(findings: Findings, request: Request, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        body(findings, "body", document)
    if len(findings) > before:
        return
    known.environment(findings, "body.cid", document["cid"])
    items, is_batch = hits_of(document), document["t"] == BATCH
    _check_envelope(findings, request, document, len(items), known)
    for index, item in enumerate(items):
        where = f"body.h[{index}]" if is_batch else "body"
        findings.require(item["cid"] == document["cid"], f"{where}.cid",
                         f"must be that of the batch, {document['cid']}, is {item['cid']}")
        _check_hit(findings, where, item, request, known)
    check_distinct(findings, "body.h", items, known)
    known.ledger.check_consent(findings, "body.h" if is_batch else "body", items, known.options)


def _check_envelope(findings: Findings, request: Request, document: dict[str, Any], count: int,
                    known: Knowledge) -> None:
    options, form = known.options, "batch" if document["t"] == BATCH else "single"
    findings.require(options.hits in ("any", form), "body.t", f"hits are to come as {options.hits}")
    findings.require(len(request.body) <= options.maximum_batch_bytes, "body",
                     f"is longer than {options.maximum_batch_bytes} bytes")
    findings.require(options.maximum_hits is None or count <= options.maximum_hits, "body.h",
                     f"must hold at most {options.maximum_hits} entries, holds {count}")


def _check_hit(findings: Findings, where: str, item: dict[str, Any], request: Request, known: Knowledge) -> None:
    check_age(findings, where, HIT, item, known)
    known.ledger.check_ids(findings, f"{where}.cuid", ids_of_hit(item), known.options, creation(item, known.now))
    if item["t"] == "SEGMENT":
        _check_segment(findings, f"{where}.s", item, request, known)
    elif item.get("ea") == CONSENT_ACTION:
        _check_consent(findings, where, item, request, known)


def _check_segment(findings: Findings, where: str, item: dict[str, Any], request: Request, known: Knowledge) -> None:
    segment, visitor = item["s"], visitor_of(item)
    findings.require(known.takes_segments(visitor), where, "the service makes the decisions, and knows the context")
    sender = known.sender(findings, request)
    expected = {"fs_users": visitor, "fs_all_users": "", **({"fs_client": sender[0]} if sender else {})}
    for name, value in expected.items():
        findings.require(segment.get(name) == value, f"{where}.{name}",
                         f"must be {value!r}, is {segment.get(name)!r}")
    for name in ("fs_client", "fs_version"):
        findings.require(name in expected or name in segment, f"{where}.{name}", "is missing")
    check_spelling(findings, where, segment)
    if known.options.distinct_segments:
        findings.require(known.ledger.last_segment(visitor) != segment, where, "is what the last one told")


def _check_consent(findings: Findings, where: str, item: dict[str, Any], request: Request, known: Knowledge) -> None:
    sender = known.sender(findings, request)
    findings.require(item["ec"] == ENGAGEMENT, f"{where}.ec", f"of consent must be {ENGAGEMENT}, is {item['ec']}")
    fits = is_consent(item) and (sender is None or item["el"].partition(":")[0] == sender[0])
    findings.require(fits, f"{where}.el", f"of consent must be <client>:true or :false, is {item.get('el')!r}")
    findings.require("ev" not in item, f"{where}.ev", "is not for consent")
