"""Forked children go on with the client they inherited, and the parent does not notice."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from unleash import UnleashSimulator
from waiting import until

import hoist

FORK = multiprocessing.get_context("fork")


def finish(children: list[int], timeout: float = 60) -> list[int]:
    """Exit statuses of children, by their order; a child that hangs is killed and counts as -9."""
    statuses = []
    for child in children:
        deadline = time.monotonic() + timeout
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                statuses.append(os.waitstatus_to_exitcode(status))
                break
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.005)
    return statuses


def fork(work) -> int:
    """A child that does some work and leaves with status 0, or with 1 when the work raises."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


@pytest.mark.parametrize("mode", ["frontend", "backend"])
def test_children_evaluate_and_deliver_what_they_counted(
    service: UnleashSimulator, open_client, children: int, mode: str
) -> None:
    """Each child sends its own counts, once, under its own connection id; the parent sends its own (UNL-61, UNL-74, G9; forked)."""
    client = open_client(mode)
    assert client.wait_ready(5)
    for _ in range(7):
        client.bool("switch")

    def work() -> None:
        for _ in range(3):
            assert client.bool("switch")
        assert client.int("whole") == 42 or mode == "frontend"
        assert client.flush(20)

    statuses = []
    for _ in range(0, children, 10):
        statuses += finish([fork(work) for _ in range(10)])
    assert statuses == [0] * len(statuses)
    assert client.bool("switch") and client.flush(5)
    assert service.ledger.totals()["switch"]["yes"] == len(statuses) * 3 + 8
    assert service.ledger.totals(acknowledged=False) == {}


def test_a_child_goes_on_polling(service: UnleashSimulator, open_client) -> None:
    """Background work starts again on first use (UNL-90, G9; forked)."""
    client = open_client("backend", refresh_interval=1)
    assert client.wait_ready(5)

    def work() -> None:
        assert client.bool("switch")
        told = threading.Event()
        client.observe(hoist.Topic.CONFIGURATION_CHANGED, lambda _: told.set())
        service_writes.set()
        assert told.wait(20)
        assert not client.bool("switch")
        client.close(5)

    service_writes = FORK.Event()
    child = fork(work)
    assert service_writes.wait(20)
    service.state.update({"name": "switch", "enabled": False, "strategies": []})
    assert finish([child]) == [0]
    assert until(lambda: not client.bool("switch")), "the parent polls on as well"


def in_process(client: hoist.Client, results) -> None:
    for _ in range(5):
        client.bool("switch")
    results.put((os.getpid(), client.bool("switch"), client.state.name))
    # Left without closing: the end of the process does it.


def test_multiprocessing_children_deliver_at_their_end(service: UnleashSimulator, open_client, children: int) -> None:
    """G9: a child of multiprocessing leaves without atexit, and its counts arrive all the same."""
    client = open_client("frontend")
    assert client.wait_ready(5)
    client.bool("switch")
    results = FORK.SimpleQueue()
    processes = [FORK.Process(target=in_process, args=(client, results)) for _ in range(min(children, 20))]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * len(processes)
    answers = [results.get() for _ in processes]
    assert len({pid for pid, *_ in answers}) == len(processes)
    assert all(value for _, value, _ in answers)
    assert client.flush(5)
    assert service.ledger.totals()["switch"]["yes"] == len(processes) * 6 + 1


def test_a_pool_of_workers_evaluates(service: UnleashSimulator, open_client) -> None:
    """G9: what a pre-fork server does."""
    client = open_client("backend")
    assert client.wait_ready(5)
    with FORK.Pool(4, initializer=_adopt, initargs=(client,)) as pool:
        answers = pool.map(_evaluate, range(200))
        pool.close()
        pool.join()
    assert answers == [True] * 200
    assert client.flush(5)
    assert until(lambda: service.ledger.totals().get("switch", {}).get("yes", 0) == 200)


_inherited: list[hoist.Client] = []


def _adopt(client: hoist.Client) -> None:
    _inherited[:] = [client]


def _evaluate(_: int) -> bool:
    return _inherited[0].bool("switch")


def test_forking_under_load_stops_nobody(service: UnleashSimulator, open_client, children: int) -> None:
    """G9: threads evaluate, track, identify and refresh while the process forks."""
    client = open_client("frontend", refresh_interval=1)
    assert client.wait_ready(5)
    stop = threading.Event()
    failures: list[BaseException] = []

    def hammer(number: int) -> None:
        try:
            while not stop.is_set():
                client.bool("switch", None)
                client.track("bought", value=1.0)
                if number == 0:
                    client.identify_soon({"userId": str(time.monotonic_ns())})
                    client.refresh()
                    time.sleep(0.01)
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=hammer, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        def work() -> None:
            assert not client.bool("unknown", None, True)  # not listed: off
            client.bool("switch")
            client.flush(10)
            client.close(10)

        statuses = []
        for _ in range(children):
            statuses += finish([fork(work)])
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [0] * children
    assert not failures
    assert client.bool("switch")


WRITERS, CHILDREN_AT_ONCE, CHILDREN = 3, 5, 200


def use_the_store(inherited: hoist.Client, service: UnleashSimulator, folder: Path, results) -> None:
    """What a worker does: evaluates, sends what it recorded itself, and opens the store anew."""
    assert inherited.bool("switch")
    assert inherited.track("worked")
    assert inherited.flush(30)
    with hoist.Client("unleash", url=service.frontend_url, key=service.frontend_key, app_name="shop",
                      store_path=folder, log_level="error") as own:  # fmt: skip
        assert own.wait_ready(30) and own.bool("switch")
        assert own.flush(30)
    results.put(os.getpid())


@pytest.mark.timeout(300)
def test_children_forked_during_store_writes_deliver(service: UnleashSimulator, open_client, tmp_path: Path) -> None:
    """G9, design 6: 200 of 200, while threads of the parent write to the store without a pause; all is counted once.

    With "immediate", each `track` returns when its event is in the store.
    """
    client = open_client("frontend", store="sqlite", store_path=tmp_path, events_durability="immediate", log_level="error")
    assert client.wait_ready(5)
    stop, recorded, results = threading.Event(), [0] * WRITERS, FORK.SimpleQueue()

    def write(number: int) -> None:
        while not stop.is_set():
            recorded[number] += bool(client.track("bought")) and client.bool("switch")

    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    statuses: list[int | None] = []
    try:
        while len(statuses) < CHILDREN:
            arguments = (client, service, tmp_path, results)
            children = [FORK.Process(target=use_the_store, args=arguments) for _ in range(CHILDREN_AT_ONCE)]
            for child in children:
                child.start()
            for child in children:
                child.join(60)
            statuses += [child.exitcode for child in children]
            assert None not in statuses, "a child hangs"
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert statuses == [0] * CHILDREN
    assert len({results.get() for _ in range(CHILDREN)}) == CHILDREN
    assert all(recorded) and client.flush(30)
    assert service.ledger.totals()["switch"]["yes"] == sum(recorded) + 2 * CHILDREN
    counters = service.ledger.impact()
    assert sum(counters["bought"].values()) == sum(recorded) and sum(counters["worked"].values()) == CHILDREN
    statistics = client.statistics()
    assert statistics["store"]["failures"] == 0
    assert statistics["events"]["recorded"] > CHILDREN, "the store was at rest"


def test_a_child_keeps_a_store_of_its_own_rows(service: UnleashSimulator, open_client, tmp_path: Path) -> None:
    """One store, two processes, no count sent twice (UNL-61, G9, design 6; forked, second process)."""
    client = open_client("frontend", store="sqlite", store_path=tmp_path, events_durability="immediate")
    assert client.wait_ready(5)
    service.fail("frontend-metrics", "status", times=4, status=503)
    for _ in range(4):
        client.bool("switch")
    client.flush(2)

    def work() -> None:
        assert client.bool("switch")
        client.flush(5)
        client.close(5)

    assert finish([fork(work) for _ in range(4)]) == [0] * 4
    assert until(lambda: client.flush(5), 20)
    client.close(5)
    with hoist.Client("unleash", url=service.frontend_url, key=service.frontend_key, app_name="shop",
                      store_path=tmp_path) as heir:  # fmt: skip
        assert heir.wait_ready(5)
        assert until(lambda: heir.flush(5) and service.ledger.totals().get("switch", {}).get("yes") == 8, 90)


def test_a_child_may_end_in_every_way(service: UnleashSimulator, open_client) -> None:
    """G4, G9: with and without use, with and without closing."""
    client = open_client("frontend")
    assert client.wait_ready(5)

    def used() -> None:
        client.bool("switch")

    def closed() -> None:
        assert client.close(5)

    def used_and_closed() -> None:
        client.bool("switch")
        client.close(5)
        assert client.state is hoist.State.CLOSED

    def opens_another() -> None:
        with hoist.Client("unleash", url=service.frontend_url, key=service.frontend_key, app_name="shop",
                          store="none") as other:  # fmt: skip
            assert other.wait_ready(20) and other.bool("switch")

    works = [lambda: None, used, closed, used_and_closed, opens_another]
    assert finish([fork(work) for work in works]) == [0] * len(works)

    def has_a_child() -> None:
        used()
        assert finish([fork(used_and_closed)]) == [0]

    assert finish([fork(has_a_child)]) == [0]
    assert client.bool("switch") and client.flush(5)
