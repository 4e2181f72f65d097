"""A LaunchDarkly client's life through its face: starts, identify, connection, environments."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator

import pytest
from launchdarkly import LaunchDarklySimulator
from launchdarkly_clients import ANN, BEN, Opener, opener, strict_service
from waiting import until

import hoist
from hoist import Status, Topic
from hoist.launchdarkly import (
    AnyContext,
    CacheUsage,
    Client,
    ConnectionMode,
    Context,
    DataSourceState,
    FailureReason,
    IdentifyResult,
    RunMode,
)


@pytest.fixture
def service() -> Iterator[LaunchDarklySimulator]:
    with strict_service() as service:
        service.set_flag("dark-mode", context="ben", value=False, variation=1)
        yield service


@pytest.fixture
def open_client(service: LaunchDarklySimulator) -> Iterator[Opener]:
    with opener(service) as open_one:
        yield open_one


def test_a_start_waits_for_flags(open_client: Opener) -> None:
    """(LD-06, LD-11; before start, ready)"""
    client = open_client(autostart=False)
    assert not client.is_initialized and not client.is_online
    assert client.start(10) is Status.OK
    assert client.is_initialized and client.is_online
    assert client.start(10) is Status.LAUNCHDARKLY_ALREADY_STARTED


def test_a_start_says_why_there_are_none(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-06, LD-16; starting, refused)"""
    service.fail("stream", "hang", times=1)
    assert open_client(autostart=False).start(0.2) is Status.TIMEOUT
    refused = open_client(autostart=False, mobile_key="mob-wrong")
    assert refused.start(10) is Status.LAUNCHDARKLY_UNAUTHORIZED
    assert refused.connection_information.failure_reason is FailureReason.UNAUTHORIZED


def test_a_start_need_not_be_waited_for(open_client: Opener) -> None:
    client, ended = open_client(autostart=False), threading.Event()
    told: list[Status] = []
    assert client.start_soon(10, lambda status: (told.append(status), ended.set()))
    assert ended.wait(10) and told == [Status.OK]


def test_identify_changes_the_flags(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-20, LD-23, LD-24; ready, closed)"""
    client = open_client()
    assert client.wait_ready(10) and client.bool_variation("dark-mode", False) is True
    assert client.identify(BEN, 10, sheddable=False) is Status.OK
    assert client.bool_variation("dark-mode", True) is False
    assert client.identify({"kind": "user", "key": "ann"}, 10) and client.bool_variation("dark-mode", False) is True
    assert client.identify(hoist.Context("ben"), None, cache=CacheUsage.IF_AVAILABLE)
    assert client.identify({"targetingKey": "ben"}, 10)
    client.flush(5)
    keys = [event["context"]["key"] for event in service.ledger.events("identify")]
    assert keys == ["ann", "ben", "ann", "ben", "ben"]
    with pytest.raises(hoist.Error):
        client.identify({"kind": "kind", "key": "x"})
    client.close(2)
    assert client.identify(BEN, 1) is Status.STATE


def test_identify_tells_how_it_ended(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-21, LD-22; ready, closing)"""
    client, told = open_client(), list[tuple[str, IdentifyResult]]()
    assert client.wait_ready(10)
    service.fail("stream", "hang", times=1, delay=30)

    def identify(key: str, timeout: float | None = None) -> None:
        assert client.identify_soon(Context(key), lambda status: told.append((key, IdentifyResult.of(status))), timeout=timeout)

    identify("first", 0.2)
    identify("second")
    identify("third")
    assert until(lambda: len(told) >= 2)
    assert sorted(told[:2]) == [("first", IdentifyResult.TIMEOUT), ("second", IdentifyResult.SHED)]
    client.close(1)
    assert until(lambda: ("third", IdentifyResult.ERROR) in told)


def test_going_offline_and_back(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-10, LD-12, LD-14; offline)"""
    client = open_client()
    assert client.wait_ready(10)
    told: list[Status] = []
    assert client.set_online_soon(False, told.append)
    assert until(lambda: told == [Status.OK]) and not client.is_online
    assert client.connection_information.mode is ConnectionMode.OFFLINE
    assert service.wait_for_streams(0)
    assert client.set_online_soon(True, told.append)
    assert until(lambda: told == [Status.OK] * 2) and client.is_online
    assert client.connection_information.mode is ConnectionMode.STREAMING


def test_the_connection(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-16, LD-92; ready, background)"""
    client = open_client(streaming_mode="polling")
    assert client.wait_ready(10)
    found = client.connection_information
    assert (found.mode, found.failure_reason, found.status_code) == (ConnectionMode.POLLING, FailureReason.NONE, None)
    assert found.last_known_flag_validity is not None and found.last_failed_connection is None
    assert client.data_source_status.state is DataSourceState.VALID
    assert client.set_run_mode(RunMode.BACKGROUND)
    assert until(lambda: client.connection_information.mode is ConnectionMode.OFFLINE)
    assert client.set_run_mode(RunMode.FOREGROUND)
    assert until(lambda: client.connection_information.mode is ConnectionMode.POLLING)


def test_an_events_host_that_cannot_be_reached_is_told_with_its_cause(
    service: LaunchDarklySimulator, open_client: Opener
) -> None:
    """The events host is away (LD-16, LD-74, contract 2; failing)."""
    client = open_client(events_url="http://127.0.0.1:9", **{"properties": {"events.flush_interval_ms": 3_600_000}})
    told: list[tuple[Status, str]] = []
    assert client.wait_ready(10)
    client.observe(Topic.SEND_FAILED, lambda one: told.append((one.status, one.message)))
    assert client.flush(10) is Status.NETWORK
    assert until(lambda: told)
    found = client.connection_information
    assert (found.failure_reason, found.status_code) == (FailureReason.UNKNOWN, None)
    assert told[0][0] is Status.NETWORK
    for text in (found.failure_text, told[0][1]):
        assert "127.0.0.1" in text and "connect" in text.lower(), text


def test_environments(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-07, LD-08, LD-09; ready, closed)"""
    other = service.add_environment("mob-other", {"dark-mode": {"value": "other", "variation": 0, "version": 1}})
    client = open_client(secondary_mobile_keys={"other": other.mobile_key})
    assert client.wait_ready(10)
    second = client.environment("other")
    assert second is not None and client.environment("nobody") is None
    assert until(lambda: second.string_variation("dark-mode", "x") == "other")
    assert client.bool_variation("dark-mode", False) is True
    first = second.environment()
    assert first is not None and first.bool_variation("dark-mode", False) is True
    assert second.identify(BEN, 10) and client.bool_variation("dark-mode", True) is False
    client.close(2)
    assert second.string_variation("dark-mode", "x") == "x" and client.environment("other") is None


def test_a_client_without_a_context_has_an_anonymous_one(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-02; ready)"""
    client = open_client(context=None)
    assert client.wait_ready(10) and client.flush(5)
    context = service.ledger.events("identify")[0]["context"]
    assert context["anonymous"] is True and context["kind"] == "user" and len(context["key"]) == 36


@pytest.mark.parametrize("context", [
    Context(), {"kind": "org"}, Context.multi(Context(kind="org"), Context("u")),
    {"kind": "multi", "org": {"key": "o"}, "user": {"name": "Ann"}},
])  # fmt: skip
def test_a_client_starts_and_identifies_with_contexts_without_keys(
    service: LaunchDarklySimulator, open_client: Opener, context: AnyContext
) -> None:
    """(LD-02, contract 3; starting, ready)"""
    client = open_client(context=context)
    assert client.wait_ready(10) and client.bool_variation("dark-mode", False) is True
    assert client.identify(BEN, 10) is Status.OK and client.identify(context, 10) is Status.OK
    assert client.flush(10) is Status.OK
    first, _, again = [event["context"] for event in service.ledger.events("identify")]
    assert first == again and first["kind"] != "user" or first["anonymous"]


def test_environments_share_generated_keys_without_a_store(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """Without a store (LD-09, 3.5; ready)."""
    other = service.add_environment("mob-other", {"dark-mode": {"value": "other", "variation": 0, "version": 1}})
    client = open_client(context=None, secondary_mobile_keys={"other": other.mobile_key})
    assert client.wait_ready(10) and service.wait_for_streams(2)
    assert len({request.target for request in service.requests("stream")}) == 1
    assert client.identify({"kind": "org"}, 10) is Status.OK and service.wait_for("stream", 4)
    assert len({request.target for request in service.requests("stream")[2:]}) == 1


@pytest.mark.parametrize("call", [
    lambda client: client.start(None), lambda client: client.start(20), lambda client: client.identify(BEN, None),
    lambda client: client.identify(BEN, 20), lambda client: client.flush(None), lambda client: client.close(None),
], ids=["start", "start with a limit", "identify", "identify with a limit", "flush", "close"])  # fmt: skip
def test_ctrl_c_ends_every_wait(
    service: LaunchDarklySimulator, open_client: Opener, request: pytest.FixtureRequest, call: Callable[[Client], object]
) -> None:
    """Contract 5: limit or none. State: starting, ready, closing; the service does not answer."""
    is_start = request.node.callspec.id.startswith("start")
    client = open_client(autostart=not is_start)
    if not is_start:
        assert client.wait_ready(10)
    for endpoint in ("stream", "events"):
        service.fail(endpoint, "hang", times=None)
    threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        call(client)
        threading.Event().wait(5)
    service.faults.clear()
    service.faults.release()


def test_contexts_of_the_core_are_answered_for_the_current_one_only(open_client: Opener) -> None:
    client = open_client()
    assert client.wait_ready(10)
    assert client.bool("dark-mode", ANN.to_hoist()) is True
    assert client.detail("dark-mode", BEN.to_hoist(), False).error_code == "INVALID_CONTEXT"
