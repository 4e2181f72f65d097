"""What feature and debug events and the counters of a summary may say of a flag (protocol 7.3, 7.4, 7.6)."""

from __future__ import annotations

from launchdarkly.contexts import canonical
from launchdarkly.events import FEATURE
from launchdarkly.knowledge import Knowledge
from loopback.findings import Findings, brief

from .environment import Item
from .reasons import can_be, is_experiment


def check_evaluation(findings: Findings, where: str, event: Item, known: Knowledge) -> None:
    """The flag was served like this, and asks for such an event."""
    if known.options.foreign_flags:
        return
    served = known.environment.served(event["key"])
    if not findings.require(bool(served), f"{where}.key", f"{event['key']} is no flag that was ever served"):
        return
    same = [flag for flag in served if flag.get("version") == event["version"]]
    if not findings.require(bool(same), f"{where}.version", f"{event['version']} was never served"):
        return
    _check_result(findings, where, event, same)
    _check_reason(findings, where, event, same)
    _check_prerequisite(findings, where, event, known)


def _check_result(findings: Findings, where: str, event: Item, same: list[Item]) -> None:
    if "variation" not in event:
        fits = canonical(event["value"]) == canonical(event.get("default"))
        findings.require(fits, f"{where}.value", f"{brief(event['value'])} is not the default, and has no variation")
        return
    values = _values(same, event["variation"])
    if findings.require(bool(values), f"{where}.variation", f"{event['variation']} was never served"):
        findings.require(canonical(event["value"]) in values, f"{where}.value", f"{brief(event['value'])} was never served")


def _values(same: list[Item], variation: int) -> list[str]:
    """What a variation ever was, to compare by; also cut to an integer, as it is where one was asked for."""
    found = [flag["variations"][variation] for flag in same if variation < len(flag.get("variations", []))]
    return [canonical(value) for value in found] + [canonical(int(value)) for value in found if isinstance(value, float)]


def _check_reason(findings: Findings, where: str, event: Item, same: list[Item]) -> None:
    reason = event.get("reason")
    if reason is not None:
        fitting = [flag for flag in same if can_be(reason, flag)]
        if not findings.require(bool(fitting), f"{where}.reason", "is none that the flag can give"):
            return
        same = fitting
    findings.require(any(flag.get("samplingRatio", 1) > 0 for flag in same), where, "is of a flag that sends none")
    if event["kind"] == FEATURE:
        tracked = any(flag.get("trackEvents") or is_experiment(reason, flag) for flag in same)
        findings.require(tracked, where, "is of a flag that is not tracked")
    else:
        until = max(flag.get("debugEventsUntilDate") or 0 for flag in same)
        findings.require(event["creationDate"] < until, where, "is of a flag that is not debugged at that time")


def _check_prerequisite(findings: Findings, where: str, event: Item, known: Knowledge) -> None:
    if "prereqOf" not in event:
        return
    wanted = event["prereqOf"] in known.environment.dependents(event["key"])
    findings.require(wanted, f"{where}.prereqOf", f"{event['prereqOf']} never had {event['key']} as a prerequisite")
    findings.require(event.get("default") is None, f"{where}.default", "must be null for a prerequisite")


def check_counters(findings: Findings, where: str, summary: Item, known: Knowledge) -> None:
    """Counters count what a flag was or may result in; those of a flag that wants no counting are not there."""
    for key, feature in summary["features"].items():
        place = f"{where}.features.{key}"
        for index, counter in enumerate(feature["counters"]):
            _check_counter(findings, f"{place}.counters[{index}]", key, counter, feature, known)


def _check_counter(findings: Findings, where: str, key: str, counter: Item, feature: Item, known: Knowledge) -> None:
    if "unknown" in counter:
        findings.require("variation" not in counter, f"{where}.variation", "is one of no flag")
        return
    same = [flag for flag in known.environment.served(key) if flag.get("version") == counter.get("version")]
    if not same or known.options.foreign_flags:
        return
    excluded = all(flag.get("excludeFromSummaries") for flag in same)
    findings.require(not excluded, where, "is of a flag that is not to be counted")
    values = _values(same, counter["variation"]) if "variation" in counter else []
    if values:
        findings.require(canonical(counter["value"]) in values, f"{where}.value", f"{brief(counter['value'])} was never served")
