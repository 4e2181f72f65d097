"""What is accepted, what comes again, and what a refusal of consent forbids (FS-17, FS-18, FS-65 to FS-67)."""

from __future__ import annotations

from typing import Any

import pytest

from flagship import FlagshipSimulator
from flagship.ledger import identity

from .support import (
    GREEN, GROUP, KINDS, NOW, WINDOW, activation, activations, batch, bucketing, consent, decision, emotions, hit, screen, segment,
    single, trouble_of_the_sdk, troubleshooting, usage)


def test_everything_that_was_accepted_is_booked(simulator: FlagshipSimulator) -> None:
    for call in (batch(simulator), single(simulator), activations(simulator), decision(simulator), usage(simulator)):
        call.send(simulator)
    ledger = simulator.ledger
    assert len(ledger.posts) == 5 and len(ledger.hits()) == len(KINDS) + 1 and len(ledger.decisions("carla")) == 1
    assert ledger.screens() == {"home": 2} and ledger.consents("carla") == [True]
    assert [item["t"] for item in ledger.hits(visitor="carla")][:4] == ["EVENT", "SEGMENT", "SCREENVIEW", "PAGEVIEW"]
    assert ledger.exposures() == {f"carla/{GROUP}/{GREEN}": 1, f"anna/{GROUP}/{GREEN}": 1}
    assert [report["label"] for report in ledger.reports()] == ["SDK_CONFIG"]
    simulator.reset()
    assert ledger.posts == [] and ledger.hits() == []


def test_what_comes_again_is_counted_without_its_age(simulator: FlagshipSimulator) -> None:
    for age in (0, 1500):
        batch(simulator, screen(age=age, cuid=None)).send(simulator)
    assert simulator.ledger.deliveries() == {identity(screen()): 2}


def test_an_answer_that_cannot_arrive_leaves_the_hits_unacknowledged(simulator: FlagshipSimulator) -> None:
    simulator.fail("hits", "drop")
    with pytest.raises(OSError):
        batch(simulator, screen()).send(simulator)
    simulator.options.change(exactly_once=True)
    assert batch(simulator, screen()).send(simulator).status == 200
    assert batch(simulator, screen()).send(simulator).places == ["body.h[0]"]
    assert [post.acknowledged for post in simulator.ledger.posts] == [False, True]


def test_a_hit_that_was_refused_comes_again_with_its_age(simulator: FlagshipSimulator) -> None:
    simulator.options.change(distinct=True)
    simulator.fail("hits", "status", status=503)
    assert batch(simulator, screen(age=0), screen("shop", age=10)).send(simulator).status == 503
    simulator.now = lambda: NOW + 60_000
    assert batch(simulator, screen(age=60)).send(simulator).places == ["body.h[0].qt"]
    assert batch(simulator, screen(age=60_000), screen("shop", age=60_010)).send(simulator).status == 200
    assert batch(simulator, screen("one"), screen("one")).send(simulator).places == ["body.h"]


@pytest.mark.parametrize("change", [{"hits": "single"}, {"maximum_hits": 1}, {"maximum_batch_bytes": 100}])
def test_the_form_of_hits_can_be_told(simulator: FlagshipSimulator, change: dict[str, Any]) -> None:
    simulator.options.change(**change)
    assert batch(simulator).send(simulator).status == 422


def test_hits_after_a_refusal_are_violations(simulator: FlagshipSimulator) -> None:
    assert batch(simulator, consent(), screen(), consent(False)).send(simulator).status == 200
    assert batch(simulator, screen("later")).send(simulator).places == ["body.h[0]"]
    assert batch(simulator, screen("of anna", "anna")).send(simulator).status == 200
    inside = batch(simulator, consent(visitor="anna"), consent(False, "anna"), screen("inside", "anna"))
    assert inside.send(simulator).places == ["body.h[2]"]
    assert batch(simulator, consent(), screen("again")).send(simulator).status == 200
    assert simulator.ledger.consents("carla") == [True, False, True]


def test_a_refusal_under_both_ids_is_one_of_the_known_visitor(simulator: FlagshipSimulator) -> None:
    batch(simulator, consent(False, "anon-1", cuid="carla")).send(simulator)
    assert simulator.ledger.has_refused("carla")
    assert batch(simulator, screen(visitor="anon-1", cuid="carla")).send(simulator).places == ["body.h[0]"]
    assert single(simulator).send(simulator).places == ["body"]


@pytest.mark.parametrize("refusal", [consent(False), consent(False, "anon-1")], ids=["visitor", "anonymous"])
def test_a_hit_under_two_ids_is_refused_when_either_has_refused(simulator: FlagshipSimulator, refusal: dict[str, Any]) -> None:
    both = screen(visitor="anon-1", cuid="carla")
    assert batch(simulator, both, refusal).send(simulator).status == 200
    assert batch(simulator, both).send(simulator).places == ["body.h[0]"]
    assert batch(simulator, consent(visitor="anon-1", cuid="carla"), both).send(simulator).status == 200


def test_a_refusal_under_two_ids_holds_for_each(simulator: FlagshipSimulator) -> None:
    """As after an authentication, and back."""
    batch(simulator, consent(False, "anon-1", cuid="carla")).send(simulator)
    for visitor in ("anon-1", "carla"):
        assert batch(simulator, screen(visitor=visitor)).send(simulator).places == ["body.h[0]"]
    assert batch(simulator, consent(visitor="anon-1"), screen(visitor="anon-1")).send(simulator).status == 200
    assert single(simulator).send(simulator).places == ["body"]


def test_visitors_of_one_device_answer_for_themselves(simulator: FlagshipSimulator) -> None:
    """They have one anonymous id."""
    batch(simulator, consent(visitor="device", cuid="carla"), consent(visitor="device", cuid="anna")).send(simulator)
    batch(simulator, consent(False, "device", cuid="carla")).send(simulator)
    assert batch(simulator, screen(visitor="device", cuid="anna")).send(simulator).status == 200
    for ids in ({"visitor": "device", "cuid": "carla"}, {"visitor": "device", "cuid": "ben"}, {"visitor": "device"}):
        assert batch(simulator, screen(**ids)).send(simulator).places == ["body.h[0]"]


def test_activations_after_a_refusal_are_violations_where_it_is_final(simulator: FlagshipSimulator) -> None:
    batch(simulator, consent(False)).send(simulator)
    assert activations(simulator, activation()).send(simulator).status == 204
    simulator.options.change(final_refusals=True)
    assert activations(simulator, activation()).send(simulator).places == ["body.batch[0]"]
    assert activations(simulator, activation("anna", aid="carla")).send(simulator).places == ["body.batch[0]"]


def test_who_has_refused_does_not_consent_in_a_decision(simulator: FlagshipSimulator) -> None:
    """3.2, 5.6"""
    for refusal in (consent(False), consent(False, "anon-1")):
        batch(simulator, refusal).send(simulator)
        assert decision(simulator).send(simulator).places == ["body.visitor_consent"]
        refusing = decision(simulator)
        refusing.document["visitor_consent"] = False
        assert refusing.send(simulator).status == 200
        batch(simulator, consent(visitor="anon-1", cuid="carla")).send(simulator)
        assert decision(simulator).send(simulator).status == 200
    batch(simulator, consent(False)).send(simulator)
    simulator.options.change(late_consents=True)
    assert decision(simulator).send(simulator).status == 200


def test_the_first_hit_can_have_to_be_about_consent(simulator: FlagshipSimulator) -> None:
    simulator.options.change(consent_first=True)
    assert batch(simulator, screen()).send(simulator).places == ["body.h[0]"]
    both = batch(simulator, consent(visitor="anon-1"), screen(visitor="anon-1", cuid="carla"))
    assert both.send(simulator).status == 200
    assert batch(simulator, screen()).send(simulator).status == 200


def test_activations_can_have_to_begin_with_the_youngest(simulator: FlagshipSimulator) -> None:
    simulator.options.change(newest_first=True)
    old, young = activation(age=9000), activation("anna", age=3)
    assert activations(simulator, old, young).send(simulator).places == ["body.batch"]
    assert activations(simulator, young, old).send(simulator).status == 204


def test_segments_can_have_to_differ_or_to_stay_away(simulator: FlagshipSimulator) -> None:
    simulator.options.change(distinct_segments=True)
    assert batch(simulator, segment()).send(simulator).status == 200
    assert batch(simulator, segment()).send(simulator).places == ["body.h[0].s"]
    assert batch(simulator, segment(vip="false")).send(simulator).status == 200
    simulator.options.change(segments="none")
    assert batch(simulator, segment(vip="true")).send(simulator).places == ["body.h[0].s"]


def test_segments_are_for_visitors_whose_decisions_are_made_elsewhere(simulator: FlagshipSimulator) -> None:
    """3.2: the service that decides records the context itself."""
    assert batch(simulator, segment()).send(simulator).status == 200
    assert decision(simulator).send(simulator).status == 200
    assert batch(simulator, segment("anna")).send(simulator).places == ["body.h[0].s"]
    assert bucketing(simulator).send(simulator).status == 200
    assert batch(simulator, segment("anna")).send(simulator).status == 200
    assert batch(simulator, segment()).send(simulator).places == ["body.h[0].s"]
    assert batch(simulator, {**segment(), "vid": "anon-1", "cuid": "carla"}).send(simulator).places == ["body.h[0].s"]
    simulator.options.change(segments="any")
    assert batch(simulator, segment()).send(simulator).status == 200


@pytest.mark.parametrize("change", [{"startDate": "2026-01-06T23:00:00.000Z"}, {"endDate": "2026-01-06T01:00:00.000Z"},
                                    {"endDate": "soon"}])
def test_troubleshooting_outside_its_window_is_a_violation(simulator: FlagshipSimulator,
                                                           change: dict[str, str]) -> None:
    call = troubleshooting(simulator)
    simulator.environment.settle({"troubleshooting": {**WINDOW, **change}})
    assert call.send(simulator).places == ["body"]
    simulator.options.change(foreign_settings=True)
    assert call.send(simulator).status == 200


def test_troubleshooting_is_for_chosen_visitors_with_consent(simulator: FlagshipSimulator) -> None:
    call = troubleshooting(simulator)
    simulator.environment.settle({"troubleshooting": {**WINDOW, "traffic": 10}})
    assert call.send(simulator).places == ["body.cv.visitor.visitorId"]
    simulator.environment.settle({"troubleshooting": WINDOW})
    assert call.send(simulator).status == 200
    batch(simulator, consent(False)).send(simulator)
    assert call.send(simulator).places == ["body.cv.visitor.visitorId"]


def test_troubleshooting_of_the_sdk_is_about_nobody_and_chosen_by_its_sender(simulator: FlagshipSimulator) -> None:
    call = trouble_of_the_sdk(simulator)
    assert call.send(simulator).status == 200
    assert trouble_of_the_sdk(simulator, "VISITOR_SEND_HIT", **{"hit.t": "EVENT"}).send(simulator).places == [
        "body.cv.visitor.visitorId"]
    caught = trouble_of_the_sdk(simulator, "ERROR_CATCHED", "ERROR", **{"error.message": "no answer"})
    simulator.environment.settle({"troubleshooting": {**WINDOW, "traffic": -1}})
    assert caught.send(simulator).places == ["body.vid"]


def test_emotions_are_for_accounts_that_collect_them(simulator: FlagshipSimulator) -> None:
    """FS-207."""
    call = emotions(simulator)
    assert call.send(simulator).status == 200
    assert simulator.ledger.bodies("emotions") == [call.document]
    simulator.environment.settle({"eaiActivationEnabled": True})
    assert call.send(simulator).places == ["path"]


def test_what_is_recorded_only_is_answered(lenient: FlagshipSimulator) -> None:
    assert batch(lenient, {**screen(), "cid": "nobody"}).send(lenient).status == 200
    assert batch(lenient, hit("UNKNOWN")).send(lenient).status == 400
    assert len(lenient.violations) == 2 and len(lenient.ledger.hits()) == 1
