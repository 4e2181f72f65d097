"""Rules that would take seconds end as one error that is counted and told once; rules that people write are far from it.

(contract 10; ready, offline)
"""

from __future__ import annotations

import json
from typing import Any

import hoist
from hoist.plugins import Logger, LogLevel
import pytest

#: Follows as many ways as the text has letters, at each of them.
EXPRESSION = "(a+)+$"
TEXT = "a" * 400 + "!"


def unleash(condition: dict[str, Any], conditions: int, strategies: int) -> dict[str, Any]:
    strategy = {"name": "default", "constraints": [condition] * conditions}
    features = [{"name": "costly", "enabled": True, "strategies": [strategy] * strategies}]
    return {"mode": "backend", "bootstrap": {"version": 2, "features": features}}


def costly_unleash() -> dict[str, Any]:
    # What is inverted holds, so that each of them is tried.
    return unleash({"contextName": "text", "operator": "REGEX", "value": EXPRESSION, "inverted": True}, 60, 1)


def honest_unleash() -> dict[str, Any]:
    values = [f"name-{index}@example.com" for index in range(200)]
    return unleash({"contextName": "text", "operator": "STR_ENDS_WITH", "values": values}, 20, 20)


def optimizely(operands: list[Any], audiences: int) -> dict[str, Any]:
    leaf = {"type": "custom_attribute", "name": "text", "match": "substring", "value": "needle"}
    datafile = {
        "version": "4", "projectId": "1", "accountId": "2", "revision": "3", "anonymizeIP": True, "groups": [], "events": [],
        "attributes": [{"id": "9", "key": "text"}], "audiences": [], "experiments": [],
        "typedAudiences": [
            {"id": str(index), "name": "a", "conditions": ["not", ["or", *[leaf] * 400]]} for index in range(audiences)
        ],
        "featureFlags": [{"id": "5", "key": "costly", "rolloutId": "6", "experimentIds": [], "variables": []}],
        "rollouts": [{"id": "6", "experiments": [{
            "id": "7", "key": "r", "status": "Running", "layerId": "6", "forcedVariations": {}, "audienceIds": [],
            "audienceConditions": ["and", *operands],
            "variations": [{"id": "8", "key": "on", "featureEnabled": True, "variables": []}],
            "trafficAllocation": [{"entityId": "8", "endOfRange": 10000}]}]}],
    }
    return {"datafile": json.dumps(datafile)}


def costly_optimizely() -> dict[str, Any]:
    return optimizely([str(index) for index in range(300)], 300)


def honest_optimizely() -> dict[str, Any]:
    # The same few audiences again and again: each is asked once.
    return optimizely([str(index % 10) for index in range(3000)], 10)


def flagship(targetings: int, values: int) -> dict[str, Any]:
    targeting = {"operator": "NOT_CONTAINS", "key": "text", "value": [f"needle-{index}" for index in range(values)]}
    campaign = {"id": "c", "type": "ab", "variationGroups": [{
        "id": "g", "targeting": {"targetingGroups": [{"targetings": [targeting] * targetings}]},
        "variations": [{"id": "v", "allocation": 100, "modifications": {"type": "FLAG", "value": {"costly": True}}}]}]}
    return {"mode": "bucketing", "env_id": "e", "api_key": "k", "bucketing": json.dumps({"campaigns": [campaign]})}


def kameleoon(conditions: list[dict[str, Any]], more: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    def segment(identifier: int, conditions: list[dict[str, Any]]) -> dict[str, Any]:
        return {"id": identifier, "conditionsData": {
            "firstLevel": [{"conditions": conditions, "orOperators": [False] * (len(conditions) - 1)}],
            "firstLevelOrOperators": []}}

    rule = {
        "id": 1, "order": 0, "type": "TARGETED_DELIVERY", "exposition": 1.0, "respoolTime": None, "segmentId": 100,
        "experimentId": 11, "variationByExposition": [{"variationKey": "on", "variationId": 12, "exposition": 1.0}]}
    document = {
        "featureFlags": [{
            "id": 5, "featureKey": "costly", "environmentEnabled": True, "defaultVariationKey": "off", "rules": [rule],
            "variations": [{"key": "on", "variables": []}, {"key": "off", "variables": []}]}],
        "segments": [segment(100, conditions), *(segment(1 + index, [one]) for index, one in enumerate(more or []))],
        "customData": [], "configuration": {}}
    return {"site_code": "s", "default_datafile": document}


def costly_kameleoon() -> dict[str, Any]:
    condition = {
        "targetingType": "VISITOR_CODE", "matchType": "REGULAR_EXPRESSION", "visitorCode": EXPRESSION, "isInclude": False}
    return kameleoon([condition] * 60)


def honest_kameleoon() -> dict[str, Any]:
    return kameleoon([{"targetingType": "VISITOR_CODE", "matchType": "EXACT", "visitorCode": "x", "isInclude": False}] * 400)


COSTLY = {
    "unleash": costly_unleash, "optimizely": costly_optimizely, "flagship": lambda: flagship(300, 900),
    "kameleoon": costly_kameleoon,
}
HONEST = {
    "unleash": honest_unleash, "optimizely": honest_optimizely, "flagship": lambda: flagship(20, 200),
    "kameleoon": honest_kameleoon,
}


class Lines(Logger):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, level: LogLevel, message: str) -> None:
        self.lines.append(message)


def open_client(service: str, properties: dict[str, Any], logger: Lines) -> hoist.Client:
    client = hoist.Client(service, online=False, store="none", logger=logger, **properties)
    client.wait_ready(10)
    return client


def context(service: str) -> dict[str, str]:
    return {"targetingKey": TEXT[-255:] if service == "kameleoon" else "anna", "text": TEXT}


@pytest.mark.parametrize("service", COSTLY)
def test_rules_that_cost_too_much_give_the_fallback_and_say_so_once(service: str) -> None:
    logger = Lines()
    with open_client(service, COSTLY[service](), logger) as client:
        for fallback in (True, False):
            detail = client.detail("costly", context(service), fallback)
            assert (detail.value, detail.error_code) == (fallback, "GENERAL"), detail
            assert "too costly to evaluate" in (detail.error_message or "")
        assert client.statistics()["evaluations"]["too_costly"] == 2
    told = [line for line in logger.lines if "too costly" in line]
    assert len(told) == 1 and 'flag "costly"' in told[0]


@pytest.mark.parametrize("service", HONEST)
def test_rules_that_people_write_are_far_from_the_limit(service: str) -> None:
    with open_client(service, HONEST[service](), Lines()) as client:
        detail = client.detail("costly", {"targetingKey": "anna", "text": "anna@example.com, a customer of ours since 2019"}, False)
        assert detail.error_code in (None, ""), detail
        assert client.statistics()["evaluations"]["too_costly"] == 0


@pytest.mark.parametrize("service", HONEST)
def test_an_explanation_of_too_many_steps_ends(service: str) -> None:
    """Of long lists and many conditions (contract 10; ready)."""
    costly = {
        "unleash": lambda: unleash(
            {"contextName": "text", "operator": "STR_CONTAINS", "values": ["needle" * 20] * 300, "inverted": True}, 80, 1),
        "kameleoon": lambda: kameleoon([
            {"targetingType": "VISITOR_CODE", "matchType": "EXACT", "visitorCode": "x" * 2000, "isInclude": False}] * 900),
        "flagship": lambda: flagship(60, 900), "optimizely": costly_optimizely,
    }[service]()
    with open_client(service, costly, Lines()) as client:
        explained = client.explain("costly", context(service))
        assert explained.error_code == "GENERAL"
        assert len(json.dumps(explained.explanation)) < 3 << 20
