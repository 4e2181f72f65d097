"""Events of the server side. The simulated service refuses members that are not allowed, and counters of what never was."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Create
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, BOB, CARL, flag, user

Rules = LaunchDarklyServerSimulator
ORG: dict[str, Any] = {"kind": "org", "key": "anna"}
BOTH: dict[str, Any] = {"kind": "multi", "user": {"key": "anna"}, "org": {"key": "anna"}}


def test_each_context_is_introduced_once(rules: Rules, serve: Create) -> None:
    """Three rounds of keys that are the same in several kinds (LDS-40; ready)."""
    client = serve()
    for _ in range(3):
        for context in (user("anna"), ORG, BOTH, user("bob")):
            client.value("dark-mode", "bool", False, context)
            client.run("customEvent", eventKey="e", context=context)
    client.run("flushEvents")
    assert rules.wait_for_evaluations("dark-mode", 12)
    assert [event["context"] for event in rules.ledger.events("index")] == [user("anna"), ORG, BOTH, user("bob")]
    assert rules.ledger.kinds() == {"index": 4, "custom": 12, "summary": 1}
    assert all(set(event) == {"kind", "creationDate", "context"} for event in rules.ledger.events("index"))


def test_counters_are_exact(rules: Rules, serve: Create) -> None:
    """By variation and version; unknown flags and wrong types have no variation (LDS-43; ready)."""
    rules.set_flag("broken", **flag(version=5, fallthrough={"variation": 9}))
    client = serve()
    for who in (ANNA, ANNA, BOB):
        client.value("page-size", "double", 0.5, who)
    client.value("page-size", "string", "none", ANNA)
    client.value("nowhere", "bool", True, CARL)
    client.value("broken", "string", "none", ORG)
    client.run("flushEvents")
    assert rules.wait_for_evaluations("broken", 1)
    (summary,) = rules.ledger.events("summary")
    features = summary["features"]
    assert set(summary) == {"kind", "startDate", "endDate", "features"} and summary["startDate"] <= summary["endDate"]

    def counters(key: str) -> list[dict[str, Any]]:
        return sorted(features[key]["counters"], key=lambda counter: -counter["count"])

    assert counters("page-size")[0] == {"value": 25, "variation": 1, "version": 7, "count": 2}
    rest = [{"value": 12.5, "variation": 2, "version": 7, "count": 1}, {"value": "none", "version": 7, "count": 1}]
    assert sorted(counters("page-size")[1:], key=str) == sorted(rest, key=str)
    assert counters("nowhere") == [{"value": True, "unknown": True, "count": 1}]
    assert counters("broken") == [{"value": "none", "version": 5, "count": 1}]
    assert features["page-size"]["default"] == 0.5
    assert (features["page-size"]["contextKinds"], features["broken"]["contextKinds"]) == (["user"], ["org"])


@pytest.mark.parametrize(("kind", "values", "default"), [
    ("bool", [True, False], True), ("int", [2, 3], 4), ("double", [2.5, 3.5], 4.5), ("string", ["a", "b"], "c"),
    ("any", [{"a": 1}, [None]], {"b": 2}),
])  # fmt: skip
def test_feature_events(rules: Rules, serve: Create, kind: str, values: list[Any], default: Any) -> None:
    """Of each type; a reason only where a detail was asked for (LDS-41; ready)."""
    rules.set_flag("tracked", **flag(version=0, variations=values, trackEvents=True))
    client = serve()
    client.value("tracked", kind, default, ANNA)
    client.detail("tracked", kind, default, ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("feature", 2)
    plain, detailed = rules.ledger.events("feature")
    expected = {"kind": "feature", "key": "tracked", "version": 0, "variation": 0, "value": values[0], "default": default,
                "context": ANNA}  # fmt: skip
    assert {**expected, "creationDate": plain["creationDate"]} == plain
    assert {**expected, "creationDate": detailed["creationDate"], "reason": {"kind": "FALLTHROUGH"}} == detailed


def test_events_of_malformed_flags_hold_the_default(rules: Rules, serve: Create) -> None:
    """(LDS-29, LDS-41; ready)"""
    rules.set_flag("broken", **flag(version=3, trackEvents=True, fallthrough={"variation": 9}))
    client = serve()
    client.detail("broken", "string", "none", ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("feature")
    (told,) = rules.ledger.events("feature")
    assert (told["value"], told["default"], told["version"], "variation" in told) == ("none", "none", 3, False)
    assert told["reason"] == {"kind": "ERROR", "errorKind": "MALFORMED_FLAG"}


@pytest.mark.parametrize(("until_ms", "ahead", "sent"), [(60_000, 0, True), (-60_000, 0, False), (60_000, 120, False)])
def test_debug_events_end_by_either_clock(rules: Rules, serve: Create, until_ms: int, ahead: int, sent: bool) -> None:
    """The service's clock is known from its last answer (LDS-42; ready)."""
    rules.options.change(clock_offset_seconds=ahead)
    rules.set_flag("watched", **flag(debugEventsUntilDate=rules.now() + until_ms))
    client = serve()
    for sent_before in (0, 1):
        # Payloads go one after another: with the second the first one's answer is known.
        client.run("identifyEvent", context=CARL)
        client.run("flushEvents")
        assert rules.wait_for("events", sent_before + 1, answered=True)
    client.value("watched", "string", "none", ANNA)
    client.run("flushEvents")
    assert rules.wait_for_evaluations("watched", 1)
    assert rules.ledger.kinds()["debug"] == int(sent) and rules.ledger.kinds()["feature"] == 0


def test_events_of_prerequisites(rules: Rules, serve: Create) -> None:
    """First, of the flag that needs them, and without a default (LDS-22, LDS-41; ready)."""
    client = serve()
    client.value("checkout", "string", "none", ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("feature", 2)
    first, second = rules.ledger.events("feature")
    assert (first["key"], first["prereqOf"], first.get("default")) == ("banner", "checkout", None)
    assert (second["key"], "prereqOf" in second, second["default"]) == ("checkout", False, "none")


def test_experiments_are_told_with_their_reason(rules: Rules, serve: Create) -> None:
    """Also without a detail (LDS-26, LDS-41; ready)."""
    rules.set_flag("ruled", **flag(rules=[{"id": "r", "variation": 1, "trackEvents": True, "clauses": []}]))
    rules.set_flag("fell", **flag(trackEventsFallthrough=True))
    client = serve()
    for key in ("trial", "ruled", "fell"):
        client.value(key, "string", "none", ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("feature", 3)
    assert [event["reason"] for event in rules.ledger.events("feature")] == [
        {"kind": "FALLTHROUGH", "inExperiment": True}, {"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r"},
        {"kind": "FALLTHROUGH"}]  # fmt: skip


def test_anonymous_contexts_show_nothing_but_where_they_are_introduced(rules: Rules, serve: Create) -> None:
    """(LDS-48; ready)"""
    nobody = user("d", anonymous=True, plan="pro")
    rules.environment.meet(nobody)
    client = serve()
    client.value("banner", "string", "none", nobody)
    client.run("customEvent", eventKey="e", context=nobody)
    client.run("flushEvents")
    assert rules.wait_for_events("custom")
    shown = {event["kind"]: event["context"] for event in rules.ledger.events() if "context" in event}
    hidden = {"kind": "user", "key": "d", "anonymous": True, "_meta": {"redactedAttributes": ["plan"]}}
    assert shown == {"index": nobody, "feature": hidden, "custom": hidden}


def test_samples(rules: Rules, serve: Create) -> None:
    """A ratio of zero sends none of the full events; what is not to be counted is in no summary (LDS-46; ready)."""
    client = serve()
    client.value("quiet", "int", 0, ANNA)
    client.value("dark-mode", "bool", False, ANNA)
    client.run("flushEvents")
    assert rules.wait_for_evaluations("dark-mode", 1)
    assert rules.ledger.kinds() == {"index": 1, "summary": 1}
    assert set(rules.ledger.events("summary")[0]["features"]) == {"dark-mode"}


def test_there_is_nothing_to_send_without_events(rules: Rules, serve: Create) -> None:
    """Each payload has a path, a type and an id of its own, which the service looks at (LDS-16, LDS-49; ready, closed)."""
    client = serve()
    client.run("flushEvents")
    for _ in range(2):
        client.run("customEvent", eventKey="e", context=ANNA)
        client.run("flushEvents")
    assert rules.wait_for_events("custom", 2)
    client.close()
    ids = rules.ledger.payload_ids()
    assert set(ids.values()) == {1} and sum(map(len, rules.ledger.payloads())) == 3
