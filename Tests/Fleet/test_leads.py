"""Leaders of values in Redis (Include/hoist/plugin.h, `lead` and `save_led`): one at a time, and no write of a former one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proxy import Proxy
from redis_server import RedisServer
from table import Cache
from test_processes import in_processes


def test_one_of_many_processes_leads(make: Callable[..., Cache]) -> None:
    numbers = [number for number, _ in in_processes(lambda number: make().lead(f"holder {number}"), 8)]  # type: ignore[misc]
    assert len([number for number in numbers if number > 0]) == 1


def test_a_leader_stays_one_until_its_time_is_over_or_given_back(make: Callable[..., Cache], server: RedisServer) -> None:
    one, other = make(), make()
    first, version = one.lead("one")
    assert (first > 0, version) == (True, 0)
    assert (other.lead("other"), other.lead(None)) == ((0, 0), (0, 0))
    assert one.lead("one")[0] == first
    assert (other.lead("other", 0)[0], other.lead("other")[0]) == (0, 0)  # what one does not have cannot be given back
    assert (one.lead("one", 0)[0], one.lead(None)[0]) == (0, 0)
    second, _ = other.lead("other", 1)
    assert second > first
    server.pass_a_tick()
    third, _ = one.lead("one")
    assert third > second and other.lead("other")[0] == 0


def test_what_a_former_leader_writes_is_refused(make: Callable[..., Cache], server: RedisServer) -> None:
    one, other = make(), make()
    first, _ = one.lead("one", 1)
    written = one.save_led(b"1", first)
    assert written and one.lead(None) == (0, written)
    server.pass_a_tick()
    second, _ = other.lead("other")
    assert one.save_led(b"late", first) is None
    assert (one.load("flags"), one.lead(None)[1]) == (b"1", written)
    assert other.save_led(b"2", second) not in (None, written)
    assert one.load("flags") == b"2"


def test_a_server_that_has_lost_its_data_takes_nothing_of_a_leader_of_before(make: Callable[..., Cache], server: RedisServer) -> None:
    one, other = make(), make()
    first, _ = one.lead("one")
    former = one.save_led(b"1", first)
    server.ask("FLUSHALL")
    server.pass_a_tick()
    assert one.lead(None) == (0, 0)
    second, _ = other.lead("other")
    assert second > first and one.save_led(b"late", first) is None
    assert other.save_led(b"1", second) not in (None, former)


def test_the_version_is_another_one_after_each_change(make: Callable[..., Cache]) -> None:
    cache, seen = make(), set()
    changes: list[Callable[[], object]] = [
        lambda: cache.save("flags", b"1"), lambda: cache.replace("flags", b"1", b"2"), lambda: cache.append("flags", b"2", b"3"),
        lambda: cache.save_led(b"4", cache.lead("one")[0]), lambda: cache.save("flags", b"4")]
    for change in changes:
        change()
        seen.add(cache.lead(None)[1])
    assert len(seen) == len(changes) and 0 not in seen
    cache.remove("flags")
    assert cache.lead(None)[1] == 0


def test_a_server_without_memory_lets_a_leader_lead_on(make: Callable[..., Cache], server: RedisServer) -> None:
    cache = make()
    number, _ = cache.lead("one")
    server.ask("CONFIG", "SET", "maxmemory", 1)
    try:
        assert cache.lead("one")[0] == number
    finally:
        server.ask("CONFIG", "SET", "maxmemory", 0)


@pytest.mark.parametrize("call", ["lead", "save_led"])
def test_a_call_whose_answer_is_lost_is_made_once(make: Callable[..., Cache], server: RedisServer, call: str) -> None:
    """The connection breaks before the answer: the call is sent again, and finds that it has been made."""
    with Proxy(server.socket) as proxy:
        cache = make(socket=None, port=proxy.port, retry_first_ms=0, retry_max_ms=0)
        number, _ = cache.lead("one")
        cache.save_led(b"1", number)
        proxy.cut_after = 0
        if call == "lead":
            assert cache.lead("one")[0] == number
        else:
            assert cache.save_led(b"2", number)
            assert cache.load("flags") == b"2"
