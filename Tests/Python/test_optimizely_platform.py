"""Optimizely's data platform, visitor id and prediction server, against strict services."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from optimizely import OptimizelySimulator, sample_datafile
from waiting import until

import hoist
from hoist import Status, optimizely
from hoist.optimizely import Option, PlatformManager, SegmentOption

Opener = Callable[..., optimizely.Client]


@pytest.fixture
def service() -> Iterator[OptimizelySimulator]:
    """Strict services of the test's own, with the sample project."""
    with OptimizelySimulator() as simulator:
        yield simulator
        assert simulator.violations == []


@pytest.fixture
def open_client(service: OptimizelySimulator) -> Iterator[Opener]:
    """Opens clients that are ready, and closes them at the end."""
    opened: list[optimizely.Client] = []

    def open_one(**properties: Any) -> optimizely.Client:
        settings = {
            "sdk_key": service.sdk_key, "datafile.url": service.datafile_url, "events.url.us": service.events_url,
            "events.url.eu": service.eu_events_url, "cmab.endpoint": service.prediction_url, "store": "none",
        }  # fmt: skip
        plugins = {name: properties.pop(name) for name in ("platform", "dispatcher") if name in properties}
        client = optimizely.Client({**settings, **properties}, **plugins)
        opened.append(client)
        assert client.wait_ready(5)
        return client

    yield open_one
    for client in opened:
        client.close(2)


# ---- Segments ----------------------------------------------------------------------------------------


def test_segments_decide_after_they_are_fetched(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-67, OPT-74; ready)"""
    client = open_client()
    service.customers.qualify("carla", "newsletter")
    user = client.user("carla")
    assert user.segments is None and not user.is_qualified_for("newsletter")
    assert user.fetch_segments() is Status.OK
    assert user.segments == ["newsletter"] and user.is_qualified_for("newsletter")
    assert not user.is_qualified_for("Newsletter")
    assert client.user("nobody").fetch_segments() is Status.OK


def test_segments_are_kept(service: OptimizelySimulator, open_client: Opener) -> None:
    """The options skip or empty what is kept (OPT-11, OPT-12; ready)"""
    client = open_client()
    user = client.user("carla")
    for _ in range(3):
        assert user.fetch_segments() and user.segments == []
    assert len(service.requests("segments")) == 1
    service.customers.qualify("carla", "newsletter")
    assert user.fetch_segments([SegmentOption.IGNORE_CACHE]) and user.segments == ["newsletter"]
    assert user.fetch_segments() and user.segments == []
    assert user.fetch_segments([SegmentOption.RESET_CACHE]) and user.segments == ["newsletter"]
    assert user.fetch_segments() and user.segments == ["newsletter"]
    assert len(service.requests("segments")) == 3


def test_without_a_cache_each_fetch_asks(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-11; ready)"""
    user = open_client(**{"odp.segments_cache_size": 0}).user("carla")
    assert user.fetch_segments() and user.fetch_segments()
    assert len(service.requests("segments")) == 2


def test_a_failed_fetch_leaves_no_segments(service: OptimizelySimulator, open_client: Opener) -> None:
    """Asked once, no retry (protocol 3.5)"""
    client = open_client()
    user = client.user("carla")
    user.segments = ["newsletter"]
    service.fail("segments", "status", status=503)
    assert user.fetch_segments() is Status.OPTIMIZELY_FETCH_SEGMENTS_FAILED
    assert user.segments is None
    assert len(service.requests("segments")) == 1
    service.fail("segments", "truncate")
    assert user.fetch_segments() is Status.OPTIMIZELY_FETCH_SEGMENTS_FAILED
    service.customers.forget("carla")
    assert user.fetch_segments() is Status.OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER
    user.segments = ["own"]
    assert user.is_qualified_for("own")


def test_the_fetch_has_a_limit(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-13; failing)"""
    client = open_client(**{"odp.segment_fetch_timeout_ms": 300})
    service.fail("segments", "hang")
    assert client.user("carla").fetch_segments(timeout=10) is Status.OPTIMIZELY_FETCH_SEGMENTS_FAILED


def test_segments_for_asyncio(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-67; ready)"""
    service.customers.qualify("carla", "frequent_shoppers")
    client = open_client(dispatch="manual")
    user = client.user("carla")
    assert asyncio.run(user.fetch_segments_async(client)) is Status.OK
    assert user.segments == ["frequent_shoppers"]


def test_disabled_nothing_of_it_runs(service: OptimizelySimulator, open_client: Opener) -> None:
    """The visitor id works all the same (OPT-15, OPT-16, OPT-17; ready)"""
    client = open_client(**{"odp.disable": True, "vuid.enabled": True})
    user = client.user(None)
    assert user.id == client.vuid and user.decide("checkout_flow").variation_key is not None
    assert user.fetch_segments() is Status.OPTIMIZELY_ODP_NOT_ENABLED
    assert client.send_odp_event("bought") is Status.OPTIMIZELY_ODP_NOT_ENABLED
    assert client.flush(5)
    assert service.requests("segments") == [] and service.requests("platform-events") == []


def test_without_an_integration_nothing_is_sent(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-18; ready)"""
    service.publish(sample_datafile(integrations=[]))
    client = open_client(**{"vuid.enabled": True})
    assert client.user("carla").fetch_segments() is Status.OPTIMIZELY_FETCH_SEGMENTS_FAILED
    assert client.send_odp_event("bought") is Status.OPTIMIZELY_ODP_NOT_INTEGRATED
    assert client.flush(5)
    assert service.requests("platform-events") == []


def test_users_outlive_their_client(service: OptimizelySimulator, open_client: Opener) -> None:
    """swift-sdk#508"""
    client = open_client()
    user = client.user("carla")
    client.close(2)
    assert user.fetch_segments() is Status.STATE
    del client
    assert user.segments is None


# ---- Events ------------------------------------------------------------------------------------------


def test_events_reach_the_platform(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-68; ready)"""
    client = open_client()
    data = {"price": 9.5, "count": 2, "gift": True, "note": None, "name": "für"}
    assert client.send_odp_event("bought", {"FS_USER_ID": "carla"}, data, "shop") is Status.OK
    assert client.send_odp_event("viewed", {"email": "a@b"})
    assert service.wait_for_platform_events(2)
    first, second = service.ledger.platform_events()
    assert (first["type"], first["action"], first["identifiers"]) == ("shop", "bought", {"fs_user_id": "carla"})
    assert first["data"].items() >= data.items() and first["data"]["data_source"] == "hoist"
    assert second["type"] == "fullstack"


def test_what_is_no_event_is_refused(open_client: Opener) -> None:
    """In the service's order (OPT-68; ready, closed)"""
    client = open_client()
    assert client.send_odp_event("", {}, {"a": [1]}) is Status.OPTIMIZELY_ODP_INVALID_DATA  # type: ignore[dict-item]
    assert client.send_odp_event("") is Status.OPTIMIZELY_ODP_INVALID_ACTION
    assert client.send_odp_event("a", {"b": 1}) is Status.PARSE  # type: ignore[dict-item]
    client.close(2)
    assert client.send_odp_event("a") is Status.STATE


def test_events_survive_failures_and_a_restart(
    service: OptimizelySimulator, open_client: Opener, tmp_path: Path
) -> None:
    """Three attempts, then they stay (OPT-68, protocol 5.7; failing)"""
    kept = {"store": "sqlite", "store.path": str(tmp_path)}
    service.fail("platform-events", "status", status=503, times=None)
    client = open_client(**kept)
    assert client.send_odp_event("bought", {"email": "a@b"})
    assert until(lambda: len(service.requests("platform-events")) >= 3)
    client.close(2)
    service.reset()
    open_client(**kept)
    assert service.wait_for_platform_events(1)
    assert list(service.ledger.idempotence_ids().values()) == [1]


def test_a_refused_event_does_not_hold_up_the_next(service: OptimizelySimulator, open_client: Opener) -> None:
    """Protocol 3.6: 4xx is for good"""
    client = open_client()
    service.fail("platform-events", "status", status=400)
    assert client.send_odp_event("first", {"email": "a@b"})
    assert until(lambda: client.statistics()["odp"]["rejected"] == 1)
    assert client.send_odp_event("second", {"email": "a@b"})
    assert service.wait_for_platform_events(1)
    assert [event["action"] for event in service.ledger.platform_events()] == ["second"]


# ---- The visitor id ----------------------------------------------------------------------------------


def test_one_visitor_id_for_all_accounts(service: OptimizelySimulator, open_client: Opener, tmp_path: Path) -> None:
    """Kept, shared, told once with each user (OPT-46, OPT-90, OPT-97; second client)"""
    kept = {"store": "sqlite", "store.path": str(tmp_path), "vuid.enabled": True}
    service.publish(sample_datafile(sdkKey="other"), "other")
    first, second = open_client(**kept), open_client(**kept, sdk_key="other")
    assert first.vuid == second.vuid and first.vuid is not None
    assert first.vuid.startswith("vuid_") and len(first.vuid) == 32
    assert (tmp_path / "optimizely-vuid").read_text() == first.vuid
    user = first.user("carla")
    user.copy()
    assert first.user(None).id == first.vuid
    assert service.wait_for_platform_events(3)
    events = service.ledger.platform_events()
    assert [event["action"] for event in events].count("client_initialized") == 2
    told = [event["identifiers"] for event in events if event["action"] == "identified"]
    assert told == [{"vuid": first.vuid, "fs_user_id": "carla"}]


def test_switched_off_the_visitor_id_is_deleted(open_client: Opener, tmp_path: Path) -> None:
    """(OPT-90; ready)"""
    kept = {"store": "sqlite", "store.path": str(tmp_path)}
    client = open_client(**kept, **{"vuid.enabled": True})
    before = client.vuid
    client.close(2)
    client = open_client(**kept, **{"vuid.enabled": False})
    assert client.vuid is None
    with pytest.raises(hoist.Error):
        client.user(None)
    assert until(lambda: not (tmp_path / "optimizely-vuid").exists())
    client.close(2)
    assert open_client(**kept, **{"vuid.enabled": True}).vuid not in (None, before)


# ---- A platform of the host's own --------------------------------------------------------------------


class OwnPlatform(PlatformManager):
    """Remembers what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, frozenset[SegmentOption]]] = []
        self.sent: list[tuple[Any, ...]] = []

    def segments(self, user_id: str, options: frozenset[SegmentOption]) -> list[str]:
        self.asked.append((user_id, options))
        if user_id == "nobody":
            raise hoist.Error(Status.OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER)
        return ["newsletter"]

    def send(self, *event: Any) -> None:
        self.sent.append(event)


def test_a_platform_of_the_hosts_own(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-06, OPT-55; ready)"""
    own = OwnPlatform()
    client = open_client(platform=own, **{"vuid.enabled": True})
    user = client.user("carla")
    assert user.fetch_segments([SegmentOption.RESET_CACHE]) and user.segments == ["newsletter"]
    assert own.asked == [("carla", frozenset([SegmentOption.RESET_CACHE]))]
    assert client.user("nobody").fetch_segments() is Status.OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER
    assert client.send_odp_event("bought", {"email": "a@b"}, {"n": 1})
    vuid = client.vuid
    assert until(lambda: len(own.sent) == 4)
    assert own.sent[0] == ("fullstack", "client_initialized", {"vuid": vuid}, {})
    assert own.sent[1] == ("fullstack", "identified", {"vuid": vuid, "fs_user_id": "carla"}, {})
    assert own.sent[3] == ("fullstack", "bought", {"email": "a@b", "vuid": vuid}, {"n": 1})
    assert service.requests("segments") == [] and service.requests("platform-events") == []


# ---- The prediction server ---------------------------------------------------------------------------


def test_the_server_chooses(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-94; ready)"""
    client = open_client()
    service.choices.choose("9201", "9212")
    user = client.user("anna", {"country": "de", "age": 30})
    assert user.decide("search_ranking").rule_key != "ranking_bandit"
    decision = user.decide_wait(["search_ranking"])["search_ranking"]
    assert (decision.rule_key, decision.variation_key) == ("ranking_bandit", "neural")
    for _ in range(3):
        assert user.decide_wait(["search_ranking"])["search_ranking"].variation_key == "neural"
    assert len(service.requests("predictions")) == 1
    service.choices.choose("9201", "9211")
    again = user.decide_wait(["search_ranking"], [Option.INVALIDATE_USER_CMAB_CACHE])["search_ranking"]
    assert again.variation_key == "classic"
    assert client.flush(5) and len(service.requests("predictions")) == 2


def test_a_server_that_fails_is_asked_once_more(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-94, protocol 3.7; failing)"""
    client = open_client()
    service.choices.choose("9201", "9212")
    user = client.user("anna")
    service.fail("predictions", "status", status=500)
    assert user.decide_wait(["search_ranking"])["search_ranking"].variation_key == "neural"
    assert len(service.requests("predictions")) == 2
    service.fail("predictions", "status", status=500, times=2)
    failed = user.decide_wait(["search_ranking"], [Option.IGNORE_CMAB_CACHE])["search_ranking"]
    assert failed.variation_key is None and failed.rule_key is None and not failed.enabled
    assert len(service.requests("predictions")) == 4


def test_a_server_that_hangs_costs_no_more_than_the_limit(
    service: OptimizelySimulator, open_client: Opener
) -> None:
    """No evaluating thread is blocked (OPT-94; failing)"""
    client = open_client(**{"cmab.timeout_ms": 300})
    service.fail("predictions", "hang", times=2)
    user = client.user("anna")
    outcome: list[Any] = []
    assert user.decide_soon(["search_ranking"], (), lambda *answer: outcome.append(answer))
    assert user.decide("checkout_flow").flag_key == "checkout_flow"
    assert until(lambda: bool(outcome), 20)
    status, decisions = outcome[0]
    assert status is Status.OK and decisions["search_ranking"].variation_key is None
