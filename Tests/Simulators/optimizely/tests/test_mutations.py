"""Every endpoint accepts a correct request and refuses the same request with one thing wrong."""

from __future__ import annotations

import pytest

from optimizely import OptimizelySimulator

from .support import BUILDERS


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: OptimizelySimulator, name: str) -> None:
    call = BUILDERS[name](simulator)
    reply = call.send(simulator)
    assert reply.status in (200, 202, 204), reply.json
    assert simulator.violations == []
