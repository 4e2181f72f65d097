"""Several processes over one Redis: no row for two, no change lost, nothing held by the dead, forks."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable

import pytest
from proxy import Proxy
from redis_server import RedisServer
from table import Cache, Row

PROCESSES = 4


def in_processes(work: Callable[[int], object], count: int = PROCESSES) -> list[object]:
    """What `work` gives in each of so many forked children, which begin together."""
    start, go = os.pipe()
    children = []
    for number in range(count):
        there, here = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(go)
            os.close(there)
            try:
                os.read(start, 1)  # the end of the pipe: all are there
                with os.fdopen(here, "wb") as out:
                    pickle.dump(work(number), out)
                os._exit(0)
            finally:
                os._exit(1)
        os.close(here)
        children.append((child, there))
    os.close(start)
    os.close(go)
    results = []
    for child, there in children:
        with os.fdopen(there, "rb") as source:
            results.append(pickle.loads(source.read()))
        assert os.waitpid(child, 0)[1] == 0
    return results


def test_claims_of_several_processes_never_overlap(make: Callable[..., Cache]) -> None:
    cache = make()
    names = [f"row {number:04}" for number in range(1000)]
    for start in range(0, 1000, 250):
        cache.put("first", *(Row(name, at) for at, name in enumerate(names[start:start + 250], start)))
    cache.give_back("first")

    def claim_all(number: int) -> list[str]:
        own, taken = make(), []
        while more := own.claim(f"owner {number}", rows=7):
            taken += more
        return taken

    taken = in_processes(claim_all)
    assert sorted(name for one in taken for name in one) == names  # type: ignore[attr-defined]
    assert all(one == sorted(one) for one in taken)  # type: ignore[type-var]


def test_changes_of_several_processes_lose_nothing_of_each_other(make: Callable[..., Cache]) -> None:
    def add(number: int) -> int:
        own, tries = make(), 0
        for step in range(50):
            kept = own.load("visitor:anna")
            while True:
                tries += 1
                found = own.replace("visitor:anna", kept, (kept or b"") + b"%d.%d " % (number, step))
                if found is True:
                    break
                assert found is None or isinstance(found, bytes)
                kept = found
        return tries

    in_processes(add)
    kept = make().load("visitor:anna")
    assert kept is not None
    wanted = sorted(b"%d.%d" % (number, step) for number in range(PROCESSES) for step in range(50))
    assert sorted(kept.split()) == wanted


def test_additions_of_several_processes_all_stay(make: Callable[..., Cache]) -> None:
    make().save("people", b"head\n")
    in_processes(lambda number: [make().append("people", b"head\n", b"%d.%d\n" % (number, step)) for step in range(50)])
    kept = make().load("people")
    assert kept is not None and len(set(kept.split())) == 1 + PROCESSES * 50


def test_events_that_two_processes_put_under_one_id_are_kept_once(make: Callable[..., Cache], server: RedisServer) -> None:
    in_processes(lambda number: make().put(f"owner {number}", *(Row(f"e{at}", at, b"%d" % number) for at in range(20))))
    assert server.ask("HLEN", "{hoist:unleash:test}:facts") == 20
    for number in range(PROCESSES):
        make().give_back(f"owner {number}")
    assert make().claim("last") == [f"e{at}" for at in range(20)]


def test_a_dead_process_holds_its_rows_until_its_lease_is_over(make: Callable[..., Cache], server: RedisServer) -> None:
    child = os.fork()
    if child == 0:
        make().put("dead", Row("a"), lease=1)
        make().put("long dead", Row("b"), lease=3_600_000)
        os.kill(os.getpid(), 9)
    assert os.waitpid(child, 0)[1] == 9
    server.pass_a_tick()
    taken = in_processes(lambda number: make().claim(f"owner {number}"))
    assert sorted(name for one in taken for name in one) == ["a"]  # type: ignore[attr-defined]


def test_more_than_one_script_may_move_is_claimed_all_the_same(make: Callable[..., Cache], server: RedisServer) -> None:
    cache = make(timeout_ms=9000)
    for start in range(0, 12_000, 1000):
        cache.put("dead", *(Row(f"other {number}", number, pipeline="other") for number in range(start, start + 1000)), lease=3_600_000)
    cache.put("dead", Row("wanted", 50_000), lease=1)
    server.pass_a_tick()
    assert cache.claim("heir") == ["wanted"]
    cache.give_back("heir")
    cache.renew("dead", 0)
    assert len(cache.claim("heir", rows=20_000, pipeline="other")) == 12_000
    cache.give_back("heir")
    assert len(cache.claim("next", rows=20_000, pipeline="other")) == 12_000


@pytest.mark.parametrize("rounds", [20])
def test_a_forked_child_has_a_connection_of_its_own(make: Callable[..., Cache], rounds: int) -> None:
    cache = make()
    cache.save("a", b"0")
    for number in range(rounds):
        def in_child(_: int) -> bytes | None:
            cache.save("child", b"%d" % number)
            return cache.load("child")
        cache.save("a", b"%d" % number)
        assert in_processes(in_child, 1) == [b"%d" % number]
        assert cache.load("a") == b"%d" % number


def test_a_child_that_is_forked_in_the_midst_of_a_call_is_not_held_up(make: Callable[..., Cache], server: RedisServer) -> None:
    """The thread that holds the lock is not in the child."""
    with Proxy(server.socket) as proxy:
        cache = make(socket=None, port=proxy.port, timeout_ms=9000)
        cache.save("a", b"1")
        proxy.stall()
        waiting = threading.Thread(target=lambda: cache.load("a"))
        waiting.start()
        proxy.await_command(b"HGET")
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if cache.load("a") == b"1" else 1)
            finally:
                os._exit(1)
        proxy.stall(False)
        assert os.waitpid(child, 0)[1] == 0
        waiting.join()

