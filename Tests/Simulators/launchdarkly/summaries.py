"""What a summary of evaluations must be (protocol 4.4.5)."""

from __future__ import annotations

from typing import Any

from loopback.findings import Findings, Shape, array, integer, literal, mapping, record, text

from .contexts import KIND, qualified_key
from .knowledge import Knowledge
from .payloads import anything
from .redaction import check_event_context

_COUNTER = record({"value": anything, "count": integer(1)},
                  {"variation": integer(), "version": integer(), "unknown": literal(True)})


def summary_shape(default: Shape, **more: Shape) -> Shape:
    """`default` is that of a flag's default where it is told, `more` are members that a summary may have."""
    feature = record({"contextKinds": array(text(KIND, "a kind"), 1), "counters": array(_COUNTER, 1)}, {"default": default})
    return record({"kind": text(), "startDate": integer(), "endDate": integer(), "features": mapping(feature)}, more)


def check_summary(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
    """A summary of the right form: its period and its counters."""
    _check_period(findings, where, event, known)
    findings.require(bool(event["features"]), f"{where}.features", "must not be empty")
    for key, feature in event["features"].items():
        place = f"{where}.features.{key}"
        kinds = feature["contextKinds"]
        findings.require(len(set(kinds)) == len(kinds), f"{place}.contextKinds", "names a kind more than once")
        findings.require("multi" not in kinds, f"{place}.contextKinds", "has multi, which is no kind of a context")
        _check_counters(findings, place, key, feature["counters"], known)


def _check_period(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
    known.check_time(findings, f"{where}.endDate", event["endDate"])
    findings.require(event["startDate"] <= event["endDate"], f"{where}.startDate", "is after the end")


def check_whose(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
    """The context that a summary is of, where clients tell one."""
    options = known.options
    if not options.context_summaries:
        findings.require("context" not in event, f"{where}.context", "was not asked for")
    elif findings.require(isinstance(event.get("context"), dict), f"{where}.context", "is missing"):
        try:
            met = known.environment.contexts(qualified_key(event["context"]))
        except (KeyError, TypeError, AttributeError):
            met = []
        check_event_context(findings, f"{where}.context", event["context"], met, options.all_attributes_private,
                            options.private_attributes, hide_anonymous=True)


def _check_counters(findings: Findings, where: str, key: str, counters: list[dict[str, Any]],
                    known: Knowledge) -> None:
    """One counter for each variation and version; a version is one that was served, or is said to be unknown."""
    identities = [(counter.get("variation"), counter.get("version")) for counter in counters]
    for index, counter in enumerate(counters):
        place = f"{where}.counters[{index}]"
        findings.require(identities[index] not in identities[:index], place, "counts what another one counts")
        if "unknown" in counter:
            findings.require("version" not in counter, f"{place}.unknown", "has a version that is known")
            continue
        if not findings.require("version" in counter, f"{place}.version", "is missing, and not said to be unknown"):
            continue
        if known.options.foreign_flags:
            continue
        variations = known.environment.variations(key, counter["version"])
        if findings.require(bool(variations), f"{place}.version", f"{counter['version']} of {key} was never served"):
            findings.require(counter.get("variation") in variations, f"{place}.variation",
                             f"{counter.get('variation')} of {key} was never served")
