"""What Kameleoon's service knows of visitors, what it keeps for a site, and access tokens, through the face."""

from __future__ import annotations

import asyncio
import queue
import threading
from typing import Any

import pytest
from kameleoon import KameleoonSimulator
from kameleoon.sample import CLIENT_ID, CLIENT_SECRET
from kameleoon_clients import Opener

import hoist
from hoist.kameleoon import (
    Browser, BrowserType, Conversion, CustomData, Device, DeviceType, Filter, Geolocation, OperatingSystem, PageView,
    SystemType, Visitor,
)  # fmt: skip

VISITS: dict[str, Any] = {
    "currentVisit": {
        "visitorCode": "c1", "timeStarted": 1,
        "customDataEvents": [{"time": 1, "data": {"index": 0, "valuesCountMap": {"gold": 1, "é": 1}}}],
        "conversionEvents": [{"time": 1, "data": {"goalId": 7, "revenue": 2.5, "negative": True}}],
        "pageEvents": [{"time": 1, "data": {"href": "https://a.com", "title": "t"}}],
        "geolocationEvents": [{"time": 1, "data": {"country": "FR", "city": "Paris"}}],
        "staticDataEvent": {"time": 1, "data": {
            "deviceType": "PHONE", "browser": "SAFARI", "browserVersion": 17.5, "os": "IOS"}}},
    "previousVisits": [{"timeStarted": 0, "customDataEvents": [
        {"time": 0, "data": {"index": 4, "valuesCountMap": {"grün": 1}}}]}]}  # fmt: skip
EVERYTHING = Filter(25, page_views=True, geolocation=True, device=True, browser=True, operating_system=True,
                    conversions=True, experiments=True, personalization=True, kcs=True, cbs=True)  # fmt: skip
TOLD = [
    CustomData(0, "gold", "é"), CustomData(4, "grün"), PageView("https://a.com", "t"), Device(DeviceType.PHONE),
    Browser(BrowserType.SAFARI, 17.5), OperatingSystem(SystemType.IOS), Geolocation("FR", city="Paris"),
    Conversion(7, 2.5, True),
]  # fmt: skip


@pytest.fixture
def visitor(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> Visitor:
    kameleoon.site.remember("carla", VISITS)
    return open_kameleoon().visitor("carla")


def test_visits_are_told_and_target(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """(KAM-46, KAM-47, KAM-49 to KAM-52, KAM-B22; ready)"""
    assert not visitor.is_feature_active("loyal", track=False)
    assert visitor.remote_visitor_data(EVERYTHING) == TOLD
    assert visitor.is_feature_active("loyal", track=False) and visitor.is_feature_active("banner", track=False)
    asked, = kameleoon.ledger.queries("visitor-data")
    assert asked["maxNumberPreviousVisits"] == "25" and {"kcs", "cbs", "page", "personalization"} <= set(asked)


def test_the_default_asks_for_custom_data_alone(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """(KAM-47, KAM-50, KAM-51; ready)"""
    assert visitor.remote_visitor_data() == TOLD[:2]
    assert set(kameleoon.ledger.queries("visitor-data")[0]) == {
        "siteCode", "visitorCode", "maxNumberPreviousVisits", "version", "staticData", "currentVisit",
        "customData"}  # fmt: skip


def test_data_can_be_told_only(visitor: Visitor) -> None:
    """(KAM-48; ready)"""
    assert visitor.remote_visitor_data(add_data=False)[0] == CustomData(0, "gold", "é")
    assert not visitor.is_feature_active("loyal", track=False)


def test_calls_that_do_not_wait(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """(KAM-45, KAM-46, KAM-74; ready)"""
    kameleoon.site.store("prices", {"eur": 7})
    told, arrived = [], threading.Semaphore(0)

    def done(status: hoist.Status, found: Any) -> None:
        told.append((status, found))
        arrived.release()

    assert visitor.remote_visitor_data_soon(done) and arrived.acquire(timeout=10)
    assert visitor.remote_data_soon(done, "prices") and arrived.acquire(timeout=10)
    assert visitor.remote_data_soon(done, "nowhere") and arrived.acquire(timeout=10)
    assert told[:2] == [(hoist.Status.OK, TOLD[:2]), (hoist.Status.OK, {"eur": 7})]
    assert not told[2][0] and told[2][1] is None
    assert visitor.remote_visitor_data_soon() and visitor.remote_data_soon(key="prices")
    assert kameleoon.wait_for("visitor-data", 2) and kameleoon.wait_for("remote-data", 3)


def test_for_asyncio(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """(KAM-B04; ready)"""
    kameleoon.site.store("prices", [1])
    kameleoon.site.store("carla", {"warehouseAudiences": {"gold": True}})

    async def ask() -> tuple[Any, Any, Any]:
        return (await visitor.remote_visitor_data_async(), await visitor.remote_data_async("prices"),
                await visitor.warehouse_audience_async(0))  # fmt: skip

    assert asyncio.run(ask()) == (TOLD[:2], [1], CustomData(0, "gold"))


def test_remote_data(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """(KAM-45; ready, failing)"""
    kameleoon.site.store("prices/é", {"eur": [7, 0.5], "é": None})
    kameleoon.site.store("carla", "mine")
    assert visitor.remote_data("prices/é") == {"eur": [7, 0.5], "é": None}
    assert visitor.remote_data() == "mine"
    with pytest.raises(hoist.Error):
        visitor.remote_data("nowhere")
    kameleoon.fail("remote-data", "hang")
    with pytest.raises(hoist.Error) as late:
        visitor.remote_data("prices/é", timeout=0.2)
    assert late.value.status is hoist.Status.TIMEOUT
    kameleoon.fail("remote-data", "garbage")
    with pytest.raises(hoist.Error) as garbage:
        visitor.remote_data("prices/é")
    assert garbage.value.status is hoist.Status.PARSE


def test_remote_data_that_is_no_json_is_told(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """Whoever waits is told in every form of the call (KAM-45, KAM-74; failing)."""
    kameleoon.site.store("prices", {"eur": 7})
    kameleoon.fail("remote-data", "garbage")
    told: queue.Queue[tuple[hoist.Status, Any]] = queue.Queue()
    assert visitor.remote_data_soon(lambda status, found: told.put((status, found)), "prices")
    assert told.get(timeout=10) == (hoist.Status.PARSE, None)
    kameleoon.fail("remote-data", "garbage")
    with pytest.raises(hoist.Error) as failure:
        asyncio.run(asyncio.wait_for(visitor.remote_data_async("prices"), 10))
    assert failure.value.status is hoist.Status.PARSE


def test_warehouse_audiences_are_custom_data(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """(KAM-55; ready)"""
    kameleoon.site.store("crm-7", {"warehouseAudiences": {"silver": 1, "gold": 2}})
    assert visitor.warehouse_audience(0, "crm-7") == CustomData(0, "silver", "gold")
    assert visitor.is_feature_active("loyal", track=False)
    assert visitor.flush(instant=True) and kameleoon.wait_for_lines(1, "customData")
    assert kameleoon.ledger.custom_data("carla") == {0: ["silver", "gold"]}


def test_failures_are_told(kameleoon: KameleoonSimulator, visitor: Visitor) -> None:
    """(KAM-74; failing)"""
    for kind, more in (("status", {"status": 500}), ("empty", {}), ("garbage", {})):
        kameleoon.fail("visitor-data", kind, **more)
        with pytest.raises(hoist.Error):
            visitor.remote_visitor_data()
    assert visitor.remote_visitor_data() == TOLD[:2]


def test_requests_are_authorised(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-08; ready, refused)"""
    kameleoon.options.change(token_required=True)
    client = open_kameleoon(client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
    visitor = client.visitor("carla")
    visitor.remote_visitor_data()
    visitor.track_conversion(7)
    assert kameleoon.wait_for_lines(1, "conversion") and kameleoon.tokens.given == ["token-1"]
    kameleoon.tokens.revoke()
    visitor.track_conversion(8)
    # Its second attempt, with another token, comes five seconds later.
    assert kameleoon.wait_for_lines(2, "conversion", timeout=20)
    assert kameleoon.tokens.given == ["token-1", "token-2"]


def test_data_reach_another_device(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-66, KAM-69, KAM-53; ready)"""
    first = open_kameleoon().visitor("device-1")
    first.add_data(CustomData("uid", "user-1"), CustomData("tier", "grün"))
    before = first.variation("checkout")
    assert first.flush(instant=True) and kameleoon.wait_for_lines(3)
    second_client = open_kameleoon(is_unique_identifier=True)
    second = second_client.visitor("user-1")
    assert CustomData(4, "grün") in second.remote_visitor_data()
    assert second.is_feature_active("loyal", track=False) and second.variation("checkout").key == before.key
    assert second.flush(instant=True) and second_client.flush(5)
    assert kameleoon.wait_for_lines(2, "experiment")
