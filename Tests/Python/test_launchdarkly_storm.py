"""Thousands of stream events while connections drop, stall and lie: in the end each client has what the service has.

`--stream-events` says how many. What happens is drawn from a seed, so that a run can be repeated.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import reach
from launchdarkly import LaunchDarklySimulator
from launchdarkly.streaming import FlagStream
from loopback.signals import Signal
from waiting import until

SEED = 20_260_105
KEYS = [f"flag-{number}" for number in range(60)]
# A client that is never replaced waits longer after each drop of a young connection: ten come to two seconds.
DROPS_OF_THE_OLD = 10
ROUNDS = 20


class Host:
    """The clients' process, told what to do."""

    def __init__(self, service: LaunchDarklySimulator, folder: Path) -> None:
        self._service = service
        self._folder = folder
        command = [sys.executable, str(Path(__file__).with_name("launchdarkly_host.py"))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate(timeout=30)

    def __call__(self, do: str, name: str = "", **more: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        print(json.dumps({"do": do, "name": name, **more}), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def open(self, name: str) -> None:
        settings = {**reach(self._service), "store.path": str(self._folder / name), "initial_retry_delay_ms": 1,
                    "context": json.dumps({"kind": "user", "key": name}), "events.flush_interval_ms": 500}  # fmt: skip
        assert self("open", name, properties=settings) == "OK"


class Storm:
    """Changes of flags and troubles of streams, drawn one by one."""

    def __init__(self, service: LaunchDarklySimulator, chance: random.Random) -> None:
        self.service = service
        self.chance = chance
        self.stalls: list[Signal] = []

    def change(self) -> None:
        chance, service, key = self.chance, self.service, self.chance.choice(KEYS)
        draw = chance.random()
        if draw < 0.70:
            service.set_flag(key, value=self._value(), variation=chance.randrange(5), trackEvents=chance.random() < 0.1)
        elif draw < 0.85:
            service.delete_flag(key)
        elif draw < 0.88:
            service.replace_flags({key: self._flag() for key in chance.sample(KEYS, chance.randrange(len(KEYS)))})
        elif draw < 0.94:
            self._send_stale()
        elif draw < 0.97:
            service.streams.send(chance.choice(["patch", "put", "delete", "novel"]), chance.choice(["", "{", "[]", "7"]))
        else:
            service.streams.raw(chance.choice([b": hello\n\n", b"\n\n", b"event: x\n\n", b"retry: x\n\n"]))

    def trouble(self, stream: FlagStream) -> bool:
        """Something goes wrong with one stream; answers whether it ends."""
        draw = self.chance.random()
        if draw < 0.3:
            signal = Signal()
            self.stalls.append(signal)
            stream.do(lambda stalled: stalled.stall(signal))
            return False
        if draw < 0.4:
            self.service.fail("stream", "status", status=self.chance.choice([429, 500, 503]))
        elif draw < 0.5:
            self.service.fail("stream", "stream-split", pieceBytes=self.chance.randrange(1, 50), interval=0)
        elif draw < 0.6:
            cut = self.chance.randrange(1, 40)
            stream.do(lambda ended: ended.write(b'event: put\ndata: {"flag-1":{"value":"cut"}}\n\n'[:cut]))
        how = self.chance.choice(["end", "close", "reset"])
        stream.do(lambda ended: ended.end(how))
        return True

    def calm(self) -> None:
        """Stalled streams go on, and send what they owe."""
        for signal in self.stalls:
            signal.set()
        self.stalls.clear()

    def _send_stale(self) -> None:
        """A version older than any; of a flag that all know, for of an unknown one any version is news."""
        known = sorted(self.service.environment.as_json()["flags"])
        if known:
            data = {"key": self.chance.choice(known), "value": "stale", "version": 0}
            self.service.streams.send("patch", json.dumps(data))

    def _value(self) -> Any:
        chance = self.chance
        return chance.choice([chance.randrange(1000), chance.random(), chance.random() < 0.5, "søk" * chance.randrange(40),
                              [1, {"a": None}], {"deep": {"er": list(range(chance.randrange(20)))}}, None])  # fmt: skip

    def _flag(self) -> dict[str, Any]:
        return {"value": self._value(), "version": self.chance.randrange(1, 10_000), "variation": self.chance.randrange(5)}


@pytest.fixture
def storm(launchdarkly: LaunchDarklySimulator) -> Iterator[Storm]:
    with LaunchDarklySimulator({}, keep_alive_seconds=0.05) as service:
        yield Storm(service, random.Random(SEED))
        assert service.violations == []


def test_every_client_has_in_the_end_what_the_service_has(storm: Storm, tmp_path: Path, stream_events: int) -> None:
    """Descriptors, threads and memory stay as they were (LD-75, G4, G6; failing, second client)."""
    service = storm.service
    with Host(service, tmp_path) as host:
        host.open("old")
        drops = 0
        resources = []
        for number in range(ROUNDS):
            young = f"young-{number % 4}"
            host.open(young)
            for _ in range(stream_events // ROUNDS // 2):
                storm.change()
            agree(host, service, "old", young)  # by patches and deletes alone
            for step in range(stream_events // ROUNDS // 2):
                storm.change()
                if step % 20 == 0:
                    drops += trouble_somebody(storm, drops)
            storm.calm()
            agree(host, service, "old", young)
            assert host("close", young) == "OK"
            resources.append(host("resources"))
        host("close", "old")
    assert drops <= DROPS_OF_THE_OLD and service.streams.opened > ROUNDS
    stays(resources)


def trouble_somebody(storm: Storm, drops: int) -> int:
    """How many more times the client that is never replaced lost its stream."""
    streams = storm.service.streams.open
    if drops >= DROPS_OF_THE_OLD:
        streams = [stream for stream in streams if stream.context.key != "old"]
    if not streams:
        return 0
    stream = storm.chance.choice(streams)
    return int(storm.trouble(stream) and stream.context.key == "old")


def agree(host: Callable[..., Any], service: LaunchDarklySimulator, *names: str) -> None:
    expected = {key: flag["value"] for key, flag in service.environment.as_json()["flags"].items()}
    for name in names:
        assert until(lambda name=name: host("flags", name) == expected, 30), (name, host("flags", name), expected)


def stays(resources: list[dict[str, int]]) -> None:
    """Compares the last rounds with those after which everything had been there once."""
    early, late = resources[ROUNDS // 4 : ROUNDS // 2], resources[-ROUNDS // 4 :]
    for name in ("descriptors", "threads"):
        # One that is still ending when it is counted is gone after another round; what leaks is there in every round.
        assert min(found[name] for found in late) <= max(found[name] for found in early), (name, resources)
    grown = min(found["kilobytes"] for found in late) - min(found["kilobytes"] for found in early)
    assert grown < 3000, resources
