"""Whatever write a process is killed at, the variations that a neighbour has given the same people stay (contract 8)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from conftest import compiled
from told_host import ToldWorld
from world import Programs

# The numbers of a run's writes differ a little from run to run: so many in a row have to be survived.
SURVIVED = 3
FLAGS = ("a", "b")
PEOPLE = [f"p{number}" for number in range(20)]


def datafile(variation: str) -> dict[str, Any]:
    """Everybody new gets that variation of each flag."""
    ids = {"one": "1", "two": "2"}
    experiments = [{"id": f"2{at}", "key": f"test-{key}", "status": "Running", "layerId": f"9{at}", "audienceIds": [],
                    "forcedVariations": {}, "trafficAllocation": [{"entityId": ids[variation], "endOfRange": 10000}],
                    "variations": [{"id": id, "key": key, "featureEnabled": True} for key, id in ids.items()]}
                   for at, key in enumerate(FLAGS)]
    flags = [{"id": f"1{at}", "key": key, "experimentIds": [f"2{at}"], "rolloutId": "", "variables": []}
             for at, key in enumerate(FLAGS)]
    lists = ("rollouts", "events", "audiences", "typedAudiences", "attributes", "groups", "variables")
    return {"version": "4", "revision": "1", "projectId": "1", "accountId": "1", "anonymizeIP": True,
            "environmentKey": "production", "experiments": experiments, "featureFlags": flags, **dict.fromkeys(lists, [])}


class OptimizelyWorld(ToldWorld):
    def properties(self) -> dict[str, Any]:
        return {**super().properties(), "sdk_key": "shared", "online": False, "events.durability": "memory",
                "datafile": datafile("one")}


@pytest.fixture
def world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> OptimizelyWorld:
    return OptimizelyWorld(compiled("optimizely_host", tmp_path_factory.mktemp("optimizely")), tmp_path / "world")


def decide(flag: str) -> list[str]:
    return [f"decide {person} {flag}" for person in PEOPLE]


def test_killed_at_every_write_beside_a_neighbour(world: OptimizelyWorld, programs: Programs) -> None:
    """Those that the killed process had given are whole, or as if they had never been (OPT-05; second process)."""
    survived = killed = 0
    for number in itertools.count(1):
        world.renew()
        neighbour = world.start()
        assert {neighbour(line) for line in decide("a")} == {"decided one"}
        host = world.start({"LD_PRELOAD": str(programs.killer), "KILL_AT": str(number)})
        is_alive = host.run(*decide("b"), "close")
        neighbour.finish()
        heir = world.start(datafile=datafile("two"))
        said = f"killed at write {number}: {host.said[-3:]}"
        assert {heir(line) for line in decide("a")} == {"decided one"}, said
        kept = [heir(line) for line in decide("b")]
        # Of the one it was killed at it may not have told.
        reached = len(PEOPLE) if is_alive else host.said.count("decided one") + 1
        assert "decided one" not in kept[reached:], said
        assert not is_alive or set(kept) == {"decided one"}, said
        heir.finish()
        last = world.start()
        assert [last(line) for line in decide("b")] == kept, said
        last.finish()
        survived = survived + 1 if is_alive else 0
        killed += not is_alive
        if survived == SURVIVED:
            break
    assert killed > 3


def test_the_first_decision_stays(world: OptimizelyWorld) -> None:
    """Who has been in a variation of one process stays there, whatever another one has decided meanwhile (OPT-05; second process)."""
    # Both have read what is kept before either gives anything to those people.
    first = world.start()
    assert first("decide nobody b") == "decided one"
    second = world.start(datafile=datafile("two"))
    assert second("decide somebody b") == "decided two"
    assert {first(line) for line in decide("a")} == {"decided one"}
    first.finish()
    assert {second(line) for line in decide("a")} == {"decided two"}
    second.finish()
    heir = world.start(datafile=datafile("two"))
    assert {heir(line) for line in decide("a")} == {"decided one"}
    heir.kill()


def test_a_closed_client_has_saved_what_it_gave(world: OptimizelyWorld) -> None:
    """What was given is there when the client has closed, for the next process (OPT-05; closed, second process)."""
    host = world.start()
    assert host.run(*decide("a"), "close")
    heir = world.start(datafile=datafile("two"))
    assert {heir(line) for line in decide("a")} == {"decided one"}
    assert {heir(line) for line in decide("b")} == {"decided two"}
    heir.kill()
