"""Waiting for the thing itself: a busy machine may take long."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 60


def comes(condition: Callable[[], bool], within_s: float = PATIENCE_S) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
