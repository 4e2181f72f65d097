"""Typed evaluation of flags that are read from a document, without a network."""

from __future__ import annotations

import json
import math

import pytest
from documents import LONG_TEXT, SETTINGS

import hoist

PRO = {"targetingKey": "user-42", "plan": "pro"}
TYPES = {"bool": True, "int": 7, "float": 7.5, "string": "seven", "json": [7]}


def read(client: hoist.Client, kind: str, key: str, context: object, fallback: object) -> object:
    return getattr(client, kind)(key, context, fallback)


def test_each_type_is_read(offline: hoist.Client) -> None:
    """Payloads are read by type (UNL-103; offline)."""
    assert offline.bool("switch") is True
    assert offline.bool("dark", None, True) is False
    assert offline.int("whole") == 42
    assert offline.float("whole") == 42.0
    assert offline.float("broken") == 2.5
    assert offline.string("text") == "grün"
    assert offline.string("empty-text", None, "x") == ""
    assert offline.json("settings") == SETTINGS


def test_a_number_with_a_fraction_is_no_integer(offline: hoist.Client) -> None:
    assert offline.int("broken", None, 9) == 9
    assert offline.detail("broken", None, 9).error_code == "TYPE_MISMATCH"


def test_the_context_of_the_call_decides(offline: hoist.Client) -> None:
    """(UNL-100; offline)"""
    user = hoist.Context("user-42", plan="pro")
    assert offline.bool("pro-only", user) is True
    assert offline.bool("pro-only", PRO) is True
    assert offline.bool("pro-only") is False
    user.set("plan", "free")
    assert offline.bool("pro-only", user) is False


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("key", ["unknown", "", "a\0b", "\ud800", "x" * 100_000, "schlüssel"])
def test_a_key_that_is_no_flag_gives_the_fallback(offline: hoist.Client, kind: str, key: str) -> None:
    """G8: a key with a NUL is not the key before the NUL."""
    fallback = TYPES[kind]
    assert read(offline, kind, key, None, fallback) == fallback


def test_a_key_cut_at_a_nul_would_be_another_flag(offline: hoist.Client) -> None:
    assert offline.bool("switch\0more") is False
    assert offline.evaluate("switch\0more").error_code


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(
    "context",
    [{"a": math.nan}, {"a": "\ud800"}, {"a": "x\0y"}, {"targetingKey": "\udfff"}, {"a": [math.inf]}, {"a": 10**400}],
    ids=["nan", "surrogate", "nul", "key", "infinity in a list", "huge"],
)
def test_a_context_that_cannot_be_made_gives_the_fallback(offline: hoist.Client, kind: str, context: dict) -> None:
    fallback = TYPES[kind]
    assert read(offline, kind, "switch" if kind != "bool" else "dark", context, fallback) == fallback
    detail = offline.detail("dark", context, fallback)
    assert (detail.value, detail.error_code) == (fallback, "INVALID_CONTEXT")
    assert offline.evaluate("dark", context).failed
    assert offline.all_flags(context) == {}
    assert offline.view(context).bool("switch", True) is True


@pytest.mark.parametrize("kind", TYPES)
def test_arguments_of_a_wrong_type_are_the_callers_error(offline: hoist.Client, kind: str) -> None:
    fallback = TYPES[kind]
    for key in (None, 5, b"switch"):
        with pytest.raises(TypeError):
            read(offline, kind, key, None, fallback)  # type: ignore[arg-type]
    for context in (5, "user-42", [("a", 1)]):
        with pytest.raises(TypeError):
            read(offline, kind, "switch", context, fallback)
    with pytest.raises(TypeError):
        read(offline, kind, "switch", {"a": object()}, fallback)


def test_a_fallback_is_handed_back_as_it_is(offline: hoist.Client) -> None:
    mine = {"my": object()}
    assert offline.json("unknown", None, mine) is mine
    assert offline.detail("unknown", None, mine).value is mine
    assert offline.int("unknown", None, 2**70) == 2**70
    assert offline.int("whole", None, -(2**70)) == 42
    assert offline.string("unknown", None, "a\0b\ud800") == "a\0b\ud800"
    assert offline.string("text", None, "a\0b\ud800") == "grün"
    assert math.isnan(offline.float("unknown", None, math.nan))
    assert offline.string("unknown", None, "ü" * 5000) == "ü" * 5000


def test_a_text_longer_than_any_buffer_is_read_whole(offline: hoist.Client) -> None:
    assert offline.string("long-text") == LONG_TEXT
    assert offline.string("long-text", None, "f" * 10) == LONG_TEXT
    assert offline.detail("long-text", None, "").value == LONG_TEXT


def test_json_null_is_a_value(offline: hoist.Client) -> None:
    assert offline.json("nothing", None, 5) is None
    assert offline.json("unknown", None, 5) == 5


def test_details_say_why(offline: hoist.Client) -> None:
    """Reasons and codes are OpenFeature's."""
    assert offline.detail("switch", None, False) == hoist.Detail(
        "switch", True, True, "", "STATIC", metadata=offline.evaluate("switch").metadata
    )
    unknown = offline.detail("unknown", None, "fallback")
    assert (unknown.key, unknown.value, unknown.reason, unknown.error_code, unknown.failed) == (
        "unknown", "fallback", "ERROR", "FLAG_NOT_FOUND", True,
    )  # fmt: skip
    assert unknown.error_message
    mismatch = offline.detail("text", None, 5)
    assert (mismatch.value, mismatch.error_code) == (5, "TYPE_MISMATCH")
    assert offline.detail("text", None, "").variation == "text-variant"
    assert offline.detail("settings", None, None).value == SETTINGS
    assert offline.evaluate("pro-only", PRO).enabled is True


def test_an_explanation_names_the_steps_and_counts_nothing(offline: hoist.Client) -> None:
    detail = offline.explain("pro-only", PRO)
    assert detail.enabled and detail.explanation
    assert "plan" in json.dumps(detail.explanation)
    assert offline.evaluate("pro-only", PRO).explanation is None


def test_all_flags_are_evaluated_for_the_context(offline: hoist.Client) -> None:
    """(UNL-86; offline)"""
    flags = offline.all_flags(PRO)
    assert {"switch", "dark", "pro-only", "whole"} <= set(flags)
    assert flags["pro-only"].enabled and not offline.all_flags()["pro-only"].enabled
    assert flags["dark"].key == "dark"


def test_a_view_reads_one_state(offline: hoist.Client) -> None:
    with offline.view(PRO) as view:
        assert view.bool("pro-only") and not view.bool("unknown")
        assert (view.int("whole"), view.float("whole"), view.string("text")) == (42, 42.0, "grün")
        assert view.string("long-text") == LONG_TEXT
        assert view.json("settings") == SETTINGS
        assert view.variation("text") == "text-variant"
        assert (view.string("unknown", "a\0"), view.json("unknown", TYPES)) == ("a\0", TYPES)
        assert (view.int("unknown", 2**70), view.int("whole", 2**70)) == (2**70, 42)
        with pytest.raises(TypeError):
            view.string("text", 5)  # type: ignore[arg-type]
    assert view.int("whole", 3) == 3, "a closed view answers with fallbacks"


def test_a_view_outlives_its_client() -> None:
    client = hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap={"version": 2, "features": []})
    view = client.view()
    client.close()
    del client
    assert view.bool("switch", True) is True


def test_a_closed_client_goes_on_answering(offline: hoist.Client) -> None:
    """G4: closing twice is harmless, and flags stay readable."""
    assert offline.close() and offline.close()
    assert offline.state is hoist.State.CLOSED
    assert offline.bool("unknown", None, True) is True
    assert isinstance(offline.bool("switch"), bool)
    assert offline.track("purchase") is hoist.Status.STATE
    offline.reopen()
    assert offline.wait_ready(5) and offline.bool("switch")
    with pytest.raises(hoist.Error) as refused:
        offline.reopen()
    assert refused.value.status is hoist.Status.STATE


def test_a_fallback_beyond_c_s_integers_is_given_back(offline: hoist.Client) -> None:
    for fallback in (2**63, -(2**63) - 1, 10**30):
        assert offline.int("switch", None, fallback) == fallback
        assert offline.detail("switch", None, fallback).value == fallback
        assert offline.int("nowhere", None, fallback) == fallback
