"""Commands that evaluate, identify and record, and what LaunchDarkly sees of them."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Create
from harness import Callback
from launchdarkly import LaunchDarklySimulator, sample_flags
from waiting import until

NOT_FOUND = {"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}
WRONG_TYPE = {"kind": "ERROR", "errorKind": "WRONG_TYPE"}


@pytest.mark.parametrize(("key", "kind", "default", "value"), [
    ("dark-mode", "bool", False, True), ("page-size", "int", 1, 25), ("discount", "int", 1, 12),
    ("discount", "double", 0.5, 12.5), ("page-size", "double", 1, 25), ("banner", "string", "x", "Hello"),
    ("theme", "any", None, {"color": "blue", "sizes": [1, 2, 3]}), ("banner", "any", 7, "Hello"),
    ("page-size", "no such type", [], 25), ("nothing", "bool", True, True), ("nothing", "any", {"a": [1]}, {"a": [1]}),
    ("absent", "string", "x", "x"), ("banner", "bool", True, True), ("theme", "int", 5, 5),
])  # fmt: skip
def test_values(
    launchdarkly: LaunchDarklySimulator, create: Create, key: str, kind: str, default: Any, value: Any
) -> None:
    client = create()
    assert client.value(key, kind, default) == value
    assert client.detail(key, kind, default)["value"] == value


def test_details_tell_variation_and_reason(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create()
    rule = {"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r1"}
    assert client.detail("page-size", "int", 1) == {"value": 25, "variationIndex": 1, "reason": rule}
    assert client.detail("theme", "any", None)["variationIndex"] == 0
    assert client.detail("nothing", "bool", True) == {"value": True, "reason": {"kind": "OFF"}}
    assert client.detail("absent", "bool", True) == {"value": True, "reason": NOT_FOUND}
    assert client.detail("banner", "int", 3) == {"value": 3, "reason": WRONG_TYPE}


def test_all_values_make_no_event(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create()
    assert client.run("evaluateAll") == {"state": {key: flag["value"] for key, flag in sample_flags().items()}}
    client.run("flushEvents")
    assert launchdarkly.wait_for_events("identify")
    assert launchdarkly.ledger.kinds() == {"identify": 1}


def test_identify_answers_when_the_new_values_are_there(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    launchdarkly.set_flag("dark-mode", context="other", value=False, variation=1)
    client = create()
    assert client.value("dark-mode", "bool", True) is True
    assert client.ask("identifyEvent", context={"kind": "user", "key": "other"}).status == 204
    assert client.value("dark-mode", "bool", True) is False
    assert client.ask("identifyEvent", user={"key": "user-key", "custom": {"a": 1}}).status == 204
    assert client.value("dark-mode", "bool", False) is True
    client.run("flushEvents")
    assert launchdarkly.wait_for_events("identify", 3)
    assert [event["context"]["key"] for event in launchdarkly.ledger.events("identify")] == ["user-key", "other", "user-key"]


def test_custom_events(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create()
    assert client.run("customEvent", eventKey="plain", omitNullData=True) is None
    assert client.run("customEvent", eventKey="rich", data={"a": [1]}, metricValue=0) is None
    assert client.run("flushEvents") is None
    assert launchdarkly.wait_for_events("custom", 2)
    plain, rich = launchdarkly.ledger.events("custom")
    assert (plain["key"], "data" in plain, "metricValue" in plain) == ("plain", False, False)
    assert (rich["key"], rich["data"], rich["metricValue"]) == ("rich", {"a": [1]}, 0)


def test_evaluations_are_summed_up(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create()
    for _ in range(3):
        client.value("dark-mode", "bool", False)
    client.value("banner", "string", "x")
    client.run("flushEvents")
    assert launchdarkly.wait_for_evaluations("dark-mode", 3) and launchdarkly.wait_for_events("feature")
    assert len(launchdarkly.ledger.payloads()) == 1
    assert [event["context"]["key"] for event in launchdarkly.ledger.events("summary")] == ["user-key"]


def test_updates_are_seen(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create()
    launchdarkly.set_flag("dark-mode", value=False, variation=1)
    assert until(lambda: client.value("dark-mode", "bool", True) is False)
    launchdarkly.delete_flag("dark-mode")
    assert until(lambda: client.detail("dark-mode", "bool", True) == {"value": True, "reason": NOT_FOUND})


def test_hooks_tell_the_harness_of_each_stage(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    with Callback() as listener:
        hook = {"name": "h", "callbackUri": listener.url, "data": {"beforeEvaluation": {"seen": 1}}}
        client = create(hooks={"hooks": [hook]})
        assert client.value("dark-mode", "bool", False) is True
        assert client.detail("absent", "string", "x")["value"] == "x"
    before, after, _, last = listener.told
    told = {
        "flagKey": "dark-mode", "context": {"kind": "user", "key": "user-key"}, "defaultValue": False,
        "method": "boolVariation",
    }  # fmt: skip
    assert before == {"evaluationSeriesContext": told, "evaluationSeriesData": {}, "stage": "beforeEvaluation"}
    assert after == {
        "evaluationSeriesContext": told, "evaluationSeriesData": {"seen": 1}, "stage": "afterEvaluation",
        "evaluationDetail": {"value": True, "variationIndex": 0, "reason": {"kind": "FALLTHROUGH"}},
    }  # fmt: skip
    assert last["evaluationSeriesContext"]["method"] == "stringVariationDetail"
    assert last["evaluationDetail"] == {"value": "x", "reason": NOT_FOUND}


def test_hooks_tell_the_harness_of_tracked_events_and_of_the_environment(
    launchdarkly: LaunchDarklySimulator, create: Create
) -> None:
    """In the order of registration, when the service has named its environment (LD-81; ready)."""
    launchdarkly.options.change(environment_id="env-12345")
    with Callback() as listener:
        failing = {"name": "a", "callbackUri": listener.url, "errors": {"afterTrack": "no"}}
        client = create(hooks={"hooks": [failing, {"name": "b", "callbackUri": listener.url}]})
        client.value("dark-mode", "bool", False)
        client.run("customEvent", eventKey="bought", data={"a": 1}, metricValue=2.5)
        client.run("customEvent", eventKey="plain")
    context = {"kind": "user", "key": "user-key"}
    *evaluation, bought, plain = listener.told
    assert [each["evaluationSeriesContext"]["environmentId"] for each in evaluation] == ["env-12345"] * 4
    told = {"key": "bought", "context": context, "data": {"a": 1}, "metricValue": 2.5, "environmentId": "env-12345"}
    assert bought == {"trackSeriesContext": told, "stage": "afterTrack"}
    assert plain["trackSeriesContext"] == {"key": "plain", "context": context, "environmentId": "env-12345"}


def test_hooks_come_last_first_after_the_evaluation_and_may_fail(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    with Callback() as listener, Callback() as other:
        failing = {"name": "a", "callbackUri": listener.url, "errors": {"beforeEvaluation": "no"}}
        client = create(hooks={"hooks": [failing, {"name": "b", "callbackUri": other.url}]})
        assert client.value("dark-mode", "bool", False) is True
    assert [each["stage"] for each in listener.told] == ["afterEvaluation"]
    assert listener.told[0]["evaluationSeriesData"] == {}
    assert [each["stage"] for each in other.told] == ["beforeEvaluation", "afterEvaluation"]
