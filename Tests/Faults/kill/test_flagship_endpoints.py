"""Whatever an endpoint does, hits are kept until they are taken, and the last good flags stay."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flagship import FlagshipSimulator, sample_bucketing
from flagship_world import FlagshipHost, FlagshipWorld

# The answer does not come, or is no success.
FAILURES: list[dict[str, Any]] = [
    *({"kind": "status", "status": status} for status in (400, 401, 403, 404, 408, 429, 500, 502, 503, 504)),
    *({"kind": "redirect", "status": status, "location": "http://127.0.0.1:9/elsewhere"} for status in (301, 302, 307)),
    {"kind": "status", "status": 503, "retryAfter": "3600"}, {"kind": "html", "status": 511},
    {"kind": "raw", "bytes": "no answer\r\n\r\n"}, {"kind": "hang"}, {"kind": "hang", "then": "reset"}, {"kind": "close"},
    {"kind": "reset"}]
# What is sent is wrong, says the service, and would be tomorrow; and it asks for a pause, which is kept.
REFUSALS = [fault for fault in FAILURES if fault.get("status") in (400, 404)]
PASSING = [fault for fault in FAILURES if fault not in REFUSALS and "retryAfter" not in fault]
# The answer says success, and nothing that can be read.
LIES: list[dict[str, Any]] = [
    {"kind": "html"}, {"kind": "garbage"}, {"kind": "empty"}, {"kind": "body", "body": "[]"}, {"kind": "body", "body": "7"},
    {"kind": "truncate"}, {"kind": "length", "difference": 10}, {"kind": "headers-only"}, {"kind": "half-open"},
    {"kind": "bad-chunk"}, {"kind": "drop"}, {"kind": "drop", "how": "reset"}]
SHORT = {"network__timeout_ms": 300, "timeout_ms": 300, "hits__batch_interval": 3600, "polling_interval": 0}


def until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def name(fault: dict[str, Any]) -> str:
    return "-".join(str(value)[:12].strip() for value in fault.values())


@pytest.fixture
def world(flagship_host: Path, tmp_path: Path) -> Iterator[FlagshipWorld]:
    with FlagshipSimulator(distinct=True, consent_first=True, newest_first=True) as service:
        yield FlagshipWorld(flagship_host, service, tmp_path)
        assert service.violations == []


@pytest.fixture
def host(world: FlagshipWorld) -> Iterator[FlagshipHost]:
    started = world.start(**SHORT)
    assert started("visitor anna consented") == "visitor VISITOR_CREATE"
    assert until(lambda: started("fetch anna") == "fetched HOIST_OK")  # the first download has its own short limit
    yield started
    started.leave()


@pytest.mark.parametrize("fault", PASSING, ids=name)
def test_hits_are_kept_until_they_are_taken(world: FlagshipWorld, host: FlagshipHost, fault: dict[str, Any]) -> None:
    """(FS-18, G10; failing, refused)"""
    service = world.service
    assert host("flush") == "flushed HOIST_OK"
    service.fail("hits", times=None, **fault)
    assert host("screen anna one") == "recorded one"
    assert host("flush") != "flushed HOIST_OK"
    assert host("screen anna two") == "recorded two"
    assert host("flush") != "flushed HOIST_OK"
    assert service.ledger.screens() == {}
    service.faults.clear()
    assert until(lambda: host("flush") == "flushed HOIST_OK")
    assert service.ledger.screens() == {"one": 1, "two": 1}


@pytest.mark.parametrize("fault", REFUSALS, ids=name)
def test_refused_hits_hold_up_nothing(world: FlagshipWorld, host: FlagshipHost, fault: dict[str, Any]) -> None:
    """The host is told, and what comes later goes (FS-18, contract 6; failing)."""
    service = world.service
    assert host("flush") == "flushed HOIST_OK"
    service.fail("hits", times=None, **fault)
    assert host("screen anna one") == "recorded one"
    assert host("flush") == "flushed HOIST_ERR_REJECTED"
    service.faults.clear()
    assert host("screen anna two") == "recorded two"
    assert host("flush") == "flushed HOIST_OK"
    assert service.ledger.screens() == {"two": 1}


def test_a_pause_that_is_asked_for_is_kept(world: FlagshipWorld, host: FlagshipHost) -> None:
    """Contract 6: and nothing is lost, the next process sends it."""
    assert host("flush") == "flushed HOIST_OK"
    world.service.fail("hits", "status", times=None, status=503, retryAfter="3600")
    assert host("screen anna one") == "recorded one"
    assert host("flush") != "flushed HOIST_OK"
    asked = world.service.journal.count("hits")
    assert host("screen anna two") == "recorded two"
    assert host("flush") != "flushed HOIST_OK"
    assert world.service.journal.count("hits") == asked
    world.service.faults.clear()


@pytest.mark.parametrize("fault", [{"kind": "drop"}, {"kind": "drop", "how": "reset"}], ids=name)
def test_hits_whose_answer_was_lost_come_again(world: FlagshipWorld, host: FlagshipHost, fault: dict[str, Any]) -> None:
    world.service.fail("hits", times=None, **fault)
    host("screen anna one")
    assert host("flush") != "flushed HOIST_OK"
    world.service.faults.clear()
    taken = world.service.ledger.screens()["one"]
    assert host("flush") == "flushed HOIST_OK"
    assert taken >= 1 and world.service.ledger.screens() == {"one": taken + 1}


@pytest.mark.parametrize("fault", PASSING, ids=name)
def test_activations_are_kept_and_ride_along(world: FlagshipWorld, host: FlagshipHost, fault: dict[str, Any]) -> None:
    """(FS-18, G10; failing, refused)"""
    service = world.service
    service.fail("activate", times=None, **fault)
    before = host("flag anna button_colour")
    assert service.wait_for("activate")
    assert host("flush") != "flushed HOIST_OK"
    assert service.ledger.activations("anna") == []
    service.faults.clear()
    assert host("flag anna maximum_items") != before
    # An attempt may be under way that still fails.
    assert until(lambda: host("flush") == "flushed HOIST_OK")
    assert len(service.ledger.activations("anna")) == 2


@pytest.mark.parametrize("fault", [*FAILURES, *LIES], ids=name)
def test_the_last_good_file_stays(world: FlagshipWorld, host: FlagshipHost, fault: dict[str, Any]) -> None:
    """And a failure does not end the polls (FS-07, 5.2; failing, refused)."""
    service = world.service
    before = host("value anna maximum_items")
    document = sample_bucketing()
    document["campaigns"] = document["campaigns"][:1]
    service.publish(document)
    service.fail("bucketing", times=None, **fault)
    asked = service.journal.count("bucketing")
    host("refresh")
    assert service.wait_for("bucketing", asked + 1)
    assert host("fetch anna") == "fetched HOIST_OK"
    assert host("value anna maximum_items") == before
    service.faults.clear()
    # The poll that fails has to be over, and the one that does not, too.
    assert until(lambda: host("refresh") and host("fetch anna") and host("value anna maximum_items") == "flag none")


@pytest.mark.parametrize("fault", [*FAILURES, *LIES], ids=name)
def test_a_decision_that_fails_leaves_the_flags(world: FlagshipWorld, fault: dict[str, Any]) -> None:
    """(FS-10, FS-50; failing, refused)"""
    service = world.service
    service.options.change(segments="none")
    host = world.start(**{**SHORT, "mode": "decision_api"})
    host("visitor anna consented")
    assert host("fetch anna") == "fetched HOIST_OK"
    before = host("value anna button_colour")
    service.fail("campaigns", times=None, **fault)
    assert host("fetch anna") == "fetched HOIST_ERR_FLAGSHIP_FETCH_FAILED"
    assert host("reason anna") == "reason FETCH_ERROR"
    assert host("value anna button_colour") == before
    service.faults.clear()
    assert host("fetch anna") == "fetched HOIST_OK"
    host.finish()


def test_a_start_without_a_service_has_the_file_of_before(world: FlagshipWorld) -> None:
    """And a visitor its flags, and its assignments whatever the file says now (FS-40, FS-51, FS-100; starting, failing)."""
    host = world.start(**SHORT)
    host("visitor anna consented")
    host("fetch anna")
    before = host("value anna button_colour")
    host.finish()
    world.service.fail("any", "close", times=None)
    host = world.start(**SHORT)
    assert host("visitor anna consented") == "visitor FETCHED_FROM_CACHE"
    assert host("value anna button_colour") == before
    assert host("fetch anna") == "fetched HOIST_OK"
    assert host("value anna button_colour") == before
    assert host("visitor ben consented") == "visitor VISITOR_CREATE"
    assert host("fetch ben") == "fetched HOIST_OK"
    world.service.faults.clear()
    host.finish()
