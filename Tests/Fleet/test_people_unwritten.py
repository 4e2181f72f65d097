"""What is kept of people, and what is announced of them, where Redis takes no writes: it is full, or a replica."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from kameleoon import KameleoonSimulator
from people import People, kameleoon_service, of_kameleoon, people_starter  # noqa: F401
from redis_server import RedisServer, free_port
from table import LIMIT, NETWORK, Cache
from test_faults import failure, said
from waiting import comes

EXPIRY_MS = 5 * 60_000
# A call that was not to wait: far more than it takes on a busy machine, far less than a call that hangs.
SOON_S = 5
FULL, REPLICA = "full", "replica"
LINES = {FULL: "hoist-redis: Redis has no memory left", REPLICA: "hoist-redis: Redis is a replica and takes no writes"}
STATUSES = {FULL: LIMIT, REPLICA: NETWORK}


def take_no_writes(server: RedisServer, state: str) -> None:
    if state == FULL:
        server.ask("CONFIG", "SET", "maxmemory", "1")
    else:
        # Of a primary that is not there; what it has it tells.
        server.ask("REPLICAOF", "127.0.0.1", free_port())


def take_writes(server: RedisServer) -> None:
    server.ask("CONFIG", "SET", "maxmemory", "0")
    server.ask("REPLICAOF", "NO", "ONE")


@pytest.mark.parametrize("state", [FULL, REPLICA])
def test_a_value_with_a_lifetime_is_refused_once_said_and_what_was_there_stays(own: RedisServer, redis_plugin: Path, capfd: pytest.CaptureFixture[str], state: str) -> None:
    """(plugin.h `replace_for`, KAM-70, contract 10; full disk, failing)"""
    cache = Cache(redis_plugin, {"socket": own.socket, "scope": "s", "retry_first_ms": 0, "retry_max_ms": 0})
    assert cache.replace_for("visitor:a", None, b"1", EXPIRY_MS) is True
    take_no_writes(own, state)
    assert failure(cache.replace_for, "visitor:a", b"1", b"2", EXPIRY_MS) == STATUSES[state]
    assert failure(cache.replace_for, "visitor:b", None, b"1", EXPIRY_MS) == STATUSES[state]
    assert (cache.load("visitor:a"), cache.load("visitor:b")) == (b"1", None)
    assert failure(cache.save, "c", b"1") == STATUSES[state]
    # What changes nothing ends nothing.
    assert (cache.replace_for("visitor:a", b"0", b"2", EXPIRY_MS), cache.claim("nobody"), cache.lead(None)[0]) == (b"1", [], 0)
    assert 0 < int(own.ask("PTTL", "{hoist:s}:value:visitor:a")) <= EXPIRY_MS  # type: ignore[call-overload]
    (line,) = said(capfd)
    assert line.startswith(LINES[state].removeprefix("hoist-redis: "))
    take_writes(own)
    assert cache.load("visitor:a") == b"1" and said(capfd) == []
    assert cache.replace_for("visitor:a", b"1", b"2", EXPIRY_MS) is True
    # That it is full is no end of its answers.
    assert said(capfd) == (["works again"] if state == REPLICA else [])
    assert cache.replace_for("visitor:b", None, b"1", EXPIRY_MS) is True
    assert (cache.load("visitor:a"), cache.load("visitor:b")) == (b"2", b"1")
    cache.end()


def test_news_need_no_room(own: RedisServer, redis_plugin: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """(plugin.h `announce`, FLT 1; full disk, second process)"""
    one, other = (Cache(redis_plugin, {"socket": own.socket, "scope": "s"}) for _ in range(2))
    news = other.listen()
    assert news.comes(None)
    take_no_writes(own, FULL)
    one.announce("visitor:a")
    assert news.comes("visitor:a")
    # One that begins to listen then, too.
    late = one.listen()
    assert late.comes(None)
    other.announce("visitor:b")
    assert late.comes("visitor:b")
    assert said(capfd) == []
    for cache in (one, other):
        cache.end()


def test_a_process_that_listens_to_a_replica_hears_what_is_announced_at_its_primary(folders: Callable[[], Path], redis_plugin: Path) -> None:
    """And reads what was written there: what is announced at the replica stays there, but nothing could be written to announce
    (plugin.h `announce`, FLT 1; failing, second process)"""
    with RedisServer(folders(), "--repl-diskless-sync-delay", "0", port=free_port()) as primary:
        with RedisServer(folders(), "--replicaof", "127.0.0.1", str(primary.port)) as replica:
            assert comes(lambda: b"master_link_status:up" in replica.ask("INFO", "replication"))  # type: ignore[operator]
            at_primary, at_replica = (Cache(redis_plugin, {"socket": server.socket, "scope": "s"}) for server in (primary, replica))
            news = at_replica.listen()
            assert news.comes(None)
            assert at_primary.replace_for("visitor:a", None, b"1", EXPIRY_MS) is True
            at_primary.announce("visitor:a")
            assert news.comes("visitor:a") and at_replica.load("visitor:a") == b"1"
            for cache in (at_primary, at_replica):
                cache.end()


@pytest.fixture
def start(people: Callable[..., People], own: RedisServer, kameleoon: KameleoonSimulator) -> Callable[..., People]:
    def one(news: bool = True, **more: object) -> People:
        properties = {**of_kameleoon(kameleoon), "data_expiration_interval_minute": EXPIRY_MS // 60_000,
                      **{name.replace("__", "."): value for name, value in more.items()}}
        return people("kameleoon", properties, socket=own.socket, retry_first_ms=10, retry_max_ms=100, news=news)
    return one


def key(person: int) -> str:
    return f"{{hoist:kameleoon:test}}:value:visitor:p{person}"


def store_of(process: People) -> dict[str, int]:
    return process.counters()["store"]


def soon(process: People, line: str) -> str:
    began = time.monotonic()
    answer = process.do(line)
    assert time.monotonic() - began < SOON_S
    return answer


@pytest.mark.parametrize("news", [True, False])
@pytest.mark.parametrize("state", [FULL, REPLICA])
def test_what_is_kept_of_people_is_written_when_it_can_be_and_found_by_the_others(
        start: Callable[..., People], own: RedisServer, kameleoon: KameleoonSimulator, state: str, news: bool) -> None:
    """An answer is not said to be stored before it is, no call waits for long, and a refusal counts elsewhere once it is there
    (KAM-60, KAM-70, FLT 1, contract 6, 8 and 10; full disk, failing, second process)"""
    one, other = start(news, events__durability="immediate"), start(news)
    if news:
        assert comes(lambda: store_of(one)["heard"] > 0 and store_of(other)["heard"] > 0)
    for process in (one, other):
        process.meet(0, 3)
    # What is kept of them has been read, and the second has consented in both.
    assert one.do("agree 0 2") == "HOIST_OK"
    assert comes(lambda: own.ask("EXISTS", key(0)) == own.ask("EXISTS", key(1)) == 1)
    assert other.do("agree 0 2") == "HOIST_OK" and other.do("flush") == "HOIST_OK"
    take_no_writes(own, state)
    assert soon(one, "refuse 0 1") == "HOIST_ERR_UNSAVED"
    assert soon(one, "record 2 3") == "HOIST_ERR_UNSAVED"
    assert (one.answers(0, 3), soon(other, "record 1 2")) == ("210", "HOIST_OK")
    assert comes(lambda: store_of(one)["failures"] > 0 and store_of(other)["failures"] > 0)
    assert comes(lambda: LINES[state] in one.log.read_text() and "WARNING hoist[kameleoon]: store: " in one.log.read_text())
    assert own.ask("EXISTS", key(2)) == 0
    # No process has heard of what is not stored; and what may be sent is, where it can be asked who has refused.
    assert other.answers(0, 2) == "11"
    assert comes(lambda: other.do("flush") != "" and kameleoon.ledger.lines(visitor="p1") != [])
    take_writes(own)
    assert comes(lambda: own.ask("EXISTS", key(2)) == 1 and b'"consent":2' in own.ask("HGET", key(0), "payload"))  # type: ignore[operator]
    # Answers about consent are kept for ever, data for their time.
    assert own.ask("PTTL", key(0)) == -1
    assert 0 < int(own.ask("PTTL", key(2))) <= EXPIRY_MS  # type: ignore[call-overload]
    if news:
        assert comes(lambda: other.answers(0, 2) == "21")
    other.record(0, 2)
    # HOIST_ERR_NETWORK as long as its writes pause: what others have left is not known then.
    assert comes(lambda: other.do("flush") == "HOIST_OK")
    assert other.answers(0, 2) == "21"
    assert kameleoon.ledger.lines(visitor="p0") == []
    assert [store_of(process)["given_up"] for process in (one, other)] == [0, 0]
    for process in (one, other):
        assert process.do("close") == "HOIST_OK"
        told = process.log.read_text()
        assert (told.count(LINES[state]), told.count("hoist-redis: works again")) == (1, int(state == REPLICA))
    third = start(news)
    third.meet(0, 2)
    assert comes(lambda: third.answers(0, 2) == "21")
