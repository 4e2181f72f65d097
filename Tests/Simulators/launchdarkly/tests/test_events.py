"""What may differ between correct payloads, and the ledger (protocol 2.4, 3.6, 4.4-4.6)."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from loopback.calls import Call

from launchdarkly import LaunchDarklySimulator

from .support import (
    ANNA, ANNA_HIDDEN, ANNA_TOLD, BOTH, NOW, custom, debug, diagnostic, diagnostic_init, events, feature, identify,
    payload, poll, summary, uuid)


def places(simulator: LaunchDarklySimulator, call: Call) -> list[str]:
    reply = call.send(simulator)
    return [] if reply.status == 202 else reply.places


def test_the_ledger_sums_up_what_was_accepted(simulator: LaunchDarklySimulator) -> None:
    events(simulator).send(simulator)
    payload(simulator, custom(metricValue=0.5), custom(key="visit"), summary(), number=2).send(simulator)
    ledger = simulator.ledger
    assert ledger.kinds() == {"identify": 1, "feature": 1, "debug": 1, "custom": 3, "summary": 2}
    assert ledger.custom() == {"purchase": {"count": 2, "metricValue": 20.0},
                               "visit": {"count": 1, "metricValue": 19.5}}
    assert ledger.counts() == {"banner": {(0, 4): 4}, "nowhere": {(None, None): 2}, "dark-mode": {(0, 2): 2}}
    assert ledger.evaluations("banner") == 4 and ledger.evaluations("other") == 0
    assert ledger.payload_ids() == {uuid(1): 1, uuid(2): 1}
    assert simulator.wait_for_events("custom", 3, 0) and simulator.wait_for_evaluations("banner", 4, 0)
    assert not simulator.wait_for_events("custom", 4, 0)
    assert simulator.violations == []
    simulator.reset()
    assert ledger.posts == [] and ledger.kinds() == {}


def test_events_of_two_environments_are_told_apart(simulator: LaunchDarklySimulator) -> None:
    simulator.add_environment("mob-other")
    payload(simulator, custom()).send(simulator)
    payload(simulator, custom(), custom(), number=2).with_header("Authorization", "api_key mob-other").send(simulator)
    assert [len(simulator.ledger.events("custom", key)) for key in (simulator.mobile_key, "mob-other")] == [1, 2]


def test_an_answer_that_could_not_arrive_lets_the_payload_come_again(simulator: LaunchDarklySimulator) -> None:
    call = payload(simulator, custom())
    simulator.fail("events", "drop")
    with pytest.raises((OSError, EOFError, Exception)):
        call.send(simulator)
    assert call.send(simulator).status == 202
    assert simulator.ledger.payload_ids() == {uuid(1): 2} and simulator.ledger.kinds() == {"custom": 1}
    assert [post.acknowledged for post in simulator.ledger.posts] == [False, True]
    assert places(simulator, call) == ["header x-launchdarkly-payload-id"]
    simulator.options.change(exactly_once=False)
    assert places(simulator, call) == []


def test_a_refused_payload_keeps_its_id_and_its_bytes(simulator: LaunchDarklySimulator) -> None:
    simulator.fail("events", "status", status=503)
    assert payload(simulator, custom()).send(simulator).status == 503
    again = payload(simulator, custom(), number=2)
    assert places(simulator, again) == ["header x-launchdarkly-payload-id"]
    other = payload(simulator, custom(key="other"))
    assert places(simulator, other) == ["header x-launchdarkly-payload-id"]
    assert places(simulator, payload(simulator, custom())) == []


def test_two_clients_may_say_the_same(simulator: LaunchDarklySimulator) -> None:
    assert places(simulator, payload(simulator, identify())) == []
    other = payload(simulator, identify(), number=2).with_header("X-LaunchDarkly-Instance-Id", uuid(9))
    assert places(simulator, other) == []


@pytest.mark.parametrize(("options", "good", "bad"), [
    ({"wrapper": "flutter/1.0"}, "flutter/1.0", "flutter"), ({"wrapper": "flutter"}, "flutter", None)])
def test_a_wrapper_that_clients_were_told(options: dict[str, Any], good: str, bad: str | None) -> None:
    with LaunchDarklySimulator(**options) as simulator:
        assert poll(simulator).with_header("X-LaunchDarkly-Wrapper", good).send(simulator).status == 200
        found = poll(simulator).with_header("X-LaunchDarkly-Wrapper", bad).send(simulator).places
        assert found == ["header x-launchdarkly-wrapper"]


@pytest.mark.parametrize(("application", "fits"), [
    ("application-id/a application-version/1.0", True), ("application-version/1.0 application-id/a", False),
    ("application-id/a  application-version/1", False), ("application-id/a b", False), ("application-id/", False),
    ("application-id/" + "a" * 65, False)])
def test_application_tags_that_clients_were_told(application: str, fits: bool) -> None:
    with LaunchDarklySimulator(application=application) as simulator:
        assert (poll(simulator).with_header("X-LaunchDarkly-Tags", application).send(simulator).status == 200) == fits
        assert poll(simulator).send(simulator).places == ["header x-launchdarkly-tags"]


def test_instance_ids_may_be_demanded() -> None:
    with LaunchDarklySimulator(instance_ids=True) as simulator:
        call = poll(simulator).with_header("X-LaunchDarkly-Instance-Id", None)
        assert call.send(simulator).places == ["header x-launchdarkly-instance-id"]


def test_compressed_events() -> None:
    with LaunchDarklySimulator(compressed_events=True, now=lambda: NOW) as simulator:
        call = payload(simulator, custom())
        assert places(simulator, call) == ["header content-encoding"]
        call = call.with_header("Content-Encoding", "gzip")
        packed = call.copy()
        packed.body = gzip.compress(call.payload or b"")
        assert places(simulator, packed) == []
        assert simulator.ledger.kinds() == {"custom": 1}
        assert places(simulator, call) == ["body"]


def test_summaries_of_contexts() -> None:
    with LaunchDarklySimulator(context_summaries=True, now=lambda: NOW) as simulator:
        assert places(simulator, payload(simulator, summary())) == ["body[0].context"]
        poll(simulator, ANNA).send(simulator)
        assert places(simulator, payload(simulator, summary(context=ANNA_TOLD))) == ["body[0].context"]
        both = payload(simulator, summary(context=ANNA_HIDDEN), summary(context=BOTH))
        assert places(simulator, both) == []


def test_the_capacity_counts_everything_but_summaries(simulator: LaunchDarklySimulator) -> None:
    simulator.options.change(event_capacity=2)
    assert places(simulator, payload(simulator, custom(), custom(), summary())) == []
    assert places(simulator, payload(simulator, custom(), custom(), custom(), number=2)) == ["body"]


def test_private_attributes_of_a_script(simulator: LaunchDarklySimulator) -> None:
    """Also of contexts that never asked for flags."""
    told = {"kind": "user", "key": "bob", "plan": "pro", "address": {"city": "Oslo", "street": "S"}}
    assert places(simulator, payload(simulator, identify(told) | {"key": "bob"})) == []
    simulator.options.change(private_attributes=["/address/street"])
    assert places(simulator, payload(simulator, custom(context=told), number=2)) == ["body[0].context"]
    hidden = {**told, "address": {"city": "Oslo"}, "_meta": {"redactedAttributes": ["/address/street"]}}
    assert places(simulator, payload(simulator, custom(context=hidden), number=3)) == []
    simulator.options.change(all_attributes_private=True)
    assert places(simulator, payload(simulator, custom(context=hidden), number=4)) == ["body[0].context"]
    nothing = {"kind": "user", "key": "bob", "_meta": {"redactedAttributes": ["plan", "address"]}}
    assert places(simulator, payload(simulator, custom(context=nothing), number=5)) == []


def test_secrets_stand_nowhere(simulator: LaunchDarklySimulator) -> None:
    simulator.options.change(secrets=["hunter2"])
    assert places(simulator, payload(simulator, custom(data={"password": "hunter2"}))) == ["body"]
    call = diagnostic_init(simulator)
    call.document["sdk"]["name"] = "hunter2"
    assert places(simulator, call) == ["body"]


@pytest.mark.parametrize("event", [
    feature(value="none", default="none", variation=0), feature(default=None), feature(reason={
        "kind": "ERROR", "errorKind": "WRONG_TYPE"}, value="none"), debug(value=True)])
def test_an_evaluation_may_result_in_its_default(simulator: LaunchDarklySimulator, event: dict[str, Any]) -> None:
    poll(simulator, ANNA).send(simulator)
    assert places(simulator, payload(simulator, event)) == []


def test_numbers_are_cut_where_integers_were_asked_for(simulator: LaunchDarklySimulator) -> None:
    simulator.set_flag("discount", value=12.5, trackEvents=True)
    poll(simulator, ANNA).send(simulator)
    event = feature(key="discount", version=2, variation=2, value=12, default=0)
    del event["reason"]
    assert places(simulator, payload(simulator, event)) == []
    assert places(simulator, payload(simulator, {**event, "value": 13}, number=2)) == ["body[0].value"]


def test_events_of_flags_served_before_and_elsewhere(simulator: LaunchDarklySimulator) -> None:
    simulator.set_flag("banner", value="Bye")
    simulator.delete_flag("banner")
    poll(simulator, ANNA).send(simulator)
    assert places(simulator, payload(simulator, feature(), feature(version=5, value="Bye"))) == []
    old = feature(key="old", version=1, value="x")
    assert places(simulator, payload(simulator, old, number=2)) == ["body[0].key"]
    simulator.environment.learn({"old": {"value": "x", "version": 1, "variation": 0, "trackEvents": True,
                                         "reason": {"kind": "TARGET_MATCH"}}})
    assert places(simulator, payload(simulator, old, number=3)) == []
    simulator.options.change(foreign_flags=True)
    assert places(simulator, payload(simulator, feature(key="older"), number=4)) == []


def test_times_may_be_relaxed(simulator: LaunchDarklySimulator) -> None:
    simulator.options.change(maximum_age_ms=None, maximum_skew_ms=None)
    call = payload(simulator, custom(creationDate=1), custom(creationDate=NOW * 2))
    assert places(simulator, call) == []


def test_the_date_of_answers_is_a_matter_of_options(simulator: LaunchDarklySimulator) -> None:
    def date(number: int) -> str:
        return payload(simulator, custom(), number=number).send(simulator).headers["Date"]

    assert date(1) == "Tue, 06 Jan 2026 11:46:40 GMT"
    simulator.options.change(clock_offset_seconds=3600)
    assert date(2) == "Tue, 06 Jan 2026 12:46:40 GMT"
    simulator.options.change(date="yesterday")
    assert date(3) == "yesterday"


def test_diagnostics_begin_once(simulator: LaunchDarklySimulator) -> None:
    assert [places(simulator, call(simulator)) for call in (diagnostic_init, diagnostic_init, diagnostic)] == [[]] * 3
    assert [found["kind"] for found in simulator.ledger.diagnostics()] == ["diagnostic-init"] * 2 + ["diagnostic"]
    other = diagnostic_init(simulator)
    other.document["creationDate"] += 1
    assert places(simulator, other) == ["body.id.diagnosticId"]


def test_violations_can_be_recorded_only(lenient: LaunchDarklySimulator) -> None:
    call = payload(lenient, custom(creationDate=1)).with_header("X-LaunchDarkly-Event-Schema", "3")
    assert call.send(lenient).status == 202
    assert lenient.ledger.kinds() == {"custom": 1}
    assert {violation.where for violation in lenient.violations} == {
        "header x-launchdarkly-event-schema", "body[0].creationDate"}
    call.body = b"{"
    assert call.send(lenient).status == 400
    assert Call("GET", "/nowhere", {}).send(lenient).status == 404
    assert Call("GET", "/meval/e30=", {"Authorization": f"api_key {lenient.mobile_key}"}).send(lenient).status == 400
