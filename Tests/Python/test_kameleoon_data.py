"""What Kameleoon visitors tell the service: data, exposures, conversions, consent, links between visitors."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from kameleoon import KameleoonSimulator, sample_configuration
from kameleoon_clients import Opener, checkout_of

import hoist
from hoist.kameleoon import (
    ApplicationVersion, Browser, BrowserType, Conversion, Cookie, CustomData, Device, DeviceType, Geolocation,
    OperatingSystem, PageView, SystemType, UniqueIdentifier, UserAgent, new_visitor_code, visitor_code_in_cookies,
)  # fmt: skip

EVERYTHING = (
    Device(DeviceType.TABLET), Browser(BrowserType.SAFARI, 17.5), OperatingSystem(SystemType.IOS),
    Geolocation("France", "Île-de-France", "Paris", "75001", 48.8566, -2.5), CustomData(0, "gold", "it's (fine)"),
    CustomData("cart", "a", "b", overwrite=False), PageView("https://a.com/?q=1&r=é", "Home & Co", (1, 2)),
    Conversion(7, 19.5, True, (CustomData("tier", "m1", "m2"),)), UserAgent("agent/1 é"), Cookie({"a": "b", "c": "d"}),
    ApplicationVersion("1.2.3"),
)  # fmt: skip


def test_every_kind_of_data_is_told(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-56 to KAM-59, KAM-61 to KAM-65, KAM-B08, KAM-B14, KAM-B21; ready)"""
    client = open_kameleoon()
    visitor = client.visitor("carla")
    assert visitor.add_data(*EVERYTHING) and visitor.flush(instant=True)
    assert kameleoon.wait_for_lines(8, visitor="carla")
    ledger = kameleoon.ledger
    assert ledger.kinds("carla") == ["device", "browser", "operatingSystem", "geolocation", "customData", "customData",
                                     "page", "conversion"]  # fmt: skip
    assert ledger.custom_data("carla") == {0: ["gold", "it's (fine)"], 1: ["a", "b"]}
    assert [line.values["overwrite"] for line in ledger.lines("customData")] == ["true", "false"]
    assert ledger.lines("page")[0].values["title"] == "Home & Co"
    conversion, = ledger.lines("conversion")
    assert (conversion.values["negative"], conversion.values["metadata"]) == ("true", '{"4":["m1","m2"]}')
    assert ledger.lines("device")[0].user_agent == "agent/1 é"


def test_data_for_targeting_alone_and_local_data_stay(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-B19; ready)"""
    client = open_kameleoon()
    visitor = client.visitor("carla")
    visitor.add_data(CustomData(0, "gold"), Device(DeviceType.PHONE), track=False)
    visitor.add_data(CustomData("secret", "x"), UniqueIdentifier(False))
    assert visitor.flush(instant=True) and client.flush(5)
    assert kameleoon.wait_for_lines(1)
    assert kameleoon.ledger.kinds() == ["activity"]


@pytest.mark.parametrize("data", [
    CustomData(-1, "a"), CustomData(0, "\ud800"), Conversion(2**70), Geolocation("x", latitude=math.nan),
    UserAgent("\ud800")])
def test_data_that_cannot_be_told_are_refused(open_kameleoon: Opener, data: object) -> None:
    """G8"""
    visitor = open_kameleoon().visitor("carla")
    with pytest.raises(hoist.Error):
        visitor.add_data(data)  # type: ignore[arg-type]


def test_what_is_no_data_is_a_mistake_of_the_program(open_kameleoon: Opener) -> None:
    visitor = open_kameleoon().visitor("carla")
    for wrong in ("text", {"a": 1}, None):
        with pytest.raises(TypeError):
            visitor.add_data(wrong)  # type: ignore[arg-type]
    for key in (None, 1.5, True):
        with pytest.raises(TypeError):
            CustomData(key, "a")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        CustomData(0, 7)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [
    lambda: Device("PHONE"), lambda: Device(0), lambda: Browser("CHROME"), lambda: OperatingSystem(DeviceType.PHONE),
    lambda: Geolocation(None), lambda: Geolocation(b"FR")])
def test_what_a_datum_cannot_be_of_is_told_where_it_is_made(make: Callable[[], object]) -> None:
    """(KAM-63, KAM-64; no client)"""
    with pytest.raises(TypeError, match=r"is of \w+, not \w+"):
        make()


@pytest.mark.parametrize("data", [
    CustomData(0, *["a"] * 1001), PageView("u", None, [1] * 1001), Cookie({str(number): "" for number in range(1001)}),
    Conversion(1, metadata=[CustomData(0, "a")] * 101)])
def test_more_than_a_datum_holds_is_refused(open_kameleoon: Opener, data: object) -> None:
    """With a status, and nothing of it is told (KAM-62; ready)."""
    visitor = open_kameleoon().visitor("carla")
    with pytest.raises(hoist.Error) as refusal:
        visitor.add_data(data)  # type: ignore[arg-type]
    assert refusal.value.status is hoist.Status.ARGUMENT
    assert visitor.add_data(CustomData(0, *["a"] * 1000))


def test_an_exposure_is_told_with_the_next_interval(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-28, KAM-29; ready)"""
    visitor = open_kameleoon().visitor("carla")
    variation = visitor.variation("checkout")
    assert kameleoon.wait_for_lines(1, "experiment")
    assert kameleoon.ledger.exposures() == {f"carla/100/{variation.id}": 1}
    assert visitor.variation("checkout", track=False).key == checkout_of("carla")
    visitor.track_conversion(1)
    assert kameleoon.wait_for_lines(1, "conversion")
    assert kameleoon.ledger.exposures() == {f"carla/100/{variation.id}": 1}


def test_conversions(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-41, KAM-42, KAM-61; ready)"""
    client = open_kameleoon()
    visitor = client.visitor("carla")
    assert visitor.track_conversion(7) and visitor.track_conversion(7, 19.5)
    assert visitor.track_conversion(8, 2.5, negative=True, metadata=[CustomData(4, "m")])
    assert client.track("9", hoist.Context("carla"), value=3.5)
    assert kameleoon.wait_for_lines(4, "conversion")
    assert kameleoon.ledger.conversions() == {
        "7": {"count": 2, "revenue": 19.5}, "8": {"count": 1, "revenue": 2.5},
        "9": {"count": 1, "revenue": 3.5}}  # fmt: skip


def test_audiences_are_told(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-B12; ready)"""
    visitor = open_kameleoon().visitor("carla")
    visitor.add_data(Device(DeviceType.PHONE))
    assert visitor.evaluate_audiences()
    assert kameleoon.wait_for_lines(2, "targetingSegment")
    assert {line.values["id"] for line in kameleoon.ledger.lines("targetingSegment")} == {"5", "7"}


def test_without_consent_only_conversions_and_deliveries_are_told(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener
) -> None:
    """(KAM-60; no consent)"""
    kameleoon.options.change(consents=True)
    kameleoon.publish(sample_configuration(consent="PARTIALLY_BLOCK"))
    client = open_kameleoon()
    visitor = client.visitor("carla")
    visitor.add_data(Device(DeviceType.PHONE), CustomData(0, "gold"))
    visitor.variations()
    visitor.track_conversion(7)
    assert visitor.flush(instant=True) and kameleoon.wait_for_lines(3)
    assert set(kameleoon.ledger.kinds()) == {"experiment", "conversion"}
    kameleoon.site.consent("carla")
    assert visitor.set_legal_consent() and visitor.flush(instant=True)
    assert kameleoon.wait_for_lines(1, "customData") and kameleoon.wait_for_lines(1, "device")


def test_a_failed_request_is_sent_again_with_its_nonces(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-B25, G3; failing)"""
    kameleoon.options.change(exactly_once=True)
    kameleoon.fail("tracking", "reset")
    client = open_kameleoon()
    visitor = client.visitor("carla")
    visitor.track_conversion(7, 1.5)
    assert kameleoon.wait_for("tracking", 1)
    visitor.track_conversion(8)
    assert client.flush(20)
    assert kameleoon.ledger.conversions() == {"7": {"count": 1, "revenue": 1.5}, "8": {"count": 1, "revenue": 0.0}}


def test_linked_visitors_get_the_same_variations_and_are_told_as_one(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener
) -> None:
    """(KAM-67, KAM-68; ready)"""
    client = open_kameleoon()
    anonymous = client.visitor("anonymous-7")
    before = anonymous.variation("checkout", track=False)
    assert anonymous.add_data(CustomData("uid", "user-1")) and anonymous.flush(instant=True)
    assert kameleoon.wait_for_lines(1, "customData")
    known = client.visitor("user-1")
    known.add_data(UniqueIdentifier(True))
    assert known.variation("checkout").key == before.key
    assert known.flush(instant=True) and client.flush(5)
    assert kameleoon.wait_for_lines(1, "experiment")
    line, = kameleoon.ledger.lines("experiment")
    assert (line.named, line.visitor) == ("mappingValue", "user-1")
    assert kameleoon.ledger.owner(kameleoon.site_code, "user-1") == "anonymous-7"


@pytest.mark.parametrize("code", ["", "c" * 256, "\ud800"])
def test_visitor_codes_have_limits(open_kameleoon: Opener, code: str) -> None:
    """(KAM-11; ready)"""
    with pytest.raises(hoist.Error) as refused:
        open_kameleoon().visitor(code)
    assert refused.value.status in (hoist.Status.KAMELEOON_VISITOR_CODE_INVALID, hoist.Status.ARGUMENT)


def test_visitor_codes_of_web_pages_and_new_ones() -> None:
    """(KAM-12, KAM-B27; no client)"""
    assert visitor_code_in_cookies("a=b; kameleoonVisitorCode=abc123; c=d") == "abc123"
    assert visitor_code_in_cookies("a=b") is None
    codes = {new_visitor_code() for _ in range(100)}
    assert len(codes) == 100 and all(len(code) == 16 and code.isalnum() for code in codes)
