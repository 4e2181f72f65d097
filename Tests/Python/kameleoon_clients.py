"""Kameleoon clients of strict services, for the tests of the face."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kameleoon import KameleoonSimulator

from hoist.kameleoon import Client

Opener = Callable[..., Client]
LATER = 1_767_225_600_001
"""A modification time after the sample's."""


@contextmanager
def strict_service(document: Any = None, **options: Any) -> Iterator[KameleoonSimulator]:
    """Services of the test's own. Fails the test that broke the protocol."""
    with KameleoonSimulator(document, **options) as simulator:
        yield simulator
        assert simulator.violations == [], simulator.violations


def reach(service: KameleoonSimulator) -> dict[str, Any]:
    """The properties that reach the services; tracking requests come as often as they may."""
    return {
        "site_code": service.site_code, "configuration.url": service.configuration_url, "data.url": service.data_url,
        "stream.url": service.stream_url, "token.url": service.token_url, "tracking_interval_millisecond": 100,
    }  # fmt: skip


@contextmanager
def opener(service: KameleoonSimulator) -> Iterator[Opener]:
    """Opens clients of a service, `open_client(**properties)`, and closes them at the end. They are ready."""
    opened: list[Client] = []

    def open_one(ready: bool = True, **more: Any) -> Client:
        properties = {**reach(service), "store": "none", **more.pop("properties", {})}
        client = Client(properties, **more)
        opened.append(client)
        assert not ready or client.wait_ready(10)
        return client

    yield open_one
    for client in opened:
        client.close(2)


def share(code: str, identifier: int) -> float:
    """Where a visitor stands between 0 and 1 for a rule or an experiment (protocol 3.2)."""
    return int.from_bytes(hashlib.sha256(f"{code}{identifier}".encode()).digest(), "big") / 2**256


def checkout_of(code: str) -> str:
    """The variation of the sample's experiment that a visitor gets."""
    place = share(code, 100)
    return "off" if place <= 0.34 else "short" if place <= 0.67 else "express"
