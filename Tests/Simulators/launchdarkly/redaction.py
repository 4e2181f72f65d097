"""What events may tell of a context (protocol 3.5, attribute references, and 3.6)."""

from __future__ import annotations

import copy
from typing import Any, Iterable

from loopback.findings import Findings, array, record, text

from .contexts import MULTI, canonical, check_context, parts

Reference = tuple[str, ...]

_NEVER = ("kind", "key", "anonymous", "_meta")
_META = record({"redactedAttributes": array(text(), 1)})


def components(reference: str) -> Reference | None:
    """The names that a reference leads through; None for an invalid one."""
    if not reference or reference == "/":
        return None
    if not reference.startswith("/"):
        return (reference,)
    found = []
    for part in reference[1:].split("/"):
        rest = part.replace("~0", "").replace("~1", "")
        if not part or "~" in rest:
            return None
        found.append(part.replace("~1", "/").replace("~0", "~"))
    return tuple(found)


def references(texts: Iterable[str]) -> set[Reference]:
    return {found for found in map(components, texts) if found is not None}


def redacted(document: dict[str, Any], everything: bool, private: Iterable[str], hide_anonymous: bool) -> dict[str, Any]:
    """The context as events carry it, with component lists for references, in the order of `comparable`."""
    if document["kind"] != MULTI:
        return _redacted_part(document, everything, references(private), hide_anonymous)
    made: dict[str, Any] = {"kind": MULTI}
    for kind, part in parts(document):
        made[kind] = _redacted_part(part, everything, references(private), hide_anonymous)
    return made


def _redacted_part(part: dict[str, Any], everything: bool, private: set[Reference],
                   hide_anonymous: bool) -> dict[str, Any]:
    private = private | references(part.get("_meta", {}).get("privateAttributes", []))
    everything = everything or (hide_anonymous and part.get("anonymous") is True)
    gone: set[Reference] = set()
    made: dict[str, Any] = {}
    for name, value in part.items():
        if value is None:
            continue
        if name in _NEVER:
            if name != "_meta" and value is not False:
                made[name] = value
        elif everything or (name,) in private:
            gone.add((name,))
        else:
            made[name] = _without(value, (name,), private, gone)
    if gone:
        made["_meta"] = {"redactedAttributes": sorted(list(path) for path in gone)}
    return made


def _without(value: Any, path: Reference, private: set[Reference], gone: set[Reference]) -> Any:
    if not isinstance(value, dict):
        return value
    kept = {}
    for name, entry in value.items():
        if (*path, name) in private:
            gone.add((*path, name))
        else:
            kept[name] = _without(entry, (*path, name), private, gone)
    return kept


def comparable(document: dict[str, Any]) -> str:
    """An event's context as text to compare by: how its redacted attributes are spelled does not matter."""
    made = copy.deepcopy(document)
    for _, part in parts(made):
        names = part.get("_meta", {}).get("redactedAttributes")
        if names is not None:
            part["_meta"]["redactedAttributes"] = sorted(
                list(name) if isinstance(name, list) else list(components(name) or (name,)) for name in names)
    return canonical(made)


def check_event_context(findings: Findings, where: str, document: Any, known: list[dict[str, Any]], everything: bool,
                        private: list[str], hide_anonymous: bool) -> None:
    """The form of an event's context, and that it tells what it may of one that asked for flags before.

    `known` are the contexts of that key; without one, at least what all must keep private is looked at.
    """
    if not check_context(findings, where, document, _META):
        return
    found = comparable(document)
    if known:
        expected = [comparable(redacted(context, everything, private, hide_anonymous)) for context in known]
        findings.require(found in expected, where, f"must be {expected[-1]}, is {found}")
        return
    told = _without_meta(redacted(document, everything, private, hide_anonymous))
    findings.require(_without_meta(document) == told, where, "tells attributes that are private")


def _without_meta(document: dict[str, Any]) -> str:
    made = copy.deepcopy(document)
    for _, part in parts(made):
        part.pop("_meta", None)
    return canonical(made)
