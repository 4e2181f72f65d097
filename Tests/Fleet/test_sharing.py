"""One fetch for a fleet (property `fetch.shared`): real processes over one Redis, and what the service sees of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from flagship import FlagshipSimulator, sample_bucketing
from host import Process
from kameleoon import KameleoonSimulator, sample_configuration
from launchdarkly_server import LaunchDarklyServerSimulator
from optimizely import OptimizelySimulator, sample_datafile
from redis_server import RedisServer
from unleash import UnleashSimulator
from waiting import comes

HERE = Path(__file__).resolve().parent

STALE, ERROR = 2, 3
LEASE = {"fetch.shared": "leader", "fetch.shared.lease_ms": 1000, "fetch.shared.poll_ms": 50, "log.level": "debug"}


@dataclass
class Service:
    name: str
    simulator: Any
    endpoint: str
    properties: dict[str, object]
    publish: Callable[[int], object]
    streams: bool = False

    @property
    def open_streams(self) -> int:
        return len(self.simulator.streams.open)

    @property
    def fetches(self) -> int:
        return int(self.simulator.journal.count(self.endpoint))


def optimizely() -> Service:
    made = OptimizelySimulator()
    return Service("optimizely", made, "datafile", {
        "sdk_key": made.sdk_key, "datafile.url": made.datafile_url, "events.url.us": made.events_url, "polling_interval": 1,
        "min_polling_interval": 1}, lambda number: made.publish(sample_datafile(revision=str(1000 + number))))


def flagship() -> Service:
    made = FlagshipSimulator(sample_bucketing())
    return Service("flagship", made, "bucketing", {
        "env_id": made.environment_id, "api_key": made.api_key, "decision.url": made.decision_url, "cdn.url": made.cdn_url,
        "events.url": made.events_url, "usage_tracking": "false", "mode": "bucketing", "polling_interval": 1},
        lambda number: made.publish(sample_bucketing(number=number)))


def kameleoon() -> Service:
    """Polls once an hour: what is new comes by the leader's stream."""
    made = KameleoonSimulator(sample_configuration(real_time=True))
    return Service("kameleoon", made, "configuration", {
        "site_code": made.site_code, "configuration.url": made.configuration_url, "data.url": made.data_url,
        "stream.url": made.stream_url, "token.url": made.token_url, "visitor_code": "anna"},
        lambda number: made.publish(sample_configuration(real_time=True, dateModified=1_767_225_600_000 + number), announce=True),
        streams=True)


def unleash(**more: object) -> Service:
    def flags(number: int) -> dict[str, Any]:
        return {"version": 2, "features": [{"name": f"flag-{number}", "enabled": True, "strategies": [{"name": "default"}]}]}

    made = UnleashSimulator(flags(0))
    return Service("unleash", made, "features", {
        "mode": "backend", "url": made.api_url, "key": made.backend_key, "app_name": "shop", "refresh_interval": 1,
        "disable_metrics": "true", **more}, lambda number: made.state.replace(flags(number)), streams=more.get("fetch_mode") == "streaming")


def unleash_delta() -> Service:
    return replace(unleash(fetch_mode="delta"), endpoint="delta")


def unleash_streaming() -> Service:
    return replace(unleash(fetch_mode="streaming"), endpoint="streaming")


def launchdarkly(**more: object) -> Service:
    made = LaunchDarklyServerSimulator()
    return Service("launchdarkly", made, "stream", {
        "mode": "server", "mobile_key": made.sdk_key, "context": '{"kind": "user", "key": "anna"}', "base_url": made.url,
        "stream_url": made.url, "initial_retry_delay_ms": 20, "flag_polling_interval_ms": 300, "ignore_polling_minimum": "true",
        "send_events": "false", "diagnostic_opt_out": "true", **more},
        lambda number: made.set_flag(f"flag-{number}", on=True, variations=[True, False], fallthrough={"variation": 0}), streams=not more)


def launchdarkly_polling() -> Service:
    polling = launchdarkly(streaming_mode="polling")
    return replace(polling, endpoint="poll")


@pytest.fixture
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    made = getattr(request, "param", optimizely)()
    with made.simulator:
        yield made
    assert made.simulator.violations == []


@pytest.fixture
def start(compiled: Callable[..., Path], redis_plugin: Path, server: RedisServer, service: Service, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    program = compiled(HERE / "sharing_host.c", "sharing_host")
    processes: list[Process] = []

    def one(redis: dict[str, object] = {}, **more: object) -> Process:
        told = {"scope": f"{service.name}:test", "retry_max_ms": 200, "timeout_ms": 500, **(redis or {"socket": server.socket})}
        properties = {**service.properties, **LEASE, **{name.replace("__", "."): value for name, value in more.items()}}
        command: list[str | Path] = [program, service.name, redis_plugin, json.dumps(told)]
        processes.append(Process(command + [f"{name}={value}" for name, value in properties.items()], tmp_path / f"{len(processes)}.log"))
        return processes[-1]

    yield one
    for process in processes:
        process.kill()


def leaders(processes: list[Process]) -> list[Process]:
    return [process for process in processes if process.count("leads")]


@pytest.mark.parametrize("service", [optimizely, flagship, kameleoon, unleash, unleash_delta, unleash_streaming, launchdarkly, launchdarkly_polling],
                         indirect=True)
def test_the_service_sees_the_requests_of_one_process(start: Callable[..., Process], service: Service) -> None:
    processes = [start() for _ in range(8)]
    assert comes(lambda: all(process.is_ready for process in processes))
    (leader,) = leaders(processes)
    others = [process for process in processes if process is not leader]
    if service.streams:
        assert comes(lambda: service.open_streams == 1)
    for number in range(1, 4):
        written, read = leader.count("written"), [process.count("read") for process in others]
        service.publish(number)
        assert comes(lambda: leader.count("written") > written)
        assert comes(lambda: all(process.count("read") > before for process, before in zip(others, read)))
    assert leaders(processes) == [leader]
    assert leader.has_fetched and not any(process.has_fetched for process in others)
    assert all(process.is_ready for process in processes)


@pytest.mark.parametrize("count", [1, 10, 100])
@pytest.mark.parametrize("service", [unleash_streaming, launchdarkly], indirect=True)
def test_what_a_service_sees_does_not_depend_on_how_many_they_are(start: Callable[..., Process], service: Service, count: int) -> None:
    """One request and one stream, whether one process runs or a hundred (FLT 3; starting, ready, second process)"""
    processes = [start(fetch__shared__lease_ms=60_000, fetch__shared__poll_ms=1000) for _ in range(count)]
    assert comes(lambda: all(process.is_ready for process in processes))
    (leader,) = leaders(processes)
    assert comes(lambda: service.open_streams == 1)
    written, read = leader.count("written"), {process: process.count("read") for process in processes}
    service.publish(1)
    assert comes(lambda: leader.count("written") > written)
    assert comes(lambda: all(process.count("read") > read[process] for process in processes if process is not leader))
    assert (service.fetches, service.open_streams) == (1, 1)
    assert leaders(processes) == [leader] and all(process.is_ready for process in processes)


def test_a_killed_leader_is_followed_by_one(start: Callable[..., Process], service: Service) -> None:
    processes = [start() for _ in range(4)]
    assert comes(lambda: all(process.is_ready for process in processes))
    for number in range(1, 3):
        (leader,) = leaders(processes)
        leader.kill()
        processes.remove(leader)
        assert comes(lambda: len(leaders(processes)) == 1)
        service.publish(number)
        (heir,) = leaders(processes)
        assert comes(lambda: heir.count("written") > 0)
        assert comes(lambda: all(process.count("read") > number for process in processes if process is not heir))
        assert sum(process.has_fetched for process in processes) == 1


@pytest.mark.parametrize("service", [unleash_streaming, launchdarkly], indirect=True)
def test_ten_processes_have_one_stream_and_a_killed_leader_is_followed_by_one(start: Callable[..., Process], service: Service) -> None:
    """The lease is long enough for a busy machine: each change of the lead is meant (FLT 1; ready, second process)"""
    processes = [start(fetch__shared__lease_ms=4000) for _ in range(10)]
    assert comes(lambda: all(process.is_ready for process in processes))
    for number in range(1, 4):
        (leader,) = leaders(processes)
        assert comes(lambda: service.open_streams == 1)
        read = {process: process.count("read") for process in processes}
        service.publish(number)
        assert comes(lambda: all(process.count("read") > read[process] for process in processes if process is not leader))
        assert service.fetches == number
        assert sum(process.has_fetched for process in processes) == 1
        leader.kill()
        processes.remove(leader)
        assert comes(lambda: len(leaders(processes)) == 1)
        assert comes(lambda: service.fetches == number + 1 and service.open_streams == 1)
    assert all(process.is_ready for process in processes)


def test_a_leader_that_closes_gives_its_place_away(start: Callable[..., Process], service: Service) -> None:
    """The lease is an hour: nobody waits for its end."""
    first = start(fetch__shared__lease_ms=3_600_000)
    assert comes(lambda: first.count("leads") == 1)
    second = start(fetch__shared__lease_ms=3_600_000)
    assert comes(lambda: second.is_ready)
    assert first.do("close") == "HOIST_OK"
    assert comes(lambda: second.count("leads") == 1)


@pytest.mark.parametrize("service", [optimizely, unleash_streaming, launchdarkly], indirect=True)
def test_a_leader_that_stood_still_follows(start: Callable[..., Process], service: Service) -> None:
    first, second = start(), start()
    assert comes(lambda: first.is_ready and second.is_ready)
    (leader,) = leaders([first, second])
    other = second if leader is first else first
    leader.process.send_signal(19)
    try:
        assert comes(lambda: other.count("leads") == 1)
        service.publish(1)
        assert comes(lambda: other.count("written") > 0)
    finally:
        leader.process.send_signal(18)
    assert comes(lambda: leader.count("leads") == 0 and leader.count("read") > 0)
    assert leaders([first, second]) == [other]
    if service.streams:
        assert comes(lambda: service.open_streams == 1)


@pytest.mark.parametrize("service", [optimizely, unleash_streaming, launchdarkly], indirect=True)
def test_redis_away_each_fetches_for_itself_and_back_one(start: Callable[..., Process], service: Service, folders: Callable[[], Path], server: RedisServer) -> None:
    with RedisServer(folders()) as own:
        # Of this test, since it goes away.
        socket, server.socket = server.socket, own.socket
        try:
            processes = [start() for _ in range(3)]
        finally:
            server.socket = socket
        assert comes(lambda: all(process.is_ready for process in processes))
        own.stop()
        assert comes(lambda: all(process.count("alone") == 1 for process in processes))
        assert comes(lambda: all(process.has_fetched for process in processes))
        own.start()
        assert comes(lambda: len(leaders(processes)) == 1 and not any(process.count("alone") for process in processes))
        service.publish(1)
        (leader,) = leaders(processes)
        assert comes(lambda: leader.count("written") > 0)
        assert comes(lambda: all(process.count("read") > 0 for process in processes if process is not leader))


def test_a_reader_serves_what_another_has_stored(start: Callable[..., Process], service: Service) -> None:
    reader = start(fetch__shared="reader")
    leader = start()
    assert comes(lambda: reader.is_ready)
    leader.kill()
    assert comes(lambda: reader.is_ready)
    assert (reader.count("leads"), reader.has_fetched) == (0, False)
    assert service.fetches > 0


def test_what_cannot_be_shared_is_refused_at_open(start: Callable[..., Process], compiled: Callable[..., Path], redis_plugin: Path, server: RedisServer) -> None:
    program = compiled(HERE / "sharing_host.c", "sharing_host")
    options = json.dumps({"socket": server.socket, "scope": "test"})

    def refusal(name: str, *properties: str, plugin: str | Path = redis_plugin) -> str:
        ended = subprocess.run([program, name, plugin, options, "fetch.shared=leader", *properties], capture_output=True, text=True)
        assert ended.returncode == 2
        return ended.stderr

    assert "what unleash in mode frontend fetches" in refusal("unleash", "mode=frontend", "url=http://127.0.0.1:9/api/frontend", "key=a:b.c", "app_name=shop")
    assert "what launchdarkly in mode streaming fetches is of one client alone" in refusal("launchdarkly", "mobile_key=mob-1", 'context={"kind":"user","key":"a"}')
    assert "what flagship in mode decision_api fetches" in refusal("flagship", "env_id=hoistsampleenv000001", "api_key=k", "mode=decision_api")
    assert '"store" is "none"' in refusal("optimizely", "sdk_key=a", "store=none", plugin="")
