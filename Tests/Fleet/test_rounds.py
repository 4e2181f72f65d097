"""A process may have missed news, and looks for everyone in memory (FLT 1): what becomes of that when it is held up."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from flagship import FlagshipSimulator
from host import READY
from kameleoon import KameleoonSimulator
from people import People, flagship_service, kameleoon_service, of_flagship, of_kameleoon, people_starter  # noqa: F401
from proxy import Proxy
from redis_server import RedisServer
from waiting import PATIENCE_S, comes

FEW = 20
# What is in the commands of a round, and in no others while nothing changes.
OF_PEOPLE = b":value:visitor:p"
# A call of the store is given up after it, so that a round that is held up is over then.
SHORT_MS, LONG_MS = 1000, 9000
# The plug-in's own, of a call that was not to wait: far more than it takes on a busy machine.
SOON_S = 5


@dataclass
class Pair:
    """Two processes; what the other says to Redis goes through a proxy."""

    one: People
    other: People
    proxy: Proxy

    def miss(self, happens: Callable[[], object] = lambda: None) -> None:
        """The other hears nothing while this happens, and is told so then."""
        self.proxy.refusing = True
        self.proxy.cut()
        happens()
        self.proxy.refusing = False

    def refuse(self, first: int, last: int) -> None:
        assert self.one.do(f"refuse {first} {last}") == "HOIST_OK" and self.one.do("flush") == "HOIST_OK"

    def knows(self, first: int, last: int, within_s: float = PATIENCE_S) -> bool:
        return comes(lambda: self.other.answers(first, last) == "2" * (last - first), within_s)

    def finds(self, first: int, last: int) -> bool:
        """By a round of its own; one that begins while its calls of the store pause finds nothing."""
        for _ in range(6):
            self.miss()
            if self.knows(first, last, PATIENCE_S / 6):
                return True
        return False


@pytest.fixture(params=["flagship", "kameleoon"])
def start(request: pytest.FixtureRequest, people: Callable[..., People], own: RedisServer) -> Iterator[Callable[[int], Pair]]:
    """Two that know of 2 * FEW people that they have consented, and listen; a call of the other's has so long."""
    name = request.param
    service: Any = request.getfixturevalue(name)
    properties = {"flagship": of_flagship, "kameleoon": of_kameleoon}[name](service)
    with Proxy(own.socket) as proxy:
        def pair(timeout_ms: int) -> Pair:
            one = people(name, properties, socket=own.socket)
            other = people(name, properties, port=proxy.port, timeout_ms=timeout_ms, retry_first_ms=10, retry_max_ms=100)
            for process in (one, other):
                process.meet(0, 2 * FEW)
                assert process.do(f"agree 0 {2 * FEW}") == "HOIST_OK" and process.do("flush") == "HOIST_OK"
                assert comes(lambda: process.counters()["store"]["heard"] > 0)
            return Pair(one, other, proxy)

        yield pair


def sent(service: FlagshipSimulator | KameleoonSimulator, person: int) -> bool:
    if isinstance(service, FlagshipSimulator):
        return f"p{person}" in service.ledger.screens()
    return service.ledger.lines(visitor=f"p{person}") != []


def test_a_child_that_is_forked_during_a_round_looks_for_itself(start: Callable[[int], Pair]) -> None:
    """The end of its parent's round is not the child's to wait for (FLT 1, contract 8; forked child, second process)"""
    pair = start(LONG_MS)
    is_held, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        is_held.set()
        # What others say goes on.
        pair.proxy.changed.wait_for(may_go.is_set)

    pair.proxy.before = [(OF_PEOPLE, hold)]
    pair.miss()
    assert is_held.wait(PATIENCE_S)
    pair.refuse(0, FEW)
    try:
        assert pair.other.do(f"fork 0 {FEW}") == "HOIST_OK"
    finally:
        with pair.proxy.changed:
            may_go.set()
            pair.proxy.changed.notify_all()
    assert pair.knows(0, FEW)
    assert pair.other.answers(FEW, 2 * FEW) == "1" * FEW
    assert pair.other.do("close") == "HOIST_OK"


def stop_in_a_round(pair: Pair, own: RedisServer) -> None:
    """Those that refuse before FEW are not found in it."""
    has_stopped = threading.Event()

    def stop() -> None:
        assert own.process
        own.process.send_signal(signal.SIGSTOP)
        has_stopped.set()

    pair.proxy.before = [*[(OF_PEOPLE, lambda: None)] * (FEW // 2), (OF_PEOPLE, stop)]
    pair.miss(lambda: pair.refuse(0, FEW))
    assert has_stopped.wait(PATIENCE_S)
    failures = pair.other.counters()["store"]["failures"]
    assert comes(lambda: pair.other.counters()["store"]["failures"] > failures)


def go_on(own: RedisServer) -> None:
    assert own.process
    own.process.send_signal(signal.SIGCONT)


def test_a_round_over_a_store_that_is_stuck_ends_and_the_next_one_is_whole(
        start: Callable[[int], Pair], own: RedisServer, request: pytest.FixtureRequest) -> None:
    """(FLT 1, contract 8; failing, second process)"""
    pair = start(SHORT_MS)
    stop_in_a_round(pair, own)
    state, _, _ = pair.other.do("look").partition(" ")
    assert int(state) == READY
    began = time.monotonic()
    answers = pair.other.answers(0, 2 * FEW)
    pair.other.do(f"record 0 {2 * FEW}")
    assert time.monotonic() - began < SOON_S
    assert answers[FEW:] == "1" * FEW
    go_on(own)
    # Nothing of these has been announced to it.
    pair.miss(lambda: pair.refuse(FEW, 2 * FEW - 1))
    assert pair.finds(0, 2 * FEW - 1)
    assert comes(lambda: pair.other.do("flush") == "HOIST_OK")
    service = request.getfixturevalue(request.node.callspec.params["start"])
    assert [person for person in range(2 * FEW) if sent(service, person)] == [2 * FEW - 1]
    assert pair.other.do("close") == "HOIST_OK"


def test_a_round_that_failed_is_made_up_for_when_the_store_is_back(start: Callable[[int], Pair], own: RedisServer) -> None:
    """Nothing is sent, and no news come (FLT 1, fleet "What is announced": after a connection was lost, contract 8; failing, second process)"""
    pair = start(SHORT_MS)
    stop_in_a_round(pair, own)
    go_on(own)
    assert pair.knows(0, FEW)


def test_a_process_that_closes_during_such_a_round_ends_in_time(start: Callable[[int], Pair], own: RedisServer) -> None:
    """(contract 5; failing, closed)"""
    pair = start(SHORT_MS)
    stop_in_a_round(pair, own)
    began = time.monotonic()
    pair.other.do("close 1000")
    assert time.monotonic() - began < SOON_S
    assert pair.other.process.wait(PATIENCE_S) == 0
    go_on(own)
