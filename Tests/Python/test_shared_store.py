"""Four processes, one of them with two clients, change what one store keeps of the same people, and close together."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flagship_clients
import kameleoon_clients
import pytest
import shared_store
from kameleoon.sample import sample_configuration
from waiting import until

PROCESSES = 4
PEOPLE = 300


class Neighbours:
    """The processes. What is said to them is said to all at once."""

    def __init__(self, children: list[subprocess.Popen[str]]) -> None:
        self.children = children

    def __call__(self, word: str) -> list[Any]:
        """What all of them have done."""
        for child in self.children:
            child.stdin.write(word + "\n")
            child.stdin.flush()
        return [entry for child in self.children for entry in hear(child, word)]

    def kill(self, number: int, word: str, chance: random.Random) -> list[Any]:
        """What a process has said it has done until it was killed."""
        child = self.children.pop(number)
        child.stdin.write(word + "\n")
        child.stdin.flush()
        done = [hear(child, "did") for _ in range(chance.randrange(20, 400))]
        child.kill()
        rest = child.stdout.read().split("\n")[:-1]
        return done + [json.loads(line.removeprefix("did ")) for line in rest]


@contextmanager
def neighbours(service: str, folder: Path, **more: Any) -> Iterator[Neighbours]:
    """Processes that have opened their clients; the first has two."""
    children = []
    try:
        for number in range(PROCESSES):
            job = {"service": service, "folder": str(folder), "number": number, "clients": 1 + (number == 0),
                   "people": PEOPLE, **more}  # fmt: skip
            children.append(
                subprocess.Popen(
                    [sys.executable, shared_store.__file__, json.dumps(job)],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ,
                )
            )
        for child in children:
            assert child.stdout.readline() == "open\n"
        everybody = Neighbours(list(children))
        yield everybody
        for child in everybody.children:
            assert child.wait(60) == 0
    finally:
        for child in children:
            child.kill()
            child.wait()


def hear(child: subprocess.Popen[str], word: str) -> list[Any]:
    said, _, done = child.stdout.readline().partition(" ")
    assert said == word
    return json.loads(done)


def kept(folder: Path) -> dict[str, Any]:
    """What the store keeps of each person."""
    (file,) = folder.glob("*.sqlite")
    with sqlite3.connect(file) as database:
        rows = database.execute("SELECT key, value FROM entries WHERE key GLOB 'visitor:*'").fetchall()
    return {key.removeprefix("visitor:"): json.loads(value) for key, value in rows}


@pytest.mark.parametrize("seed", range(3))
def test_no_profile_is_lost(tmp_path: Path, seed: int) -> None:
    """Whoever was assigned by any of them stays where they are, also after all have closed (OPT-05, contract 8; second process)."""
    with neighbours("optimizely", tmp_path, seed=seed) as everybody:
        done = everybody("change")
        everybody("close")
    given: dict[tuple[str, str], set[str]] = {}
    for user, flag, variation in done:
        given.setdefault((user, flag), set()).add(variation)
    assert len(given) > PROCESSES * PEOPLE and any(len(variations) == 2 for variations in given.values())
    kept = []
    for datafile in (1, 2):
        with shared_store.optimizely_client(tmp_path, variation=datafile) as client:
            assert client.wait_ready(10)
            kept.append({(user, flag): client.user(user).decide(flag).variation_key for user, flag in given})
    lost = [entry for entry in given if kept[0][entry] not in given[entry] or kept[0][entry] != kept[1][entry]]
    assert not lost, f"{len(lost)} of {len(given)} assignments are lost"


@pytest.mark.parametrize("durability", ["immediate", "periodic"])
def test_no_visitor_data_is_lost_and_no_refusal_undone(tmp_path: Path, durability: str) -> None:
    """Data of all add up; who has refused at one of them is sent by none (KAM-03, KAM-60, contract 8; no consent, second process)."""
    document = sample_configuration(consent="PARTIALLY_BLOCKED")
    with kameleoon_clients.strict_service(document) as service:
        reach = kameleoon_clients.reach(service)
        with neighbours("kameleoon", tmp_path, seed=1, reach=reach, durability=durability) as everybody:
            everybody("agree")
            done = everybody("change")
            everybody("flush")
            refused = everybody("refuse")
            assert until(lambda: all(kept(tmp_path)[p]["consent"] == 2 for p in refused))
            everybody("flush")
            before = Counter(line.visitor for line in service.ledger.lines("customData"))
            done += everybody("change")
            everybody("flush")
            everybody("close")
        sent = Counter(line.visitor for line in service.ledger.lines("customData"))
    assert len(refused) > PEOPLE // 3
    assert [p for p in refused if sent[p] > before[p]] == []
    assert [p for p in sent if p not in refused and sent[p] <= before[p]] == []
    people = kept(tmp_path)
    assert [p for p in refused if people[p]["consent"] != 2] == []
    assert [p for p in people if p not in refused and people[p]["consent"] != 1] == []
    last = {(p, index): value for p, index, value, _ in done}
    pages = Counter((p, url) for p, _, _, url in done)
    goals = Counter(p for p, *_ in done)
    lost = [entry for entry, value in last.items() if value not in json.dumps(people[entry[0]]["data"])]
    assert not lost, f"{len(lost)} of {len(last)} custom data are lost"
    for p, person in people.items():
        assert {(p, url): count for url, _, _, count in person["pages"]} == {key: n for key, n in pages.items() if key[0] == p}
        assert len(person["conversions"]) == goals[p]


@pytest.mark.parametrize("seed", range(4))
def test_what_was_stored_survives_a_kill(tmp_path: Path, seed: int) -> None:
    """What a killed process has done is there, beside what the others do at the same time (KAM-60, KAM-75, contract 8; second process)."""
    chance = random.Random(seed)
    document = sample_configuration(consent="PARTIALLY_BLOCKED")
    with kameleoon_clients.strict_service(document) as service:
        reach = kameleoon_clients.reach(service)
        with neighbours("kameleoon", tmp_path, seed=seed, reach=reach, durability="immediate") as everybody:
            everybody("agree")
            with ThreadPoolExecutor() as pool:
                killed = [pool.submit(everybody.kill, number, "rush", chance) for number in (3, 2)]
                told = [entry for future in killed for entry in future.result()]
            done = everybody("change")
            everybody("close")
    people = kept(tmp_path)
    refused = {p for p, index, _ in told if index < 0}
    assert refused and [p for p in refused if people[p]["consent"] != 2] == []
    data = {
        (p, datum["index"]): datum["values"] for p in people for _, datum in people[p]["data"] if datum["type"] == "CustomData"
    }
    last = {(p, index): number for p, index, number in told if index >= 0}
    assert [key for key, number in last.items() if int(data[key][0]) < number] == []
    assert [(p, index) for p, index, value, _ in done if data[(p, index)] != [value]] == []


@pytest.mark.parametrize("durability", ["immediate", "periodic"])
def test_nothing_is_kept_or_sent_of_who_has_refused(tmp_path: Path, durability: str) -> None:
    """Who has refused at one of them is kept by none, and sent by none (FS-64 to FS-67, contract 8; no consent, second process)."""
    with flagship_clients.strict_service() as service:
        reach = flagship_clients.reach(service)
        with neighbours("flagship", tmp_path, seed=1, reach=reach, durability=durability) as everybody:
            everybody("agree")
            everybody("change")
            everybody("flush")
            refused = everybody("refuse")
            assert until(lambda: not any("data" in kept(tmp_path).get(p, {}) for p in refused))
            everybody("flush")
            before = Counter(item["vid"] for item in service.ledger.hits("SCREENVIEW"))
            everybody("change")
            everybody("flush")
            everybody("close")
        sent = Counter(item["vid"] for item in service.ledger.hits("SCREENVIEW"))
    assert len(refused) > PEOPLE // 3
    assert [p for p in refused if sent[p] > before[p]] == []
    assert len(sent) == PEOPLE and [p for p in sent if p not in refused and sent[p] <= before[p]] == []
    people = kept(tmp_path)
    assert [p for p in refused if "data" in people.get(p, {})] == []
    assert [p for p in sent if p not in refused and "data" not in people.get(p, {})] == []
