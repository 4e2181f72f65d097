"""Whoever is killed, at whatever write: no event that was recorded is lost, and each comes once."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

import pytest
from flagship import FlagshipSimulator
from journals import Seen, in_folder
from kameleoon import KameleoonSimulator
from launchdarkly import LaunchDarklySimulator
from loopback.service import Service
from optimizely import OptimizelySimulator
from world import Programs, stored_events

# What each host records: so many evaluations and events.
EVENTS = 2
BATCH = 2
WORKERS = 2
# A flag that everybody gets.
BANNER = {"configuration": {}, "customData": [], "segments": [], "featureFlags": [
    {"id": 1, "featureKey": "banner", "defaultVariationKey": "off", "environmentEnabled": True,
     "variations": [{"key": "off", "name": "Off", "variables": []}, {"key": "on", "name": "On", "variables": []}],
     "rules": [{"id": 10, "type": "TARGETED_DELIVERY", "exposition": 1, "experimentId": 100, "variationByExposition": [
         {"variationKey": "on", "variationId": 11, "exposition": 1}]}]}], "dateModified": 1767225600000}
EVERYBODYS = {"campaigns": [
    {"id": "campaign", "type": "ab", "variationGroups": [
        {"id": "group", "targeting": {"targetingGroups": [{"targetings": [
            {"key": "fs_all_users", "operator": "EQUALS", "value": ""}]}]},
         "variations": [{"id": "green", "allocation": 100, "modifications": {"type": "JSON", "value": {"banner": True}}}]}]}]}
# The numbers of a run's writes differ a little from run to run: so many in a row have to be survived.
SURVIVED = 3


class Vendor(Protocol):
    """A service, and how to read what it was told."""

    name: str
    service: Service
    pipelines: str
    """Those of its events, as a pattern."""
    batch: int
    """So many things that are to come once a request may have."""
    has_journal: bool
    """Whether calls wait for a journal, rather than for the tables."""

    def properties(self) -> dict[str, Any]:
        """What reaches the service."""

    def told(self) -> set[str]:
        """The events that it was told of, by their names."""

    def sent(self) -> Counter[str]:
        """How often each thing came that is to come once."""


class Optimizely:
    name = "optimizely"
    pipelines = "events*"
    batch = BATCH
    has_journal = True

    def __init__(self) -> None:
        self.service = OptimizelySimulator()

    def properties(self) -> dict[str, Any]:
        return {"sdk_key": self.service.sdk_key, "datafile.url": self.service.datafile_url,
                "events.url.us": self.service.events_url, "events.url.eu": self.service.eu_events_url,
                "events.batch_size": BATCH}

    def told(self) -> set[str]:
        return {event.visitor["visitor_id"] for event in self.service.ledger.events() if event.decision is None}

    def sent(self) -> Counter[str]:
        return self.service.ledger.uuids()


class LaunchDarkly:
    """Its events have no ids; the names of the custom ones are."""

    name = "launchdarkly"
    pipelines = "events*"
    batch = BATCH
    has_journal = True

    def __init__(self) -> None:
        self.service = LaunchDarklySimulator(exactly_once=False)

    def properties(self) -> dict[str, Any]:
        return {"mobile_key": self.service.mobile_key, "base_url": self.service.url, "stream_url": self.service.url,
                "events_url": self.service.url, "diagnostic_opt_out": True,
                "context": json.dumps({"kind": "user", "key": "anna"})}

    def told(self) -> set[str]:
        return set(self.sent())

    def sent(self) -> Counter[str]:
        payloads = self.service.ledger.payloads(distinct=False)
        return Counter(event["key"] for payload in payloads for event in payload if event["kind"] == "custom")


class Kameleoon:
    """Conversions, and the variations that visitors got."""

    name = "kameleoon"
    pipelines = "tracking"
    batch = 2 * EVENTS
    has_journal = False

    def __init__(self) -> None:
        self.service = KameleoonSimulator(BANNER, exactly_once=False)

    def properties(self) -> dict[str, Any]:
        service = self.service
        return {"site_code": service.site_code, "configuration.url": service.configuration_url, "data.url": service.data_url,
                "stream.url": service.stream_url, "token.url": service.token_url}

    def told(self) -> set[str]:
        return {line.visitor for line in self.service.ledger.lines("conversion")}

    def sent(self) -> Counter[str]:
        return self.service.ledger.deliveries()


class Flagship:
    """Events, and the variations that visitors saw."""

    name = "flagship"
    pipelines = "*"
    batch = 2 * EVENTS
    has_journal = True

    def __init__(self) -> None:
        self.service = FlagshipSimulator(EVERYBODYS)

    def properties(self) -> dict[str, Any]:
        service = self.service
        return {"env_id": service.environment_id, "api_key": service.api_key, "decision.url": service.decision_url,
                "cdn.url": service.cdn_url, "events.url": service.events_url, "mode": "bucketing", "usage_tracking": False}

    def told(self) -> set[str]:
        return {hit["vid"] for hit in self.service.ledger.hits("EVENT")}

    def sent(self) -> Counter[str]:
        return self.service.ledger.deliveries() + self.service.ledger.exposures()


class Hosts:
    """One store, one service, and hosts on them."""

    def __init__(self, host: Path, killer: Path, vendor: Vendor, folder: Path) -> None:
        self.host = host
        self.killer = killer
        self.vendor = vendor
        self.folder = folder
        self.recorded: set[str] = set()
        self.seen = Seen()

    def renew(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.vendor.service.reset()
        self.recorded.clear()

    def run(self, role: str, name: str, count: int, **kill: str) -> bool:
        """Whether the host came to its own end."""
        properties = self.folder / f"{name}.json"
        properties.write_text(json.dumps({
            **self.vendor.properties(), "events.durability": "immediate", "store.path": str(self.folder / "store")}))
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        if kill:
            environment |= {"LD_PRELOAD": str(self.killer), **kill}
        command = [self.host, self.vendor.name, properties, role, name, str(count)]
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120)
        assert done.stderr == "", done.stderr
        assert done.returncode == 0 or (kill and done.returncode == -signal.SIGKILL), done.returncode
        assert self.vendor.service.wait_for_silence()
        self.recorded |= {line.split()[1] for line in done.stdout.splitlines() if line.startswith("recorded ")}
        return done.returncode == 0

    def rows(self) -> int:
        """Events in the store that nobody has open, read from a copy: looking must not change it."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        if not (self.folder / "store").exists():
            return 0
        shutil.copytree(self.folder / "store", copy)
        self.seen.add(in_folder(copy))
        return sum(fnmatchcase(pipeline, self.vendor.pipelines) for pipeline, _ in stored_events(copy, "rw"))

    def check(self, survived: bool) -> None:
        """What is left in the store is delivered, and the ledger shows all of it."""
        left = self.rows()
        assert self.run("heir", "heir", left)
        assert self.rows() == 0
        sent = self.vendor.sent()
        assert self.recorded <= self.vendor.told(), "lost"
        # The one request that was on its way when the victim died the service may have taken without its learning of it.
        twice = [name for name, times in sent.items() if times > 1]
        assert len(twice) <= self.vendor.batch and max(sent.values(), default=0) <= 2
        if survived:
            assert left == 0 and twice == []
        assert [found for found in self.vendor.service.violations if survived or found.where != "http"] == []


@pytest.mark.parametrize("within", [False, pytest.param(True, marks=pytest.mark.long)], ids=["before", "within"])
@pytest.mark.parametrize("vendor", [Optimizely, LaunchDarkly, Kameleoon, Flagship])
def test_killed_at_every_write(
    programs: Programs, service_host: Path, tmp_path: Path, vendor: type[Vendor], within: bool
) -> None:
    """(OPT-72, LD-41, KAM-58, FS-18, FS-44, G10; second process)"""
    numbers = itertools.count(1)
    lock = threading.Lock()
    killed = survived = 0
    seen = Seen()
    how = {"KILL_WITHIN": "1"} if within else {}

    def work(worker: int) -> None:
        nonlocal killed, survived, seen
        played = vendor()
        with played.service:
            hosts = Hosts(service_host, programs.killer, played, tmp_path / str(worker))
            while True:
                with lock:
                    if survived >= SURVIVED:
                        seen += hosts.seen
                        return
                    number = next(numbers)
                hosts.renew()
                try:
                    is_alive = hosts.run("run", "victim", EVENTS, KILL_AT=str(number), **how)
                    hosts.check(is_alive)
                except AssertionError as error:
                    raise AssertionError(f"killed at write {number}: {error}") from error
                with lock:
                    killed += 0 if is_alive else 1
                    survived = survived + 1 if is_alive else 0

    with ThreadPoolExecutor(WORKERS) as pool:
        for finished in [pool.submit(work, worker) for worker in range(WORKERS)]:
            finished.result()
    assert killed > 10 * EVENTS
    assert seen.records > 0 or not vendor.has_journal, "no journal was used"
