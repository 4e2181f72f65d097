"""An Optimizely client's life against strict services: starts, polls, events."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from optimizely import OptimizelySimulator, sample_datafile
from waiting import until

import hoist
from hoist import Status, optimizely

Opener = Callable[..., optimizely.Client]
CARLA = {"targetingKey": "carla", "country": "de", "age": 30, "member": True}


@pytest.fixture
def service() -> Iterator[OptimizelySimulator]:
    """Strict services of the test's own, with the sample project."""
    with OptimizelySimulator() as simulator:
        yield simulator
        assert simulator.violations == []


@pytest.fixture
def open_client(service: OptimizelySimulator, tmp_path: Path) -> Iterator[Opener]:
    """Opens clients on one store, and closes them at the end."""
    opened: list[optimizely.Client] = []

    def open_one(headers: Any = None, **properties: Any) -> optimizely.Client:
        settings = {
            "sdk_key": service.sdk_key, "datafile.url": service.datafile_url, "events.url.us": service.events_url,
            "events.url.eu": service.eu_events_url, "store.path": str(tmp_path), "autostart": False,
        }  # fmt: skip
        client = optimizely.Client({**settings, **properties}, headers=headers)
        opened.append(client)
        return client

    yield open_one
    for client in opened:
        client.close(5)


def text(**changes: Any) -> str:
    return json.dumps(sample_datafile(**changes))


def test_a_start_downloads_and_the_next_run_has_it(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-25, OPT-26, OPT-27, OPT-50; before start, starting)"""
    client = open_client()
    assert client.revision is None and client.bool("checkout_flow", CARLA, False) is False
    client.start(5)
    assert client.datafile_origin == "network"
    assert json.loads(client.datafile or b"") == json.loads(client.saved_datafile or b"")
    client.close(5)
    again = open_client()
    again.start(5)  # not modified
    assert (again.datafile_origin, again.revision) == ("saved", client_revision(service))
    assert [answer for answer in statuses(service)] == [200, 304]


def client_revision(service: OptimizelySimulator) -> str:
    return str(sample_datafile()["revision"])


def statuses(service: OptimizelySimulator) -> list[int]:
    return [request.status for request in service.requests("datafile")]


def test_a_given_datafile_serves_without_network(open_client: Opener) -> None:
    """(OPT-22, OPT-43, OPT-53, OPT-54; offline)"""
    client = open_client(online=False, autostart=True, datafile=text())
    assert client.string("checkout_flow", CARLA, "none") == "short"
    assert client.datafile_origin == "given"


def test_s1_serves_the_new_datafile_at_the_next_start(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-31; ready)"""
    service.publish(sample_datafile(revision="77"))
    client = open_client()
    client.start_with_datafile(text(revision="76"))
    assert until(lambda: len(service.requests("datafile")) == 1 and client.has_saved_datafile)
    assert client.revision == "76"
    client.start_with_datafile()
    assert (client.revision, client.datafile_origin) == ("77", "saved")


def test_s2_serves_it_at_once(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-32; ready)"""
    service.publish(sample_datafile(revision="77"))
    client = open_client()
    client.start_with_datafile(text(revision="76"), update=True)
    assert until(lambda: client.revision == "77")
    assert client.datafile_origin == "network"


def test_a2_polls(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-35, OPT-40, OPT-41; ready)"""
    client = open_client(polling_interval=1, min_polling_interval=1)
    changes: list[Any] = []
    client.observe_notifications(optimizely.NotificationKind.DATAFILE_CHANGE, lambda news: changes.append(news))
    client.start(5)
    service.publish(sample_datafile(revision="99"))
    assert until(lambda: client.revision == "99" and len(changes) == 1)


def test_a_refused_key_is_told_without_the_key(open_client: Opener) -> None:
    """(OPT-49, section 9 of the protocol, G7; refused)"""
    client = open_client(sdk_key="not-a-key-of-anybody")
    with pytest.raises(hoist.Error) as refused:
        client.start(5)
    assert refused.value.status is Status.OPTIMIZELY_DATAFILE_REFUSED
    assert "/datafiles/***.json" in str(refused.value) and "403" in str(refused.value)
    assert "not-a-key-of-anybody" not in str(refused.value)


def test_a_secured_environment(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-100; starting)"""
    service.publish(sample_datafile(), sdk_key="secured", token="t0ken")
    client = open_client(**{"sdk_key": "secured", "datafile.url": service.secured_url, "datafile.access_token": "t0ken"})
    client.start(5)
    assert client.datafile_origin == "network"


@pytest.mark.parametrize("kind", ["drop", "truncate"])
def test_a_broken_answer_is_asked_for_again(service: OptimizelySimulator, open_client: Opener, kind: str) -> None:
    service.fail("datafile", kind, times=2)
    client = open_client()
    client.start(10)
    assert client.datafile_origin == "network"


def test_saved_datafiles(open_client: Opener) -> None:
    client = open_client(online=False)
    assert not client.has_saved_datafile and client.saved_datafile is None
    with pytest.raises(hoist.Error) as refused:
        client.save_datafile("{}")
    assert refused.value.status is Status.OPTIMIZELY_DATAFILE_INVALID
    client.save_datafile(text(revision="5"))
    assert client.has_saved_datafile
    client.start()
    assert (client.revision, client.datafile_origin) == ("5", "saved")
    assert client.remove_saved_datafile() is Status.OK
    assert not client.has_saved_datafile


def test_a_store_that_cannot_be_used_saves_no_datafile(open_client: Opener, tmp_path: Path) -> None:
    """State: the folder of the store is a file. What is in memory only is not there in the next run."""
    (tmp_path / "file").touch()
    client = open_client(online=False, **{"store.path": str(tmp_path / "file")})
    client.save_datafile(text(revision="5"))
    assert not client.has_saved_datafile and client.saved_datafile is None


def test_a_store_in_memory_saves_a_datafile_for_this_client(open_client: Opener) -> None:
    """State: `store` is memory. The next start of this client finds it, and no other client (closed, reopened, second client)."""
    client = open_client(online=False, store="memory")
    client.save_datafile(text(revision="5"))
    assert client.has_saved_datafile
    client.close(10)
    client.reopen()
    client.start()
    assert (client.revision, client.datafile_origin) == ("5", "saved")
    assert not open_client(online=False, store="memory").has_saved_datafile


def test_downloads_complete(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-39; before start)"""
    client = open_client()
    ended = threading.Event()
    told: list[Status] = []
    assert client.download_datafile(lambda status: (told.append(status), ended.set()))
    assert ended.wait(10) and told == [Status.OK]
    assert client.has_saved_datafile and client.revision is None
    service.fail("datafile", "status", status=404)
    client.remove_saved_datafile()
    ended.clear()
    assert client.download_datafile(lambda status: (told.append(status), ended.set()))
    assert ended.wait(10) and told[1] is Status.OPTIMIZELY_DATAFILE_REFUSED


def test_evaluations_and_tracks_of_the_core_are_events(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-63, OPT-72; ready)"""
    client = open_client()
    client.start(5)
    assert client.string("checkout_flow", CARLA, "none") == "short"
    assert client.track("purchase", CARLA, value=12.5, properties={"revenue": 4200, "size": "L"})
    assert client.track("no such event", CARLA) is Status.OPTIMIZELY_EVENT_KEY_INVALID
    assert client.flush(5)
    assert service.wait_for_events(2)
    assert service.ledger.impressions() == {"checkout_flow/checkout_test/short": 1}
    assert service.ledger.conversions()["purchase"]["count"] == 1


def test_events_bring_the_headers_of_the_host(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-63; ready)"""
    service.options.change(event_header="x-token")
    client = open_client(headers=lambda url: {"X-Token": "fresh"}, **{"events.batch_size": 1})
    client.start(5)
    assert client.track("purchase", CARLA)
    assert service.wait_for_events(1)


def test_events_are_tried_again_and_arrive_once(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-98; failing)"""
    service.fail("events-us", "status", status=503, times=2)
    client = open_client(**{"events.batch_size": 1})
    client.start(5)
    assert client.track("purchase", CARLA)
    assert service.wait_for_events(1)
    assert set(service.ledger.uuids().values()) == {1}


def test_what_could_not_be_sent_is_sent_by_the_next_run(service: OptimizelySimulator, open_client: Opener) -> None:
    """(OPT-72; offline)"""
    client = open_client(**{"events.durability": "immediate"})
    client.start(5)
    client.online = False
    for _ in range(25):
        assert client.track("purchase", CARLA)
    client.close(5)
    assert service.ledger.events() == []
    heir = open_client()
    heir.start(5)
    assert until(lambda: (heir.flush(5), len(service.ledger.uuids()) == 25)[1])
    assert set(service.ledger.uuids().values()) == {1}


def test_a_closed_client_answers_with_fallbacks(open_client: Opener) -> None:
    """(OPT-45; closed)"""
    client = open_client(online=False, autostart=True, datafile=text())
    assert client.close(5)
    assert client.string("checkout_flow", CARLA, "none") == "none"
    assert client.revision is None and client.datafile_origin == ""
    with pytest.raises(hoist.Error) as refused:
        client.start(1)
    assert refused.value.status is Status.STATE
    assert client.track("purchase", CARLA) is Status.STATE
