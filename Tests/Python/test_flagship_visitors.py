"""Flagship's visitors through its face, against the strict simulator."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from flagship import FlagshipSimulator
from flagship_clients import FLAGS, MODES, ORDERS, STAFF, Opener
from waiting import until

import hoist
from hoist import Status
from hoist.flagship import ContextKey, FetchReason, FetchStatus, Visitor, key_name

VISITOR_CREATE = (FetchStatus.FETCH_REQUIRED, FetchReason.VISITOR_CREATE)
FETCHING, FETCHED = (FetchStatus.FETCHING, FetchReason.NONE), (FetchStatus.FETCHED, FetchReason.NONE)


def state(visitor: Visitor) -> tuple[FetchStatus, FetchReason]:
    return visitor.fetch_status, visitor.fetch_reason


@pytest.mark.parametrize("mode", MODES)
def test_a_visitor_is_made_and_fetched(open_flagship: Opener, mode: str) -> None:
    """(FS-06, FS-07, FS-30, FS-33, FS-37, FS-52, FS-55, FS-56; ready)"""
    visitor = open_flagship(mode).visitor(STAFF, context=ORDERS)
    assert (visitor.id, visitor.anonymous_id, visitor.has_consented) == (STAFF, None, True)
    assert state(visitor) == VISITOR_CREATE and len(visitor.flags) == 0
    assert visitor.fetch(5) is Status.OK
    assert state(visitor) == FETCHED
    assert {key: flag.value(None, expose=False) for key, flag in visitor.flags.items()} == FLAGS


@pytest.mark.parametrize("mode", MODES)
def test_callbacks_hear_each_change_in_order(open_flagship: Opener, mode: str) -> None:
    """(FS-36, FS-47, FS-54, FS-205; ready)"""
    changes: list[Any] = []
    required: list[FetchReason] = []
    fetched: list[int] = []
    visitor = open_flagship(mode).visitor(
        "u", on_fetch_status=lambda *news: changes.append(news), on_fetch_required=required.append,
        on_fetched=lambda: fetched.append(1),
    )  # fmt: skip
    assert visitor.fetch(5)
    visitor.set("a", 1)
    assert until(lambda: changes == [FETCHING, FETCHED, (FetchStatus.FETCH_REQUIRED, FetchReason.UPDATE_CONTEXT)])
    assert until(lambda: required == [FetchReason.UPDATE_CONTEXT] and fetched == [1])
    assert required[0].newer_name == "VISITOR_CONTEXT_UPDATED"


def test_a_callback_that_raises_hurts_nobody(open_flagship: Opener, caplog: pytest.LogCaptureFixture) -> None:
    """(FS-36; ready)"""

    def fail(*_: object) -> None:
        raise ValueError("mine")

    visitor = open_flagship().visitor("u", on_fetch_status=fail)
    assert visitor.fetch(5)
    assert until(lambda: "flagship_visitor_options.fetch_changed raised ValueError" in caplog.text)


@pytest.mark.parametrize("mode", MODES)
def test_completions_and_asyncio(open_flagship: Opener, mode: str) -> None:
    """(FS-56; ready)"""
    visitor = open_flagship(mode).visitor(STAFF, context=ORDERS)
    ends: list[Status] = []
    assert visitor.fetch_soon(ends.append)
    assert until(lambda: ends == [Status.OK])
    assert asyncio.run(visitor.fetch_async(5)) is Status.OK
    assert visitor.value("welcome", "") == "welcome back"


def test_a_failed_fetch_keeps_the_flags(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-10, FS-50; failing)"""
    visitor = open_flagship().visitor(STAFF, context=ORDERS)
    assert visitor.fetch(5)
    flagship.fail("campaigns", "status", status=500)
    assert visitor.fetch(5) is Status.FLAGSHIP_FETCH_FAILED
    assert state(visitor) == (FetchStatus.FETCH_REQUIRED, FetchReason.FETCH_ERROR)
    assert visitor.flag("maximum_items").value(0, expose=False) == 42
    assert visitor.fetch(5) and state(visitor) == FETCHED


def test_panic_takes_the_flags_away_and_gives_them_back(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-42, FS-53; panic)"""
    visitor = open_flagship().visitor(STAFF, context=ORDERS)
    assert visitor.fetch(5)
    flagship.environment.panic()
    assert visitor.fetch(5) is Status.FLAGSHIP_PANIC
    assert state(visitor) == (FetchStatus.PANIC, FetchReason.NONE)
    assert visitor.set("a", 1) is Status.FLAGSHIP_PANIC and "a" not in visitor.context
    assert visitor.flag("maximum_items").read(7) == (7, Status.FLAGSHIP_PANIC)
    flagship.environment.panic(False)
    assert visitor.fetch(5) and visitor.value("maximum_items", 7, expose=False) == 42


def test_the_shared_visitor_is_the_clients_current_context(open_flagship: Opener) -> None:
    """(FS-31, FS-32; ready)"""
    client = open_flagship("bucketing")
    assert client.shared_visitor is None
    alone = client.visitor("alone", shared=False)
    assert client.shared_visitor is None and alone.id == "alone"
    visitor = client.visitor(STAFF, context=ORDERS)
    shared = client.shared_visitor
    assert shared is not None and shared.id == STAFF
    assert shared.set("orders", 0) and visitor.context["orders"] == 0
    assert client.int("maximum_items") == 42


# ---- Context -------------------------------------------------------------------------------------


def test_contexts_hold_scalars_by_key_and_predefined_key(open_flagship: Opener) -> None:
    """(FS-33, FS-59, FS-60, FS-61, FS-63, FS-109 to FS-127; ready)"""
    visitor = open_flagship().visitor("u", context={"vip": True, ContextKey.LOCATION_CITY: "Lyon"})
    assert visitor.set("age", 31) and visitor.set("score", 1.5) and visitor.set("name", "Zoë")
    assert visitor.set(ContextKey.LOCATION_LAT, 45.75) and visitor.set(ContextKey.APP_VERSION_CODE, 7)
    assert visitor.set(ContextKey.IP, "192.0.2.1")
    expected = {"vip": True, "sdk_city": "Lyon", "age": 31, "score": 1.5, "name": "Zoë", "sdk_lat": 45.75,
                "sdk_versionCode": 7, "sdk_ip": "192.0.2.1", "sdk_osName": "Linux", "fs_users": "u"}  # fmt: skip
    assert expected.items() <= visitor.context.items()
    assert key_name(ContextKey.LOCATION_CITY) == "sdk_city" and key_name("own") == "own"
    assert state(visitor) == (FetchStatus.FETCH_REQUIRED, FetchReason.UPDATE_CONTEXT)


def test_what_no_context_holds_is_refused_alone(open_flagship: Opener) -> None:
    """(FS-60, FS-200; ready)"""
    visitor = open_flagship().visitor("u", context={"kept": 1, "list": [1], "nan": float("nan"), "big": 2**70})
    assert visitor.context["kept"] == 1 and not {"list", "nan", "big"} & visitor.context.keys()
    refused = Status.FLAGSHIP_CONTEXT_REFUSED
    for key, value in (("", 1), ("fs_users", "x"), ("fs_client", "x"), (ContextKey.LOCATION_LAT, "45"), ("sdk_versionCode", True),
                       ("sdk_ip", "nowhere"), ("x", float("inf")), ("x", 2**70)):  # fmt: skip
        assert visitor.set(key, value) is refused, key
    assert state(visitor) == VISITOR_CREATE
    visitor.update_context({"kept": 2, "sdk_city": 5, "more": "x"})
    assert visitor.context["kept"] == 2 and visitor.context["more"] == "x" and "sdk_city" not in visitor.context
    with pytest.raises(TypeError):
        visitor.set("x", None)  # type: ignore[arg-type]


def test_a_cleared_context_keeps_what_hoist_sets(open_flagship: Opener) -> None:
    """(FS-62; ready)"""
    visitor = open_flagship("bucketing").visitor("u", context={"vip": True, "sdk_osName": "Plan 9"})
    visitor.set(ContextKey.OS_NAME, "Plan 9")
    assert visitor.clear_context()
    assert "vip" not in visitor.context and visitor.context["sdk_osName"] == "Linux"
    assert visitor.fetch() and "maximum_items" in visitor.flags


def test_the_context_reaches_the_service(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-128; ready)"""
    visitor = open_flagship().visitor("u", context={"age": 31, ContextKey.LOCATION_COUNTRY: "fr"})
    assert visitor.fetch(5)
    sent = flagship.ledger.decisions("u")[0]
    assert {"age": 31, "sdk_country": "fr"}.items() <= sent["context"].items() and sent["visitor_consent"] is True


# ---- Consent, continuity -------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_consent_is_told_each_time(flagship: FlagshipSimulator, open_flagship: Opener, mode: str) -> None:
    """(FS-34, FS-64, FS-67; no consent, ready)"""
    client = open_flagship(mode)
    visitor = client.visitor(STAFF, False, context=ORDERS)
    assert not visitor.has_consented
    assert visitor.fetch(5) and visitor.value("maximum_items", 0) == 42
    assert visitor.flag("maximum_items").expose() is Status.FLAGSHIP_NO_CONSENT
    assert visitor.set_consent() and visitor.has_consented and visitor.set_consent(True)
    assert client.flush(5)
    assert flagship.ledger.consents(STAFF) == [False, True, True]
    assert flagship.ledger.activations() == []


def test_experience_continuity_swaps_ids(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-35, FS-48, FS-49, FS-68, FS-69, FS-70; ready)"""
    client = open_flagship()
    visitor = client.visitor("anonymous-7")
    assert visitor.fetch(5) and visitor.authenticate("carla")
    assert (visitor.id, visitor.anonymous_id) == ("carla", "anonymous-7")
    assert state(visitor) == (FetchStatus.FETCH_REQUIRED, FetchReason.AUTHENTICATE)
    assert visitor.fetch(5) and flagship.ledger.decisions("carla")[0]["anonymousId"] == "anonymous-7"
    assert visitor.authenticate("") is Status.ARGUMENT
    assert visitor.unauthenticate() and (visitor.id, visitor.anonymous_id) == ("anonymous-7", None)
    assert state(visitor) == (FetchStatus.FETCH_REQUIRED, FetchReason.UNAUTHENTICATE)
    known = client.visitor("dora", is_authenticated=True)
    assert known.id == "dora" and known.anonymous_id


def test_bucketing_knows_no_experience_continuity(open_flagship: Opener) -> None:
    """(FS-68, 5.7; ready)"""
    visitor = open_flagship("bucketing").visitor("u")
    assert visitor.authenticate("v") is Status.UNSUPPORTED and visitor.unauthenticate() is Status.UNSUPPORTED
    assert (visitor.id, state(visitor)) == ("u", VISITOR_CREATE)


# ---- Export, ends --------------------------------------------------------------------------------


def test_flags_of_one_visitor_are_anothers_beginning(open_flagship: Opener) -> None:
    """(FS-46, FS-51; ready)"""
    first = open_flagship("bucketing").visitor(STAFF, context=ORDERS)
    assert first.fetch()
    exported = first.export()
    assert exported is not None and json.loads(exported)
    second = open_flagship().visitor(STAFF, exported=exported)
    assert state(second) == (FetchStatus.FETCH_REQUIRED, FetchReason.FETCHED_FROM_CACHE)
    assert second.value("welcome", "", expose=False) == "welcome back"
    assert state(open_flagship().visitor(STAFF, exported="no JSON")) == VISITOR_CREATE


def test_an_id_is_generated_where_none_is_given(open_flagship: Opener) -> None:
    """5.3"""
    client = open_flagship()
    first, second = client.visitor(), client.visitor("")
    assert first.id and second.id and first.id != second.id
    with pytest.raises(hoist.Error):
        client.visitor("a\0b")


def test_a_visitor_outlives_its_client(open_flagship: Opener) -> None:
    """(FS-39, 5.8; closed, handle outlives client)"""
    client = open_flagship()
    visitor = client.visitor(STAFF, context=ORDERS)
    assert visitor.fetch(5)
    assert client.close(2) is Status.OK
    assert visitor.fetch(1) is Status.STATE
    assert visitor.set("a", 1) is Status.FLAGSHIP_NOT_INITIALIZED
    assert visitor.value("maximum_items", 7) == 7 and not visitor.flag("maximum_items").exists
    del client
    assert visitor.id == STAFF and visitor.authenticate("x") is Status.FLAGSHIP_NOT_INITIALIZED


def test_targeting_follows_the_context(open_flagship: Opener) -> None:
    """(FS-47, FS-100; ready)"""
    visitor = open_flagship("bucketing").visitor("norma", context={"sdk_country": "no", "age": 17})
    assert visitor.fetch() and visitor.value("maximum_items", 0, expose=False) == 10
    assert visitor.set("age", 18) and visitor.value("maximum_items", 0, expose=False) == 10
    assert visitor.fetch() and visitor.value("maximum_items", 0, expose=False) == 42
