"""Flagship's hits and exposures through its face: the strict simulator checks each of them."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from flagship import FlagshipSimulator
from flagship_clients import MODES, ORDERS, STAFF, Opener
from waiting import until

from hoist import Status
from hoist.flagship import Category, Event, ExposedFlag, ExposedVisitor, Hit, Item, Page, Screen, Transaction

EVERYTHING: list[Hit] = [
    Screen("home", user_ip="192.0.2.1", screen_resolution="1334x750", screen_color_depth="24-bit", user_language="fr",
           session_number=3, current_session_timestamp=1_700_000_000, session_event_number=9),
    Page("https://shop.example/basket?x=1"),
    Transaction("t-1", "purchase", revenue=19.9, shipping=4, tax=1.5, currency="EUR", payment_method="card",
                shipping_method="post", item_count=2, coupon_code="HALF"),
    Item("t-1", "Ski", "sku-7", price=9.95, quantity=1, category="winter"),
    Event(Category.ACTION_TRACKING, "basket", label="ski", value=2, location="home"),
    Event(Category.USER_ENGAGEMENT, "read"),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_each_kind_of_hit_is_accepted(flagship: FlagshipSimulator, open_flagship: Opener, mode: str) -> None:
    """(FS-71, FS-90 to FS-99; ready)"""
    client = open_flagship(mode)
    visitor = client.visitor("u")
    for hit in EVERYTHING:
        assert visitor.send(hit) is Status.OK, hit
    assert client.flush(5) is Status.OK
    sent = {item["t"]: item for item in flagship.ledger.hits(visitor="u") if item.get("ea") not in ("fs_consent", "read")}
    assert sent["SCREENVIEW"]["dl"] == "home" and sent["SCREENVIEW"]["sr"] == "1334x750" and sent["SCREENVIEW"]["sn"] == 3
    assert sent["PAGEVIEW"]["dl"] == "https://shop.example/basket?x=1"
    bought = {"tid": "t-1", "ta": "purchase", "tr": 19.9, "ts": 4, "tt": 1.5, "tc": "EUR", "pm": "card", "sm": "post",
              "icn": 2, "tcc": "HALF"}  # fmt: skip
    assert bought.items() <= sent["TRANSACTION"].items()
    assert {"in": "Ski", "ic": "sku-7", "ip": 9.95, "iq": 1, "iv": "winter"}.items() <= sent["ITEM"].items()
    assert {"ec": "Action Tracking", "ea": "basket", "el": "ski", "ev": 2}.items() <= sent["EVENT"].items()
    assert flagship.ledger.consents("u") == [True]


def test_hits_that_lack_something_are_refused(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-92 to FS-99, 3.5; ready)"""
    client = open_flagship()
    visitor = client.visitor("u")
    for hit in (Screen(""), Page("home"), Page(""), Transaction("", "a"), Transaction("t", ""), Item("t", "", "c"),
                Item("t", "n", ""), Event(Category.ACTION_TRACKING, ""), Event(Category.ACTION_TRACKING, "a", value=-1)):  # fmt: skip
        assert visitor.send(hit) is Status.FLAGSHIP_HIT_INVALID, hit
    for hit in (Screen("a\0b"), Transaction("t", "a", revenue=float("nan")), Event(7, "a")):  # type: ignore[arg-type]
        assert visitor.send(hit) is Status.ARGUMENT, hit
    for wrong in (Hit(), "home"):
        with pytest.raises(TypeError):
            visitor.send(wrong)  # type: ignore[arg-type]
    assert client.flush(5)
    assert [item for item in flagship.ledger.hits() if item.get("ea") != "fs_consent"] == []


def test_money_and_numbers_are_checked(open_flagship: Opener, caplog: pytest.LogCaptureFixture) -> None:
    """(FS-95, FS-97; ready)"""
    visitor = open_flagship(logger=logging.getLogger("flags")).visitor("u")
    for currency in ("EURO", "eur", "E1R", "€", ""):
        assert visitor.send(Transaction("t", "a", currency=currency)) is Status.FLAGSHIP_HIT_INVALID, currency
    assert until(lambda: "the currency of a hit of kind transaction must be three capital letters" in caplog.text)
    assert visitor.send(Item("t", "n", "c", quantity=-1)) is Status.FLAGSHIP_HIT_INVALID
    assert until(lambda: "the quantity of a hit of kind item must not be negative" in caplog.text)
    assert visitor.send(Transaction("t", "a", item_count=-1)) is Status.FLAGSHIP_HIT_INVALID
    assert visitor.send(Transaction("t", "a", currency="NOK", item_count=0)) and visitor.send(Item("t", "n", "c", quantity=0))


def test_pages_of_files_are_taken(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-93; ready)"""
    client = open_flagship()
    visitor = client.visitor("u")
    assert visitor.send(Page("file:///usr/share/doc/index.html")) and client.flush(5)
    assert [hit["dl"] for hit in flagship.ledger.hits("PAGEVIEW")] == ["file:///usr/share/doc/index.html"]
    for location in ("file:", "file://", "https:///path", "file:///a b"):
        assert visitor.send(Page(location)) is Status.FLAGSHIP_HIT_INVALID, location


def test_a_full_pool_is_sent_without_waiting(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-14, FS-16, FS-17; ready)"""
    visitor = open_flagship(properties={"hits.pool_max_size": 3, "hits.batch_interval": 3600}).visitor("u")
    assert visitor.send(Screen("one")) and visitor.send(Screen("two"))
    assert flagship.wait_for_hits(3)
    assert flagship.ledger.screens() == {"one": 1, "two": 1}


@pytest.mark.parametrize("strategy", ["continuous_caching", "periodic_caching", "no_batching"])
def test_hits_that_failed_are_sent_again(flagship: FlagshipSimulator, open_flagship: Opener, strategy: str) -> None:
    """(FS-18, FS-19, FS-20, FS-201; failing)"""
    client = open_flagship(properties={"hits.strategy": strategy, "hits.batch_interval": 1})
    flagship.fail("hits", "status", status=503, times=2)
    visitor = client.visitor("u")
    assert visitor.send(Screen("kept"))
    assert flagship.wait_for_hits(2, timeout=15)
    assert flagship.ledger.screens() == {"kept": 1}


def test_without_consent_only_the_refusal_is_sent(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-65, FS-67; no consent)"""
    client = open_flagship(properties={"hits.batch_interval": 3600})
    visitor = client.visitor("u")
    assert visitor.send(Screen("before"))
    assert visitor.set_consent(False)
    assert visitor.send(Screen("after")) is Status.FLAGSHIP_NO_CONSENT
    assert client.flush(5)
    assert flagship.ledger.screens() == {} and flagship.ledger.consents("u") == [True, False]


# ---- Exposures -----------------------------------------------------------------------------------


class Observed:
    """What an observer of exposures was told."""

    def __init__(self) -> None:
        self.news: list[tuple[ExposedVisitor, ExposedFlag]] = []

    def __call__(self, visitor: ExposedVisitor, flag: ExposedFlag) -> None:
        self.news.append((visitor, flag))


@pytest.mark.parametrize("mode", MODES)
def test_reading_a_value_counts_the_visitor(flagship: FlagshipSimulator, open_flagship: Opener, mode: str) -> None:
    """(FS-26, FS-27, FS-28, FS-29, FS-77, FS-79; ready)"""
    told = Observed()
    client = open_flagship(mode)
    client.observe_sdk(exposed=told)
    visitor = client.visitor(STAFF, context=ORDERS)
    assert visitor.fetch(5)
    flag = visitor.flag("welcome")
    assert flag.value("hello", expose=False) == "welcome back" and flag.value("hello") == "welcome back"
    assert until(lambda: len(told.news) == 1)
    who, what = told.news[0]
    assert (who.id, who.anonymous_id, who.context["orders"]) == (STAFF, None, 3)
    assert (what.key, what.value, what.default_value) == ("welcome", "welcome back", "hello")
    assert what.metadata == flag.metadata
    assert who.to_dict() == json.loads(who.to_json()) and set(who.to_dict()) == {"id", "anonymousId", "context"}
    assert set(what.to_dict()) == {"key", "value", "defaultValue", "metadata"} and what.to_json()
    assert flag.expose()
    assert until(lambda: len(told.news) == 2)
    assert "defaultValue" not in told.news[1][1].to_dict()
    assert flagship.ledger.exposures() == {f"{STAFF}/hgrp0welcomenew00001/hvar0welcome00000001": 2}


def test_null_and_other_types_count_too_and_unknown_flags_do_not(
    flagship: FlagshipSimulator, open_flagship: Opener
) -> None:
    """(FS-76, FS-77; ready)"""
    visitor = open_flagship().visitor(STAFF, context=ORDERS)
    assert visitor.fetch(5)
    assert visitor.value("banner", "none") == "none" and visitor.value("maximum_items", "many") == "many"
    assert visitor.value("nothing", 1) == 1
    assert flagship.wait_for_activations(2)
    assert len(flagship.ledger.activations()) == 2


def test_observers_hear_once_the_service_has_it(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-26, 5.4; failing)"""
    told = Observed()
    client = open_flagship()
    client.observe_sdk(exposed=told)
    visitor = client.visitor(STAFF, context=ORDERS)
    assert visitor.fetch(5)
    flagship.fail("activate", "status", status=500)
    assert visitor.flag("welcome").expose()
    assert flagship.journal.wait_until(lambda: len(flagship.requests("activate")) == 1, 5)
    assert told.news == []
    assert visitor.flag("maximum_items").expose()
    assert until(lambda: len(told.news) == 2)


def test_calls_of_the_core_count_and_track_as_the_shared_visitor(
    flagship: FlagshipSimulator, open_flagship: Opener
) -> None:
    """(FS-31, FS-77, FS-98; ready)"""
    client = open_flagship("bucketing")
    client.visitor(STAFF, context=ORDERS).fetch()
    assert client.int("maximum_items") == 42
    assert flagship.wait_for_activations(1)
    assert client.track("basket", value=2, properties={"category": "User Engagement", "label": "ski"})
    assert client.flush(5)
    (event,) = [item for item in flagship.ledger.hits("EVENT", STAFF) if item["ea"] == "basket"]
    assert (event["ec"], event["el"], event["ev"]) == ("User Engagement", "ski", 2)


def test_what_could_not_be_sent_goes_with_the_next_start(
    flagship: FlagshipSimulator, open_flagship: Opener, tmp_path: Path
) -> None:
    """(FS-21, FS-44, FS-101; failing, second client)"""
    stored: dict[str, Any] = {"store": "sqlite", "store.path": str(tmp_path)}
    flagship.fail("hits", "status", status=503, times=None)
    client = open_flagship(properties=stored)
    assert client.visitor("u").send(Screen("kept"))
    client.close(2)
    flagship.faults.clear()
    open_flagship(properties=stored)
    assert flagship.wait_for_hits(2, timeout=15)
    assert flagship.ledger.screens() == {"kept": 1}
