"""Flagship clients of strict services, for the tests of the face."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from flagship import FlagshipSimulator

from hoist.flagship import Client

MODES = ("decision_api", "bucketing")
STAFF, ORDERS = "staff-1", {"vip": True, "orders": 3}
"""Whom both modes give the same flags of the sample, but the variation of `free_shipping`."""
FLAGS = {
    "button_colour": "blue", "free_shipping": True, "maximum_items": 42, "discount": 12.5, "banner": None,
    "sizes": [38, 39.5, "one"], "texts": {"title": "Hei", "lines": ["a", "b"]}, "welcome": "welcome back",
}  # fmt: skip

Opener = Callable[..., Client]


@contextmanager
def strict_service(**options: Any) -> Iterator[FlagshipSimulator]:
    """Services of the test's own. Fails the test that broke the protocol."""
    with FlagshipSimulator(**options) as simulator:
        yield simulator
        assert simulator.violations == [], simulator.violations


def reach(service: FlagshipSimulator) -> dict[str, Any]:
    """The properties that reach the services."""
    return {
        "env_id": service.environment_id, "api_key": service.api_key, "decision.url": service.decision_url,
        "cdn.url": service.cdn_url, "events.url": service.events_url, "usage_tracking": False,
    }  # fmt: skip


@contextmanager
def opener(service: FlagshipSimulator) -> Iterator[Opener]:
    """Opens clients of a service, `open_client("bucketing", **more)`, and closes them at the end. They are ready."""
    opened: list[Client] = []

    def open_one(mode: str = "decision_api", ready: bool = True, **more: Any) -> Client:
        properties = {**reach(service), "mode": mode, "store": "none", **more.pop("properties", {})}
        client = Client(properties, **more)
        opened.append(client)
        assert not ready or client.wait_ready(10)
        return client

    yield open_one
    for client in opened:
        client.close(2)
