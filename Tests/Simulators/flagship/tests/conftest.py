"""One simulator per test: starting one takes about a millisecond. Time stands still at `NOW`."""

from __future__ import annotations

from typing import Iterator

import pytest

from flagship import FlagshipSimulator

from .support import NOW


@pytest.fixture
def simulator() -> Iterator[FlagshipSimulator]:
    with FlagshipSimulator(now=lambda: NOW) as service:
        yield service


@pytest.fixture
def lenient() -> Iterator[FlagshipSimulator]:
    """Records violations, but answers as the real services would."""
    with FlagshipSimulator(now=lambda: NOW, enforce=False) as service:
        yield service
