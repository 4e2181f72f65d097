"""Big segments: the harness is their store."""

from __future__ import annotations

import time
from typing import Any

import pytest
from conftest import Create
from harness import Callback, Told
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, BOB, CARL, flag, user
from waiting import until

Rules = LaunchDarklyServerSimulator
HASH = "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0="
WHO = user("user-key")


class Store(Callback):
    """What it says may change while it serves."""

    def __init__(self) -> None:
        self.age_ms, self.values, self.status = 0, None, {"/getMetadata": 200, "/getMembership": 200}
        self.values: dict[str, bool] | None
        super().__init__(self._answer)

    def _answer(self, told: Told) -> tuple[int, Any]:
        if self.status.get(told.path, 200) != 200:
            return self.status[told.path], None
        if told.path == "/getMetadata":
            assert told.data == b""
            return 200, {"lastUpToDate": int(time.time() * 1000) - self.age_ms}
        return 200, {} if self.values is None else {"values": self.values}

    def asked(self, what: str) -> list[Told]:
        return [told for told in self.noted if told.path == f"/{what}"]


def segment(**more: Any) -> dict[str, Any]:
    return {"unbounded": True, "generation": 2, "included": [], "excluded": [], "rules": [], "salt": "s", **more}


def asking(rules: Rules, *segments: str) -> None:
    rules.set_flag("big", **flag(variations=[True, False], fallthrough={"variation": 1}, rules=[
        {"id": f"r-{key}", "variation": 0, "clauses": [{"attribute": "", "op": "segmentMatch", "values": [key], "negate": False}]}
        for key in segments]))  # fmt: skip


def decided(client: Any, context: Any = WHO) -> tuple[bool, str | None]:
    found = client.detail("big", "bool", False, context)
    return found["value"], found["reason"].get("bigSegmentsStatus")


@pytest.mark.parametrize(("values", "expected"), [({"s.g2": True}, True), ({"s.g2": False}, False), ({}, True), (None, True),
                                                  ({"s.g1": False}, True)])  # fmt: skip
def test_memberships_decide_before_rules(rules: Rules, serve: Create, values: Any, expected: bool) -> None:
    """The hash is of the key; what is unknown is left to the segment's rules (LDS-28; ready)."""
    everyone = [{"id": "all", "clauses": [{"attribute": "key", "op": "in", "values": ["user-key"], "negate": False}]}]
    rules.set_segment("s", **segment(rules=everyone))
    asking(rules, "s")
    with Store() as store:
        store.values = values
        client = serve(bigSegments={"callbackUri": store.base})
        assert decided(client) == (expected, "HEALTHY")
        assert [told.body for told in store.asked("getMembership")] == [{"contextHash": HASH}]
        client.close()
        assert store.noted[-1].method == "DELETE"


def test_one_evaluation_asks_once_for_each_key(rules: Rules, serve: Create) -> None:
    """In the order of the segments (LDS-28; ready)."""
    for name, kind in (("one", "user"), ("two", "org"), ("three", "user")):
        rules.set_segment(name, **segment(unboundedContextKind=kind))
    asking(rules, "one", "two", "three")
    with Store() as store:
        client = serve(bigSegments={"callbackUri": store.base})
        both = {"kind": "multi", "user": {"key": "user-key"}, "org": {"key": "org-key"}}
        assert decided(client, both) == (False, "HEALTHY")
        asked = store.asked("getMembership")
        assert len(asked) == 2 and asked[0].body == {"contextHash": HASH}


def test_what_is_known_is_asked_again_after_its_time(rules: Rules, serve: Create) -> None:
    """(LDS-28; ready)"""
    rules.set_segment("s", **segment())
    asking(rules, "s")
    with Store() as store:
        store.values = {"s.g2": True}
        short = serve(bigSegments={"callbackUri": store.base, "userCacheTimeMs": 10})
        assert decided(short) == (True, "HEALTHY")
        store.values = {"s.g2": False}
        assert until(lambda: decided(short) == (False, "HEALTHY"))
        long = serve(bigSegments={"callbackUri": store.base, "userCacheTimeMs": 3_600_000})
        assert [decided(long) for _ in range(3)] == [(False, "HEALTHY")] * 3
        before = len(store.asked("getMembership"))
        assert decided(long) == (False, "HEALTHY") and len(store.asked("getMembership")) == before


def test_those_used_last_are_known(rules: Rules, serve: Create) -> None:
    """(LDS-28; ready)"""
    rules.set_segment("s", **segment())
    asking(rules, "s")
    with Store() as store:
        client = serve(bigSegments={"callbackUri": store.base, "userCacheSize": 2, "userCacheTimeMs": 3_600_000})
        asked = []
        for who in (ANNA, BOB, ANNA, CARL, ANNA, BOB):
            decided(client, who)
            asked.append(len(store.asked("getMembership")))
        assert asked == [1, 2, 2, 3, 3, 4]


def test_the_status_is_polled(rules: Rules, serve: Create) -> None:
    """Available, stale, away, and back (LDS-63; ready, failing)."""
    with Store() as store:
        client = serve(bigSegments={"callbackUri": store.base, "statusPollIntervalMs": 10, "staleAfterMs": 60_000})

        def status() -> Any:
            return client.run("getBigSegmentStoreStatus")

        assert status() == {"available": True, "stale": False}
        store.age_ms = 120_000
        assert until(lambda: status() == {"available": True, "stale": True})
        store.status["/getMetadata"] = 500
        assert until(lambda: status()["available"] is False)
        store.age_ms, store.status["/getMetadata"] = 0, 200
        assert until(lambda: status() == {"available": True, "stale": False})
        assert len(store.asked("getMetadata")) >= 4


def test_evaluations_do_not_poll(rules: Rules, serve: Create) -> None:
    """One poll at first, and then none before its time (LDS-28, LDS-63; ready)."""
    rules.set_segment("s", **segment())
    asking(rules, "s")
    with Store() as store:
        client = serve(bigSegments={"callbackUri": store.base, "statusPollIntervalMs": 3_600_000, "userCacheSize": 1})
        for who in (ANNA, BOB, ANNA, BOB):
            assert decided(client, who) == (False, "HEALTHY")
        assert client.run("getBigSegmentStoreStatus") == {"available": True, "stale": False}
        assert len(store.asked("getMetadata")) == 1


@pytest.mark.parametrize(("age_ms", "status", "expected"), [(0, 500, "STORE_ERROR"), (3_600_000, 200, "STALE")])
def test_reasons_tell_how_the_store_is(rules: Rules, serve: Create, age_ms: int, status: int, expected: str) -> None:
    """(LDS-28, LDS-31; ready, failing)"""
    rules.set_segment("s", **segment())
    asking(rules, "s")
    with Store() as store:
        store.age_ms, store.status["/getMembership"] = age_ms, status
        assert decided(serve(bigSegments={"callbackUri": store.base})) == (False, expected)


def test_without_a_generation_nothing_is_asked(rules: Rules, serve: Create) -> None:
    """Nor without a store (LDS-28, LDS-63; ready)."""
    rules.set_segment("s", **segment(generation=None))
    asking(rules, "s")
    with Store() as store:
        assert decided(serve(bigSegments={"callbackUri": store.base})) == (False, "NOT_CONFIGURED")
        assert store.asked("getMembership") == []
    rules.set_segment("s", **segment())
    client = serve()
    assert decided(client) == (False, "NOT_CONFIGURED")
    assert client.run("getBigSegmentStoreStatus") == {"available": False, "stale": False}
