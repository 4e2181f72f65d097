"""Redis away, slow, full or wrong: what each call answers, what is said of it, and what comes after."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from proxy import Proxy
from redis_server import RedisServer, Wire, free_port
from table import CONFIG, IO, LIMIT, NETWORK, TIMEOUT, UNSUPPORTED, Cache, Failed, Row

# Of what is never answered; what is answered has to be so within it, on a busy machine, too.
LIMIT_MS = 1000
AT_ONCE = {"retry_first_ms": 0, "retry_max_ms": 0}
# A pause is drawn from 0 to this: that it is over within a test is as good as impossible.
VERY_LONG = {"retry_first_ms": 86_400_000, "retry_max_ms": 86_400_000}


@pytest.fixture
def by_proxy(make: Callable[..., Cache], proxy: Proxy) -> Callable[..., Cache]:
    def one(**options: object) -> Cache:
        return make(socket=None, port=proxy.port, **{**AT_ONCE, **options})
    return one


def let_scripts_be_known(cache: Cache) -> None:
    """So that the next answer is a script's, and not that it is unknown."""
    assert not cache.append("none", b"", b"") and cache.replace("none", None, None) is True and cache.claim("nobody") == []


def failure(call: Callable[..., object], *arguments: object) -> int:
    with pytest.raises(Failed) as failed:
        call(*arguments)
    return failed.value.status


def said(capfd: pytest.CaptureFixture[str]) -> list[str]:
    return [line.removeprefix("hoist-redis: ") for line in capfd.readouterr().err.splitlines() if line.startswith("hoist-redis: ")]


def test_an_address_without_a_server_is_named_once(make: Callable[..., Cache], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    cache = make(socket=None, port=port, **AT_ONCE)
    assert [failure(cache.load, "a") for _ in range(3)] == [NETWORK] * 3
    assert said(capfd) == [f"no connection to Redis at 127.0.0.1:{port}: Connection refused"]
    cache = make(socket=str(tmp_path / "none.sock"), **AT_ONCE)
    assert failure(cache.save, "a", b"1") == NETWORK
    assert said(capfd) == [f"no connection to Redis at {tmp_path}/none.sock: No such file or directory"]
    cache = make(socket=None, host="no-such-host.invalid", **AT_ONCE)
    assert failure(cache.load, "a") == NETWORK
    assert said(capfd)[0].startswith("the host of Redis, no-such-host.invalid, is not found: ")


def test_what_is_wrong_is_said_only_where_it_is_wanted(make: Callable[..., Cache], capfd: pytest.CaptureFixture[str]) -> None:
    cache = make(socket=None, port=free_port(), messages="none")
    assert failure(cache.load, "a") == NETWORK
    assert capfd.readouterr().err == ""


def test_after_a_failure_nothing_is_tried_until_the_pause_is_over(by_proxy: Callable[..., Cache], proxy: Proxy) -> None:
    proxy.refusing = True
    cache = by_proxy(**VERY_LONG)
    assert [failure(cache.load, "a") for _ in range(100)] == [NETWORK] * 100
    assert proxy.accepted == 1


def test_pauses_are_drawn_from_a_limit_that_doubles(compiled: Callable[..., Path]) -> None:
    """The very function, over every draw of a small range."""
    here = Path(__file__).resolve().parent
    sources = here.parents[1] / "Sources/Plugins/Redis"
    program = compiled(here / "pauses.c", "pauses", "-I", str(sources), str(sources / "pause.c"))
    assert os.system(str(program)) == 0


@pytest.mark.parametrize("is_connected", [True, False])
def test_a_stalled_server_takes_no_longer_than_the_limit(by_proxy: Callable[..., Cache], proxy: Proxy, is_connected: bool,
                                                         capfd: pytest.CaptureFixture[str]) -> None:
    cache = by_proxy(timeout_ms=LIMIT_MS)
    cache.save("a", b"1") if is_connected else None
    proxy.stall()
    began = time.monotonic()
    assert failure(cache.load, "a") == TIMEOUT
    assert time.monotonic() - began >= (LIMIT_MS - 1) / 1000  # and it has come to an end
    assert said(capfd) == ["Redis has not answered in time (option \"timeout_ms\")"]
    proxy.stall(False)
    assert cache.load("a") == (b"1" if is_connected else None)
    assert said(capfd) == ["works again"]


def test_a_server_that_drips_takes_no_longer_than_the_limit(by_proxy: Callable[..., Cache], proxy: Proxy) -> None:
    """Each byte comes in time, the whole never: the limit is one for the call."""
    cache = by_proxy(timeout_ms=LIMIT_MS)
    cache.save("a", b"1")
    proxy.answer = [(b"HGET", b"$1000\r\nx")]
    assert failure(cache.load, "a") == TIMEOUT


def test_a_connection_that_was_closed_while_idle_is_made_anew_unseen(by_proxy: Callable[..., Cache], proxy: Proxy,
                                                                   capfd: pytest.CaptureFixture[str]) -> None:
    cache = by_proxy()
    cache.save("a", b"1")
    proxy.cut()
    assert cache.load("a") == b"1"
    cache.put("o", Row("e"))
    proxy.cut()
    cache.give_back("o")
    proxy.cut()
    assert cache.claim("p") == ["e"]
    assert said(capfd) == []
    assert proxy.accepted == 4


def test_a_host_is_not_killed_by_a_broken_connection(make: Callable[..., Cache], server: RedisServer) -> None:
    """SIGPIPE ends a program that has not said otherwise."""
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            cache = make(**AT_ONCE)
            for _ in range(3):
                cache.save("a", b"1")
                server.ask("CLIENT", "KILL", "TYPE", "normal")
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("bytes_of_the_answer", [0, 1, 3])
def test_an_answer_that_is_cut_off_changes_a_value_once(by_proxy: Callable[..., Cache], proxy: Proxy, server: RedisServer,
                                                        bytes_of_the_answer: int) -> None:
    cache = by_proxy()
    cache.save("a", b"x")
    let_scripts_be_known(cache)
    proxy.cut_after = bytes_of_the_answer
    assert cache.append("a", b"x", b"y")  # sent twice, made once
    assert cache.load("a") == b"xy"
    proxy.cut_after = bytes_of_the_answer
    assert cache.replace("a", b"xy", b"z") is True
    assert cache.load("a") == b"z"


def test_a_claim_whose_answer_is_cut_off_gets_its_rows(by_proxy: Callable[..., Cache], proxy: Proxy) -> None:
    cache = by_proxy()
    cache.put("o", Row("a", 1), Row("b", 2))
    let_scripts_be_known(cache)
    cache.give_back("o")
    proxy.cut_after = 2
    assert cache.claim("p") == ["a", "b"]


def test_a_claim_whose_answer_is_lost_leaves_no_row_without_a_sender(by_proxy: Callable[..., Cache], proxy: Proxy,
                                                                   make: Callable[..., Cache]) -> None:
    """Carried out, and told to nobody: the owner's next claim has them, though the owner holds them already."""
    cache = by_proxy()
    cache.put("o", Row("a", 1), Row("b", 2))
    let_scripts_be_known(cache)
    cache.give_back("o")
    proxy.cut_after = 0
    proxy.refusing = True
    assert failure(cache.claim, "p") == NETWORK
    proxy.refusing = False
    assert make().claim("q") == []  # they are the first one's
    assert cache.claim("r") == []  # another client over the same table
    assert cache.claim("p") == ["a", "b"]
    assert make().claim("q") == []


def test_what_answers_and_is_no_redis_is_told(by_proxy: Callable[..., Cache], proxy: Proxy, capfd: pytest.CaptureFixture[str]) -> None:
    cache = by_proxy()
    proxy.answer = [(b"INFO", b"HTTP/1.1 400 Bad Request\r\n\r\n")]
    assert failure(cache.load, "a") == NETWORK
    assert said(capfd)[0].startswith("what answers is no Redis, or its answer is damaged: ")
    assert cache.load("a") is None


def test_an_old_redis_is_refused_with_its_version(by_proxy: Callable[..., Cache], proxy: Proxy, capfd: pytest.CaptureFixture[str]) -> None:
    cache = by_proxy()
    info = b"# Server\r\nredis_version:4.0.14\r\n"
    proxy.answer = [(b"INFO", b"$%d\r\n%s\r\n" % (len(info), info))]
    assert failure(cache.load, "a") == UNSUPPORTED
    assert said(capfd) == ["Redis is of version \"4.0.14\", and has to be of 5.0 or newer"]


ERRORS = {
    b"READONLY You can't write against a read only replica.": (NETWORK, "Redis is a replica and takes no writes", True),
    b"LOADING Redis is loading the dataset in memory": (NETWORK, "Redis is reading its data", True),
    b"MASTERDOWN Link with MASTER is down": (NETWORK, "Redis is a replica without its primary", True),
    b"NOAUTH Authentication required.": (CONFIG, "Redis wants a password", True),
    b"NOPERM this user has no permissions to run the 'evalsha' command": (CONFIG, "Redis does not allow the user", True),
    b"CLUSTERDOWN Hash slot not served": (NETWORK, "Redis is a cluster that is down", True),
    b"OOM command not allowed when used memory > 'maxmemory'.": (LIMIT, "Redis has no memory left", False),
    b"MISCONF Redis is configured to save RDB snapshots": (IO, "Redis cannot write its data to disk", False),
    b"BUSY Redis is busy running a script.": (NETWORK, "Redis is busy with a script", False),
    b"ERR something of tomorrow": (NETWORK, "Redis answers: ERR something of tomorrow", False),
}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.split()[0].decode())
def test_an_error_of_redis_has_its_status_and_its_line(by_proxy: Callable[..., Cache], proxy: Proxy, error: bytes,
                                                       capfd: pytest.CaptureFixture[str]) -> None:
    status, line, connects_anew = ERRORS[error]
    cache = by_proxy()
    cache.save("a", b"1")
    proxy.answer = [(b"EVALSHA", b"-" + error + b"\r\n")]
    assert failure(cache.save, "a", b"2") == status
    cache.save("a", b"3")
    told = said(capfd)
    assert told[0].startswith(line) and told[1:] == (["works again"] if connects_anew else []), told
    assert proxy.accepted == (2 if connects_anew else 1)
    assert cache.load("a") == b"3"


@pytest.mark.parametrize("error", [error for error in ERRORS if error.startswith((b"READONLY", b"NOPERM"))], ids=lambda error: error.split()[0].decode())
def test_while_writes_fail_a_read_between_them_is_no_end(by_proxy: Callable[..., Cache], proxy: Proxy, error: bytes,
                                                         capfd: pytest.CaptureFixture[str]) -> None:
    """(contract 10; failing)"""
    status, line, _ = ERRORS[error]
    cache = by_proxy()
    cache.save("a", b"1")
    for _ in range(3):
        proxy.answer = [(b"EVALSHA", b"-" + error + b"\r\n")]
        assert failure(cache.save, "a", b"2") == status
        assert cache.load("a") == b"1"
    (told,) = said(capfd)
    assert told.startswith(line)
    cache.put("o", Row("e"))
    assert said(capfd) == ["works again"]


def test_a_cluster_that_sends_us_elsewhere_is_followed(by_proxy: Callable[..., Cache], proxy: Proxy, server: RedisServer) -> None:
    with Proxy(server.socket) as other:
        cache = by_proxy()
        proxy.answer = [(b"EVALSHA", b"-MOVED 3999 127.0.0.1:%d\r\n" % other.port)]
        cache.save("a", b"1")
        assert cache.load("a") == b"1"
        assert (proxy.accepted, other.accepted) == (1, 1)
        other.cut()
        other.refusing = True
        with pytest.raises(Failed):
            cache.load("a")
        assert cache.load("a") == b"1"  # back where it began
        assert proxy.accepted == 2


def test_a_cluster_that_sends_us_round_in_circles_is_left(by_proxy: Callable[..., Cache], proxy: Proxy,
                                                          capfd: pytest.CaptureFixture[str]) -> None:
    cache = by_proxy()
    proxy.answer = [(b"EVALSHA", b"-MOVED 3999 127.0.0.1:%d\r\n" % proxy.port)] * 10
    assert failure(cache.save, "a", b"1") == NETWORK
    assert proxy.accepted == 4
    assert said(capfd)[0].startswith("Redis is a cluster, and our keys are elsewhere (MOVED 3999")


def test_a_script_that_redis_has_forgotten_is_sent_whole(make: Callable[..., Cache], server: RedisServer,
                                                         capfd: pytest.CaptureFixture[str]) -> None:
    cache = make()
    cache.save("a", b"1")
    server.ask("SCRIPT", "FLUSH")
    cache.save("a", b"2")
    cache.put("o", Row("e"))
    server.ask("SCRIPT", "FLUSH")
    cache.give_back("o")
    assert (cache.load("a"), cache.claim("p"), said(capfd)) == (b"2", ["e"], [])


def test_another_programs_key_is_named_and_left_as_it_is(make: Callable[..., Cache], server: RedisServer,
                                                         capfd: pytest.CaptureFixture[str]) -> None:
    cache = make()
    server.ask("SET", "{hoist:unleash:test}:value:a", "theirs")
    server.ask("SET", "{hoist:unleash:test}:facts", "theirs")
    assert [failure(cache.load, "a"), failure(cache.save, "a", b"1"), failure(cache.put, "o", Row("e"))] == [IO] * 3
    assert all(line.startswith("another program's data are under a key of ours") for line in said(capfd))
    assert server.ask("GET", "{hoist:unleash:test}:value:a") == b"theirs"


def test_a_full_redis_takes_nothing_new_and_lets_go_of_what_is_delivered(folders: Callable[[], Path], redis_plugin: Path,
                                                                       capfd: pytest.CaptureFixture[str]) -> None:
    with RedisServer(folders()) as server:
        cache = Cache(redis_plugin, {"socket": server.socket, "scope": "s"})
        cache.put("o", *(Row(f"e{number}", number, subject="u") for number in range(4)))
        cache.put("p", Row("late", 9), lease=1)
        server.pass_a_tick()
        server.ask("CONFIG", "SET", "maxmemory", "1")
        assert failure(cache.put, "o", Row("new")) == LIMIT
        assert cache.load("a") is None
        assert failure(cache.save, "a", b"1") == LIMIT
        cache.remove_events("o", "e0")
        cache.renew("o")
        cache.give_back("o")
        assert cache.claim("q") == ["e1", "e2", "e3", "late"]
        cache.purge("u")
        cache.remove("a")
        cache.give_back("q")
        assert cache.claim("r") == ["late"]
        told = said(capfd)
        assert told[0].startswith("Redis has no memory left") and len(told) == 1, told  # however often
        server.ask("CONFIG", "SET", "maxmemory", "0")
        cache.put("o", Row("new"))
        cache.end()


def test_more_events_than_may_wait_are_refused_with_their_number(make: Callable[..., Cache], capfd: pytest.CaptureFixture[str]) -> None:
    cache = make(max_events=3)
    cache.put("o", Row("a"), Row("b"))
    assert failure(cache.put, "o", Row("c"), Row("d")) == LIMIT
    assert "HOISTFULL 2 are kept, and 2 more are too many" in said(capfd)[0]
    cache.put("o", Row("c"), Row("b"))
    cache.remove_events("o", "a")
    cache.put("o", Row("d"))
    cache.give_back("o")
    assert sorted(cache.claim("p")) == ["b", "c", "d"]


def test_user_and_password(folders: Callable[[], Path], redis_plugin: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with RedisServer(folders(), "--requirepass", "s3cret") as server:
        wire = Wire(server.socket)
        wire.ask("AUTH", "s3cret")
        wire.ask("ACL", "SETUSER", "flags", "on", ">w0rd", "~*", "+@all")
        def over(**options: object) -> Cache:
            return Cache(redis_plugin, {"socket": server.socket, "scope": "s", **AT_ONCE, **options})
        assert failure(over().load, "a") == CONFIG
        assert failure(over(password="wrong").load, "a") == CONFIG
        assert failure(over(user="flags", password="s3cret").load, "a") == CONFIG
        told = said(capfd)
        assert told[0].startswith("Redis wants a password") and all("Redis refuses user and password" in line for line in told[1:])
        assert not [line for line in told if "s3cret" in line or "wrong " in line]
        over(password="s3cret").save("a", b"1")
        assert over(user="flags", password="w0rd").load("a") == b"1"
        wire.ask("ACL", "SETUSER", "flags", "-info")
        assert over(user="flags", password="w0rd").load("a") == b"1"  # who may not ask is believed
        wire.ask("ACL", "SETUSER", "flags", "-hget")
        assert failure(over(user="flags", password="w0rd").load, "a") == CONFIG
        assert said(capfd)[0].startswith("Redis does not allow the user what is needed (NOPERM")
        wire.close()


def test_a_database_of_its_own(make: Callable[..., Cache], server: RedisServer) -> None:
    make(database=3).save("a", b"1")
    assert server.names() == []
    assert make(database=3).load("a") == b"1"
    assert failure(make(database=4000).load, "a") == NETWORK


def test_a_server_that_has_been_started_anew_is_used_again(folders: Callable[[], Path], redis_plugin: Path,
                                                           capfd: pytest.CaptureFixture[str]) -> None:
    with RedisServer(folders()) as server:
        cache = Cache(redis_plugin, {"socket": server.socket, "scope": "s", **AT_ONCE})
        cache.save("a", b"1")
        cache.put("o", Row("e"))
        server.stop()
        assert failure(cache.load, "a") == NETWORK
        server.start()
        assert cache.load("a") is None
        told = said(capfd)
        assert told[0].startswith("no connection to Redis at ")
        assert told[1].startswith("Redis has come back empty: ") and told[2] == "works again"
        # What the process still has in memory can be put again, and what it lets go of need not be there.
        cache.remove_events("o", "e")
        cache.put("o", Row("e"))
        cache.save("a", b"2")
        assert cache.load("a") == b"2"
        cache.end()


def test_a_fail_over_is_followed_by_the_address(folders: Callable[[], Path], redis_plugin: Path) -> None:
    """Two servers: the replica says READONLY to the first write, takes it when it has been promoted."""
    with RedisServer(folders(), "--repl-diskless-sync-delay", "0", port=free_port()) as primary, \
            RedisServer(folders(), "--replicaof", "127.0.0.1", str(primary.port)) as replica:
        wire = Wire(primary.socket)
        wire.ask("SET", "x", 1)
        assert wire.ask("WAIT", 1, 20_000) == 1
        wire.close()
        cache = Cache(redis_plugin, {"socket": replica.socket, "scope": "s", **AT_ONCE})
        assert failure(cache.save, "a", b"1") == NETWORK
        assert cache.load("a") is None  # what it has can be read
        replica.ask("REPLICAOF", "NO", "ONE")
        cache.save("a", b"1")
        assert cache.load("a") == b"1"
        cache.end()
