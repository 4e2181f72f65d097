"""One simulator per test: starting one takes about a millisecond."""

from __future__ import annotations

from typing import Iterator

import pytest

from unleash import UnleashSimulator

from .support import STATE


@pytest.fixture
def simulator() -> Iterator[UnleashSimulator]:
    with UnleashSimulator(STATE) as service:
        yield service


@pytest.fixture
def edge() -> Iterator[UnleashSimulator]:
    with UnleashSimulator(STATE, flavour="edge") as service:
        yield service


@pytest.fixture
def lenient() -> Iterator[UnleashSimulator]:
    """Records violations, but answers as the real service would."""
    with UnleashSimulator(STATE, enforce=False) as service:
        yield service
