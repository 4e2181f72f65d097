"""Waiting for the thing itself: a busy machine may take long."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 60


def comes(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
