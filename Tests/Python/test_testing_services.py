"""Flags that tests set, through each service's own client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import hoist
from hoist import Status
from hoist.flagship import Category, Event, Transaction
from hoist.launchdarkly import Context
from hoist.testing import Evaluated, Flags, Tracked

VALUES = {"on": True, "off": False, "text": "green", "number": 42, "settings": {"colour": "blue", "size": 2}}
ANN = {"targetingKey": "ann"}
CLIENTS: list[tuple[str, dict[str, Any]]] = [
    ("unleash", {}), ("unleash", {"mode": "frontend"}), ("optimizely", {}), ("launchdarkly", {}),
    ("launchdarkly", {"mode": "client", "context": {"kind": "user", "key": "ann"}}), ("flagship", {}),
    ("flagship", {"mode": "decision_api", "context": ANN}),
    ("kameleoon", {}),
]  # fmt: skip


@pytest.fixture
def flags() -> Iterator[Flags]:
    with Flags(VALUES, events=["purchase"]) as made:
        yield made


@pytest.mark.parametrize(("service", "properties"), CLIENTS)
def test_the_cores_calls_see_the_flags_as_they_are_set(flags: Flags, service: str, properties: dict[str, Any]) -> None:
    """(ready) Each service, each mode; a service that evaluates by itself knows its current context."""
    client = flags.client(service, **properties)  # type: ignore[call-overload]
    whose = None if properties else ANN
    assert client.state is hoist.State.READY and client.provider == service
    assert client.bool("on", whose) is True and client.bool("off", whose, True) is False
    assert client.string("text", whose) == "green" and client.json("settings", whose) == VALUES["settings"]
    if service in ("optimizely", "kameleoon"):
        assert client.json("number", whose) == {"value": 42}
    else:
        assert client.int("number", whose) == 42
    with flags.override({"on": False, "text": "red", "fresh": {"a": 1}}):
        assert client.bool("on", whose, True) is False and client.string("text", whose) == "red"
        assert client.json("fresh", whose) == {"a": 1}
    assert client.bool("on", whose) is True and client.string("text", whose) == "green"
    assert client.json("fresh", whose) is None
    assert flags.evaluated[0].key == "on" and flags.evaluated[0].value is True
    if properties != {"mode": "frontend"}:
        assert flags.evaluated[0].targeting_key == "ann"
    with flags.outage():
        assert client.state is hoist.State.STALE and client.bool("on", whose) is True
        late = flags.client(service, **properties)  # type: ignore[call-overload]
        assert late.detail("on", whose, False).error_code == "PROVIDER_NOT_READY"
        flags["on"] = False
    assert client.state is hoist.State.READY and client.bool("on", whose, True) is False
    assert late.wait_ready(5) is Status.OK and late.bool("on", whose, True) is False


def test_unleash(flags: Flags) -> None:
    client = flags.client("unleash", app_name="shop")
    assert client.is_enabled("on", ANN) and not client.is_enabled("off", ANN)
    variant = client.get_variant("text", ANN)
    assert variant.name == "on" and variant.payload and variant.payload.value == "green"
    payload = client.get_variant("settings").payload
    assert payload and payload.json() == VALUES["settings"]
    assert {toggle.name for toggle in client.list_toggles()} == set(VALUES)
    assert [record.key for record in flags.evaluated] == ["on", "off", "text", "settings"]
    for value in (10, 20):
        assert client.track("purchase", value=value, properties={"currency": "EUR"})
    assert flags.tracked == [Tracked("purchase", 15.0, {"currency": "EUR"})] * 2


def test_optimizely(flags: Flags) -> None:
    client = flags.client("optimizely")
    user = client.user("ann", {"plan": "pro"})
    decision = user.decide("settings")
    assert decision.enabled and decision.variables == VALUES["settings"] and decision.variation_key == "on"
    assert user.decide("text").variation_key == "green" and not user.decide("off").enabled
    assert set(user.decide_all()) == set(VALUES)
    assert client.is_feature_enabled("on", {"targetingKey": "ben"})
    assert client.feature_variable("number", "value", ANN, int) == 42
    assert Evaluated("text", {"value": "green"}, "green", "ann") in flags.evaluated
    assert flags.evaluated[0].value == VALUES["settings"]
    assert user.track("purchase", {"revenue": 1990, "value": 19.9}) is Status.OK
    assert user.track("no-such-event") is Status.OPTIMIZELY_EVENT_KEY_INVALID
    assert flags.tracked == [Tracked("purchase", 19.9, {"revenue": 1990}, "ann")]
    with flags.override(on=False):
        assert not user.decide("on").enabled


def test_launchdarkly_in_mode_server(flags: Flags) -> None:
    client = flags.client("launchdarkly", context=Context("ann", attributes={"plan": "pro"}))
    assert client.bool_variation("on", False) and client.json_variation("settings", None) == VALUES["settings"]
    assert client.int_variation("number", 0) == 42 and client.string_variation("no-such", "x") == "x"
    assert client.track_event("purchase", {"currency": "EUR"}, 19.9) is Status.OK
    assert client.track("bought", {"kind": "org", "targetingKey": "acme"}) is Status.OK
    assert flags.tracked == [
        Tracked("purchase", 19.9, {"currency": "EUR"}, "ann"), Tracked("bought", None, {}, "acme"),
    ]  # fmt: skip
    assert [record.key for record in flags.evaluated] == ["on", "settings", "number", "no-such"]


def test_launchdarkly_in_mode_client(flags: Flags) -> None:
    client = flags.client("launchdarkly", mode="client", context=Context("ann"))
    assert client.bool_variation("on", False) and client.identify(Context("ben"), 5) is Status.OK
    assert client.string_variation_detail("text", "").value == "green" and client.is_initialized
    assert client.track_event("purchase", 7) is Status.OK
    assert flags.tracked == [Tracked("purchase", None, {"data": 7}, "ben")]
    changed: list[Any] = []
    client.observe_flag("text", changed.append)
    with flags.override(text="red"):
        assert client.string_variation("text", "") == "red"


@pytest.mark.parametrize("mode", ["bucketing", "decision_api"])
def test_flagship(flags: Flags, mode: str) -> None:
    client = flags.client("flagship", mode=mode)
    visitor = client.visitor("ann", context={"vip": True})
    assert visitor.fetch(5) is Status.OK
    assert visitor.flag("text").value("red") == "green" and visitor.flag("number").value(0, expose=False) == 42
    assert visitor.value("settings", {}) == VALUES["settings"]
    settings = Evaluated("settings", VALUES["settings"], "all", "ann")
    assert sorted(flags.evaluated, key=lambda record: record.key) == [settings, Evaluated("text", "green", "all", "ann")]
    assert visitor.send(Event(Category.ACTION_TRACKING, "basket", value=2)) is Status.OK
    assert visitor.send(Transaction("t-1", "purchase", revenue=19.9)) is Status.OK
    assert flags.tracked == [
        Tracked("basket", 2, {"category": "Action Tracking"}, "ann"),
        Tracked("TRANSACTION", None, {"tid": "t-1", "ta": "purchase", "tr": 19.9}, "ann"),
    ]  # fmt: skip
    with flags.override(text="red"):
        assert visitor.fetch(5) is Status.OK and visitor.flag("text").value("", expose=False) == "red"
    visitor.set_consent(False)
    assert visitor.send(Event(Category.ACTION_TRACKING, "secret")) is Status.FLAGSHIP_NO_CONSENT
    assert not flags.was_tracked("secret")


def test_kameleoon(flags: Flags) -> None:
    client = flags.client("kameleoon")
    visitor = client.visitor("ann")
    assert visitor.is_feature_active("on") and not visitor.is_feature_active("off")
    found = visitor.variation("settings", track=False)
    assert {key: variable.value for key, variable in found.variables.items()} == VALUES["settings"]
    assert visitor.variation("text").key == "green" and client.feature_list == list(VALUES)
    with pytest.raises(hoist.Error):
        visitor.variation("no-such")
    assert visitor.track_conversion(17, 19.9) is Status.OK
    assert flags.tracked == [Tracked("17", 19.9, {}, "ann")]
    assert flags.evaluated == [Evaluated("on", True, "on", "ann"), Evaluated("text", "green", "green", "ann")]
    with flags.override(on=False):
        assert not visitor.is_feature_active("on")


@pytest.mark.parametrize("service", ["unleash", "optimizely", "launchdarkly", "flagship", "kameleoon"])
def test_a_client_that_is_dispatched_by_hand_takes_changes_too(service: Any) -> None:
    """(ready) What waits for `dispatch` is run while a change is awaited."""
    with Flags(VALUES, events=["7"]) as flags:
        client = flags.client(service, dispatch="manual")
        with flags.override(on=False):
            assert client.bool("on", ANN, True) is False
        assert client.bool("on", ANN) is True and client.track("7", ANN) is Status.OK
        assert flags.was_tracked("7")
