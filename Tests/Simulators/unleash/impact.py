"""Strict checks of impact metrics (protocol B.3, C.10)."""

from __future__ import annotations

import json
from typing import Any

from loopback.findings import Findings, Shape, array, brief, integer, mapping, number, one_of, record, text

_LABELS = mapping(text(empty=True))


def _bound(findings: Findings, where: str, value: Any) -> None:
    if isinstance(value, str):
        findings.require(value == "+Inf", where, f"must be a number or \"+Inf\", is {brief(value)}")
    else:
        number()(findings, where, value)


_SAMPLES: dict[str, Shape] = {
    "counter": record({"labels": _LABELS, "value": integer()}),
    "gauge": record({"labels": _LABELS, "value": number()}),
    "histogram": record({"labels": _LABELS, "count": integer(), "sum": number(),
                         "buckets": array(record({"le": _bound, "count": integer()}), minimum=1)}),
}
_METRIC = record({"name": text(), "help": text(empty=True), "type": one_of(*_SAMPLES),
                  "samples": lambda findings, where, value: None})


def check_impact_metrics(findings: Findings, where: str, metrics: Any, application: Any) -> None:
    """Checks the array `impactMetrics` of a metrics body."""
    if not isinstance(metrics, list):
        findings.add(where, f"must be an array, is {brief(metrics)}")
        return
    names: list[str] = []
    for index, metric in enumerate(metrics):
        place = f"{where}[{index}]"
        before = len(findings)
        _METRIC(findings, place, metric)
        if len(findings) > before:
            continue
        findings.require(metric["name"] not in names, f"{place}.name", f"{metric['name']} occurs twice")
        names.append(metric["name"])
        _check_samples(findings, f"{place}.samples", metric, application)


def _check_samples(findings: Findings, where: str, metric: dict[str, Any], application: Any) -> None:
    before = len(findings)
    array(_SAMPLES[metric["type"]])(findings, where, metric["samples"])
    if len(findings) > before:
        return
    seen: list[str] = []
    for index, sample in enumerate(metric["samples"]):
        place = f"{where}[{index}]"
        key = json.dumps(sample["labels"], sort_keys=True)
        findings.require(key not in seen, f"{place}.labels", "occur twice in one metric")
        seen.append(key)
        _check_labels(findings, f"{place}.labels", sample, application)
        if metric["type"] == "histogram":
            _check_buckets(findings, f"{place}.buckets", sample)


def _check_labels(findings: Findings, where: str, sample: dict[str, Any], application: Any) -> None:
    """Only the zero sample of an idle metric has no labels; all others name application and environment."""
    labels = sample["labels"]
    idle = sample.get("value", sample.get("count")) == 0
    if not labels:
        findings.require(idle, where, "lack appName and environment")
        return
    for name in ("appName", "environment"):
        findings.require(name in labels, f"{where}.{name}", "is missing")
    if "appName" in labels:
        findings.require(labels["appName"] == application, f"{where}.appName", f"must be {application!r}")


def _check_buckets(findings: Findings, where: str, sample: dict[str, Any]) -> None:
    buckets = sample["buckets"]
    bounds = [float("inf") if bucket["le"] == "+Inf" else bucket["le"] for bucket in buckets]
    counts = [bucket["count"] for bucket in buckets]
    findings.require(buckets[-1]["le"] == "+Inf", where, 'must end with "+Inf"')
    findings.require(all(a < b for a, b in zip(bounds, bounds[1:])), where, "bounds must rise")
    findings.require(all(a <= b for a, b in zip(counts, counts[1:])), where, "counts must be cumulative")
    findings.require(counts[-1] == sample["count"], where, f"the last count must be {sample['count']}")
