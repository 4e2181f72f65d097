"""The service under test, and what its clients talk to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import Client, ContractService
from launchdarkly import LaunchDarklySimulator


@pytest.fixture(scope="session")
def contract() -> Iterator[ContractService]:
    """One service for all tests, as the harness has it."""
    with ContractService() as service:
        yield service
        assert service.ask("DELETE", "/").status == 204
        assert service.process.wait(10) == 0


@pytest.fixture
def launchdarkly() -> Iterator[LaunchDarklySimulator]:
    """Strict LaunchDarkly services of the test's own, which expect what the usual client does: it asks for reasons, and sums up
    evaluations for each context.

    The key is the test's own too: what clients save is kept as long as the service under test runs.
    """
    with LaunchDarklySimulator(mobile_key=f"mob-{uuid.uuid4()}", with_reasons=True, context_summaries=True) as simulator:
        yield simulator
        assert simulator.violations == []


Create = Callable[..., Client]


@pytest.fixture
def create(contract: ContractService, launchdarkly: LaunchDarklySimulator) -> Iterator[Create]:
    """Makes clients of the simulated services; what a test names replaces what is usual. Closes them at the end."""
    made: list[Client] = []

    def create(**configuration: Any) -> Client:
        client = contract.create({**usual(launchdarkly), **configuration})
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
