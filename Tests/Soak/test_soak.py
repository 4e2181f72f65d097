"""A day that is not as it has to be is found out, and so is a way to wait that the clock does not know."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import clock
import pytest
from account import Day
from judgement import CHECKS, READY

HERE = Path(__file__).resolve().parent
HOURS = 4


def good() -> Day:
    day = Day("some", HOURS, status=0, requests=99)
    usual: dict[str, Any] = {"resident_kib": 20_000, "heap_kib": 900, "descriptors": 11, "threads": 6, "state": READY,
                             "evaluations": 40, "served": 30, "streams": 0, "statistics": {"events": {"recorded": 7, "dropped": 0}}}
    for minute in range(9, HOURS * 60, 10):
        day.samples.append({**usual, "when": "running", "minute": minute, "fetches": minute})
    for when, more in (("flushed", 0), ("evaluated", 20), ("ended", 20)):
        day.samples.append({**usual, "when": when, "minute": HOURS * 60, "fetches": 300, "evaluations": 40 + more,
                            "served": 30 + more})
    day.said["recorded"].update(["1", "2", "3"])
    day.said["unsaved"].update(["4"])
    day.arrived.update(["1", "2", "2", "3", "4"])
    day.unheard.update(["2"])
    return day


def from_sample(place: int, **changes: Any) -> Callable[[Day], None]:
    def change(day: Day) -> None:
        for sample in day.samples[place:]:
            sample.update(changes)
    return change


def in_quiet(day: Day) -> None:
    for sample in day.samples[12:]:
        sample["fetches"] = day.samples[11]["fetches"]


FLAWS: list[tuple[str, Callable[[Day], Any]]] = [
    ("ends well", lambda day: setattr(day, "status", -11)),
    ("ends well", lambda day: setattr(day, "status", None)),
    ("ends well", from_sample(-3, when="HOIST_ERR_TIMEOUT")),
    ("is ready at the end", from_sample(-2, state=2)),
    ("is ready at the end", from_sample(-2, served=30)),
    ("loses nothing", lambda day: day.arrived.pop("1")),
    ("tells nothing twice", lambda day: day.arrived.update(["3"])),
    ("tells nothing twice", lambda day: day.arrived.update(["never recorded"])),
    ("drops nothing", from_sample(9, statistics={"events": {"dropped": 1}})),
    ("asks in each hour", in_quiet),
    ("asks rightly", lambda day: day.complaints.append("an unknown header")),
    ("memory", from_sample(18, resident_kib=23_000)),
    ("heap", from_sample(18, heap_kib=1300)),
    ("descriptors", from_sample(18, descriptors=14)),
    ("threads", from_sample(18, threads=9)),
]


def test_a_good_day_has_no_flaw() -> None:
    assert [flaw for check in CHECKS.values() for flaw in check(good())] == []


@pytest.mark.parametrize(("name", "spoil"), FLAWS, ids=[name for name, _ in FLAWS])
def test_a_flaw_is_found_by_its_check_alone(name: str, spoil: Callable[[Day], Any]) -> None:
    day = good()
    spoil(day)
    assert [found for found, check in CHECKS.items() if list(check(day))] == [name]


def test_each_check_has_its_flaw() -> None:
    assert {name for name, _ in FLAWS} == set(CHECKS)


def test_a_program_that_never_began_fails() -> None:
    assert list(CHECKS["ends well"](Day("some", HOURS, status=1))) != []


def test_a_way_to_wait_that_is_not_wrapped_is_named(tmp_path: Path) -> None:
    host, lame = tmp_path / "clock_host", tmp_path / "lame.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-o", host, HERE / "clock_host.c", "-pthread"], check=True)
    (tmp_path / "lame.c").write_text("int usleep(unsigned unused) { return (int)unused; }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", lame, tmp_path / "lame.c"], check=True)
    found = [line for line in clock.unknown(host, lame) if line.startswith(f"{host} imports")]
    assert {line.split()[2].rstrip(":") for line in found} >= {"poll", "nanosleep", "pthread_cond_timedwait", "clock_gettime"}
    assert not any("usleep" in line for line in found)
