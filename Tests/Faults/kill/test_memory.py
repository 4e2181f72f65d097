"""Memory runs out at random: what a call has said is stored reaches the service."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import COMPILER, HERE
from test_services import Flagship, Hosts, Kameleoon, LaunchDarkly, Optimizely
from unleash import UnleashSimulator
from world import FLAGS

EVENTS = 40
SEEDS = range(4)


class Unleash:
    name = "unleash"
    pipelines = "events"

    def __init__(self) -> None:
        self.service = UnleashSimulator(FLAGS)

    def properties(self) -> dict[str, Any]:
        return {"url": self.service.frontend_url, "key": self.service.frontend_key, "app_name": "shop"}

    def told(self) -> set[str]:
        return {metric["name"] for post in self.service.ledger.posts for metric in post.body.get("impactMetrics") or []}


@pytest.fixture(scope="session")
def no_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("memory") / "no_memory.so"
    subprocess.run([*COMPILER, "-O2", "-shared", "-fPIC", "-o", made, HERE / "no_memory.c"], check=True)
    return made


@pytest.mark.parametrize("vendor", [Unleash, Optimizely, LaunchDarkly, Kameleoon, Flagship])
def test_nothing_that_was_stored_is_lost(service_host: Path, no_memory: Path, tmp_path: Path, vendor: Any) -> None:
    """(OPT-72, LD-41, KAM-58, FS-18; failing, second process)"""
    stored = 0
    played = vendor()
    with played.service:
        for seed in SEEDS:
            hosts = Hosts(service_host, no_memory, played, tmp_path)
            hosts.renew()
            properties = tmp_path / "weak.json"
            properties.write_text(json.dumps({
                **played.properties(), "events.durability": "immediate", "log.level": "none", "store.path": str(tmp_path / "store")}))
            ran = subprocess.run(
                [service_host, played.name, properties, "weak", "weak", str(EVENTS)], stdin=subprocess.DEVNULL,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "LD_PRELOAD": str(no_memory), "MEMORY_SEED": str(seed)},
                capture_output=True, text=True, timeout=120)
            assert ran.returncode == 0, (seed, ran.returncode, ran.stderr)
            recorded = {line.split()[1] for line in ran.stdout.splitlines() if line.startswith("recorded ")}
            assert played.service.wait_for_silence()
            assert hosts.run("heir", "heir", hosts.rows())
            assert recorded <= played.told(), (seed, sorted(recorded - played.told()))
            stored += len(recorded)
    assert stored > EVENTS / 4
