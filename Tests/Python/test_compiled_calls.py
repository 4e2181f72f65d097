"""The calls that are compiled answer what the plain ones answer, and leave nothing unread behind."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from documents import TYPED
from flagship import sample_bucketing
from kameleoon import sample_configuration
from test_optimizely_users import DATAFILE
from waiting import until

import hoist
from hoist import flagship, kameleoon, optimizely, unleash
from hoist._native import native

QUIET: dict[str, Any] = {"online": False, "store": "none", "log.level": "none"}
CONTEXTS: list[Any] = [
    None, {}, {"targetingKey": "u"}, {"targetingKey": "u", "plan": "pro", "n": 1, "x": 0.5, "yes": True, "é": "ü"},
    {"plan": "pro", "targetingKey": "pro"}, {"targetingKey": None, "plan": "pro"}, {"targetingKey": "u\0", "plan": "pro"},
    {"targetingKey": "u", "plan": "pr\ud800"}, {"targetingKey": "u", "plan": "pro", "big": 2**70}, {"targetingKey": "u", "x": float("nan")},
    {"targetingKey": "u", "list": ["a"], "deep": {"a": [1]}, "plan": "pro"}, {"userId": "u", "properties": {"plan": "pro"}},
    {"targetingKey": "u", "plan": "pro", "none": None}, {"targetingKey": 7}, {"targetingKey": "u", 7: "pro"}, {"targetingKey": "u", "o": object()},
    MappingProxyType({"targetingKey": "u", "plan": "pro"}), 7, "u",
]  # fmt: skip
KEYS: list[Any] = [
    "switch",
    "dark",
    "pro-only",
    "text",
    "empty-text",
    "long-text",
    "whole",
    "broken",
    "settings",
    "nothing",
    "none",
    "a\0b",
    "\ud800",
    7,
]
FALLBACKS: list[Any] = [True, False, 7, 2**70, 0.5, float("inf"), "x", "", "\0", "\ud800", None, {"a": 1}, [1]]
DEFAULTS: list[Any] = [*FALLBACKS, {}, [], (1,), {"title": "x", "lines": []}, object()]


def told(call: Any, *arguments: Any) -> str:
    """What a call answers or raises."""
    try:
        return re.sub(r"'draw': \d+", "'draw': …", repr(call(*arguments)))  # without a key, variants are drawn
    except (TypeError, OverflowError, hoist.Error) as problem:
        # Which of two wrong arguments is named first is not promised, nor in which words.
        return type(problem).__name__


def answers() -> list[str]:
    """All of it, in an order that is always the same."""
    toggles = unleash.Client(mode="backend", bootstrap=TYPED, **QUIET)
    users = optimizely.Client(datafile=DATAFILE, user_profiles=False, **QUIET)
    site = kameleoon.Client(site_code="a8st4f59bj", default_datafile=json.dumps(sample_configuration()), **QUIET)
    campaigns = flagship.Client(
        env_id="benchmark00000000000",
        api_key="benchmark",
        mode="bucketing",
        usage_tracking=False,
        bucketing=json.dumps(sample_bucketing()),
        **QUIET,
    )
    assert all(client.wait_ready(10) for client in (toggles, users, site, campaigns))
    visitor, guest, user = (
        site.visitor("visitor-1"),
        campaigns.visitor("staff-1", context={"vip": True, "orders": 3}),
        users.user("user-7", {"plan": "pro"}),
    )
    guest.fetch()
    found = []
    for key in KEYS:
        for context in CONTEXTS:
            calls = (toggles.bool, toggles.evaluate, toggles.explain, toggles.get_variant, toggles.check_variant)
            found += [told(call, key, context) for call in calls]
        found += [told(toggles.bool, key, {"targetingKey": "u"}, fallback) for fallback in FALLBACKS]
        found += [
            told(toggles.detail, key, context, fallback)
            for fallback in FALLBACKS
            for context in CONTEXTS[:4] + CONTEXTS[8:11]
        ]
    for key in ("checkout", "none", "a\0b", 7):
        for options in ((), optimizely.Option.INCLUDE_REASONS, "EXCLUDE_VARIABLES"):
            found += [
                told(user.decide, key, options),
                told(lambda k, o: (user.decide(k, o).user or user).id, key, options),
            ]
        found += [told(visitor.variation, key, track) for track in (True, False)]
    for key in (
        "button_colour",
        "free_shipping",
        "maximum_items",
        "discount",
        "banner",
        "sizes",
        "texts",
        "welcome",
        "none",
        "a\0b",
        7,
    ):
        found += [told(guest.value, key, default, expose) for default in DEFAULTS[:-1] for expose in (True, False)]
        found.append(told(guest.value, key, DEFAULTS[-1]))
    for client in (toggles, users, site, campaigns):
        client.close(0)
    assert until(lambda: toggles.evaluate("switch").error_code == "PROVIDER_NOT_READY")
    assert until(lambda: user.decide("checkout").variation_key is None)
    assert until(lambda: told(visitor.variation, "checkout") == "Error")
    assert until(lambda: guest.value("texts", {}) == {})
    return [*found, told(toggles.evaluate, "switch"), told(user.decide, "checkout")]


def test_compiled_and_plain_calls_answer_alike() -> None:
    """Each context, key and fallback that is unusual in some way, in both modes. States: ready, closed."""
    assert native.calls is not None
    libraries = [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libhoist.so" in line]
    child = subprocess.run(
        [sys.executable, "-c", "import json, test_compiled_calls; print(json.dumps(test_compiled_calls.answers()))"],
        env={**os.environ, "HOIST_PYTHON_MODE": "abi", "HOIST_LIBRARY": libraries[0], "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    ours, plain = answers(), json.loads(child.stdout)
    differing = [(one, other) for one, other in zip(ours, plain, strict=True) if one != other]
    assert not differing, differing[:5]


@pytest.fixture
def detail(offline: hoist.Client) -> hoist.Detail[Any]:
    return offline.evaluate("text", {"targetingKey": "u"})


def test_a_detail_is_whole_however_it_is_looked_at(offline: hoist.Client, detail: hoist.Detail[Any]) -> None:
    """Its metadata are read at the first look: equality, text, copies and pickles have them. State: ready."""
    expected = {"impressionData": False, "stale": False, "type": "release", "project": "web"}
    assert "'project': 'web'" in repr(detail)
    assert copy.copy(offline.evaluate("text", {"targetingKey": "u"})).metadata == expected
    assert pickle.loads(pickle.dumps(offline.evaluate("text", {"targetingKey": "u"}))).metadata == expected
    assert detail == offline.evaluate("text", {"targetingKey": "u"})
    assert detail.metadata is detail.metadata
    assert not hasattr(detail, "misspelt")
    with pytest.raises(AttributeError, match="misspelt"):
        detail.misspelt  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        detail.metadata = {}  # type: ignore[misc]


def test_what_a_hook_keeps_is_whole_when_the_evaluation_is_over() -> None:
    """The context of a `HookCall` is a copy, also where nothing looked at it meanwhile. State: ready."""
    kept: list[Any] = []

    class Keeps(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            kept.append(call)

        def after(self, call: hoist.HookCall, detail: hoist.Detail[Any]) -> None:
            kept.append(detail)

    with hoist.Client("unleash", mode="backend", bootstrap=TYPED, hooks=[Keeps()], **QUIET) as client:
        assert client.wait_ready(5)
        assert client.bool("pro-only", {"targetingKey": "u", "plan": "pro"})
        assert client.bool("switch")
    assert kept[0].context.to_dict() == {"targetingKey": "u", "plan": "pro"} and kept[0].context is kept[0].context
    assert kept[2].context is None
    assert kept[1].metadata["project"] == "web" and kept[1].key == "pro-only"
