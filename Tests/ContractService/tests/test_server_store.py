"""Rules kept in Redis: a server of the tests' own, and its plug-in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Create
from harness import ContractService
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, NOT_FOUND, flag
from waiting import until

redis_server = pytest.importorskip("redis_server", reason="the tests of the plug-in for Redis are not here")
Rules = LaunchDarklyServerSimulator


@pytest.fixture
def redis(server_contract: ContractService, rules: Rules, tmp_path: Path) -> Iterator[Any]:
    """A server, whose flags the service of rules need not know."""
    if "persistent-data-store-redis" not in server_contract.ask("GET", "/").body["capabilities"]:
        pytest.skip("there is no plug-in for Redis")
    rules.options.change(foreign_flags=True)
    with redis_server.RedisServer(tmp_path, port=redis_server.free_port()) as server:
        yield server


def kept(redis: Any, mode: str = "off", **more: Any) -> dict[str, Any]:
    """A store as the harness configures it."""
    store = {"type": "redis", "dsn": f"redis://127.0.0.1:{redis.port}", **more}
    return {"store": store, "cache": {"mode": mode, "ttl": 1}}


def write(redis: Any, key: str, prefix: str = "launchdarkly", **more: Any) -> None:
    redis.ask("HSET", f"{prefix}:features", key, json.dumps({"key": key, **flag(**more)}))


def read(redis: Any, key: str, prefix: str = "launchdarkly") -> Any:
    text = redis.ask("HGET", f"{prefix}:features", key)
    return None if text is None else json.loads(text)


@pytest.mark.parametrize("prefix", [None, "mine"])
def test_a_daemon_reads_what_others_write(rules: Rules, serve: Create, redis: Any, prefix: str | None) -> None:
    """Without the mark that there was a whole set; changes and deletion are seen (LDS-65, LDS-66; ready)."""
    place = prefix or "launchdarkly"
    client = serve(streaming=None, persistentDataStore=kept(redis, **({"prefix": prefix} if prefix else {})))
    assert client.detail("f", "string", "x", ANNA) == {"value": "x", "reason": NOT_FOUND}
    write(redis, "f", place, version=1)
    assert until(lambda: client.value("f", "string", "x", ANNA) == "a")
    write(redis, "f", place, version=2, on=False)
    assert until(lambda: client.value("f", "string", "x", ANNA) == "b")
    redis.ask("HDEL", f"{place}:features", "f")
    assert until(lambda: client.detail("f", "string", "x", ANNA)["reason"] == NOT_FOUND)
    assert rules.requests("stream") == [] and rules.requests("poll") == []


def test_a_daemon_sends_events(rules: Rules, serve: Create, redis: Any) -> None:
    """(LDS-66; ready)"""
    write(redis, "f", version=4, trackEvents=True)
    client = serve(streaming=None, persistentDataStore=kept(redis, "ttl"))
    assert until(lambda: client.value("f", "string", "x", ANNA) == "a")
    client.run("flushEvents")
    assert rules.wait_for_events("feature")


@pytest.mark.parametrize("mode", ["off", "ttl", "infinite"])
def test_what_the_service_sends_is_written(rules: Rules, serve: Create, redis: Any, mode: str) -> None:
    """As it was sent, with the mark of a whole set; the version that is stored counts, deleted flags stay as tombstones
    (LDS-12, LDS-65; ready)."""
    client = serve(persistentDataStore=kept(redis, mode))
    sent = rules.environment.data([])
    assert until(lambda: redis.ask("EXISTS", "launchdarkly:$inited") == 1)
    assert {key: read(redis, key) for key in sent["flags"]} == sent["flags"]
    assert redis.ask("HLEN", "launchdarkly:segments") == 1
    rules.set_flag("dark-mode", on=False)
    assert until(lambda: read(redis, "dark-mode")["on"] is False)
    assert client.value("dark-mode", "bool", True, ANNA) is False
    write(redis, "banner", version=1000, variations=["stored"])
    rules.set_flag("banner", variations=["sent"])
    deleted = rules.delete_flag("theme")
    assert until(lambda: read(redis, "theme").get("deleted") is True)
    tombstone = read(redis, "theme")
    assert set(tombstone) == {"key", "version", "deleted"} and tombstone["version"] == deleted.version
    assert tombstone["key"] in ("theme", "$deleted") and read(redis, "banner")["variations"] == ["stored"]


def test_stored_rules_serve_until_the_service_has_spoken(rules: Rules, serve: Create, redis: Any) -> None:
    """If there has been a whole set (LDS-04, LDS-65; failing)."""
    rules.fail("stream", "hang", times=None)
    write(redis, "f", version=1)
    redis.ask("SET", "launchdarkly:$inited", "")
    client = serve(persistentDataStore=kept(redis, "ttl"), startWaitTimeMs=50, initCanFail=True)
    assert until(lambda: client.value("f", "string", "x", ANNA) == "a")
    client.close()
    rules.release()
