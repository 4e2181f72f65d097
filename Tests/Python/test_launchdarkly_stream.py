"""LaunchDarkly's stream against strict services: flags, changes, faults, reconnections."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from conftest import is_online, reach
from launchdarkly import LaunchDarklySimulator
from waiting import until

import hoist
from hoist import State, Status, Topic

Connect = Callable[..., hoist.Client]


def reads(client: hoist.Client, key: str) -> Any:
    return client.json(key, None, "fallback")


def test_flags_of_every_type_come_by_stream(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-50, LD-52, LD-54, LD-56, LD-58, LD-62, LD-75; ready)"""
    client = connect()
    assert client.bool("dark-mode", None, False) is True
    assert client.int("page-size", None, 1) == 25
    assert client.int("discount", None, 1) == 1  # a fraction: intVariation alone cuts it off
    assert client.float("discount", None, 1.0) == 12.5
    assert client.string("banner", None, "none") == "Hello"
    assert reads(client, "theme") == {"color": "blue", "sizes": [1, 2, 3]}
    assert client.bool("nothing", None, True) is True
    assert client.detail("nowhere", None, False).error_code == "FLAG_NOT_FOUND"
    assert client.detail("banner", None, 7).error_code == "TYPE_MISMATCH"
    assert [request.endpoint for request in launchdarkly.requests()] == ["stream"]


def test_changes_are_seen_within_a_second(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect()
    began = time.monotonic()
    launchdarkly.set_flag("banner", value="Hi")
    assert until(lambda: client.string("banner", None, "") == "Hi", 1)
    launchdarkly.delete_flag("banner")
    assert until(lambda: client.string("banner", None, "gone") == "gone", 1)
    launchdarkly.set_flag("fresh", value=[1])
    assert until(lambda: reads(client, "fresh") == [1], 1)
    launchdarkly.replace_flags({"only": {"value": "one", "version": 1}})
    assert until(lambda: reads(client, "only") == "one" and reads(client, "fresh") == "fallback", 1)
    assert time.monotonic() - began < 3


def test_older_versions_are_ignored(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """2.2, the rule of versions, with tombstones."""
    launchdarkly.options.change(foreign_flags=True)
    client = connect()

    def patch(key: str, value: Any, version: int | None) -> None:
        flag = {"key": key, "value": value} | ({} if version is None else {"version": version})
        launchdarkly.streams.send("patch", json.dumps(flag))

    def delete(key: str, version: int) -> None:
        launchdarkly.streams.send("delete", json.dumps({"key": key, "version": version}))

    patch("banner", "same", 4)
    patch("banner", "older", 3)
    delete("banner", 4)
    delete("unborn", 5)
    patch("unborn", "stillborn", 5)
    delete("page-size", 8)
    patch("page-size", 1, 8)
    patch("marker", 1, 1)
    assert until(lambda: reads(client, "marker") == 1)
    assert [reads(client, key) for key in ("banner", "unborn", "page-size")] == ["Hello", "fallback", "fallback"]
    patch("unborn", "alive", 6)
    patch("page-size", 2, 9)
    patch("banner", "without a version", None)
    assert until(lambda: reads(client, "banner") == "without a version")
    assert (reads(client, "unborn"), reads(client, "page-size")) == ("alive", 2)


@pytest.mark.parametrize("how", ["end", "close", "reset"])
def test_a_dropped_stream_is_opened_again(launchdarkly: LaunchDarklySimulator, connect: Connect, how: str) -> None:
    client = connect()
    for number in range(3):
        launchdarkly.streams.drop(how)
        launchdarkly.set_flag("banner", value=f"after {number}")
        assert until(lambda number=number: client.string("banner", None, "") == f"after {number}")
    assert launchdarkly.streams.opened == 4


@pytest.mark.parametrize("keep", [1, 10, 20, 40, 60])
def test_a_truncated_event_is_dropped(launchdarkly: LaunchDarklySimulator, connect: Connect, keep: int) -> None:
    client = connect()
    flag = json.dumps({"key": "banner", "value": "never whole", "version": 99})
    launchdarkly.streams.truncate("patch", flag, keep)
    assert launchdarkly.journal.wait_until(lambda: launchdarkly.streams.opened == 2, 10)
    launchdarkly.set_flag("marker", value=1)
    assert until(lambda: reads(client, "marker") == 1)
    assert client.string("banner", None, "") == "Hello"


@pytest.mark.parametrize(("event", "data"), [
    ("patch", '{"key":"banner","value":'), ("patch", "[]"), ("patch", '{"value":1,"version":99}'),
    ("patch", '{"key":"banner","value":"x","version":"99"}'), ("patch", '{"key":"banner","value":"x","version":9.5}'),
    ("put", "null"), ("put", '{"banner":1}'), ("put", '{"banner":{"key":"other","value":1}}'), ("delete", '{"version":99}'),
    ("delete", "{}"), ("message", "hello"), ("PUT", "{}"), ("patch", '{"key":"banner","value":1,"reason":7}')])  # fmt: skip
def test_malformed_messages_change_nothing(
    launchdarkly: LaunchDarklySimulator, connect: Connect, event: str, data: str
) -> None:
    """2.2: the message is ignored, the stream stays open."""
    client = connect()
    launchdarkly.streams.send(event, data)
    launchdarkly.set_flag("marker", value=1)
    assert until(lambda: reads(client, "marker") == 1)
    assert client.string("banner", None, "") == "Hello"
    assert launchdarkly.streams.opened == 1


@pytest.mark.parametrize("fault", [
    {"kind": "stream-split", "pieceBytes": 1, "interval": 0}, {"kind": "stream-split", "pieceBytes": 7, "interval": 0},
    {"kind": "stream-format", "newline": "\r\n", "mark": True, "comments": ["hello", ""]},
    {"kind": "stream-format", "newline": "\r", "mark": True}, {"kind": "stream-format", "comments": ["x" * 5000]}])  # fmt: skip
def test_streams_of_any_form_are_read(
    launchdarkly: LaunchDarklySimulator, connect: Connect, fault: dict[str, Any]
) -> None:
    launchdarkly.fail("stream", **fault)
    client = connect()
    launchdarkly.set_flag("banner", value="søk 日本 😀")
    assert until(lambda: client.string("banner", None, "") == "søk 日本 😀")


def test_ping_asks_for_a_poll(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    launchdarkly.options.change(greeting="ping")
    client = connect()
    assert launchdarkly.journal.count("poll") == 1
    launchdarkly.environment.set("banner", value="polled")
    launchdarkly.ping()
    assert until(lambda: client.string("banner", None, "") == "polled")
    launchdarkly.environment.set("banner", value="polled again")
    launchdarkly.streams.send("ping", "whatever")
    assert until(lambda: client.string("banner", None, "") == "polled again")
    assert launchdarkly.journal.count("stream") == 1


def test_a_silent_stream_keeps_what_was_there(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect()
    launchdarkly.streams.stall()
    launchdarkly.set_flag("banner", value="later")
    assert client.string("banner", None, "") == "Hello"
    launchdarkly.streams.resume()
    assert until(lambda: client.string("banner", None, "") == "later")


@pytest.mark.parametrize("status", [400, 408, 429, 500, 503])
def test_a_stream_that_is_refused_for_now_is_tried_again(
    launchdarkly: LaunchDarklySimulator, connect: Connect, status: int
) -> None:
    """(LD-75, 2.5; failing)"""
    launchdarkly.fail("stream", "status", status=status, times=2)
    client = connect()
    assert client.bool("dark-mode", None, False) is True
    assert [request.status for request in launchdarkly.requests("stream")] == [status, status, 200]


@pytest.mark.parametrize("kind", ["reset", "close", "html", "garbage", "empty", "headers-only"])
def test_a_stream_that_is_none_is_tried_again(
    launchdarkly: LaunchDarklySimulator, connect: Connect, kind: str
) -> None:
    launchdarkly.fail("stream", kind, times=2)
    client = connect()
    assert client.bool("dark-mode", None, False) is True


def test_a_stream_that_is_a_page_is_told_of(launchdarkly: LaunchDarklySimulator) -> None:
    """Contract 1, 10: 200 with what is no stream. State: starting; ready."""
    lines: list[tuple[hoist.LogLevel, str]] = []

    class Lines(hoist.Logger):
        def write(self, level: hoist.LogLevel, message: str) -> None:
            lines.append((level, message))

    launchdarkly.fail("stream", "html", times=None)
    with hoist.Client("launchdarkly", {**reach(launchdarkly), "store": "none"}, logger=Lines()) as client:
        assert until(lambda: client.state is State.ERROR)
        assert until(lambda: [line for level, line in lines if level is hoist.LogLevel.WARNING and "text/html" in line])
        launchdarkly.faults.clear()
        assert until(lambda: client.state is State.READY)
        launchdarkly.fail("stream", "html", times=None)
        launchdarkly.streams.drop("end")
        assert until(lambda: client.state is State.STALE)


@pytest.mark.parametrize("status", [403, 404, 405])
def test_a_stream_that_is_refused_for_good_stays_closed(
    launchdarkly: LaunchDarklySimulator, connect: Connect, status: int
) -> None:
    """The client stays online, flags stay, and a later identify makes a new attempt (LD-75, 2.5; refused)."""
    client = connect()
    launchdarkly.fail("stream", "status", status=status)
    launchdarkly.streams.drop()
    assert launchdarkly.wait_for("stream", 2, answered=False)
    assert not launchdarkly.journal.wait_until(lambda: launchdarkly.journal.count("stream") > 2, 0.5)
    assert is_online(client) and client.bool("dark-mode", None, False) is True
    assert client.identify({"targetingKey": "ben"}) is Status.OK
    assert launchdarkly.journal.count("stream") == 3


def test_an_unknown_key_sends_the_client_offline(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-15, 2.5; refused)"""
    client = connect(ready=False, mobile_key="mob-unknown")
    assert until(lambda: not is_online(client))
    assert client.bool("dark-mode", None, True) is True
    assert not launchdarkly.journal.wait_until(lambda: launchdarkly.journal.count("stream") > 1, 0.5)
    assert [request.status for request in launchdarkly.requests()] == [401]


def test_reasons_are_asked_for_and_told(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-51, LD-63; ready)"""
    launchdarkly.options.change(with_reasons=True)
    client = connect(evaluation_reasons=True)
    assert client.detail("page-size", None, 0).reason == "TARGETING_MATCH"
    assert client.detail("dark-mode", None, False).value is True


def test_contexts_travel_in_the_body_of_report(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect(use_report=True)
    launchdarkly.set_flag("banner", value="Hi")
    assert until(lambda: client.string("banner", None, "") == "Hi")
    launchdarkly.ping()
    assert launchdarkly.wait_for("poll-report")
    assert json.loads(launchdarkly.requests("stream-report")[0].body) == {"kind": "user", "key": "anna", "plan": "pro"}
    assert {request.endpoint for request in launchdarkly.requests()} == {"stream-report", "poll-report"}


def test_headers_that_the_host_configured(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-89, LD-91, 2.1; ready)"""
    launchdarkly.options.change(wrapper="flutter/2.1", application="application-id/shop application-version/1.0-b",
                                instance_ids=True, secure_mode_hash="0a1b")  # fmt: skip
    client = connect(wrapper_name="flutter", wrapper_version="2.1", application_id="shop", application_version="1.0 b",
                     application_name="é", secure_mode_hash="0a1b")  # fmt: skip
    launchdarkly.ping()
    assert launchdarkly.wait_for("poll", answered=True)
    assert client.track("visit") is Status.OK and client.flush() is Status.OK
    assert len({request.client for request in launchdarkly.requests()}) == 1


@pytest.mark.parametrize("prefix", ["/relay", "/a/b"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_addresses_may_have_a_path(launchdarkly: LaunchDarklySimulator, connect: Connect, prefix: str, slash: str) -> None:
    launchdarkly.options.change(prefix=prefix)
    base = launchdarkly.url + slash
    client = connect(base_url=base, stream_url=base, events_url=base)
    launchdarkly.ping()
    assert launchdarkly.wait_for("poll", answered=True)
    assert client.flush() is Status.OK
    assert launchdarkly.wait_for("events", answered=True)


def test_closing_ends_the_connection(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """Afterwards only fallbacks (LD-17, 5.9; closed, reopened)."""
    client = connect()
    assert launchdarkly.wait_for_streams(1)
    client.close(3)
    assert launchdarkly.wait_for_streams(0, 3)
    assert client.state is State.CLOSED
    assert client.bool("dark-mode", None, False) is False
    assert client.track("late") is not Status.OK
    client.reopen()
    assert until(lambda: client.bool("dark-mode", None, False) is True)


def test_observers_are_told_of_each_change(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    client = connect()
    seen: list[str] = []
    client.observe(Topic.FLAG_CHANGED, lambda news: seen.append(news.message), "banner")
    launchdarkly.set_flag("theme", value=1)
    launchdarkly.set_flag("banner", value="one")
    launchdarkly.set_flag("banner", trackEvents=False)
    launchdarkly.set_flag("banner", value="two")
    assert until(lambda: client.string("banner", None, "") == "two" and len(seen) == 2)


def test_going_offline_and_back(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-10, LD-12; offline)"""
    client = connect()
    client.online = False
    assert launchdarkly.wait_for_streams(0)
    launchdarkly.set_flag("banner", value="meanwhile")
    assert client.string("banner", None, "") == "Hello"
    client.online = True
    assert until(lambda: client.string("banner", None, "") == "meanwhile")
