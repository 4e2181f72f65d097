"""One line of a tracking request: names in their order, values in their forms (protocol 2.5, 2.6)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from loopback.findings import Findings, Shape, array, brief, integer, literal, mapping, one_of, parse_json, text
from loopback.text import COMPONENT, DECIMAL, decode_pairs

NONCE = re.compile("[0-9A-F]{16}")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
SYSTEMS = ("WINDOWS", "MAC", "IOS", "LINUX", "ANDROID", "WINDOWS_PHONE")
BROWSERS = ("CHROME", "INTERNET_EXPLORER", "FIREFOX", "SAFARI", "OPERA", "OTHER")
VISITOR_CODE, MAPPING_VALUE, USER_AGENT = "visitorCode", "mappingValue", "userAgent"


def _json(shape: Shape) -> Shape:
    """A text that is strict JSON of a shape."""
    def check(findings: Findings, where: str, value: Any) -> None:
        inner = Findings()
        document = parse_json(inner, value.encode())
        if inner:
            findings.add(where, inner[0].message)
        else:
            shape(findings, where, document)

    return check


def _metadata(findings: Findings, where: str, value: Any) -> None:
    """Values by index; what is empty is left out."""
    mapping(array(text(empty=True)))(findings, where, value)
    if isinstance(value, dict):
        findings.require(bool(value), where, "is empty: then it is left out")
        for index in value:
            findings.require(DECIMAL.fullmatch(index) is not None, f"{where}.{index}", "is no index")


def _version(findings: Findings, where: str, value: Any) -> None:
    _numeric(findings, where, value)
    if _NUMBER.fullmatch(value) is not None:
        findings.require(float(value) != 0, where, "is 0: then it is left out")


_TEXT = text()
_COUNT, _WHOLE = text(DECIMAL, "an integer from 0 on"), text(_INTEGER, "an integer")
_numeric = text(_NUMBER, "a decimal number")
_TRUTH = one_of("true", "false")


@dataclass(frozen=True)
class Kind:
    """What one kind of event says of itself, in this order. `rank` is its place among a visitor's lines."""

    name: str
    event: str
    rank: int
    members: dict[str, Shape]
    optional: frozenset[str] = frozenset()
    key: str | None = None
    """The member by which a visitor has at most one; empty for at most one at all, None for any number."""


KINDS = (
    Kind("device", "staticData", 0, {"deviceType": one_of("PHONE", "TABLET", "DESKTOP")}, key=""),
    Kind("browser", "staticData", 1, {"browserIndex": one_of(*"012345"), "browserVersion": _version},
         frozenset({"browserVersion"}), ""),
    Kind("operatingSystem", "staticData", 2, {"os": one_of(*SYSTEMS), "osIndex": one_of(*"012345")}, key=""),
    Kind("geolocation", "geolocation", 3, {
        "country": _TEXT, "region": _TEXT, "city": _TEXT, "postalCode": _TEXT, "latitude": _numeric,
        "longitude": _numeric}, frozenset({"country", "region", "city", "postalCode", "latitude", "longitude"}), ""),
    Kind("visits", "staticData", 4, {"visitNumber": _COUNT, "timeSincePreviousVisit": _COUNT}, key=""),
    Kind("customData", "customData", 5, {
        "index": _COUNT, "valuesCountMap": _json(mapping(literal(1))), "overwrite": _TRUTH,
        "mappingIdentifier": one_of("true")}, frozenset({"mappingIdentifier"}), "index"),
    Kind("page", "page", 6, {"href": _TEXT, "title": _TEXT, "referrersIndices": _json(array(integer(), 1))},
         frozenset({"title", "referrersIndices"}), "href"),
    Kind("experiment", "experiment", 7, {"id": _COUNT, "variationId": _COUNT}, key="id"),
    Kind("targetingSegment", "targetingSegment", 8, {"id": _COUNT}, key="id"),
    Kind("conversion", "conversion", 9, {
        "goalId": _WHOLE, "revenue": _numeric, "negative": _TRUTH, "metadata": _json(_metadata)},
         frozenset({"metadata"})),
    Kind("activity", "activity", 10, {}, key=""),
)
EVENTS = tuple(dict.fromkeys(kind.event for kind in KINDS))


@dataclass(frozen=True)
class Line:
    """One event. `named` says whether the visitor is named by `visitorCode` or by `mappingValue`."""

    nonce: str
    kind: Kind
    values: dict[str, str]
    named: str
    visitor: str
    user_agent: str | None

    @property
    def counts(self) -> dict[str, int]:
        """The values of custom data."""
        return json.loads(self.values["valuesCountMap"])

    @property
    def content(self) -> str:
        """What the event says; the same whenever it comes again."""
        return json.dumps([self.kind.name, self.values], sort_keys=True)

    def as_json(self) -> dict[str, Any]:
        return {"nonce": self.nonce, "kind": self.kind.name, "visitor": self.visitor, "named": self.named,
                "userAgent": self.user_agent, **self.values}


def read_line(findings: Findings, where: str, line: str) -> Line | None:
    """Checks one line; None when it cannot be understood as it is."""
    before = len(findings)
    if not findings.require(line != "", where, "is empty"):
        return None
    inner = Findings()
    pairs = decode_pairs(inner, line, unreserved=COMPONENT)
    for finding in inner:
        name = finding.where.removeprefix("query ").partition("=")[0]
        findings.add(f"{where}.{name}" if name else where, finding.message)
    if inner:
        return None
    values = dict(pairs)
    names = [name for name, _ in pairs]
    for name in values:
        findings.require(names.count(name) == 1, f"{where}.{name}", "occurs more than once")
    kind = _kind(findings, where, values)
    if kind is None:
        return None
    _check_frame(findings, where, values)
    _check_members(findings, where, kind, values)
    if len(findings) == before:
        _check_order(findings, where, kind, names)
    if len(findings) > before:
        return None
    named = VISITOR_CODE if VISITOR_CODE in values else MAPPING_VALUE
    own = {name: values[name] for name in kind.members if name in values}
    return Line(values["nonce"], kind, own, named, values[named], values.get(USER_AGENT))


def _kind(findings: Findings, where: str, values: dict[str, str]) -> Kind | None:
    """The kind of that event; of several the one that has most of the names."""
    event = values.get("eventType")
    fitting = [kind for kind in KINDS if kind.event == event]
    if not fitting:
        findings.add(f"{where}.eventType", "is missing" if event is None else
                     f"must be one of {', '.join(EVENTS)}, is {brief(event)}")
        return None
    best = max(fitting, key=lambda kind: sum(name in values for name in kind.members))
    if len(fitting) > 1 and not any(name in values for name in best.members):
        findings.add(f"{where}.eventType", f"is {event} without anything that there is of it")
        return None
    return best


def _check_frame(findings: Findings, where: str, values: dict[str, str]) -> None:
    """What every line has around its own members."""
    if findings.require("nonce" in values, f"{where}.nonce", "is missing"):
        holds = NONCE.fullmatch(values["nonce"]) is not None
        findings.require(holds, f"{where}.nonce", f"must be 16 of 0-9A-F, is {brief(values['nonce'])}")
    named = [name for name in (VISITOR_CODE, MAPPING_VALUE) if name in values]
    if findings.require(len(named) == 1, f"{where}.{VISITOR_CODE}", "or mappingValue: exactly one names the visitor"):
        code = values[named[0]]
        findings.require(0 < len(code) <= 255, f"{where}.{named[0]}", "must have 1 to 255 characters")
    findings.require(values.get(USER_AGENT) != "", f"{where}.{USER_AGENT}", "is empty: then it is left out")


def _check_members(findings: Findings, where: str, kind: Kind, values: dict[str, str]) -> None:
    for name, shape in kind.members.items():
        if name in values:
            shape(findings, f"{where}.{name}", values[name])
        else:
            findings.require(name in kind.optional, f"{where}.{name}", "is missing")
    for name in values:
        known = name in kind.members or name in ("nonce", "eventType", VISITOR_CODE, MAPPING_VALUE, USER_AGENT)
        findings.require(known, f"{where}.{name}", f"is not documented for {kind.name}")
    if kind.name == "operatingSystem" and values.get("os") in SYSTEMS and values.get("osIndex", "") in set("012345"):
        findings.require(SYSTEMS[int(values["osIndex"])] == values["os"], f"{where}.osIndex",
                         f"{values['osIndex']} is not that of {values['os']}")


def _check_order(findings: Findings, where: str, kind: Kind, names: list[str]) -> None:
    documented = ["nonce", "eventType", *kind.members, VISITOR_CODE, MAPPING_VALUE, USER_AGENT]
    wanted = [name for name in documented if name in names]
    findings.require(names == wanted, where, f"must be in the order {', '.join(wanted)}, is {', '.join(names)}")
