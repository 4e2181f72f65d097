"""What every cache manager promises (Include/hoist/plugin.h), shown on those that are plug-ins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis_server import RedisServer
from table import Cache, Row

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Kept:
    """Two users of the same data, and how the clock of their leases gets on."""

    one: Cache
    other: Cache
    pass_a_tick: Callable[[], None]


def pass_a_tick_of_this_machine() -> None:
    began = time.time()
    while time.time() < began + 0.002:
        pass


@pytest.fixture(params=["redis", "file_cache"])
def kept(request: pytest.FixtureRequest) -> Iterator[Kept]:
    if request.param == "redis":
        make: Callable[[], Cache] = request.getfixturevalue("make")
        server: RedisServer = request.getfixturevalue("server")
        yield Kept(make(), make(), server.pass_a_tick)
    else:
        compiled: Callable[..., Path] = request.getfixturevalue("compiled")
        request.getfixturevalue("sinks")
        plugin = compiled(ROOT / "Examples/plugins/file_cache.c", "file_cache.so", "-shared", "-fPIC")
        folder: Path = request.getfixturevalue("tmp_path")
        one, other = Cache(plugin, str(folder)), Cache(plugin, str(folder))
        yield Kept(one, other, pass_a_tick_of_this_machine)
        one.end()
        other.end()


def test_a_value_is_found_under_its_key_until_removed(kept: Kept) -> None:
    assert kept.one.load("flags") is None
    kept.one.save("flags", b"\1\0\3")
    kept.one.save("other", b"")
    assert (kept.other.load("flags"), kept.other.load("other")) == (b"\1\0\3", b"")
    kept.other.save("flags", b"4")
    assert kept.one.load("flags") == b"4"
    kept.one.remove("flags")
    kept.other.remove("flags")
    assert kept.one.load("flags") is None


def test_keys_are_compared_by_their_bytes(kept: Kept) -> None:
    kept.one.save("caf\u00e9", b"1")
    kept.one.save("cafe\u0301", b"2")
    assert (kept.one.load("caf\u00e9"), kept.one.load("cafe\u0301")) == (b"1", b"2")
    kept.one.put("a", Row("a", subject="caf\u00e9"))
    kept.one.purge("cafe\u0301")
    kept.one.give_back("a")
    assert kept.one.claim("b") == ["a"]


def test_a_large_value_comes_back_as_it_was(kept: Kept) -> None:
    value = bytes(range(256)) * 40_000
    kept.one.save("flags", value)
    assert kept.other.load("flags") == value


def test_a_value_is_replaced_only_where_it_is_the_expected_one(kept: Kept) -> None:
    assert kept.one.replace("a", b"1", b"2") is None
    assert kept.one.replace("a", None, b"") is True
    assert kept.other.replace("a", None, b"1") == b""
    assert kept.other.replace("a", b"", b"1") is True
    assert kept.one.load("a") == b"1"
    assert kept.one.replace("a", b"2", None) == b"1"
    assert kept.one.replace("a", b"1", None) is True
    assert kept.one.replace("a", None, None) is True
    assert kept.one.load("a") is None


def test_what_is_put_behind_a_value_is_part_of_it(kept: Kept) -> None:
    if not kept.one.table.append:
        pytest.skip("it has no append: the library writes the whole value")
    assert not kept.one.append("a", b"", b"more")
    kept.one.save("a", b"head")
    assert not kept.other.append("a", b"hEad", b"more")
    assert not kept.other.append("a", b"head and more", b"more")
    assert kept.other.append("a", b"head", b" and more")
    assert kept.one.append("a", b"head", b" still")
    assert kept.other.load("a") == b"head and more still"
    assert kept.one.replace("a", b"head", b"new") == b"head and more still"
    assert kept.one.replace("a", b"head and more still", b"new") is True


def test_released_rows_are_claimed_oldest_first(kept: Kept) -> None:
    row = Row("b", 20, b"bytes \0 and more", subject="someone")
    kept.one.put("a", Row("z", 30), row, Row("d", 30), Row("a", 10))
    kept.one.put("a", Row("x", pipeline="diagnostics"))
    assert kept.other.claim("b") == []
    kept.one.give_back("a")
    assert kept.other.claim("b", rows=1) == ["a"]
    assert kept.other.claim_rows("b", rows=1) == [row]
    assert kept.other.claim("b") == ["z", "d"]
    assert kept.other.claim("b") == []
    assert kept.other.claim("b", pipeline="diagnostics") == ["x"]


def test_a_claim_stops_at_its_bytes_and_leaves_out_what_is_larger_than_all(kept: Kept) -> None:
    kept.one.put("a", Row("a", 1, b"12345"), Row("large", 1, b"12345678901"), Row("b", 2, b"12345"), Row("c", 3, b"1"))
    kept.one.give_back("a")
    assert kept.other.claim("b", size=9) == ["a"]
    assert kept.other.claim("b", size=10) == ["b", "c"]
    assert kept.other.claim("b", size=11) == ["large"]


def test_many_rows_come_in_their_order(kept: Kept) -> None:
    names = [f"row {number:05}" for number in range(1200)]
    for start in range(0, len(names), 300):
        kept.one.put("a", *(Row(name, start // 300) for name in names[start:start + 300]))
    kept.one.give_back("a")
    taken = kept.other.claim("b", rows=450) + kept.other.claim("b", rows=5000)
    assert taken == names


def test_payloads_of_any_size_come_back_and_replace_each_other(kept: Kept) -> None:
    large, larger = b"\0\xff" * 4000, b"x" * 70_000
    kept.one.put("a", Row("a", 1, large, subject="u"), Row("b", 2, b"small"), Row("c", 3, b""), Row("d", 4, b"first"), Row("d", 5, larger))
    kept.one.put("a", Row("a", 1, b"small", subject="v"), Row("b", 2, large, subject="u"), Row("e", 6, larger))
    kept.one.purge("v")
    kept.one.give_back("a")
    wanted = [Row("b", 2, large, subject="u"), Row("c", 3, b""), Row("d", 5, larger), Row("e", 6, larger)]
    assert kept.other.claim_rows("b") == wanted
    kept.other.give_back("b")
    kept.one.purge("u")
    assert kept.one.claim_rows("c") == wanted[1:]


def test_a_strangers_rows_are_free_when_its_lease_has_run_out(kept: Kept) -> None:
    kept.one.put("a", Row("a"), lease=1)
    kept.one.put("b", Row("b"), lease=1)
    kept.one.renew("b")
    kept.pass_a_tick()
    assert kept.other.claim("c") == ["a"]
    assert kept.one.claim("d") == []
    kept.one.give_back("b")
    assert kept.one.claim("d") == ["b"]


def test_rows_that_are_given_back_are_for_any_other_and_may_be_given_back_again(kept: Kept) -> None:
    """(second process)"""
    kept.one.put("a", Row("a", 1), Row("b", 2), Row("c", 3, b"x" * 70_000))
    kept.one.give_back_rows("b", "a", "c")
    assert kept.other.claim("b") == []
    kept.one.give_back_rows("a", "a", "c", "unknown")
    kept.one.give_back_rows("a", "a")
    kept.one.put("a", Row("a", 1))
    assert kept.other.claim("b") == ["a", "c"]
    kept.one.give_back_rows("a", "a")
    assert kept.one.claim("c") == []


def test_a_claim_prolongs_the_lease_of_all_that_the_owner_holds(kept: Kept) -> None:
    kept.one.put("a", Row("a"), lease=1)
    assert kept.one.claim("a") == []
    kept.pass_a_tick()
    assert kept.other.claim("b") == []


def test_only_the_holder_replaces_and_removes_a_row(kept: Kept) -> None:
    kept.one.put("a", Row("a", payload=b"one"))
    kept.one.put("a", Row("a", payload=b"two"))
    kept.other.put("b", Row("a", payload=b"thief"))
    kept.other.remove_events("b", "a")
    kept.one.give_back("a")
    kept.other.put("b", Row("a", payload=b"thief"))  # nobody's is not the thief's either
    assert kept.other.claim_rows("c") == [Row("a", payload=b"two")]
    kept.one.remove_events("a", "a")
    kept.other.give_back("c")
    assert kept.other.claim("d") == ["a"]
    kept.other.remove_events("d", "a", "unheard of")
    kept.other.give_back("d")
    assert kept.one.claim("a") == []


def test_a_purge_takes_the_subjects_rows_whoever_holds_them(kept: Kept) -> None:
    kept.one.put("a", Row("a", subject="u1"), Row("b", subject="u2"), Row("c"), Row("d", pipeline="consent", subject="u1"))
    kept.one.put("z", Row("e", subject="u1"))
    kept.one.give_back("z")
    kept.other.purge("u1")
    kept.other.purge("")
    kept.one.give_back("a")
    assert kept.other.claim("b") == ["b", "c"]
    assert kept.other.claim("b", pipeline="consent") == ["d"]


def test_a_row_that_was_purged_may_come_again(kept: Kept) -> None:
    kept.one.put("a", Row("a", 1, b"old", subject="u1"))
    kept.one.purge("u1")
    kept.one.put("a", Row("a", 2, b"new"))
    kept.one.give_back("a")
    assert kept.other.claim_rows("b") == [Row("a", 2, b"new")]
    assert kept.other.claim("c") == []
