"""LaunchDarkly by polling, its cache, and clients that find the service down."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest
from conftest import is_online, reach, start
from launchdarkly import LaunchDarklySimulator, sample_flags
from waiting import until

import hoist
from hoist import Status

Connect = Callable[..., hoist.Client]
POLLING: dict[str, Any] = {"streaming_mode": "polling", "flag_polling_interval_ms": 50}
BEN = json.dumps({"kind": "user", "key": "ben"})


def statuses(service: LaunchDarklySimulator, endpoint: str = "poll") -> list[int | None]:
    return [request.status for request in service.requests(endpoint)]


def unreachable() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_polls_see_changes(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-75; ready)"""
    client = connect(**POLLING)
    assert client.string("banner", None, "") == "Hello"
    launchdarkly.set_flag("banner", value="Hi")
    assert until(lambda: client.string("banner", None, "") == "Hi")
    launchdarkly.delete_flag("banner")
    assert until(lambda: client.string("banner", None, "gone") == "gone")
    assert launchdarkly.wait_for("poll", 10) and 304 in statuses(launchdarkly)
    assert launchdarkly.journal.count("stream") == 0


def test_report_falls_back_to_get(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """2.3: 405, 400 and 501"""
    for status in (405, 400, 501):
        launchdarkly.fail("poll-report", "status", status=status)
    client = connect(use_report=True, **POLLING)
    assert client.bool("dark-mode", None, False) is True
    assert launchdarkly.wait_for("poll-report", 5)
    assert statuses(launchdarkly, "poll-report")[:3] == [405, 400, 501] and len(statuses(launchdarkly)) == 3


@pytest.mark.parametrize("kind", ["garbage", "html", "empty", "truncate", "reset", "status", "bad-chunk", "length"])
def test_bad_answers_leave_the_flags_alone(launchdarkly: LaunchDarklySimulator, connect: Connect, kind: str) -> None:
    client = connect(**POLLING)
    launchdarkly.fail("poll", kind, times=3)
    launchdarkly.set_flag("banner", value="in the end")
    assert until(lambda: client.string("banner", None, "") != "Hello")
    assert client.string("banner", None, "") == "in the end"
    assert client.bool("dark-mode", None, False) is True


def test_401_ends_polling(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect(**POLLING)
    launchdarkly.fail("poll", "status", status=401)
    assert until(lambda: not is_online(client))
    before = launchdarkly.journal.count("poll")
    assert not launchdarkly.journal.wait_until(lambda: launchdarkly.journal.count("poll") > before, 0.3)
    assert client.bool("dark-mode", None, False) is True


@pytest.mark.parametrize("tags", ["quoted", "bare"])
def test_the_tag_outlives_the_process(launchdarkly: LaunchDarklySimulator, connect: Connect, tags: str) -> None:
    """For the same context only; the simulator refuses a tag that is another context's (LD-85; second client)."""
    launchdarkly.options.change(tags=tags)
    connect(**POLLING).close(5)
    connect(**POLLING, context=BEN).close(5)
    seen = launchdarkly.requests("poll")[-1].number
    again = connect(**POLLING)
    assert until(lambda: len(launchdarkly.requests("poll", seen)) > 0)
    first = launchdarkly.requests("poll", seen)[0]
    assert first.status == 304 and any(name.lower() == "if-none-match" for name, _ in first.headers)
    assert again.string("banner", None, "") == "Hello"


def test_a_fresh_cache_makes_the_first_poll_late(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """2.3: first poll one interval after the cache entry was written."""
    settings = {**POLLING, "flag_polling_interval_ms": 3_600_000}
    connect(**settings).close(5)
    again = connect(**settings)
    assert again.string("banner", None, "") == "Hello"
    assert launchdarkly.journal.count("poll") == 1


@pytest.mark.parametrize("mode", ["streaming", "polling"])
def test_the_cache_serves_while_the_service_is_down(
    launchdarkly: LaunchDarklySimulator, connect: Connect, mode: str
) -> None:
    """(LD-76; failing, offline)"""
    connect(streaming_mode=mode).close(5)
    nowhere = unreachable()
    client = connect(ready=False, streaming_mode=mode, base_url=nowhere, stream_url=nowhere, events_url=nowhere)
    assert until(lambda: client.string("banner", None, "") == "Hello")
    assert client.json("theme", None, None) == sample_flags()["theme"]["value"]
    client.online = False  # an identify waits for the service otherwise
    assert client.identify({"targetingKey": "ben"}) is Status.NETWORK
    assert client.string("banner", None, "nothing for ben") == "nothing for ben"
    assert client.identify({"targetingKey": "anna", "plan": "pro"}) is Status.OK
    assert client.string("banner", None, "") == "Hello"


def test_deletions_and_tombstones_are_cached(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect()
    launchdarkly.delete_flag("banner")
    launchdarkly.set_flag("theme", value="last")
    assert until(lambda: client.json("theme", None, None) == "last")
    client.close(5)
    nowhere = unreachable()
    again = connect(ready=False, base_url=nowhere, stream_url=nowhere)
    assert until(lambda: again.json("theme", None, None) == "last")
    assert again.string("banner", None, "gone") == "gone"


@pytest.mark.parametrize(("limit", "kept"), [(0, []), (1, ["c"]), (2, ["b", "c"]), (-1, ["a", "b", "c"])])
def test_so_many_contexts_are_cached(
    launchdarkly: LaunchDarklySimulator, connect: Connect, limit: int, kept: list[str]
) -> None:
    """5.10"""
    for key in ("a", "b", "c"):
        connect(context=json.dumps({"kind": "user", "key": key}), max_cached_contexts=limit).close(5)
    nowhere = unreachable()
    found = []
    for key in ("a", "b", "c"):
        client = connect(ready=False, context=json.dumps({"kind": "user", "key": key}), stream_url=nowhere,
                         max_cached_contexts=limit, online=False, autostart=False)  # fmt: skip
        assert start(client) is Status.OK
        if client.string("banner", None, "none") == "Hello":
            found.append(key)
        client.close(5)
    assert found == kept


def test_another_key_has_another_cache(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    connect().close(5)
    client = connect(ready=False, mobile_key="mob-another", online=False, autostart=False)
    assert start(client) is Status.OK
    assert client.string("banner", None, "none") == "none"


def test_a_default_context_keeps_its_key(launchdarkly: LaunchDarklySimulator, tmp_path: Any) -> None:
    """Anonymous, with a key that is made once (LD-02, 3.5; second client)."""
    settings = {**reach(launchdarkly), "store.path": str(tmp_path)}
    del settings["context"]
    for _ in range(2):
        with hoist.Client("launchdarkly", settings) as client:
            assert client.wait_ready(10) is Status.OK
            client.flush()
    identified = [event["context"] for event in launchdarkly.ledger.events("identify")]
    assert identified[0] == identified[1] and identified[0]["anonymous"] is True and identified[0]["kind"] == "user"
    assert len({request.target for request in launchdarkly.requests("stream")}) == 1
