"""Runs the harness and the Python peers, and gathers their records."""

import json
import subprocess
import tempfile
from pathlib import Path

from . import documents, targets
from .environment import HERE, WORK, Failure, call, install_binding, progress, wheel_library
from .workload import make_flags, make_users, write_native_files

WORKLOADS = ("W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "W11", "W12", "W13",
             "W14", "W15", "W16", "W17", "W18", "W19", "W20", "W21", "W22", "W23", "W24", "W25")
FLAGSHIP = ("W18", "W19", "W20")
KAMELEOON = ("W21", "W22", "W23")
SIZES = (10, 1000, 10000)
CAMPAIGNS = (10, 100, 1000)
BURST_FLAGS = 2000


def write_documents(quick: bool, only: list[str]) -> tuple[int, ...]:
    """The workload's files of each size this run needs, below WORK; returns the sizes."""
    needs_largest = not quick or {"W4", "W7", "W8", "W10"} & set(only)
    sizes = SIZES if needs_largest else SIZES[:2]
    users = make_users()
    for size in sizes + ((BURST_FLAGS,) if "W25" in only else ()):
        folder, flags = WORK / f"size-{size}", make_flags(size)
        folder.mkdir(parents=True, exist_ok=True)
        write_native_files(folder, flags, users)
        for name in ("unleash", "flipt", "growthbook", "launchdarkly", "optimizely", "kameleoon"):
            write_json(folder / f"{name}.json", getattr(documents, name)(flags))
        for part in ("rules", "values"):
            write_json(folder / f"optimizely-{part}.json", getattr(documents, f"optimizely_{part}")(flags))
        write_json(folder / "launchdarkly-rules.json", documents.launchdarkly_rules(flags))
        for state in ("on", "off"):
            write_json(folder / f"launchdarkly-{state}.json", documents.launchdarkly_values(flags, marker=state == "on"))
        write_json(folder / "unleash-on.json", documents.unleash(flags, marker=True))
        write_json(folder / "unleash-off.json", documents.unleash(flags, marker=False))
    for size in CAMPAIGNS if set(FLAGSHIP) & set(only) else ():
        folder, flags = WORK / f"campaigns-{size}", make_flags(size)
        folder.mkdir(parents=True, exist_ok=True)
        write_native_files(folder, flags, users)
        write_json(folder / "flagship.json", documents.flagship(flags))
    return sizes


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, separators=(",", ":")))


class Measurement:
    def __init__(self, quick, harness, floor, python, hoist, server, sizes):
        self._quick, self._harness, self._python, self._sizes = quick, harness, python, sizes
        self._server, self._url = server, server.url
        self._libraries = {
            "floor": floor, "hoist": hoist,
            "yggdrasil": wheel_library("libyggdrasilffi.so"), "flipt": wheel_library("libfliptengine.so"),
        }
        self.records: list[dict] = []

    def run(self, only: list[str]) -> list[dict]:
        evaluated = [name for name in ("W1", "W2", "W3", "W14", "W15", "W24") if name in only]
        if self._libraries["hoist"]:
            self._check_counting({"unleash": ("W1", "W2", "W3", "W4"), "launchdarkly": ("W14", "W15"), "launchdarkly-server": ("W24",)}, only)
        for size in self._sizes if evaluated else ():
            if not self._quick or size != SIZES[-1]:
                self._harness_run("evaluate", size, only=",".join(evaluated), threads=2, attempts=1 if self._quick else 4)
        if "W4" in only:
            self._harness_run("evaluate", SIZES[-1], only="W4", threads=2, attempts=1 if self._quick else 4)
        if "W6" in only:
            self._harness_run("track", SIZES[0], threads=2)
        if "W7" in only:
            for size in self._sizes:
                self._harness_run("load", size)
        if {"W5", "W13"} & set(only):
            for size in self._sizes:
                self._decide(size)
        if "W8" in only:
            for size in self._sizes[1:]:
                self._harness_run("swap", size, seconds=1 if self._quick else 5)
        for size in self._sizes if "W17" in only else ():
            self._harness_run("notice", size)
        for name, step in (("W9", self._python_calls), ("W10", self._memory), ("W11", self._start), ("W12", self._sizes_of_files), ("W16", self._variations)):
            if name in only:
                step()
        if set(FLAGSHIP) & set(only):
            self._flagship([name for name in FLAGSHIP if name in only])
        if set(KAMELEOON) & set(only):
            self._kameleoon([name for name in KAMELEOON if name in only])
        for size in self._sizes if "W24" in only else ():
            self._server_rules(size)
            if self._libraries["hoist"]:
                self._harness_run("change", size)
        for subject in ("values", "rules") if "W25" in only and self._libraries["hoist"] else ():
            self._harness_run("burst", BURST_FLAGS, subject=subject)
        return self.records

    def _arguments(self, command: str, size: int, **values) -> list[str]:
        settings = {
            "folder": WORK / f"size-{size}", "clients": HERE / "clients.tsv", "url": self._url, "runs": 11,
            "run_ms": 5 if self._quick else 40, "spread": targets.CALIBRATION_SPREAD, **self._libraries, **values,
        }
        return [str(self._harness), command, *(f"{name}={value}" for name, value in settings.items() if value is not None)]

    def _harness_run(self, command: str, size: int, **values) -> None:
        self._collect(self._arguments(command, size, **values))

    def _collect(self, command: list[str], timeout: float = 3600) -> None:
        """Records are lines on standard output; progress and errors pass through on standard error."""
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=timeout, cwd=HERE)
        self.records += [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith("{")]
        if done.returncode:
            raise Failure(f"{Path(command[0]).name} {command[1]} ended with {done.returncode}")

    def _check_counting(self, services: dict[str, tuple[str, ...]], only: list[str]) -> None:
        """An evaluation that counts no exposure would be quick for the wrong reason."""
        for service in (name for name, workloads in services.items() if set(workloads) & set(only)):
            before = self._server.counted
            self._harness_run("count", SIZES[0], subject=service)
            made = self.records.pop()["evaluations"]
            if self._server.counted - before != made:
                raise Failure(f"{service}: of {made:,.0f} evaluations Hoist counted {self._server.counted - before:,}")

    def _python_calls(self) -> None:
        self._python_run("W9")

    def _variations(self) -> None:
        self._python_run("W16")

    def _python_run(self, workload: str) -> None:
        command = [str(self._python), "-m", "bench.python_calls", "--folder", str(WORK / "size-1000"), "--url", self._url,
                   "--clients", str(HERE / "clients.tsv"), "--run-ms", "10" if self._quick else "40", "--workload", workload]
        if self._libraries["hoist"]:
            command += ["--hoist", str(self._libraries["hoist"])]
        self._collect(command)

    def _decide(self, size: int) -> None:
        if self._libraries["hoist"]:
            self._harness_run("decide", size)
        command = [str(self._python), "-m", "bench.python_decide", "--folder", str(WORK / f"size-{size}"), "--size", str(size),
                   "--clients", str(HERE / "clients.tsv"), "--run-ms", "10" if self._quick else "40"]
        if self._libraries["hoist"]:
            command += ["--hoist", str(self._libraries["hoist"])]
        self._collect(command)

    def _flagship(self, only: list[str]) -> None:
        """W18 with all numbers of campaigns, the others with one."""
        if self._libraries["hoist"]:
            install_binding(self._libraries["hoist"])
        for size in CAMPAIGNS:
            wanted = [name for name in only if {"W18": CAMPAIGNS, "W19": (1000,), "W20": (10,)}[name].count(size)]
            if not wanted:
                continue
            folder = WORK / f"campaigns-{size}"
            if self._libraries["hoist"] and {"W18", "W19"} & set(wanted):
                self._harness_run("fetch", size, folder=folder, only=",".join(wanted))
            if self._libraries["hoist"] and "W20" in wanted:
                with tempfile.TemporaryDirectory(dir=WORK) as store:
                    self._harness_run("hit", size, folder=folder, store=store)
            command = [str(self._python), "-m", "bench.python_flagship", "--folder", str(folder), "--size", str(size),
                       "--clients", str(HERE / "clients.tsv"), "--run-ms", "10" if self._quick else "40",
                       "--workloads", ",".join(wanted)]
            self._collect(command + ["--hoist"] if self._libraries["hoist"] else command)

    def _kameleoon(self, only: list[str]) -> None:
        """W21 and W22 with both numbers of flags, W23 with one."""
        if self._libraries["hoist"]:
            install_binding(self._libraries["hoist"])
        for size in SIZES[:2]:
            wanted = [name for name in only if name != "W23" or size == SIZES[0]]
            if not wanted:
                continue
            if self._libraries["hoist"]:
                self._harness_run("variation", size, only=",".join(wanted))
            command = [str(self._python), "-m", "bench.python_kameleoon", "--folder", str(WORK / f"size-{size}"),
                       "--size", str(size), "--clients", str(HERE / "clients.tsv"),
                       "--run-ms", "10" if self._quick else "40", "--workloads", ",".join(wanted)]
            if self._libraries["hoist"]:
                command += ["--hoist", str(self._libraries["hoist"])]
            self._collect(command)

    def _server_rules(self, size: int) -> None:
        self._collect([str(self._python), "-m", "bench.python_server", "--folder", str(WORK / f"size-{size}"), "--size", str(size),
                       "--url", f"{self._url}/launchdarkly-server/{size}", "--clients", str(HERE / "clients.tsv"),
                       "--run-ms", "10" if self._quick else "40",
                       *(["--hoist", str(self._libraries["hoist"])] if self._libraries["hoist"] else [])])

    def _engines(self) -> list[str]:
        return [name for name in ("hoist", "yggdrasil", "flipt") if self._libraries[name]]

    def _memory(self) -> None:
        progress("  W10")
        for engine in self._engines() + (["hoist, rules"] if self._libraries["hoist"] else []):
            for size in (SIZES[0], SIZES[-1]):
                self._harness_run("memory", size, subject=engine)

    def _start(self) -> None:
        progress("  W11")
        for _ in range(5 if self._quick else 15):
            for engine in self._engines():
                self._harness_run("start", SIZES[1], subject=engine)

    def _sizes_of_files(self) -> None:
        progress("  W12")
        for engine in self._engines():
            stripped = WORK / f"{engine}-stripped.so"
            call("strip", "-o", stripped, self._libraries[engine])
            listing = subprocess.run(["readelf", "-d", stripped], capture_output=True, text=True).stdout
            needed = [line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(NEEDED)" in line]
            self.records.append({
                "record": "file", "workload": "W12", "subject": engine, "bytes": stripped.stat().st_size,
                "shipped": Path(self._libraries[engine]).stat().st_size, "needed": needed,
            })
