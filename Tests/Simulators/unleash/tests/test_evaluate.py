"""The evaluator against worked values, and against the vectors when they lie beside the checkout."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loopback.findings import Findings
from loopback.murmur import murmur3
from loopback.text import decode_pairs
from unleash.constraints import UnsupportedPattern
from unleash.context import Context
from unleash.evaluate import Evaluation, Evaluator
from unleash.frontend import server_toggle
from unleash.hashing import VARIANT_SEED, normalized
from unleash.impact import check_impact_metrics

from .support import STATE, VECTORS

needs_vectors = pytest.mark.skipif(not VECTORS.is_dir(), reason="the shared conformance vectors are not here")


def load(name: str) -> dict[str, Any]:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def vector_files(kind: str) -> list[Any]:
    names = sorted(path.name for path in VECTORS.glob("*.json")) if VECTORS.is_dir() else []
    return [name for name in names if load(name)["kind"] == kind] or [pytest.param("", marks=needs_vectors)]


def as_vector(evaluation: Evaluation) -> dict[str, Any]:
    variant = dict(evaluation.variant)
    variant["featureEnabled"] = variant.pop("feature_enabled")
    return {"enabled": evaluation.enabled, "found": evaluation.found, "variant": variant,
            "impressionData": evaluation.impression_data}


@pytest.mark.parametrize(("group", "identifier", "plain", "share", "seeded", "weight"), [
    ("gr1", "123", 538421172, 73, 4076427795, 796), ("AB12A", "122", 1062108722, 23, 152276612, 613),
    ("søk", "日本語", 2051459305, 6, 2833397728, 729), ("", "7", 1535977339, 40, 2327556848, 849),
    ("g", "", 2914506663, 64, 3235096778, 779), ("checkout", "user-42", 2382546941, 42, 3094308837, 838),
])
def test_hashes_are_those_of_the_protocol_page(group: str, identifier: str, plain: int, share: int, seeded: int,
                                               weight: int) -> None:
    data = f"{group}:{identifier}".encode()
    assert (murmur3(data), murmur3(data, VARIANT_SEED)) == (plain, seeded)
    assert (normalized(group, identifier), normalized(group, identifier, 1000, VARIANT_SEED)) == (share, weight)


@pytest.mark.parametrize(("user", "variant"), [
    ("user-1", "green"), ("user-2", "red"), ("user-3", "disabled"), ("user-42", "blue"), ("user-7", "disabled")])
def test_the_worked_flag_of_the_protocol_page(user: str, variant: str) -> None:
    evaluator = Evaluator(STATE["features"], STATE["segments"])
    evaluation = evaluator.evaluate("checkout", Context({"userId": user}))
    assert (evaluation.enabled, evaluation.variant["name"]) == (variant != "disabled", variant)


@pytest.mark.parametrize("name", vector_files("evaluate"))
def test_evaluation_vectors(name: str) -> None:
    document = load(name)
    evaluators: dict[str, Evaluator] = {}
    skipped = 0
    for case in document["cases"]:
        state, answers = document["states"][case["state"]], case.get("customStrategies")
        if answers is None and case["state"] not in evaluators:
            evaluators[case["state"]] = Evaluator(state["features"], state.get("segments"))
        evaluator = evaluators[case["state"]] if answers is None else Evaluator(
            state["features"], state.get("segments"), lambda strategy, *_: bool(answers.get(strategy)))
        try:
            found = evaluator.evaluate(case["toggle"], Context.from_json(case["context"]))
        except UnsupportedPattern:
            skipped += 1
            continue
        assert as_vector(found) == case["expect"], case
    assert skipped <= (len(document["cases"]) // 5 if name == "constraints_regex.json" else 0)


@needs_vectors
def test_frontend_answer_vectors() -> None:
    for case in load("frontend_response.json")["cases"]:
        evaluator = Evaluator(case["features"]["features"], case["features"].get("segments"))
        context = Context.from_json(case["context"])
        found = [server_toggle(name, evaluator.evaluate(name, context)) for name in evaluator.names]
        for toggle in found:
            assert toggle["variant"].pop("featureEnabled") == toggle["variant"]["feature_enabled"]
        assert [toggle for toggle in found if toggle["enabled"]] == case["expect"]["toggles"], case["id"]


@needs_vectors
def test_distribution_vectors() -> None:
    for case in load("distribution.json")["cases"]:
        evaluator = Evaluator(case["features"]["features"])
        users = (f"{case['userIdPrefix']}{case['from'] + index}" for index in range(case["count"]))
        found = [evaluator.evaluate(case["toggle"], Context({"userId": user})) for user in users]
        names = [evaluation.variant["name"] for evaluation in found]
        bits = "".join("1" if evaluation.enabled else "0" for evaluation in found)
        assert Counter(names) == case["expect"]["variantCounts"]
        assert hashlib.sha256(bits.encode()).hexdigest() == case["expect"]["bitsSha256"]
        assert hashlib.sha256(",".join(names).encode()).hexdigest() == case["expect"]["variantsSha256"]


@pytest.mark.parametrize("path", sorted((VECTORS / "spec").glob("[0-9]*.json")) or [pytest.param(Path(), marks=needs_vectors)],
                         ids=lambda path: path.name)
def test_official_specification(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    evaluator = evaluator_of(document["state"])
    for case in document.get("tests", []) + document.get("variantTests", []):
        found = evaluator.evaluate(case["toggleName"], Context.from_json(case["context"]))
        expected = case["expectedResult"]
        assert expected == (found.enabled if isinstance(expected, bool) else found.variant), case["description"]


@needs_vectors
def test_delta_vectors() -> None:
    for case in load("delta.json")["cases"]:
        features: dict[str, Any] = {}
        segments: dict[int, Any] = {}
        for step in case["steps"]:
            apply_events(step["apply"].get("events", []), features, segments)
            evaluator = Evaluator(list(features.values()), list(segments.values()))
            assert evaluator.names == step["knownFlags"]
            assert sorted(segments) == step["segmentIds"]
            for check in step["checks"]:
                found = evaluator.evaluate(check["toggle"], Context.from_json(check["context"]))
                assert (found.enabled, found.found) == (check["enabled"], check["found"]), (case["id"], check)


@needs_vectors
def test_the_query_check_accepts_what_the_vendor_sends() -> None:
    for case in load("frontend_url.json")["cases"]:
        findings = Findings()
        pairs = decode_pairs(findings, "&".join(case["expect"]["query"]))
        assert findings == [], case["id"]
        context = dict(case["context"])
        properties = {f"properties[{name}]": value for name, value in context.pop("properties", {}).items()}
        assert dict(pairs) == {**context, **properties}


@needs_vectors
def test_the_impact_check_accepts_what_the_engine_collects() -> None:
    for case in load("impact_metrics.json")["cases"]:
        for collected in case["expect"].values():
            for metric in collected or []:
                for sample in metric["samples"]:
                    if sample["labels"] or sample.get("value", sample.get("count")):
                        own = {f"own {name}": value for name, value in sample["labels"].items()}
                        sample["labels"] = {**own, "appName": "shop", "environment": "prod"}
            findings = Findings()
            if collected is not None:
                check_impact_metrics(findings, "impactMetrics", collected, "shop")
            assert findings == [], case["id"]


def evaluator_of(state: dict[str, Any]) -> Evaluator:
    if "events" not in state:
        return Evaluator(state["features"], state.get("segments"))
    features: dict[str, Any] = {}
    segments: dict[int, Any] = {}
    apply_events(state["events"], features, segments)
    return Evaluator(list(features.values()), list(segments.values()))


def apply_events(events: list[dict[str, Any]], features: dict[str, Any], segments: dict[int, Any]) -> None:
    """What a client does with a batch of delta events (protocol B.8)."""
    for event in events:
        match event["type"]:
            case "hydration":
                features.clear()
                segments.clear()
                features.update({feature["name"]: feature for feature in event["features"]})
                segments.update({segment["id"]: segment for segment in event["segments"]})
            case "feature-updated":
                features[event["feature"]["name"]] = event["feature"]
            case "feature-removed":
                features.pop(event["featureName"], None)
            case "segment-updated":
                segments[event["segment"]["id"]] = event["segment"]
            case "segment-removed":
                segments.pop(event["segmentId"], None)
