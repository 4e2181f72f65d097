"""Kill after kill on one store: each host begins with what the last one was killed over."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from test_services import Flagship, Hosts, Kameleoon, LaunchDarkly, Optimizely, Vendor
from world import Programs

# So many kills between two looks at what has become of it all.
ROUND = 25
# What each host records. At its end it has written some 250 to 400 times, the first 80 before it records.
EVENTS = 8
WRITES = (60, 320)


@pytest.mark.parametrize("vendor", [Optimizely, LaunchDarkly, Kameleoon, Flagship])
def test_kill_after_kill(
    programs: Programs, service_host: Path, tmp_path: Path, vendor: type[Vendor], kills: int
) -> None:
    """(OPT-72, LD-41, KAM-58, FS-18, FS-44, G10; second process)"""
    chance = random.Random(20261127)
    played = vendor()
    killed = begun = recorded = 0
    with played.service:
        hosts = Hosts(service_host, programs.killer, played, tmp_path)
        while killed < kills:
            hosts.renew()
            for number in range(ROUND):
                how = {"KILL_AT": str(chance.randint(*WRITES))} | ({"KILL_WITHIN": "1"} if chance.random() < 0.5 else {})
                killed += 0 if hosts.run("run", f"victim{number}", EVENTS, **how) else 1
            assert hosts.run("heir", "heir", hosts.rows())
            assert hosts.rows() == 0
            assert hosts.recorded <= played.told(), f"lost after {killed} kills"
            assert [found for found in played.service.violations if found.where != "http"] == []
            begun += ROUND
            recorded += len(hosts.recorded)
            assert begun <= 4 * killed, "too few are killed"
    assert recorded > kills, "too few are killed after they have recorded"
    print(f"{killed} of {begun} hosts killed; {recorded} records acknowledged, 0 lost")
