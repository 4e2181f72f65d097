"""States that a client meets whatever service it is of, through the core's calls: opened again, and with a full disk or queue."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import kameleoon_clients
import pytest
from conftest import connection
from documents import TYPED
from kameleoon import KameleoonSimulator
from optimizely import OptimizelySimulator
from test_plugin_cache import Memory
from unleash import UnleashSimulator

import hoist
from hoist import Status

CARLA = hoist.Context("carla", country="de", age=30, member=True)


class FullDisk(Memory):
    """A cache that reads and keeps nothing."""

    def save(self, key: str, value: bytes) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    def put_events(self, rows: Sequence[hoist.EventRow], owner: str, lease_ms: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")


@dataclass
class Side:
    """One service, how its clients are opened, a flag that is on, an event, and how many of those arrived."""

    provider: str
    properties: dict[str, Any]
    flag: str
    event: str
    arrived: Callable[[], int]

    def open(self, **more: Any) -> hoist.Client:
        plain = {"store": "none", "log.level": "none"}
        return hoist.Client(self.provider, {**self.properties, **plain, "events.capacity": 10}, **more)

    def is_on(self, client: hoist.Client) -> bool:
        return client.bool(self.flag, CARLA, False)

    def record(self, client: hoist.Client) -> Status:
        return client.track(self.event, CARLA, value=1.0)


def of_unleash(service: UnleashSimulator) -> Side:
    properties = {**connection(service, "backend"), "metrics_interval": 3600}
    return Side("unleash", properties, "switch", "bought",
                lambda: sum(cell["count"] for cell in service.ledger.impact().get("bought_value", {}).values()))  # fmt: skip


def of_optimizely(service: OptimizelySimulator) -> Side:
    properties = {"sdk_key": service.sdk_key, "datafile.url": service.datafile_url, "events.url.us": service.events_url,
                  "decide_options": ["DISABLE_DECISION_EVENT"]}  # fmt: skip
    return Side("optimizely", properties, "checkout_flow", "purchase",
                lambda: int(service.ledger.conversions().get("purchase", {"count": 0})["count"]))  # fmt: skip


def of_kameleoon(service: KameleoonSimulator) -> Side:
    return Side("kameleoon", kameleoon_clients.reach(service), "limits", "7",
                lambda: sum(goal["count"] for goal in service.ledger.conversions().values()))  # fmt: skip


MAKERS = {"unleash": (lambda: UnleashSimulator(TYPED), of_unleash), "optimizely": (OptimizelySimulator, of_optimizely),
          "kameleoon": (KameleoonSimulator, of_kameleoon)}  # fmt: skip


@pytest.fixture(params=MAKERS)
def side(request: pytest.FixtureRequest) -> Iterator[Side]:
    """A strict service of the test's own."""
    simulator, maker = MAKERS[request.param]
    with simulator() as service:
        yield maker(service)
        assert service.violations == []


def test_a_client_that_was_closed_opens_again(side: Side) -> None:
    """It serves, records and delivers as before (UNL-24, UNL-88, OPT-02, OPT-63, KAM-15, KAM-41; closed, reopened)."""
    with side.open() as client:
        assert client.wait_ready(20) and side.is_on(client)
        assert client.close(5)
        assert side.record(client) is Status.STATE
        client.reopen()
        assert client.wait_ready(20) and side.is_on(client)
        assert side.record(client) and client.flush(20)
        assert side.arrived() == 1


def test_a_full_disk_is_told_and_costs_nothing_else(side: Side) -> None:
    """Flags are served, and events go from memory (UNL-81, UNL-88, OPT-50, OPT-72, KAM-58, KAM-76; full disk)."""
    with side.open(cache=FullDisk(), events_durability="immediate") as client:
        assert client.wait_ready(20) and side.is_on(client)
        assert side.record(client) is Status.UNSAVED
        assert client.flush(20)
        assert side.arrived() == 1


def test_a_full_queue_is_told_and_has_room_again(side: Side) -> None:
    """What finds no room is refused with that, until something has gone (UNL-88, OPT-72, KAM-41; full queue)."""
    with side.open() as client:
        assert client.wait_ready(20)
        client.online = False
        told = [side.record(client) for _ in range(12)]
        assert told == [Status.OK] * 10 + [Status.LIMIT] * 2
        client.online = True
        assert client.flush(20) and side.record(client) and client.flush(20)
        assert side.arrived() == 11
