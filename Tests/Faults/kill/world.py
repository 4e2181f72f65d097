"""One store, one service, and hosts on them that are killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path

import journals
from ledger import canonical
from unleash import UnleashSimulator

FLAGS = {"version": 1, "features": [{"name": "switch", "enabled": True, "strategies": [{"name": "default"}]}]}
# What each host records.
EVENTS = 4


@dataclass(frozen=True)
class Programs:
    """`host.c` and `killer.c`, compiled."""

    host: Path
    killer: Path


@dataclass(frozen=True)
class Row:
    """What a store holds for the next process: an event, by its name, or the body of a metrics post."""

    pipeline: str
    payload: str


class World:
    def __init__(self, programs: Programs, service: UnleashSimulator, folder: Path) -> None:
        self.programs = programs
        self.service = service
        self.folder = folder
        self.said: set[tuple[str, str]] = set()
        self.forks = ""
        self.seen = journals.Seen()
        """In all stores of this world."""

    def renew(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.service.reset()
        self.said.clear()
        self.forks = ""

    def start(self, role: str, name: str, count: int = EVENTS, durability: str | None = "immediate",
              cache: Path | None = None, **kill: str) -> subprocess.Popen[str]:
        """cache: the directory of the user's caches, in place of a store of the world's own."""
        self.forks = name if role == "fork" else self.forks
        given = {"url": self.service.frontend_url, "key": self.service.frontend_key, "app_name": "shop",
                 "instance_id": name, "events.durability": durability,
                 "store.path": None if cache else str(self.folder / "store")}
        properties = self.folder / f"{name}.json"
        properties.write_text(json.dumps({key: value for key, value in given.items() if value is not None}))
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "XDG_CACHE_HOME": str(cache or self.folder / "cache")}
        if kill:
            environment |= {"LD_PRELOAD": str(self.programs.killer), **kill}
        return subprocess.Popen([self.programs.host, properties, role, name, str(count)], env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def await_lines(self, host: subprocess.Popen[str], count: int) -> None:
        """Waits until a host has said so much."""
        assert host.stdout
        for _ in range(count):
            self._note(host.stdout.readline())

    def kill(self, host: subprocess.Popen[str]) -> None:
        host.kill()
        assert not self.finish(host, may_be_killed=True)

    def finish(self, host: subprocess.Popen[str], may_be_killed: bool = False) -> bool:
        """Waits for a host and its children, which hold the pipe open; returns whether it came to its own end."""
        output, errors = host.communicate(timeout=120)
        # What the library would warn of stands there as well: a damaged file, a failed write.
        assert errors == "", errors
        assert host.returncode == 0 or (may_be_killed and host.returncode == -signal.SIGKILL), host.returncode
        for line in output.splitlines():
            self._note(line)
        return host.returncode == 0

    def _note(self, line: str) -> None:
        what, name = line.split()
        self.said.add((what, name))

    @property
    def recorded(self) -> set[str]:
        """The events that the hosts were told are recorded."""
        return {name for what, name in self.said if what == "recorded"}

    def rows(self) -> list[Row]:
        """What is in the store that nobody has open, read from a copy: looking must not change it."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        if (self.folder / "store").exists():
            shutil.copytree(self.folder / "store", copy)
            self.seen.add(journals.in_folder(copy))
        return rows_in(copy, "rw")

    def rows_in_use(self) -> list[Row]:
        """The same beside a host that has it open."""
        return rows_in(self.folder / "store", "ro")


def rows_in(folder: Path, mode: str) -> list[Row]:
    return [read(pipeline, payload) for pipeline, payload in stored_events(folder, mode)]


def stored_events(folder: Path, mode: str) -> list[tuple[str, bytes]]:
    """The pipeline and payload of each event in the tables, or on its way there."""
    found = {key: (pipeline, payload) for journal in journals.in_folder(folder) for key, pipeline, payload in journal.events}
    for file in folder.glob("*.sqlite"):
        database = sqlite3.connect(f"file:{file}?mode={mode}", uri=True)
        try:
            # There may be no tables yet.
            if database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'events'").fetchone() == (1,):
                for key, pipeline, payload in database.execute("SELECT id, pipeline, payload FROM events"):
                    # Which events a batch on its way has is no event.
                    if not key.startswith("batch "):
                        found[key] = (pipeline, payload)
        finally:
            database.close()
    return [(pipeline, unmarked(payload)) for pipeline, payload in found.values()]


def unmarked(payload: bytes) -> bytes:
    """Without when it was recorded (Sources/HoistCore/Pipeline/StoredMoment.swift)."""
    return payload[:-20] if payload[-4:] == b"\0ms\xff" else payload


def read(pipeline: str, payload: bytes) -> Row:
    document = json.loads(payload)
    return Row(pipeline, document["p.event"] if pipeline == "events" else canonical(document))
