"""Queries: every name once, known, encoded as `encodeURIComponent` does, and never empty (protocol 2.1)."""

from __future__ import annotations

from loopback.findings import Findings
from loopback.text import COMPONENT, DECIMAL, decode_pairs
from loopback.wire import Request

from .options import Options
from .routes import SWITCHES, VISITOR, Endpoint

Query = dict[str, str]


def read_query(request: Request) -> Query:
    """What a query says, right or wrong; of a name that occurs twice the first."""
    return dict(reversed(decode_pairs(Findings(), request.query or "", unreserved=COMPONENT)))


def check_query(findings: Findings, request: Request, endpoint: Endpoint, options: Options) -> None:
    findings.require(request.query != "", "query", "is empty behind its '?'")
    before = len(findings)
    pairs = decode_pairs(findings, request.query or "", unreserved=COMPONENT)
    if len(findings) > before:
        return
    names = [name for name, _ in pairs]
    for name in endpoint.required:
        findings.require(name in names, f"query {name}", "is missing")
    for name in dict.fromkeys(names):
        known = name in endpoint.required or name in endpoint.optional
        findings.require(known, f"query {name}", f"is not documented for {endpoint.name}")
        findings.require(names.count(name) == 1, f"query {name}", "occurs more than once")
    for name, value in pairs:
        findings.require(value != "", f"query {name}", "is empty: then it is left out")
        if name in SWITCHES:
            findings.require(value == "true", f"query {name}", f"must be true where it is sent, is {value!r}")
    _check_values(findings, endpoint, dict(pairs), options)


def _check_values(findings: Findings, endpoint: Endpoint, query: Query, options: Options) -> None:
    for name, wanted in (("sdkName", options.client_name), ("sdkVersion", options.client_version)):
        if query.get(name) and wanted:
            findings.require(query[name] == wanted, f"query {name}", f"must be {wanted}, is {query[name]!r}")
    if query.get("ts"):
        findings.require(DECIMAL.fullmatch(query["ts"]) is not None, "query ts", f"{query['ts']!r} is no time")
    if endpoint.name == VISITOR:
        _check_visitor(findings, query, options)


def _check_visitor(findings: Findings, query: Query, options: Options) -> None:
    named = [name for name in ("visitorCode", "mappingValue") if name in query]
    findings.require(len(named) == 1, "query visitorCode", "and mappingValue: exactly one of them names the visitor")
    if query.get("version"):
        findings.require(query["version"] == "0", "query version", f"must be 0, is {query['version']!r}")
    amount = query.get("maxNumberPreviousVisits")
    if amount:
        holds = DECIMAL.fullmatch(amount) is not None and 1 <= int(amount) <= options.maximum_previous_visits
        findings.require(holds, "query maxNumberPreviousVisits",
                         f"must be 1 to {options.maximum_previous_visits}, is {amount!r}")
