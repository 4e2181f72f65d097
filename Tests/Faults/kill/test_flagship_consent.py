"""A visitor refuses consent, and the process is killed, at whatever write: what the visitor had done before stays here,
whoever comes next, and the refusal is told."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from flagship import FlagshipSimulator
from flagship.ledger import is_consent, visitor_of
from flagship_world import FlagshipWorld
from world import Programs

# The numbers of a run's writes differ a little from run to run: so many in a row have to be survived.
SURVIVED = 3
# Nothing is sent unless it is asked for: the pool never fills, and the interval does not pass.
PATIENT = {"hits__pool_max_size": 1000, "hits__batch_interval": 3600}
LINES = ("visitor anna consented", "fetch anna", "screen anna before-0", "flag anna button_colour", "screen anna before-1",
         "screen anna before-2", "visitor ben consented", "screen ben kept", "consent anna refused", "screen anna after",
         "leave")


@pytest.fixture
def world(flagship_host: Path, tmp_path: Path):
    with FlagshipSimulator(distinct=True, final_refusals=True) as service:
        yield FlagshipWorld(flagship_host, service, tmp_path / "world")


def victim(world: FlagshipWorld, **kill: str) -> tuple[bool, list[str]]:
    """Without anybody to send to, so that everything has to wait in the store."""
    for endpoint in ("hits", "activate"):
        world.service.fail(endpoint, "status", times=None, status=503)
    host = world.start(kill, **PATIENT)
    survived = host.run(*LINES)
    # What a killed host has sent is refused like all before.
    assert world.service.wait_for_silence()
    world.service.faults.clear()
    return survived, host.said


def check(world: FlagshipWorld, said: list[str], survived: bool) -> None:
    """The next process sends what is left."""
    service = world.service
    world.rows()
    if survived or "consented-not anna" in said:
        # The refusal itself stays, for all who share the store; nothing else of her does.
        assert "visitorId" not in str(world.value("visitor:anna"))
    heir = world.start(**PATIENT)
    assert heir("visitor heir consented") == "visitor VISITOR_CREATE"
    for _ in range(3):
        heir("flush")
    heir.finish()
    assert world.rows() == []
    told = service.ledger.hits(visitor="anna")
    others = [hit for hit in told if not is_consent(hit)]
    if "consented-not anna" in said:
        assert others == [] and service.ledger.activations("anna") == []
        assert service.ledger.consents("anna")[-1] is False
    if "recorded kept" in said:
        assert service.ledger.screens()["kept"] == 1
    assert max(service.ledger.deliveries().values(), default=0) <= 1
    assert {visitor_of(hit) for hit in service.ledger.hits()} <= {"anna", "ben", "heir"}
    # A killed process leaves half a request behind.
    assert [found for found in service.violations if found.where != "http"] == []


@pytest.mark.parametrize("how", [{}, {"KILL_JOURNAL": "1", "KILL_WITHIN": "1"}], ids=["any", "of the journal"])
def test_killed_at_every_write(world: FlagshipWorld, programs: Programs, how: dict[str, str]) -> None:
    """(FS-66, FS-67, G9, 5.6; failing, no consent, second process)"""
    survived = killed = 0
    for number in itertools.count(1):
        world.renew()
        is_alive, said = victim(world, LD_PRELOAD=str(programs.killer), KILL_AT=str(number), **how)
        try:
            if is_alive:
                assert "refused after" in said
            check(world, said, is_alive)
        except AssertionError as error:
            raise AssertionError(f"killed at write {number}: {error}\n{said}") from error
        survived = survived + 1 if is_alive else 0
        killed += not is_alive
        if survived == SURVIVED:
            break
    assert killed > len(LINES)
    assert world.seen.records > 0, "no journal was used"
    assert world.seen.torn > 0 or not how, "no entry was cut"


def test_what_was_recorded_before_a_kill_is_sent_without_a_refusal(world: FlagshipWorld) -> None:
    """Nobody refuses, so nothing is lost (FS-19, FS-44; second process)."""
    host = world.start(**PATIENT)
    for line in LINES[:8]:
        host(line)
    # What is stored is stored in its order: with one that is, all before it are.
    screens = [line.split()[-1] for line in LINES[:8] if line.startswith("screen")]
    while host.said[-1].startswith("late"):
        screens.append(f"kept-{len(screens)}")
        host(f"screen ben {screens[-1]}")
    host.kill()
    before = world.service.ledger.screens()
    assert not before
    heir = world.start(**PATIENT)
    heir("flush")
    heir.finish()
    assert world.service.ledger.screens() == dict.fromkeys(screens, 1)
    assert world.service.ledger.consents("anna") == [True] and world.service.ledger.consents("ben") == [True]
    assert world.service.violations == []


def test_killed_at_every_write_beside_a_neighbour(world: FlagshipWorld, programs: Programs) -> None:
    """A refusal that a killed process has acknowledged binds its neighbour, and one that the neighbour has acknowledged is not
    undone by the kill (FS-66, FS-67, contract 8; second process, no consent)."""
    survived = killed = 0
    for number in itertools.count(1):
        world.renew()
        neighbour = world.start(events__durability="immediate", **PATIENT)
        for line in ("visitor anna consented", "visitor ben consented", "fetch anna", "fetch ben", "consent ben refused"):
            neighbour(line)
        host = world.start({"LD_PRELOAD": str(programs.killer), "KILL_AT": str(number)}, events__durability="immediate",
                           **PATIENT)
        is_alive = host.run("visitor anna consented", "fetch anna", "screen anna before", "consent anna refused", "leave")
        neighbour("screen anna beside")
        neighbour("flush")
        neighbour.finish()
        said = f"killed at write {number}: {host.said}"
        others = [hit for hit in world.service.ledger.hits() if not is_consent(hit)]
        assert "ben" not in {visitor_of(hit) for hit in others}, said
        assert "visitorId" not in str(world.value("visitor:ben")), said
        if "consented-not anna" in host.said:
            assert "anna" not in {visitor_of(hit) for hit in others}, said
            assert "visitorId" not in str(world.value("visitor:anna")), said
        elif not any(word.endswith(" before") for word in host.said):
            assert "beside" in world.service.ledger.screens(), said
        assert [found for found in world.service.violations if found.where != "http"] == [], said
        survived = survived + 1 if is_alive else 0
        killed += not is_alive
        if survived == SURVIVED:
            break
    assert killed > 3
