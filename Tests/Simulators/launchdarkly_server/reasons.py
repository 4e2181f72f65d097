"""Why a flag resulted in what it did (protocol 5.3), and whether that makes it an experiment (6)."""

from __future__ import annotations

from typing import Any

from launchdarkly.payloads import ERRORS
from loopback.findings import Findings, Shape, brief, integer, literal, one_of, record, text

from .environment import Item

STATUSES = ("HEALTHY", "STALE", "STORE_ERROR", "NOT_CONFIGURED")

_SOMETIMES: dict[str, Shape] = {"bigSegmentsStatus": one_of(*STATUSES)}
_IN_EXPERIMENT: dict[str, Shape] = {**_SOMETIMES, "inExperiment": literal(True)}
_KIND: dict[str, Shape] = {"kind": text()}
_SHAPES = {
    "OFF": record(_KIND, _SOMETIMES),
    "TARGET_MATCH": record(_KIND, _SOMETIMES),
    "FALLTHROUGH": record(_KIND, _IN_EXPERIMENT),
    "RULE_MATCH": record({**_KIND, "ruleIndex": integer()}, {**_IN_EXPERIMENT, "ruleId": text(empty=True)}),
    "PREREQUISITE_FAILED": record({**_KIND, "prerequisiteKey": text()}, _SOMETIMES),
    "ERROR": record({**_KIND, "errorKind": one_of(*ERRORS)}, _SOMETIMES),
}


def reason(findings: Findings, where: str, value: Any) -> None:
    """The shape of a reason."""
    if not findings.require(isinstance(value, dict), where, f"must be an object, is {brief(value)}"):
        return
    before = len(findings)
    one_of(*_SHAPES)(findings, f"{where}.kind", value.get("kind"))
    if len(findings) == before:
        _SHAPES[value["kind"]](findings, where, value)


def can_be(found: Item, flag: Item) -> bool:
    """Whether a flag can ever give this reason."""
    kind, rules = found["kind"], flag.get("rules", [])
    if kind == "ERROR":
        return True
    if kind == "OFF" or not flag.get("on"):
        return kind == "OFF" and not flag.get("on")
    if kind == "TARGET_MATCH":
        return bool(flag.get("targets") or flag.get("contextTargets"))
    if kind == "PREREQUISITE_FAILED":
        return any(wanted["key"] == found["prerequisiteKey"] for wanted in flag.get("prerequisites", []))
    if kind == "RULE_MATCH":
        place = found["ruleIndex"]
        return place < len(rules) and rules[place].get("id") == found.get("ruleId")
    return True


def is_experiment(found: Item | None, flag: Item) -> bool:
    """Whether a result with this reason is tracked though the flag is not."""
    if found is None:
        return False
    rules, place = flag.get("rules", []), found.get("ruleIndex")
    ruled = found["kind"] == "RULE_MATCH" and place < len(rules) and rules[place].get("trackEvents") is True
    fell = found["kind"] == "FALLTHROUGH" and flag.get("trackEventsFallthrough") is True
    return found.get("inExperiment") is True or ruled or fell
