"""Refusals of consent of many people at once, and answers that contradict each other, in two processes over one Redis."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest
from flagship import FlagshipSimulator
from kameleoon import KameleoonSimulator
from people import People, flagship_service, kameleoon_service, of_flagship, of_kameleoon, people_starter  # noqa: F401
from proxy import Proxy
from redis_server import RedisServer
from waiting import comes

# MANY are more than are named in one piece of news (hoist_cache_news_post): then it says "any".
MANY, FEW = 400, 100


@pytest.fixture
def start(people: Callable[..., People], server: RedisServer) -> Callable[..., People]:
    return lambda service, properties, **options: people(service, properties, **({} if "port" in options else {"socket": server.socket}), **options)


def heard(process: People) -> int:
    return process.counters()["store"]["heard"]


def both(start: Callable[..., People], service: str, properties: dict[str, Any], **options: object) -> tuple[People, People]:
    one, other = (start(service, properties, **options) for _ in range(2))
    if options.get("news") is not False:
        assert comes(lambda: heard(one) > 0 and heard(other) > 0)
    return one, other


def sends(process: People) -> bool:
    """HOIST_ERR_NETWORK where some of those who were to go are found to have refused: the others go again."""
    return comes(lambda: process.do("flush") == "HOIST_OK")


def screens(service: FlagshipSimulator) -> set[str]:
    return set(service.ledger.screens())


@pytest.mark.parametrize("news", [True, False])
def test_of_many_who_refuse_at_once_nothing_is_sent_by_the_other_process(start: Callable[..., People], flagship: FlagshipSimulator, news: bool) -> None:
    """More are refused in one moment than news can name: of all of them that is looked for before something goes
    (FS-65, FLT 1, contract 8; no consent, second process)"""
    one, other = both(start, "flagship", of_flagship(flagship), news=news)
    for process in (one, other):
        process.meet(0, MANY + 10)
    other.record(0, MANY + 10)
    before = heard(other)
    # All the news are there when it goes on.
    other.process.send_signal(signal.SIGSTOP)
    try:
        assert one.do(f"refuse 0 {MANY}") == "HOIST_OK"
        assert one.do("flush") == "HOIST_OK"
    finally:
        other.process.send_signal(signal.SIGCONT)
    if news:
        # All of those in memory are known without anything being sent.
        assert comes(lambda: heard(other) > before and other.answers(0, MANY).count("2") == MANY)
    else:
        assert other.answers(0, MANY) == "1" * MANY
    assert other.do("flush") == "HOIST_OK"
    assert other.answers(0, MANY + 10) == "2" * MANY + "1" * 10
    assert screens(flagship) == {f"p{person}" for person in range(MANY, MANY + 10)}
    assert other.do(f"record 0 {MANY}") == "HOIST_ERR_FLAGSHIP_NO_CONSENT"
    assert [process.do("flush") for process in (one, other)] == ["HOIST_OK"] * 2
    assert screens(flagship) == {f"p{person}" for person in range(MANY, MANY + 10)}


@pytest.mark.parametrize("news", [True, False])
def test_of_many_who_agree_here_and_refuse_there_nothing_is_sent_by_either(start: Callable[..., People], kameleoon: KameleoonSimulator, news: bool) -> None:
    """Likewise, against answers that were stored before (KAM-60, FLT 1, contract 8; no consent, second process, reopened)"""
    one, other = both(start, "kameleoon", of_kameleoon(kameleoon), news=news)
    everyone = MANY + 10
    for process in (one, other):
        process.meet(0, everyone)
    assert other.do(f"agree 0 {everyone}") == "HOIST_OK" and other.do("flush") == "HOIST_OK"
    before = heard(other)
    other.process.send_signal(signal.SIGSTOP)
    try:
        assert one.do(f"refuse 0 {MANY}") == "HOIST_OK" and one.do("flush") == "HOIST_OK"
    finally:
        other.process.send_signal(signal.SIGCONT)
    if news:
        # All of those in memory are known without anything being sent.
        assert comes(lambda: heard(other) > before and other.answers(0, everyone) == "2" * MANY + "1" * 10)
    for process in (one, other):
        process.record(0, everyone)
        assert sends(process)
    assert other.answers(0, everyone) == "2" * MANY + "1" * 10
    assert [person for person in range(everyone) if kameleoon.ledger.lines(visitor=f"p{person}")] == list(range(MANY, everyone))
    for process in (one, other):
        assert process.do("close") == "HOIST_OK"
    third = start("kameleoon", of_kameleoon(kameleoon), news=news)
    third.meet(0, everyone)
    assert comes(lambda: third.answers(0, everyone) == "2" * MANY + "1" * 10)


def kept(server: RedisServer) -> bytes | None:
    found = server.ask("HGET", "{hoist:kameleoon:test}:value:visitor:p0", "payload")
    assert found is None or isinstance(found, bytes)
    return found


@pytest.mark.parametrize("news", [True, False])
@pytest.mark.parametrize("first", ["agree", "refuse"])
def test_of_two_answers_that_know_nothing_of_each_other_the_refusal_counts_in_both_processes(
        start: Callable[..., People], kameleoon: KameleoonSimulator, server: RedisServer, first: str, news: bool) -> None:
    """Whichever is stored first; an answer that knows of the refusal counts again (KAM-60, contract 8, kameleoon/visitor.h
    "a refusal outweighs an answer given to them without knowledge of it"; second process, reopened)"""
    properties = {**of_kameleoon(kameleoon), "events.durability": "periodic"}
    with Proxy(server.socket) as near, Proxy(server.socket) as far:
        one, other = (start("kameleoon", properties, port=proxy.port, timeout_ms=9000, news=news) for proxy in (near, far))
        if news:
            assert comes(lambda: heard(one) > 0 and heard(other) > 0)
        for process in (one, other):
            process.meet(0, 1)
            # What is kept of the person has been read.
            assert process.do("flush") == "HOIST_OK"
        near.stall()
        far.stall()
        # Neither can have heard of the other.
        second = "refuse" if first == "agree" else "agree"
        assert (one.do(f"{first} 0 1"), other.do(f"{second} 0 1")) == ("HOIST_OK", "HOIST_OK")
        assert kept(server) is None
        near.stall(False)
        assert comes(lambda: kept(server) is not None)
        far.stall(False)
        assert comes(lambda: b'"consent":2' in (kept(server) or b""))
        if news:
            assert comes(lambda: one.answers(0, 1) == other.answers(0, 1) == "2")
        for process in (one, other):
            process.record(0, 1)
            assert process.do("flush") == "HOIST_OK"
        assert comes(lambda: one.answers(0, 1) == other.answers(0, 1) == "2")
        assert kameleoon.ledger.lines(visitor="p0") == []
        for process in (one, other):
            assert process.do("close") == "HOIST_OK"
        third = start("kameleoon", properties, news=news)
        third.meet(0, 1)
        assert comes(lambda: third.answers(0, 1) == "2")
        assert third.do("agree 0 1") == "HOIST_OK" and third.do("close") == "HOIST_OK"
        last = start("kameleoon", properties, news=news)
        last.meet(0, 1)
        assert comes(lambda: last.answers(0, 1) == "1")


def test_answers_that_contradict_each_other_at_the_same_moment_agree_afterwards(
        start: Callable[..., People], kameleoon: KameleoonSimulator) -> None:
    """Nothing holds them up here: the agreement may have known of the refusal, so that only their agreeing is sure
    (KAM-60, contract 8; second process, reopened)"""
    properties = of_kameleoon(kameleoon)
    one, other = both(start, "kameleoon", properties)
    for process in (one, other):
        process.meet(0, FEW)
    for process, what in ((one, "agree"), (other, "refuse")):
        assert process.process.stdin
        process.process.stdin.write(f"{what} 0 {FEW}\n")
        process.process.stdin.flush()
    for process in (one, other):
        assert process.process.stdout and process.process.stdout.readline().strip() == "HOIST_OK"
    for process in (one, other):
        process.record(0, FEW)
        assert sends(process)
    assert comes(lambda: one.answers(0, FEW) == other.answers(0, FEW))
    served = one.answers(0, FEW)
    for process in (one, other):
        assert process.do("close") == "HOIST_OK"
    third = start("kameleoon", properties)
    third.meet(0, FEW)
    assert comes(lambda: third.answers(0, FEW) == served)


def test_a_flush_that_finds_who_has_refused_sends_the_others_before_it_ends(start: Callable[..., People], kameleoon: KameleoonSimulator) -> None:
    """(contract 6; second process)"""
    one, other = both(start, "kameleoon", of_kameleoon(kameleoon), news=False)
    for process in (one, other):
        process.meet(0, 30)
    assert other.do("agree 0 30") == "HOIST_OK" and other.do("flush") == "HOIST_OK"
    assert one.do("refuse 0 20") == "HOIST_OK" and one.do("flush") == "HOIST_OK"
    other.record(0, 30)
    # Nothing has failed: neither Redis nor the service.
    assert other.do("flush") == "HOIST_OK"
    assert [person for person in range(30) if kameleoon.ledger.lines(visitor=f"p{person}")] == list(range(20, 30))
