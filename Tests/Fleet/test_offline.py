"""A client that is offline from the start, in a fleet that shares what it fetches: it fetches nothing, leads nothing, and leaves its counts to others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from redis_server import RedisServer
from test_sharing import STALE, Process, Service, leaders, start, unleash  # noqa: F401
from waiting import comes

FLAG, COUNT = "flag-1", 7


@pytest.fixture
def service() -> Iterator[Service]:
    """Unleash, with its metrics, which no process delivers before it closes."""
    made = unleash(disable_metrics="false", disable_registration="true", metrics_interval=3600)
    made.publish(1)
    with made.simulator:
        yield made
    assert made.simulator.violations == []


def count(process: Process) -> None:
    for _ in range(COUNT):
        assert process.do(f"on {FLAG}") == "1"


def test_what_an_offline_client_counts_is_left_for_others_and_it_fetches_nothing(
        start: Callable[..., Process], service: Service, server: RedisServer) -> None:  # noqa: F811
    """(FLT 1, UNL-61, contract 6 and 7; offline, closed, second process)"""
    first = start(disable_metrics="true")
    assert comes(lambda: first.count("written") > 0)
    assert first.do("close") == "HOIST_OK"
    asked = len(service.simulator.journal.requests())
    offline = start(online="false")
    assert comes(lambda: offline.do(f"on {FLAG}") == "1")
    count(offline)
    assert offline.look()[0] == STALE and offline.count("leads") == 0
    began = time.monotonic()
    # Something is left, and while it is offline close has nothing to wait for: its limit is half a minute.
    assert offline.do("close") == "HOIST_ERR_TIMEOUT"
    assert time.monotonic() - began < 15
    assert len(service.simulator.journal.requests()) == asked and service.simulator.ledger.totals() == {}
    heir = start()
    assert comes(lambda: heir.is_ready and heir.count("leads") == 1)
    assert comes(lambda: heir.counters()["metrics"]["adopted"] > 0)
    assert heir.do("close") == "HOIST_OK"
    assert service.simulator.ledger.totals()[FLAG]["yes"] == COUNT + 1
    assert server.ask("HLEN", "{hoist:unleash:test}:facts") == 0


def test_an_offline_client_keeps_the_lead_from_no_other(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """(FLT 1; starting, offline, ready, second process)"""
    offline = start(online="false")
    assert offline.do(f"on {FLAG}") == "0"
    first = start()
    assert comes(lambda: first.count("leads") == 1 and first.is_ready)
    assert (offline.count("leads"), offline.count("read"), offline.has_fetched) == (0, 0, False)
    assert offline.do("online") == "HOIST_OK"
    assert comes(lambda: offline.do(f"on {FLAG}") == "1" and offline.is_ready)
    assert leaders([first, offline]) == [first] and not offline.has_fetched


def test_an_offline_client_that_has_counted_nothing_leaves_nothing(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """Close says so: nothing of it was to be sent (FLT 1, contract 6; offline, closed, second process)"""
    offline = start(online="false")
    first = start(disable_metrics="true")
    assert comes(lambda: first.count("leads") == 1 and first.is_ready)
    asked = len(service.simulator.journal.requests())
    assert offline.do("close") == "HOIST_OK"
    assert len(service.simulator.journal.requests()) == asked and not offline.has_fetched
