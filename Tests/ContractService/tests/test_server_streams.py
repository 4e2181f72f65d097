"""Rules that change while clients of the server side decide by them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Create
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, NOT_FOUND, flag
from waiting import until

Rules = LaunchDarklyServerSimulator


def soon(rules: Rules) -> dict[str, Any]:
    """A stream that is opened again at once."""
    return {"streaming": {"baseUri": rules.url, "initialRetryDelayMs": 1}}


def send(rules: Rules, event: str, data: Any) -> None:
    text = data if isinstance(data, str) else json.dumps(data)
    rules.streams.order(lambda stream: stream.send(event, text))


def test_updates_are_seen(rules: Rules, serve: Create) -> None:
    """Flags, segments and their deletion (LDS-10, LDS-12; ready)."""
    client = serve()
    rules.set_flag("dark-mode", on=False)
    assert until(lambda: client.value("dark-mode", "bool", True, ANNA) is False)
    rules.set_segment("testers", included=[])
    assert until(lambda: client.value("page-size", "int", 0, ANNA) == 10)
    rules.delete_flag("dark-mode")
    assert until(lambda: client.detail("dark-mode", "bool", True, ANNA) == {"value": True, "reason": NOT_FOUND})


def test_versions_decide(rules: Rules, serve: Create) -> None:
    """Older and equal ones change nothing, tombstones of unknown flags stay; each is followed by one that shows it has
    been read (LDS-12; ready)."""
    client = serve(events=None)

    def told(key: str, version: int, value: str) -> None:
        send(rules, "patch", {"path": f"/flags/{key}", "data": {"key": key, **flag(version=version, variations=[value])}})

    def read() -> None:
        mark = rules.set_flag("mark", **flag(version=None, variations=[len(rules.environment.served("mark"))]))
        assert until(lambda: client.value("mark", "any", None, ANNA) == mark.item["variations"][0])  # type: ignore[index]

    told("f", 5, "five")
    read()
    assert client.value("f", "any", None, ANNA) == "five"
    for version in (4, 5):
        told("f", version, "old")
    send(rules, "delete", {"path": "/flags/f", "version": 5})
    send(rules, "delete", {"path": "/flags/later", "version": 9})
    told("later", 9, "dead")
    read()
    assert client.value("f", "any", None, ANNA) == "five"
    assert client.detail("later", "any", 0, ANNA) == {"value": 0, "reason": NOT_FOUND}
    told("later", 10, "alive")
    read()
    assert client.value("later", "any", None, ANNA) == "alive"


@pytest.mark.parametrize(("event", "data"), [
    ("unheard-of", "{"), ("patch", {"path": "/cats/Jack", "data": 7}), ("delete", {"path": "/cats/Jack", "version": 1}),
])  # fmt: skip
def test_what_is_unknown_is_ignored(rules: Rules, serve: Create, event: str, data: Any) -> None:
    """The stream stays open (LDS-10; ready)."""
    client = serve(**soon(rules))
    send(rules, event, data)
    rules.set_flag("dark-mode", on=False)
    assert until(lambda: client.value("dark-mode", "bool", True, ANNA) is False)
    assert len(rules.requests("stream")) == 1


@pytest.mark.parametrize(("event", "data"), [
    ("put", "{"), ("put", {"path": "/", "data": {"flags": [], "segments": {}}}), ("patch", {"path": "/flags/f", "data": {}}),
    ("patch", {"path": "/flags/f"}), ("delete", {"path": "/flags/f"}), ("put", {"data": {"flags": {"f": {"key": "f"}}}}),
], ids=json.dumps)  # fmt: skip
def test_what_is_malformed_opens_another_stream(rules: Rules, serve: Create, event: str, data: Any) -> None:
    """What was there stays until its data have come (LDS-11; ready, failing)."""
    client = serve(**soon(rules))
    rules.environment.set("flags", "dark-mode", on=False)
    send(rules, event, data)
    assert rules.wait_for("stream", 2)
    assert until(lambda: client.value("dark-mode", "bool", True, ANNA) is False)


@pytest.mark.parametrize("how", ["end", "close", "reset"])
def test_a_stream_that_ends_is_opened_again(rules: Rules, serve: Create, how: str) -> None:
    """(LDS-13; ready)"""
    client = serve(**soon(rules))
    rules.environment.set("flags", "dark-mode", on=False)
    rules.streams.drop(how)
    assert until(lambda: client.value("dark-mode", "bool", True, ANNA) is False)


@pytest.mark.parametrize("status", [400, 408, 429, 500, 503])
def test_some_refusals_are_not_for_good(rules: Rules, serve: Create, status: int) -> None:
    """At the start, and when the stream has ended, twice (LDS-13; starting, failing)."""
    rules.fail("stream", "status", status=status, times=2)
    client = serve(**soon(rules))
    assert client.value("dark-mode", "bool", False, ANNA) is True and len(rules.requests("stream")) == 3
    rules.fail("stream", "status", status=status, times=2)
    rules.environment.set("flags", "dark-mode", on=False)
    rules.streams.drop("end")
    assert until(lambda: client.value("dark-mode", "bool", True, ANNA) is False)
    assert len(rules.requests("stream")) == 6
