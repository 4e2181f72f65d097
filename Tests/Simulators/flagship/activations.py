"""Activations: what a request must be (protocol 3.4)."""

from __future__ import annotations

from typing import Any

from loopback.findings import Findings, array, boolean, integer, nullable, parse_json, record
from loopback.wire import Request

from .identities import ids_of_activation
from .knowledge import Knowledge
from .ledger import ACTIVATION, creation, identity
from .scalars import TEXT

BODY = record({"cid": TEXT, "batch": array(record(
    {"vid": TEXT, "caid": TEXT, "vaid": TEXT, "qt": integer()}, {"aid": nullable(TEXT), "qa": boolean()}), 1)})


def check_activations(findings: Findings, request: Request, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODY(findings, "body", document)
    if len(findings) > before:
        return
    batch, options = document["batch"], known.options
    findings.require(len(batch) <= options.maximum_activations, "body.batch",
                     f"must hold at most {options.maximum_activations} entries, holds {len(batch)}")
    environment = known.environment(findings, "body.cid", document["cid"])
    for index, activation in enumerate(batch):
        where = f"body.batch[{index}]"
        pair = activation["caid"], activation["vaid"]
        if environment is not None and not options.foreign_campaigns:
            findings.require(environment.knows(pair), f"{where}.vaid",
                             f"{pair[1]} is no variation that was served of the group {pair[0]}")
        check_age(findings, where, ACTIVATION, activation, known)
        ids = ids_of_activation(activation)
        known.ledger.check_ids(findings, f"{where}.aid", ids, options, creation(activation, known.now))
        if options.final_refusals:
            findings.require(not known.ledger.has_refused(*ids), where, f"{activation['vid']} has refused consent")
    if options.newest_first:
        findings.require(batch[0]["qt"] == min(activation["qt"] for activation in batch), "body.batch",
                         "must begin with the youngest")
    check_distinct(findings, "body.batch", batch, known)


def check_age(findings: Findings, where: str, kind: str, item: dict[str, Any], known: Knowledge) -> None:
    """`qt` is the milliseconds since the item was made: at most four hours, and more when it comes again."""
    options, place = known.options, f"{where}.qt"
    if not findings.require(item["qt"] <= options.maximum_queue_ms, place, f"{item['qt']} is too old for milliseconds"):
        return
    if options.distinct or options.exactly_once:
        known.ledger.check_again(findings, where, kind, identity(item), creation(item, known.now), options)


def check_distinct(findings: Findings, where: str, items: list[dict[str, Any]], known: Knowledge) -> None:
    names = [identity(item) for item in items]
    if known.options.distinct or known.options.exactly_once:
        findings.require(len(set(names)) == len(names), where, "holds one twice")
