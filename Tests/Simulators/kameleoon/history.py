"""What is known of a visitor (protocol 2.7): as tests set it, else as tracking told it."""

from __future__ import annotations

import json
from typing import Any

from .ledger import Event, Ledger
from .lines import BROWSERS
from .query import Query
from .site import Site

Document = dict[str, Any]
PARTS = {"customData": "customDataEvents", "conversion": "conversionEvents", "page": "pageEvents",
         "experiment": "experimentEvents", "geolocation": "geolocationEvents",
         "personalization": "personalizationEvents"}
"""The parts of a visit, by the name in the query that asks for them."""


def answer_visitor(site: Site, query: Query, ledger: Ledger) -> Document:
    visitor = query.get("visitorCode") or query.get("mappingValue", "")
    found = site.remembered(visitor)
    return _asked(_told(ledger, site.code, visitor) if found is None else found, query)


def _asked(document: Document, query: Query) -> Document:
    """Only what was asked for."""
    for visit in [document.get("currentVisit", {}), *document.get("previousVisits", [])]:
        for name, part in PARTS.items():
            if name not in query and isinstance(visit, dict):
                visit.pop(part, None)
    if "previousVisits" in document:
        document["previousVisits"] = document["previousVisits"][:int(query.get("maxNumberPreviousVisits", "1"))]
    for name in ("currentVisit", "kcs", "cbs"):
        if name not in query:
            document.pop(name, None)
    return document


def _told(ledger: Ledger, site: str, visitor: str) -> Document:
    events, owner, visits = ledger.told_of(site, visitor), ledger.owner(site, visitor), []
    for number in sorted({event.visit for event in events}, reverse=True):
        visits.append(_visit(owner, [event for event in events if event.visit == number]))
    if not visits:
        return {}
    current = ledger.visits_over in {event.visit for event in events}
    document = {"currentVisit": visits[0]} if current else {}
    return {**document, "previousVisits": visits[1:] if current else visits}


def _visit(visitor: str, events: list[Event]) -> Document:
    visit: Document = {"visitorCode": visitor, "timeStarted": events[0].time, "timeLastEvent": events[-1].time}
    static: Document = {}
    for event in events:
        kind, data = event.line.kind.event, _data(event)
        if kind == "staticData":
            static |= data
        elif kind in PARTS:
            visit.setdefault(PARTS[kind], []).append({"time": event.time, "data": data})
    if static:
        visit["staticDataEvent"] = {"time": events[0].time, "data": static}
    return visit


_TEXTS = frozenset({"deviceType", "os", "country", "region", "city", "postalCode", "href", "title"})


def _data(event: Event) -> Document:
    """The members of a line as JSON: what looks like it is a number or a truth, but for texts."""
    values = event.line.values
    data = {name: value if name in _TEXTS else json.loads(value) for name, value in values.items()}
    if "browserIndex" in values:
        data["browser"] = BROWSERS[data.pop("browserIndex")]
    return data
