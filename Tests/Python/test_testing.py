"""Flags that tests set: the core's client, values, blocks, what is read back, what is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import until

import hoist
from hoist import Status
from hoist.testing import ABSENT, Evaluated, Flags, Tracked

VALUES = {"on": True, "off": False, "text": "grün", "number": 42, "half": 1.5, "settings": {"a": [1, None]}, "list": [1, "a"]}
ANN = {"targetingKey": "ann"}


def test_the_fixture_gives_flags_to_a_client(hoist_flags: Flags) -> None:
    """As a test of a program would use it."""
    hoist_flags.update(VALUES)
    client = hoist_flags.client()
    assert type(client) is hoist.Client and client.state is hoist.State.READY
    assert (client.bool("on"), client.bool("off", None, True), client.string("text")) == (True, False, "grün")
    assert (client.int("number"), client.float("half"), client.json("settings")) == (42, 1.5, {"a": [1, None]})
    assert client.json("list", ANN) == [1, "a"] and set(client.all_flags()) == set(VALUES)
    assert client.detail("unknown", None, 7).error_code == "FLAG_NOT_FOUND"
    with client.view(ANN) as view:
        assert view.int("number") == 42


def test_flags_are_a_mapping() -> None:
    with Flags({"a": 1}) as flags:
        client = flags.client()
        flags["b"] = "two"
        assert dict(flags) == {"a": 1, "b": "two"} and len(flags) == 2 and client.string("b") == "two"
        del flags["a"]
        assert "a" not in flags and client.detail("a", None, 0).error_code == "FLAG_NOT_FOUND"
        flags.update(a=3, b=4)
        assert (client.int("a"), client.int("b")) == (3, 4)
        with pytest.raises(KeyError):
            del flags["no-such"]
        with pytest.raises(TypeError, match='flag "c": a value is a bool, str, int, float, dict or list, not NoneType'):
            flags["c"] = None
        with pytest.raises(ValueError, match="a service is one of unleash, "):
            flags.client("usermaven")  # type: ignore[call-overload]
    assert client.state is hoist.State.CLOSED


def test_a_block_overrides_and_takes_back() -> None:
    with Flags({"a": True, "b": 1}) as flags:
        client = flags.client()
        with pytest.raises(RuntimeError), flags.override({"a": False, "b": ABSENT}, c="new"):
            assert client.bool("a", None, True) is False and client.string("c") == "new"
            assert client.detail("b", None, 0).error_code == "FLAG_NOT_FOUND"
            with flags.override(a=True):
                assert client.bool("a") is True
            assert client.bool("a") is False
            raise RuntimeError
        assert client.bool("a") is True and client.int("b") == 1 and "c" not in flags


def test_an_outage_leaves_what_there_is() -> None:
    with Flags({"a": 1}) as flags:
        client = flags.client()
        with flags.outage():
            assert client.int("a") == 1 and client.state is hoist.State.STALE
            late = flags.client()
            assert late.int("a", None, 7) == 7 and late.state in (hoist.State.ERROR, hoist.State.NOT_READY)
        assert client.state is hoist.State.READY and late.int("a") == 1


def test_changes_are_announced_as_a_service_does() -> None:
    with Flags({"a": 1, "b": 2}) as flags:
        client = flags.client(dispatch="manual")
        told: list[str] = []
        client.observe(hoist.Topic.FLAG_CHANGED, lambda news: told.extend(news.keys))
        flags["a"] = 5
        assert until(lambda: client.dispatch() and told) and told == ["a"]


def test_what_was_evaluated_and_tracked_is_read_back() -> None:
    with Flags({"a": 1, "off": False}) as flags:
        client = flags.client()
        client.identify(ANN)
        assert client.int("a") == 1 and client.int("a", {"targetingKey": "ben"}) == 1 and client.string("a", None, "x") == "x"
        assert client.track("bought", None, value=19.9, properties={"n": 2, "more": {"b": [True]}}) is Status.OK
        assert client.track("left", {"targetingKey": "ben"}) is Status.OK
        assert [record.key for record in flags.evaluated] == ["a", "a", "a"]
        assert flags.evaluated[1] == Evaluated("a", 1, "", "ben")
        assert flags.evaluated[2].error_code == "TYPE_MISMATCH"
        assert flags.tracked == [Tracked("bought", 19.9, {"n": 2, "more": {"b": [True]}}, "ann"), Tracked("left", None, {}, "ben")]
        assert flags.was_evaluated("a") and not flags.was_evaluated("off")
        assert flags.was_tracked("left") and not flags.was_tracked("right")
        flags.forget()
        assert flags.evaluated == [] and flags.tracked == []
    assert flags.tracked == []


def test_clients_that_a_program_opens_by_itself_get_the_flags() -> None:
    def program() -> tuple[bool, str]:
        with hoist.Client("unleash", mode="backend", url="https://flags.example.com/api", key="*:production.x") as client:
            assert client.wait_ready(5)
            return client.bool("on"), client.string("text")

    with Flags(VALUES) as flags, Flags({"on": False, "text": "other"}) as inner:
        with flags.everywhere():
            assert program() == (True, "grün")
            with inner.everywhere():
                assert program() == (False, "other")
            assert program() == (True, "grün")
        assert flags.was_evaluated("text")
        with hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap={"version": 2, "features": []}) as own:
            assert own.detail("on", None, False).error_code == "FLAG_NOT_FOUND"


PROGRAM = """
import os, sys, hoist
from waiting import until
from hoist.testing import Flags
def threads(): return os.listdir("/proc/self/task")
def connections():
    tables = "".join(open(f"/proc/self/net/{name}").read() for name in ("tcp", "tcp6", "udp", "udp6")).split()
    links = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{fd}")]
    return [link for link in links if link.startswith("socket:[") and link[8:-1] in tables]
def once():
    with Flags({"a": True}, events=["7"]) as flags:
        for service in (None, "unleash", "optimizely", "launchdarkly", "flagship", "kameleoon"):
            client = flags.client(service)
            assert client.bool("a", {"targetingKey": "ann"})
            client.track("7", {"targetingKey": "ann"})
            assert connections() == []
        with flags.override(a=False):
            assert not client.bool("a", {"targetingKey": "ann"}, True)
        flags.tracked
    del client
once()
before = threads()
for _ in range(5): once()
print(until(lambda: len(threads()) <= len(before)), os.listdir(os.environ["XDG_CACHE_HOME"]))
"""


def test_nothing_is_left_and_no_network_is_used(tmp_path: Path) -> None:
    """No thread more, no file, and no connection at any time."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (0, "True []\n"), ended.stderr


def test_pytest_loads_nothing_before_a_test_asks() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import hoist_pytest, sys; print('hoist' in sys.modules)"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.stdout == "False\n", ended.stderr
