"""What others announce, by Redis (Include/hoist/plugin.h, `announce` and `listen`): heard by all, nothing missed unsaid, no thread left."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from proxy import Proxy
from redis_server import RedisServer
from table import CONFIG, NETWORK, Cache, Failed
from test_faults import said
from test_processes import in_processes
from waiting import comes

CHANNEL = "{hoist:unleash:test}:news"


@pytest.fixture
def by_proxy(make: Callable[..., Cache], proxy: Proxy) -> Callable[..., Cache]:
    return lambda **options: make(socket=None, port=proxy.port, **{"retry_first_ms": 0, "retry_max_ms": 0, **options})


def listeners(server: RedisServer, channel: str = CHANNEL) -> int:
    _, count = server.ask("PUBSUB", "NUMSUB", channel)  # type: ignore[misc]
    return int(count)


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def test_what_one_announces_all_of_the_scope_hear(make: Callable[..., Cache]) -> None:
    """(FLT 1; ready, second process)"""
    one, other, foreign = make(), make(), make(scope="unleash:other")
    heard = [cache.listen() for cache in (one, other, foreign)]
    assert all(news.comes(None) for news in heard)
    for key in ("flags", "visitor:\udcff é"):
        one.announce(key)
    assert all(news.comes("flags", "visitor:\udcff é") for news in heard[:2])
    assert heard[2].told == []
    other.announce("x" * 1000)
    assert heard[0].comes("x" * 1000)


def test_many_processes_hear_what_each_announces(make: Callable[..., Cache], server: RedisServer) -> None:
    """(FLT 1; second process)"""
    def work(number: int) -> int:
        cache = make()
        news = cache.listen()
        assert comes(lambda: listeners(server) == 4)
        cache.announce(f"of {number}")
        assert comes(lambda: len([key for key in news.told if key]) == 4)
        heard = len({key for key in news.told if key})
        server.ask("RPUSH", "done", "1")
        assert comes(lambda: server.ask("LLEN", "done") == 4)
        return heard
    assert in_processes(work, 4) == [4] * 4


def test_a_connection_that_is_cut_is_made_anew_and_said_to_have_missed_something(by_proxy: Callable[..., Cache], make: Callable[..., Cache], proxy: Proxy, server: RedisServer) -> None:
    """(FLT 1; failing, ready)"""
    cache, other = by_proxy(), make()
    news = cache.listen()
    assert news.comes(None)
    proxy.cut()
    other.announce("unheard, perhaps")
    assert comes(lambda: None in news.told)
    other.announce("flags")
    assert comes(lambda: "flags" in news.told)


def test_a_server_that_has_vanished_is_found_out_by_asking(by_proxy: Callable[..., Cache], make: Callable[..., Cache], proxy: Proxy, capfd: pytest.CaptureFixture[str]) -> None:
    """It takes what comes and answers nothing: stalled (FLT 1; failing)"""
    cache, other = by_proxy(timeout_ms=30), make()
    news = cache.listen()
    assert news.comes(None)
    proxy.stall()
    accepted = proxy.accepted
    proxy.await_command(b"PING")
    assert comes(lambda: proxy.accepted > accepted)
    other.announce("unheard")
    proxy.stall(False)
    assert comes(lambda: None in news.told)
    assert said(capfd) == []


def test_silence_alone_ends_nothing(by_proxy: Callable[..., Cache], proxy: Proxy) -> None:
    """(FLT 1; ready)"""
    # A busy machine answers within that.
    cache = by_proxy(timeout_ms=400)
    news = cache.listen()
    assert news.comes(None)
    assert comes(lambda: sum(data.count(b"PING") for data in proxy.heard) >= 2)
    assert (proxy.accepted, news.told) == (1, [])


def test_a_server_that_is_started_anew_is_listened_to_again(redis_plugin: Path, folders: Callable[[], Path], capfd: pytest.CaptureFixture[str]) -> None:
    """(FLT 1; failing, ready)"""
    with RedisServer(folders()) as own:
        cache = Cache(redis_plugin, {"socket": own.socket, "scope": "unleash:test", "retry_first_ms": 0, "retry_max_ms": 50})
        news = cache.listen()
        assert news.comes(None)
        own.stop()
        with pytest.raises(Failed) as failed:
            cache.announce("flags")
        assert failed.value.status == NETWORK
        own.start()
        assert news.comes(None)
        cache.announce("flags")
        assert news.comes("flags")
        cache.end()
    # Of the connection of the calls alone: the other has nothing to add.
    assert [line.split(" at ")[0] for line in said(capfd)] in (["no connection to Redis", "works again"], ["the connection to Redis has broken: it was closed", "works again"])


def test_who_does_not_want_to_know_any_more_is_told_nothing_and_keeps_nothing(make: Callable[..., Cache], server: RedisServer) -> None:
    """(FLT 1; closed, reopened)"""
    before = threads()
    cache, other = make(), make()
    assert (threads(), listeners(server)) == (before, 0)
    first = cache.listen()
    assert first.comes(None)
    second = cache.listen()
    assert second.comes(None)
    assert comes(lambda: listeners(server) == 1)
    other.announce("a")
    assert second.comes("a") and first.told == []
    for _ in range(3):
        cache.end_listening()
    other.announce("b")
    assert comes(lambda: listeners(server) == 0 and threads() == before)
    assert second.told == []
    third = cache.listen()
    assert third.comes(None)
    cache.end_listening()


@pytest.mark.parametrize("state", ["listening", "connecting", "resting"])
def test_a_cache_that_is_released_ends_it_and_does_not_wait(redis_plugin: Path, server: RedisServer, proxy: Proxy, state: str) -> None:
    """(FLT 1; closed, failing)"""
    before = threads()
    # A pause is drawn from 0 to a day.
    cache = Cache(redis_plugin, {"port": proxy.port, "scope": "unleash:test", "timeout_ms": 1000, "retry_max_ms": 86_400_000, "messages": "none"})
    if state == "connecting":
        proxy.stall()
    proxy.refusing = state == "resting"
    news = cache.listen()
    assert comes(lambda: proxy.accepted > 0)
    if state == "listening":
        assert news.comes(None)
    began = time.monotonic()
    cache.end()
    assert time.monotonic() - began < 0.9
    assert comes(lambda: threads() <= before + 2 * (state != "resting"))  # the proxy's own
    assert news.told == []


def test_a_forked_child_has_its_own_and_its_parent_keeps_what_it_has(make: Callable[..., Cache], server: RedisServer) -> None:
    """(FLT 1; forked)"""
    cache, other = make(), make()
    news = cache.listen()
    assert news.comes(None)

    def in_child(number: int) -> bool:
        inherited = threads() == 1
        if number == 0:
            own = cache.listen()
            heard = own.comes(None)
            cache.announce("of the child")
            heard = heard and own.comes("of the child")
        else:
            heard = True
        cache.end_listening()
        return inherited and heard and news.told == []

    assert in_processes(in_child, 2) == [True, True]
    assert news.comes("of the child")
    assert comes(lambda: listeners(server) == 1)
    other.announce("flags")
    assert news.comes("flags")


def test_a_user_who_may_not_is_told_once_and_the_rest_works_on(by_proxy: Callable[..., Cache], proxy: Proxy, server: RedisServer, capfd: pytest.CaptureFixture[str]) -> None:
    """(FLT 1; refused)"""
    server.ask("ACL", "SETUSER", "clerk", "reset", "on", ">secret", "~*", "+@all")
    try:
        cache = by_proxy(user="clerk", password="secret")
        cache.save("flags", b"1")
        news = cache.listen()
        assert comes(lambda: proxy.accepted == 2)
        for _ in range(3):
            with pytest.raises(Failed) as failed:
                cache.announce("flags")
            assert (failed.value.status, cache.load("flags")) == (CONFIG, b"1")
        lines: list[str] = []
        assert comes(lambda: bool(lines.extend(said(capfd)) or lines))
        assert lines == [f"Redis does not allow the user channel {CHANNEL}: what other processes change is found by looking, later; allow SUBSCRIBE, PUBLISH and the channel"]
        # One connection of the calls, which is kept, and one attempt to listen.
        assert (proxy.accepted, news.told) == (2, [])
        cache.end_listening()
    finally:
        server.ask("ACL", "DELUSER", "clerk")


def test_what_is_no_message_of_ours_is_passed_over(make: Callable[..., Cache], server: RedisServer) -> None:
    """Anyone may publish there (FLT 1; ready)"""
    news = make().listen()
    assert news.comes(None)
    for sent in (b"", b"\xff\x00\n", b"x" * (1 << 19), b"flags"):
        server.ask("PUBLISH", CHANNEL, sent)
    assert comes(lambda: "flags" in news.told)
    assert [len(key or "") for key in news.told] == [0, 1, 1 << 19, 5]
    news.told.clear()
    server.ask("PUBLISH", CHANNEL, b"x" * (2 << 20))  # the connection is given up
    assert news.comes(None)


def test_it_can_be_switched_off(make: Callable[..., Cache]) -> None:
    """(configuring)"""
    cache = make(news=False)
    assert not cache.table.announce and not cache.table.listen
    cache = make(news=True)
    assert cache.table.announce and cache.table.listen
    with pytest.raises(Failed) as failed:
        make(news="yes")
    assert failed.value.status == CONFIG and 'option "news" has to be true or false' in str(failed.value)


def test_listening_and_not_again_and_again_leaves_nothing(make: Callable[..., Cache], server: RedisServer) -> None:
    """(FLT 1; closed, reopened)"""
    before, files = threads(), len(os.listdir("/proc/self/fd"))
    cache = make()
    stop = threading.Event()
    other = make()

    def announce() -> None:
        while not stop.is_set():
            other.announce("flags")

    thread = threading.Thread(target=announce)
    thread.start()
    try:
        for _ in range(200):
            news = cache.listen()
            cache.end_listening()
            news.told.clear()
            assert news.told == []
    finally:
        stop.set()
        thread.join()
    assert comes(lambda: listeners(server) == 0 and threads() == before and len(os.listdir("/proc/self/fd")) <= files + 1)
