"""The life of Kameleoon clients through the face: readiness, configurations, the stream, what is kept, sites."""

from __future__ import annotations

import asyncio
import plistlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kameleoon import KameleoonSimulator, sample_configuration
from kameleoon_clients import LATER, Opener, reach
from waiting import until

import hoist
from hoist import kameleoon as face
from hoist.kameleoon import CustomData, Request, RequestEnd, RequestKind, UpdateSource
from hoist.plugins import LogLevel


def without_rules(key: str, **more: Any) -> dict[str, Any]:
    """A later configuration whose flag has no rules."""
    document = sample_configuration(dateModified=LATER, **more)
    next(flag for flag in document["featureFlags"] if flag["featureKey"] == key)["rules"] = []
    return document


class Told:
    """What was told, in order, and waiting for it."""

    def __init__(self) -> None:
        self.found: list[Any] = []
        self._arrived = threading.Semaphore(0)

    def __call__(self, *found: Any) -> None:
        self.found.append(found[0] if len(found) == 1 else found)  # in the order of the calls
        self._arrived.release()

    def wait(self, count: int = 1) -> bool:
        return all(self._arrived.acquire(timeout=10) for _ in range(count))


# ---- Readiness -----------------------------------------------------------------------------------


def test_who_waits_for_readiness_is_told_once(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-17, KAM-18; starting)"""
    kameleoon.fail("configuration", "hang", then="answer")
    client = open_kameleoon(ready=False)
    told = Told()
    assert client.run_when_ready(told, 20) and not client.is_ready
    assert kameleoon.wait_for_held() and told.found == []
    kameleoon.release()
    assert told.wait() and told.found == [True] and client.is_ready
    assert client.run_when_ready(told, 0) and told.wait()
    assert told.found == [True, True]


def test_a_time_that_is_over_is_told_once(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-18, KAM-19; starting)"""
    kameleoon.fail("configuration", "hang", then="answer")
    client, told = open_kameleoon(ready=False), Told()
    assert client.run_when_ready(told, 0.05) and told.wait()
    kameleoon.release()
    assert client.wait_ready(10) and client.is_ready
    assert told.found == [False]


def test_a_client_that_closes_is_not_ready_any_more(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    kameleoon.fail("configuration", "hang")
    client, told = open_kameleoon(ready=False), Told()
    assert client.run_when_ready(told, 60)
    client.close(2)
    assert told.wait() and told.found == [False]
    assert client.run_when_ready(told, 1) is hoist.Status.STATE
    assert client.visitor is not None and not client.is_ready


@pytest.mark.parametrize("fails_fast", [True, False])
def test_a_wait_ends_with_the_first_failure_where_that_is_wanted(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener, fails_fast: bool
) -> None:
    """NETWORK before the time is over, or TIMEOUT when it is (KAM-B26; starting, failing)."""
    kameleoon.fail("configuration", "status", status=500, times=None)
    limit = 30 if fails_fast else 0.3
    expected = hoist.Status.NETWORK if fails_fast else hoist.Status.TIMEOUT
    properties = {"ready.fails_fast": fails_fast}
    assert open_kameleoon(ready=False, properties=properties).wait_ready(limit) is expected
    assert asyncio.run(open_kameleoon(ready=False, properties=properties).ready(limit)) is expected


def test_who_waits_in_asyncio_hears_of_readiness_and_of_the_end(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener
) -> None:
    """(KAM-18, KAM-B04; ready, starting, closing, closed)"""
    assert asyncio.run(open_kameleoon(ready=False).ready(10)) is hoist.Status.OK
    kameleoon.fail("configuration", "hang")
    client = open_kameleoon(ready=False)
    assert asyncio.run(client.ready(0)) is hoist.Status.TIMEOUT

    async def closed_meanwhile() -> hoist.Status:
        waiting = asyncio.ensure_future(client.ready(30))
        await asyncio.sleep(0)  # it has asked
        await asyncio.to_thread(client.close, 2)
        return await waiting

    assert asyncio.run(closed_meanwhile()) is hoist.Status.CANCELLED
    assert asyncio.run(client.ready(1)) is hoist.Status.CANCELLED and client.wait_ready(1) is hoist.Status.CANCELLED


# ---- Configurations ------------------------------------------------------------------------------


def test_a_configuration_is_polled_and_compared_by_its_date(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener
) -> None:
    """(KAM-16, KAM-B09, KAM-B23; ready, failing)"""
    client, told = open_kameleoon(), Told()
    client.observe_service(datafile_updated=told)
    visitor = client.visitor("carla")
    visitor.add_data(CustomData(0, "gold"), track=False)
    assert visitor.is_feature_active("loyal", track=False)
    assert client.refresh() and kameleoon.wait_for("configuration", 2, answered=True)
    kameleoon.publish(without_rules("loyal"))
    kameleoon.fail("configuration", "status", status=500, times=2)
    # A refresh while another one is under way is that one.
    assert until(lambda: client.refresh() and kameleoon.journal.count("configuration") >= 4)
    assert visitor.is_feature_active("loyal", track=False)
    assert until(lambda: client.refresh() and (UpdateSource.POLLING, LATER) in told.found)
    assert not visitor.is_feature_active("loyal", track=False)
    statuses = kameleoon.journal.counts()["statuses"]["configuration"]
    assert (statuses["200"], statuses["500"]) == (2, 2) and statuses["304"] >= 1


def test_a_real_time_event_brings_a_configuration(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-20, KAM-43; ready)"""
    kameleoon.publish(sample_configuration(real_time=True))
    client, updated, files = open_kameleoon(), Told(), Told()
    client.observe_service(configuration_updated=updated, datafile_updated=files)
    assert kameleoon.wait_for_streams(1)
    kameleoon.announce()
    assert kameleoon.wait_for("configuration", 2, answered=True)
    kameleoon.publish(without_rules("loyal", real_time=True), announce=True)
    assert updated.wait() and until(lambda: (UpdateSource.STREAMING, LATER) in files.found)
    assert updated.found == [()]
    kameleoon.publish(sample_configuration(dateModified=LATER + 1), announce=True)
    assert updated.wait() and kameleoon.wait_for_streams(0)


def test_a_stream_that_breaks_is_opened_again(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """Three seconds later, and not sooner (KAM-77; failing)"""
    kameleoon.publish(sample_configuration(real_time=True))
    open_kameleoon()
    assert kameleoon.wait_for_streams(1)
    kameleoon.restart_stream()
    assert kameleoon.wait_for("stream", 2, timeout=20)
    first, second = kameleoon.requests("stream")
    assert 2.5 < second.at - first.at < 15


def test_a_configuration_that_was_stored_or_given_serves_at_once(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener, tmp_path: Path
) -> None:
    """(KAM-76, KAM-B11; failing)"""
    client = open_kameleoon(properties={"store": "sqlite", "store.path": str(tmp_path)})
    client.close(5)
    kameleoon.fail("any", "status", status=503, times=None)
    again = open_kameleoon(properties={"store": "sqlite", "store.path": str(tmp_path)})
    assert again.feature_list[0] == "checkout"
    given = sample_configuration(featureFlags=[])
    assert open_kameleoon(default_datafile=given).feature_list == []


def test_what_is_kept_of_a_visitor_serves_the_next_run(
    kameleoon: KameleoonSimulator, open_kameleoon: Opener, tmp_path: Path
) -> None:
    """(KAM-12, KAM-56, KAM-70; ready)"""
    kept = {"store": "sqlite", "store.path": str(tmp_path)}
    client = open_kameleoon(properties=kept)
    own = client.visitor().code
    visitor = client.visitor("carla")
    visitor.add_data(CustomData(0, "gold"), CustomData("uid", "user-1"))
    visitor.set_legal_consent(False)
    client.close(5)
    again = open_kameleoon(properties=kept)
    assert again.visitor().code == own and len(own) == 16
    visitor = again.visitor("carla")
    assert visitor.is_feature_active("loyal", track=False) and visitor.legal_consent is face.Consent.REFUSED
    assert again.visitor("user-1").variation("checkout", track=False) == visitor.variation("checkout", track=False)


# ---- Being told ----------------------------------------------------------------------------------


def test_requests_are_told_of(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-B23; ready, failing)"""
    kameleoon.site.store("carla", 1)
    client, told = open_kameleoon(), Told()
    observer = client.observe_service(request_ended=told)
    visitor = client.visitor("carla")
    kameleoon.fail("visitor-data", "status", status=500)
    with pytest.raises(hoist.Error):
        visitor.remote_visitor_data()
    visitor.remote_data()
    assert client.refresh() and told.wait(3)
    found: list[Request] = told.found
    assert [(one.kind, one.end, one.status) for one in found] == [
        (RequestKind.REMOTE_VISITOR_DATA, RequestEnd.REFUSED, 500),
        (RequestKind.REMOTE_DATA, RequestEnd.SUCCEEDED, 200),
        (RequestKind.DATAFILE, RequestEnd.SUCCEEDED, 304)]  # fmt: skip
    assert all(0 <= one.duration < 10 for one in found)
    assert observer.cancel() and not observer.cancel()
    assert client.refresh() and kameleoon.wait_for("configuration", 3, answered=True)
    with pytest.raises(hoist.Error):
        client.observe_service()


def test_the_log_level(open_kameleoon: Opener) -> None:
    """(KAM-71; ready)"""
    client = open_kameleoon()
    assert client.log_level is LogLevel.WARNING
    client.log_level = LogLevel.DEBUG
    assert client.log_level is LogLevel.DEBUG
    with pytest.raises(hoist.Error):
        client.log_level = 9  # type: ignore[assignment]


# ---- Configuration files, sites of the process ---------------------------------------------------


def test_properties_come_from_files(kameleoon: KameleoonSimulator, open_kameleoon: Opener, tmp_path: Path) -> None:
    """(KAM-01; before start, ready)"""
    file = tmp_path / "site.plist"
    file.write_bytes(plistlib.dumps({"environment": "staging", "refresh_interval_minute": 7}))
    kameleoon.site.publish({"featureFlags": []}, "staging")
    assert open_kameleoon(config_file=file).feature_list == []
    assert open_kameleoon(config_file=file, environment="production").feature_list[0] == "checkout"
    file.write_bytes(plistlib.dumps({"nonsense": 1}))
    for path, status in ((file, hoist.Status.CONFIG), (tmp_path / "missing", hoist.Status.IO)):
        with pytest.raises(hoist.Error) as refused:
            open_kameleoon(config_file=path)
        assert refused.value.status is status


@pytest.fixture
def forgetting(kameleoon: KameleoonSimulator) -> Callable[..., face.Visitor]:
    def create(code: str | None, **more: Any) -> face.Visitor:
        properties = {**reach(kameleoon), "store": "none", **more}
        return face.create(properties.pop("site_code"), code, properties)

    return create


def test_sites_of_the_process(kameleoon: KameleoonSimulator, forgetting: Callable[..., face.Visitor]) -> None:
    """(KAM-09, KAM-14, KAM-B28; ready, closed)"""
    anna, ben = forgetting("anna"), forgetting("ben", refresh_interval_minute=5)
    assert anna.client is ben.client is not None and (anna.code, ben.code) == ("anna", "ben")
    assert anna.client.wait_ready(10) and anna.variation("limits", track=False).key == "standard"
    assert kameleoon.journal.count("configuration") == 1
    assert face.forget(kameleoon.site_code, timeout=5)
    assert face.forget(kameleoon.site_code) is hoist.Status.NOT_FOUND
    with pytest.raises(hoist.Error) as gone:
        anna.variation("limits")
    assert gone.value.status is hoist.Status.KAMELEOON_SDK_NOT_READY
    again = forgetting("anna")
    assert again.client is not None and again.client.wait_ready(10)
    assert face.forget(kameleoon.site_code, timeout=5)


@pytest.mark.parametrize(("site", "code", "status"), [
    ("", "anna", hoist.Status.KAMELEOON_SITE_CODE_IS_EMPTY), ("s", "", hoist.Status.KAMELEOON_VISITOR_CODE_INVALID),
    ("s", "c" * 256, hoist.Status.KAMELEOON_VISITOR_CODE_INVALID)])
def test_what_names_nobody_is_refused(site: str, code: str, status: hoist.Status) -> None:
    """(KAM-10, KAM-11, KAM-73; before start)"""
    with pytest.raises(hoist.Error) as refused:
        face.create(site, code, {"online": False, "store": "none"})
    assert refused.value.status is status


def test_the_network_may_be_switched_off(kameleoon: KameleoonSimulator, open_kameleoon: Opener) -> None:
    """(KAM-77; offline)"""
    kameleoon.publish(sample_configuration(real_time=True))
    client = open_kameleoon()
    assert kameleoon.wait_for_streams(1)
    client.online = False
    assert kameleoon.wait_for_streams(0)
    visitor = client.visitor("carla")
    visitor.track_conversion(7)
    client.online = True
    assert kameleoon.wait_for_streams(1, timeout=20) and client.flush(10)
    assert until(lambda: len(kameleoon.ledger.lines("conversion")) == 1)
    assert face.version() == f"hoist {hoist.__version__}"
