"""Where the store is, whose it is, and what each durability costs, seen from outside."""

from __future__ import annotations

import re
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ledger import Sent
from unleash import UnleashSimulator
from world import EVENTS, FLAGS, Programs, Row, World


@pytest.fixture
def world(programs: Programs, tmp_path: Path) -> Iterator[World]:
    with UnleashSimulator(FLAGS) as service:
        world = World(programs, service, tmp_path / "world")
        world.renew()
        yield world
        assert service.violations == []


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def names(host: str) -> set[str]:
    return {f"{host}-{number}" for number in range(EVENTS)}


def events(rows: list[Row]) -> set[str]:
    return {row.payload for row in rows if row.pipeline == "events"}


def deliver(world: World) -> set[str]:
    """What reaches the service from the store alone."""
    assert world.finish(world.start("heir", "heir", len(world.rows())))
    return {*Sent.to(world.service, "").events}


def test_one_private_file_for_service_and_key_in_the_cache_directory(world: World, tmp_path: Path) -> None:
    """G7: SQLite in WAL mode, by default."""
    assert world.finish(world.start("run", "a", cache=tmp_path / "cache"))
    folder = tmp_path / "cache/hoist"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # A clean close leaves the database alone, without its log.
    file, = folder.iterdir()
    assert re.fullmatch(r"unleash-[0-9a-f]{64}\.sqlite", file.name)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert world.service.frontend_key.encode() not in file.read_bytes()
    database = sqlite3.connect(file)
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert database.execute("PRAGMA user_version").fetchone() > (0,)
    database.close()


def test_immediate_durability_costs_nothing(world: World) -> None:
    host = world.start("hold", "a")
    world.await_lines(host, EVENTS)
    world.kill(host)
    assert events(world.rows()) == names("a")
    assert deliver(world) == names("a")


def test_periodic_durability_costs_the_last_moment_and_memory_everything(world: World) -> None:
    forgetful = world.start("hold", "forgetful", durability="memory")
    world.await_lines(forgetful, EVENTS)
    careful = world.start("hold", "careful", durability="periodic")
    # All that the first one would have stored with the same durability would be there by then.
    until(lambda: events(world.rows_in_use()) >= names("careful"))
    world.kill(careful)
    world.kill(forgetful)
    assert events(world.rows()) == names("careful")
    assert deliver(world) == names("careful")


def test_periodic_is_the_default(world: World) -> None:
    host = world.start("hold", "a", durability=None)
    until(lambda: events(world.rows_in_use()) == names("a"))
    world.kill(host)
    assert deliver(world) == names("a")
