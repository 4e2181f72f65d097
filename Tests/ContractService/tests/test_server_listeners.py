"""Listeners: the harness is told of changed flags at addresses of its own."""

from __future__ import annotations

from conftest import Create
from harness import Callback
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, BOB
from waiting import until

Rules = LaunchDarklyServerSimulator


def test_listeners_hear_of_each_flag_that_may_be_another(rules: Rules, serve: Create) -> None:
    """Also of those that need it, until they are ended; no events (LDS-62; ready)."""
    client = serve()
    with Callback() as listener:
        assert client.ask("registerFlagChangeListener", listenerId="one", callbackUri=listener.url).status == 204
        rules.set_flag("banner", trackEvents=False)
        assert until(lambda: len(listener.told) == 2)
        assert {told["flagKey"] for told in listener.told} == {"banner", "checkout"}
        assert {told["listenerId"] for told in listener.told} == {"one"}
        rules.set_segment("testers", included=[])
        assert until(lambda: len(listener.told) == 3)
        assert listener.told[2] == {"listenerId": "one", "flagKey": "page-size"}
        assert client.ask("unregisterListener", listenerId="one").status == 204
        assert client.ask("unregisterListener", listenerId="one").status == 400
        rules.set_flag("banner", trackEvents=True)
        rules.set_flag("dark-mode", on=False)
        assert until(lambda: client.value("dark-mode", "bool", True, ANNA) is False)
        assert len(listener.told) == 3


def test_listeners_hear_of_another_value(rules: Rules, serve: Create) -> None:
    """For one context, and of nothing else (LDS-62; ready)."""
    client = serve()
    with Callback() as listener:
        for name, context in (("anna", ANNA), ("bob", BOB)):
            answer = client.ask("registerFlagValueChangeListener", listenerId=name, callbackUri=listener.url, flagKey="banner",
                                context=context)  # fmt: skip
            assert answer.status == 204
        rules.set_flag("banner", trackEvents=False)
        rules.set_flag("banner", fallthrough={"variation": 1})
        assert until(lambda: listener.told)
        rules.delete_flag("banner")
        assert until(lambda: len(listener.told) == 3)
    first, *rest = listener.told
    assert first == {"listenerId": "anna", "flagKey": "banner", "oldValue": "Hello", "newValue": "Bye"}
    assert sorted(rest, key=lambda told: str(told["listenerId"])) == [
        {"listenerId": name, "flagKey": "banner", "oldValue": "Bye", "newValue": None} for name in ("anna", "bob")]
    client.close()
    assert rules.ledger.posts == []


def test_a_name_is_of_one_listener(serve: Create) -> None:
    """(LDS-68; ready)"""
    client = serve()
    with Callback() as listener:
        assert client.ask("registerFlagChangeListener", listenerId="one", callbackUri=listener.url).status == 204
        assert client.ask("registerFlagChangeListener", listenerId="one", callbackUri=listener.url).status == 400
