"""Whatever a caller passes: no crash, no exception, the fallback's type."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from documents import TYPED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hoist

ANY_TEXT = st.text(st.characters(exclude_categories=())).filter(lambda text: len(text) < 2000)
NAMES = st.one_of(ANY_TEXT, st.sampled_from(["userId", "plan", "targetingKey", "properties", "currentTime", ""]))
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), ANY_TEXT)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=20,
)
VALUES = st.one_of(JSON, st.dates(), st.datetimes(), st.lists(ANY_TEXT, max_size=4), st.frozensets(ANY_TEXT, max_size=4))
CONTEXTS = st.one_of(
    st.none(),
    st.dictionaries(NAMES.filter(lambda name: name != "targetingKey"), VALUES, max_size=6),
    st.builds(lambda key, rest: {**rest, "targetingKey": key}, ANY_TEXT, st.dictionaries(ANY_TEXT, VALUES, max_size=3)),
)
KEYS = st.one_of(ANY_TEXT, st.sampled_from([feature["name"] for feature in TYPED["features"]]))
EFFORT = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def client() -> Iterator[hoist.Client]:
    with hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap=TYPED) as opened:
        opened.wait_ready(5)
        yield opened


@EFFORT
@given(key=KEYS, context=CONTEXTS, fallback=st.booleans())
def test_bool_gives_a_bool(client: hoist.Client, key: str, context: dict, fallback: bool) -> None:
    """G1, G8"""
    value = client.bool(key, context, fallback)
    assert isinstance(value, bool)
    # Counted evaluation and detail say the same.
    assert client.detail(key, context, fallback).value is value


@EFFORT
@given(key=KEYS, context=CONTEXTS, fallback=st.integers())
def test_int_gives_an_int(client: hoist.Client, key: str, context: dict, fallback: int) -> None:
    """G1, G8: 42 is the one integer there is."""
    assert client.int(key, context, fallback) in (fallback, 42)


@EFFORT
@given(key=KEYS, context=CONTEXTS, fallback=st.floats())
def test_float_gives_a_float(client: hoist.Client, key: str, context: dict, fallback: float) -> None:
    """G1, G8"""
    value = client.float(key, context, fallback)
    assert value in (42.0, 2.5) or value == fallback or (math.isnan(value) and math.isnan(fallback))


@EFFORT
@given(key=KEYS, context=CONTEXTS, fallback=ANY_TEXT)
def test_string_gives_the_flags_text_or_the_fallback(
    client: hoist.Client, key: str, context: dict, fallback: str
) -> None:
    """G1, G8"""
    value = client.string(key, context, fallback)
    assert isinstance(value, str)
    if key not in ("text", "empty-text", "long-text"):
        assert value == fallback


@EFFORT
@given(key=KEYS, context=CONTEXTS, fallback=JSON)
def test_json_gives_the_flags_value_or_the_very_fallback(
    client: hoist.Client, key: str, context: dict, fallback: object
) -> None:
    """G1, G8"""
    value = client.json(key, context, fallback)
    if key not in {feature["name"] for feature in TYPED["features"]}:
        assert value is fallback


@EFFORT
@given(key=KEYS, context=CONTEXTS)
def test_details_views_and_tracking_take_anything(client: hoist.Client, key: str, context: dict) -> None:
    """G1, G8"""
    assert client.evaluate(key, context).key == key
    assert client.explain(key, context).key == key
    assert isinstance(client.all_flags(context), dict)
    with client.view(context) as view:
        assert isinstance(view.bool(key), bool)
        assert isinstance(view.string(key), str)
        assert isinstance(view.variation(key), str)
    assert isinstance(client.track(key, context), hoist.Status)


@EFFORT
@given(values=st.dictionaries(ANY_TEXT, VALUES, max_size=6), key=st.none() | ANY_TEXT)
def test_a_context_is_made_or_refused(values: dict, key: str | None) -> None:
    """G8: what was set is read back; what cannot be set is refused with a status."""
    try:
        context = hoist.Context(key, values)
    except hoist.Error as refused:
        assert refused.status in (hoist.Status.ARGUMENT, hoist.Status.LIMIT, hoist.Status.PARSE)
        return
    read = context.to_dict()
    assert context.targeting_key == key
    for name, value in values.items():
        if name != "targetingKey" and isinstance(value, (str, bool)):
            assert read[name] == value


@EFFORT
@given(text=st.text(), more=st.binary())
def test_json_texts_make_a_context_or_an_error(text: str, more: bytes) -> None:
    """G2, G8"""
    for document in (text, more, text.encode("utf-8", "surrogatepass") + more):
        try:
            hoist.Context.from_json(document)
        except hoist.Error as refused:
            assert not refused.status


@EFFORT
@given(name=ANY_TEXT, value=st.one_of(ANY_TEXT, st.booleans(), st.integers(), st.floats(allow_nan=False)))
def test_a_property_is_set_or_refused(name: str, value: object) -> None:
    """G8"""
    config = hoist.Config("unleash")
    try:
        config.set(name, value)  # type: ignore[arg-type]
    except hoist.Error as refused:
        assert refused.status in (hoist.Status.CONFIG, hoist.Status.ARGUMENT)
    else:
        assert config.get(name) is not None
