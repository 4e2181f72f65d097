"""LaunchDarkly's mode server over Redis: daemon mode, big segments, and rules that others find there."""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from launchdarkly_server import LaunchDarklyServerSimulator
from redis_server import RedisServer
from test_launchdarkly import hash_of
from waiting import comes

HERE = Path(__file__).resolve().parent
USER_HASH = "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0="  # of user-key


class Host:
    def __init__(self, command: list[str | Path]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self, flag: str, user: str = "anna") -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{flag} {user}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def comes_to(self, wanted: str, flag: str, user: str = "anna") -> bool:
        return comes(lambda: self.read(flag, user) == wanted)


@pytest.fixture
def start(compiled: Callable[..., Path], library: Path, redis_plugin: Path, server: RedisServer) -> Iterator[Callable[..., Host]]:
    if not hasattr(ctypes.CDLL(str(library)), "hoist_launchdarkly_config_set_store"):
        pytest.skip("the library has no stores of rules")
    program = compiled(HERE / "vendor_host.c", "vendor_host")
    hosts: list[Host] = []

    def one(options: dict[str, object], *properties: str) -> Host:
        told = json.dumps({"socket": server.socket, **options})
        hosts.append(Host([program, redis_plugin, told, *properties]))
        return hosts[-1]

    yield one
    for host in hosts:
        host.process.communicate(timeout=60)
        assert host.process.returncode == 0


DAEMON = ("daemon_mode=true", "online=false", "rules_cache_ms=0")


def flag(key: str, version: int, **more: object) -> str:
    usual = {"variations": ["off", "on"], "offVariation": 0, "on": True, "fallthrough": {"variation": 1}}
    return json.dumps({"key": key, "version": version, **usual, **more})


def test_daemon_mode_serves_what_others_write(start: Callable[..., Host], server: RedisServer) -> None:
    """Without looking at $inited; deletions are seen (LDS-66, LDS-65; ready, second process)."""
    host = start({"launchdarkly_store": {}}, *DAEMON)
    assert host.read("f") == "none"
    server.ask("HSET", "launchdarkly:features", "f", flag("f", 1))
    assert host.comes_to("on", "f")
    server.ask("HSET", "launchdarkly:features", "f", flag("f", 2, on=False))
    assert host.comes_to("off", "f")
    server.ask("HSET", "launchdarkly:features", "f", '{"key":"$deleted","version":3,"deleted":true}')
    assert host.comes_to("none", "f")


def test_big_segments_of_the_relay_decide(start: Callable[..., Host], server: RedisServer) -> None:
    """(LDS-28, LDS-66; ready)"""
    rules = [{"variation": 0, "clauses": [{"attribute": "", "op": "segmentMatch", "values": ["big"]}]}]
    server.ask("HSET", "launchdarkly:features", "f", flag("f", 1, rules=rules))
    server.ask("HSET", "launchdarkly:segments", "big", json.dumps({"key": "big", "version": 1, "unbounded": True, "generation": 2}))
    server.ask("SADD", f"launchdarkly:big_segment_include:{USER_HASH}", "big.g2")
    host = start({"launchdarkly_store": {}, "launchdarkly_big_segments": {}}, *DAEMON)
    assert host.comes_to("off", "f", "user-key")
    assert host.read("f", "another") == "on"


def test_rules_of_the_service_are_in_redis_for_others(start: Callable[..., Host], server: RedisServer) -> None:
    """Put, changed and deleted there, in the vendor's form; what is newer in the database stays (LDS-65; ready, second process)."""
    name = "launchdarkly:features"
    with LaunchDarklyServerSimulator({"flags": {"f": json.loads(flag("f", 5))}, "segments": {}}) as service:
        places = [f"{which}={service.url}" for which in ("base_url", "stream_url", "events_url")]
        host = start({"launchdarkly_store": {}}, f"mobile_key={service.sdk_key}", "diagnostic_opt_out=true", *places)
        assert host.read("f") == "on"
        assert comes(lambda: server.ask("EXISTS", "launchdarkly:$inited") == 1)
        assert json.loads(hash_of(server, name)["f"]) == json.loads(flag("f", 5))
        other = start({"launchdarkly_store": {}}, *DAEMON)
        assert other.comes_to("on", "f")
        service.set_flag("f", on=False)
        assert host.comes_to("off", "f") and other.comes_to("off", "f")
        service.delete_flag("f")
        assert comes(lambda: json.loads(hash_of(server, name)["f"]).get("deleted") is True)
        assert other.comes_to("none", "f")
