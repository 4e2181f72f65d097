"""The data platform's segments and events, and predictions (protocol 3.5-3.7): OPT-67, OPT-68, OPT-94."""

from __future__ import annotations

import copy

import pytest
from loopback.calls import MISSING, body, header

from optimizely import OptimizelySimulator, sample_datafile

from .support import PREDICTION, VUID, anonymous_segments, platform_event, platform_events, prediction, segments, uuid


def states(reply) -> dict[str, str]:
    edges = reply.json["data"]["customer"]["audiences"]["edges"]
    return {edge["node"]["name"]: edge["node"]["state"] for edge in edges}


def test_nobody_qualifies_at_first(simulator: OptimizelySimulator) -> None:
    reply = segments(simulator).send(simulator)
    assert (reply.status, states(reply)) == (200, {"frequent_shoppers": "not_qualified", "newsletter": "not_qualified"})


def test_customers_qualify_for_what_they_are_said_to(simulator: OptimizelySimulator) -> None:
    simulator.customers.qualify("carla", "newsletter")
    simulator.customers.qualify(VUID, "frequent_shoppers")
    assert states(segments(simulator).send(simulator))["newsletter"] == "qualified"
    assert states(anonymous_segments(simulator).send(simulator)) == {
        "frequent_shoppers": "qualified", "newsletter": "not_qualified"}
    simulator.customers.qualify("carla")
    assert set(states(segments(simulator).send(simulator)).values()) == {"not_qualified"}


def test_an_unknown_customer_is_an_error_with_200(simulator: OptimizelySimulator) -> None:
    simulator.customers.forget("carla")
    reply = segments(simulator).send(simulator)
    assert reply.status == 200
    assert reply.json["errors"][0]["extensions"]["code"] == "INVALID_IDENTIFIER_EXCEPTION"
    assert simulator.violations == []


@pytest.mark.parametrize("user", ["", "ü", "vuid", 'a"b'])
def test_segments_of_users_of_every_name(simulator: OptimizelySimulator, user: str) -> None:
    simulator.customers.qualify(user, "newsletter")
    reply = body("variables.userId", user)(segments(simulator)).send(simulator)
    assert states(reply)["newsletter"] == "qualified"


def test_segments_may_be_asked_for_in_any_order(simulator: OptimizelySimulator) -> None:
    call = body("variables.audiences", lambda names: names[::-1])(segments(simulator))
    assert call.send(simulator).status == 200


def test_segments_are_those_of_the_key_s_datafile(simulator: OptimizelySimulator) -> None:
    conditions = ["or", {"match": "qualified", "value": "other"}, {"match": "exact", "value": "x"}]
    audiences = [{"id": "1", "name": "a", "conditions": conditions}]
    simulator.publish(sample_datafile(revision="43", typedAudiences=audiences))
    call = segments(simulator)
    assert call.send(simulator).status == 200
    assert body("variables.audiences", ["other"])(call).send(simulator).status == 200
    mixed = body("variables.audiences", ["other", "newsletter"])(call)
    assert mixed.send(simulator).places == ["body.variables.audiences"]


def test_a_datafile_without_segments_asks_for_none(simulator: OptimizelySimulator) -> None:
    simulator.publish(sample_datafile(revision="43", typedAudiences=[], integrations=[
        {"key": "odp", "host": "https://x", "publicKey": "new"}]))
    assert header("x-api-key", "new")(segments(simulator)).send(simulator).places == ["body.variables.audiences"]


def test_the_platform_accepts_events(simulator: OptimizelySimulator) -> None:
    reply = platform_events(simulator).send(simulator)
    assert (reply.status, reply.json["title"]) == (202, "Accepted")
    actions = [event["action"] for event in simulator.ledger.platform_events()]
    assert actions == ["client_initialized", "identified", "bought"]
    assert simulator.wait_for_platform_events(3, timeout=0)


def test_a_device_need_not_be_told(simulator: OptimizelySimulator) -> None:
    call = platform_events(simulator)
    for name in ("os", "os_version", "device_type", "model"):
        call = body(f"1.data.{name}", MISSING)(call)
    assert call.send(simulator).status == 202


def test_a_platform_event_may_come_again_but_as_it_was(simulator: OptimizelySimulator) -> None:
    call = platform_events(simulator)
    assert [call.send(simulator).status for _ in range(2)] == [202, 202]
    assert simulator.ledger.idempotence_ids() == {uuid(number): 2 for number in (100, 101, 102)}
    assert body("2.data.gift", True)(call).send(simulator).places == ["body[2].data.idempotence_id"]
    assert body("2.data.gift", 0)(call).send(simulator).places == ["body[2].data.idempotence_id"]
    simulator.options.change(exactly_once=True)
    assert call.send(simulator).places == [f"body[{index}].data.idempotence_id" for index in range(3)]


def test_callers_may_replace_what_the_library_says_if_allowed(simulator: OptimizelySimulator) -> None:
    call = platform_events(simulator)
    mine = {"data_source": "shop", "idempotence_id": "order 7"}
    call.document = [platform_event(1, "bought", {"email": "c@example.com"}, **mine)]
    assert len(call.send(simulator).places) == 2
    simulator.options.change(foreign_platform_data=True)
    assert call.send(simulator).status == 202
    assert simulator.ledger.idempotence_ids() == {"order 7": 1}


def test_events_before_a_new_key_go_with_the_old_one(simulator: OptimizelySimulator) -> None:
    rotated = [{"key": "odp", "host": "https://x", "publicKey": "new"}]
    simulator.publish(sample_datafile(revision="43", integrations=rotated))
    call = platform_events(simulator)
    assert call.send(simulator).status == 202
    assert header("x-api-key", "new")(call).send(simulator).status == 202


def test_predictions_are_a_rule_s_first_variation_or_what_was_chosen(simulator: OptimizelySimulator) -> None:
    def predicted(number: int, visitor: str) -> str:
        call = body("instances.0.cmabUUID", uuid(number))(body("instances.0.visitorId", visitor)(prediction(simulator)))
        return call.send(simulator).json["predictions"][0]["variation_id"]

    assert predicted(1, "anna") == "9211"
    simulator.choices.choose("9201", "9212")
    simulator.choices.choose("9201", "unheard of", visitor="ben")
    assert [predicted(2, "anna"), predicted(3, "ben")] == ["9212", "unheard of"]
    assert simulator.violations == []


def test_a_prediction_may_be_asked_again_but_for_the_same(simulator: OptimizelySimulator) -> None:
    simulator.fail("predictions", "status", status=500)
    call = prediction(simulator)
    assert [call.send(simulator).status for _ in range(2)] == [500, 200]
    other = copy.deepcopy(call)
    other.document["instances"][0]["visitorId"] = "anna"
    assert other.send(simulator).places == ["body.instances[0].cmabUUID"]
    assert body("instances.0.cmabUUID", PREDICTION.upper())(call).send(simulator).status == 200


@pytest.mark.parametrize("value", ["", 0, -1.5, True, None, 2**53])
def test_a_prediction_s_attributes_of_every_kind(simulator: OptimizelySimulator, value: object) -> None:
    assert body("instances.0.attributes.0.value", value)(prediction(simulator)).send(simulator).status == 200


def test_predictions_without_attributes(simulator: OptimizelySimulator) -> None:
    assert body("instances.0.attributes", [])(prediction(simulator)).send(simulator).status == 200
