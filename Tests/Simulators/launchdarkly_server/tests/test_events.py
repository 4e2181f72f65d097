"""What may differ between correct payloads, and the ledger (protocol 7, 9, 2.4)."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from loopback.calls import Call

from launchdarkly_server import LaunchDarklyServerSimulator

from .support import (
    ANNA, ANNA_HIDDEN, ANNA_TOLD, BOB, NOW, custom, debug, diagnostic, diagnostic_init, events, feature, identify, index, migration,
    payload, summary, uuid)

BOTH: dict[str, Any] = {"kind": "multi", "org": {"key": "o:1"}, "user": {"key": "anna", "anonymous": True}}


def places(simulator: LaunchDarklyServerSimulator, call: Call) -> list[str]:
    reply = call.send(simulator)
    return [] if reply.status == 202 else reply.places


def test_the_ledger_sums_up_what_was_accepted(simulator: LaunchDarklyServerSimulator) -> None:
    events(simulator).send(simulator)
    payload(simulator, custom(metricValue=0.5), custom(key="visit"), summary(), number=2).send(simulator)
    ledger = simulator.ledger
    assert ledger.kinds() == {"index": 1, "identify": 1, "feature": 1, "debug": 1, "custom": 3, "migration_op": 1, "summary": 2}
    assert ledger.custom() == {"purchase": {"count": 2, "metricValue": 20.0}, "visit": {"count": 1, "metricValue": 19.5}}
    assert ledger.counts() == {"banner": {(0, 4): 4}, "nowhere": {(None, None): 2}, "page-size": {(1, 7): 2, (None, 7): 6}}
    assert simulator.wait_for_events("custom", 3, 0) and simulator.wait_for_evaluations("banner", 4, 0)
    assert simulator.violations == []
    simulator.reset()
    assert ledger.posts == [] and places(simulator, payload(simulator, custom())) == ["body[0].context"]


def test_a_payload_that_was_lost_comes_again_with_its_id(simulator: LaunchDarklyServerSimulator) -> None:
    """Also one that introduces a context: that is told once, in two copies."""
    call = payload(simulator, index(BOB), custom(context=BOB))
    for kind in ("status", "drop"):
        simulator.fail("events", kind)
        try:
            assert call.send(simulator).status == 500
        except (OSError, EOFError):
            pass
    again = payload(simulator, index(BOB), custom(context=BOB), number=2)
    assert places(simulator, again) == ["body[0].context"]
    assert places(simulator, call) == []
    assert simulator.ledger.payload_ids() == {uuid(1): 2} and simulator.ledger.kinds() == {"index": 1, "custom": 1}
    assert places(simulator, call) == ["header x-launchdarkly-payload-id"]


def test_a_refused_payload_keeps_its_id_and_its_bytes(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.fail("events", "status", status=503)
    assert payload(simulator, identify()).send(simulator).status == 503
    assert places(simulator, payload(simulator, identify(), number=2)) == ["header x-launchdarkly-payload-id"]
    assert places(simulator, payload(simulator, summary())) == ["header x-launchdarkly-payload-id"]
    assert places(simulator, payload(simulator, identify())) == []


def test_a_context_is_introduced_once_by_each_client(simulator: LaunchDarklyServerSimulator) -> None:
    assert places(simulator, payload(simulator, index(BOB), custom(context=BOB))) == []
    assert places(simulator, payload(simulator, custom(context=BOB), custom(context=BOB), number=2)) == []
    assert places(simulator, payload(simulator, index(BOB), number=3)) == ["body[0].context"]
    other = payload(simulator, custom(context=BOB), number=4).with_header("X-LaunchDarkly-Instance-Id", uuid(9))
    assert places(simulator, other) == ["body[0].context"]
    simulator.options.change(indexes=False, repeated_indexes=True)
    assert places(simulator, payload(simulator, index(BOB), number=5)) == []
    assert places(simulator, other) == []


@pytest.mark.parametrize("first", [identify(BOB), migration(context=BOB)])
def test_other_events_introduce_as_well(simulator: LaunchDarklyServerSimulator, first: dict[str, Any]) -> None:
    assert places(simulator, payload(simulator, first, custom(context=BOB))) == []
    assert places(simulator, payload(simulator, index(BOB), number=2)) == ["body[0].context"]


def test_anonymous_contexts_are_not_introduced_where_clients_were_told_so(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.options.change(omit_anonymous=True)
    assert places(simulator, payload(simulator, custom())) == []
    for number, event in enumerate((index(), identify(ANNA_TOLD), index(BOTH))):
        assert places(simulator, payload(simulator, event, number=number + 2)) == ["body[0].context"]
    assert places(simulator, payload(simulator, custom(context=BOTH), number=5)) == ["body[0].context"]
    rest = {"kind": "org", "key": "o:1"}
    assert places(simulator, payload(simulator, index(rest), custom(context=BOTH), number=6)) == []


def test_contexts_show_what_they_may(simulator: LaunchDarklyServerSimulator) -> None:
    told = {"kind": "user", "key": "bob", "plan": "pro", "address": {"city": "Oslo", "street": "S"}}
    assert places(simulator, payload(simulator, index(told), number=1)) == []
    simulator.options.change(private_attributes=["/address/street"])
    assert places(simulator, payload(simulator, custom(context=told), number=2)) == ["body[0].context"]
    hidden = {**told, "address": {"city": "Oslo"}, "_meta": {"redactedAttributes": ["/address/street"]}}
    assert places(simulator, payload(simulator, custom(context=hidden), number=3)) == []
    simulator.environment.meet({**told, "_meta": {"privateAttributes": ["plan"]}})
    assert places(simulator, payload(simulator, custom(context=hidden), number=4)) == ["body[0].context"]
    simulator.options.change(all_attributes_private=True)
    nothing = {"kind": "user", "key": "bob", "_meta": {"redactedAttributes": ["address", "plan"]}}
    assert places(simulator, payload(simulator, custom(context=nothing), number=5)) == []


def test_compressed_events() -> None:
    with LaunchDarklyServerSimulator(compressed_events=True, now=lambda: NOW) as simulator:
        for call in (payload(simulator, identify()), diagnostic(simulator)):
            assert places(simulator, call) == ["header content-encoding"]
            packed = call.with_header("Content-Encoding", "gzip")
            assert places(simulator, packed) == ["body"]
            packed.body = gzip.compress(call.payload or b"")
            assert places(simulator, packed) == []


def test_the_capacity_counts_everything_but_the_summary(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.options.change(event_capacity=2)
    assert places(simulator, payload(simulator, index(), custom(), summary())) == []
    assert places(simulator, payload(simulator, custom(), custom(), custom(), number=2)) == ["body"]


@pytest.mark.parametrize("event", [
    feature(key="checkout", version=5, variation=1, value="new", default="none", prereqOf=None),
    feature(default=None, reason={"kind": "ERROR", "errorKind": "WRONG_TYPE"}, variation=None, value=None),
    feature(reason={"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r2"}, variation=1, value="Bye"),
    feature(reason={"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r2", "bigSegmentsStatus": "STALE"}, variation=1, value="Bye"),
    feature(key="trial", version=2, variation=1, value="b", prereqOf=None, reason={"kind": "FALLTHROUGH", "inExperiment": True}),
    feature(key="checkout", version=5, variation=0, value="old", prereqOf=None, reason={
        "kind": "PREREQUISITE_FAILED", "prerequisiteKey": "banner"}),
    debug(key="watched", variation=0, value=True)])
def test_evaluations_as_they_may_be(simulator: LaunchDarklyServerSimulator, event: dict[str, Any]) -> None:
    event = {name: value for name, value in event.items() if value is not None or name in ("value", "default")}
    assert places(simulator, payload(simulator, index(), event)) == []


def test_a_rule_or_a_fallthrough_may_track_for_a_flag_that_does_not(simulator: LaunchDarklyServerSimulator) -> None:
    rules = [{"id": "r", "variation": 0, "clauses": [], "trackEvents": True}]
    simulator.set_flag("dark-mode", trackEventsFallthrough=True, rules=rules)
    same = {"key": "dark-mode", "version": 4, "value": True}
    event = feature(**same)
    del event["prereqOf"]
    rule = {**event, "reason": {"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r"}}
    assert places(simulator, payload(simulator, index(), event, rule)) == []
    del event["reason"]
    assert places(simulator, payload(simulator, event, number=2)) == ["body[0]"]


def test_events_of_flags_served_before_and_elsewhere(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.set_flag("banner", variations=["Moin", "Bye"])
    simulator.delete_flag("banner")
    assert places(simulator, payload(simulator, index(), feature(), feature(version=5, value="Moin"))) == []
    old = feature(key="old", version=1, value="x")
    del old["prereqOf"]
    assert places(simulator, payload(simulator, old, number=2)) == ["body[0].key"]
    simulator.environment.learn({"old": {"key": "old", "version": 1, "on": True, "variations": ["x"], "trackEvents": True}})
    assert places(simulator, payload(simulator, old, number=3)) == []
    simulator.options.change(foreign_flags=True)
    assert places(simulator, payload(simulator, feature(key="older"), migration(
        evaluation={**migration()["evaluation"], "version": 9}), number=4)) == []


def test_numbers_are_cut_where_integers_were_asked_for(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.set_flag("page-size", trackEvents=True)
    event = feature(key="page-size", version=8, variation=2, value=12, reason={"kind": "TARGET_MATCH"})
    del event["prereqOf"]
    assert places(simulator, payload(simulator, index(), event)) == []
    assert places(simulator, payload(simulator, {**event, "value": 13}, number=2)) == ["body[0].value"]


@pytest.mark.parametrize("evaluation", [
    {"key": "nowhere", "default": "off", "value": "off", "reason": {"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}},
    {"key": "banner", "default": "live", "value": "live", "version": 4, "reason": {"kind": "ERROR", "errorKind": "WRONG_TYPE"}}])
def test_migrations_of_what_is_no_migration(simulator: LaunchDarklyServerSimulator, evaluation: dict[str, Any]) -> None:
    event = migration(evaluation=evaluation, operation="write", measurements=[{"key": "invoked", "values": {"old": True}}])
    del event["samplingRatio"]
    assert places(simulator, payload(simulator, event)) == []


def test_a_migration_that_is_never_sampled(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.set_flag("move", samplingRatio=0)
    event = migration(evaluation={**migration()["evaluation"], "version": 7}, samplingRatio=0)
    assert places(simulator, payload(simulator, event)) == ["body[0]"]


def test_times_and_dates_are_a_matter_of_options(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.options.change(maximum_age_ms=None, maximum_skew_ms=None, clock_offset_seconds=3600)
    found = payload(simulator, index(), custom(creationDate=1), custom(creationDate=NOW * 2)).send(simulator)
    assert (found.status, found.headers["Date"]) == (202, "Tue, 06 Jan 2026 12:46:40 GMT")
    simulator.options.change(date="yesterday")
    assert payload(simulator, custom(), number=2).send(simulator).headers["Date"] == "yesterday"


def test_secrets_stand_nowhere(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.options.change(secrets=["hunter2"])
    assert places(simulator, payload(simulator, index(), custom(data={"password": "hunter2"}))) == ["body"]
    call = diagnostic_init(simulator)
    call.document["sdk"]["name"] = "hunter2"
    assert places(simulator, call) == ["body"]


def test_diagnostics_begin_once(simulator: LaunchDarklyServerSimulator) -> None:
    assert [places(simulator, call(simulator)) for call in (diagnostic_init, diagnostic_init, diagnostic)] == [[]] * 3
    assert [found["kind"] for found in simulator.ledger.diagnostics()] == ["diagnostic-init"] * 2 + ["diagnostic"]
    other = diagnostic_init(simulator)
    other.document["creationDate"] += 1
    assert places(simulator, other) == ["body.id.diagnosticId"]


def test_events_of_two_environments_are_told_apart(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.add_environment("sdk-other")
    payload(simulator, identify()).send(simulator)
    other = payload(simulator, identify(), identify(ANNA_TOLD), number=2).with_header("Authorization", "sdk-other")
    assert places(simulator, other) == []
    assert [len(simulator.ledger.events("identify", key)) for key in (simulator.sdk_key, "sdk-other")] == [1, 2]


def test_violations_can_be_recorded_only(lenient: LaunchDarklyServerSimulator) -> None:
    call = payload(lenient, custom(context=ANNA_HIDDEN)).with_header("X-LaunchDarkly-Event-Schema", "3")
    assert call.send(lenient).status == 202
    assert lenient.ledger.kinds() == {"custom": 1}
    assert {violation.where for violation in lenient.violations} == {"header x-launchdarkly-event-schema"}
    call.body = b"{"
    assert call.send(lenient).status == 400
    assert Call("GET", "/nowhere", {}).send(lenient).status == 404
