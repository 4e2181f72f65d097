"""LaunchDarkly's stores in Redis: the keys and the types of the vendor's own SDKs and relay, page launchdarkly-server.md 10.3."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from proxy import Proxy
from redis_server import RedisServer
from table import CONFIG, IO, LIMIT, NETWORK, TIMEOUT, UNSUPPORTED, Failed
from test_faults import AT_ONCE
from vendor_tables import FLAG, SEGMENT, BigSegments, Store, item

Make = Callable[..., Store]


@pytest.fixture
def store(redis_plugin: Path, server: RedisServer) -> Iterator[Make]:
    made: list[Store] = []

    def one(**options: object) -> Store:
        made.append(Store(redis_plugin, **({"socket": server.socket} if "port" not in options else {}), **options))
        return made[-1]

    yield one
    for each in made:
        each.end()


@pytest.fixture
def big_segments(redis_plugin: Path, server: RedisServer) -> Iterator[BigSegments]:
    made = BigSegments(redis_plugin, socket=server.socket)
    yield made
    made.end()


def flag(key: str, version: int, **more: object) -> str:
    return json.dumps({"key": key, "version": version, **more})


def hash_of(server: RedisServer, name: str) -> dict[str, str]:
    found = server.ask("HGETALL", name)
    assert isinstance(found, list)
    return {found[at].decode(): found[at + 1].decode() for at in range(0, len(found), 2)}


def test_a_whole_set_takes_the_place_of_all_before_it(store: Make, server: RedisServer) -> None:
    """The default prefix, and JSON as it came, unknown members among it (LDS-65; no client)."""
    server.ask("HSET", "launchdarkly:features", "old", flag("old", 9))
    own = store()
    assert not own.initialized()
    a, s = '{ "version": 2,"key":"a", "of tomorrow": [1.50] }', flag("s", 1)
    own.init(item(SEGMENT, "s", 1, s), item(FLAG, "a", 2, a), item(FLAG, "gone", 3))
    assert server.names() == ["launchdarkly:$inited", "launchdarkly:features", "launchdarkly:segments"]
    assert hash_of(server, "launchdarkly:features") == {"a": a, "gone": '{"key":"gone","version":3,"deleted":true}'}
    assert hash_of(server, "launchdarkly:segments") == {"s": s}
    assert server.ask("GET", "launchdarkly:$inited") == b"launchdarkly:$inited"
    assert store().initialized()
    assert (own.all(FLAG), own.all(SEGMENT)) == (hash_of(server, "launchdarkly:features"), {"s": s})
    own.init()
    assert server.names() == ["launchdarkly:$inited"]


def test_a_prefix_of_the_hosts_own(store: Make, server: RedisServer) -> None:
    """(LDS-65; no client)"""
    store(prefix="shop").init(item(FLAG, "a", 1, flag("a", 1)))
    assert server.names() == ["shop:$inited", "shop:features"]
    assert not store().initialized()


def test_the_version_in_the_database_decides(store: Make, server: RedisServer) -> None:
    """Whoever wrote it, and deleted ones have a version, too (LDS-65; no client)."""
    own, name = store(), "launchdarkly:features"
    assert own.upsert(item(FLAG, "a", 5, flag("a", 5))) == {}
    server.ask("HSET", name, "a", theirs := flag("a", 8, by="another SDK"))
    for version in (6, 8):
        assert own.upsert(item(FLAG, "a", version, flag("a", version))) == {"a": theirs}
    assert hash_of(server, name) == {"a": theirs}
    assert own.upsert(item(FLAG, "a", 9)) == {}
    assert own.upsert(item(FLAG, "a", 9, flag("a", 9))) == {"a": '{"key":"a","version":9,"deleted":true}'}
    assert own.upsert(item(FLAG, "a", 10, flag("a", 10))) == {}
    server.ask("HSET", name, "a", '{"key":"$deleted","version":20,"deleted":true}')  # as some SDKs write it
    assert own.upsert(item(FLAG, "a", 19, flag("a", 19))) == {"a": '{"key":"$deleted","version":20,"deleted":true}'}
    assert own.upsert(item(SEGMENT, "a", 1, flag("a", 1))) == {}  # a segment of that name is another thing
    assert not own.initialized()


@pytest.mark.parametrize("damaged", ["no JSON", "[]", '{"key":"a"}', '{"version":"7"}', ""])
def test_what_is_kept_and_cannot_be_read_is_replaced(store: Make, server: RedisServer, damaged: str) -> None:
    """(LDS-65; no client)"""
    server.ask("HSET", "launchdarkly:features", "a", damaged)
    own = store()
    assert own.all(FLAG) == {"a": damaged}  # the client says what it cannot read
    assert own.upsert(item(FLAG, "a", 1, flag("a", 1))) == {}
    assert hash_of(server, "launchdarkly:features") == {"a": flag("a", 1)}


def test_an_update_that_loses_a_race_looks_again(store: Make, server: RedisServer) -> None:
    """(LDS-65; second process)"""
    with Proxy(server.socket) as proxy:
        own = store(port=proxy.port)
        name, theirs = "launchdarkly:features", flag("a", 7)
        proxy.before = [(b"MULTI", lambda: server.ask("HSET", name, "a", flag("a", 1)))]
        assert own.upsert(item(FLAG, "a", 5, flag("a", 5))) == {}
        proxy.before = [(b"MULTI", lambda: server.ask("HSET", name, "a", theirs))]
        assert own.upsert(item(FLAG, "a", 6, flag("a", 6))) == {"a": theirs}
        assert hash_of(server, name) == {"a": theirs}
        # Ten times at most.
        lost = [(b"MULTI", lambda: server.ask("HSET", name, "other", "{}")) for _ in range(11)]
        proxy.before = list(lost)
        with pytest.raises(Failed) as failed:
            own.upsert(item(FLAG, "a", 8, flag("a", 8)))
        assert (failed.value.status, len(proxy.before)) == (NETWORK, 1)
        proxy.before = lost[:9]
        assert own.upsert(item(FLAG, "a", 8, flag("a", 8))) == {}


@pytest.mark.parametrize("word", [b"MULTI", b"HSET", b"EXEC"])
def test_a_set_that_cannot_be_kept_whole_changes_nothing(store: Make, server: RedisServer, word: bytes,
                                                         capfd: pytest.CaptureFixture[str]) -> None:
    """(LDS-65; service failing)"""
    with Proxy(server.socket) as proxy:
        own = store(port=proxy.port, **AT_ONCE)
        own.init(item(FLAG, "a", 1, flag("a", 1)))
        kept = hash_of(server, "launchdarkly:features")
        proxy.answer = [(word, b"-OOM command not allowed when used memory > 'maxmemory'.\r\n")]
        with pytest.raises(Failed) as failed:
            own.init(item(FLAG, "b", 2, flag("b", 2)))
        assert failed.value.status == LIMIT
        assert hash_of(server, "launchdarkly:features") == kept
        assert "Redis has no memory left" in capfd.readouterr().err
        own.init(item(FLAG, "b", 2, flag("b", 2)))
        assert hash_of(server, "launchdarkly:features") == {"b": flag("b", 2)}


def test_another_programs_key_is_named(store: Make, server: RedisServer, capfd: pytest.CaptureFixture[str]) -> None:
    """(LDS-65; service failing)"""
    server.ask("SET", "launchdarkly:features", "theirs")
    own = store()
    for call in (lambda: own.all(FLAG), lambda: own.upsert(item(FLAG, "a", 1, flag("a", 1)))):
        with pytest.raises(Failed) as failed:
            call()
        assert failed.value.status == IO
    assert "another program's data are under a key of ours" in capfd.readouterr().err


def test_ten_thousand_flags_go_and_come(store: Make) -> None:
    """(LDS-65; no client)"""
    own = store()
    flags = {f"flag-{number}": flag(f"flag-{number}", number, on=True) for number in range(10_000)}
    own.init(*(item(FLAG, key, at, told) for at, (key, told) in enumerate(flags.items())))
    assert own.all(FLAG) == flags


def test_big_segments_are_read_as_the_relay_writes_them(big_segments: BigSegments, server: RedisServer) -> None:
    """Including goes before excluding; nothing known is another thing than an empty set (LDS-28; no client)."""
    told_hash = "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0="  # of user-key
    assert big_segments.metadata() is None
    assert big_segments.memberships(told_hash) is None
    server.ask("SET", "launchdarkly:big_segments_synchronized_on", 1_700_000_000_123)
    server.ask("SADD", f"launchdarkly:big_segment_include:{told_hash}", "both.g1", "in.g2")
    server.ask("SADD", f"launchdarkly:big_segment_exclude:{told_hash}", "both.g1", "out.g1")
    assert big_segments.metadata() == 1_700_000_000_123
    assert big_segments.memberships(told_hash) == {"both.g1": True, "in.g2": True, "out.g1": False}
    server.ask("DEL", f"launchdarkly:big_segment_include:{told_hash}")
    assert big_segments.memberships(told_hash) == {"both.g1": False, "out.g1": False}
    server.ask("SET", "launchdarkly:big_segments_synchronized_on", "yesterday")
    with pytest.raises(Failed) as failed:
        big_segments.metadata()
    assert failed.value.status == IO


def test_several_threads_ask_for_memberships_at_once(big_segments: BigSegments, server: RedisServer) -> None:
    """(LDS-28; no client)"""
    for number in range(4):
        server.ask("SADD", f"launchdarkly:big_segment_include:{number}", f"s{number}.g1")
    wrong: list[object] = []

    def ask(number: int) -> None:
        for _ in range(100):
            found = big_segments.memberships(str(number))
            if found != {f"s{number}.g1": True}:
                wrong.append(found)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_stalled_store_takes_no_longer_than_the_limit(redis_plugin: Path, server: RedisServer) -> None:
    """The evaluating thread waits for it (LDS-28; service failing)."""
    with Proxy(server.socket) as proxy:
        made = BigSegments(redis_plugin, port=proxy.port, timeout_ms=100)
        proxy.stall()
        with pytest.raises(Failed) as failed:
            made.memberships("x")
        assert failed.value.status == TIMEOUT
        made.end()


def test_a_store_that_is_not_asked_for_is_left_out_and_wrong_options_are_named(redis_plugin: Path) -> None:
    """(LDS-65; no client)"""
    from vendor_tables import CStore, make_table
    for options, status, words in (({"scope": "a"}, UNSUPPORTED, ""), ({"launchdarkly_big_segments": {}}, UNSUPPORTED, ""),
                                   ({"launchdarkly_store": {"prot": 1}}, CONFIG, "option \"prot\" is unknown")):
        with pytest.raises(Failed) as failed:
            make_table(redis_plugin, "create_store", CStore(struct_size=CStore.room.offset), options)
        assert failed.value.status == status and words in str(failed.value)
