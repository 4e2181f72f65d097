"""Flagship's start, status and end through its face."""

from __future__ import annotations

import re

import pytest
from flagship import FlagshipSimulator, sample_bucketing
from flagship_clients import MODES, STAFF, Opener, reach
from waiting import until

import hoist
from hoist import Status, flagship
from hoist.flagship import SDKStatus

NOT_INITIALIZED, INITIALIZING = SDKStatus.NOT_INITIALIZED, SDKStatus.INITIALIZING
INITIALIZED, PANIC = SDKStatus.INITIALIZED, SDKStatus.PANIC


@pytest.fixture
def service(flagship: FlagshipSimulator) -> FlagshipSimulator:
    """The simulator under a name that the face does not have."""
    return flagship


def test_the_version_is_the_librarys() -> None:
    """(FS-126; no client)"""
    assert re.fullmatch(rf"hoist {re.escape(hoist.version())}", flagship.version())


@pytest.mark.parametrize("mode", MODES)
def test_the_status_goes_through_a_life(service: FlagshipSimulator, open_flagship: Opener, mode: str) -> None:
    """(FS-12, FS-38, FS-39, FS-40, FS-41, FS-43; starting, ready, closed)"""
    changes: list[SDKStatus] = []
    client = open_flagship(mode, ready=False, properties={"autostart": False})
    client.observe_sdk(status_changed=changes.append)
    assert client.start() and client.wait_ready(10)
    assert client.status is INITIALIZED and client.status.vendor_name == "SDK_INITIALIZED"
    assert until(lambda: changes == [INITIALIZED] if mode == "decision_api" else changes == [INITIALIZING, INITIALIZED])
    client.close(2)
    assert client.status is NOT_INITIALIZED


def test_panic_is_told_and_over(service: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-12, FS-42; panic)"""
    changes: list[SDKStatus] = []
    client = open_flagship()
    observer = client.observe_sdk(status_changed=changes.append)
    visitor = client.visitor("u")
    service.environment.panic()
    visitor.fetch(5)
    service.environment.panic(False)
    visitor.fetch(5)
    assert until(lambda: changes == [PANIC, INITIALIZED])
    assert observer.cancel() and not observer.cancel()
    client.close(2)
    assert changes == [PANIC, INITIALIZED]


def test_another_bucketing_file_is_told(service: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-07, FS-13, FS-212; ready)"""
    files: list[int] = []
    client = open_flagship("bucketing", ready=False, properties={"polling_interval": 0, "autostart": False})
    client.observe_sdk(bucketing_changed=lambda: files.append(1))
    assert client.start() and client.wait_ready(10)
    assert until(lambda: len(files) == 1)
    visitor = client.visitor(STAFF)
    assert visitor.fetch() and visitor.value("maximum_items", 0, expose=False) == 42
    service.publish(sample_bucketing(campaigns=[]))
    assert client.refresh() and until(lambda: len(files) == 2)
    assert visitor.value("maximum_items", 0, expose=False) == 42
    assert visitor.fetch() and visitor.value("maximum_items", 0, expose=False) == 0


def test_a_given_file_serves_without_network(open_flagship: Opener) -> None:
    """(FS-212; offline)"""
    client = open_flagship("bucketing", properties={"online": False, "bucketing": sample_bucketing()}, ready=False)
    assert until(lambda: client.status is INITIALIZED)
    visitor = client.visitor(STAFF)
    assert visitor.fetch() and visitor.value("discount", 0.0) == 12.5


def test_a_client_may_be_started_later(open_flagship: Opener) -> None:
    """(FS-39, 5.1; before start)"""
    client = open_flagship(ready=False, properties={"autostart": False})
    visitor = client.visitor("u")
    assert client.status is NOT_INITIALIZED
    assert visitor.fetch(1) is Status.FLAGSHIP_NOT_INITIALIZED
    assert client.start() and until(lambda: client.status is INITIALIZED)
    assert visitor.fetch(5) is Status.OK


def test_only_an_account_that_collects_takes_events_of_sessions(open_flagship: Opener) -> None:
    """(FS-207; ready)"""
    client, ends = open_flagship(), []
    status = client.collect_emotion({"type": "click"}, ends.append)
    assert not status or until(lambda: ends == [Status.UNSUPPORTED])


def test_events_of_sessions_go_to_an_account_that_collects(service: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-207, FS-208; ready)"""
    service.environment.settle({"eaiCollectEnabled": True, "eaiActivationEnabled": True})
    service.environment.score("u", "calm")
    client = open_flagship(properties={"emotion_score": True, "emotion.url": service.score_url})
    assert until(lambda: service.journal.count("account-settings") == 1)
    ends: list[Status] = []
    visitor = client.visitor("u")
    assert until(lambda: visitor.fetch(5) and visitor.context.get("eai::eas") == "calm")
    assert client.collect_emotion({"type": "click", "x": 1}, ends.append) and until(lambda: ends == [Status.OK])
    assert service.ledger.bodies("emotions") == [{"type": "click", "x": 1}]


def test_the_vendor_is_told_of_trouble_while_the_account_asks(service: FlagshipSimulator, open_flagship: Opener) -> None:
    """What the service finds strange of it fails the test (FS-203; ready, failing)."""
    service.environment.settle({"troubleshooting": {
        "startDate": "2020-01-01T00:00:00.000Z", "endDate": "2100-01-01T00:00:00.000Z", "timezone": "UTC", "traffic": 100}})  # fmt: skip
    client = open_flagship()
    visitor = client.visitor(STAFF)

    def told(label: str) -> list[dict[str, str]]:
        return [report for report in service.ledger.reports() if report["label"] == label]

    assert visitor.fetch(5)
    assert until(lambda: [one["http.response.code"] for one in told("HTTP_CALL")] == ["200"])
    assert visitor.value("maximum_items", 0, expose=False) == 42
    assert visitor.flag("maximum_items").expose() and visitor.flag("discount").expose()
    assert until(lambda: len(told("VISITOR_SEND_ACTIVATE")) == 2)
    early = "FLAG_EXPOSED_BEFORE_CALLING_VALUE_METHOD"
    assert until(lambda: [one["flag.key"] for one in told(early)] == ["discount"])
    service.fail("campaigns", "close", times=None)
    assert not visitor.fetch(5)
    assert until(lambda: len(told("ERROR_CATCHED")) == 1)
    assert visitor.value("discount", 7, expose=False) == 7 and visitor.value("nobody's", 7, expose=False) == 7
    assert until(lambda: len(told("GET_FLAG_VALUE_TYPE_WARNING")) == len(told("GET_FLAG_VALUE_FLAG_NOT_FOUND")) == 1)


def test_a_start_in_the_vendors_words(service: FlagshipSimulator) -> None:
    """(FS-01, FS-02, FS-05; ready)"""
    known = reach(service)
    env_id, api_key = known.pop("env_id"), known.pop("api_key")
    for config in (flagship.Config({**known, "store": "none"}), {**known, "store": "none"}):
        with flagship.start(env_id, api_key, config, mode="bucketing") as client:
            assert client.wait_ready(10) and client.status is INITIALIZED
            assert client.visitor("u").fetch(5)


def test_a_start_without_environment_or_key_is_refused() -> None:
    """(FS-02, FS-03, FS-04; no client)"""
    for env_id, api_key in (("", "key"), ("environment", "")):
        with pytest.raises(hoist.Error) as told:
            flagship.start(env_id, api_key, {"store": "none", "log.level": "none"})
        assert told.value.status in (Status.CONFIG, Status.ARGUMENT)


def test_a_client_without_environment_is_refused() -> None:
    """(FS-02; no client)"""
    with pytest.raises(hoist.Error) as told:
        flagship.Client(api_key="k")
    assert "env_id" in str(told.value)
