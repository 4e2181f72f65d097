"""Events of the data platform (protocol 3.6, 5.7)."""

from __future__ import annotations

import re
from typing import Any

from loopback.findings import Findings, array, literal, mapping, one_of, parse_json, record, text
from loopback.wire import Request

from .knowledge import Knowledge
from .ledger import PLATFORM_EVENT
from .options import Options
from .scalars import ANY_TEXT, TEXT, UUID, VERSION, VUID, is_vuid, scalar_or_null
from .segments import check_key

BODY = array(record({
    "type": TEXT, "action": TEXT, "identifiers": mapping(ANY_TEXT), "data": mapping(scalar_or_null)}), 1)

_MISSPELT = re.compile("fs[_-]user[_-]id", re.IGNORECASE)
_SENDER = {"idempotence_id": UUID, "data_source_type": literal("sdk"), "data_source": TEXT,
           "data_source_version": VERSION}
_DEVICE = {"os": TEXT, "os_version": TEXT, "model": TEXT,
           "device_type": one_of("Phone", "Tablet", "Smart TV", "PC", "Watch", "Other")}
_OWN_VUID = text(VUID, "vuid_ and 27 digits of a lower-case UUID")


def check_platform_events(findings: Findings, request: Request, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODY(findings, "body", document)
    check_key(findings, request, known.projects)
    if len(findings) > before:
        return
    options = known.options
    findings.require(len(document) <= options.maximum_platform_events, "body",
                     f"must hold at most {options.maximum_platform_events} entries, holds {len(document)}")
    seen: set[Any] = set()
    for index, event in enumerate(document):
        where = f"body[{index}]"
        _check_data(findings, f"{where}.data", event, options)
        _check_identifiers(findings, f"{where}.identifiers", event)
        identifier, place = event["data"].get("idempotence_id"), f"{where}.data.idempotence_id"
        if isinstance(identifier, str):
            findings.require(identifier not in seen, place, f"{identifier} is that of another event of this request")
            seen.add(identifier)
            known.ledger.check_again(findings, place, PLATFORM_EVENT, identifier, event, options.exactly_once)


def is_own(event: dict[str, Any]) -> bool:
    """Whether the library made an event by itself."""
    return event["type"] == "fullstack" and event["action"] in ("identified", "client_initialized")


def _check_data(findings: Findings, where: str, event: dict[str, Any], options: Options) -> None:
    data = event["data"]
    for name, shape in _SENDER.items():
        if not findings.require(name in data, f"{where}.{name}", "is missing"):
            continue
        if not options.foreign_platform_data:
            shape(findings, f"{where}.{name}", data[name])
    if not options.foreign_platform_data and options.client_name:
        findings.require(data.get("data_source") == options.client_name, f"{where}.data_source",
                         f"must be {options.client_name}, is {data.get('data_source')}")
    if is_own(event):
        _check_own_data(findings, where, data)


def _check_own_data(findings: Findings, where: str, data: dict[str, Any]) -> None:
    """Nothing but the sender and, all four or none, the device."""
    told = any(name in data for name in _DEVICE)
    for name, shape in _DEVICE.items():
        if name in data:
            shape(findings, f"{where}.{name}", data[name])
        else:
            findings.require(not told, f"{where}.{name}", "is missing beside other members about the device")
    for name in data:
        findings.require(name in _SENDER or name in _DEVICE, f"{where}.{name}", "is not a documented member")


def _check_identifiers(findings: Findings, where: str, event: dict[str, Any]) -> None:
    identifiers = event["identifiers"]
    for name in identifiers:
        if name != "fs_user_id" and _MISSPELT.fullmatch(name):
            findings.add(f"{where}.{name}", "must be spelt fs_user_id (OPT-68)")
    findings.require(any(identifiers.values()), where, "must hold one that is not empty")
    if not is_own(event):
        return
    wanted = {"vuid"} if event["action"] == "client_initialized" else {"vuid", "fs_user_id"}
    findings.require(set(identifiers) == wanted, where,
                     f"of {event['action']} must be {' and '.join(sorted(wanted))} (protocol 5.7)")
    if "vuid" in identifiers:
        _OWN_VUID(findings, f"{where}.vuid", identifiers["vuid"])
    if "fs_user_id" in identifiers:
        user = identifiers["fs_user_id"]
        findings.require(user != "" and not is_vuid(user), f"{where}.fs_user_id",
                         "must be a user, not nobody and not a VUID")
