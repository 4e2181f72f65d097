"""Flagship's flags and collections through its face."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flagship import FlagshipSimulator
from flagship_clients import FLAGS, MODES, ORDERS, STAFF, Opener

import hoist
from hoist import Status
from hoist.flagship import Flag, FlagStatus, Metadata, Visitor

EUROPE = Metadata(
    "hcamp0limits00000001", "Limits", "hgrp0limitseurope001", "Europe", "hvar0limitson0000001", "On", False, "toggle", ""
)


@pytest.fixture(params=MODES)
def visitor(request: pytest.FixtureRequest, open_flagship: Opener) -> Visitor:
    made = open_flagship(request.param).visitor(STAFF, context=ORDERS)
    assert made.fetch(5)
    return made


def test_values_have_the_type_of_their_default(visitor: Visitor) -> None:
    """(FS-76, FS-78; ready)"""
    for key, value in FLAGS.items():
        if value is not None:
            assert visitor.flag(key).read(type(value)(), expose=False) == (value, Status.OK), key
        assert visitor.flag(key).read(None, expose=False) == (value, Status.OK), key
        assert visitor.value(key, None, expose=False) == value, key
    assert visitor.flag("sizes").value((), expose=False) == FLAGS["sizes"]


def test_another_type_gives_the_default(visitor: Visitor) -> None:
    """(FS-76; ready)"""
    defaults: list[Any] = [True, 7, 7.5, "seven", [7], {"seven": 7}, 2**70, "half \ud800", "\0", [float("nan")]]
    kinds = [bool, int, float, str, list, dict, int, str, str, list]
    for key, value in FLAGS.items():
        for default, kind in zip(defaults, kinds, strict=True):
            found, status = visitor.flag(key).read(default, expose=False)
            if value is None:
                assert found is default or found == default, (key, default)
                assert status is Status.OK
            elif type(value) is kind:
                assert (found, status) == (value, Status.OK), (key, default)
            else:
                assert found is default or found == default, (key, default)
                assert status is Status.FLAGSHIP_FLAG_TYPE, (key, default)
                assert visitor.value(key, default, expose=False) == default


def test_an_integer_is_read_as_a_double_only_on_request(open_flagship: Opener) -> None:
    """(FS-78; ready)"""
    for widening, found in ((False, 1.5), (True, 42.0)):
        visitor = open_flagship("bucketing", properties={"numeric_widening": widening}).visitor(STAFF)
        assert visitor.fetch() and visitor.value("maximum_items", 1.5, expose=False) == found


def test_an_unknown_flag_is_empty(visitor: Visitor) -> None:
    """(FS-57, FS-72, FS-75, FS-80; ready)"""
    flag = visitor.flag("nothing")
    assert (flag.key, flag.exists, flag.status) == ("nothing", False, FlagStatus.NOT_FOUND)
    assert flag.read("x") == ("x", Status.NOT_FOUND) and flag.expose() is Status.NOT_FOUND
    assert flag.metadata == Metadata() and flag.explain() is not None
    with pytest.raises(hoist.Error):
        visitor.flag("a\0b")


def test_metadata_say_where_a_value_is_from(visitor: Visitor) -> None:
    """(FS-73, FS-74; ready)"""
    metadata = visitor.flag("maximum_items").metadata
    assert metadata == EUROPE
    assert json.loads(metadata.to_json()) == metadata.to_dict()
    assert list(metadata.to_dict()) == [
        "campaignId", "campaignName", "variationGroupId", "variationGroupName", "variationId", "variationName",
        "isReference", "campaignType", "slug",
    ]  # fmt: skip


def test_a_flag_is_a_live_view(visitor: Visitor) -> None:
    """(FS-75, FS-80; ready)"""
    flag = visitor.flag("banner")
    assert flag.exists and flag.status is FlagStatus.FETCHED
    visitor.set("vip", False)
    assert flag.status is FlagStatus.FETCH_REQUIRED
    early = visitor.flag("maximum_items")
    del visitor
    assert early.value(0, expose=False) == 42


def test_explain_shows_each_targetings_outcome(open_flagship: Opener) -> None:
    """(FS-07, 4.3; ready)"""
    visitor = open_flagship("bucketing").visitor("norma", context={"sdk_country": "no", "age": 17})
    assert visitor.fetch()
    groups = visitor.flag("maximum_items").explain()[-1]["groups"]
    europe = groups[0]["targetingGroups"]
    assert [(step["key"], step["actual"], step["holds"]) for step in europe[0]["targetings"]] == [
        ("sdk_country", "no", True), ("age", 17, False),
    ]  # fmt: skip
    assert groups[1]["variation"] == "hvar0limitsoff000001"


# ---- Collections ---------------------------------------------------------------------------------


def test_collections_are_mappings(visitor: Visitor) -> None:
    """(FS-58, FS-81, FS-82, FS-86, FS-87, FS-88; ready)"""
    flags = visitor.flags
    assert set(flags) == set(flags.keys()) == set(FLAGS) and len(flags) == len(FLAGS)
    assert {key: flag.value(None, expose=False) for key, flag in flags.items()} == FLAGS
    assert "banner" in flags and "nothing" not in flags and 7 not in flags
    assert flags.get("nothing") is None and isinstance(flags.get("banner"), Flag)
    assert not flags.is_empty and not flags["nothing"].exists
    flags["alias"] = flags["welcome"]
    assert flags["alias"].value("", expose=False) == "welcome back" and len(flags) == len(FLAGS) + 1


def test_collections_tell_their_metadata_and_json(visitor: Visitor) -> None:
    """(FS-83, FS-84; ready)"""
    flags = visitor.flags
    assert EUROPE in flags.metadatas() and len(flags.metadatas()) == len(FLAGS)
    rows = {row.pop("key"): row for row in json.loads(flags.to_json())}
    assert set(rows) == set(FLAGS)
    assert json.loads(bytes.fromhex(rows["texts"].pop("hex"))) == {"v": FLAGS["texts"]}
    assert rows["texts"] == EUROPE.to_dict()


def test_collections_are_filtered_by_a_predicate(visitor: Visitor) -> None:
    """(FS-85; ready)"""
    limits = visitor.flags.filter(lambda key, flag: flag.metadata.campaign_name == "Limits" and key != "banner")
    assert set(limits) == {"maximum_items", "discount", "sizes", "texts"}
    empty = visitor.flags.filter(lambda key, flag: False)
    assert empty.is_empty and empty.to_json() == "" and empty.metadatas() == [] and list(empty) == []

    def fail(key: str, flag: Flag) -> bool:
        raise KeyError(key)

    with pytest.raises(KeyError):
        visitor.flags.filter(fail)


def test_a_collection_keeps_its_keys(visitor: Visitor, flagship: FlagshipSimulator) -> None:
    """(FS-58; panic)"""
    flags = visitor.flags
    flagship.environment.panic()
    flagship.publish({"panic": True})
    visitor.fetch(5)
    assert set(flags) == set(FLAGS)


def test_all_flags_are_exposed(visitor: Visitor, flagship: FlagshipSimulator) -> None:
    """(FS-89; ready, no consent)"""
    assert visitor.flags.expose_all() is Status.OK
    assert flagship.wait_for_activations(len(FLAGS))
    assert {item["caid"] for item in flagship.ledger.activations(STAFF)} >= {"hgrp0limitseurope001", "hgrp0welcomenew00001"}
    assert visitor.set_consent(False)
    assert visitor.flags.expose_all() is Status.FLAGSHIP_NO_CONSENT
