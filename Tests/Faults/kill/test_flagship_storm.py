"""Hundreds of calls of several visitors while every endpoint fails now and then, campaigns
change, and the process is killed now and then: no hit that was recorded is lost, nothing of a visitor who has refused is
sent, and the service finds no fault.

What happens is drawn from a seed, so that a run can be repeated.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from flagship import FlagshipSimulator, sample_bucketing
from flagship.ledger import is_consent
from flagship_world import FlagshipHost, FlagshipWorld

SEED = 20_260_105
ROUNDS, CALLS = 9, 45
NAMES = ("anna", "ben", "carla")
# That a host can tell apart.
MOST_VISITORS = 8
TROUBLES: list[dict[str, Any]] = [
    {"kind": "status", "status": 500}, {"kind": "status", "status": 429, "retryAfter": "60"}, {"kind": "close"},
    {"kind": "reset"}, {"kind": "drop"}, {"kind": "hang"}, {"kind": "slow", "interval": 0.001, "part": "all"},
    {"kind": "redirect", "status": 302, "location": "http://127.0.0.1:9/elsewhere"}]
SHORT = {"network__timeout_ms": 500, "hits__batch_interval": 1, "hits__pool_max_size": 5, "polling_interval": 1}


class Storm:
    """What was recorded, and by whom. A visitor who refuses is another one from then on."""

    def __init__(self, service: FlagshipSimulator) -> None:
        self.service = service
        self.chance = random.Random(SEED)
        self.recorded: dict[str, str] = {}
        self.refused: set[str] = set()
        """Those whose refusal was in the store when they were told so."""
        self.silenced: set[str] = set()
        """Those and others who have refused."""
        self.visitors = {name: f"{name}-0" for name in NAMES}
        self.met: list[str] = []
        self.screens = 0

    def begin(self, host: FlagshipHost) -> None:
        self.met = []
        for visitor in self.visitors.values():
            self.greet(host, visitor)

    def greet(self, host: FlagshipHost, visitor: str) -> None:
        assert host(f"visitor {visitor} consented").startswith("visitor ")
        self.met.append(visitor)

    def call(self, host: FlagshipHost) -> None:
        name = self.chance.choice(NAMES)
        visitor = self.visitors[name]
        draw = self.chance.random()
        if draw < 0.55:
            self.screens += 1
            if host(f"screen {visitor} s{self.screens}") == f"recorded s{self.screens}":
                self.recorded[f"s{self.screens}"] = visitor
        elif draw < 0.75:
            host(f"fetch {visitor}")
            host(f"flag {visitor} button_colour")
        elif draw < 0.84:
            endpoint = self.chance.choice(["hits", "activate", "bucketing"])
            self.service.fail(endpoint, **self.chance.choice(TROUBLES))
        elif draw < 0.88:
            document = sample_bucketing()
            self.chance.shuffle(document["campaigns"])
            self.service.publish(document)
        elif draw < 0.92:
            host("flush")
        elif draw < 0.95 and len(self.met) < MOST_VISITORS:
            self.refuse(host, name, visitor)
        else:
            host("refresh")

    def refuse(self, host: FlagshipHost, name: str, visitor: str) -> None:
        self.silenced.add(visitor)
        if host(f"consent {visitor} refused") == f"consented-not {visitor}":
            self.refused.add(visitor)
        self.visitors[name] = f"{name}-{len(self.silenced)}"
        self.greet(host, self.visitors[name])


def test_nothing_is_lost_and_nothing_told_of_who_refused(flagship_host: Path, tmp_path: Path) -> None:
    """(FS-18, FS-65 to FS-67, G9, G10; failing, no consent, second process)"""
    with FlagshipSimulator(consent_first=True) as service:
        world, storm = FlagshipWorld(flagship_host, service, tmp_path), Storm(service)
        for number in range(ROUNDS):
            host = world.start(**SHORT)
            storm.begin(host)
            for _ in range(CALLS):
                storm.call(host)
            if number % 3 == 2:
                service.faults.clear()
                host.leave()  # the service may have asked for a pause
            else:
                host.kill()
                assert service.wait_for_silence()
        service.faults.clear()
        heir = world.start(**SHORT)
        deadline = time.monotonic() + 60
        while heir("flush") != "flushed HOIST_OK":
            assert time.monotonic() < deadline
        heir.finish()
        assert world.rows() == []

        screens = service.ledger.screens()
        expected = {location for location, visitor in storm.recorded.items() if visitor not in storm.silenced}
        assert expected <= set(screens), sorted(expected - set(screens))
        assert len(expected) > ROUNDS * CALLS // 8 and storm.refused
        for visitor in storm.refused:
            assert service.ledger.consents(visitor)[-1] is False
            assert is_consent(service.ledger.hits(visitor=visitor)[-1])
        # A killed process leaves half a request behind.
        assert [found for found in service.violations if found.where != "http"] == []
