"""The sample project is what it says, and its visitors get what they are said to get."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from optimizely import sample_datafile
from optimizely.project import Project
from optimizely.sample import MEMBER, NEW_APP, VISITORS, Visitor

MASK = 0xFFFFFFFF


def murmur(data: bytes, seed: int = 1) -> int:
    """MurmurHash3_x86_32 (protocol 4.1)."""
    def mixed(block: int) -> int:
        block = block * 0xCC9E2D51 & MASK
        return (block << 15 | block >> 17) * 0x1B873593 & MASK

    whole, state = len(data) // 4 * 4, seed
    for start in range(0, whole, 4):
        state ^= mixed(int.from_bytes(data[start : start + 4], "little"))
        state = ((state << 13 | state >> 19) * 5 + 0xE6546B64) & MASK
    state ^= mixed(int.from_bytes(data[whole:], "little")) ^ len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        state = (state ^ state >> shift) * factor & MASK
    return state


def bucket(visitor: str, parent: str) -> int:
    return int(murmur((visitor + parent).encode()) / 2**32 * 10000)


def pick(visitor: str, parent: str, rows: list[dict[str, Any]]) -> str | None:
    value = bucket(visitor, parent)
    return next((row["entityId"] for row in rows if value < row["endOfRange"]), None) or None


def give(visitor: Visitor, rule: dict[str, Any]) -> tuple[str, str] | None:
    chosen = pick(visitor.name, rule["id"], rule["trafficAllocation"])
    return next(((rule["key"], found["key"]) for found in rule["variations"] if found["id"] == chosen), None)


def admits(visitor: Visitor, rule: dict[str, Any]) -> bool:
    wanted = {"701": MEMBER, "704": {"member": True}, "702": NEW_APP}
    return all(wanted[audience].items() <= visitor.attributes.items() for audience in rule["audienceIds"])


@pytest.mark.parametrize(("hashed", "expected"), [
    (b"a", 1485495528), (b"abcd", 2616542610), ("é".encode(), 3927689336)])
def test_the_hash_is_the_vendors(hashed: bytes, expected: int) -> None:
    assert murmur(hashed) == expected


@pytest.mark.parametrize("visitor", VISITORS, ids=[visitor.name for visitor in VISITORS])
def test_visitors_get_what_they_are_said_to_get(visitor: Visitor) -> None:
    document = sample_datafile()
    held_out = give(visitor, document["holdouts"][0])
    checkout = held_out or next(
        rule for rule in (
            admits(visitor, document["experiments"][0]) and give(visitor, document["experiments"][0]),
            bool(visitor.attributes == NEW_APP) and (give(visitor, document["localHoldouts"][0])
                                                     or give(visitor, document["rollouts"][0]["experiments"][0])),
            give(visitor, document["rollouts"][0]["experiments"][1])) if rule)
    group = document["groups"][0]
    chosen = pick(visitor.name, group["id"], group["trafficAllocation"])
    rule = next(rule for rule in group["experiments"] if rule["id"] == chosen)
    banner = held_out or (give(visitor, rule) if admits(visitor, rule) else None)
    assert (checkout, banner) == (visitor.checkout, visitor.banner)


def test_the_bandit_asks_for_the_visitors_it_should() -> None:
    beyond = {visitor.name for visitor in VISITORS if bucket(visitor.name, "9201") >= 8000}
    assert beyond == {"olga", "nils", "mia"}


def test_the_sample_has_one_of_everything() -> None:
    project = Project(sample_datafile())
    assert set(project.flags) == {"checkout_flow", "search_ranking", "banner"}
    assert project.segments == {"frequent_shoppers", "newsletter"}
    assert project.experiments["9201"].prediction_attributes == {"501", "502"}
    assert [holdout.key for holdout in project.flags["checkout_flow"].holdouts] == ["holdout_spring", "holdout_new_app"]
    assert [holdout.key for holdout in project.flags["banner"].holdouts] == ["holdout_spring"]


def test_ids_are_used_once_and_references_lead_somewhere() -> None:
    text = json.dumps(sample_datafile())
    defined = re.findall(r'"id": "([^"]+)"', text)
    entities = [identifier for identifier in set(defined) if defined.count(identifier) > 1]
    # Audiences occur in both lists; a variation names a variable by its id.
    assert all(identifier.startswith("7") or identifier.startswith("4") for identifier in entities)
    assert set(re.findall(r'"entityId": "([^"]+)"', text)) <= set(defined)


def test_a_changed_sample_leaves_the_next_one_alone() -> None:
    changed = sample_datafile(revision="43")
    changed["featureFlags"].clear()
    assert (changed["revision"], sample_datafile()["revision"]) == ("43", "42")
    assert sample_datafile()["featureFlags"]
