"""The ledger tells what was accepted, and only that."""

from __future__ import annotations

import http.client
import threading

import pytest
from loopback.calls import control

from optimizely import OptimizelySimulator

from .support import (
    EXPERIMENT, batch, conversion, done, events, impression, platform_events, seen, segments, uuid, visitor)


def test_distinct_events_are_summed_up(simulator: OptimizelySimulator) -> None:
    call = batch(simulator)
    assert [call.send(simulator).status for _ in range(2)] == [204, 204]
    assert conversion(simulator).send(simulator).status == 204
    buyer = visitor("anna", done(50, revenue=800, tags={"revenue": 800}))
    more = events(simulator, buyer, visitor("ben", seen(51, EXPERIMENT)))
    assert more.send(simulator).status == 204
    assert simulator.ledger.impressions() == {
        "checkout_flow/checkout_test/short": 2, "checkout_flow/checkout_new_app/on": 1, "banner//": 1,
        "checkout_flow//express": 1, "banner/holdout_spring/ho_off": 1, "checkout_flow/holdout_new_app/ho_local_off": 1,
        "banner/banner_long/none": 1, "/checkout_test/control": 1}
    assert simulator.ledger.conversions() == {
        "sign_up": {"count": 1, "revenue": 0, "value": 0.0}, "purchase": {"count": 2, "revenue": 5000, "value": 12.5}}
    assert simulator.ledger.uuids()[uuid(10)] == 2 and simulator.ledger.uuids()[uuid(50)] == 1


def test_refused_requests_do_not_count(simulator: OptimizelySimulator) -> None:
    simulator.fail("events-us", "status", status=503)
    call = conversion(simulator)
    assert call.send(simulator).status == 503
    assert call.with_header("Content-Type", None).send(simulator).status == 422
    assert simulator.ledger.posts == [] and simulator.ledger.uuids() == {}


def test_unreadable_answers_count_but_are_not_acknowledged(simulator: OptimizelySimulator) -> None:
    simulator.fail("events-us", "drop", how="reset")
    with pytest.raises((OSError, http.client.HTTPException)):
        conversion(simulator).send(simulator)
    assert [event.uuid for event in simulator.ledger.events(acknowledged=False)] == [uuid(2)]
    assert conversion(simulator).send(simulator).status == 204
    assert [event.uuid for event in simulator.ledger.events(acknowledged=True)] == [uuid(2)]
    assert simulator.ledger.uuids() == {uuid(2): 2}


def test_an_event_as_the_control_port_tells_it(simulator: OptimizelySimulator) -> None:
    impression(simulator).send(simulator)
    event, = control(simulator, "GET", "/events")[1]
    assert (event["visitor"], event["attributes"]["age"], event["decision"]["experiment_id"]) == ("carla", 30, "9101")
    assert (event["key"], event["uuid"]) == ("campaign_activated", uuid(1))


def test_the_ledger_over_the_control_port(simulator: OptimizelySimulator) -> None:
    for call in (impression(simulator), conversion(simulator), platform_events(simulator), segments(simulator)):
        assert call.send(simulator).status < 300
    status, told = control(simulator, "GET", "/ledger")
    assert (status, told["posts"], told["events"], told["platformEvents"], told["segmentQueries"]) == (200, 4, 2, 3, 1)
    assert told["uuids"] == {uuid(1): 1, uuid(2): 1} and told["unacknowledged"] == []
    assert [post["endpoint"] for post in control(simulator, "GET", "/posts")[1]] == [
        "events-us", "events-us", "platform-events", "segments"]
    assert len(control(simulator, "GET", "/platform-events")[1]) == 3
    control(simulator, "POST", "/reset")
    assert simulator.ledger.posts == []


def test_nothing_is_lost_under_load(simulator: OptimizelySimulator) -> None:
    def work(first: int) -> None:
        for number in range(first, first + 25):
            assert events(simulator, visitor("carla", done(number))).send(simulator).status == 204

    threads = [threading.Thread(target=work, args=(first,)) for first in range(0, 200, 25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulator.ledger.uuids() == {uuid(number): 1 for number in range(200)}
    assert simulator.ledger.conversions()["purchase"]["count"] == 200
    assert simulator.violations == []


def test_waiting_for_events(simulator: OptimizelySimulator) -> None:
    waited: list[bool] = []
    thread = threading.Thread(target=lambda: waited.append(simulator.wait_for_events(2)))
    thread.start()
    conversion(simulator).send(simulator)
    conversion(simulator).send(simulator)
    impression(simulator).send(simulator)
    thread.join(5)
    assert waited == [True]
    assert not simulator.wait_for_events(3, timeout=0.01)
