"""One simulator per test: starting one takes about a millisecond. Time stands still at `NOW`."""

from __future__ import annotations

from typing import Iterator

import pytest

from kameleoon import KameleoonSimulator

from .support import NOW


@pytest.fixture
def simulator() -> Iterator[KameleoonSimulator]:
    with KameleoonSimulator(now=lambda: NOW, keep_alive_seconds=0.01) as service:
        yield service


@pytest.fixture
def lenient() -> Iterator[KameleoonSimulator]:
    """Records violations, but answers as the real services would."""
    with KameleoonSimulator(now=lambda: NOW, keep_alive_seconds=0.01, enforce=False) as service:
        yield service
