"""The service under test, and what its clients talk to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import Client, ContractService
from launchdarkly import LaunchDarklySimulator
from launchdarkly_server import LaunchDarklyServerSimulator

Create = Callable[..., Client]


def running(side: str) -> Iterator[ContractService]:
    with ContractService(side) as service:
        yield service
        assert service.ask("DELETE", "/").status == 204
        assert service.process.wait(10) == 0


@pytest.fixture(scope="session")
def contract() -> Iterator[ContractService]:
    """One service of the client side for all tests, as the harness has it."""
    yield from running("client")


@pytest.fixture(scope="session")
def server_contract() -> Iterator[ContractService]:
    """The same of the server side."""
    yield from running("server")


@pytest.fixture
def launchdarkly() -> Iterator[LaunchDarklySimulator]:
    """Strict LaunchDarkly services of the test's own, which expect what the usual client does: it asks for reasons, and sums up
    evaluations for each context.

    The key is the test's own too: what clients save is kept as long as the service under test runs.
    """
    with LaunchDarklySimulator(mobile_key=f"mob-{uuid.uuid4()}", with_reasons=True, context_summaries=True) as simulator:
        yield simulator
        assert simulator.violations == []


@pytest.fixture
def rules() -> Iterator[LaunchDarklyServerSimulator]:
    """A strict service of rules of the test's own, with the sample's flags and segments."""
    with LaunchDarklyServerSimulator() as simulator:
        yield simulator
        assert simulator.violations == []


@pytest.fixture
def create(contract: ContractService, launchdarkly: LaunchDarklySimulator) -> Iterator[Create]:
    """Makes clients of the simulated services; what a test names replaces what is usual. Closes them at the end."""
    yield from making(contract, usual(launchdarkly))


@pytest.fixture
def serve(server_contract: ContractService, rules: LaunchDarklyServerSimulator) -> Iterator[Create]:
    """`create` for the server side."""
    yield from making(server_contract, usual_of_server(rules))


def making(contract: ContractService, settings: dict[str, Any]) -> Iterator[Create]:
    made: list[Client] = []

    def create(**configuration: Any) -> Client:
        client = contract.create({**settings, **configuration})
        made.append(client)
        return client

    yield create
    for client in made:
        client.service.ask("DELETE", client.path)


def usual(service: LaunchDarklySimulator, key: str = "user-key") -> dict[str, Any]:
    """A streaming client with events, as most tests of the harness have it."""
    return {
        "credential": service.mobile_key,
        "startWaitTimeMs": 5000,
        "initCanFail": False,
        "serviceEndpoints": {"streaming": service.url, "polling": service.url, "events": service.url},
        "streaming": {"baseUri": service.url},
        "events": {"baseUri": service.url, "enableDiagnostics": False},
        "clientSide": {"initialContext": {"kind": "user", "key": key}, "evaluationReasons": True},
    }


def usual_of_server(service: LaunchDarklyServerSimulator) -> dict[str, Any]:
    """A streaming client of the server side with events."""
    return {
        "credential": service.sdk_key,
        "startWaitTimeMs": 5000,
        "initCanFail": False,
        "streaming": {"baseUri": service.url},
        "events": {"baseUri": service.url, "enableDiagnostics": False},
    }
