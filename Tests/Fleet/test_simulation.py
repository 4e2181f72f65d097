"""The simulation of a fleet: by the library's numbers, the same for the same seed, and within the goals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from simulation.constants import PROPERTIES, SOURCES
from simulation.fleet import Seen, seen, simulate
from simulation.setups import SETUPS, Setup, setup
from simulation.traffic import DEPLOYMENT, SCENARIOS, STEADY, Scenario

import hoist

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def find(arrangement: str, processes: int, scenario: Scenario, one: Setup, rate: float = 1.0) -> dict[tuple[str, str], Seen]:
    traffic = simulate(one, arrangement, processes, scenario, rate=rate)
    return {(row.target, row.what): row for row in seen(traffic, one, arrangement, processes)}


def outages(what: str) -> list[Scenario]:
    return [scenario for scenario in SCENARIOS if scenario.away == what]


@pytest.mark.parametrize("name", SOURCES)
def test_a_constant_stands_in_the_sources(name: str) -> None:
    constant = SOURCES[name]
    text = " ".join((ROOT / constant.file).read_text().split())
    found = {float(match.replace("_", "")) for match in re.findall(constant.text, text)}
    assert found == {constant.value}


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_default_is_the_propertys(name: str) -> None:
    default = PROPERTIES[name]
    told = {row.name: row.default for row in hoist.describe(default.service)}
    if default.name.startswith("fetch.shared") and default.name not in told:
        pytest.skip("this library has no fetch.shared")
    assert told[default.name] in (default.value, str(default.value))


def test_the_same_seed_prints_the_same() -> None:
    def run(seed: str, hashes: str) -> str:
        command = [sys.executable, HERE / "simulate", "--processes", "20", "--setup", "unleash", "--seed", seed, "--json"]
        return subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": hashes}, check=True, capture_output=True,
                              text=True).stdout

    first = run("1", "1")
    assert first == run("1", "2") != run("2", "1")
    assert {row["target"] for row in json.loads(first)} == {"service", "redis", "kafka"}


def test_polls_are_one_in_an_interval_of_each_process() -> None:
    flags = find("alone", 1_000, STEADY, setup("unleash"))["service", "flags"]
    assert flags.per_second == pytest.approx(1_000 / 15.05, rel=0.02) and flags.peak_per_second < 2 * flags.per_second


@pytest.mark.parametrize("one", SETUPS, ids=lambda one: one.name)
@pytest.mark.parametrize("scenario", outages("service"), ids=lambda scenario: scenario.name)
def test_a_thousand_come_back_to_a_service_one_by_one(scenario: Scenario, one: Setup) -> None:
    found = find("alone", 1_000, scenario, one)
    assert 0 < found["service", "flags"].herd <= 0.05 and 0 < found["service", "events"].herd <= 0.05


@pytest.mark.parametrize("rate", [0, 1, 100], ids=lambda rate: f"{rate} events per second")
@pytest.mark.parametrize("scenario", outages("redis"), ids=lambda scenario: scenario.name)
def test_a_thousand_come_back_to_redis_one_by_one(scenario: Scenario, rate: float) -> None:
    assert 0 < find("redis", 1_000, scenario, setup("unleash"), rate)["redis", "connects"].herd <= 0.05


@pytest.mark.parametrize("scenario", [STEADY, DEPLOYMENT, *outages("service")], ids=lambda scenario: scenario.name)
def test_with_a_leader_a_service_sees_as_much_of_many_as_of_one(scenario: Scenario) -> None:
    flags = [find("leader", processes, scenario, setup("unleash"))["service", "flags"] for processes in (1, 100, 3_000)]
    # A deployment ends those that lead, and each that follows fetches at once.
    assert all(one.per_second <= 0.15 and one.peak_per_second <= 8 for one in flags)


def test_what_the_documentation_shows_is_what_the_simulation_says() -> None:
    stored = json.loads((ROOT / "Documentation/Site/fleet.json").read_text())
    small = [record for record in stored["records"] if record["processes"] == 100]
    assert small
    scenarios = {scenario.name: scenario for scenario in SCENARIOS}
    for record in small:
        made = find(record["arrangement"], 100, scenarios[record["scenario"]], setup(record["setup"]), stored["events"])
        assert made[record["target"], record["what"]].record() == record
