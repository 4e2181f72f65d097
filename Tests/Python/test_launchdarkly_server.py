"""LaunchDarkly in mode server, against a strict service of rules: through the core's calls, and what is left of the vendor's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from launchdarkly_server import LaunchDarklyServerSimulator, sample_data
from relay import Authority, Proxy, Relay
from test_fork import finish, fork
from test_network import needs_openssl
from waiting import until

import hoist
from hoist import State, Status, launchdarkly

Connect = Callable[..., hoist.Client]
ANNA = {"targetingKey": "anna", "plan": "pro"}
BOB = {"targetingKey": "bob", "plan": "free"}


@pytest.fixture
def rules() -> Iterator[LaunchDarklyServerSimulator]:
    """A strict service of the test's own, with the sample's flags and segments."""
    with LaunchDarklyServerSimulator() as simulator:
        yield simulator
        assert simulator.violations == [], simulator.violations


def reach(service: LaunchDarklyServerSimulator) -> dict[str, Any]:
    """The properties that reach the service; nothing is sent but on demand, and retries come soon."""
    return {"mode": "server", "mobile_key": service.sdk_key, "base_url": service.url, "stream_url": service.url,
            "events_url": service.url, "initial_retry_delay_ms": 20, "ignore_polling_minimum": True, "diagnostic_opt_out": True,
            "events.flush_interval_ms": 3_600_000}  # fmt: skip


@pytest.fixture
def connect(rules: LaunchDarklyServerSimulator, tmp_path: Path) -> Iterator[Connect]:
    """Opens clients on one store, and closes them at the end. They are ready, unless `ready=False`."""
    opened: list[hoist.Client] = []

    def open_one(cls: type[hoist.Client] = hoist.Client, ready: bool = True, **properties: Any) -> hoist.Client:
        settings = {**reach(rules), "store.path": str(tmp_path), **properties}
        client = cls("launchdarkly", settings) if cls is hoist.Client else cls(settings)
        opened.append(client)
        assert not ready or client.wait_ready(10) is Status.OK
        return client

    yield open_one
    for client in opened:
        client.close(5)


def kinds(service: LaunchDarklyServerSimulator) -> list[list[str]]:
    return [[event["kind"] for event in payload] for payload in service.ledger.payloads()]


def test_one_client_decides_for_each_context(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """Targets, rules, segments, prerequisites, an experiment (LDS-10, LDS-21, LDS-30; ready)."""
    client = connect()
    assert [client.float("page-size", who, 0.0) for who in (ANNA, BOB, {"targetingKey": "carl"})] == [25.0, 12.5, 10.0]
    assert [client.string("checkout", who, "") for who in (ANNA, BOB)] == ["new", "old"]
    assert client.string("trial", ANNA, "") in ("a", "b")
    assert client.json("theme", ANNA) == {"color": "blue", "sizes": [1, 2, 3]}
    assert client.detail("nowhere", ANNA, 7).error_code == "FLAG_NOT_FOUND"
    assert client.detail("page-size", {"targetingKey": ""}, 7).error_code == "INVALID_CONTEXT"


@pytest.mark.parametrize("streaming_mode", ["streaming", "polling"])
def test_changes_are_followed(rules: LaunchDarklyServerSimulator, connect: Connect, streaming_mode: str) -> None:
    """A flag, a segment that a flag refers to, a flag that goes (LDS-10, LDS-12, LDS-14, LDS-62; ready)."""
    client = connect(streaming_mode=streaming_mode, flag_polling_interval_ms=50)
    assert client.float("page-size", {"targetingKey": "dora"}, 0.0) == 10.0
    rules.set_segment("testers", included=["dora"])
    assert until(lambda: client.float("page-size", {"targetingKey": "dora"}, 0.0) == 25.0)
    rules.set_flag("dark-mode", on=False)
    assert until(lambda: client.bool("dark-mode", ANNA, True) is False)
    rules.delete_flag("dark-mode")
    assert until(lambda: client.detail("dark-mode", ANNA, True).error_code == "FLAG_NOT_FOUND")


def test_a_part_of_the_rules_is_asked_for(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """(LDS-15; ready)"""
    rules.options.change(payload_filter="web", filtered_flags=["dark-mode"])
    client = connect(payload_filter_key="web")
    assert client.bool("dark-mode", ANNA, False) is True
    assert client.detail("banner", ANNA, "").error_code == "FLAG_NOT_FOUND"


def test_each_context_is_introduced_once(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """Index, feature, debug, custom and identify events, and a summary last (LDS-40 to LDS-44; ready)."""
    client = connect()
    for _ in range(3):
        assert client.bool("dark-mode", ANNA, False) is True
    assert client.string("banner", BOB, "none") == "Bye"
    assert client.bool("watched", ANNA, True) is False
    assert client.bool("nowhere", BOB, True) is True
    assert client.track("bought", BOB, value=2.5, properties={"colour": "red"}) is Status.OK
    assert client.identify({"targetingKey": "carl"}) is Status.OK
    assert client.track("left", value=1) is Status.OK
    assert client.flush() is Status.OK
    assert kinds(rules) == [["index", "index", "feature", "debug", "custom", "identify", "custom", "summary"]]
    bought, left = rules.ledger.events("custom")
    assert (bought["context"]["key"], bought["metricValue"], bought["data"]) == ("bob", 2.5, {"colour": "red"})
    assert left["context"]["key"] == "carl"
    assert rules.ledger.evaluations("dark-mode") == 3


def test_nothing_is_tracked_for_nobody(connect: Connect) -> None:
    """(LDS-44; ready)"""
    client = connect()
    assert client.track("bought") is Status.ARGUMENT
    assert client.track("bought", {"targetingKey": ""}) is Status.ARGUMENT
    assert client.detail("dark-mode", None, False).error_code == "TARGETING_KEY_MISSING"


def test_diagnostics_are_those_of_a_server(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """(LDS-50; starting)"""
    connect(diagnostic_opt_out=False)
    assert rules.wait_for("diagnostics", 1)
    assert until(lambda: rules.ledger.diagnostics())


def test_a_refused_key_is_fatal_and_named_nowhere(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """(LDS-13; refused)"""
    client = connect(ready=False, mobile_key="sdk-nobodys")
    assert until(lambda: client.state is State.FATAL)
    assert client.detail("dark-mode", ANNA, False).error_code == "PROVIDER_FATAL"


def test_the_next_start_has_the_rules_of_the_last(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """(LDS-04; second process, failing)"""
    connect().close(5)
    rules.go_away()
    client = connect()
    assert client.state is State.STALE
    assert client.float("page-size", ANNA, 0.0) == 25.0
    rules.come_back()
    assert until(lambda: client.state is State.READY)


def test_a_file_does_without_a_service(tmp_path: Path) -> None:
    """Flags, segments and plain values; `refresh` reads the file again (LDS-67; offline)."""
    path = tmp_path / "rules.json"

    def write(value: object) -> None:
        path.write_text(json.dumps({**sample_data(), "flagValues": {"plain": value}}))
        path.chmod(0o600)

    write("red")
    with hoist.Client("launchdarkly", {"mode": "server", "bootstrap.file": str(path), "store": "none"}) as client:
        assert client.wait_ready(5) is Status.OK and client.state is State.STALE
        assert (client.string("plain", ANNA, ""), client.float("page-size", ANNA, 0.0)) == ("red", 25.0)
        write("green")
        client.refresh()
        assert until(lambda: client.string("plain", ANNA, "") == "green")


@pytest.mark.parametrize("rules", ["{", "[]", '{"flags": 7}', '{"flags": {"a": {"key": "a"}}}', '{"flagValues": 1}',
                                   '{"flags": {"a": {"key": "a", "version": 1}}, "flagValues": {"a": 1}}'])  # fmt: skip
def test_a_file_that_is_none_is_refused(rules: str) -> None:
    """Contract 1: bad bootstrap without a way to fetch (LDS-67; before start)."""
    with pytest.raises(hoist.Error) as problem:
        hoist.Client("launchdarkly", {"mode": "server", "bootstrap": rules, "store": "none"})
    assert "bootstrap" in str(problem.value)


def test_further_keys_are_clients_of_their_own() -> None:
    """(LDS-01; before start)"""
    with pytest.raises(hoist.Error) as problem:
        hoist.Client("launchdarkly", {"mode": "server", "mobile_key": "sdk-1", "secondary_mobile_keys": {"b": "sdk-2"}})
    assert "secondary_mobile_keys" in str(problem.value) and "sdk-2" not in str(problem.value)


def test_the_vendors_calls_of_clients_say_so(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """What needs flags of one context is HOIST_ERR_STATE; the rest goes on (LDS-07; ready)."""
    client = connect(launchdarkly.Client, context={"kind": "user", "key": "anna"})
    assert isinstance(client, launchdarkly.Client)
    assert client.is_initialized and client.is_online
    assert client.connection_information.mode is launchdarkly.ConnectionMode.STREAMING
    assert client.int_variation("page-size", 0) == 25
    assert client.track_event("bought", {"a": 1}, 2.5) is Status.OK
    with pytest.raises(hoist.Error) as problem:
        client.observe_flag("banner", print)
    assert problem.value.status is Status.STATE


def test_the_vendors_variations_may_name_a_context(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """Of each type, with its detail, and events of it; what is no context gets the default (LDS-30, LDS-31, LDS-44; ready)."""
    client = connect(launchdarkly.Client)
    assert isinstance(client, launchdarkly.Client)
    bob = launchdarkly.Context("bob", attributes={"plan": "free"})
    assert (client.int_variation("page-size", 0, bob), client.double_variation("page-size", 0, bob)) == (12, 12.5)
    assert client.string_variation("banner", "", {"kind": "user", "key": "bob", "plan": "free"}) == "Bye"
    assert client.bool_variation("dark-mode", False, hoist.Context("anna")) is True
    assert client.json_variation("theme", None, bob) == {"color": "blue", "sizes": [1, 2, 3]}
    target = {"kind": "TARGET_MATCH"}
    assert client.int_variation_detail("page-size", 0, bob) == launchdarkly.EvaluationDetail(12, 2, target)
    assert client.double_variation_detail("page-size", 0, bob) == launchdarkly.EvaluationDetail(12.5, 2, target)
    assert client.string_variation_detail("banner", "", bob).reason == {"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r2"}
    assert client.json_variation_detail("theme", None, bob).reason == {"kind": "OFF"}
    for nobody in ({"kind": "kind", "key": "a"}, hoist.Context("")):
        assert client.bool_variation_detail("dark-mode", False, nobody).error_kind == "USER_NOT_SPECIFIED"
        assert client.track_event("bought", context=nobody) is Status.ARGUMENT
    for data in ([1], "text", False):
        assert client.track_event("bought", data, 2.5, context=bob) is Status.OK
    assert client.flush() is Status.OK
    bought = rules.ledger.events("custom")
    assert [(each["context"]["key"], each["data"]) for each in bought] == [("bob", [1]), ("bob", "text"), ("bob", False)]


@needs_openssl
def test_only_the_given_authority_is_trusted(rules: LaunchDarklyServerSimulator, connect: Connect, tmp_path: Path) -> None:
    """(LDS-18; ready, failing)"""
    authority = Authority(tmp_path)
    with Relay(rules.server.port, authority.server()) as tls:
        url = rules.url.replace("http:", "https:").replace(str(rules.server.port), str(tls.port))
        reached = {"base_url": url, "stream_url": url, "events_url": url, "store": "none"}
        client = connect(**reached, **{"network.ca_file": authority.file("authority.pem")})
        assert client.bool("dark-mode", ANNA, False) is True
        other = connect(ready=False, **reached)
        assert until(lambda: other.state is State.ERROR)


def test_a_proxy_carries_everything(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """(LDS-18; ready)"""
    with Proxy(rules.server.port) as proxy:
        url = rules.url.replace("127.0.0.1", "flags.invalid")
        client = connect(base_url=url, stream_url=url, events_url=url, **{"network.proxy": f"http://127.0.0.1:{proxy.port}"})
        assert client.bool("dark-mode", ANNA, False) is True
        assert client.flush(10) is Status.OK
        assert rules.ledger.evaluations("dark-mode") == 1


def test_a_forked_child_goes_on(rules: LaunchDarklyServerSimulator, connect: Connect) -> None:
    """The child decides at once, and sends its own events; the parent sends its own (LDS-08; forked)."""
    rules.options.change(repeated_indexes=True)
    client = connect()
    assert client.bool("dark-mode", ANNA, False)

    def work() -> None:
        assert client.float("page-size", BOB, 0.0) == 12.5
        assert client.flush(20) is Status.OK

    assert finish([fork(work)]) == [0]
    assert client.flush(20) is Status.OK
    assert (rules.ledger.evaluations("page-size"), rules.ledger.evaluations("dark-mode")) == (1, 1)
    assert client.state is State.READY
