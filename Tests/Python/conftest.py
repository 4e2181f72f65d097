"""Clients and services that many tests use."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flagship_clients
import kameleoon_clients
import pytest
from documents import TYPED
from flagship import FlagshipSimulator
from kameleoon import KameleoonSimulator
from launchdarkly import LaunchDarklySimulator
from unleash import UnleashSimulator

import hoist
from hoist._native import NULL, lib


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--children", type=int, default=20, help="forked children in the fork tests (default 20)")
    parser.addoption("--stream-events", type=int, default=1600, help="events in the storm of streams (default 1600)")


@pytest.fixture
def children(request: pytest.FixtureRequest) -> int:
    """How many children the fork tests make."""
    return int(request.config.getoption("--children"))


@pytest.fixture
def stream_events(request: pytest.FixtureRequest) -> int:
    """How many events the storm of streams has."""
    return int(request.config.getoption("--stream-events"))


@pytest.fixture
def offline() -> Iterator[hoist.Client]:
    """A client that evaluates `TYPED` here and never uses the network."""
    with hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap=TYPED) as client:
        assert client.wait_ready(5)
        yield client


@contextmanager
def strict_service() -> Iterator[UnleashSimulator]:
    """An Unleash service with the flags of `TYPED`. Fails the test that broke the protocol."""
    with UnleashSimulator(TYPED) as simulator:
        yield simulator
        assert simulator.violations == []


Opener = Callable[..., Any]


@contextmanager
def opener(service: UnleashSimulator) -> Iterator[Opener]:
    """Opens clients of a service, `open_client("frontend", **properties)`, and closes them at the end."""
    opened: list[hoist.Client] = []

    def open_one(mode: str, /, cls: type[hoist.Client] = hoist.Client, **properties: Any) -> hoist.Client:
        settings = {**connection(service, mode), "store": "none", **properties}
        client = cls("unleash", **settings) if cls is hoist.Client else cls(**settings)
        opened.append(client)
        return client

    yield open_one
    for client in opened:
        client.close(2)


@pytest.fixture
def service() -> Iterator[UnleashSimulator]:
    """A strict service of the test's own."""
    with strict_service() as service:
        yield service


@pytest.fixture
def open_client(service: UnleashSimulator) -> Iterator[Opener]:
    """Opens clients of `service`."""
    with opener(service) as open_one:
        yield open_one


def connection(service: UnleashSimulator, mode: str) -> dict[str, Any]:
    """The properties that reach a service in one of its modes."""
    if mode == "frontend":
        return {"mode": mode, "url": service.frontend_url, "key": service.frontend_key, "app_name": "shop"}
    return {"mode": mode, "url": service.api_url, "key": service.backend_key, "app_name": "shop"}


_SERVING = ("hoist_launchdarkly_all_flags", "hoist_launchdarkly_set_run_mode")


@pytest.fixture
def launchdarkly() -> Iterator[LaunchDarklySimulator]:
    """Strict LaunchDarkly services of the test's own, with the sample's flags."""
    if not all(hasattr(lib, name) for name in _SERVING):
        pytest.skip("the library serves no flags of LaunchDarkly yet")
    with LaunchDarklySimulator() as simulator:
        yield simulator
        assert simulator.violations == []


ANNA = {"kind": "user", "key": "anna", "plan": "pro"}
"""Whom clients of LaunchDarkly start with, unless a test says otherwise."""


def reach(service: LaunchDarklySimulator) -> dict[str, Any]:
    """The properties that reach LaunchDarkly's services; nothing is sent but on demand, and retries come soon."""
    return {
        "mobile_key": service.mobile_key, "base_url": service.url, "stream_url": service.url, "events_url": service.url,
        "context": json.dumps(ANNA), "initial_retry_delay_ms": 20, "ignore_polling_minimum": True,
        "diagnostic_opt_out": True, "events.flush_interval_ms": 3_600_000,
    }  # fmt: skip


def is_online(client: hoist.Client) -> bool:
    """LaunchDarkly's own word (LD-10): `client.online` is what the host has asked for."""
    return bool(lib.hoist_launchdarkly_is_online(client._pointer))


def start(client: hoist.Client) -> hoist.Status:
    """Starts a client that was opened with `autostart` off, until what the store has of its context is served."""
    return hoist.Status(lib.hoist_launchdarkly_start_wait(client._pointer, 5000, NULL))


@pytest.fixture
def connect(launchdarkly: LaunchDarklySimulator, tmp_path: Path) -> Iterator[Opener]:
    """Opens clients of `launchdarkly` on one store, and closes them at the end. They are ready, unless `ready=False`."""
    opened: list[hoist.Client] = []

    def open_one(ready: bool = True, **properties: Any) -> hoist.Client:
        client = hoist.Client("launchdarkly", {**reach(launchdarkly), "store.path": str(tmp_path), **properties})
        opened.append(client)
        assert not ready or client.wait_ready(10) is hoist.Status.OK
        return client

    yield open_one
    for client in opened:
        client.close(5)


@pytest.fixture
def flagship() -> Iterator[FlagshipSimulator]:
    """Strict Flagship services of the test's own, with the sample's campaigns."""
    with flagship_clients.strict_service() as simulator:
        yield simulator


@pytest.fixture
def open_flagship(flagship: FlagshipSimulator) -> Iterator[flagship_clients.Opener]:
    """Opens clients of `flagship`."""
    with flagship_clients.opener(flagship) as open_one:
        yield open_one


@pytest.fixture
def kameleoon() -> Iterator[KameleoonSimulator]:
    """Strict Kameleoon services of the test's own, with the sample's site."""
    with kameleoon_clients.strict_service() as simulator:
        yield simulator


@pytest.fixture
def open_kameleoon(kameleoon: KameleoonSimulator) -> Iterator[kameleoon_clients.Opener]:
    """Opens clients of `kameleoon`."""
    with kameleoon_clients.opener(kameleoon) as open_one:
        yield open_one
