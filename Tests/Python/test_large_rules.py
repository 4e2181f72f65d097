"""Rules that take a while to compile: whole sets and changes in quick succession, while the client forks, closes and goes offline.

What happens is drawn from a seed, so that a run can be repeated.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from launchdarkly_server import LaunchDarklyServerSimulator
from test_fork import finish, fork
from test_launchdarkly_server import reach
from waiting import until

import hoist
from hoist import Status

SEED = 20_261_128
KEYS = [f"flag-{number}" for number in range(1_500)]
ROUNDS = 60
ANNA = {"targetingKey": "anna"}


def rules(values: dict[str, bool]) -> dict[str, Any]:
    """As the service has them: some 400 KB."""
    return {"flags": {key: {"key": key, "version": 1, "on": is_on, "variations": [True, False], "offVariation": 1,
                            "fallthrough": {"variation": 0}, "salt": "s", "comment": "x" * 120}
                      for key, is_on in values.items()}, "segments": {}}  # fmt: skip


@pytest.fixture
def service() -> Iterator[LaunchDarklyServerSimulator]:
    with LaunchDarklyServerSimulator(rules(dict.fromkeys(KEYS, False))) as simulator:
        yield simulator
        assert simulator.violations == [], simulator.violations


class Succession:
    """Changes of the rules, and what a host does meanwhile, drawn one by one."""

    def __init__(self, service: LaunchDarklyServerSimulator, client: hoist.Client) -> None:
        self.service = service
        self.client = client
        self.chance = random.Random(SEED)
        self.values = dict.fromkeys(KEYS, False)
        self.children: list[int] = []

    def whole(self) -> None:
        """Another set, and changes at once behind it."""
        self.values = {key: self.chance.random() < 0.5 for key in KEYS}
        self.service.replace_data(rules(self.values))
        self.some()

    def some(self) -> None:
        for key in self.chance.sample(KEYS, 3):
            self.values[key] = not self.values[key]
            self.service.set_flag(key, on=self.values[key])

    def forks(self) -> None:
        """A child reads at once, what it inherited or what came since."""
        self.children.append(fork(lambda: [self.client.bool(key, ANNA) for key in KEYS[:50]]))

    def goes_offline(self) -> None:
        self.client.online = False
        self.client.online = True

    def closes(self) -> None:
        self.client.close(0)
        self.client.reopen()

    def step(self) -> None:
        self.chance.choices([self.whole, self.some, self.forks, self.goes_offline, self.closes], [4, 4, 3, 1, 1])[0]()
        time.sleep(self.chance.random() * 0.02)

    def agrees(self) -> bool:
        return all(self.client.bool(key, ANNA) == value for key, value in self.values.items())


@pytest.mark.parametrize("mode", ["streaming", "polling"])
def test_the_last_rules_are_served_in_the_end(service: LaunchDarklyServerSimulator, tmp_path: Path, mode: str) -> None:
    """(LDS-04, LDS-06, LDS-17; ready, offline, closed, reopened, forked)"""
    properties = {**reach(service), "store.path": str(tmp_path), "streaming_mode": mode, "flag_polling_interval_ms": 50}
    with hoist.Client("launchdarkly", properties) as client:
        assert client.wait_ready(20) is Status.OK
        succession = Succession(service, client)
        for _ in range(ROUNDS):
            succession.step()
        assert finish(succession.children) == [0] * len(succession.children)
        assert len(succession.children) > 3
        assert until(succession.agrees, 20), "what is served is not what the service has"
