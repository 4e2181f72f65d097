"""What a child process does that opens a client of its own, and leaves it open. Imports little: many start at once."""

from __future__ import annotations

from typing import Any

import hoist

_left_open: list[hoist.Client] = []


def evaluate(url: str, key: str) -> None:
    """Counts one evaluation, which the end of the process is to deliver."""
    hoist.set_exit_limit(60)
    client = hoist.Client("unleash", url=url, key=key, app_name="shop", store="none")
    _left_open.append(client)
    assert client.wait_ready(60)
    assert client.bool("switch")


def evaluate_together(barrier: Any, url: str, key: str) -> None:
    """`evaluate` as the task of a pool: no worker gets a second one."""
    barrier.wait(60)
    evaluate(url, key)
