"""OPT-72, G10: whoever is killed, at whatever write: no conversion that was recorded is lost, and each comes once."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from optimizely import OptimizelySimulator
from world import Programs

# What each host records: an impression and a conversion of each visitor.
VISITORS = 2
BATCH = 2
WORKERS = 2
# The numbers of a run's writes differ a little from run to run: so many in a row have to be survived.
SURVIVED = 3


class Hosts:
    """One store, one service, and hosts on them."""

    def __init__(self, host: Path, killer: Path, service: OptimizelySimulator, folder: Path) -> None:
        self.host = host
        self.killer = killer
        self.service = service
        self.folder = folder
        self.recorded: set[str] = set()

    def renew(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.service.reset()
        self.recorded.clear()

    def run(self, role: str, name: str, count: int, **kill: str) -> bool:
        """Whether the host came to its own end."""
        properties = self.folder / f"{name}.json"
        properties.write_text(json.dumps({
            "sdk_key": self.service.sdk_key, "datafile.url": self.service.datafile_url,
            "events.url.us": self.service.events_url, "events.url.eu": self.service.eu_events_url,
            "events.durability": "immediate", "events.batch_size": BATCH, "store.path": str(self.folder / "store")}))
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        if kill:
            environment |= {"LD_PRELOAD": str(self.killer), **kill}
        done = subprocess.run([self.host, properties, role, name, str(count)], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        assert done.stderr == "", done.stderr
        assert done.returncode == 0 or (kill and done.returncode == -signal.SIGKILL), done.returncode
        self.recorded |= {line.split()[1] for line in done.stdout.splitlines() if line.startswith("recorded ")}
        return done.returncode == 0

    def rows(self) -> int:
        """Events in the store that nobody has open, read from a copy: looking must not change it."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        if not (self.folder / "store").exists():
            return 0
        shutil.copytree(self.folder / "store", copy)
        found = 0
        for file in copy.glob("*.sqlite"):
            database = sqlite3.connect(f"file:{file}?mode=rw", uri=True)
            try:
                if database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'events'").fetchone() == (1,):
                    found += database.execute("SELECT count(*) FROM events WHERE pipeline = 'events'").fetchone()[0]
            finally:
                database.close()
        return found

    def check(self, survived: bool) -> None:
        """What is left in the store is delivered, and the ledger shows all of it."""
        left = self.rows()
        assert self.run("heir", "heir", left)
        assert self.rows() == 0
        converted = {event.visitor["visitor_id"] for event in self.service.ledger.events() if event.decision is None}
        assert self.recorded <= converted, "lost"
        # The one request that was on its way when the victim died the service may have taken without its learning of it.
        twice = [uuid for uuid, times in self.service.ledger.uuids().items() if times > 1]
        assert len(twice) <= BATCH and max(self.service.ledger.uuids().values(), default=0) <= 2
        if survived:
            assert left == 0 and twice == []
        assert [found for found in self.service.violations if survived or found.where != "http"] == []


@pytest.mark.parametrize("within", [False, pytest.param(True, marks=pytest.mark.long)], ids=["before", "within"])
def test_killed_at_every_write(programs: Programs, optimizely_host: Path, tmp_path: Path, within: bool) -> None:
    numbers = itertools.count(1)
    lock = threading.Lock()
    killed = survived = 0
    how = {"KILL_WITHIN": "1"} if within else {}

    def work(worker: int) -> None:
        nonlocal killed, survived
        with OptimizelySimulator() as service:
            hosts = Hosts(optimizely_host, programs.killer, service, tmp_path / str(worker))
            while True:
                with lock:
                    if survived >= SURVIVED:
                        return
                    number = next(numbers)
                hosts.renew()
                try:
                    is_alive = hosts.run("run", "victim", VISITORS, KILL_AT=str(number), **how)
                    hosts.check(is_alive)
                except AssertionError as error:
                    raise AssertionError(f"killed at write {number}: {error}") from error
                with lock:
                    killed += 0 if is_alive else 1
                    survived = survived + 1 if is_alive else 0

    with ThreadPoolExecutor(WORKERS) as pool:
        for finished in [pool.submit(work, worker) for worker in range(WORKERS)]:
            finished.result()
    assert killed > 10 * VISITORS
