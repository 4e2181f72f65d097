"""The campaign: processes on several machines, one Redis, one service, and all that may befall them. Its ledger says what became
of what was recorded, and `flaws` what must not be.

What happens is drawn from a seed, and begins and ends with what processes say and do, never with the time.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from campaign_world import LIMIT_S, MACHINES, Redis, Worker, options_for

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Simulators"))
from flagship import FlagshipSimulator, sample_bucketing  # noqa: E402
from flagship.ledger import is_consent, visitor_of  # noqa: E402

CLASSES = 16  # of campaign_host.c
CUT_OFF = 1
# The last class, which is met by all to the end.
KNOWN = CLASSES - 1
TROUBLES = ["processes", "redis", "stall", "cut off", "fail-over", "flushing processes", "flushing redis", "calm"]


def document(green: int) -> dict[str, Any]:
    """One campaign for all, of which so many of a hundred get the second variation."""
    shares = [("red", 100 - green), ("green", green)]
    variations = [{"id": f"hvar0colour00000{colour[:4]:0>4}", "name": colour, "reference": colour == "red", "allocation": share,
                   "modifications": {"type": "JSON", "value": {"colour": colour}}} for colour, share in shares]
    everybody = {"targetingGroups": [{"targetings": [{"operator": "EQUALS", "key": "fs_all_users", "value": "", "provider": None}]}]}
    campaign = {"id": "hcamp0colour00000001", "name": "Colour", "type": "ab", "slug": "colour", "bucketRanges": [{"r": [0, 100]}],
                "variationGroups": [{"id": "hgrp0colour000000001", "name": "All", "targeting": everybody, "variations": variations}]}
    return sample_bucketing(campaigns=[campaign])


@dataclass
class Hit:
    person: int
    is_acknowledged: bool


@dataclass
class Ledger:
    hits: dict[str, Hit] = field(default_factory=dict)
    """Recorded, by location."""
    variations: dict[int, set[str]] = field(default_factory=dict)
    met_by: dict[int, set[str]] = field(default_factory=dict)
    refused: dict[int, int] = field(default_factory=dict)
    """How many posts had come when the call had returned and the refusal was stored."""
    may_have_refused: set[int] = field(default_factory=set)
    """Whose refusal was not: the call waits for that for two seconds at the longest."""
    killed: set[str] = field(default_factory=set)
    kept: list[str] = field(default_factory=list)
    """Names in Redis at the end."""

    def booked(self, service: FlagshipSimulator) -> Counter[str]:
        return service.ledger.screens()

    def lost(self, service: FlagshipSimulator) -> list[str]:
        booked, silent = self.booked(service), self.refused.keys() | self.may_have_refused
        return [location for location, hit in self.hits.items()
                if hit.is_acknowledged and not booked[location] and hit.person not in silent]

    def told_of_refused(self, service: FlagshipSimulator) -> list[str]:
        found = []
        for number, post in enumerate(service.ledger.posts):
            for hit in post.body.get("h", []) if post.endpoint == "hits" else []:
                since = self.refused.get(int(visitor_of(hit).removeprefix("p")))
                if since is not None and number >= since and not is_consent(hit):
                    found.append(f"{hit.get('dl')} of {visitor_of(hit)}")
        return found

    def posts_of_doubles(self, service: FlagshipSimulator) -> int:
        """In how many posts those came at first that came twice."""
        first: dict[str, int] = {}
        doubles = set()
        for number, post in enumerate(service.ledger.posts):
            for hit in post.body.get("h", []) if post.endpoint == "hits" else []:
                if "dl" in hit and first.setdefault(hit["dl"], number) != number:
                    doubles.add(first[hit["dl"]])
        return len(doubles)

    def lines(self, service: FlagshipSimulator) -> list[str]:
        booked = self.booked(service)
        rows = [("recorded", len(self.hits)), ("acknowledged", sum(hit.is_acknowledged for hit in self.hits.values())),
                ("booked once", sum(count == 1 for count in booked.values())),
                ("booked twice or more", sum(count > 1 for count in booked.values())), ("lost", len(self.lost(service))),
                ("people met", len(self.variations)),
                ("people with two variations", sum(len(seen) > 1 for seen in self.variations.values())),
                ("people who refused", len(self.refused)),
                ("refusals not stored at once", len(self.may_have_refused)),
                ("told of them afterwards", len(self.told_of_refused(service))),
                ("processes killed", len(self.killed))]
        return [f"{name:<28}{count:>8}" for name, count in rows]

    def flaws(self, service: FlagshipSimulator) -> list[str]:
        found = [f"lost: {one}" for one in self.lost(service)]
        found += [f"told of who refused: {one}" for one in self.told_of_refused(service)]
        found += [f"p{person} has seen {seen}" for person, seen in self.variations.items() if len(seen) > 1]
        found += [f"left in Redis: {name}" for name in self.kept]
        # A killed process may have stored what it could not tell of any more.
        unknown = set(self.booked(service)) - set(self.hits)
        found += [f"never recorded: {one}" for one in unknown if one.split("-")[0] not in self.killed]
        # A process that dies after the service has its batch and before the store has forgotten it: once for each.
        if self.posts_of_doubles(service) > len(self.killed):
            found.append(f"{self.posts_of_doubles(service)} posts came twice, and {len(self.killed)} processes were killed")
        # A killed process leaves half a request behind.
        found += [str(one) for one in service.violations if one.where != "http"]
        return found


class Campaign:
    def __init__(self, program: Path, plugin: Path, folders: Callable[[], Path], *, processes: int, people: int, steps: int,
                 rounds: int, seed: int, say: Callable[[str], None] = lambda line: None) -> None:
        self.program, self.plugin, self.folders, self.say = program, plugin, folders, say
        self.processes, self.people, self.steps, self.rounds = processes, people, steps, rounds
        self.chance = random.Random(seed)
        self.changed = threading.Condition()
        self.ledger = Ledger()
        self.service = FlagshipSimulator(document(50), silent_after_refusal=False)
        self.workers: list[Worker] = []
        self.made = 0
        self.said = 0
        self.dead: set[int] = set()

    # What processes say; with the condition.

    def _hear(self, worker: Worker, words: list[str]) -> None:
        self.said += 1
        match words:
            case ["saw", person, value]:
                self.ledger.variations.setdefault(int(person), set()).add(value)
                self.ledger.met_by.setdefault(int(person), set()).add(worker.name)
            case ["recorded", person, location, status]:
                self.ledger.hits[location] = Hit(int(person), status == "HOIST_OK")

    def _await(self, holds: Callable[[], bool], what: str) -> None:
        with self.changed:
            assert self.changed.wait_for(holds, LIMIT_S), f"waiting for {what}"

    def _await_all(self) -> None:
        self._await(lambda: all(worker.is_idle for worker in self.workers), "all processes")

    # Processes.

    def _start(self, timeout_ms: int = 1000) -> Worker:
        machine = self.made % MACHINES
        properties = self.folder / "properties.json"
        if not self.made:
            service = self.service
            properties.write_text(json.dumps({
                "env_id": service.environment_id, "api_key": service.api_key, "decision.url": service.decision_url,
                "cdn.url": service.cdn_url, "events.url": service.events_url, "mode": "bucketing", "usage_tracking": False,
                "store": "none", "log.level": "none", "hits.batch_interval": 3600, "hits.pool_max_size": 100_000,
                "events.durability": "immediate", "visitor_cache.timeout_ms": 9000}))
        name = f"w{self.made}"
        worker = Worker([self.program, properties, self.plugin, options_for(self.redis.machines[machine], timeout_ms), name,
                         str(self.chance.randrange(1 << 62)), str(self.people)], name, machine, self.changed, self._hear)
        self.made += 1
        self.workers.append(worker)
        return worker

    def _kill(self, count: int) -> None:
        for worker in self.chance.sample(self.workers, count):
            worker.kill()
            self.dead.add(worker.process.pid)
            self.ledger.killed.add(worker.name)
            self.workers.remove(worker)

    def _sound(self, kind: str) -> list[Worker]:
        return [worker for worker in self.workers if kind != "cut off" or worker.machine != CUT_OFF]

    def _fill_up(self, kind: str = "") -> None:
        """As many as before, and each that may reaches Redis."""
        self.redis.end_leases(self.dead)
        while len(self.workers) < self.processes:
            self._start()
        for worker in self._sound(kind):
            worker.tell(f"settle {KNOWN}")
        self._await_all()

    def _tell(self, line: str) -> None:
        for worker in self.workers:
            worker.tell(line)

    # Troubles: each begins in the midst of something, and ends when it was met with.

    def _until_met(self, machine: int | None = None) -> None:
        """Until each process, or each of one machine, has something in memory alone, or nothing more to do."""
        concerned = [(worker, worker.unsaved) for worker in self.workers if machine in (None, worker.machine)]
        self._await(lambda: all(worker.is_idle or worker.unsaved > before for worker, before in concerned), "trouble to be met")

    def _trouble(self, kind: str) -> None:
        redis = self.redis
        if kind.endswith("processes"):
            self._kill(max(1, self.processes // 5))
        elif kind.endswith("redis"):
            redis.kill()
            self._until_met()
            self._kill(1)
            redis.revive()
        elif kind == "stall":
            redis.stall(True)
            self._until_met()
            self._kill(1)
            redis.stall(False)
        elif kind == "cut off":
            # One machine, until others have heard of refusals and it has tried to send.
            redis.stall(True, CUT_OFF)
            self._until_met(CUT_OFF)
        elif kind == "fail-over":
            redis.replace()
            self._until_met()
            redis.promote()

    # A round.

    def _work(self, number: int, kind: str) -> None:
        before, wanted = self.said, self.processes * self.steps // 3
        self._tell(f"work {self.steps} {number}")
        self._await(lambda: self.said >= before + wanted or all(worker.is_idle for worker in self.workers), "work")
        if not kind.startswith("flushing"):
            self._trouble(kind)
        self._await_all()
        self._fill_up(kind)

    def _refuse(self, number: int, kind: str) -> None:
        """Of those who were met, some refuse at one process while others hold what they have done."""
        met = sorted(person for person in self.ledger.variations if person % CLASSES == number)
        some = self.chance.sample(met, min(max(6, self.people // 200), len(met)))
        for person in some:
            self.chance.choice(self.workers).tell(f"hold {person}")
        self._await_all()
        sound = self._sound(kind)
        for person in some:
            self.chance.choice(sound).tell(f"refuse {person}")
        self._await_all()
        self.note_refusals(some)
        self._tell("again")
        self._await_all()

    def note_refusals(self, people: list[int]) -> None:
        """Of those who have refused."""
        for person in people:
            if self.redis.keeps_refusal(person):
                self.ledger.refused[person] = len(self.service.ledger.posts)
            else:
                self.ledger.may_have_refused.add(person)

    def _flush(self, kind: str) -> None:
        self._tell("flush")
        if kind.startswith("flushing"):
            self._trouble(kind)
        self._await_all()
        self.redis.stall(False)
        self._fill_up()

    def _settle(self) -> None:
        """All end in good order, and a last one brings out what they have left."""
        for worker in self.workers:
            assert worker.process.stdin
            worker.process.stdin.close()
        for worker in self.workers:
            worker.process.wait(LIMIT_S)
            worker.reader.join()
        self.workers.clear()
        heir = self._start()
        for _ in range(20):
            heir.tell("flush")
            self._await_all()
            if not self._waiting():
                break
        # People who were met are still who they were, though most others are now given the other variation.
        self.service.publish(document(100))
        late = [self._start(timeout_ms=9000) for _ in range(MACHINES)]
        self._await_all()
        silent = self.ledger.refused.keys() | self.ledger.may_have_refused
        # What is kept of people is written soon after a call, not with it.
        known = [person for person, met_by in self.ledger.met_by.items() if person not in silent and met_by - self.ledger.killed]
        for place, person in enumerate(sorted(known)):
            late[place % MACHINES].tell(f"decide {person}")
        self._await_all()
        for worker in self.workers:
            worker.finish()
        self.ledger.kept = [name for name in self.redis.server.names() if ":held:" in name or ":free:" in name or ":people" in name]
        self.ledger.kept += [f"{count} events" for count in [self._waiting()] if count]

    def _waiting(self) -> int:
        return sum(int(str(self.redis.server.ask("HLEN", name))) for name in self.redis.server.names() if name.endswith(":facts"))

    def __enter__(self) -> Campaign:
        self.folder = self.folders()
        self.redis = Redis(self.folders, self.changed)
        self.service.start()
        self._fill_up()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for worker in self.workers:
            worker.kill()
        self.redis.end()
        self.service.stop()

    def ask(self, worker: Worker, line: str) -> None:
        """Tells one of them something, and waits until it is done."""
        worker.tell(line)
        self._await(lambda: worker.is_idle, line)

    def run(self) -> Ledger:
        with self:
            kinds = [TROUBLES[place % len(TROUBLES)] for place in range(self.rounds)]
            self.chance.shuffle(kinds)
            for number, kind in enumerate(kinds):
                self._work(number, kind)
                self._refuse(number, kind)
                self._flush(kind)
                self.say(f"round {number + 1}: {kind}; {len(self.ledger.hits)} recorded, {len(self.service.ledger.posts)} posts")
            self._settle()
        return self.ledger
