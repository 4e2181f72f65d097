"""Flagship's caches: the built-in one, and those of the host's."""

from __future__ import annotations

import _thread
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from flagship import FlagshipSimulator
from flagship_clients import FLAGS, MODES, ORDERS, STAFF, Opener
from waiting import quickest, until

from hoist import Status
from hoist.flagship import FetchReason, HitCache, Screen, VisitorCache

EUROPE = {"hgrp0limitseurope001": "hvar0limitson0000001"}


class Visitors(VisitorCache):
    """Visitors in a dict, and what was asked of it."""

    def __init__(self, known: dict[str, Any] | None = None) -> None:
        self.known = known or {}
        self.calls: list[str] = []

    def cache(self, visitor_id: str, record: dict[str, Any]) -> None:
        self.calls.append(f"cache {visitor_id}")
        self.known[visitor_id] = record

    def lookup(self, visitor_id: str) -> Any:
        self.calls.append(f"lookup {visitor_id}")
        return self.known.get(visitor_id)

    def flush(self, visitor_id: str) -> None:
        self.calls.append(f"flush {visitor_id}")
        self.known.pop(visitor_id, None)


class Hits(HitCache):
    """Hits in a dict, and what was asked of it."""

    def __init__(self, known: dict[str, Any] | None = None) -> None:
        self.known = known or {}
        self.calls: list[str] = []

    def cache(self, hits: dict[str, Any]) -> None:
        self.calls.append("cache")
        self.known.update(hits)

    def lookup(self) -> Any:
        self.calls.append("lookup")
        return dict(self.known)

    def flush(self, ids: list[str]) -> None:
        self.calls.append("flush")
        for number in ids:
            self.known.pop(number, None)

    def flush_all(self) -> None:
        self.calls.append("flush all")
        self.known.clear()


@pytest.mark.parametrize("mode", MODES)
def test_a_visitor_begins_with_what_was_cached(open_flagship: Opener, mode: str, tmp_path: Path) -> None:
    """(FS-21, FS-51, FS-100; offline)"""
    stored = {"store": "sqlite", "store.path": str(tmp_path)}
    client = open_flagship(mode, properties=stored)
    assert client.visitor(STAFF, context=ORDERS).fetch(5)
    client.close(2)
    offline = open_flagship(mode, ready=False, properties={**stored, "online": False})
    visitor = offline.visitor(STAFF)
    assert visitor.fetch_reason is FetchReason.FETCHED_FROM_CACHE
    assert {key: flag.value(None, expose=False) for key, flag in visitor.flags.items()} == FLAGS


@pytest.mark.parametrize("mode", MODES)
def test_a_hosts_cache_keeps_visitors(open_flagship: Opener, mode: str) -> None:
    """(FS-22, FS-102, FS-103, FS-104; ready, no consent)"""
    cache = Visitors()
    client = open_flagship(mode, visitor_cache=cache)
    visitor = client.visitor(STAFF, context=ORDERS)
    assert visitor.fetch(5) and until(lambda: STAFF in cache.known)
    record = cache.known[STAFF]
    assert record["version"] == 1 and record["data"]["visitorId"] == STAFF and record["data"]["consent"] is True
    assert EUROPE.items() <= record["data"]["assignationHistory"].items()
    again = client.visitor(STAFF, shared=False)
    assert again.fetch_reason is FetchReason.FETCHED_FROM_CACHE and again.value("maximum_items", 0, expose=False) == 42
    visitor.set_consent(False)
    assert until(lambda: f"flush {STAFF}" in cache.calls) and cache.known == {}


def test_a_cached_assignment_beats_the_allocation(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-100, 4.4; ready)"""
    for variation, colour in (("hvar0checkoutred0002", "red"), ("hvar0checkoutgrn0002", "grün")):
        record = {"version": 1, "data": {"visitorId": "u", "anonymousId": None, "consent": True, "context": {}, "campaigns": [],
                                         "assignationHistory": {"hgrp0checkoutall0001": variation}}}  # fmt: skip
        client = open_flagship("bucketing", visitor_cache=Visitors({"u": record}))
        visitor = client.visitor("u")
        assert visitor.fetch() and visitor.flag("button_colour").metadata.campaign_name
        assert visitor.value("free_shipping", True, expose=False) is False
        assert visitor.flag("free_shipping").metadata.variation_id == variation, colour


class Broken(Visitors):
    def lookup(self, visitor_id: str) -> Any:
        raise OSError("no disk")

    def cache(self, visitor_id: str, record: dict[str, Any]) -> None:
        raise OSError("no disk")


class Garbled(Visitors):
    def lookup(self, visitor_id: str) -> Any:
        return "{no JSON"


class Idle(VisitorCache):
    """Overrides nothing: nothing is kept."""


@pytest.mark.parametrize("cache", [Broken(), Garbled(), Idle()], ids=["raises", "garbage", "idle"])
def test_a_cache_that_fails_is_as_good_as_none(open_flagship: Opener, cache: VisitorCache) -> None:
    """(FS-24, FS-103; ready)"""
    visitor = open_flagship("bucketing", visitor_cache=cache, properties={"visitor_cache.timeout_ms": 2000}).visitor(STAFF)
    assert visitor.fetch_reason is FetchReason.VISITOR_CREATE
    assert visitor.fetch() and visitor.value("maximum_items", 0, expose=False) == 42


def test_a_cache_that_blocks_is_left_to_itself(open_flagship: Opener) -> None:
    """After 200 ms (FS-23, FS-24; slow plug-in)."""
    go_on = threading.Event()

    class Slow(Visitors):
        def lookup(self, visitor_id: str) -> Any:
            go_on.wait(30)

    client = open_flagship("bucketing", visitor_cache=Slow())
    visitors: list[Any] = []
    assert 0.15 < quickest(lambda: visitors.append(client.visitor(STAFF)), enough=1) < 1
    assert visitors[-1].fetch() and visitors[-1].value("maximum_items", 0, expose=False) == 42
    go_on.set()


# ---- Hits ----------------------------------------------------------------------------------------


def test_a_hosts_cache_keeps_hits_until_they_have_arrived(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-19, FS-105, FS-106, FS-107; ready)"""
    cache = Hits()
    client = open_flagship(hit_cache=cache, properties={"hits.batch_interval": 3600})
    assert client.visitor("u").send(Screen("home"))
    assert until(lambda: any(hit["data"]["type"] == "SCREENVIEW" for hit in cache.known.values()))
    number, hit = next((number, hit) for number, hit in cache.known.items() if hit["data"]["type"] == "SCREENVIEW")
    assert number.startswith("u:") and hit["version"] == 1 and hit["data"]["content"]["dl"] == "home"
    assert client.flush(5) and until(lambda: cache.known == {})
    assert cache.calls[0] == "lookup" and cache.calls[-1] == "flush"


def test_periodic_caching_replaces_everything(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-20, FS-108; ready)"""
    cache = Hits()
    client = open_flagship(hit_cache=cache, properties={"hits.strategy": "periodic_caching", "hits.batch_interval": 3600})
    assert client.visitor("u").send(Screen("home"))
    assert until(lambda: cache.known) and client.flush(5)
    assert until(lambda: "flush all" in cache.calls and cache.known == {})


def test_hits_of_an_earlier_run_are_sent_at_once(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-44, FS-106; starting)"""
    content = {"t": "SCREENVIEW", "cid": flagship.environment_id, "ds": "APP", "vid": "u", "dl": "before", "qt": 0}
    data = {"visitorId": "u", "anonymousId": None, "type": "SCREENVIEW", "time": time.time() - 60, "content": content,
            "numberOfBytes": 100}  # fmt: skip
    cache = Hits({"u:1": {"version": 1, "data": data}})
    client = open_flagship(hit_cache=cache, properties={"hits.batch_interval": 3600})
    client.visitor("u")
    assert until(lambda: flagship.ledger.screens() == {"before": 1}) and until(lambda: "u:1" not in cache.known)
    (hit,) = flagship.ledger.hits("SCREENVIEW")
    assert hit["qt"] >= 60_000


class BrokenHits(Hits):
    def cache(self, hits: dict[str, Any]) -> None:
        raise OSError("no disk")

    def lookup(self) -> Any:
        raise OSError("no disk")

    def flush(self, ids: list[str]) -> None:
        raise OSError("no disk")


class GarbledHits(Hits):
    def lookup(self) -> Any:
        return {"u:1": 7, "u:2": {"version": 1}, "u:3": {"version": 99, "data": {}}}


@pytest.mark.parametrize("cache", [BrokenHits(), GarbledHits(), HitCache()], ids=["raises", "garbage", "idle"])
def test_hits_are_sent_whatever_their_cache_does(
    flagship: FlagshipSimulator, open_flagship: Opener, cache: HitCache
) -> None:
    """(FS-24, FS-101; ready)"""
    client = open_flagship(hit_cache=cache)
    stored = Status.UNSAVED if isinstance(cache, BrokenHits) else Status.OK
    assert client.visitor("u").send(Screen("home")) is stored
    assert client.flush(10)
    assert flagship.ledger.screens() == {"home": 1}


def test_a_hit_cache_that_blocks_holds_nothing_up(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """After 200 ms (FS-23, FS-24; slow plug-in)."""
    go_on = threading.Event()

    class Slow(Hits):
        def lookup(self) -> Any:
            self.calls.append("lookup")
            go_on.wait(30)
            return {}

    clients: list[Any] = []

    def cache_one() -> None:
        """What is looked up first never ends."""
        cache = Slow()
        clients.append(open_flagship(hit_cache=cache))
        assert until(lambda: cache.calls) and clients[-1].visitor(f"u{len(clients)}").send(Screen("home"))
        assert until(lambda: "cache" in cache.calls)

    assert 0.15 < quickest(cache_one, enough=1) < 1
    assert clients[-1].flush(10) and flagship.ledger.screens()["home"] >= 1
    go_on.set()


def test_what_is_no_cache_is_refused(open_flagship: Opener) -> None:
    """(FS-22; no client)"""
    for more in ({"visitor_cache": {}}, {"hit_cache": Visitors()}, {"visitor_cache": Visitors}):
        with pytest.raises(TypeError):
            open_flagship(**more)
    with pytest.raises(TypeError):
        open_flagship().observe_sdk(exposed=7)


def test_making_a_visitor_hears_ctrl_c(open_flagship: Opener) -> None:
    """A cache that does not answer is waited for, and Ctrl-C ends that at once (FS-51, contract 5; ready)."""
    asked, answered = threading.Event(), threading.Event()

    class Slow(Visitors):
        def lookup(self, visitor_id: str) -> Any:
            asked.set()
            answered.wait(60)

    client = open_flagship(visitor_cache=Slow(), properties={"visitor_cache.timeout_ms": 60_000})

    def press() -> None:
        assert asked.wait(30)
        _thread.interrupt_main()

    pressing = threading.Thread(target=press)
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        client.visitor("anna")
    assert not answered.is_set()
    answered.set()
    pressing.join()
