"""Changing the context of LaunchDarkly's clients, and clients of several environments."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from launchdarkly import LaunchDarklySimulator
from waiting import until

import hoist
from hoist import State, Status

Connect = Callable[..., hoist.Client]
ORG = {"targetingKey": "acme", "kind": "org"}


def test_each_context_gets_its_own_flags(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-24; ready)"""
    launchdarkly.set_flag("banner", context="org:acme", value="Hello, Acme")
    client = connect()
    assert client.string("banner", None, "") == "Hello"
    assert client.identify(ORG) is Status.OK
    assert client.string("banner", None, "") == "Hello, Acme"
    assert client.string("banner", ORG, "") == "Hello, Acme"
    launchdarkly.set_flag("banner", context="org:acme", value="Bye, Acme")
    assert until(lambda: client.string("banner", None, "") == "Bye, Acme")
    assert client.identify({"targetingKey": "anna", "plan": "pro"}) is Status.OK
    assert client.string("banner", None, "") == "Hello"
    assert launchdarkly.wait_for_streams(1)


def test_another_context_than_the_current_one_is_refused(
    launchdarkly: LaunchDarklySimulator, connect: Connect
) -> None:
    client = connect()
    assert client.bool("dark-mode", {"targetingKey": "anna", "plan": "pro"}, False) is True
    found = client.detail("dark-mode", {"targetingKey": "ben"}, False)
    assert (found.value, found.error_code) == (False, "INVALID_CONTEXT")


def test_the_same_context_again_makes_no_request(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """5.5: but an event."""
    client = connect()
    assert client.identify({"targetingKey": "anna", "plan": "pro"}) is Status.OK
    assert client.flush() is Status.OK
    assert launchdarkly.journal.count("stream") == 1
    assert len(launchdarkly.ledger.events("identify")) == 2


def test_contexts_of_several_kinds(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    document = {"kind": "multi", "org": {"key": "o:1", "seats": 20}, "user": {"key": "anna", "name": "Anna"}}
    launchdarkly.set_flag("banner", context="org:o%3A1:user:anna", value="Hello, both")
    client = connect(context=json.dumps(document))
    assert client.string("banner", None, "") == "Hello, both"
    assert client.flush() is Status.OK
    assert launchdarkly.ledger.events("identify")[0]["context"] == document
    assert launchdarkly.ledger.events("summary")[0]["features"]["banner"]["contextKinds"] in (["org", "user"], ["user", "org"])


@pytest.mark.parametrize("context", [
    {"kind": "user", "key": "søk 日本 😀"}, {"kind": "a.b-c_9", "key": "~~~???>>>"}, {"kind": "user", "key": "x" * 4000},
    {"kind": "user", "key": "k", "list": [1, None, {"b": 1, "a": [True]}], "n": -1.5e-7, "big": 1e300, "m": {"z": 1, "a": {}}},
    {"key": "legacy", "custom": {"plan": "pro"}, "email": "a@b.c"}, {"key": "", "anonymous": None},
])  # fmt: skip
def test_contexts_of_any_content(
    launchdarkly: LaunchDarklySimulator, connect: Connect, context: dict[str, Any]
) -> None:
    """3.3, 3.4: the simulator refuses what is not in the documented form; legacy users are made contexts."""
    client = connect(context=json.dumps(context))
    assert client.bool("dark-mode", None, False) is True
    assert client.flush() is Status.OK
    sent = launchdarkly.ledger.events("identify")[0]["context"]
    if "kind" in context:
        assert sent == context
    else:
        assert sent["kind"] == "user" and sent["key"] == context["key"]


@pytest.mark.parametrize(("document", "kinds"), [
    ({"kind": "user"}, {"user"}), ({"plan": "pro"}, {"user"}), ({"kind": "org", "anonymous": True}, {"org"}),
    ({"kind": "multi", "org": {"key": "acme"}, "user": {"name": "Ann"}}, {"org", "user"}),
    ({"kind": "multi", "org": {}, "user": {"anonymous": True}}, {"org", "user"}),
])  # fmt: skip
@pytest.mark.parametrize("way", ["property", "identify"])
def test_a_key_that_a_context_does_not_have_is_generated(
    launchdarkly: LaunchDarklySimulator, connect: Connect, document: dict[str, Any], kinds: set[str], way: str
) -> None:
    """As a property, from JSON, by identify (LD-02, 3.5, contract 3; starting, ready)."""
    if way == "property":
        client = connect(context=json.dumps(document))
    else:
        client = connect()
        assert client.identify(hoist.Context.from_json(json.dumps(document))) is Status.OK
    assert client.bool("dark-mode", None, False) is True and client.flush() is Status.OK
    told = launchdarkly.ledger.events("identify")[-1]["context"]
    parts = {kind: told[kind] for kind in told if kind != "kind"} if told["kind"] == "multi" else {told["kind"]: told}
    assert parts.keys() == kinds
    for kind, part in parts.items():
        own = document.get(kind, document) if document.get("kind") == "multi" else document
        assert (part["key"] == own["key"]) if "key" in own else (len(part["key"]) == 36 and part["anonymous"] is True)


def test_the_property_takes_the_core_s_form_of_a_context(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """Contract 4: a document that describes a context is read the same way everywhere. State: starting."""
    client = connect(context='{"targetingKey":"anna","plan":"pro"}')
    assert client.identify({"targetingKey": "anna", "plan": "pro"}) is Status.OK
    assert len(launchdarkly.environment.contexts("anna")) == 1 and launchdarkly.journal.count("stream") == 1


@pytest.mark.parametrize("context", [
    '{"kind":"user","key":""}', '{"kind":"kind","key":"a"}', '{"kind":"a b","key":"a"}', "[]", "{",
    '{"kind":"multi"}', '{"kind":"user","key":"a","name":7}', '{"kind":"user","key":"a","anonymous":null}'])  # fmt: skip
def test_a_context_that_is_none_is_refused_at_the_start(connect: Connect, context: str) -> None:
    with pytest.raises(hoist.Error):
        connect(ready=False, context=context)


def test_the_last_of_many_wins(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """One in flight, one waiting, the others are shed; each is answered once (LD-21, LD-22, 5.5; ready)."""
    for number in range(10):
        launchdarkly.set_flag("banner", context=f"user-{number}", value=f"Hello {number}")
    client = connect()
    results: list[tuple[int, Status]] = []
    done = threading.Event()

    def ended(number: int, status: Status) -> None:
        results.append((number, status))
        if len(results) == 10:
            done.set()

    for number in range(10):
        started = client.identify_soon({"targetingKey": f"user-{number}"}, lambda status, number=number: ended(number, status))
        assert started is Status.OK
    assert done.wait(20)
    assert sorted(number for number, _ in results) == list(range(10))
    assert dict(results)[9] is Status.OK
    assert {status for _, status in results} <= {Status.OK, Status.LAUNCHDARKLY_SHED, Status.SUPERSEDED}
    assert client.string("banner", None, "") == "Hello 9"


def test_an_identify_that_hangs_times_out_and_goes_on(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-23; ready)"""
    client = connect()
    launchdarkly.fail("stream", "hang", then="answer")
    assert client.identify(ORG, 0.2) is Status.TIMEOUT
    assert client.state is State.RECONCILING
    assert launchdarkly.wait_for_held()
    launchdarkly.release()
    assert until(lambda: client.string("banner", None, "") == "Hello")
    assert until(lambda: client.state is State.READY)


def test_an_identify_while_offline_is_complete_at_once(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """(LD-24; offline)"""
    client = connect()
    client.online = False
    assert client.identify(ORG) is Status.NETWORK  # there are no stored flags
    assert client.string("banner", None, "not for acme") == "not for acme"
    assert client.identify({"targetingKey": "anna", "plan": "pro"}) is Status.OK
    assert client.string("banner", None, "") == "Hello"
    client.online = True
    assert until(lambda: launchdarkly.streams.opened == 2)


def test_late_answers_to_an_old_context_are_harmless(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    launchdarkly.set_flag("banner", context="slow", value="for the slow one")
    client = connect()
    launchdarkly.fail("stream", "hang", then="answer")
    client.identify_soon({"targetingKey": "slow"})
    assert launchdarkly.wait_for_held()
    client.identify_soon({"targetingKey": "quick"})
    launchdarkly.release()
    assert until(lambda: [stream.context.key for stream in launchdarkly.streams.open] == ["quick"], 20)
    assert until(lambda: client.string("banner", None, "") == "Hello")


def test_environments_share_context_and_life(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    """On the wire; the calls on single environments are the face's (LD-09, 5.2; ready, offline, closed)."""
    launchdarkly.add_environment("mob-second", {"second": {"value": 2, "version": 1, "variation": 0}})
    launchdarkly.add_environment("mob-third", {"third": {"value": 3, "version": 1, "variation": 0}})
    client = connect(secondary_mobile_keys=json.dumps({"two": "mob-second", "three": "mob-third"}))
    keys = {launchdarkly.mobile_key, "mob-second", "mob-third"}

    def open_for(context: str) -> bool:
        return sorted((stream.environment.mobile_key, stream.context.key) for stream in launchdarkly.streams.open) == [
            (key, context) for key in sorted(keys)]

    assert until(lambda: open_for("anna"))
    assert client.identify({"targetingKey": "ben"}) is Status.OK
    assert until(lambda: open_for("ben"))
    assert client.flush() is Status.OK
    identified = {key: len(launchdarkly.ledger.events("identify", key)) for key in keys}
    assert identified == dict.fromkeys(keys, 2)
    client.online = False
    assert launchdarkly.wait_for_streams(0)
    client.online = True
    assert until(lambda: open_for("ben"))
    client.close(5)
    assert launchdarkly.wait_for_streams(0)


@pytest.mark.parametrize("keys", ['{"default":"mob-x"}', '{"a":"mob-x","b":"mob-x"}', '{"a":7}', "[]", "{"])
def test_environments_that_collide_are_refused(connect: Connect, keys: str) -> None:
    with pytest.raises(hoist.Error):
        connect(ready=False, secondary_mobile_keys=keys)


def test_an_environment_with_the_primary_key_is_refused(launchdarkly: LaunchDarklySimulator, connect: Connect) -> None:
    with pytest.raises(hoist.Error):
        connect(ready=False, secondary_mobile_keys=json.dumps({"a": launchdarkly.mobile_key}))
