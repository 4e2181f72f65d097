"""Whatever write a process is killed at beside a neighbour that goes on, generated keys stay what they were, and the flags
of contexts are whole or not there (contract 8)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import compiled
from launchdarkly import LaunchDarklySimulator
from told_host import ToldWorld
from world import Programs

# The numbers of a run's writes differ a little from run to run: so many in a row have to be survived.
SURVIVED = 3
EVERYBODYS, XS = 1, 2


class LaunchDarklyWorld(ToldWorld):
    def __init__(self, program: Path, service: LaunchDarklySimulator, folder: Path) -> None:
        super().__init__(program, folder)
        self.service = service

    def properties(self) -> dict[str, Any]:
        service = self.service
        return {**super().properties(), "mobile_key": service.mobile_key, "base_url": service.url, "autostart": False,
                "streaming_mode": "polling", "send_events": False}

    def index(self) -> dict[str, int]:
        """When the flags of each context were stored, by its hashed key."""
        names = [name for name in self.keys() if name.endswith(".contexts")]
        assert len(names) == 1
        contexts: dict[str, int] = self.value(names[0])["contexts"]
        return contexts

    def entries(self) -> set[str]:
        """Whose flags are there, by the hashed keys of their contexts."""
        return {name.rpartition(".flags-")[2] for name in self.keys() if ".flags-" in name}


@pytest.fixture
def world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LaunchDarklyWorld]:
    with LaunchDarklySimulator({"f": {"value": EVERYBODYS, "version": 1, "variation": 0}}) as service:
        service.set_flag("f", context="x", value=XS)
        yield LaunchDarklyWorld(compiled("launchdarkly_host", tmp_path_factory.mktemp("launchdarkly")), service, tmp_path / "world")


@pytest.mark.parametrize("most", [5, 2])
def test_killed_at_every_write_beside_a_neighbour(world: LaunchDarklyWorld, programs: Programs, most: int) -> None:
    """Of those that the killed process had made or stored nothing is lost or half there, of the neighbour's nothing at all,
    also where only some contexts may be kept; and nothing stays for ever that stands for no context (LD-02, LD-76; second
    process)."""
    survived = killed = 0
    for number in itertools.count(1):
        world.renew()
        neighbour = world.start(max_cached_contexts=most, context={"kind": "user"})
        user = neighbour("key")
        host = world.start({"LD_PRELOAD": str(programs.killer), "KILL_AT": str(number)}, max_cached_contexts=most,
                           context={"kind": "user", "key": "x"})
        is_alive = host.run("value", "identify device", "key", "close")
        said = f"killed at write {number}: {host.said}"
        neighbour("identify device")
        device = neighbour("key")
        assert [line for line in host.said if line.startswith("key")] in ([], [device]), said
        assert neighbour("value") == f"value {EVERYBODYS}", said
        neighbour.finish()
        stored = world.index()
        # At most the one that was being stored is still without its flags.
        assert len(stored) <= most and len(set(stored) - world.entries()) <= (not is_alive), said
        heir = world.start(online=False, max_cached_contexts=most, context={"kind": "device"})
        assert heir("key") == device and heir("value") == f"value {EVERYBODYS}", said
        heir("identify user x")
        assert heir("value") in ([f"value {XS}"] if is_alive and most > 2 else [f"value {XS}", "value -1"]), said
        heir("identify user")
        assert heir("key") == user and (heir("value") == f"value {EVERYBODYS}" or most == 2), said
        heir.finish()
        assert world.entries() <= set(world.index()), said
        survived = survived + 1 if is_alive else 0
        killed += not is_alive
        if survived == SURVIVED:
            break
    assert killed > 3
