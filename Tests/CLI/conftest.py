from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from tool import FEATURES, Tool
from unleash import UnleashSimulator


@pytest.fixture
def hoist(tmp_path: Path) -> Tool:
    return Tool(tmp_path)


@pytest.fixture
def service() -> Iterator[UnleashSimulator]:
    """A strict service: whatever test uses it also proves that no request broke the protocol."""
    with UnleashSimulator(json.loads(FEATURES.read_text())) as simulator:
        yield simulator
        assert simulator.violations == []
