"""Children of multiprocessing and its like that open a client of their own deliver what it has counted as they end."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import billiard
import billiard.pool
import own_client
import pytest
from unleash import UnleashSimulator

CHILDREN = 20
STARTS = ("fork", "forkserver", "spawn")


def arguments(service: UnleashSimulator) -> tuple[str, str]:
    return service.frontend_url, service.frontend_key


def finish(processes: Iterable[Any]) -> None:
    """Runs processes side by side, and checks how they have ended."""
    processes = list(processes)
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * len(processes)


def delivered(service: UnleashSimulator) -> int:
    """How many evaluations the service has been told of."""
    return int(service.ledger.totals().get("switch", {"yes": 0})["yes"])


@pytest.mark.parametrize("start", STARTS)
def test_processes_deliver(service: UnleashSimulator, start: str) -> None:
    """(UNL-84, G4, G9; closing)"""
    context: Any = multiprocessing.get_context(start)
    finish(context.Process(target=own_client.evaluate, args=arguments(service)) for _ in range(CHILDREN))
    assert delivered(service) == CHILDREN


@pytest.mark.parametrize("start", STARTS)
def test_workers_of_an_executor_deliver(service: UnleashSimulator, start: str) -> None:
    """(UNL-84, G4, G9; closing)"""
    context = multiprocessing.get_context(start)
    with context.Manager() as manager, ProcessPoolExecutor(CHILDREN, context) as executor:
        barrier = manager.Barrier(CHILDREN)
        tasks = [executor.submit(own_client.evaluate_together, barrier, *arguments(service)) for _ in range(CHILDREN)]
        for task in tasks:
            task.result(120)
    assert delivered(service) == CHILDREN


@pytest.mark.parametrize("start", STARTS)
def test_processes_of_billiard_deliver(service: UnleashSimulator, start: str) -> None:
    """(UNL-84, G4, G9; closing)"""
    context: Any = billiard.get_context(start)
    finish(context.Process(target=own_client.evaluate, args=arguments(service)) for _ in range(CHILDREN))
    assert delivered(service) == CHILDREN


@pytest.mark.parametrize("has_owner", [True, False])
def test_workers_of_billiards_pool_deliver(service: UnleashSimulator, has_owner: bool) -> None:
    """Celery's pool: its workers leave by `os._exit`, after a function of the owner's (UNL-84, G4, G9; closing)."""
    ended = billiard.Value("i", 0)

    def count(_pid: int, _status: int) -> None:
        with ended.get_lock():
            ended.value += 1

    pool = billiard.pool.Pool(
        CHILDREN, own_client.evaluate, arguments(service), on_process_exit=count if has_owner else None
    )
    pool.close()
    pool.join()
    assert delivered(service) == CHILDREN
    assert ended.value == (CHILDREN if has_owner else 0)
