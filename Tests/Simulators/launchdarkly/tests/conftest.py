"""One simulator per test: starting one takes about a millisecond. Time stands still at `NOW`."""

from __future__ import annotations

from typing import Iterator

import pytest

from launchdarkly import LaunchDarklySimulator

from .support import NOW


@pytest.fixture
def simulator() -> Iterator[LaunchDarklySimulator]:
    with LaunchDarklySimulator(now=lambda: NOW) as service:
        yield service


@pytest.fixture
def lenient() -> Iterator[LaunchDarklySimulator]:
    """Records violations, but answers as the real services would."""
    with LaunchDarklySimulator(now=lambda: NOW, enforce=False) as service:
        yield service
