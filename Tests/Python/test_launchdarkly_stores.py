"""Stores of rules and of big segments that are written in Python, for LaunchDarkly's mode server."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from launchdarkly_server import LaunchDarklyServerSimulator
from waiting import until

import hoist
from hoist import State, Status, launchdarkly
from hoist.launchdarkly import BigSegmentStore, ItemKind, RulesStore, StoredItem, StoreStatus

SERVER: dict[str, Any] = {"mode": "server", "store": "none", "log.level": "none"}
DAEMON: dict[str, Any] = {**SERVER, "daemon_mode": True, "rules_cache_ms": 0}


def flag(key: str, version: int = 1, **more: Any) -> str:
    usual = {"variations": ["off", "on"], "offVariation": 0, "on": True, "fallthrough": {"variation": 1}}
    return json.dumps({"key": key, "version": version, **usual, **more})


IN_BIG = flag("f", rules=[{"variation": 0, "clauses": [{"attribute": "", "op": "segmentMatch", "values": ["big"]}]}])
BIG = json.dumps({"key": "big", "version": 1, "unbounded": True, "generation": 2})


class Memory(RulesStore):
    """A store that several clients may share."""

    def __init__(self, **flags: str) -> None:
        self.lock = threading.Lock()
        self.items: dict[tuple[ItemKind, str], str] = {(ItemKind.FLAG, key): text for key, text in flags.items()}
        self.is_filled = False
        self.fails = False

    def _work(self) -> None:
        if self.fails:
            raise OSError("the store is away")

    def init(self, items: Sequence[StoredItem]) -> None:
        self._work()
        with self.lock:
            self.items = {(item.kind, item.key): item.json for item in items}
            self.is_filled = True

    def all(self, kind: ItemKind) -> Mapping[str, str]:
        self._work()
        with self.lock:
            return {key: text for (known, key), text in self.items.items() if known == kind}

    def upsert(self, item: StoredItem) -> str | None:
        self._work()
        with self.lock:
            kept = self.items.get((item.kind, item.key))
            if kept is not None and json.loads(kept)["version"] >= item.version:
                return kept
            self.items[item.kind, item.key] = item.json
            return None

    def initialized(self) -> bool:
        self._work()
        return self.is_filled


class Members(BigSegmentStore):
    def __init__(self) -> None:
        self.date: int | None = None
        self.fails = False

    def metadata(self) -> int | None:
        return self.date

    def memberships(self, context_hash: str) -> Mapping[str, bool] | None:
        if self.fails:
            raise OSError("the store is away")
        return {"big.g2": True} if context_hash == "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0=" else None


def test_daemon_mode_takes_rules_from_the_store_alone() -> None:
    """What another program writes is seen (LDS-66, LDS-65; ready)."""
    store = Memory(f=flag("f"))
    with launchdarkly.Client(DAEMON, rules_store=store) as client:
        assert client.wait_ready(20) is Status.OK
        assert client.is_initialized
        assert client.string("f", {"targetingKey": "x"}, "") == "on"
        with store.lock:
            store.items[ItemKind.FLAG, "g"] = flag("g")
        assert until(lambda: client.string("g", {"targetingKey": "x"}, "") == "on")


def test_a_store_that_raises_is_tried_again() -> None:
    """Its status is told, and what was there serves on (LDS-64, LDS-66; failing)."""
    store, told = Memory(f=flag("f")), list[StoreStatus]()
    with launchdarkly.Client(DAEMON, rules_store=store) as client:
        assert client.wait_ready(20) is Status.OK
        client.observe_store_status(told.append)
        store.fails = True
        assert until(lambda: told == [StoreStatus(False, False)])
        assert client.state is State.STALE and client.string("f", {"targetingKey": "x"}, "") == "on"
        store.fails = False
        assert until(lambda: client.state is State.READY)
        assert client.store_status == StoreStatus(True, False)
        assert until(lambda: told[-1] == StoreStatus(True, False))


def test_rules_of_the_service_are_shared() -> None:
    """A second client decides by them without the service (LDS-65, LDS-66; ready, second client)."""
    store = Memory()
    with LaunchDarklyServerSimulator() as rules:
        service = {"mobile_key": rules.sdk_key, "base_url": rules.url, "stream_url": rules.url, "events_url": rules.url}
        with launchdarkly.Client({**SERVER, **service, "diagnostic_opt_out": True}, rules_store=store) as client:
            assert client.wait_ready(20) is Status.OK
            assert until(lambda: store.is_filled)
            with launchdarkly.Client(DAEMON, rules_store=store) as other:
                assert other.wait_ready(20) is Status.OK
                anna = {"targetingKey": "anna", "plan": "pro"}
                assert other.float("page-size", anna, 0.0) == client.float("page-size", anna, 0.0) == 25.0
                rules.set_flag("dark-mode", on=False)
                assert until(lambda: other.bool("dark-mode", anna, True) is False)
        assert rules.violations == []


def test_big_segments_are_asked_for() -> None:
    """Membership by the hash of the key; a store that raises decides nothing (LDS-28, LDS-63; ready, failing)."""
    store, members, told = Memory(f=IN_BIG), Members(), list[StoreStatus]()
    store.items[ItemKind.SEGMENT, "big"] = BIG
    config = hoist.Config("launchdarkly", {**DAEMON, "big_segments_context_cache_ms": 0, "big_segments_status_poll_ms": 10})
    launchdarkly.set_store(config, store)
    launchdarkly.set_big_segments(config, members)
    with launchdarkly.Client(config) as client:
        assert client.wait_ready(20) is Status.OK
        assert [client.string("f", {"targetingKey": who}, "") for who in ("user-key", "other")] == ["off", "on"]
        assert client.big_segments_status == StoreStatus(True, True)
        client.observe_big_segments_status(told.append)
        members.date = 1 << 60
        assert until(lambda: told == [StoreStatus(True, False)])
        members.fails = True
        assert client.string("f", {"targetingKey": "user-key"}, "") == "on"


def test_what_is_no_store_is_refused() -> None:
    """(LDS-01; before start)"""
    config = hoist.Config("launchdarkly", SERVER)
    with pytest.raises(TypeError, match="RulesStore"):
        launchdarkly.set_store(config, Members())  # type: ignore[arg-type]
    launchdarkly.set_store(config, Memory())
    with pytest.raises(hoist.Error, match="already"):
        launchdarkly.set_store(config, Memory())
