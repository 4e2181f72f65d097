"""What a summary of evaluations must be (protocol 4.4.5)."""

from __future__ import annotations

from typing import Any

from loopback.findings import Findings, array, integer, literal, mapping, record, text

from .contexts import KIND, qualified_key
from .environment import version_of
from .knowledge import Knowledge
from .redaction import check_event_context


def _anything(findings: Findings, where: str, value: Any) -> None:
    pass


def _present(findings: Findings, where: str, value: Any) -> None:
    findings.require(value is not None, where, "is null and has to be left out")


_COUNTER = record({"value": _anything, "count": integer(1)},
                  {"variation": integer(), "version": integer(), "unknown": literal(True)})
_FEATURE = record({"contextKinds": array(text(KIND, "a kind"), 1), "counters": array(_COUNTER, 1)},
                  {"default": _present})
SUMMARY_SHAPE = record({"kind": text(), "startDate": integer(), "endDate": integer(), "features": mapping(_FEATURE)},
                       {"context": _anything})


def check_summary(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
    """A summary of the right form: its period, its context and its counters."""
    _check_period(findings, where, event, known)
    _check_whose(findings, where, event, known)
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


def _check_whose(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
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
    served = known.environment.served(key)
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
        same = [flag for flag in served if version_of(flag) == counter["version"]]
        if findings.require(bool(same), f"{place}.version", f"{counter['version']} of {key} was never served"):
            variations = [flag.get("variation") for flag in same]
            findings.require(counter.get("variation") in variations, f"{place}.variation",
                             f"{counter.get('variation')} of {key} was never served")
