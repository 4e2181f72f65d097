"""Contexts: what Python values become."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from datetime import date, datetime, timedelta, timezone

import pytest

import hoist


def test_values_of_every_kind_are_read_back() -> None:
    context = hoist.Context(
        "user-42",
        {"dotted.name": "ü", "list": ("a", "b"), "mixed": [1, "x", None], "nested": OrderedDict(a={"b": 1.5})},
        beta=True, age=31, share=0.25, nothing=None, big=2**62, beyond=2**70,
    )  # fmt: skip
    assert context.targeting_key == "user-42"
    assert context.to_dict() == {
        "targetingKey": "user-42", "dotted.name": "ü", "list": ["a", "b"], "mixed": [1, "x", None],
        "nested": {"a": {"b": 1.5}}, "beta": True, "age": 31, "share": 0.25, "nothing": None, "big": 2**62,
        "beyond": float(2**70),
    }  # fmt: skip
    assert context.to_dict()["beta"] is True


def test_dates_are_points_in_time() -> None:
    noon = datetime(2026, 1, 5, 12, 0, 0, 250_000, tzinfo=timezone(timedelta(hours=2)))
    context = hoist.Context(None, at=noon, day=date(2026, 1, 5), local=datetime(2026, 1, 5, 12))
    values = context.to_dict()
    assert values["at"].startswith("2026-01-05T10:00:00.25")
    assert values["day"].startswith("2026-01-05T00:00:00")
    assert datetime.fromisoformat(values["local"].replace("Z", "+00:00")) == datetime(2026, 1, 5, 12).astimezone()
    assert "targetingKey" not in values


@pytest.mark.parametrize("moment", [datetime.min, datetime.max, date.min, date.max, datetime.min.replace(tzinfo=timezone.utc)])
def test_the_ends_of_the_calendar_are_no_accident(moment: date) -> None:
    """G8"""
    assert isinstance(hoist.Context(None, at=moment).to_dict()["at"], str)


def test_a_dict_or_json_is_read_alike() -> None:
    values = {"targetingKey": "u", "plan": "pro", "count": 3}
    assert hoist.Context.from_dict(values).to_dict() == values
    assert hoist.Context.from_json('{"targetingKey":"u","plan":"pro","count":3}').to_dict() == values
    assert hoist.Context.from_json(b'{"targetingKey":"u"}').targeting_key == "u"
    with pytest.raises(TypeError):
        hoist.Context.from_dict({"targetingKey": 5})
    with pytest.raises(hoist.Error) as refused:
        hoist.Context.from_json("[1]")
    assert refused.value.status is hoist.Status.PARSE


@pytest.mark.parametrize("document", ['{"userId":"u","plan":1,"properties":{"plan":2}}', '{"properties":{"plan":2},"plan":1,"userId":"u"}',
                                      '{"userId":"u","properties":{"userId":"v"},"plan":1}'])  # fmt: skip
def test_what_stands_twice_in_a_context_is_refused_by_its_name(document: str) -> None:
    """Contract 4: read or refused with the member's name, never dropped. State: no client."""
    name = "userId" if '"v"' in document else "plan"
    with pytest.raises(hoist.Error, match=f'"{name}" twice') as refused:
        hoist.Context.from_json(document)
    assert refused.value.status is hoist.Status.PARSE


def test_copies_go_their_own_way() -> None:
    one = hoist.Context("u", plan="pro")
    two, three, four = one.copy(), pickle.loads(pickle.dumps(one)), copy.copy(one)
    one.set("plan", "free")
    one.targeting_key = None
    for twin in (two, three, four):
        assert twin.to_dict() == {"targetingKey": "u", "plan": "pro"}
    assert one.to_dict() == {"plan": "free"}


def test_attributes_are_removed() -> None:
    context = hoist.Context("u", plan="pro")
    assert context.remove("plan") is True
    assert context.remove("plan") is False
    assert context.to_dict() == {"targetingKey": "u"}


@pytest.mark.parametrize("value", [object(), b"bytes", 1j, print])
def test_what_cannot_be_an_attribute_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError):
        hoist.Context(None, a=value)
    with pytest.raises(TypeError):
        hoist.Context(None, a=[value])


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("a", float("nan"), hoist.Status.ARGUMENT),
        ("a", "x\0y", hoist.Status.ARGUMENT),
        ("a\0b", "x", hoist.Status.ARGUMENT),
        ("n" * 1025, "x", hoist.Status.LIMIT),
        ("a", "x" * (1 << 20) + "x", hoist.Status.LIMIT),
        ("a", 10**400, hoist.Status.ARGUMENT),
    ],
    ids=["nan", "nul in value", "nul in name", "long name", "long value", "beyond double"],
)
def test_a_value_beyond_the_limits_is_refused_and_named(name: str, value: object, status: hoist.Status) -> None:
    """G5, G8"""
    with pytest.raises(hoist.Error) as refused:
        hoist.Context(None, {name: value})
    assert refused.value.status is status


def test_too_many_attributes_are_refused() -> None:
    """G5"""
    context = hoist.Context(None, {f"a{index}": index for index in range(10_000)})
    with pytest.raises(hoist.Error) as refused:
        context.set("one-more", 1)
    assert refused.value.status is hoist.Status.LIMIT
    context.set("a0", "changed")


def test_depth_without_end_is_refused() -> None:
    """G2"""
    value: object = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(hoist.Error):
        hoist.Context(None, a=value)
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(hoist.Error):
        hoist.Context(None, a=loop)


def test_a_context_shows_no_attributes() -> None:
    """G7: a context in a log line gives nothing private away."""
    assert "secret" not in repr(hoist.Context("u", token="secret"))
