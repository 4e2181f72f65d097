"""Commands about contexts, which need no flags."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Create


def output(answer: Any) -> Any:
    assert set(answer) == {"output"}
    return json.loads(answer["output"])


@pytest.mark.parametrize(("parameters", "expected"), [
    ({"single": {"key": "a"}}, {"kind": "user", "key": "a"}),
    ({"single": {"kind": "org", "key": "a", "name": "n", "anonymous": True, "private": ["b"], "custom": {"b": [1]}}},
     {"kind": "org", "key": "a", "name": "n", "anonymous": True, "b": [1], "_meta": {"privateAttributes": ["b"]}}),
    ({"single": {"key": "a", "anonymous": False, "custom": {"gone": None}}}, {"kind": "user", "key": "a"}),
    ({"multi": [{"kind": "org", "key": "o"}, {"key": "u", "name": "n"}]},
     {"kind": "multi", "org": {"key": "o"}, "user": {"key": "u", "name": "n"}}),
    ({"multi": [{"kind": "org", "key": "o"}]}, {"kind": "org", "key": "o"}),
])  # fmt: skip
def test_contexts_are_built(create: Create, parameters: Any, expected: Any) -> None:
    assert output(create().run("contextBuild", **parameters)) == expected


@pytest.mark.parametrize("parameters", [
    {"single": {"key": ""}}, {"single": {"kind": "kind", "key": "a"}}, {"single": {"kind": "multi", "key": "a"}},
    {"single": {"kind": "ørg", "key": "a"}}, {"multi": []}, {"multi": [{"key": "a"}, {"key": "b"}]},
    {"multi": [{"key": ""}, {"kind": "org", "key": "b"}]},
])  # fmt: skip
def test_contexts_that_cannot_be_built(create: Create, parameters: Any) -> None:
    answer = create().run("contextBuild", **parameters)
    assert set(answer) == {"error"} and answer["error"]


def test_contexts_are_converted(create: Create) -> None:
    client = create()
    user = '{"key": "u", "firstName": "f", "custom": {"a": 1.0}, "privateAttributeNames": ["a"]}'
    assert output(client.run("contextConvert", input=user)) == {
        "kind": "user", "key": "u", "firstName": "f", "a": 1, "_meta": {"privateAttributes": ["a"]}}  # fmt: skip
    assert output(client.run("contextConvert", input='{"kind":"org","key":"o","name":null,"x":null}')) == {
        "kind": "org", "key": "o"}  # fmt: skip
    for broken in ("", "{", "3", '{"kind":"org"}', '{"kind":"org","key":"o","name":3}', '{"kind":"user","key":""}'):
        assert set(client.run("contextConvert", input=broken)) == {"error"}


def part(kind: str, key: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "key": key, **more}


def private(value: str, is_literal: bool) -> dict[str, Any]:
    return {"value": value, "literal": is_literal}


@pytest.mark.parametrize(("first", "second", "equal"), [
    ({"single": part("user", "a")}, {"single": part("user", "a")}, True),
    ({"single": part("user", "a")}, {"single": part("org", "a")}, False),
    ({"single": part("user", "a", attributes=[{"name": "x", "value": 1}, {"name": "y", "value": {"b": [2]}}])},
     {"single": part("user", "a", attributes=[{"name": "y", "value": {"b": [2.0]}}, {"name": "x", "value": 1}])}, True),
    ({"single": part("user", "a", attributes=[{"name": "x", "value": 1}])}, {"single": part("user", "a")}, False),
    ({"single": part("user", "a", privateAttributes=[private("/address/street", True)])},
     {"single": part("user", "a", privateAttributes=[private("/~1address~1street", False)])}, True),
    ({"single": part("user", "a", privateAttributes=[private("/address/street", False)])},
     {"single": part("user", "a", privateAttributes=[private("/address/street", True)])}, False),
    ({"multi": [part("user", "a"), part("org", "b")]}, {"multi": [part("org", "b"), part("user", "a")]}, True),
    ({"multi": [part("user", "a"), part("org", "b")]}, {"single": part("user", "a")}, False),
])  # fmt: skip
def test_contexts_are_compared(create: Create, first: Any, second: Any, equal: bool) -> None:
    client = create()
    assert client.run("contextComparison", context1=first, context2=second) == {"equals": equal}
    assert client.run("contextComparison", context1=second, context2=first) == {"equals": equal}
