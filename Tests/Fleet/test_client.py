"""Clients of the library over the plug-in: what Redis does to them, and what the service gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from host import NOWHERE, Host
from proxy import Proxy
from recorded import booked, unleash_service  # noqa: F401
from redis_server import RedisServer
from table import Cache
from unleash import UnleashSimulator

HERE = Path(__file__).resolve().parent
TAG = "{hoist:unleash:test}"


@pytest.fixture
def start(compiled: Callable[..., Path], redis_plugin: Path, server: RedisServer, service: UnleashSimulator) -> Iterator[Callable[..., Host]]:
    program = compiled(HERE / "host.c", "host")
    hosts: list[Host] = []

    def one(url: str = "", **options: object) -> Host:
        told = {"socket": server.socket, "scope": "unleash:test", **options}
        told = {name: value for name, value in told.items() if value is not None}
        hosts.append(Host([program, url or service.api_url, service.backend_key, redis_plugin, json.dumps(told)]))
        return hosts[-1]

    yield one
    for host in hosts:
        host.end()


def waiting(server: RedisServer) -> int:
    count = server.ask("HLEN", f"{TAG}:facts")
    assert isinstance(count, int)
    return count


def test_what_is_recorded_is_in_redis_until_the_service_has_it(start: Callable[..., Host], server: RedisServer, service: UnleashSimulator) -> None:
    host = start()
    assert (host.do("evaluate 10"), host.do("track a")) == ("OK", "OK")
    assert waiting(server) == 1
    assert host.do("flush") == "OK"
    assert host.do("close") == "OK"
    assert (waiting(server), booked(service)) == (0, {"a": 1})
    # The flags are there for the next one, too.
    assert [name for name in server.names() if name.startswith(f"{TAG}:value:")]


def test_no_evaluation_waits_for_a_redis_that_is_stalled(start: Callable[..., Host], server: RedisServer, service: UnleashSimulator) -> None:
    """One that waited would take the limit of a call, nine seconds, and there are a million."""
    with Proxy(server.socket) as proxy:
        proxy.stall()
        host = start(socket=None, port=proxy.port, timeout_ms=9000)
        assert host.do("evaluate 1000000") == "OK"
        assert proxy.stalled
        proxy.stall(False)
        assert host.do("track a") in ("OK", "ERR_UNSAVED")
        assert host.do("flush") == "OK"
        assert host.do("close") == "OK"
    assert booked(service) == {"a": 1}


def test_while_redis_is_away_what_is_recorded_is_said_to_be_unsaved_and_delivered(folders: Callable[[], Path], start: Callable[..., Host],
                                                                                 service: UnleashSimulator) -> None:
    with RedisServer(folders()) as server:
        host = start(socket=server.socket)
        assert host.do("track a") == "OK"
        server.stop()
        assert host.do("track b") == "ERR_UNSAVED"
        assert host.do("track c") == "ERR_UNSAVED"
        server.start()  # and it is empty
        host.do("flush")
        assert host.do("close") in ("OK", "ERR_TIMEOUT")
        host.end()
        assert "hoist-redis: " in host.errors
    assert booked(service) == {"a": 1, "b": 1, "c": 1}


def test_what_a_killed_host_has_left_is_delivered_once_by_others(start: Callable[..., Host], server: RedisServer, service: UnleashSimulator,
                                                                 make: Callable[..., Cache]) -> None:
    victim = start(NOWHERE)
    for number in range(5):
        assert victim.do(f"track {number}") == "OK"
    victim.end()
    heirs = [start(), start()]
    for heir in heirs:
        assert heir.do("flush") == "OK"
    assert booked(service) == {}  # its lease is not over
    owners = server.ask("ZRANGE", f"{TAG}:owners", 0, -1)
    assert isinstance(owners, list)
    for owner in owners:
        server.ask("ZADD", f"{TAG}:owners", "XX", 0, owner)
    for heir in heirs:
        assert heir.do("close") == "OK"
    assert start().do("flush") == "OK"
    assert booked(service) == {str(number): 1 for number in range(5)}


def test_a_wrong_option_fails_the_loading_with_its_name(start: Callable[..., Host], redis_plugin: Path) -> None:
    host = start(prot=1)
    host.process.wait()
    host.end()
    assert f"the plug-in {redis_plugin} could not make its cache: option \"prot\" is unknown" in host.errors
    host = start(launchdarkly_store={})
    host.process.wait()
    host.end()
    assert "HOIST_ERR_UNSUPPORTED" in host.errors
