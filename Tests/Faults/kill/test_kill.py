"""Whoever is killed, at whatever write: no recorded event is lost, and none is sent by two (UNL-61, UNL-88, G9, G10, design 6;
second process).

A host in C (`host.c`) records events with durability "immediate" in the library that HOIST_LIBRARY names, and is killed
at its first, second, third … write (`killer.c`): alone, beside another process on the same store, and around a fork.
Then an heir delivers what is left. What was sent, and by whom, is in the ledger of the simulated service.
"""

from __future__ import annotations

import itertools
import signal
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from journals import Seen
from ledger import Sent
from unleash import UnleashSimulator
from world import EVENTS, FLAGS, Programs, World

WORKERS = 3
# The numbers of a run's writes differ a little from run to run: so many in a row have to be survived.
SURVIVED = 3
# Times that a scenario runs, until what is killed has left a journal.
ATTEMPTS = 3

Scenario = Callable[[World, dict[str, str]], bool]


def alone(world: World, kill: dict[str, str]) -> bool:
    return world.finish(world.start("run", "victim", **kill), may_be_killed=True)


def beside_another(world: World, kill: dict[str, str]) -> bool:
    other = world.start("run", "other")
    survived = world.finish(world.start("run", "victim", **kill), may_be_killed=True)
    assert world.finish(other)
    return survived


def parent_of_a_child(world: World, kill: dict[str, str]) -> bool:
    return world.finish(world.start("fork", "victim", **kill), may_be_killed=True)


def child(world: World, kill: dict[str, str]) -> bool:
    assert world.finish(world.start("fork", "parent", KILL_CHILD="1", **kill))
    return ("closed", "child") in world.said


def closed_early(world: World, kill: dict[str, str]) -> bool:
    assert world.finish(world.start("close", "victim", KILL_SIGNAL=str(int(signal.SIGUSR1)), **kill))
    return ("worked", "victim") in world.said


KILLS = (alone, beside_another, parent_of_a_child, child)


def check(world: World, victim: str, survived: bool) -> None:
    """Everybody is gone. What is left in the store is delivered, and the ledger shows all of it."""
    left = world.rows()
    before = Sent.to(world.service, world.forks)
    assert world.recorded <= {*before.events, *(row.payload for row in left)}, "neither sent nor stored"
    assert world.finish(world.start("heir", "heir", len(left)))
    assert world.rows() == []
    after = Sent.to(world.service, world.forks)
    events, metrics = (Counter(row.payload for row in left if row.pipeline == name) for name in ("events", "metrics"))
    assert after.event_counts() - before.event_counts() == events
    assert after.buckets - before.buckets == metrics
    assert world.recorded <= after.events.keys(), "lost"
    assert after.sent_by_two(victim) == []
    if survived:
        assert left == []
        assert after.events.keys() == after.evaluations.keys() == world.recorded
        assert all(len(posts) == 1 for posts in (*after.events.values(), *after.evaluations.values()))
    # Of one that was killed while it sent, half a request may have come.
    assert [found for found in world.service.violations if survived or found.where != "http"] == []


def kill_everywhere(programs: Programs, folder: Path, scenario: Scenario, **kill: str) -> int:
    """Runs a scenario with a kill at every write, until the end is reached alive. Returns how many were killed.

    Some that were have to leave records in a journal, and a cut entry when they were killed within its writes. Which do is a
    matter of when the database is written: where none did, all of it runs again."""
    seen = Seen()
    for attempt in range(ATTEMPTS):
        killed = sweep(programs, folder / f"attempt-{attempt}", scenario, seen, kill)
        has_journal = seen.records > 0 or scenario is closed_early
        has_torn = seen.torn > 0 or "KILL_JOURNAL" not in kill
        if has_journal and has_torn:
            return killed
    raise AssertionError(f"{seen}: no journal was used, or no entry was cut, in {ATTEMPTS} attempts")


def sweep(programs: Programs, folder: Path, scenario: Scenario, seen: Seen, kill: dict[str, str]) -> int:
    numbers = itertools.count(1)
    lock = threading.Lock()
    killed = 0
    survived = 0

    def work(worker: int) -> None:
        nonlocal killed, survived, seen
        with UnleashSimulator(FLAGS) as service:
            world = World(programs, service, folder / str(worker))
            while True:
                with lock:
                    if survived >= SURVIVED:
                        seen += world.seen
                        return
                    number = next(numbers)
                world.renew()
                try:
                    is_alive = scenario(world, {"KILL_AT": str(number), **kill})
                    victim = "child of parent" if scenario is child else "victim"
                    # A close that comes when the work is done may still leave something to the heir.
                    check(world, victim, is_alive and scenario is not closed_early)
                except AssertionError as error:
                    raise AssertionError(f"killed at write {number}: {error}") from error
                with lock:
                    killed += 0 if is_alive else 1
                    survived = survived + 1 if is_alive else 0

    with ThreadPoolExecutor(WORKERS) as pool:
        for finished in [pool.submit(work, worker) for worker in range(WORKERS)]:
            finished.result()
    return killed


def name_of(scenario: Scenario) -> str:
    return scenario.__name__


@pytest.mark.parametrize("scenario", KILLS, ids=name_of)
def test_killed_before_every_write(programs: Programs, tmp_path: Path, scenario: Scenario) -> None:
    assert kill_everywhere(programs, tmp_path, scenario) > 10 * EVENTS


def test_killed_within_every_write(programs: Programs, tmp_path: Path) -> None:
    """Half of what was to be written is on the disk, half of a request on its way."""
    assert kill_everywhere(programs, tmp_path, alone, KILL_WITHIN="1") > 10 * EVENTS


@pytest.mark.parametrize("scenario", KILLS, ids=name_of)
def test_killed_within_every_write_to_a_journal(programs: Programs, tmp_path: Path, scenario: Scenario) -> None:
    """Half an entry is its end; what stands before it is read."""
    assert kill_everywhere(programs, tmp_path, scenario, KILL_WITHIN="1", KILL_JOURNAL="1") >= EVENTS


@pytest.mark.long
@pytest.mark.parametrize("scenario", [scenario for scenario in KILLS if scenario is not alone], ids=name_of)
def test_killed_within_every_write_of_several(programs: Programs, tmp_path: Path, scenario: Scenario) -> None:
    assert kill_everywhere(programs, tmp_path, scenario, KILL_WITHIN="1") > 10 * EVENTS


@pytest.mark.long
@pytest.mark.parametrize("scenario", KILLS, ids=name_of)
def test_killed_before_every_lock(programs: Programs, tmp_path: Path, scenario: Scenario) -> None:
    assert kill_everywhere(programs, tmp_path, scenario, KILL_LOCKS="1") > 20 * EVENTS


def test_closed_at_every_write(programs: Programs, tmp_path: Path) -> None:
    """G4: closing at any moment stays within its limit, and loses nothing that was recorded."""
    assert kill_everywhere(programs, tmp_path, closed_early) > 10 * EVENTS
