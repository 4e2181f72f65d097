"""Events of migration operations (protocol 9)."""

from __future__ import annotations

from typing import Any

from launchdarkly.knowledge import Knowledge
from loopback.findings import Findings, Shape, array, boolean, brief, integer, literal, number, one_of, record, text

from .environment import Item
from .reasons import can_be, reason

STAGES = ("off", "dualwrite", "shadow", "live", "rampdown", "complete")
ORIGINS = ("old", "new")

_STAGE = one_of(*STAGES)


def _of_origins(shape: Shape) -> Shape:
    values = record({}, {origin: shape for origin in ORIGINS})

    def check(findings: Findings, where: str, value: Any) -> None:
        values(findings, where, value)
        findings.require(value != {}, where, "names no origin")

    return check


def _latency(findings: Findings, where: str, value: Any) -> None:
    before = len(findings)
    number()(findings, where, value)
    findings.require(len(findings) > before or value >= 0, where, "is less than nothing")


_MEASUREMENTS = {
    "invoked": record({"key": text(), "values": _of_origins(literal(True))}),
    "latency_ms": record({"key": text(), "values": _of_origins(_latency)}),
    "error": record({"key": text(), "values": _of_origins(literal(True))}),
    "consistent": record({"key": text(), "value": boolean()}, {"samplingRatio": integer()}),
}


def _measurement(findings: Findings, where: str, value: Any) -> None:
    key = value.get("key") if isinstance(value, dict) else None
    shape = _MEASUREMENTS.get(key) if isinstance(key, str) else None
    if shape is None:
        findings.add(f"{where}.key", f"must be one of {', '.join(_MEASUREMENTS)}, is {brief(key)}")
    else:
        shape(findings, where, value)


SHAPE: dict[str, Shape] = {
    "operation": one_of("read", "write"),
    "evaluation": record({"key": text(), "default": _STAGE, "value": _STAGE, "reason": reason},
                         {"variation": integer(), "version": integer()}),
    "measurements": array(_measurement, 1),
}
"""What such an event has besides what all have, and `samplingRatio`."""


def check_migration(findings: Findings, where: str, event: Item, known: Knowledge) -> None:
    _check_measurements(findings, f"{where}.measurements", event["measurements"])
    evaluation = event["evaluation"]
    if known.options.foreign_flags:
        return
    served = known.environment.served(evaluation["key"])
    if "version" not in evaluation:
        findings.require("variation" not in evaluation, f"{where}.evaluation.version", "is missing")
        return
    same = [flag for flag in served if flag.get("version") == evaluation["version"]]
    if findings.require(bool(same), f"{where}.evaluation.version", f"{evaluation['version']} was never served"):
        _check_against_flag(findings, where, event, same)


def _check_against_flag(findings: Findings, where: str, event: Item, same: list[Item]) -> None:
    evaluation, place = event["evaluation"], f"{where}.evaluation"
    variation = evaluation.get("variation")
    values = [variations[variation] for variations in (flag.get("variations", []) for flag in same)
              if variation is not None and variation < len(variations)]
    if variation is None:
        findings.require(evaluation["value"] == evaluation["default"], f"{place}.value", "is not the default")
    elif findings.require(bool(values), f"{place}.variation", f"{variation} was never served"):
        findings.require(evaluation["value"] in values, f"{place}.value", f"{evaluation['value']!r} was never served")
    findings.require(any(can_be(evaluation["reason"], flag) for flag in same), f"{place}.reason",
                     "is none that the flag can give")
    _check_ratio(findings, where, event, [flag.get("samplingRatio", 1) for flag in same])
    ratios = [flag.get("migration", {}).get("checkRatio", 1) for flag in same]
    for index, measured in enumerate(event["measurements"]):
        if measured["key"] == "consistent":
            _check_ratio(findings, f"{where}.measurements[{index}]", measured, ratios)


def _check_ratio(findings: Findings, where: str, holder: Item, served: list[int]) -> None:
    """The ratio that was served, which is left out where it is 1 and lets nothing through where it is 0 or less."""
    found = holder.get("samplingRatio", 1)
    findings.require(found in served, f"{where}.samplingRatio", f"{found} was never served")
    findings.require("samplingRatio" not in holder or found != 1, f"{where}.samplingRatio", "is 1 and has to be left out")
    findings.require(found > 0, where, "is of what is never to be sent")


def _check_measurements(findings: Findings, where: str, measurements: list[Item]) -> None:
    by_key = {measured["key"]: measured for measured in measurements}
    findings.require(len(by_key) == len(measurements), where, "measure something twice")
    if not findings.require("invoked" in by_key, where, "do not say what was invoked"):
        return
    invoked = by_key["invoked"]["values"]
    for index, measured in enumerate(measurements):
        for origin in measured.get("values", {}):
            findings.require(origin in invoked, f"{where}[{index}].values.{origin}", "was not invoked")
        if measured["key"] == "consistent":
            findings.require(len(invoked) == 2, f"{where}[{index}]", "compares what was not read")
