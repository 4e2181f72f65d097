"""What one process of a fleet writes for all reaches the others by Redis' news: looks by time are a quarter of an hour apart here."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proxy import Proxy
from redis_server import RedisServer
from test_sharing import Process, Service, flagship, leaders, optimizely, service, start  # noqa: F401
from waiting import comes

SELDOM = {"fetch__shared__lease_ms": 3_600_000, "fetch__shared__poll_ms": 900_000}


def fleet(start: Callable[..., Process], *redis: dict[str, object]) -> tuple[Process, list[Process]]:  # noqa: F811
    """The leader, which is the first, and the others, when all listen."""
    processes = [start(redis=one, **SELDOM) for one in redis[:1]]
    assert comes(lambda: processes[0].count("written") == 1)
    # Of those only news can say that there is something: they fetch, or look, once an hour.
    processes += [start(redis=one, polling_interval=3600, **SELDOM) for one in redis[1:]]
    assert comes(lambda: all(process.is_ready and process.count("heard") > 0 for process in processes))
    assert leaders(processes) == processes[:1]
    return processes[0], processes[1:]


def reads(process: Process, change: Callable[[], object]) -> bool:
    before = process.count("read")
    change()
    return comes(lambda: process.count("read") > before)


def test_a_new_configuration_is_announced(start: Callable[..., Process], service: Service, server: RedisServer) -> None:  # noqa: F811
    """(FLT 1; starting, ready, second process)"""
    leader, others = fleet(start, *[{}] * 4)
    for number in range(1, 4):
        before = [process.count("read") for process in others]
        service.publish(number)
        assert comes(lambda: all(process.count("read") > was for process, was in zip(others, before)))
    assert not any(process.has_fetched for process in others)


def test_what_was_missed_while_a_connection_was_cut_is_found_when_it_is_back(start: Callable[..., Process], service: Service, server: RedisServer) -> None:  # noqa: F811
    """(FLT 1; failing)"""
    with Proxy(server.socket) as proxy:
        leader, (other,) = fleet(start, {}, {"port": proxy.port})
        for spell in ("cut", "stalled"):
            heard, written, read = other.count("heard"), leader.count("written"), other.count("read")
            if spell == "cut":
                proxy.refusing = True
                proxy.cut()
            else:
                proxy.stall()
            service.publish(2 if spell == "cut" else 3)
            assert comes(lambda: leader.count("written") > written)
            assert other.count("read") == read
            proxy.refusing = False
            proxy.stall(False)
            assert comes(lambda: other.count("read") > read) and other.count("heard") > heard


def test_a_server_that_comes_back_empty_is_filled_by_the_leader_at_once(start: Callable[..., Process], service: Service, folders: Callable[[], object]) -> None:  # noqa: F811
    """(FLT 1; failing, ready)"""
    with RedisServer(folders()) as own:  # type: ignore[arg-type]
        leader, others = fleet(start, *[{"socket": own.socket}] * 3)
        processes = [leader, *others]
        own.stop()
        own.start()
        name = "{hoist:optimizely:test}:value:*"
        assert comes(lambda: own.ask("KEYS", name) != [] and len(leaders(processes)) == 1)
        assert all(process.is_ready for process in processes)


@pytest.mark.parametrize("service", [flagship], indirect=True)
def test_a_refusal_in_one_process_reaches_another(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """(FLT 1, FS-65, contract 8; no consent, second process)"""
    one, other = start(fetch__shared="off"), start(fetch__shared="off")
    assert comes(lambda: one.count("heard") > 0 and other.count("heard") > 0)
    assert [process.do("visitor anna") for process in (one, other)] == ["HOIST_OK"] * 2
    assert other.do("consents") == "1"
    assert one.do("refuse") == "HOIST_OK"
    assert comes(lambda: other.do("consents") == "0")
    assert other.do("visitor anna") == "HOIST_OK" and other.do("close") == "HOIST_OK"


def test_where_the_channel_is_not_allowed_others_look(start: Callable[..., Process], service: Service, server: RedisServer) -> None:  # noqa: F811
    """(FLT 1; refused)"""
    server.ask("ACL", "SETUSER", "clerk", "reset", "on", ">secret", "~{hoist:*", "+@all")
    try:
        clerk: dict[str, object] = {"socket": server.socket, "user": "clerk", "password": "secret"}
        first, second = (start(redis=clerk) for _ in range(2))
        assert comes(lambda: first.is_ready and second.is_ready)
        (leader,) = leaders([first, second])
        other = second if leader is first else first
        assert reads(other, lambda: service.publish(1))
        assert reads(other, lambda: service.publish(2))
        assert comes(lambda: all("does not allow the user channel" in one.log.read_text() for one in (first, second)))
        assert [one.count("heard") for one in (first, second)] == [0, 0]
        assert all(one.log.read_text().count("does not allow") == 1 for one in (first, second))
    finally:
        server.ask("ACL", "DELUSER", "clerk")
