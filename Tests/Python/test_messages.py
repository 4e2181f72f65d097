"""Mistakes in calls: the message names the argument, by the name that it has in the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import hoist
from hoist import flagship, kameleoon, launchdarkly, optimizely, unleash

READY = hoist.Topic.READY


@pytest.fixture(scope="module")
def made() -> Iterator[SimpleNamespace]:
    """One client of each service, offline."""
    quiet: dict[str, Any] = {"online": False, "store": "none", "log.level": "none"}
    clients = SimpleNamespace(
        unleash=unleash.Client(quiet, mode="backend"), optimizely=optimizely.Client(quiet, sdk_key="k"),
        launchdarkly=launchdarkly.Client(quiet, mobile_key="k"), flagship=flagship.Client(quiet, env_id="e", api_key="k"),
        kameleoon=kameleoon.Client(quiet, site_code="s"),
    )  # fmt: skip
    yield clients
    for client in vars(clients).values():
        client.close(1)


MISTAKES: list[tuple[Callable[[Any], object], str]] = [
    (lambda made: made.unleash.bool(5), "key is a str, not int"),
    (lambda made: made.unleash.string("x", None, 5), "fallback is a str, not int"),
    (lambda made: made.unleash.float("x", None, "y"), "fallback is a number, not str"),
    (lambda made: made.unleash.evaluate(5), "key is a str, not int"),
    (lambda made: made.unleash.bool("x", 5), "context is .* not int"),
    (lambda made: made.unleash.view().bool("x", "y"), "fallback is a bool, not str"),
    (lambda made: made.unleash.view().bool(["x"]), "key is a str, not list"),
    (lambda made: made.unleash.view().int("x", "y"), "fallback is an int, not str"),
    (lambda made: made.unleash.view().float("x", "y"), "fallback is a number, not str"),
    (lambda made: made.unleash.view().string("x", 5), "fallback is a str, not int"),
    (lambda made: made.unleash.wait_ready("5"), "timeout is a number of seconds or None, not str"),
    (lambda made: made.unleash.flush("5"), "timeout is a number"),
    (lambda made: made.unleash.close([]), "timeout is a number"),
    (lambda made: made.unleash.identify({}, "5"), "timeout is a number"),
    (lambda made: made.unleash.track(5), "key is a str, not int"),
    (lambda made: made.unleash.track("x", value="y"), "value is a number, not str"),
    (lambda made: made.unleash.track("x", properties=[1]), "properties is a mapping, not list"),
    (lambda made: made.unleash.share(5), "name is a str, not int"),
    (lambda made: hoist.shared(5), "name is a str, not int"),
    (lambda made: made.unleash.observe(READY, print, 5), "key is a str, not int"),
    (lambda made: setattr(made.unleash, "online", "yes"), "online is a bool, not str"),
    (lambda made: setattr(made.unleash, "log_level", "debug"), "level is a hoist.LogLevel, not str"),
    (lambda made: hoist.Client(5), "provider is a str, not int"),
    (lambda made: hoist.Client("unleash", hooks=5), "hooks is an iterable of hoist.Hook, not int"),
    (lambda made: hoist.Client("unleash", refresh_interval=object()), 'property "refresh_interval" .* object'),
    (lambda made: hoist.Config(5), "provider is a str, not int"),
    (lambda made: hoist.Config("unleash").get(5), "name is a str, not int"),
    (lambda made: hoist.Config("unleash").load_json(5), "text is a str or bytes, not int"),
    (lambda made: hoist.Context(5), "targeting_key is a str, not int"),
    (lambda made: hoist.Context.from_json(5), "text is a str or bytes, not int"),
    (lambda made: hoist.describe(5), "provider is a str, not int"),
    (lambda made: made.unleash.get_variant(5), "name is a str, not int"),
    (lambda made: made.unleash.set_context_field("x", 5), "value is a str, not int"),
    (lambda made: made.unleash.start(timeout="x"), "timeout is a number"),
    (lambda made: unleash.Client(poller=5), "poller is a hoist.Config, not int"),
    (lambda made: made.optimizely.user(5), "user_id is a str, not int"),
    (lambda made: made.optimizely.user("x").decide(5), "key is a str, not int"),
    (lambda made: made.optimizely.set_forced_variation("x", "y", 5), "variation_key is a str, not int"),
    (lambda made: made.optimizely.start_with_datafile(5), "datafile is a str or bytes, not int"),
    (lambda made: made.launchdarkly.bool_variation(5, False), "key is a str, not int"),
    (lambda made: made.launchdarkly.identify(None, "x"), "timeout is a number"),
    (lambda made: made.flagship.visitor(5), "id is a str, not int"),
    (lambda made: made.flagship.visitor("x").fetch("x"), "timeout is a number"),
    (lambda made: made.kameleoon.visitor(5), "code is a str, not int"),
    (lambda made: made.kameleoon.visitor("anna").is_feature_active(5), "key is a str, not int"),
]


def test_a_mistake_is_named(made: SimpleNamespace) -> None:
    """State: offline."""
    unnamed = []
    for call, message in MISTAKES:
        try:
            with pytest.raises(TypeError, match=message):
                call(made)
        except BaseException as problem:
            unnamed.append(f"{message}: {problem!r}")
    assert unnamed == []
