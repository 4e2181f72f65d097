"""Hooks of the server side: around each evaluation and after tracked events, with whom it was about."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Create
from harness import Callback
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, BOB, NOT_FOUND


def hook(at: Callback, **more: Any) -> dict[str, Any]:
    return {"name": "h", "callbackUri": at.url, **more}


def test_hooks_tell_of_each_stage(serve: Create) -> None:
    """(LDS-60; ready)"""
    with Callback() as listener:
        client = serve(hooks={"hooks": [hook(listener, data={"beforeEvaluation": {"seen": 1}})]})
        client.value("dark-mode", "bool", False, ANNA)
        client.detail("absent", "string", "x", BOB)
        client.run("customEvent", eventKey="e", context=BOB)
    before, after, _, last, _ = listener.told
    told = {"flagKey": "dark-mode", "context": ANNA, "defaultValue": False, "method": "boolVariation"}
    assert before == {"evaluationSeriesContext": told, "evaluationSeriesData": {}, "stage": "beforeEvaluation"}
    assert after == {
        "evaluationSeriesContext": told, "evaluationSeriesData": {"seen": 1}, "stage": "afterEvaluation",
        "evaluationDetail": {"value": True, "variationIndex": 0, "reason": {"kind": "FALLTHROUGH"}},
    }  # fmt: skip
    assert last["evaluationSeriesContext"]["context"] == BOB
    assert last["evaluationSeriesContext"]["method"] == "stringVariationDetail"
    assert last["evaluationDetail"] == {"value": "x", "reason": NOT_FOUND}


@pytest.mark.parametrize("section", ["streaming", "polling"])
def test_the_environment_and_tracked_events(rules: LaunchDarklyServerSimulator, serve: Create, section: str) -> None:
    """(LDS-60; ready)"""
    rules.options.change(environment_id="env-12345")
    with Callback() as listener:
        client = serve(**{"streaming": None, section: {"baseUri": rules.url}}, hooks={"hooks": [
            hook(listener, errors={"afterTrack": "no"}), hook(listener)]})  # fmt: skip
        client.value("dark-mode", "bool", False, ANNA)
        client.run("customEvent", eventKey="bought", data=[1], metricValue=2.5, context=ANNA)
        client.run("customEvent", eventKey="plain", context=BOB)
    *evaluation, bought, plain = listener.told
    assert [each["evaluationSeriesContext"]["environmentId"] for each in evaluation] == ["env-12345"] * 4
    told = {"key": "bought", "context": ANNA, "data": [1], "metricValue": 2.5, "environmentId": "env-12345"}
    assert bought == {"trackSeriesContext": told, "stage": "afterTrack"}
    assert plain["trackSeriesContext"] == {"key": "plain", "context": BOB, "environmentId": "env-12345"}


def test_hooks_come_last_first_after_the_evaluation_and_may_fail(serve: Create) -> None:
    """A failing stage leaves no data (LDS-60; ready)."""
    with Callback() as first, Callback() as second:
        failing = hook(first, errors={"beforeEvaluation": "no"}, data={"beforeEvaluation": {"seen": 1}})
        client = serve(hooks={"hooks": [failing, hook(second)]})
        assert client.value("dark-mode", "bool", False, ANNA) is True
    assert [each["stage"] for each in first.told] == ["afterEvaluation"]
    assert first.told[0]["evaluationSeriesData"] == {}
    assert [each["stage"] for each in second.told] == ["beforeEvaluation", "afterEvaluation"]


def test_no_hook_is_told_of_all_flags(serve: Create) -> None:
    """(LDS-32, LDS-60; ready)"""
    with Callback() as listener:
        client = serve(hooks={"hooks": [hook(listener)]})
        client.run("evaluateAll", context=ANNA)
    assert listener.told == []


def test_migrations_are_evaluations(serve: Create) -> None:
    """Default and value are stages (LDS-60, LDS-61; ready)."""
    with Callback() as listener:
        client = serve(hooks={"hooks": [hook(listener)]})
        client.run("migrationVariation", key="move", context=ANNA, defaultStage="off")
    before, after = listener.told
    assert before["evaluationSeriesContext"]["defaultValue"] == "off" and before["evaluationSeriesContext"]["context"] == ANNA
    assert after["evaluationDetail"] == {"value": "live", "variationIndex": 3, "reason": {"kind": "FALLTHROUGH"}}
