"""One simulator per test: starting one takes about a millisecond. Time stands still at `NOW`."""

from __future__ import annotations

from typing import Iterator

import pytest

from optimizely import OptimizelySimulator

from .support import NOW


@pytest.fixture
def simulator() -> Iterator[OptimizelySimulator]:
    with OptimizelySimulator(now=lambda: NOW) as service:
        yield service


@pytest.fixture
def lenient() -> Iterator[OptimizelySimulator]:
    """Records violations, but answers as the real services would."""
    with OptimizelySimulator(now=lambda: NOW, enforce=False) as service:
        yield service
