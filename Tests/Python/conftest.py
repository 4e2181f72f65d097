"""Clients and services that many tests use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from documents import TYPED
from unleash import UnleashSimulator

import hoist


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--children", type=int, default=20, help="forked children in the fork tests (default 20)")


@pytest.fixture
def children(request: pytest.FixtureRequest) -> int:
    """How many children the fork tests make."""
    return int(request.config.getoption("--children"))


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
