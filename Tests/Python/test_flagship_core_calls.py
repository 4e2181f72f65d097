"""The core's calls on Flagship's clients: whose flags they give, and what they say where there are none."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from flagship import FlagshipSimulator, sample_bucketing
from flagship_clients import MODES, Opener
from waiting import until

from hoist import State, Status
from hoist.flagship import Client, FetchReason, FetchStatus, Screen, SDKStatus


ANNA = {"targetingKey": "anna"}


def _targeted(key: str, value: Any) -> dict[str, Any]:
    """A flag `met` for visitors whose context has the value."""
    targeting = [{"operator": "EQUALS", "key": key, "value": value, "provider": None}]
    variation = {"id": "hvar0metx00000000001", "name": "Met", "reference": False, "allocation": 100,
                 "modifications": {"type": "JSON", "value": {"met": True}}}  # fmt: skip
    group = {"id": "hgrp0metx00000000001", "name": "Met", "targeting": {"targetingGroups": [{"targetings": targeting}]},
             "variations": [variation]}  # fmt: skip
    return sample_bucketing(campaigns=[{
        "id": "hcamp0metx0000000001", "name": "Met", "type": "ab", "slug": None, "bucketRanges": [{"r": [0, 100]}],
        "variationGroups": [group]}])  # fmt: skip


@pytest.mark.parametrize("key, value, given", [
    ("sdk_osName", "Linux", {}), ("sdk_deviceType", "Desktop", {}), ("fs_client", "hoist", {}), ("sdk_firstTimeInit", False, {}),
    ("sdk_osName", "Linux", {"sdk_osName": "Plan 9"}), ("sdk_city", "Lyon", {"sdk_city": "Lyon"}), ("sdk_lat", 45.5, {"sdk_lat": 45.5}),
])  # fmt: skip
def test_a_context_of_one_call_has_what_hoist_sets(
    flagship: FlagshipSimulator, open_flagship: Opener, key: str, value: Any, given: dict[str, Any]
) -> None:
    """In bucketing mode core call, explanation and visitor decide alike (FS-109 to FS-128; ready)."""
    flagship.publish(_targeted(key, value))
    client = open_flagship("bucketing")
    client.visitor("first", shared=False)
    context = {**ANNA, **given}
    assert client.bool("met", context) and client.evaluate("met", context).value is True
    explained = client.explain("met", context)
    assert explained.value is True and explained.reason == "TARGETING_MATCH"
    assert client.all_flags(context)["met"].value is True
    visitor = client.visitor("anna", context=given, shared=False)
    assert visitor.fetch() and visitor.value("met", False)


@pytest.mark.parametrize("key, given", [
    ("sdk_osName", "Plan 9"), ("fs_client", "other"), ("sdk_city", 5), ("sdk_ip", "nowhere"), ("sdk_versionCode", 1.5),
    ("sdk_lat", 45)])  # fmt: skip
def test_a_context_of_one_call_has_nothing_that_visitors_refuse(
    flagship: FlagshipSimulator, open_flagship: Opener, key: str, given: Any
) -> None:
    """(FS-61, FS-200; ready)"""
    flagship.publish(_targeted(key, given))
    client = open_flagship("bucketing")
    assert not client.bool("met", {**ANNA, key: given})
    visitor = client.visitor("anna", context={key: given}, shared=False)
    assert visitor.fetch() and not visitor.value("met", False)


def test_what_is_refused_is_named(open_flagship: Opener, caplog: pytest.LogCaptureFixture) -> None:
    """A number that is not finite (FS-60; ready)."""
    visitor = open_flagship(logger=logging.getLogger("flags")).visitor("anna")
    assert visitor.set("height", float("nan")) is Status.FLAGSHIP_CONTEXT_REFUSED
    assert until(lambda: 'context key "height" is refused: the number is not finite' in caplog.text)


@pytest.mark.parametrize("locale, language", [
    ("fr_FR.UTF-8", "fr_FR"), ("de_AT@euro", "de_AT"), ("fr", "fr"), ("C", "en_US"), ("C.UTF-8", "en_US")])
def test_the_language_is_the_locales(open_flagship: Opener, monkeypatch: pytest.MonkeyPatch, locale: str, language: str) -> None:
    """(FS-110; ready)"""
    monkeypatch.setenv("LC_ALL", locale)
    assert open_flagship().visitor("anna").context["sdk_deviceLanguage"] == language


# ---- Where there are no flags --------------------------------------------------------------------


def test_without_a_current_context_calls_say_so(open_flagship: Opener) -> None:
    """Mode decision_api, no property `context`, nobody identified (FS-31; ready)."""
    client = open_flagship()
    assert client.state is State.READY
    nobody = client.detail("maximum_items", None, 7)
    assert (nobody.value, nobody.error_code) == (7, "TARGETING_KEY_MISSING") and "context" in nobody.error_message
    assert client.detail("maximum_items", ANNA, 7).error_code == "INVALID_CONTEXT"
    assert client.explain("maximum_items").error_code == "TARGETING_KEY_MISSING"
    assert client.identify(ANNA) and client.detail("nobody's", None, 7).error_code == "FLAG_NOT_FOUND"


@pytest.mark.parametrize("mode", MODES)
def test_in_panic_details_say_panic(flagship: FlagshipSimulator, open_flagship: Opener, mode: str) -> None:
    """(FS-42; panic)"""
    client = open_flagship(mode)
    assert client.identify(ANNA) and client.int("maximum_items") != 0
    _panic(flagship, client)
    for detail in (client.detail("maximum_items", None, 7), client.explain("maximum_items")):
        assert detail.error_code == "PROVIDER_NOT_READY" and "panic" in detail.error_message


def test_a_client_is_ready_again_when_another_visitor_finds_the_end_of_a_panic(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """The current visitor's own fetch found it, and has no flags (FS-42, FS-53; panic)."""
    client = open_flagship()
    assert client.identify(ANNA)
    _panic(flagship, client)
    assert client.state is State.ERROR
    flagship.environment.panic(False)
    flagship.publish(sample_bucketing())
    assert client.visitor("ben", shared=False).fetch(5)
    assert client.wait_ready(10) is Status.OK and client.int("maximum_items") != 0


def test_panic_that_the_poll_finds_is_on_every_visitor(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-42, FS-45, FS-46, FS-75; panic)"""
    client = open_flagship("bucketing")
    visitor = client.visitor("anna")
    assert visitor.fetch()
    _panic(flagship, client)
    assert (visitor.fetch_status, visitor.fetch_reason) == (FetchStatus.PANIC, FetchReason.NONE)
    assert not visitor.flag("maximum_items").exists
    flagship.publish(sample_bucketing())
    assert client.refresh() and until(lambda: client.status is SDKStatus.INITIALIZED)
    assert visitor.fetch_status is FetchStatus.FETCHED and visitor.flag("maximum_items").exists


def _panic(service: FlagshipSimulator, client: Client) -> None:
    service.environment.panic()
    service.publish(sample_bucketing(panic=True, campaigns=[]))
    assert client.refresh() and until(lambda: client.status is SDKStatus.PANIC)


@pytest.mark.parametrize("mode, status", list(zip(MODES, (SDKStatus.INITIALIZED, SDKStatus.INITIALIZING), strict=True)))
def test_a_start_that_has_returned_has_begun(flagship: FlagshipSimulator, open_flagship: Opener, mode: str, status: SDKStatus) -> None:
    """The start has just returned, a service that does not answer (FS-40, FS-41, 5.1; starting)."""
    flagship.fail("bucketing", "hang", times=None)
    for _ in range(20):
        client = open_flagship(mode, ready=False)
        assert client.status is status
        client.close(0)
    client = open_flagship(mode, ready=False, properties={"autostart": False})
    visitor = client.visitor("anna")
    assert client.start() and client.status is status
    assert visitor.set("plan", "gold") and visitor.send(Screen("home"))
    client.close(0)
    client.reopen()
    assert client.start() and client.status is status
    flagship.release()


# ---- Asking again --------------------------------------------------------------------------------


def test_refresh_fetches_the_current_visitors_flags(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-06, FS-31; ready)"""
    client = open_flagship(properties={"context": ANNA})
    assert client.refresh() and until(lambda: len(flagship.ledger.decisions("anna")) == 2)


def test_decisions_wait_as_long_as_the_service_asks(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """503 with Retry-After, longer than the pause that would follow (FS-50; failing)."""
    flagship.fail("campaigns", "status", status=503, headers={"Retry-After": "3600"})
    client = open_flagship(ready=False, properties={"context": ANNA, "network.retry_max_ms": 1000})
    assert client.wait_ready(1.5) is Status.TIMEOUT and len(flagship.requests("campaigns")) == 1
    assert client.refresh() and client.wait_ready(5)


def test_attempts_after_the_first_are_counted(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-18; failing)"""
    client = open_flagship(properties={"hits.batch_interval": 1, "network.retry_max_ms": 1000})
    flagship.fail("hits", "status", status=503, times=2)
    visitor = client.visitor("anna")
    assert visitor.send(Screen("home")) and flagship.wait_for_hits(2, timeout=15)
    assert until(lambda: client.statistics()["hits"]["delivered"] == 2)
    assert client.statistics()["hits"]["retried"] == 2


# ---- Hits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("category", ["Action Tracking", "Action_Tracking", "User Engagement", "User_Engagement"])
def test_both_spellings_of_a_category_are_taken(flagship: FlagshipSimulator, open_flagship: Opener, category: str) -> None:
    """(FS-98; ready)"""
    client = open_flagship()
    assert client.identify(ANNA) and client.track("buy", properties={"category": category}) and client.flush(5)
    assert [hit["ec"] for hit in flagship.ledger.hits() if hit["ea"] == "buy"] == [category.replace("_", " ")]
    assert client.track("buy", properties={"category": "action tracking"}) is Status.ARGUMENT
