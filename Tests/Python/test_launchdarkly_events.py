"""LaunchDarkly's events against strict services: kinds, summaries, delivery, privacy, diagnostics."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from conftest import is_online
from launchdarkly import LaunchDarklySimulator
from waiting import until

import hoist
from hoist import Status

Connect = Callable[..., hoist.Client]
ANNA_TOLD = {"kind": "user", "key": "anna", "plan": "pro"}
PRIVATE = {"kind": "user", "key": "anna", "email": "anna@example.com", "name": "Anna S.",
           "address": {"street": "Secret Lane 7", "city": "Oslo"}}  # fmt: skip


def kinds(payload: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in payload]


def test_a_start_is_an_identify_event(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """4.4.1"""
    client = connect()
    assert client.flush() is Status.OK
    assert [kinds(payload) for payload in launchdarkly.ledger.payloads()] == [["identify"]]
    assert launchdarkly.ledger.events("identify")[0]["context"] == ANNA_TOLD


def test_nothing_recorded_is_no_request(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect()
    for _ in range(3):
        assert client.flush() is Status.OK
    assert launchdarkly.journal.count("events") == 1


def test_one_payload_holds_everything_in_order(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """In the order of recording, the summary last (LD-40, LD-44, 4.4.6; ready)."""
    client = connect()
    assert client.track("first", value=0) is Status.OK
    assert client.string("banner", None, "none") == "Hello"
    assert client.bool("watched", None, True) is False
    assert client.track("second", properties={"color": "red"}) is Status.OK
    assert client.identify({"targetingKey": "ben"}) is Status.OK
    assert client.flush() is Status.OK
    (payload,) = launchdarkly.ledger.payloads()
    assert kinds(payload) == ["identify", "custom", "feature", "debug", "custom", "identify", "summary"]
    first, second = launchdarkly.ledger.events("custom")
    assert first["metricValue"] == 0 and "data" not in first
    assert "metricValue" not in second and second["data"] == {"color": "red"}
    feature = launchdarkly.ledger.events("feature")[0]
    expected = {"key": "banner", "value": "Hello", "default": "none", "variation": 0, "version": 4}
    assert {name: feature[name] for name in expected} == expected
    assert feature["context"] == ANNA_TOLD


def test_whole_numbers_and_texts_are_carried_as_they_are(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """Contract 6: nothing given by the host is altered with OK (LD-40; ready)."""
    client = connect()
    data = {"id": 2**53 + 1, "most": 2**63 - 1, "least": -(2**63), "whole": 10**15, "half": 0.5, "list": [2**53 + 1], "none": None}
    assert client.track("sold", properties=data) is Status.OK
    assert client.flush() is Status.OK
    (event,) = launchdarkly.ledger.events("custom")
    assert event["data"] == data


def test_summaries_count_every_evaluation(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """4.4.5"""
    client = connect()
    for _ in range(5):
        client.bool("dark-mode", None, False)
    client.string("dark-mode", None, "wrong type")
    client.bool("nothing", None, True)
    client.int("nowhere", None, 7)
    client.int("nowhere", None, 8)
    client.string("checkout", None, "a")
    client.flush()
    assert launchdarkly.ledger.counts() == {
        "dark-mode": {(0, 2): 7}, "nothing": {(None, 6): 1}, "nowhere": {(None, None): 2}, "checkout": {(1, 2): 1}}
    features = launchdarkly.ledger.events("summary")[0]["features"]
    assert features["dark-mode"]["default"] is False
    assert features["nowhere"]["counters"] == [{"value": 7, "unknown": True, "count": 2}]
    assert features["nothing"]["counters"] == [{"value": True, "version": 6, "count": 1}]
    assert all(feature["contextKinds"] == ["user"] for feature in features.values())


def test_periods_follow_each_other_and_versions_differ(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect()
    client.int("page-size", None, 1)
    launchdarkly.set_flag("page-size", value=50, variation=2)
    assert until(lambda: client.json("page-size", None, 0) == 50)
    client.flush()
    client.int("page-size", None, 2)
    client.flush()
    counts = launchdarkly.ledger.counts()["page-size"]
    assert counts[1, 7] >= 1 and counts[2, 8] >= 2
    first, second = launchdarkly.ledger.events("summary")
    assert first["startDate"] <= first["endDate"] <= second["startDate"] <= second["endDate"]
    assert (first["features"]["page-size"]["default"], second["features"]["page-size"]["default"]) == (1, 2)


def test_many_threads_lose_no_count(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect(event_capacity=100)
    rounds, threads = 2000, 4

    def work() -> None:
        for number in range(rounds):
            client.bool("dark-mode", None, False)
            client.int("discount", None, 0)
            if number % 500 == 0:
                client.flush()

    running = [threading.Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    client.flush()
    assert [launchdarkly.ledger.evaluations(key) for key in ("dark-mode", "discount")] == [rounds * threads] * 2


def test_prerequisites_are_evaluated_first(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """Cycles end, a diamond counts twice (LD-82; ready)."""
    flag = {"version": 1, "variation": 0, "trackEvents": True}
    launchdarkly.replace_flags({
        "top": {"value": 1, "prerequisites": ["left", "right"], **flag},
        "left": {"value": 2, "prerequisites": ["base"], **flag}, "right": {"value": 3, "prerequisites": ["base"], **flag},
        "base": {"value": 4, "prerequisites": ["missing", "top"], **flag}})
    client = connect()
    assert client.int("top", None, 0) == 1
    client.flush()
    assert [event["key"] for event in launchdarkly.ledger.events("feature")] == ["base", "left", "base", "right", "top"]
    counted = {key: sum(counts.values()) for key, counts in launchdarkly.ledger.counts().items()}
    assert counted == {"top": 1, "left": 1, "right": 1, "base": 2, "missing": 2}


def test_the_capacity_drops_what_is_new(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-42; full queue)"""
    launchdarkly.options.change(event_capacity=5)
    client = connect(event_capacity=5)
    answers = [client.track(f"event-{number}") for number in range(8)]
    assert answers == [Status.OK] * 4 + [Status.LIMIT] * 4
    client.bool("dark-mode", None, False)
    client.flush()
    (payload,) = launchdarkly.ledger.payloads()
    assert kinds(payload) == ["identify", *["custom"] * 4, "summary"]
    assert client.track("again") is Status.OK
    client.flush()
    assert launchdarkly.ledger.custom().keys() == {"event-0", "event-1", "event-2", "event-3", "again"}


@pytest.mark.parametrize("status", [500, 503, 408, 429])
def test_a_payload_is_sent_again_as_it_is(launchdarkly: LaunchDarklySimulator, connect: Connect, status: int) -> None:
    """Once after a second, the same bytes and id. Whoever flushes is told that it was refused (LD-41, 2.4; failing)."""
    launchdarkly.fail("events", "status", status=status)
    client = connect()
    client.track("purchase")
    assert client.flush(10) is Status.NETWORK
    assert launchdarkly.wait_for("events", 2, answered=True)
    first, second = launchdarkly.requests("events")
    assert (first.status, second.status) == (status, 202) and first.body == second.body
    assert 0.9 < second.at - first.at < 3
    assert launchdarkly.ledger.custom()["purchase"]["count"] == 1


@pytest.mark.parametrize("kind", ["reset", "drop", "truncate", "hang"])
def test_an_answer_that_is_lost_costs_nothing(launchdarkly: LaunchDarklySimulator, connect: Connect, kind: str) -> None:
    launchdarkly.fail("events", kind)
    client = connect(connection_timeout_ms=500)
    client.track("purchase")
    assert until(lambda: client.flush(10) is Status.OK)
    assert launchdarkly.ledger.custom()["purchase"]["count"] == 1
    assert set(launchdarkly.ledger.payload_ids().values()) <= {1, 2}


def test_events_wait_for_a_service_that_is_down(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """Nothing acknowledged is lost: what two attempts could not deliver goes with a later one (LD-41; failing)."""
    client = connect()
    fault = launchdarkly.fail("events", "status", status=503, times=None)
    client.track("purchase")
    client.flush(5)
    launchdarkly.faults.clear(fault.identifier)
    assert until(lambda: client.flush(10) is Status.OK and "purchase" in launchdarkly.ledger.custom(), 20)
    assert launchdarkly.ledger.custom()["purchase"]["count"] == 1


def test_a_payload_that_is_too_large_is_not_sent_again(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """Nor does it hold up others: a refused payload is halved until what is too large stands alone."""
    fault = launchdarkly.fail("events", "status", status=413, times=None)
    client = connect()
    client.track("huge")
    assert client.flush(5) is Status.REJECTED
    launchdarkly.faults.clear(fault.identifier)
    client.track("small")
    assert client.flush(5) is Status.OK
    assert [request.status for request in launchdarkly.requests("events")] == [413, 413, 413, 202]
    assert launchdarkly.ledger.custom().keys() == {"small"}


def test_401_sends_the_client_offline(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-41, 2.4; refused)"""
    client = connect()
    launchdarkly.fail("events", "status", status=401)
    client.track("purchase")
    client.flush(5)
    assert until(lambda: not is_online(client))
    assert client.bool("dark-mode", None, False) is True
    assert launchdarkly.wait_for_streams(0)


def test_what_is_recorded_offline_is_sent_later(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-41; offline)"""
    client = connect(ready=False, online=False)
    assert client.track("offline") is Status.OK
    client.bool("dark-mode", None, False)
    client.flush(0.2)
    assert launchdarkly.requests() == []
    client.online = True
    assert until(lambda: client.bool("dark-mode", None, False) is True)
    assert client.flush() is Status.OK
    assert launchdarkly.ledger.custom()["offline"]["count"] == 1
    assert launchdarkly.ledger.counts()["dark-mode"].total() >= 2


def test_what_a_process_left_behind_the_next_one_sends(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-41, G10; offline, second client)"""
    client = connect(ready=False, online=False, **{"events.durability": "immediate"})
    assert client.track("left behind") is Status.OK
    client.close(1)
    assert launchdarkly.requests() == []
    heir = connect()
    assert until(lambda: heir.flush() is Status.OK and "left behind" in launchdarkly.ledger.custom())
    assert launchdarkly.ledger.custom()["left behind"]["count"] == 1


@pytest.mark.parametrize("case", [
    {"all_context_attributes_private": True}, {"private_context_attributes": '["email", "/address/street"]'},
    {"private_context_attributes": '["/email", "address"]'}])  # fmt: skip
def test_private_attributes_stay_here(
    launchdarkly: LaunchDarklySimulator, connect: Connect, case: dict[str, Any]
) -> None:
    """3.6: they go to the flag service, never into events."""
    names = json.loads(case.get("private_context_attributes", "[]"))
    launchdarkly.options.change(all_attributes_private="all_context_attributes_private" in case,
                                private_attributes=names, secrets=["anna@example.com", "Secret Lane"])  # fmt: skip
    client = connect(context=json.dumps(PRIVATE), **case)
    client.track("visit")
    client.string("banner", None, "")
    client.bool("watched", None, True)
    assert client.flush() is Status.OK
    assert launchdarkly.environment.contexts("anna") == [PRIVATE]
    assert launchdarkly.ledger.kinds() == {"identify": 1, "custom": 1, "feature": 1, "debug": 1, "summary": 1}


def test_private_attributes_of_a_context(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    launchdarkly.options.change(secrets=["anna@example.com"])
    document = {**PRIVATE, "_meta": {"privateAttributes": ["email", "/address/street"]}}
    client = connect(context=json.dumps(document))
    client.track("visit")
    assert client.flush() is Status.OK
    told = launchdarkly.ledger.events("custom")[0]["context"]
    assert told["address"] == {"city": "Oslo"}
    assert sorted(name.removeprefix("/") for name in told["_meta"]["redactedAttributes"]) == ["address/street", "email"]


def test_anonymous_contexts_show_nothing_in_feature_events(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-83; ready)"""
    client = connect(context=json.dumps({**ANNA_TOLD, "anonymous": True}))
    client.string("banner", None, "")
    client.bool("watched", None, True)
    assert client.flush() is Status.OK
    assert "plan" not in launchdarkly.ledger.events("feature")[0]["context"]
    assert launchdarkly.ledger.events("debug")[0]["context"]["plan"] == "pro"


def test_debug_events_end_with_the_services_clock(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """4.4.3: the later of both clocks decides, but for one of more than a day ahead, which is not believed (contract 9)."""
    launchdarkly.set_flag("watched", debugEventsUntilDate=int(time.time() * 1000) + 3_600_000)
    client = connect()
    for offset in (100 * 365 * 86400, 7200, 0):
        client.bool("watched", None, True)
        launchdarkly.options.change(clock_offset_seconds=offset)
        assert client.flush() is Status.OK
    assert len(launchdarkly.ledger.events("debug")) == 2
    assert launchdarkly.ledger.evaluations("watched") == 3


def test_compressed_events(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-84; ready)"""
    launchdarkly.options.change(compressed_events=True)
    client = connect(enable_compression=True, diagnostic_opt_out=False)
    client.track("visit", properties={"text": "x" * 1000})
    assert client.flush() is Status.OK
    assert launchdarkly.ledger.kinds()["custom"] == 1
    assert until(lambda: len(launchdarkly.ledger.diagnostics()) == 1)


def test_events_may_be_switched_off(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-87; ready)"""
    client = connect(send_events=False, diagnostic_opt_out=False)
    client.track("visit")
    client.bool("dark-mode", None, False)
    client.flush(1)
    client.close(2)
    assert launchdarkly.journal.count("events") == launchdarkly.journal.count("diagnostics") == 0


def test_diagnostics(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """4.6"""
    launchdarkly.options.change(wrapper="flutter")
    client = connect(diagnostic_opt_out=False, diagnostic_recording_interval_ms=200, wrapper_name="flutter",
                     event_capacity=3)  # fmt: skip
    for number in range(5):
        client.track(f"event-{number}")
    assert until(lambda: len(launchdarkly.ledger.diagnostics()) >= 2)
    first, second = launchdarkly.ledger.diagnostics()[:2]
    assert (first["kind"], second["kind"]) == ("diagnostic-init", "diagnostic")
    assert first["id"] == second["id"]
    assert first["configuration"]["eventsCapacity"] == 3 and first["configuration"]["streamingDisabled"] is False
    assert first["sdk"]["wrapperName"] == "flutter"
    assert until(lambda: sum(found["droppedEvents"] for found in launchdarkly.ledger.diagnostics()[1:]) == 3)
    openings = [opening for found in launchdarkly.ledger.diagnostics()[1:] for opening in found["streamInits"]]
    assert [opening["failed"] for opening in openings] == [False]


def test_events_are_sent_at_intervals(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-41; ready)"""
    client = connect(**{"events.flush_interval_ms": 100})
    client.track("one")
    assert launchdarkly.wait_for_events("custom", 1)
    client.track("two")
    assert launchdarkly.wait_for_events("custom", 2)


def test_a_close_sends_what_is_left(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-17, LD-41, 5.9; closing)"""
    client = connect()
    client.track("last")
    client.bool("dark-mode", None, False)
    assert client.close(5) is Status.OK
    assert launchdarkly.ledger.kinds() == {"identify": 1, "custom": 1, "summary": 1}
