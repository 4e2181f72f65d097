"""The tables a person reads."""

import platform
import statistics
from pathlib import Path

from . import targets
from .judge import first, is_restless, select
from .targets import Verdict

TITLES = {
    "W1": "bool flag, exposure counted", "W2": "rule: three conditions and a hash", "W3": "JSON of a variant",
    "W4": "random mix of all kinds", "W5": "Optimizely: decide all flags of one user", "W6": "track an event with one property", "W7": "read and swap a configuration",
    "W8": "rule while another thread swaps", "W9": "from Python, 1,000 flags", "W10": "private memory",
    "W11": "load, create, ready from a file", "W12": "library",
    "W13": "Optimizely: decide a flag by a test behind three conditions, read variation and variables",
    "W14": "LaunchDarkly: bool variation, counted for summaries", "W15": "LaunchDarkly: JSON variation, counted for summaries",
    "W16": "LaunchDarkly from Python, counted for summaries, 1,000 flags",
    "W17": "LaunchDarkly: from a patch on the wire to the observer",
    "W18": "Flagship: fetch the flags of a visitor in bucketing mode, three targetings per campaign",
    "W19": "Flagship: read a flag's value", "W20": "Flagship: make and send a hit, by how hits are kept",
    "W21": "Kameleoon: the variation of a flag behind three conditions and two hashes, its key and variable read",
    "W22": "Kameleoon: the variations of all flags", "W23": "Kameleoon: add a datum and track a conversion",
    "W24": "LaunchDarkly, server-side: a bool flag of three rules with two clauses and a rollout, events on",
    "W25": "LaunchDarkly: what a burst on one client's stream does to the process",
}


def machine() -> str:
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{model}, {platform.system()} {platform.release()}"


def show(records: list[dict], verdicts: list[Verdict]) -> None:
    print(f"\n{machine()}")
    for workload, title in TITLES.items():
        rows = select(records, workload=workload)
        if not rows:
            continue
        print(f"\n== {workload}  {title}")
        for table in dict.fromkeys(TABLES[row["record"]] for row in rows):
            table([row for row in rows if TABLES[row["record"]] is table])
        for verdict in verdicts:
            if verdict.workload == workload:
                print(f"   {verdict.mark:9}{verdict.what}: {verdict.measured} (target {verdict.target})")
    _summary(verdicts)


def _summary(verdicts: list[Verdict]) -> None:
    marks = [verdict.mark for verdict in verdicts]
    counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in ("ok", "ok here", "MISSED", "restless") if mark in marks)
    print(f"\n{len(marks)} targets: {counts or 'none judged'}")


def _table(heads: list[str], lines: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in [heads, *lines]) for column in range(len(heads))]
    for row in [heads, *lines]:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("   " + "  ".join(cells).rstrip())


def _number(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _times(rows: list[dict]) -> None:
    for size in sorted({row["size"] for row in rows}):
        for threads in (1, 2):
            part = select(rows, size=size, threads=threads)
            if not part:
                continue
            floor, hoist = first(part, subject=targets.FLOORS[part[0]["workload"]]), first(part, subject="Hoist")
            clock = "CPU" if threads == 1 else "wall"
            print(f" {size:,} flags, {threads} thread{'s' * (threads > 1)}, ns of {clock} time per call"
                  f"{'; RESTLESS calibration' if is_restless(part) else ''}")
            _table(["", "median", "minimum", "spread", "x floor", "x Hoist"], [
                [row["subject"], _number(row["median"]), _number(row["minimum"]), f"{row['spread']:.0%}",
                 _number(row["median"] / floor["median"]), _number(row["median"] / hoist["median"]) if hoist else "-"]
                for row in part
            ])


def _track(rows: list[dict]) -> None:
    _table(["ns per call (2 threads: wall)", "threads", "waiting", "median", "minimum"], [
        [row["subject"], str(row["threads"]), f"{row['depth']:,}", _number(row["median"]), _number(row["minimum"])]
        for row in rows if row["record"] == "track"
    ])
    _skipped(rows)


def _skipped(rows: list[dict]) -> None:
    for row in select(rows, record="skipped")[:1]:
        print(f"   Hoist is left out: {row['why']}")


def _load(rows: list[dict]) -> None:
    for size in sorted({row["size"] for row in rows}):
        part = select(rows, size=size)
        hoist = first(part, subject="Hoist, fetch and swap")
        print(f" {size:,} flags, ms of the process's CPU time")
        _table(["", "median", "minimum", "wall median", "x Hoist"], [
            [row["subject"], f"{row['median']:,.2f}", f"{row['minimum']:,.2f}", f"{row['wall_median']:,.2f}",
             _number(row["median"] / hoist["median"]) if hoist else "-"] for row in part
        ])


def _decide(rows: list[dict]) -> None:
    for size in sorted({row["size"] for row in rows}):
        part = select(rows, size=size)
        subjects, lines = list(dict.fromkeys(row["subject"] for row in part)), []
        for case in dict.fromkeys(row["case"] for row in part):
            cells = [first(part, case=case, subject=subject) for subject in subjects]
            lines.append([case, *(_number(cell["median"]) if cell and cell["median"] >= 10 else
                                  f"{cell['median']:.2f}" if cell else "-" for cell in cells)])
        print(f" {size:,} flags, µs of CPU time per call, median")
        _table(["", *subjects], lines)


def _flagship(rows: list[dict]) -> None:
    _cases(rows, "campaigns", "wall" if rows[0]["workload"] == "W20" else "CPU")


def _flags(rows: list[dict]) -> None:
    _cases(rows, "flags", "CPU")


def _cases(rows: list[dict], noun: str, clock: str) -> None:
    for size in sorted({row["size"] for row in rows}):
        part = select(rows, size=size)
        subjects, lines = list(dict.fromkeys(row["subject"] for row in part)), []
        for case in dict.fromkeys(row["case"] for row in part):
            cells = [first(part, case=case, subject=subject) for subject in subjects]
            lines.append([case, *(f"{cell['median']:,.3g}" if cell and cell["median"] < 100 else
                                  f"{cell['median']:,.0f}" if cell else "-" for cell in cells)])
        print(f" {size:,.0f} {noun}, µs of {clock} time per call, median")
        _table(["", *subjects], lines)


def _swap(rows: list[dict]) -> None:
    for size in sorted({row["size"] for row in rows}):
        print(f" {size:,} flags, ns per call")
        _table(["", "p50", "p99", "p99.9", "highest", "swaps"], [
            [f"{row['subject']}, {row['state']}" if row["subject"] == row["beside"] else f"   {row['subject']}, beside it"]
            + [f"{row[name]:,.0f}" for name in ("p50", "p99", "p999", "highest", "swaps")]
            for row in select(rows, size=size)
        ])


def _python(rows: list[dict]) -> None:
    kinds = [kind for kind in ("bool", "rule", "vari") if select(rows, kind=kind)]
    print(" µs of CPU time per call, median")
    names = list(dict.fromkeys(row["subject"] for row in rows))
    lines = []
    for name in names:
        cells = []
        for kind in kinds:
            mine, hoist = first(rows, subject=name, kind=kind), first(rows, subject="Hoist", kind=kind)
            cells += [f"{mine['median']:.2f}", f"{mine['median'] / hoist['median']:.1f}" if hoist else "-"]
        lines.append([name, *cells])
    _table(["", *(head for kind in kinds for head in (kind, "x Hoist"))], lines)


def _memory(rows: list[dict]) -> None:
    lines = []
    for engine in dict.fromkeys(row["subject"] for row in rows):
        small, large = (first(rows, subject=engine, size=size) for size in (10, 10000))
        lines.append([engine, *(f"{row[name] / 1024:,.0f}" for row in (small, large) for name in ("bytes", "dirty")),
                      f"{large['bytes'] / 10000:,.0f}", f"{(large['dirty'] - small['dirty']) / 9990:,.0f}"])
    _table(["", "KiB at 10 flags", "dirty", "KiB at 10,000", "dirty", "bytes per flag", "per further flag"], lines)


def _start(rows: list[dict]) -> None:
    lines = []
    for engine in dict.fromkeys(row["subject"] for row in rows):
        part = select(rows, subject=engine)
        wall, cpu = [row["ms"] for row in part], [row["cpu_ms"] for row in part]
        lines.append([engine] + [f"{value:.2f}" for value in (statistics.median(wall), min(wall), min(cpu))])
    _table(["ms", "wall median", "wall minimum", "CPU minimum"], lines)


def _file(rows: list[dict]) -> None:
    _table(["", "stripped MB", "as shipped MB"], [
        [row["subject"], f"{row['bytes'] / 1e6:.2f}", f"{row['shipped'] / 1e6:.2f}"] for row in rows])
    for row in rows:
        print(f"   {row['subject']} needs {', '.join(row['needed'])}")


def _notice(rows: list[dict]) -> None:
    for size in sorted({row["size"] for row in rows}):
        print(f" {size:,.0f} flags, µs of wall time; CPU time of the process per patch")
        _table(["", "p50", "p99", "highest", "CPU"], [
            [row["subject"]] + [_number(row[name] / 1e3) for name in ("p50", "p99", "highest", "cpu")]
            for row in select(rows, size=size)
        ])


def _burst(rows: list[dict]) -> None:
    print(f" {rows[0]['size']:,.0f} flags, ms of wall time")
    _table(["", "times", "p50", "p99", "highest"], [
        [f"{row['subject']}: {row['case']}, {row['state']}", f"{row['count']:,.0f}"]
        + [f"{row[name] / 1e6:,.2f}" for name in ("p50", "p99", "highest")]
        for row in rows
    ])


TABLES = {
    "time": _times, "track": _track, "skipped": _track, "load": _load, "decide": _decide, "latency": _swap, "python": _python,
    "memory": _memory, "start": _start, "file": _file, "notice": _notice, "burst": _burst, "flagship": _flagship, "kameleoon": _flags, "server": _flags,
}
