"""A day of one program with one service, which fails now and then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from account import HOUR, Day
from services.base import Simulated
from soaked import SOAKED, Soaked

TROUBLE_BEGINS, TROUBLE_ENDS = 12, 18
# True seconds beyond those of the day, twice: what a busy machine may add before a program counts as hanging.
GRACE_S = 120
# So much of a request that is complained of.
SHOWN = 2000
# The store is there, where it can: a disk that takes a hundredth of a second has a call of two seconds time out.
MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Setting:
    program: Path
    clock: Path
    hours: int
    speed: int


class Trouble:
    """What befalls the service in each hour, and what changes there, on a thread of its own."""

    def __init__(self, service: Simulated, setting: Setting) -> None:
        self.service, self.setting = service, setting
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        start = time.monotonic()
        for minute in range(self.setting.hours * HOUR):
            if self.is_over.wait(max(0.0, start + minute * 60 / self.setting.speed - time.monotonic())):
                return
            self._do(*divmod(minute, HOUR))

    def _do(self, hour: int, minute: int) -> None:
        service, kind = self.service, ("outage", "refusal", "cut", "reset")[hour % 4]
        if minute % 10 == 6:
            service.change("number", hour * HOUR + minute)
        elif minute == TROUBLE_BEGINS:
            if kind == "outage":
                service.go_away()
            elif kind == "refusal":
                service.fail(503)
                service.fail_events("status", status=503)
            else:
                for endpoint in (*service.fetching, *service.sending):
                    service.simulator.fail(endpoint, "drop" if kind == "cut" else "reset", times=2)
                service.drop()
        elif minute == TROUBLE_ENDS:
            if kind == "outage":
                service.come_back()
            service.heal()

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *exception: object) -> None:
        self.is_over.set()
        self.thread.join()


def live(name: str, setting: Setting) -> Day:
    """The simulator is in this process, whose time is the true one."""
    with tempfile.TemporaryDirectory(prefix="hoist-soak-", dir=MEMORY if MEMORY.is_dir() else None) as folder:
        soaked = SOAKED[name]
        service = soaked.make(Path(folder))
        service.start()
        try:
            return _live(Day(name, setting.hours), soaked, service, Path(folder), setting)
        finally:
            service.stop()


def _live(day: Day, soaked: Soaked, service: Simulated, folder: Path, setting: Setting) -> Day:
    start = time.time_ns()
    simulator: Any = service.simulator
    simulator.options.change(**soaked.options)
    if hasattr(simulator, "now"):
        simulator.now = lambda: (start + (time.time_ns() - start) * setting.speed) // 1_000_000
    if hasattr(simulator.options, "keep_alive_seconds"):
        simulator.options.keep_alive_seconds /= setting.speed
    properties = folder / "properties.json"
    properties.write_text(json.dumps({"store.path": str(folder / "store"), **service.properties(), **soaked.properties}))
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "LD_PRELOAD": str(setting.clock),
                   "HOIST_SOAK_START": str(start), "HOIST_SOAK_SPEED": str(setting.speed)}
    command: list[str | Path] = [setting.program, service.provider, properties, str(setting.hours), soaked.event, str(soaked.names)]
    log = folder / "log"
    with log.open("w") as errors, subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                                   stderr=errors, text=True, start_new_session=True) as host:
        # With its children, which hold the pipe open.
        limit = threading.Timer(2 * setting.hours * 3600 / setting.speed + GRACE_S, os.killpg, (host.pid, signal.SIGKILL))
        limit.start()
        _listen(day, soaked, service, host, setting)
        day.status = host.wait() if limit.is_alive() else None
        limit.cancel()
    simulator.wait_for_silence()
    day.arrived, day.unheard = soaked.arrived(service)
    day.requests = sum(simulator.journal.counts()["received"].values())
    day.complaints = [f"minute {(entry.at * 1e9 - start) * setting.speed / 60e9:.0f}, {entry.endpoint}: {violation}; "
                      f"{entry.body[:SHOWN]!r}" for entry in simulator.requests() for violation in entry.violations]
    day.complaints += [str(one) for one in simulator.violations if one.where in ("http", "simulator")]
    day.log = log.read_text(errors="replace").splitlines()
    return day


def _listen(day: Day, soaked: Soaked, service: Simulated, host: subprocess.Popen[str], setting: Setting) -> None:
    assert host.stdout
    if not host.stdout.readline().startswith("begun"):
        return
    with Trouble(service, setting):
        for line in host.stdout:
            what, _, number = line.rstrip().partition(" ")
            if what in day.said:
                day.said[what][soaked.name_of(number)] += 1
                continue
            sample = json.loads(line)
            streams = getattr(service.simulator, "streams", None)
            day.samples.append({**sample, "fetches": service.fetches(), "streams": len(streams.open) if streams else 0})
            if sample["when"] == "running" and sample["minute"] % HOUR == HOUR - 1:
                print(f"{day.name}: {sample['minute'] // HOUR + 1} h, {sample['resident_kib']} KiB with {sample['heap_kib']} in use, "
                      f"{sample['descriptors']} descriptors, {sample['threads']} threads, {sample['evaluations']} evaluations, "
                      f"{day.said['recorded'].total()} events, {service.fetches()} fetches", flush=True)
