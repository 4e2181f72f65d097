"""The library's decisions against those of the simulator's own evaluator, which was written apart from it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from generated_flags import FIELDS, NAMES, POOLS, Generated
from unleash.constraints import UnsupportedPattern
from unleash.context import Context
from unleash.evaluate import Evaluation, Evaluator

from hoist import unleash

PLAIN = ("userId", "sessionId", "remoteAddress", "environment", "appName")
DOCUMENTS = 150


class Drawn(Exception):
    """The decision depends on a draw."""


def decided(evaluator: Evaluator, name: str, given: dict[str, str]) -> Evaluation | None:
    """What the model says; nothing where it draws, or meets an expression that it cannot read."""
    fields = {"appName": "shop", "environment": "default"} | {field: given[field] for field in PLAIN if field in given}
    properties = {field: value for field, value in given.items() if field not in PLAIN}
    try:
        return evaluator.evaluate(name, Context(fields, properties))
    except (Drawn, UnsupportedPattern):
        return None


@pytest.fixture(autouse=True)
def no_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise Drawn

    monkeypatch.setattr(random, "randint", refuse)


def compare(seed: int) -> tuple[int, int, int]:
    """How many decisions were compared, were on, and had a variant."""
    generated = Generated(seed)
    evaluator = Evaluator(generated.features, generated.segments)
    compared = on = varied = 0
    properties = {"mode": "backend", "online": False, "store": "none", "log.level": "none", "app_name": "shop"}
    with unleash.Client(properties, bootstrap=generated.document) as client:
        assert client.wait_ready(5)
        for given in generated.contexts:
            for name in NAMES:
                expected = decided(evaluator, name, given)
                if expected is None:
                    continue
                variant = client.get_variant(name, given)
                where = f"seed {seed}, {name}, {given}"
                assert client.is_enabled(name, given) == expected.enabled, where
                assert variant.name == expected.variant["name"], where
                assert variant.enabled == expected.variant["enabled"], where
                payload = expected.variant.get("payload")
                assert (variant.payload is None) == (payload is None), where
                if payload is not None and variant.payload is not None:
                    assert (variant.payload.type, variant.payload.value) == (payload["type"], payload["value"]), where
                compared, on, varied = compared + 1, on + expected.enabled, varied + expected.variant["enabled"]
    return compared, on, varied


def test_every_decision_is_that_of_the_model() -> None:
    """Strategies, constraints, segments, variants and dependencies of random documents (UNL-94 to UNL-98; offline)."""
    totals = [sum(counts) for counts in zip(*(compare(seed) for seed in range(DOCUMENTS)))]
    compared, on, varied = totals
    # The documents are worth something only when all answers occur.
    assert compared > DOCUMENTS * 60 and on > compared / 5 and compared - on > compared / 5 and varied > compared / 20, totals


def test_the_generator_covers_its_pools() -> None:
    """A model test proves little when the generator is poor."""
    generated = [Generated(seed) for seed in range(DOCUMENTS)]
    constraints = [
        constraint for one in generated for feature in one.features
        for strategy in feature.get("strategies", []) for constraint in strategy.get("constraints", [])
    ]  # fmt: skip
    assert {constraint["operator"] for constraint in constraints} >= {
        "IN", "NOT_IN", "STR_STARTS_WITH", "STR_ENDS_WITH", "STR_CONTAINS", "NUM_EQ", "NUM_GT", "NUM_GTE", "NUM_LT", "NUM_LTE",
        "DATE_AFTER", "DATE_BEFORE", "SEMVER_EQ", "SEMVER_GT", "SEMVER_GTE", "SEMVER_LT", "SEMVER_LTE", "REGEX", "IN_CIDR",
    }  # fmt: skip
    assert {constraint["contextName"] for constraint in constraints} >= set(FIELDS)
    assert {value for one in generated for context in one.contexts for value in context.values()} >= {
        value for pool in POOLS.values() for value in pool}  # fmt: skip
