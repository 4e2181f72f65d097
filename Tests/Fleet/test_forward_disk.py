"""Processes of one machine that leave their events in SQLite, and one that sends them (`events.delivery`), on a disk that is full."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from host import Host
from recorded import booked, unleash_service  # noqa: F401
from unleash import UnleashSimulator
from waiting import PATIENCE_S, comes

HERE = Path(__file__).resolve().parent
SIZE_KIB = 4096


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_KIB}k,mode=700", "tmpfs", place], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"a small disk needs the right to mount: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@pytest.fixture
def start(compiled: Callable[..., Path], service: UnleashSimulator, disk: Path) -> Iterator[Callable[..., Host]]:
    program = compiled(HERE / "host.c", "host")
    made: list[Host] = []

    def one(*more: str) -> Host:
        made.append(Host([program, service.api_url, service.backend_key, "", "", "store=sqlite", f"store.path={disk / 'store'}",
                          "disable_registration=true", "events.claim_ms=50", "metrics_interval=1", *more]))
        return made[-1]

    yield one
    for host in made:
        host.end()


def leaving(start: Callable[..., Host]) -> Host:
    return start("events.delivery=forward")


def fill(disk: Path) -> None:
    with (disk / "filler").open("ab", buffering=0) as filler:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while filler.write(b"\0" * size) == size:
                    pass
            except OSError:
                pass


def until_unsaved(host: Host, name: str) -> tuple[list[str], list[str]]:
    """Records until the disk takes no more, and a little longer: what was acknowledged, and what is in memory alone."""
    names: dict[str, list[str]] = {"OK": [], "ERR_UNSAVED": []}
    number = 0
    while len(names["ERR_UNSAVED"]) < 3:
        names[host.do(f"track {name}-{number}")].append(f"{name}-{number}")
        number += 1
        assert number < 2000
    return names["OK"], names["ERR_UNSAVED"]


def test_what_a_full_disk_does_not_take_is_left_when_there_is_room_and_sent_once(
        start: Callable[..., Host], service: UnleashSimulator, disk: Path) -> None:
    """(FLT 2, operating "A full disk"; full disk, second process)"""
    hosts = [leaving(start) for _ in range(2)]
    for number, host in enumerate(hosts):
        assert [host.do(f"track early-{number}"), host.do("flush")] == ["OK"] * 2
    fill(disk)
    names = [f"early-{number}" for number in range(2)]
    for number, host in enumerate(hosts):
        acknowledged, unsaved = until_unsaved(host, f"late-{number}")
        names += acknowledged + unsaved
    assert booked(service) == {}
    # What the disk has is delivered from there.
    sender = start()
    assert comes(lambda: {"early-0", "early-1"} <= booked(service).keys())
    (disk / "filler").unlink()
    for host in hosts:
        assert comes(lambda: host.do("flush") == "OK")
    assert comes(lambda: booked(service).keys() == set(names))
    assert sender.do("flush") == "OK"
    assert [host.do("close") for host in (*hosts, sender)] == ["OK"] * 3
    assert booked(service) == dict.fromkeys(names, 1)


def test_a_process_that_is_killed_on_a_full_disk_loses_nothing_that_was_acknowledged(
        start: Callable[..., Host], service: UnleashSimulator, disk: Path) -> None:
    """(FLT 2, operating "What a kill costs"; full disk, closed, second process)"""
    host = leaving(start)
    assert host.do("track early") == "OK"
    fill(disk)
    acknowledged, unsaved = until_unsaved(host, "late")
    host.end()
    sender = start()
    assert comes(lambda: "early" in booked(service))
    (disk / "filler").unlink()
    assert comes(lambda: {"early", *acknowledged} <= booked(service).keys())
    assert sender.do("close") == "OK"
    told = booked(service)
    assert set(told) <= {"early", *acknowledged, *unsaved} and set(told.values()) == {1}


def test_a_sender_that_is_killed_on_a_full_disk_is_followed_by_another(
        start: Callable[..., Host], service: UnleashSimulator, disk: Path) -> None:
    """It has taken what it can neither send nor give back (FLT 2; full disk, failing, closed)"""
    host = leaving(start)
    for number in range(20):
        assert host.do(f"track early-{number}") == "OK"
    assert host.do("flush") == "OK"
    service.fail("metrics", "status", times=None, status=503)
    sender = start()
    assert service.journal.wait("metrics", 1, PATIENCE_S)
    fill(disk)
    sender.process.send_signal(signal.SIGKILL)
    sender.process.wait()
    acknowledged, unsaved = until_unsaved(host, "late")
    service.faults.clear()
    heir = start()
    (disk / "filler").unlink()
    assert comes(lambda: host.do("flush") == "OK")
    names = {f"early-{number}" for number in range(20)} | {*acknowledged, *unsaved}
    assert comes(lambda: booked(service).keys() == names)
    assert heir.do("close") == "OK" and set(booked(service).values()) == {1}
