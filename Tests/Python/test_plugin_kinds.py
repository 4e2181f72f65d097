"""What holds for plug-ins of every kind that are written in Python."""

from __future__ import annotations

import os
import threading
import time

from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import Status, Topic


def test_a_plugin_that_forks_is_no_harm(service: UnleashSimulator, open_client) -> None:
    """G9, G11: observers and header providers that fork; the children leave at once."""
    children: list[int] = []

    def fork(_: object = None) -> dict[str, str]:
        child = os.fork()
        if child == 0:
            os._exit(7)
        children.append(child)
        return {}

    client = open_client("frontend", headers=fork, refresh_interval=1)
    client.observe(Topic.READY, fork)
    assert client.wait_ready(10) and client.bool("switch") and client.flush(5)
    assert until(lambda: len(children) >= 3)
    assert {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in list(children)} == {7}
    assert client.state is hoist.State.READY


def test_one_slow_plugin_does_not_hold_up_another_client(service: UnleashSimulator, open_client) -> None:
    """G11"""
    leave = threading.Event()
    slow = open_client("frontend", headers=lambda url: leave.wait(30) and {})
    quick = open_client("backend")
    assert quick.wait_ready(5)
    assert slow.wait_ready(0.2) is Status.TIMEOUT
    began = time.monotonic()
    for _ in range(1000):
        slow.bool("switch")
    assert time.monotonic() - began < 2
    leave.set()
    assert slow.wait_ready(10)
