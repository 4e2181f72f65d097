"""Processes that leave their events in Redis, and `hoist forward`, which brings them to the service."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flagship import FlagshipSimulator, sample_bucketing
from host import NOWHERE, Host
from recorded import booked, unleash_service  # noqa: F401
from redis_server import RedisServer
from tool import Forwarder
from unleash import UnleashSimulator
from waiting import PATIENCE_S, comes

HERE = Path(__file__).resolve().parent
TAG = "{hoist:unleash:test}"


@pytest.fixture
def produce(compiled: Callable[..., Path], redis_plugin: Path, server: RedisServer, service: UnleashSimulator) -> Iterator[Callable[..., Host]]:
    """Starts a process that leaves its events in Redis."""
    program = compiled(HERE / "host.c", "host")
    hosts: list[Host] = []

    def one(*more: str) -> Host:
        options = json.dumps({"socket": server.socket, "scope": "unleash:test"})
        hosts.append(Host([program, service.api_url, service.backend_key, redis_plugin, options, "events.delivery=forward", *more]))
        return hosts[-1]

    yield one
    for host in hosts:
        host.end()


@pytest.fixture
def forward(tool: Path, redis_plugin: Path, server: RedisServer, service: UnleashSimulator) -> Iterator[Callable[..., Forwarder]]:
    made: list[Forwarder] = []

    def one(*more: str, url: str = "") -> Forwarder:
        made.append(Forwarder([
            tool, "forward", "--from", f"redis:{server.socket}", "--scope", "unleash:test", "--plugin", redis_plugin, "--url",
            url or service.api_url, "--set", "mode=backend", "--json", "--every", "0.1", *more], service.backend_key))
        return made[-1]

    yield one
    for each in made:
        if each.process.poll() is None:
            each.end()


def kept(server: RedisServer) -> int:
    count = server.ask("HLEN", f"{TAG}:facts")
    assert isinstance(count, int)
    return count


def owners(server: RedisServer) -> set[bytes]:
    found = server.ask("ZRANGE", f"{TAG}:owners", 0, -1)
    assert isinstance(found, list)
    return set(found)


def test_processes_send_nothing_and_two_forwarders_all_once_though_one_is_killed(
        produce: Callable[..., Host], forward: Callable[..., Forwarder], server: RedisServer, service: UnleashSimulator) -> None:
    """(second process, killed)"""
    names = [f"{host}-{number}" for host in range(3) for number in range(10)]
    for number in range(3):
        host = produce()
        for name in names[10 * number:10 * number + 10]:
            assert host.do(f"track {name}") == "OK"
        assert host.do("flush") == "OK"
    assert (kept(server), booked(service)) == (30, {})
    before = owners(server)
    # This one cannot send: it has taken its part when it is killed.
    killed = forward("--set", "events.capacity=12", url=NOWHERE)
    killed.wait_for(lambda told: told["event"] == "figures" and told["waiting"] == 12)
    killed.end()
    (dead,) = owners(server) - before
    forwarder = forward("--set", "events.capacity=12")
    forwarder.wait_for(lambda told: told["event"] == "figures" and told["sent"] == 18)
    # Its lease is over.
    server.ask("ZADD", f"{TAG}:owners", 1, dead)
    forwarder.wait_for(lambda told: told["event"] == "figures" and told["sent"] == 30)
    assert comes(lambda: kept(server) == 0)
    assert booked(service) == dict.fromkeys(names, 1)
    status, out, _ = forwarder.end(signal.SIGTERM)
    last = json.loads(out.splitlines()[-1])
    assert (status, last["event"], last["done"], last["sent"], last["waiting"]) == (0, "ended", True, 30, 0)


def test_what_cannot_be_sent_in_time_stays_in_redis_for_another(
        produce: Callable[..., Host], forward: Callable[..., Forwarder], server: RedisServer, service: UnleashSimulator) -> None:
    """(closed, service away)"""
    host = produce()
    assert (host.do("track a"), host.do("flush")) == ("OK", "OK")
    stuck = forward("--drain-seconds", "0.2", url=NOWHERE)
    stuck.wait_for(lambda told: told["event"] == "figures" and told["waiting"] == 1 and told["lag_ms"] > 0)
    status, out, _ = stuck.end(signal.SIGTERM)
    assert (status, json.loads(out.splitlines()[-1])["done"]) == (6, False)
    forward().wait_for(lambda told: told["event"] == "figures" and told["sent"] == 1)
    assert booked(service) == {"a": 1}


def test_what_the_service_refuses_for_good_is_a_dead_letter(
        tmp_path: Path, produce: Callable[..., Host], forward: Callable[..., Forwarder], server: RedisServer, service: UnleashSimulator) -> None:
    """(ready, failing)"""
    host = produce()
    assert (host.do("track a"), host.do("flush")) == ("OK", "OK")
    ((name),) = server.ask("HKEYS", f"{TAG}:facts")  # type: ignore[misc]
    service.fail("metrics", "status", times=None, status=400)
    forwarder = forward("--dead-letters", str(tmp_path / "refused.jsonl"))
    forwarder.wait_for(lambda told: told["event"] == "figures" and told["refused"] == 1)
    assert forwarder.end(signal.SIGTERM)[0] == 0 and kept(server) == 0
    (line,) = (tmp_path / "refused.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert (told["queue"], told["id"], told["reason"]) == ("events", name.decode(), "the service answered 400")
    # As it went, for it to be mended and sent by hand.
    request = service.journal.requests("metrics")[-1]
    assert told["body"].encode() == request.body and told["body_size"] == len(request.body)
    assert abs(told["recorded_at_unix_ms"] - time.time() * 1000) < 600_000
    assert service.backend_key not in line


def test_one_that_is_told_to_end_sends_what_it_has_and_takes_nothing_more(
        produce: Callable[..., Host], forward: Callable[..., Forwarder], server: RedisServer, service: UnleashSimulator) -> None:
    """(closing)"""
    host = produce()
    for number in range(30):
        assert host.do(f"track {number}") == "OK"
    assert host.do("flush") == "OK"
    service.fail("metrics", "status", times=None, status=503)
    forwarder = forward("--set", "events.capacity=12")
    forwarder.wait_for(lambda told: told["event"] == "figures" and told["waiting"] == 12)
    forwarder.process.send_signal(signal.SIGTERM)
    forwarder.wait_for(lambda told: told["event"] == "draining")
    service.faults.clear()
    status, out, _ = forwarder.ended()
    last = json.loads(out.splitlines()[-1])
    assert (status, last["done"], last["sent"], last["taken"], kept(server)) == (0, True, 12, 12, 18)


def test_on_a_full_redis_a_process_keeps_its_events_and_leaves_them_when_there_is_room(
        folders: Callable[[], Path], compiled: Callable[..., Path], redis_plugin: Path, service: UnleashSimulator) -> None:
    """(full disk)"""
    program = compiled(HERE / "host.c", "host")
    with RedisServer(folders()) as server:
        options = json.dumps({"socket": server.socket, "scope": "unleash:test", "retry_max_ms": 100})
        host = Host([program, service.api_url, service.backend_key, redis_plugin, options, "events.delivery=forward"])
        assert (host.do("track a"), host.do("flush")) == ("OK", "OK")
        server.ask("CONFIG", "SET", "maxmemory", "1")
        assert host.do("track b") == "ERR_UNSAVED"
        assert host.do("flush") in ("ERR_NETWORK", "ERR_TIMEOUT")
        assert kept(server) == 1
        server.ask("CONFIG", "SET", "maxmemory", "0")
        assert comes(lambda: host.do("flush") == "OK")
        assert kept(server) == 2 and booked(service) == {}
        host.end()


def test_a_process_that_is_closed_or_forks_leaves_its_events_as_well(
        produce: Callable[..., Host], forward: Callable[..., Forwarder], server: RedisServer, service: UnleashSimulator) -> None:
    """(closed, forked child)"""
    host = produce()
    assert host.do("track a") == "OK"
    assert host.do("fork child") == "OK"
    assert host.do("close") == "OK"
    assert booked(service) == {}
    forwarder = forward()
    forwarder.wait_for(lambda told: told["event"] == "figures" and told["sent"] == 2)
    assert booked(service) == {"a": 1, "child": 1}


def test_while_redis_is_away_a_process_keeps_its_events_and_leaves_them_when_it_is_back(
        folders: Callable[[], Path], compiled: Callable[..., Path], redis_plugin: Path, service: UnleashSimulator) -> None:
    """(store away)"""
    program = compiled(HERE / "host.c", "host")
    with RedisServer(folders()) as server:
        options = json.dumps({"socket": server.socket, "scope": "unleash:test", "retry_max_ms": 100})
        host = Host([program, service.api_url, service.backend_key, redis_plugin, options, "events.delivery=forward"])
        assert host.do("track a") == "OK"
        server.stop()
        assert host.do("track b") == "ERR_UNSAVED"
        assert host.do("flush") in ("ERR_NETWORK", "ERR_TIMEOUT")
        server.start()
        assert comes(lambda: host.do("flush") == "OK")
        assert kept(server) >= 1 and booked(service) == {}
        host.end()


def test_nothing_goes_of_a_person_who_has_refused_since(
        tmp_path: Path, compiled: Callable[..., Path], redis_plugin: Path, tool: Path, server: RedisServer) -> None:
    """(FS-67; second process)"""
    options = {"socket": server.socket, "scope": "flagship:test"}
    with FlagshipSimulator(sample_bucketing()) as service:
        properties = {"env_id": service.environment_id, "api_key": service.api_key, "decision.url": service.decision_url,
                      "cdn.url": service.cdn_url, "events.url": service.events_url, "mode": "bucketing", "usage_tracking": False}
        told, sends = tmp_path / "host.json", tmp_path / "tool.json"
        told.write_text(json.dumps({**properties, "events.durability": "immediate", "events.delivery": "forward"}))
        sends.write_text(json.dumps(properties))
        host = subprocess.Popen([compiled(HERE / "campaign_host.c", "campaign_host"), told, redis_plugin, json.dumps(options), "n", "1", "32"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        assert host.stdin and host.stdout

        def do(line: str) -> None:
            assert host.stdin and host.stdout
            if line:
                print(line, file=host.stdin, flush=True)
            assert any(told.startswith("done") for told in host.stdout)

        for line in ("", "settle 17", "settle 18", "flush", "refuse 17"):
            do(line)
        print("close", file=host.stdin, flush=True)
        host.communicate(timeout=PATIENCE_S)
        assert not service.ledger.screens()
        forwarder = Forwarder([tool, "forward", "--from", f"redis:{server.socket}", "--scope", "flagship:test", "--plugin", redis_plugin,
                               "--provider", "flagship", "--config", str(sends), "--json", "--every", "0.1"], "")
        assert comes(lambda: bool(service.ledger.screens()))
        assert comes(lambda: server.ask("HLEN", "{hoist:flagship:test}:facts") == 0)
        assert forwarder.end(signal.SIGTERM)[0] == 0
        assert service.ledger.screens() == {"n-1": 1}
        assert service.violations == []
