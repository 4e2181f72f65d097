"""Clients of five services in one process: each serves its own flags and tells its own service only."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flagship_clients
import kameleoon_clients
import pytest
from conftest import connection, reach
from documents import TYPED
from flagship import FlagshipSimulator
from kameleoon import KameleoonSimulator, sample_configuration
from launchdarkly import LaunchDarklySimulator
from loopback.service import Service
from optimizely import OptimizelySimulator
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import flagship, kameleoon, launchdarkly, optimizely, unleash

SEED, WORKERS, EVENTS = 20_260_105, 4, 60
TROUBLES: list[tuple[str, dict[str, Any]]] = [("status", {"status": 503}), ("reset", {}), ("close", {}), ("drop", {})]


@dataclass
class Side:
    """One service, its client, and how the client is used: an evaluation, an event, and how many events arrived."""

    service: Service
    client: hoist.Client
    evaluate: Callable[[], bool]
    track: Callable[[int], hoist.Status]
    arrived: Callable[[], int]
    endpoints: tuple[str, ...]
    """Where troubles may befall it: what is tried again until it is through, which LaunchDarkly does once."""


def of_unleash(service: UnleashSimulator, store: str) -> Side:
    client = unleash.Client({**connection(service, "backend"), "store.path": store, "metrics_interval": 1})
    return Side(service, client, lambda: client.int("integer", None, 0) in (0, 42), lambda _: hoist.Status.OK,
                lambda: EVENTS, ("metrics",))  # fmt: skip


def of_optimizely(service: OptimizelySimulator, store: str) -> Side:
    addresses = {"datafile.url": service.datafile_url, "events.url.us": service.events_url}
    client = optimizely.Client({**addresses, "sdk_key": service.sdk_key, "store.path": store})
    user = client.user("carla")
    quiet = ["DISABLE_DECISION_EVENT"]
    return Side(service, client, lambda: user.decide("checkout_flow", quiet).flag_key == "checkout_flow",
                lambda _: user.track("purchase", {"revenue": 1}), lambda: _count(service.ledger.conversions()),
                ("events-us",))  # fmt: skip


def of_launchdarkly(service: LaunchDarklySimulator, store: str) -> Side:
    client = launchdarkly.Client({**reach(service), "store.path": store, "events.flush_interval_ms": 200})
    return Side(service, client, lambda: client.bool_variation("dark-mode", False) in (True, False),
                lambda number: client.track("purchase", value=float(number)),
                lambda: _count(service.ledger.custom()), ())  # fmt: skip


def of_flagship(service: FlagshipSimulator, store: str) -> Side:
    properties = {**flagship_clients.reach(service), "mode": "bucketing", "store.path": store, "hits.batch_interval": 1}
    client = flagship.Client(properties)
    assert client.wait_ready(20)
    visitor = client.visitor("staff-1", context=flagship_clients.ORDERS)
    assert visitor.fetch()
    return Side(service, client, lambda: visitor.value("maximum_items", 0, expose=False) == 42,
                lambda number: visitor.send(flagship.Screen(f"screen-{number}")),
                lambda: len(service.ledger.screens()), ("hits",))  # fmt: skip


def of_kameleoon(service: KameleoonSimulator, store: str) -> Side:
    client = kameleoon.Client({**kameleoon_clients.reach(service), "store.path": store})
    visitor = client.visitor("carla")
    visitor.add_data(kameleoon.CustomData(0, "gold"))
    return Side(service, client, lambda: visitor.is_feature_active("loyal"), visitor.track_conversion,
                lambda: len(service.ledger.conversions()), ("tracking", "stream"))  # fmt: skip


def _count(events: dict[str, dict[str, Any]]) -> int:
    """How many purchases a service was told of."""
    return int(events.get("purchase", {"count": 0})["count"])


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[list[Side]]:
    """Strict services, each with a client that has flags. No request breaks a protocol."""
    with ExitStack() as stack:
        services: list[Any] = [
            stack.enter_context(service) for service in (
                UnleashSimulator(TYPED), OptimizelySimulator(), LaunchDarklySimulator(), FlagshipSimulator(),
                KameleoonSimulator(sample_configuration(real_time=True)))]  # fmt: skip
        makers = (of_unleash, of_optimizely, of_launchdarkly, of_flagship, of_kameleoon)
        made = [maker(service, str(tmp_path / str(number)))
                for number, (maker, service) in enumerate(zip(makers, services, strict=True))]  # fmt: skip
        for side in made:
            assert side.client.wait_ready(20), side.client
        yield made
        for side in made:
            side.client.close(5)
        assert [violation for service in services for violation in service.violations] == []


def test_a_storm_over_all_loses_nothing(sides: list[Side]) -> None:
    """G1, G3, G5"""
    chance, wrong, over = random.Random(SEED), [], threading.Event()

    def evaluate(side: Side) -> None:
        while not over.is_set():
            if not side.evaluate():
                wrong.append(side.client)

    workers = [threading.Thread(target=evaluate, args=(side,)) for side in sides for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    try:
        for number in range(EVENTS):
            for side in sides:
                assert side.track(number), side.client
                if side.endpoints and chance.random() < 0.1:
                    kind, more = chance.choice(TROUBLES)
                    side.service.fail(chance.choice(side.endpoints), kind, **more)
    finally:
        over.set()
        for worker in workers:
            worker.join(20)
    assert wrong == []
    for side in sides:
        assert until(lambda side=side: side.client.flush(10) and side.arrived() >= EVENTS, 60), side.client
        assert side.arrived() == EVENTS


def test_one_that_is_gone_stops_no_other(sides: list[Side]) -> None:
    """G5: a service that answers nothing, a client that is closed"""
    for dead in sides:
        dead.service.fail("any", "hang", times=None)
        others = [side for side in sides if side is not dead]
        for side in others:
            assert side.track(1) and side.evaluate() and side.client.flush(20), (dead.client, side.client)
        dead.service.faults.clear()
        dead.client.close(2)
        assert all(side.evaluate() for side in others)
        sides = others
