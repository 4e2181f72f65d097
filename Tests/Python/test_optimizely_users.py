"""Optimizely's users, decisions, profiles and notifications through the binding, over a datafile."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import hoist
from hoist import Status, optimizely
from hoist.optimizely import Decision, NotificationKind, Option

DATAFILE: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[2] / "Examples" / "data" / "optimizely.json").read_text(encoding="utf-8")
)
NOT_READY = "Optimizely SDK not configured properly yet."


class Profiles(optimizely.ProfileService):
    """Profiles in a dict, and what was asked of it."""

    def __init__(self, by_user: dict[str, Any] | None = None) -> None:
        self.by_user = by_user or {}
        self.calls: list[str] = []

    def lookup(self, user_id: str) -> Mapping[str, Any] | None:
        self.calls.append(f"lookup {user_id}")
        return self.by_user.get(user_id)

    def save(self, profile: dict[str, Any]) -> None:
        self.calls.append(f"save {profile['user_id']}")
        self.by_user[profile["user_id"]] = profile


def open_client(datafile: Any = DATAFILE, **more: Any) -> optimizely.Client:
    settings: dict[str, Any] = {"online": False, "store": "none", "dispatch": "manual", "log.level": "none"}
    if datafile is not None:
        settings["datafile"] = datafile
    profiles = more.pop("profiles", None)
    return optimizely.Client({**settings, **more}, profiles=profiles)


@pytest.fixture
def client() -> Any:
    """A client that serves the example's datafile, and decides by it alone."""
    with open_client(user_profiles=False) as opened:
        yield opened


def test_an_experiment_and_a_delivery_answer_the_same_call(client: optimizely.Client) -> None:
    """(OPT-47, OPT-56, OPT-61, OPT-71; offline)"""
    decision = client.user("user-7", {"plan": "pro"}).decide("checkout", Option.INCLUDE_REASONS)
    assert (decision.flag_key, decision.rule_key, decision.enabled) == ("checkout", "checkout_test", True)
    assert decision.variation_key in ("short", "colorful") and decision.reasons
    delivered = client.user("user-42").decide("checkout")
    assert delivered.variation_key == "plain" and delivered.reasons == ()
    assert delivered.variables == {"button": "Buy", "steps": 3, "theme": {"color": "grey", "dark": False}}
    assert delivered.value("theme.color") == "grey" and delivered.value("theme.x.y", 7) == 7
    assert delivered.user is not None and delivered.user.id == "user-42"


def test_a_user_changes_and_decisions_do_not(client: optimizely.Client) -> None:
    """(OPT-64, 4.13; offline)"""
    user = client.user("", {"plan": "pro", "odd": [1, {"a": None}], "big": 2**80, "none": None})
    before = user.decide("checkout")
    for value in ("free", True, 3, 1.5, None, [1], {"a": 1}, 2**70):
        user.set("plan", value)
        assert user.decide("checkout").rule_key == "everyone"
    assert before.rule_key == "checkout_test" and before.user.attributes["plan"] == "pro"
    twin = user.copy()
    twin.set("plan", "pro")
    assert twin.decide("checkout").rule_key == "checkout_test" and user.decide("checkout").rule_key == "everyone"
    with pytest.raises(hoist.Error):
        user.set("age", float("nan"))
    with pytest.raises(hoist.Error):
        client.user(None)


def test_several_flags_and_options(client: optimizely.Client) -> None:
    """(OPT-60, OPT-62; offline)"""
    user = client.user("user-42")
    some = user.decide_for_keys(["banner", "nobody", "banner"], [Option.ENABLED_FLAGS_ONLY, "EXCLUDE_VARIABLES"])
    assert list(some) == ["banner", "nobody"] and some["banner"].variables == {}
    assert some["nobody"] == Decision("nobody", reasons=('No flag was found for key "nobody".',))
    assert list(user.decide_all()) == ["checkout", "banner"]
    assert list(user.decide_wait(timeout=1)) == ["checkout", "banner"]
    with pytest.raises(TypeError):
        user.decide_for_keys("banner")


def test_options_that_do_not_exist_are_left_out(client: optimizely.Client, caplog: pytest.LogCaptureFixture) -> None:
    """As the vendor's SDK does (OPT-56; offline)."""
    user = client.user("user-42")
    options: Any = ["NO_SUCH", "EXCLUDE_VARIABLES", object()]
    assert user.decide("banner", options).variables == {}
    assert [record.getMessage().startswith("there is no decide option ") for record in caplog.records] == [True, True]
    assert user.decide("banner", "EXCLUDE_VARIABLES").variables == {}


@pytest.mark.parametrize("tags", [{"value": float("nan")}, {"a": {"b": float("inf")}}, {"a": object()}])
def test_tags_that_cannot_be_sent_are_refused(
    client: optimizely.Client, caplog: pytest.LogCaptureFixture, tags: dict[str, Any]
) -> None:
    """With a status, as all that tracks, and a line in the log (OPT-63; offline)."""
    assert client.user("user-42").track("purchase", tags) is Status.ARGUMENT
    assert client.track_event("purchase", hoist.Context("user-42"), tags) is Status.ARGUMENT
    assert [record.getMessage().split(":")[0] for record in caplog.records] == ["event 'purchase' is not recorded"] * 2


def test_forced_decisions_and_variations(client: optimizely.Client) -> None:
    """(OPT-65, OPT-66; offline)"""
    user = client.user("user-42")
    assert user.set_forced_decision("checkout", "colorful") and user.forced_decision("checkout") == "colorful"
    forced = user.decide("checkout")
    assert (forced.variation_key, forced.rule_key) == ("colorful", None)
    assert user.remove_forced_decision("checkout") and not user.remove_forced_decision("checkout")
    user.set_forced_decision("checkout", "short", "everyone")
    user.remove_all_forced_decisions()
    assert user.decide("checkout").variation_key == "plain"
    assert client.set_forced_variation("checkout_test", "user-42", "short")
    assert client.forced_variation("checkout_test", "user-42") == "short"
    assert user.decide("checkout").variation_key == "short"
    assert not client.set_forced_variation("checkout_test", "user-42", "nobody")
    assert client.set_forced_variation("checkout_test", "user-42", None)
    assert client.forced_variation("checkout_test", "user-42") is None


def test_a_user_is_told_how_it_comes_to_a_flag(client: optimizely.Client) -> None:
    """With what belongs to the user alone, as the core's explanations cannot know it; nothing is kept. State: ready."""
    user = client.user("user-7", {"plan": "pro"})
    free = user.explain("checkout")
    assert free is not None and (free["flag"], free["variation"]) == ("checkout", user.decide("checkout").variation_key)
    other = "colorful" if free["variation"] == "short" else "short"
    user.set_forced_decision("checkout", other)
    forced = user.explain("checkout")
    assert forced is not None and forced["variation"] == other
    assert any(step.get("code") == "userHasForcedDecision" for step in forced["steps"])
    assert user.explain("no such flag") is None
    profiles = Profiles()
    with open_client(profiles=profiles) as sticky:
        assert sticky.user("user-7", {"plan": "pro"}).explain("checkout") is not None
        assert profiles.calls == ["lookup user-7"] and profiles.by_user == {}


def test_profiles_are_asked_once_and_win() -> None:
    """(OPT-05, 4.6; offline)"""
    profiles = Profiles({"user-7": {"user_id": "user-7", "experiment_bucket_map": {"200": {"variation_id": "211"}}}})
    with open_client(profiles=profiles) as client:
        assert client.user("user-7").decide("checkout").variation_key == "colorful"
        assert profiles.calls == ["lookup user-7"]
        client.user("new", {"plan": "pro"}).decide_all()
        assert profiles.calls[1:] == ["lookup new", "save new"]
        assert list(profiles.by_user["new"]["experiment_bucket_map"]) == ["200"]

    class Broken(Profiles):
        def lookup(self, user_id: str) -> Mapping[str, Any] | None:
            raise OSError("no disk")

    with open_client(profiles=Broken()) as client:
        assert client.user("u", {"plan": "pro"}).decide("checkout").enabled


def test_observers_are_told_in_dispatch(client: optimizely.Client) -> None:
    """(OPT-69, OPT-101; offline)"""
    heard: list[Any] = []
    decisions = client.observe_notifications(NotificationKind.DECISION, heard.append)
    client.observe_notifications(NotificationKind.TRACK, heard.append)
    user = client.user("user-7", {"plan": "pro"})
    user.decide("checkout")
    assert user.track("purchase", {"revenue": 5}) is Status.OK
    assert user.track("nobody") is Status.OPTIMIZELY_EVENT_KEY_INVALID
    assert heard == []
    client.dispatch()
    assert [news.get("type") or news["eventKey"] for news in heard] == ["flag", "purchase"]
    assert heard[0]["attributes"] == {"plan": "pro"} and heard[0]["decisionInfo"]["experimentId"] == "200"
    assert heard[1]["event"]["body"]["visitors"][0]["snapshots"][0]["events"][0]["revenue"] == 5
    assert decisions.cancel() and not decisions.cancel()
    assert client.unobserve_all()
    user.decide("checkout")
    client.dispatch()
    assert len(heard) == 2


def test_the_calls_that_came_before_users(client: optimizely.Client) -> None:
    """(OPT-77; offline)"""
    user = hoist.Context("user-7", plan="pro")
    variation = client.variation("checkout_test", user)
    assert variation in ("short", "colorful") and client.activate("checkout_test", user) == variation
    assert client.activate("nobody", user) is None and client.variation("checkout_test", hoist.Context(None)) is None
    assert client.is_feature_enabled("banner", user) and not client.is_feature_enabled("nobody", user)
    assert client.enabled_features(user) == ["checkout", "banner"]
    other = hoist.Context("user-42")
    assert client.feature_variable("checkout", "steps", other, int) == 3
    assert client.feature_variable("checkout", "steps", other, str) is None
    assert client.feature_variable("checkout", "theme", other, dict)["color"] == "grey"
    assert client.feature_variables("nobody", other) is None
    assert client.track_event("purchase", other) is Status.OK
    assert client.track_event("purchase", hoist.Context(None)) is Status.OPTIMIZELY_USER_ID_INVALID


def test_users_outlive_their_client_and_come_before_a_datafile() -> None:
    """(OPT-02, OPT-21; before start, handle outlives client)"""
    with open_client(None, autostart=False, sdk_key="k") as waiting:
        assert waiting.user("u").decide("checkout").reasons == (NOT_READY,)
        assert waiting.user("u").decide_all() == {} and waiting.config is None
    client = open_client()
    user = client.user("user-42")
    client.close()
    assert user.decide("checkout").reasons == (NOT_READY,)
    del client
    assert user.copy().decide("checkout").reasons == (NOT_READY,) and user.id == "user-42"
    assert user.track("purchase") is not Status.OK


def test_asynchronous_decisions_end_in_dispatch(client: optimizely.Client) -> None:
    """(OPT-60; offline)"""
    ended: list[Any] = []
    assert client.user("user-42").decide_soon(["banner"], (), lambda *outcome: ended.append(outcome))
    client.dispatch()
    assert len(ended) == 1 and ended[0][0] is Status.OK and ended[0][1]["banner"].enabled

    async def decide() -> dict[str, Decision]:
        return await client.user("user-42").decide_async(client)

    assert list(asyncio.run(decide())) == ["checkout", "banner"]


def test_many_threads_use_one_user(client: optimizely.Client) -> None:
    """5.10"""
    user = client.user("user-7", {"plan": "pro"})
    wrong: list[str | None] = []

    def work(number: int) -> None:
        for turn in range(100):
            if number == 0:
                user.set("plan", "pro" if turn % 2 else "free")
            elif (rule := user.decide("checkout").rule_key) not in ("checkout_test", "everyone"):
                wrong.append(rule)

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_variables_of_a_wrong_type_are_left_out() -> None:
    """4.10"""
    datafile = copy.deepcopy(DATAFILE)
    datafile["featureFlags"][0]["variables"][1]["defaultValue"] = "many"
    with open_client(datafile) as client:
        decision = client.user("user-42").decide("checkout")
        assert "steps" not in decision.variables
        assert decision.reasons == ('Variable value for key "steps" is invalid or wrong type.',)
