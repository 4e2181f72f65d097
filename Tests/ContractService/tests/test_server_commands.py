"""Commands of the server side, each with whom it is about."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Create
from harness import ContractService
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, BOB, CARL, NOT_FOUND, flag, user
from waiting import until

WRONG_TYPE = {"kind": "ERROR", "errorKind": "WRONG_TYPE"}
NOT_READY = {"kind": "ERROR", "errorKind": "CLIENT_NOT_READY"}


def test_status_names_what_a_server_can_do(server_contract: ContractService) -> None:
    """(LDS-68; before start)"""
    answer = server_contract.ask("GET", "/")
    capabilities = answer.body["capabilities"]
    assert answer.status == 200 and len(set(capabilities)) == len(capabilities)
    assert {"server-side", "server-side-polling", "all-flags-with-reasons", "all-flags-client-side-only", "user-type",
            "all-flags-details-only-for-tracked-flags", "big-segments", "filtering", "filtering-strict", "migrations", "tags",
            "event-gzip", "event-sampling", "evaluation-hooks", "track-hooks", "wrapper", "omit-anonymous-contexts",
            "flag-change-listeners", "flag-value-change-listeners"} <= set(capabilities)
    assert not {"client-side", "mobile", "singleton", "php", "tls:skip-verify-peer"} & set(capabilities)
    assert not [name for name in capabilities if name.startswith("retry-conformance")]


@pytest.mark.parametrize(("key", "kind", "default", "context", "value"), [
    ("dark-mode", "bool", False, ANNA, True), ("page-size", "int", 1, ANNA, 25), ("page-size", "int", 1, BOB, 12),
    ("page-size", "double", 1, BOB, 12.5), ("page-size", "any", None, CARL, 10), ("banner", "string", "x", ANNA, "Hello"),
    ("banner", "string", "x", BOB, "Bye"), ("theme", "any", None, ANNA, {"color": "blue", "sizes": [1, 2, 3]}),
    ("checkout", "string", "x", BOB, "old"), ("checkout", "no such type", "x", ANNA, "new"), ("absent", "any", [1], ANNA, [1]),
    ("banner", "bool", True, ANNA, True), ("theme", "int", 5, ANNA, 5),
])  # fmt: skip
def test_values(serve: Create, key: str, kind: str, default: Any, context: Any, value: Any) -> None:
    """(LDS-30; ready)"""
    client = serve()
    assert client.value(key, kind, default, context) == value
    assert client.detail(key, kind, default, context)["value"] == value


def test_details_tell_variation_and_reason(rules: LaunchDarklyServerSimulator, serve: Create) -> None:
    """Exact, with nothing where there is nothing (LDS-21 to LDS-31; ready)."""
    rules.set_flag("bare", **flag(on=False, offVariation=None))
    rules.set_flag("broken", **flag(fallthrough={"variation": 9}))
    rules.set_flag("null", **flag(variations=[None]))
    client = serve()

    def reason(kind: str, **more: Any) -> dict[str, Any]:
        return {"kind": kind, **more}

    matched, mode = reason("RULE_MATCH", ruleIndex=0, ruleId="r1"), "dark-mode"
    for key, kind, default, context, expected in [
        ("page-size", "int", 1, ANNA, {"value": 25, "variationIndex": 1, "reason": matched}),
        ("page-size", "double", 1, BOB, {"value": 12.5, "variationIndex": 2, "reason": reason("TARGET_MATCH")}),
        (mode, "bool", False, CARL, {"value": True, "variationIndex": 0, "reason": reason("FALLTHROUGH")}),
        ("checkout", "string", "x", BOB, {"value": "old", "variationIndex": 0,
                                          "reason": reason("PREREQUISITE_FAILED", prerequisiteKey="banner")}),
        ("theme", "any", 1, ANNA, {"value": {"color": "blue", "sizes": [1, 2, 3]}, "variationIndex": 0, "reason": reason("OFF")}),
        ("bare", "string", "x", ANNA, {"value": "x", "reason": reason("OFF")}),
        ("broken", "string", "x", ANNA, {"value": "x", "reason": reason("ERROR", errorKind="MALFORMED_FLAG")}),
        ("null", "any", 1, ANNA, {"value": None, "variationIndex": 0, "reason": reason("FALLTHROUGH")}),
        ("null", "bool", True, ANNA, {"value": True, "reason": WRONG_TYPE}),
        ("banner", "int", 3, ANNA, {"value": 3, "reason": WRONG_TYPE}),
        ("absent", "bool", True, ANNA, {"value": True, "reason": NOT_FOUND}),
    ]:  # fmt: skip
        assert client.detail(key, kind, default, context) == expected, key
    assert client.detail("trial", "string", "x", ANNA)["reason"] == reason("FALLTHROUGH", inExperiment=True)


def test_users_of_old_are_contexts(serve: Create) -> None:
    """(LDS-24; ready)"""
    client = serve()
    for body, value in (({"key": "dora", "custom": {"plan": "free"}}, "Bye"), ({"key": "bob", "anonymous": None}, "Hello")):
        answer = client.run("evaluate", flagKey="banner", valueType="string", defaultValue="x", detail=False, user=body)
        assert answer == {"value": value}


def test_before_there_are_rules_defaults_are_answered(rules: LaunchDarklyServerSimulator, serve: Create) -> None:
    """(LDS-02, LDS-03; refused)"""
    rules.fail("stream", "status", status=401)
    client = serve(initCanFail=True)
    assert client.detail("dark-mode", "bool", False, ANNA) == {"value": False, "reason": NOT_READY}


def test_the_state_of_all_flags_is_not_valid_before(rules: LaunchDarklyServerSimulator, serve: Create) -> None:
    """(LDS-03, LDS-32; refused)"""
    rules.fail("stream", "status", status=401)
    client = serve(initCanFail=True)
    assert client.run("evaluateAll", context=ANNA) == {"state": {"$valid": False, "$flagsState": {}}}


STATES = {
    "plain": flag(version=1, clientSide=True),
    "tracked": flag(version=2, trackEvents=True, debugEventsUntilDate=1000),
    "null": flag(version=3, on=False, offVariation=None, clientSide=True),
    "needy": flag(version=4, prerequisites=[{"key": "tracked", "variation": 0}]),
}


@pytest.mark.parametrize(("options", "values", "meta"), [
    ({}, {"plain": "a", "tracked": "a", "null": None, "needy": "a"}, {
        "plain": {"variation": 0, "version": 1},
        "tracked": {"variation": 0, "version": 2, "trackEvents": True, "debugEventsUntilDate": 1000},
        "null": {"version": 3}, "needy": {"variation": 0, "version": 4, "prerequisites": ["tracked"]}}),
    ({"clientSideOnly": True, "withReasons": True}, {"plain": "a", "null": None}, {
        "plain": {"variation": 0, "version": 1, "reason": {"kind": "FALLTHROUGH"}},
        "null": {"version": 3, "reason": {"kind": "OFF"}}}),
    ({"withReasons": True, "detailsOnlyForTrackedFlags": True}, {"plain": "a", "tracked": "a", "null": None, "needy": "a"}, {
        "plain": {"variation": 0}, "null": {},
        "tracked": {"variation": 0, "version": 2, "trackEvents": True, "debugEventsUntilDate": 1000,
                    "reason": {"kind": "FALLTHROUGH"}},
        "needy": {"variation": 0, "prerequisites": ["tracked"]}}),
])  # fmt: skip
def test_the_state_of_all_flags(
    rules: LaunchDarklyServerSimulator, serve: Create, options: Any, values: Any, meta: Any
) -> None:
    """Exact, and no events (LDS-32; ready)."""
    rules.replace_data({"flags": {key: {"key": key, **each} for key, each in STATES.items()}})
    client = serve()
    assert client.run("evaluateAll", context=ANNA, **options) == {"state": {**values, "$flagsState": meta, "$valid": True}}
    client.close()
    assert rules.ledger.posts == []


def test_the_hash_of_secure_mode(rules: LaunchDarklyServerSimulator, serve: Create) -> None:
    """The worked examples (LDS-33; ready)."""
    key = "sdk-01234567-89ab-cdef-0123-456789abcdef"
    rules.add_environment(key)
    client = serve(credential=key)
    for context, expected in [
        ({"context": user("user-key-123")}, "73df666a13f2c474e50aa34ca5a761e89abb737fb139ff65fdde7fa85c9dcacd"),
        ({"user": {"key": "user-key-123"}}, "73df666a13f2c474e50aa34ca5a761e89abb737fb139ff65fdde7fa85c9dcacd"),
        ({"context": {"kind": "other", "key": "user-key-123"}}, "98a933ca26d2951547fc021981ebcdeda95fbca2ac3f767ae67f7042d5458f72"),
    ]:  # fmt: skip
        assert client.run("secureModeHash", **context) == {"result": expected}


@pytest.mark.parametrize("data", [None, True, 1, -2.5, "text", "", [1, {"a": None}], [], {"a": [1]}, {}, False, 0])
def test_custom_events_have_data_of_any_type(rules: LaunchDarklyServerSimulator, serve: Create, data: Any) -> None:
    """For the context of the command, with the metric that it names (LDS-44; ready)."""
    client = serve()
    for metric in (None, 0, -1.5, 1.5):
        assert client.ask("customEvent", eventKey="e", data=data, metricValue=metric, omitNullData=True, context=BOB).status == 204
    assert client.run("flushEvents") is None
    assert rules.wait_for_events("custom", 4)
    told = rules.ledger.events("custom")
    assert [each.get("metricValue") for each in told] == [None, 0, -1.5, 1.5]
    assert [each.get("data", "none") for each in told] == [("none" if data is None else data)] * 4
    assert [each["context"] for each in told] == [BOB] * 4
    assert rules.ledger.kinds() == {"index": 1, "custom": 4}


def test_identify_events(rules: LaunchDarklyServerSimulator, serve: Create) -> None:
    """Of any context; what was identified needs no index event (LDS-40, LDS-44; ready)."""
    client = serve()
    for context in (ANNA, {"kind": "multi", "user": {"key": "a"}, "org": {"key": "o:1"}}):
        assert client.ask("identifyEvent", context=context).status == 204
    assert client.ask("identifyEvent", user={"key": "carl", "custom": {"a": 1}}).status == 204
    client.value("dark-mode", "bool", False, ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("identify", 3)
    assert rules.ledger.kinds() == {"identify": 3, "summary": 1}
    assert rules.ledger.events("identify")[2]["context"] == {"kind": "user", "key": "carl", "a": 1}


def test_contexts_are_built_converted_and_compared(serve: Create) -> None:
    """Every character of Latin-1 in a kind (LDS-24; ready)."""
    client = serve()
    allowed = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    for number in range(1, 256):
        answer = client.run("contextBuild", single={"kind": "k" + chr(number), "key": "a"})
        assert set(answer) == {"output" if chr(number) in allowed else "error"}, number
    assert json.loads(client.run("contextConvert", input='{"key": "u"}')["output"]) == {"kind": "user", "key": "u"}
    same = {"single": {"kind": "user", "key": "a"}}
    assert client.run("contextComparison", context1=same, context2=same) == {"equals": True}


@pytest.mark.parametrize("body", [
    b"", {}, {"command": "dance"}, {"command": "evaluate"}, {"command": "evaluate", "evaluate": {"flagKey": "f"}},
    {"command": "evaluate", "evaluate": {"flagKey": "f", "context": {"kind": "user"}}},
    {"command": "evaluate", "evaluate": {"flagKey": "f", "valueType": "bool", "defaultValue": 1, "context": ANNA}},
    {"command": "evaluate", "evaluate": {"flagKey": 1, "context": ANNA}},
    {"command": "evaluateAll", "evaluateAll": {}}, {"command": "evaluateAll", "evaluateAll": {"context": {"kind": "multi"}}},
    {"command": "identifyEvent"}, {"command": "customEvent", "customEvent": {"eventKey": "e"}},
    {"command": "customEvent", "customEvent": {"context": ANNA}}, {"command": "secureModeHash"},
    {"command": "migrationVariation", "migrationVariation": {"context": ANNA, "defaultStage": "off"}},
    {"command": "migrationOperation", "migrationOperation": {"context": ANNA, "key": "move", "defaultStage": "off"}},
    {"command": "registerFlagChangeListener", "registerFlagChangeListener": {"listenerId": "a"}},
    {"command": "registerFlagValueChangeListener",
     "registerFlagValueChangeListener": {"listenerId": "a", "callbackUri": "http://127.0.0.1:1", "context": ANNA}},
    {"command": "unregisterListener", "unregisterListener": {"listenerId": "unknown"}}, {"command": "unregisterListener"},
], ids=lambda body: json.dumps(body) if not isinstance(body, bytes) else "empty")  # fmt: skip
def test_what_cannot_be_read_is_no_command(serve: Create, body: Any) -> None:
    """(LDS-68; ready)"""
    client = serve()
    answer = client.service.ask("POST", client.path, body)
    assert answer.status == 400 and answer.body["message"]


def test_null_is_as_good_as_absent(serve: Create) -> None:
    """Commands carry the members of all others (LDS-68; ready)."""
    client = serve(polling=None, bigSegments=None, persistentDataStore=None, hooks=None, tags=None, dataSystem={"a": 1})
    answer = client.service.ask("POST", client.path, {
        "command": "evaluate", "evaluateAll": None, "migrationOperation": None, "secureModeHash": None,
        "evaluate": {"flagKey": "dark-mode", "valueType": "bool", "defaultValue": False, "detail": None, "user": None,
                     "context": ANNA},
    })  # fmt: skip
    assert (answer.status, answer.body) == (200, {"value": True})


def test_a_client_has_an_address_of_its_own_until_it_is_deleted(
    server_contract: ContractService, rules: LaunchDarklyServerSimulator, serve: Create
) -> None:
    """The end closes the stream (LDS-01, LDS-06; ready, closed)."""
    first, second = serve(), serve()
    assert rules.wait_for_streams(2)
    first.close()
    assert rules.wait_for_streams(1, timeout=3.0)
    assert server_contract.ask("DELETE", first.path).status == 404
    assert until(lambda: second.value("dark-mode", "bool", False, ANNA))
