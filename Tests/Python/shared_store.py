"""A process that changes what a store keeps of people, beside others that do the same; run by `test_shared_store`.

It opens its clients, and says so; then it does what it is told, line by line, and says what it has done.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import threading
from pathlib import Path
from typing import Any

import hoist
from hoist import flagship, kameleoon, optimizely

FLAGS = [f"flag{number}" for number in range(6)]


def optimizely_datafile(variation: int) -> dict[str, Any]:
    """Everybody is in variation one, or two, of each flag's experiment."""
    keys = ("one", "two")
    experiments = [
        {
            "id": f"2{number}", "key": f"test{number}", "status": "Running", "layerId": f"9{number}", "audienceIds": [],
            "forcedVariations": {},
            "variations": [{"id": f"3{number}{i}", "key": key, "featureEnabled": True} for i, key in enumerate(keys, 1)],
            "trafficAllocation": [{"entityId": f"3{number}{variation}", "endOfRange": 10000}],
        }
        for number in range(len(FLAGS))
    ]
    flags = [
        {"id": f"1{number}", "key": key, "experimentIds": [f"2{number}"], "rolloutId": "", "variables": []}
        for number, key in enumerate(FLAGS)
    ]
    return {
        "version": "4", "revision": "1", "projectId": "1", "accountId": "1", "anonymizeIP": True, "sdkKey": "shared",
        "environmentKey": "production", "experiments": experiments, "featureFlags": flags, "rollouts": [], "events": [],
        "audiences": [], "typedAudiences": [], "attributes": [], "groups": [], "variables": [],
    }


def optimizely_client(folder: Path | str, variation: int = 1, **plugins: Any) -> optimizely.Client:
    """A client that has read what is kept of users."""
    client = optimizely.Client(
        {
            "sdk_key": "shared", "online": False, "store": "sqlite", "store.path": str(folder), "log.level": "warning",
            "datafile": optimizely_datafile(variation), "events.durability": "memory",
        },
        **plugins,
    )
    initialized = threading.Event()
    client.observe(hoist.Topic.INITIALIZED, lambda news: initialized.set())
    assert initialized.wait(10)
    return client


def change_profiles(clients: list[Any], number: int, seed: int, people: int) -> list[Any]:
    """Own users, and some that all processes share, get random flags; of the shared ones another process may be the first."""
    chance = random.Random(seed * 100 + number)
    users = [f"own-{number}-{i}" for i in range(people)] + [f"shared-{i}" for i in range(people)]
    done: set[tuple[str, str, str]] = set()
    for _ in range(2):
        chance.shuffle(users)
        for user in users:
            flag = chance.choice(FLAGS)
            decision = chance.choice(clients).user(user).decide(flag)
            assert decision.variation_key == ("one", "two")[number % 2] or user.startswith("shared")
            done.add((user, flag, decision.variation_key))
    return sorted(done)


class Process:
    """What a process does. Everybody is `p0`, `p1` …, the same in all."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.number, self.people = job["number"], [f"p{i}" for i in range(job["people"])]
        self.chance = random.Random(job["seed"] * 100 + self.number)
        self.clients = [self.open() for _ in range(job["clients"])]
        for client in self.clients:
            assert client.wait_ready(20)

    def open(self) -> Any:
        raise NotImplementedError

    def close(self) -> list[Any]:
        for client in self.clients:
            client.close(30)
        return []

    def flush(self) -> list[Any]:
        """Until nothing waits that may go: of whom others have said meanwhile that it may, it is flushed again."""
        for client in self.clients:
            assert any(client.flush(60) for _ in range(20))
        return []

    def at_random(self) -> list[Any]:
        """Everybody, and which client does it."""
        return [(self.chance.choice(range(len(self.clients))), p) for p in self.chance.sample(self.people, len(self.people))]

    def refusing(self) -> list[Any]:
        """Those who refuse, half of all, each at one process."""
        return [entry for entry in self.at_random() if int(entry[1][1:]) % 8 == self.number]


class OptimizelyProcess(Process):
    def open(self) -> Any:
        return optimizely_client(self.job["folder"], variation=1 + self.number % 2)

    def change(self) -> list[Any]:
        return change_profiles(self.clients, self.number, self.job["seed"], self.job["people"])


class KameleoonProcess(Process):
    def open(self) -> Any:
        return kameleoon.Client({**self.job["reach"], "store": "sqlite", "store.path": self.job["folder"],
                                 "events.durability": self.job["durability"]})  # fmt: skip

    def agree(self) -> list[Any]:
        self.visitors = [{p: client.visitor(p) for p in self.people} for client in self.clients]
        if self.number == 0:
            for p in self.people:
                assert recorded(self.visitors[0][p].set_legal_consent(True))
        return []

    def change(self) -> list[Any]:
        """Each client sets custom data of its own, and everybody's pages and goals are counted."""
        done = []
        for at, p in self.at_random():
            index = 20 + 2 * self.number + at
            value = f"{self.number}-{self.chance.random()}"
            page = kameleoon.PageView(f"https://a/{self.chance.choice('xyz')}", "page")
            assert recorded(self.visitors[at][p].add_data(kameleoon.CustomData(index, value), page, kameleoon.Conversion(5)))
            done.append((p, index, value, page.url))
        return done

    def refuse(self) -> list[Any]:
        for at, p in self.refusing():
            assert recorded(self.visitors[at][p].set_legal_consent(False))
        return [p for _, p in self.refusing()]

    def rush(self) -> list[Any]:
        """Changes somebody again and again, and says so each time, until it is killed."""
        for number in itertools.count():
            at, p = self.chance.choice(self.at_random())
            index = 20 + 2 * self.number + at
            if number % 10 == 9 and int(p[1:]) % 8 == self.number:
                index = -1
                status = self.visitors[at][p].set_legal_consent(False)
            else:
                status = self.visitors[at][p].add_data(kameleoon.CustomData(index, f"{number:09}"))
            assert recorded(status)
            if status:  # stored
                print("did", json.dumps([p, index, number]), flush=True)
        return []


def recorded(status: hoist.Status) -> bool:
    """Where many write to one file at once, a call may end before its turn has come."""
    return status in (hoist.Status.OK, hoist.Status.UNSAVED)


class FlagshipProcess(Process):
    def open(self) -> Any:
        return flagship.Client({**self.job["reach"], "mode": "bucketing", "store": "sqlite",
                                "store.path": self.job["folder"], "events.durability": self.job["durability"]})  # fmt: skip

    def agree(self) -> list[Any]:
        self.visitors = [
            {p: client.visitor(p, shared=False) for p in self.people} for client in self.clients
        ]
        for visitors in self.visitors:
            for visitor in visitors.values():
                visitor.fetch(20)
        return []

    def change(self) -> list[Any]:
        for at, p in self.at_random():
            visitor = self.visitors[at][p]
            visitor.send(flagship.Screen(f"{p}-{self.number}-{self.chance.random()}"))
            visitor.fetch(20)
        return []

    def refuse(self) -> list[Any]:
        for at, p in self.refusing():
            assert self.visitors[at][p].set_consent(False)
        return [p for _, p in self.refusing()]


PROCESSES = {"optimizely": OptimizelyProcess, "kameleoon": KameleoonProcess, "flagship": FlagshipProcess}


def main(job: dict[str, Any]) -> None:
    process = PROCESSES[job["service"]](job)
    print("open", flush=True)
    for line in sys.stdin:
        word = line.strip()
        print(word, json.dumps(getattr(process, word)()), flush=True)
        if word == "close":
            return


if __name__ == "__main__":
    assert hoist.__file__
    main(json.loads(sys.argv[1]))
