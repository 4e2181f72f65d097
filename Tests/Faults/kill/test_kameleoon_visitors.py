"""What is known of a visitor is there after a kill; and whatever write the kill comes at, what is
left is whole (KAM-12, KAM-60, KAM-70, G9; second process)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kameleoon import KameleoonSimulator
from kameleoon_world import DOCUMENT, KameleoonWorld
from world import Programs

# The numbers of a run's writes differ a little from run to run: so many in a row have to be survived.
SURVIVED = 3
# Nothing is sent unless it is asked for.
LINES = ("visitor anna", "device anna phone", "consent anna given", "custom anna user", "visitor user", "unique user",
         "visitor ben", "device ben phone", "consent ben refused", "close")


@pytest.fixture
def world(kameleoon_host: Path, tmp_path: Path) -> Iterator[KameleoonWorld]:
    with KameleoonSimulator(DOCUMENT) as service:
        yield KameleoonWorld(kameleoon_host, service, tmp_path / "world")


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_visitors_are_there_after_a_kill(world: KameleoonWorld) -> None:
    host = world.start()
    for line in LINES[:-1]:
        host(line)
    # Soon after a change, not with it.
    until(lambda: (world.value("visitor:anna") or {}).get("mapping") == "anna"
          and world.value("visitor:user") is not None and (world.value("visitor:ben") or {}).get("consent") == 2)
    host.kill()
    heir = world.start()
    for visitor in ("user", "anna", "ben"):
        heir(f"visitor {visitor}")
    assert heir("answered anna") == "answered given"
    assert heir("answered user") == "answered given"
    assert heir("answered ben") == "answered refused"
    assert [heir(f"flag {visitor} phones") for visitor in ("anna", "user", "ben")] == ["flag on"] * 3
    heir("device user desktop")
    assert [heir(f"flag {visitor} phones") for visitor in ("anna", "user", "ben")] == ["flag off", "flag off", "flag on"]
    assert heir("flush") == "flushed HOIST_OK"
    heir.finish()
    # The user is told of as the one that is linked with another.
    assert {line.named for line in world.service.ledger.lines("customData", "user")} <= {"mappingValue"}
    assert world.service.ledger.owner(world.service.site_code, "user") == "anna"
    assert world.service.violations == []


# What is told, of whom something is kept, and how that shows.
TOLD: list[tuple[str, str, Callable[[dict[str, Any]], bool]]] = [
    ("device anna phone", "anna", lambda kept: "data" in kept),
    ("consent anna given", "anna", lambda kept: kept["consent"] == 1),
    ("consent ben refused", "ben", lambda kept: kept["consent"] == 2),
    ("custom anna user", "anna", lambda kept: kept["mapping"] == "anna"),
    ("custom anna user", "user", lambda kept: kept["owner"] == "anna"),
]


@pytest.mark.parametrize(("line", "visitor", "shows"), TOLD)
def test_with_immediate_durability_what_a_call_has_told_is_in_the_store(
    world: KameleoonWorld, line: str, visitor: str, shows: Callable[[dict[str, Any]], bool]
) -> None:
    for _ in range(5):
        world.renew()
        host = world.start(events__durability="immediate")
        host("visitor anna")
        host("visitor ben")
        host(line)
        host.kill()
        kept = world.value(f"visitor:{visitor}")
        assert kept is not None and shows(kept), kept


def test_killed_at_every_write(world: KameleoonWorld, programs: Programs) -> None:
    survived = killed = 0
    for number in itertools.count(1):
        world.renew()
        host = world.start({"LD_PRELOAD": str(programs.killer), "KILL_AT": str(number)})
        is_alive = host.run(*LINES)
        for visitor in ("anna", "user", "ben"):
            kept = world.value(f"visitor:{visitor}")
            assert kept is None or kept["version"] == 1, f"killed at write {number}"
        heir = world.start()
        assert heir("visitor user") == "visitor user"
        assert heir("visitor anna") == "visitor anna"
        heir("visitor ben")
        answers = [heir(f"answered {visitor}") for visitor in ("anna", "user", "ben")]
        if is_alive:
            assert answers == ["answered given", "answered given", "answered refused"]
        assert answers[2] != "answered given", f"killed at write {number}"
        heir.finish()
        survived = survived + 1 if is_alive else 0
        killed += not is_alive
        if survived == SURVIVED:
            break
    assert killed > len(LINES)


# What a process does that is killed, beside a neighbour that has told of the same people before, and does afterwards.
BESIDE = ("visitor ben", "visitor anna", "device ben phone", "consent anna given", "custom anna user", "consent anna refused",
          "close")


def test_killed_at_every_write_beside_a_neighbour(world: KameleoonWorld, programs: Programs) -> None:
    """Nothing that was acknowledged is lost, by the kill or by the neighbour, who knows nothing of
    it, and no refusal is undone (KAM-60, KAM-75, contract 8; second process)."""
    survived = killed = 0
    for number in itertools.count(1):
        world.renew()
        neighbour = world.start(events__durability="immediate")
        for line in ("visitor anna", "visitor ben", "consent ben refused"):
            neighbour(line)
        host = world.start({"LD_PRELOAD": str(programs.killer), "KILL_AT": str(number)}, events__durability="immediate")
        is_alive = host.run(*BESIDE)
        neighbour("device anna desktop")
        neighbour("unique ben")
        neighbour.finish()
        anna, user, ben = (world.value(f"visitor:{name}") for name in ("anna", "user", "ben"))
        said = f"killed at write {number}: {host.said}"
        assert ben["consent"] == 2, said
        if "added ben" in host.said:
            assert any(datum["type"] == "Device" for _, datum in ben.get("data", [])), said
        if "consented-not anna" in host.said:
            assert anna["consent"] == 2, said
        elif "consented anna" in host.said:
            assert anna["consent"] != 0, said
        if "added anna" in host.said:
            assert anna["mapping"] == "anna" and user["owner"] == "anna", said
        survived = survived + 1 if is_alive else 0
        killed += not is_alive
        if survived == SURVIVED:
            break
    assert killed > len(BESIDE)
