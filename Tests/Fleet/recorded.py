"""A service of Unleash, and what it has been told that hosts have recorded (host.c)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from unleash import UnleashSimulator

FLAGS = {"version": 1, "features": [{"name": "switch", "enabled": True, "strategies": [{"name": "default"}]}]}


@pytest.fixture(name="service")
def unleash_service() -> Iterator[UnleashSimulator]:
    with UnleashSimulator(FLAGS) as made:
        yield made
        assert made.violations == []


def booked(service: UnleashSimulator) -> dict[str, int]:
    return {json.loads(labels)["event"]: count for labels, count in service.ledger.impact().get("recorded", {}).items()}
