"""Event requests that are as they should be, in all their forms, and rules that look beyond one request."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from loopback.calls import MISSING, body

from optimizely import OptimizelySimulator, sample_datafile

from .support import (
    ACTIVATED, BANDIT, DELIVERY, EXPERIMENT, FORCED, NOTHING, NOW, attribute, bandit, batch, conversion, decision, done,
    european, events, impression, prediction, seen, uuid, visitor)


def send(simulator: OptimizelySimulator, snapshot: dict[str, Any], *more: dict[str, Any]) -> list[str]:
    """The places that a request with one snapshot, and further attributes, is refused for."""
    somebody = visitor("carla", snapshot)
    somebody["attributes"][-1:-1] = more
    reply = events(simulator, somebody).send(simulator)
    return [] if reply.status == 204 else reply.places


def test_an_answer_has_no_body(simulator: OptimizelySimulator) -> None:
    reply = conversion(simulator).send(simulator)
    assert (reply.status, reply.body) == (204, b"")
    assert "Content-Length" not in reply.headers


@pytest.mark.parametrize("value", ["", "ü", True, False, 0, -1.5, 2**53, -(2**53)])
def test_attributes_of_every_kind(simulator: OptimizelySimulator, value: Any) -> None:
    assert send(simulator, done(1), attribute("505", "basket_total", value)) == []


def test_attributes_of_the_vendor_need_no_project(simulator: OptimizelySimulator) -> None:
    assert send(simulator, done(1), attribute("$opt_bucketing_id", "$opt_bucketing_id", "b")) == []


def test_no_bot_filtering_where_the_datafile_is_silent(simulator: OptimizelySimulator) -> None:
    """Absent is not false: only a boolean is sent (protocol 2.1)."""
    quiet = {name: value for name, value in sample_datafile(revision="43").items() if name != "botFiltering"}
    simulator.publish(quiet)
    call = events(simulator, visitor("carla", done(1)), revision="43")
    call.document["visitors"][0]["attributes"].pop()
    assert call.send(simulator).status == 204
    simulator.publish(sample_datafile(revision="44", botFiltering=False))
    call.document["revision"] = "44"
    assert call.send(simulator).places == ["body.visitors[0].attributes"]
    call.document["visitors"][0]["attributes"].append(attribute("$opt_bot_filtering", "$opt_bot_filtering", False))
    call.document["visitors"][0]["snapshots"][0]["events"][0]["uuid"] = uuid(2)
    assert call.send(simulator).status == 204


@pytest.mark.parametrize(("tags", "properties"), [
    ({}, {}), ({"revenue": 0, "value": 0}, {"revenue": 0, "value": 0.0}), ({"revenue": -3}, {"revenue": -3}),
    ({"revenue": 41.9}, {"revenue": 41}), ({"revenue": -41.9}, {"revenue": -41}),
    ({"revenue": 2**63 - 1}, {"revenue": 2**63 - 1}), ({"revenue": 1e300}, {}), ({"revenue": "42"}, {}),
    ({"revenue": True}, {}), ({"revenue": [1]}, {}),
    ({"value": 3}, {"value": 3.0}), ({"value": 3.5}, {"value": 3.5}), ({"value": "12.5"}, {}), ({"value": False}, {}),
    ({"list": [1, None, {"a": "b"}], "ü": "ö", "": 0}, {})])
def test_properties_follow_from_tags(simulator: OptimizelySimulator, tags: dict[str, Any],
                                     properties: dict[str, Any]) -> None:
    assert send(simulator, done(1, tags=tags, **properties)) == []


def test_tags_may_be_left_out(simulator: OptimizelySimulator) -> None:
    call = body("visitors.0.snapshots.0.events.0.tags", MISSING)(impression(simulator))
    assert call.send(simulator).status == 204


@pytest.mark.parametrize("kind", [EXPERIMENT, DELIVERY, NOTHING, FORCED, ACTIVATED])
def test_decisions_of_every_kind(simulator: OptimizelySimulator, kind: dict[str, Any]) -> None:
    assert send(simulator, seen(1, kind)) == []


@pytest.mark.parametrize("kind", [DELIVERY, NOTHING])
def test_deliveries_are_sent_only_where_the_project_wants_them(simulator: OptimizelySimulator,
                                                               kind: dict[str, Any]) -> None:
    simulator.publish(sample_datafile(revision="43", sendFlagDecisions=False))
    call = events(simulator, visitor("mia", seen(1, kind)), revision="43")
    assert call.send(simulator).places == ["body.visitors[0].snapshots[0].decisions[0].metadata.rule_type"]
    assert events(simulator, visitor("mia", seen(1, EXPERIMENT)), revision="43").send(simulator).status == 204


def test_a_rule_s_forced_decision_may_be_any_variation_of_the_flag(simulator: OptimizelySimulator) -> None:
    """OPT-65: the key is looked up in the flag, not in the rule."""
    forced = decision("9100", "9101", "9411", "checkout_flow", "checkout_test", "feature-test", "on")
    assert send(simulator, seen(1, forced)) == []
    delivered = decision("8001", "9401", "9113", "checkout_flow", "checkout_new_app", "rollout", "express")
    assert send(simulator, seen(2, delivered)) == []


def test_a_variation_whose_id_is_no_number_goes_as_null(simulator: OptimizelySimulator) -> None:
    """OPT-96."""
    document = sample_datafile(revision="43")
    variation = document["experiments"][0]["variations"][1]
    variation["id"] = "v-short"
    simulator.publish(document)
    snapshot = seen(1, {**copy.deepcopy(EXPERIMENT), "variation_id": "v-short"})
    call = events(simulator, visitor("carla", snapshot), revision="43")
    assert call.send(simulator).places == ["body.visitors[0].snapshots[0].decisions[0].variation_id"]
    assert body("visitors.0.snapshots.0.decisions.0.variation_id", None)(call).send(simulator).status == 204


def test_a_rule_without_a_layer_is_its_own_campaign(simulator: OptimizelySimulator) -> None:
    document = sample_datafile(revision="43")
    document["experiments"][0]["layerId"] = ""
    simulator.publish(document)
    call = events(simulator, visitor("carla", seen(1, {**EXPERIMENT, "campaign_id": "9101"})), revision="43")
    assert call.send(simulator).status == 204


def test_a_feature_rollout_has_the_variation_of_everyone_else(simulator: OptimizelySimulator) -> None:
    """OPT-95."""
    document = sample_datafile(revision="43")
    document["experiments"][0]["type"] = "fr"
    simulator.publish(document)
    injected = decision("9100", "9101", "9412", "checkout_flow", "checkout_test", "feature-test", "off", False)
    assert events(simulator, visitor("carla", seen(1, injected)), revision="43").send(simulator).status == 204


def test_regions_have_addresses_of_their_own(simulator: OptimizelySimulator) -> None:
    """OPT-99."""
    assert european(simulator).send(simulator).status == 204
    assert conversion(simulator).send(simulator).status == 204
    assert [post.endpoint for post in simulator.ledger.posts] == ["events-eu", "events-us"]


def test_events_may_be_of_an_earlier_datafile(simulator: OptimizelySimulator) -> None:
    simulator.publish(sample_datafile(revision="43", events=[]))
    assert conversion(simulator).send(simulator).status == 204
    call = events(simulator, visitor("carla", done(3)), revision="43")
    assert call.send(simulator).places == ["body.visitors[0].snapshots[0].events[0].key"]


def test_a_batch_is_of_one_revision(simulator: OptimizelySimulator) -> None:
    """Protocol 5.6: an event of another revision stands out by what that revision alone has."""
    simulator.publish(sample_datafile(revision="43", events=[{"id": "604", "key": "refund", "experimentIds": []}]))
    refund = done(3)
    refund["events"][0].update(entity_id="604", key="refund")
    mixed = events(simulator, visitor("carla", done(2)), visitor("carla", refund))
    assert mixed.send(simulator).places == ["body.visitors[1].snapshots[0].events[0].key"]
    assert events(simulator, visitor("carla", refund), revision="43").send(simulator).status == 204


def test_two_environments_may_share_project_and_revision(simulator: OptimizelySimulator) -> None:
    simulator.publish(sample_datafile(attributes=[], botFiltering=None), "other")
    call = conversion(simulator)
    assert call.send(simulator).status == 204
    bare = events(simulator, {**visitor("carla", done(5)), "attributes": []})
    assert bare.send(simulator).status == 204


def test_events_of_unknown_datafiles_need_permission_or_an_introduction(simulator: OptimizelySimulator) -> None:
    call = events(simulator, visitor("carla", done(1)), revision="41")
    assert call.send(simulator).places == ["body.revision"]
    simulator.datafiles.learn(sample_datafile(revision="41"))
    assert call.send(simulator).status == 204
    call = events(simulator, visitor("carla", done(2)), revision="40")
    simulator.options.change(foreign_events=True)
    assert call.send(simulator).status == 204


def test_an_event_may_come_again_but_as_it_was(simulator: OptimizelySimulator) -> None:
    """OPT-72: at least once."""
    call = conversion(simulator)
    assert [call.send(simulator).status for _ in range(3)] == [204, 204, 204]
    assert simulator.ledger.uuids() == {uuid(2): 3}
    place = ["body.visitors[0].snapshots[0].events[0].uuid"]
    assert body("visitors.0.snapshots.0.events.0.timestamp", NOW - 499)(call).send(simulator).places == place
    assert body("visitors.0.attributes.2.value", 1)(call).send(simulator).places == place
    lettered = body("visitors.0.snapshots.0.events.0.uuid", uuid(0xABC))(call)
    assert lettered.send(simulator).status == 204
    assert body("visitors.0.snapshots.0.events.0.uuid", uuid(0xABC).upper())(call).send(simulator).places == place


def test_an_event_may_be_sent_again_in_other_company(simulator: OptimizelySimulator) -> None:
    first, second = visitor("carla", done(1)), visitor("anna", done(2))
    assert events(simulator, first, second).send(simulator).status == 204
    assert events(simulator, second, visitor("ben", done(3))).send(simulator).status == 204
    assert simulator.ledger.uuids() == {uuid(1): 1, uuid(2): 2, uuid(3): 1}


def test_exactly_once_forbids_what_the_client_knew(simulator: OptimizelySimulator) -> None:
    simulator.options.change(exactly_once=True)
    simulator.fail("events-us", "drop")
    call = conversion(simulator)
    with pytest.raises(ConnectionError):
        call.send(simulator)
    assert call.send(simulator).status == 204
    assert call.send(simulator).places == ["body.visitors[0].snapshots[0].events[0].uuid"]


def test_sizes_and_names_are_options(simulator: OptimizelySimulator) -> None:
    """OPT-91."""
    simulator.options.change(maximum_visitors=8, client_name="swift-sdk", client_version="5.4.2")
    call = batch(simulator)
    assert sorted(call.send(simulator).places) == ["body.client_name", "body.client_version", "body.visitors"]
    call.document.update(client_name="swift-sdk", client_version="5.4.2", visitors=call.document["visitors"][:8])
    assert call.send(simulator).status == 204
    simulator.options.change(client_name="")
    call.document["client_name"] = "anything"
    assert call.send(simulator).status == 204


def test_times_can_be_set_free(simulator: OptimizelySimulator) -> None:
    simulator.options.change(maximum_age_ms=None, maximum_skew_ms=None)
    for number, time in enumerate((0, NOW * 2)):
        call = events(simulator, visitor("carla", done(number)))
        assert body("visitors.0.snapshots.0.events.0.timestamp", time)(call).send(simulator).status == 204


def test_an_impression_of_a_bandit_is_what_was_predicted(simulator: OptimizelySimulator) -> None:
    """OPT-94."""
    assert bandit(simulator).send(simulator).status == 204
    forced = copy.deepcopy(BANDIT)
    del forced["metadata"]["cmab_uuid"]
    assert send(simulator, seen(5, forced)) == []


def test_a_prediction_counts_also_if_its_answer_was_spoilt(simulator: OptimizelySimulator) -> None:
    simulator.fail("predictions", "body", body='{"predictions":[{"variation_id":"9212"}]}')
    assert prediction(simulator).send(simulator).json == {"predictions": [{"variation_id": "9212"}]}
    assert send(simulator, seen(5, BANDIT)) == []


def test_what_cannot_be_read_is_answered_as_the_service_would(lenient: OptimizelySimulator) -> None:
    call = conversion(lenient)
    assert body("visitors", [])(call).send(lenient).status == 400
    assert body("client_name", "other")(call).send(lenient).status == 204
    assert [violation.where for violation in lenient.violations] == ["body.visitors", "body.client_name"]
    assert len(lenient.ledger.events()) == 1
