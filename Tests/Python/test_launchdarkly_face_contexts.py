"""LaunchDarkly's contexts through its face (LD-71, LD-72; no client)."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

import hoist
from hoist import Status, launchdarkly
from hoist.launchdarkly import Context, literal, reference_names
from hoist.launchdarkly.context import as_launchdarkly

ANN = {
    "kind": "user", "key": "user-42", "name": "Ann", "plan": "pro", "address": {"street": "Main", "city": "Oslo"},
    "_meta": {"privateAttributes": ["/address/street", "name"]},
}  # fmt: skip


def ann() -> Context:
    attributes = {"plan": "pro", "address": {"street": "Main", "city": "Oslo"}, "gone": None}
    return Context("user-42", name="Ann", attributes=attributes, private=["name", "/address/street"])


def test_a_context_of_one_kind() -> None:
    context = ann()
    assert context.to_dict() == ANN
    assert (context.kind, context.key, context.is_multi, context.keys) == ("user", "user-42", False, {"user": "user-42"})
    assert context.get("/address/city") == "Oslo" and context.get("plan") == "pro" and context.get("name") == "Ann"
    assert context.get("gone") is None and context.get("gone", 7) == 7
    assert Context("a", anonymous=True).to_dict() == {"kind": "user", "key": "a", "anonymous": True}


def test_contexts_of_several_kinds() -> None:
    organisation = Context("a:b", kind="org", attributes={"seats": 5})
    both = Context.multi(ann(), organisation)
    assert both.to_dict() == {
        "kind": "multi", "org": {"key": "a:b", "seats": 5}, "user": {k: v for k, v in ANN.items() if k != "kind"}}  # fmt: skip
    assert (both.kind, both.key, both.is_multi) == ("multi", None, True)
    assert both.keys == {"org": "a:b", "user": "user-42"}
    assert both.fully_qualified_key == "org:a%3Ab:user:user-42"
    assert both.part("org") == organisation and both.part("device") is None
    assert Context.multi(organisation) == organisation
    assert Context.multi(both, Context("d", kind="device")).keys.keys() == {"org", "user", "device"}


def test_a_key_that_is_generated_later() -> None:
    context = Context(attributes={"plan": "free"})
    assert context.key is None and context.get("anonymous") is True
    assert pickle.loads(pickle.dumps(context)) == context


def test_parts_may_lack_their_keys() -> None:
    """Contract 3: built, kept, and taken over from the core's form; the service's own form has its keys."""
    both = Context.multi(Context(kind="org"), Context("u"))
    assert both.keys == {"org": None, "user": "u"}
    assert Context.from_hoist(both.to_hoist()) == both and pickle.loads(pickle.dumps(both)) == both
    assert as_launchdarkly({"kind": "multi", "org": {"anonymous": True}, "user": {"key": "u"}}) == both
    assert as_launchdarkly({"kind": "org"}) == Context(kind="org")


@pytest.mark.parametrize(("build", "status"), [
    (lambda: Context(""), Status.LAUNCHDARKLY_KEY_EMPTY),
    (lambda: Context("a", kind="kind"), Status.LAUNCHDARKLY_KIND_INVALID),
    (lambda: Context("a", kind="ørg"), Status.LAUNCHDARKLY_KIND_INVALID),
    (lambda: Context("a", kind="multi"), Status.LAUNCHDARKLY_MULTI_BUILDER_REQUIRED),
    (lambda: Context("a", attributes={"": 1}), Status.LAUNCHDARKLY_ATTRIBUTE_REFUSED),
    (lambda: Context("a", attributes={"_meta": {}}), Status.LAUNCHDARKLY_ATTRIBUTE_REFUSED),
    (lambda: Context("a", attributes={"name": 3}), Status.LAUNCHDARKLY_ATTRIBUTE_REFUSED),
    (lambda: Context.multi(), Status.LAUNCHDARKLY_MULTI_EMPTY),
    (lambda: Context.multi(Context("a"), Context("b")), Status.LAUNCHDARKLY_KINDS_DUPLICATE),
    (lambda: Context.from_json("{"), Status.PARSE),
    (lambda: Context.from_json('{"kind":"org","key":""}'), Status.LAUNCHDARKLY_KEY_EMPTY),
    (lambda: Context.from_json('{"kind":"multi","user":{"key":""}}'), Status.LAUNCHDARKLY_KEY_EMPTY),
    (lambda: Context.from_json('{"kind":"multi","user":"{}"}'), Status.LAUNCHDARKLY_ATTRIBUTE_REFUSED),
    (lambda: Context.from_dict({"kind": "org", "key": "o", "anonymous": None}), Status.LAUNCHDARKLY_ATTRIBUTE_REFUSED),
    (lambda: Context("a", attributes={"x": float("nan")}), Status.ARGUMENT),
    (lambda: Context("\ud800"), Status.ARGUMENT),
])  # fmt: skip
def test_what_is_no_context(build: Any, status: Status) -> None:
    with pytest.raises(hoist.Error) as refused:
        build()
    assert refused.value.status is status and str(refused.value)


def test_a_key_may_be_left_out_of_json() -> None:
    """Contract 3: accepted wherever a context is accepted (LD-11; no client)."""
    assert Context.from_json('{"kind":"org"}') == Context(kind="org")
    assert Context.from_json('{"anonymous":true,"plan":"pro"}') == Context(anonymous=True, attributes={"plan": "pro"})
    assert Context.from_json('{"targetingKey":"u","plan":"pro"}') == Context("u", attributes={"plan": "pro"})
    both = Context.from_json('{"kind":"multi","org":{"anonymous":true},"user":{"key":"u"}}')
    assert both == Context.multi(Context(kind="org", anonymous=True), Context("u"))


def test_users_of_old() -> None:
    user = {"key": "", "firstName": "Ann", "custom": {"plan": "pro", "kind": "no"}, "privateAttributeNames": ["plan"]}
    assert Context.from_dict(user).to_dict() == {
        "kind": "user", "key": "", "firstName": "Ann", "plan": "pro", "_meta": {"privateAttributes": ["plan"]}}  # fmt: skip


def test_contexts_are_values() -> None:
    context = ann()
    assert context == Context.from_dict(ANN) == Context.from_json(json.dumps(ANN).encode())
    assert hash(context) == hash(Context.from_dict(ANN)) and {context: 1}[ann()] == 1
    assert context != Context("user-42") and context != ANN
    assert copy.deepcopy(context) == pickle.loads(pickle.dumps(context)) == context
    assert repr(context) == "Context('user-42')"


def test_what_is_private_stays_out_of_events() -> None:
    """(LD-83; no client)"""
    found = ann().redacted(["plan"])
    assert sorted(found.pop("_meta")["redactedAttributes"]) == ["/address/street", "name", "plan"]
    assert found == {"kind": "user", "key": "user-42", "address": {"city": "Oslo"}}
    assert set(ann().redacted(all_private=True)) == {"kind", "key", "_meta"}
    anonymous = Context("a", anonymous=True, attributes={"x": 1})
    assert anonymous.redacted()["x"] == 1 and "x" not in anonymous.redacted(anonymous=True)


def test_the_core_has_the_same_contexts() -> None:
    both = Context.multi(ann(), Context("acme", kind="org"))
    for context in (ann(), both, Context("acme", kind="org", name="Acme"), Context(kind="device")):
        assert Context.from_hoist(context.to_hoist()) == context
    core = hoist.Context("user-42", plan="pro")
    assert Context.from_hoist(core).to_dict() == {"kind": "user", "key": "user-42", "plan": "pro"}


def test_references() -> None:
    assert reference_names("/a~1b/c~0") == ["a/b", "c~"] and reference_names("a/b") == ["a/b"]
    assert literal("name") == "name" and reference_names(literal("/a~")) == ["/a~"]
    for broken in ("", "/", "//", "/a/", "/~2"):
        with pytest.raises(hoist.Error):
            reference_names(broken)
    with pytest.raises(hoist.Error):
        literal("")


def test_the_version_names_the_product() -> None:
    assert launchdarkly.version() == f"HoistClient/{hoist.version()}"
