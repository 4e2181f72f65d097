"""Tracking requests: the lines of a body together (protocol 2.5, 4.3-4.5)."""

from __future__ import annotations

from loopback.findings import Findings
from loopback.wire import Request

from .knowledge import Knowledge
from .lines import Line, read_line
from .site import Site

Placed = tuple[str, Line]
"""A line, and how violations name it."""


def read_lines(findings: Findings, body: bytes) -> list[Placed]:
    """The lines that can be understood, with their places."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        findings.add("body", "is not UTF-8")
        return []
    if not findings.require(text != "", "body", "is empty"):
        return []
    places = [(f"body[{index}]", line) for index, line in enumerate(text.split("\n"))]
    read = [(where, read_line(findings, where, line)) for where, line in places]
    return [(where, line) for where, line in read if line is not None]


def check_tracking(findings: Findings, request: Request, known: Knowledge) -> None:
    options, before = known.options, len(findings)
    findings.require(len(request.body) <= options.maximum_body_bytes, "body",
                     f"is longer than {options.maximum_body_bytes} bytes")
    lines = read_lines(findings, request.body)
    findings.require(options.maximum_lines is None or len(lines) <= options.maximum_lines, "body",
                     f"must have at most {options.maximum_lines} lines, has {len(lines)}")
    if len(findings) > before:
        return
    nonces: set[str] = set()
    for where, line in lines:
        findings.require(line.nonce not in nonces, f"{where}.nonce", f"{line.nonce} is that of another line")
        nonces.add(line.nonce)
        if known.site is not None:
            _check_known(findings, where, line, known, known.site)
        known.ledger.check_again(findings, f"{where}.nonce", line, options.exactly_once)
    _check_visitors(findings, lines)
    if not findings:
        known.ledger.note([line for _, line in lines])


def _check_visitors(findings: Findings, lines: list[Placed]) -> None:
    """A visitor's lines come together, in the order of their kinds."""
    groups: dict[str, list[Placed]] = {}
    last = None
    for where, line in lines:
        group = groups.setdefault(line.visitor, [])
        if group:
            findings.require(line.visitor == last, where, f"the lines of {line.visitor!r} do not come together")
            first = group[0][1]
            findings.require(line.named == first.named, f"{where}.{line.named}",
                             f"{line.visitor!r} is named by {first.named} before")
            findings.require(line.user_agent is None, f"{where}.userAgent", "is for the visitor's first line")
        group.append((where, line))
        last = line.visitor
    for group in groups.values():
        _check_sequence(findings, group)


def _check_sequence(findings: Findings, group: list[Placed]) -> None:
    seen: set[tuple[str, str]] = set()
    highest = group[0][1].kind
    for where, line in group:
        kind = line.kind
        findings.require(kind.rank >= highest.rank, where, f"{kind.name} comes before {highest.name}")
        highest = max(kind, highest, key=lambda one: one.rank)
        if kind.key is not None:
            name = (kind.name, line.values.get(kind.key, ""))
            findings.require(name not in seen, where, f"a visitor has one {' '.join(name).rstrip()} in a request")
            seen.add(name)
        findings.require(kind.name != "activity" or len(group) == 1, where, "activity is for who has nothing else")


def _check_known(findings: Findings, where: str, line: Line, known: Knowledge, site: Site) -> None:
    options, kind, values = known.options, line.kind.name, line.values
    if options.consents and site.requires_consent and not site.has_consent(line.visitor):
        free = kind == "conversion" or kind == "experiment" and site.is_delivery(int(values["id"]))
        findings.require(free, where, f"{line.visitor!r} has not given consent to {kind}")
    if kind == "customData":
        _check_custom_data(findings, where, line, known, site)
    elif kind == "experiment" and not options.foreign_experiments:
        pair = int(values["id"]), int(values["variationId"])
        if findings.require(site.knows_experiment(pair[0]), f"{where}.id", f"{pair[0]} is no experiment"):
            findings.require(site.knows_variation(*pair), f"{where}.variationId",
                             f"{pair[1]} is no variation of the experiment {pair[0]}")
    elif kind == "targetingSegment" and not options.foreign_experiments:
        findings.require(site.knows_audience(int(values["id"])), f"{where}.id",
                         f"{values['id']} is no segment whose audience is tracked")


def _check_custom_data(findings: Findings, where: str, line: Line, known: Knowledge, site: Site) -> None:
    index = int(line.values["index"])
    findings.require(not site.is_local(index), f"{where}.index", f"the custom data {index} never leaves the client")
    if known.options.links:
        first = next(iter(line.counts), "")
        links = site.is_mapping(index) and first != ""
        marked = "mappingIdentifier" in line.values
        if marked or not known.ledger.has_read(site.code, line.visitor):  # What was read links nobody anew.
            findings.require(marked == links, f"{where}.mappingIdentifier",
                             "is missing at the index that links visitors" if links else "is for what links visitors")
