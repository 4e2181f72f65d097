"""One simulator per test: starting one takes about a millisecond. Time stands still at `NOW`."""

from __future__ import annotations

from typing import Iterator

import pytest

from launchdarkly_server import LaunchDarklyServerSimulator

from .support import NOW


@pytest.fixture
def simulator() -> Iterator[LaunchDarklyServerSimulator]:
    with LaunchDarklyServerSimulator(now=lambda: NOW) as service:
        yield service


@pytest.fixture
def lenient() -> Iterator[LaunchDarklyServerSimulator]:
    """Records violations, but answers as the real service would."""
    with LaunchDarklyServerSimulator(now=lambda: NOW, enforce=False) as service:
        yield service
