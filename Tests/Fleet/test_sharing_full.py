"""Property `fetch.shared` over a Redis that is full: what the leader has news of, what the others serve, and what comes when there is room."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from redis_server import RedisServer
from test_sharing import ERROR, Process, Service, launchdarkly, leaders, optimizely, service, start, unleash_streaming  # noqa: F401
from waiting import comes

FULL_LINE = "hoist-redis: Redis has no memory left"
# No lease ends by itself here.
LONG = {"fetch__shared__lease_ms": 20_000, "fetch__shared__poll_ms": 50}


def fill(server: RedisServer, is_full: bool = True) -> None:
    server.ask("CONFIG", "SET", "maxmemory", "1" if is_full else "0")


def fleet(start: Callable[..., Process], own: RedisServer, news: bool = True) -> tuple[Process, list[Process]]:  # noqa: F811
    """The leader, and the others."""
    redis = {"socket": own.socket, "news": news}
    first = start(redis=redis, **LONG)
    assert comes(lambda: first.count("leads") == 1)
    processes = [first, *(start(redis=redis, **LONG) for _ in range(2))]
    assert comes(lambda: all(process.is_ready for process in processes))
    return first, processes[1:]


def failures(process: Process) -> int:
    return process.counters()["store"]["failures"]


def lines(process: Process) -> int:
    return process.log.read_text().count(FULL_LINE)


@pytest.mark.parametrize("news", [True, False])
@pytest.mark.parametrize("service", [optimizely, unleash_streaming, launchdarkly], indirect=True)
def test_what_a_full_redis_does_not_take_reaches_the_others_when_there_is_room(
        start: Callable[..., Process], service: Service, own: RedisServer, news: bool) -> None:  # noqa: F811
    """Announced, or found by looking (FLT 1, fleet "Outages", full; full disk, ready, second process)"""
    leader, others = fleet(start, own, news)
    written, read = leader.count("written"), [process.count("read") for process in others]
    fill(own)
    service.publish(1)
    assert comes(lambda: failures(leader) > 0)
    assert comes(lambda: lines(leader) == 1)
    # The leader leads on, and has it; the others serve what there was, and do not ask the service.
    assert leaders([leader, *others]) == [leader]
    assert [process.count("read") for process in others] == read and leader.count("written") == written
    assert all(process.is_ready for process in [leader, *others])
    service.publish(2)
    fill(own, False)
    assert comes(lambda: leader.count("written") > written)
    assert comes(lambda: all(process.count("read") > before for process, before in zip(others, read)))
    if service.streams:
        assert comes(lambda: all(process.do("on flag-2") == "1" for process in [leader, *others]))
        assert (service.fetches, service.open_streams) == (1, 1)
    assert leaders([leader, *others]) == [leader]
    assert not any(process.has_fetched or process.count("alone") for process in others)
    assert all(process.is_ready and lines(process) <= 1 for process in [leader, *others])


@pytest.mark.parametrize("service", [optimizely, unleash_streaming, launchdarkly], indirect=True)
def test_the_lead_changes_hands_on_a_full_redis(start: Callable[..., Process], service: Service, own: RedisServer) -> None:  # noqa: F811
    """A lead needs no room (FLT 1; full disk, closed, second process)"""
    leader, others = fleet(start, own)
    fill(own)
    # LaunchDarkly has what it keeps of its connection left.
    assert leader.do("close") == ("HOIST_ERR_TIMEOUT" if service.name == "launchdarkly" else "HOIST_OK")
    assert comes(lambda: len(leaders(others)) == 1)
    (heir,) = leaders(others)
    (follower,) = [process for process in others if process is not heir]
    if service.streams:
        assert comes(lambda: service.open_streams == 1)
    service.publish(1)
    assert comes(lambda: failures(heir) > 0)
    read = follower.count("read")
    fill(own, False)
    assert comes(lambda: heir.count("written") > 0 and follower.count("read") > read)
    assert leaders(others) == [heir] and not follower.has_fetched
    assert all(process.is_ready for process in others)


@pytest.mark.parametrize("service", [optimizely, unleash_streaming, launchdarkly], indirect=True)
def test_a_fleet_that_starts_on_a_full_redis_has_one_fetch_and_follows_when_there_is_room(start: Callable[..., Process], service: Service, own: RedisServer) -> None:  # noqa: F811
    """The others wait for a lease, and say ERROR then (FLT 1, operating "One fetch for many processes"; starting, full disk, failing)"""
    fill(own)
    told = {"fetch__shared__lease_ms": 1000, "fetch__shared__poll_ms": 50}
    processes = [start(redis={"socket": own.socket}, **told) for _ in range(3)]
    assert comes(lambda: sum(process.is_ready for process in processes) == 1)
    (leader,) = leaders(processes)
    others = [process for process in processes if process is not leader]
    assert leader.is_ready and comes(lambda: failures(leader) > 0)
    assert comes(lambda: all(process.look()[0] == ERROR for process in others))
    assert not any(process.has_fetched for process in others)
    fill(own, False)
    assert comes(lambda: all(process.is_ready for process in processes))
    assert leaders(processes) == [leader]
    assert not any(process.has_fetched or process.count("alone") for process in others)
    if service.streams:
        assert (service.fetches, service.open_streams) == (1, 1)


def test_a_leader_whose_writes_fail_says_so_once(start: Callable[..., Process], service: Service, own: RedisServer) -> None:  # noqa: F811
    """(contract 10; full disk, ready)"""
    leader = start(redis={"socket": own.socket}, fetch__shared__lease_ms=1000, fetch__shared__poll_ms=50)
    assert comes(lambda: leader.count("written") > 0)
    fill(own)
    service.publish(1)
    assert comes(lambda: failures(leader) > 5)
    told = leader.log.read_text()
    assert (told.count(f"WARNING hoist[{service.name}]: store: "), told.count("store: works again")) == (1, 0)
    fill(own, False)
    assert comes(lambda: leader.log.read_text().count("store: works again") == 1)


@pytest.mark.parametrize("service", [launchdarkly], indirect=True)
def test_what_a_close_has_not_written_is_said(start: Callable[..., Process], service: Service, own: RedisServer) -> None:  # noqa: F811
    """(contract 6, contract 10; full disk, closed)"""
    leader = start(redis={"socket": own.socket})
    assert comes(lambda: leader.count("written") > 0)
    fill(own)
    assert leader.do("close") == "HOIST_ERR_TIMEOUT"
    assert "closed: the store did not take everything" in leader.log.read_text()
