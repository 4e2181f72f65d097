"""What is accepted, what comes again, and whose consent is missing (KAM-41, KAM-58 to KAM-60, KAM-67)."""

from __future__ import annotations

import pytest

from kameleoon import KameleoonSimulator, sample_configuration

from .support import LINES, conversion, custom_data, exposure, line, linked, tracking, visitors


def test_everything_that_was_accepted_is_booked(simulator: KameleoonSimulator) -> None:
    assert tracking(simulator).send(simulator).status == 200
    assert visitors(simulator).send(simulator).status == 200
    ledger = simulator.ledger
    assert len(ledger.lines()) == len(LINES) + 4 and ledger.kinds("bert") == ["experiment"]
    assert ledger.exposures() == {"carla/100/12": 1, "carla/200/21": 1, "bert/100/12": 1, "user-1/300/31": 1}
    assert ledger.conversions() == {"-7": {"count": 1, "revenue": 19.5}, "7": {"count": 1, "revenue": 0.0}}
    assert ledger.custom_data("carla") == {3: ["user-1"], 0: ["gold", "it's (fine)"]}
    assert ledger.lines("device")[0].user_agent == "Mozilla/5.0 (X11) é"
    assert ledger.owner("hoistsite1", "user-1") == "carla"
    simulator.reset()
    assert ledger.posts == [] and ledger.lines() == [] and ledger.owner("hoistsite1", "user-1") == "user-1"


def test_what_comes_again_is_counted_once(simulator: KameleoonSimulator) -> None:
    for _ in range(2):
        tracking(simulator, conversion(1), conversion(2)).send(simulator)
    assert len(simulator.ledger.lines()) == 2 and len(simulator.ledger.lines(distinct=False)) == 4
    assert set(simulator.ledger.deliveries().values()) == {2}


def test_an_answer_that_cannot_arrive_leaves_its_events_unacknowledged(simulator: KameleoonSimulator) -> None:
    simulator.fail("tracking", "drop")
    with pytest.raises(OSError):
        tracking(simulator, conversion(1)).send(simulator)
    simulator.options.change(exactly_once=True)
    assert tracking(simulator, conversion(1)).send(simulator).status == 200
    assert tracking(simulator, conversion(1)).send(simulator).places == ["body[0].nonce"]
    assert [post.acknowledged for post in simulator.ledger.posts] == [False, True]


def test_a_nonce_stands_for_one_event_also_when_the_service_failed(simulator: KameleoonSimulator) -> None:
    simulator.fail("tracking", "status", status=503)
    assert tracking(simulator, conversion(1, 7)).send(simulator).status == 503
    assert tracking(simulator, conversion(1, 8)).send(simulator).places == ["body[0].nonce"]
    assert tracking(simulator, conversion(1, 7)).send(simulator).status == 200


def test_consent_limits_what_may_come_where_it_is_required(simulator: KameleoonSimulator) -> None:
    free = tracking(simulator, exposure(1, 200, 21), conversion(2))
    held = [line(3, "staticData", deviceType="PHONE"), custom_data(4, 0, "gold"), exposure(5), line(6, "activity")]
    simulator.options.change(consents=True)
    assert tracking(simulator, held[0]).send(simulator).status == 200
    simulator.publish(sample_configuration(consent="PARTIALLY_BLOCK"))
    assert free.send(simulator).status == 200
    for one in held:
        assert tracking(simulator, one).send(simulator).places == ["body[0]"]
    simulator.site.consent("carla")
    for one in held:
        assert tracking(simulator, one).send(simulator).status == 200
    simulator.site.consent("carla", False)
    assert tracking(simulator, held[2]).send(simulator).places == ["body[0]"]


def test_custom_data_without_values_link_nobody(simulator: KameleoonSimulator) -> None:
    assert tracking(simulator, custom_data(1, 3)).send(simulator).status == 200
    assert tracking(simulator, custom_data(2, 3, "")).send(simulator).status == 200
    assert tracking(simulator, custom_data(3, 3, "u", "")).send(simulator).places == ["body[0].mappingIdentifier"]
    simulator.options.change(links=False)
    assert tracking(simulator, custom_data(3, 3, "u", "")).send(simulator).status == 200


def test_data_that_were_read_link_nobody_anew(simulator: KameleoonSimulator) -> None:
    read = tracking(simulator, custom_data(1, 3, "user-1", visitor="user-1", named="mappingValue"))
    assert read.send(simulator).places == ["body[0].mappingIdentifier"]
    assert linked(simulator).send(simulator).status == 200
    assert read.send(simulator).status == 200


def test_experiments_are_those_that_were_ever_served(simulator: KameleoonSimulator) -> None:
    simulator.publish({"holdout": {"experimentId": 9000, "variationByExposition": [{"variationId": 9001}]}})
    assert tracking(simulator, exposure(1), exposure(2, 9000, 9001)).send(simulator).status == 200
    foreign = tracking(simulator, exposure(3, 400, 41))
    assert foreign.send(simulator).places == ["body[0].id"]
    rule = {"experimentId": 400, "variationByExposition": [{"variationId": 41}, {"variationId": None}]}
    simulator.site.learn({"featureFlags": [{"rules": [rule]}]})
    assert foreign.send(simulator).status == 200
    simulator.options.change(foreign_experiments=True)
    assert tracking(simulator, exposure(4, 1, 1), line(5, "targetingSegment", id=9)).send(simulator).status == 200


@pytest.mark.parametrize("change", [{"maximum_lines": 1}, {"maximum_body_bytes": 100}])
def test_the_size_of_requests_can_be_told(simulator: KameleoonSimulator, change: dict[str, int]) -> None:
    simulator.options.change(**change)
    assert tracking(simulator).send(simulator).places == ["body"]


def test_what_is_recorded_only_is_answered(lenient: KameleoonSimulator) -> None:
    assert tracking(lenient, exposure(1, 400, 1), "nonsense").send(lenient).status == 200
    assert len(lenient.violations) == 1 and len(lenient.ledger.lines()) == 1
