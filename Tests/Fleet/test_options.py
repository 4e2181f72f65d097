"""What may be given as options, and what is said of the rest, at load."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from redis_server import RedisServer
from table import CONFIG, UNSUPPORTED, Cache, Failed

ROOT = Path(__file__).resolve().parents[2]
SCOPE = {"scope": "unleash:test"}

REFUSED: list[tuple[object, str]] = [
    ("", "option \"scope\" is missing: the name under which clients of one service, environment and key share"),
    ("{", "the options are no JSON object: column"),
    ("[]", "the options are JSON, and no object"),
    ('{"scope": "a", "scope": "b"}', "the options are no JSON object: column"),
    ({**SCOPE, "prot": 1}, "option \"prot\" is unknown; hoist/plugins/redis.h lists them"),
    ({**SCOPE, "port": "6379"}, "option \"port\" has to be a whole number from 1 to 65535"),
    ({**SCOPE, "port": 65536}, "option \"port\" has to be a whole number from 1 to 65535"),
    ({**SCOPE, "database": -1}, "option \"database\" has to be a whole number from 0 to 65535"),
    ({**SCOPE, "timeout_ms": 0}, "option \"timeout_ms\" has to be a whole number from 1 to 9000"),
    ({**SCOPE, "timeout_ms": 2.5}, "option \"timeout_ms\" has to be a whole number from 1 to 9000"),
    ({**SCOPE, "person_ttl_ms": -1}, "option \"person_ttl_ms\" has to be a whole number from 0 to "),
    ({**SCOPE, "host": 1}, "option \"host\" has to be a text"),
    ({**SCOPE, "host": "a\0b"}, "the options are no JSON object: column"),
    ({**SCOPE, "messages": "syslog"}, "option \"messages\" has to be \"stderr\" or \"none\""),
    ({**SCOPE, "user": "u"}, "option \"user\" needs a \"password\""),
    ({**SCOPE, "tls": True}, "option \"tls\" cannot be true: hiredis 0.14 has no TLS"),
    ({**SCOPE, "tls": "yes"}, "option \"tls\" has to be true or false"),
    ({"scope": ""}, "option \"scope\" has to be a text of 1 to 200 bytes"),
    ({"scope": "a}b"}, "option \"scope\" has to be a text of 1 to 200 bytes without \"{\", \"}\" and control characters"),
    ({"scope": "x" * 201}, "option \"scope\" has to be a text of 1 to 200 bytes"),
    ({**SCOPE, "prefix": "a\nb"}, "option \"prefix\" has to be a text of 1 to 200 bytes"),
    ({"cache": 1}, "option \"cache\" has to be an object"),
    ({**SCOPE, "cache": {"cache": {}}}, "option \"cache\" is unknown"),
    ({"host": "a", "cache": {"port": 0, **SCOPE}}, "option \"port\" has to be a whole number from 1 to 65535"),
    ({"password": "s3cret", "cache": {}}, "option \"scope\" is missing"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_wrong_options_are_refused_with_the_one_that_is_wrong(redis_plugin: Path, options: str | dict[str, object], message: str) -> None:
    with pytest.raises(Failed) as failed:
        Cache(redis_plugin, options)
    assert failed.value.status == CONFIG
    assert message in str(failed.value) and "s3cret" not in str(failed.value)


def test_all_options_of_the_header_are_known_and_no_others(redis_plugin: Path) -> None:
    header = (ROOT / "Include/hoist/plugins/redis.h").read_text()
    named = {line.split('"')[1] for line in header.splitlines() if line.startswith("#define HOIST_REDIS_")}
    good = {"host": "h", "port": 1, "socket": "s", "user": "u", "password": "p", "database": 1, "tls": False, "timeout_ms": 1,
            "retry_first_ms": 1, "retry_max_ms": 1, "messages": "none", "scope": "s", "prefix": "p", "person_ttl_ms": 1, "max_events": 0, "news": True}
    kinds = {"cache", "launchdarkly_store", "launchdarkly_big_segments"}
    assert named == {*good, *kinds}
    Cache(redis_plugin, good).end()
    Cache(redis_plugin, {"cache": good, "launchdarkly_store": {}}).end()


def test_a_cache_that_is_not_asked_for_is_left_out(redis_plugin: Path) -> None:
    with pytest.raises(Failed) as failed:
        Cache(redis_plugin, {"launchdarkly_store": {}})
    assert failed.value.status == UNSUPPORTED


def test_what_stands_beside_a_part_goes_for_it_and_it_says_more(redis_plugin: Path, server: RedisServer) -> None:
    cache = Cache(redis_plugin, {"socket": server.socket, "prefix": "a", "cache": {"prefix": "b", "scope": "c"}})
    cache.save("k", b"1")
    cache.end()
    assert server.names() == ["{b:c}:kept", "{b:c}:value:k"]


def test_scopes_and_prefixes_keep_clients_apart(make: Callable[..., Cache]) -> None:
    one, two, three = make(), make(scope="other"), make(prefix="flags")
    one.save("a", b"1")
    assert (two.load("a"), three.load("a")) == (None, None)


def test_a_value_has_its_version_and_a_person_an_end(make: Callable[..., Cache], server: RedisServer) -> None:
    cache = make(person_ttl_ms=3_600_000)
    cache.save("flags", b"1")
    cache.save("visitor:anna", b"1")
    cache.replace("visitor:anna", b"1", b"2")
    cache.append("visitor:anna", b"2", b"3")
    anna, flags = "{hoist:unleash:test}:value:visitor:anna", "{hoist:unleash:test}:value:flags"
    assert server.ask("HGET", anna, "version") == b"3"
    assert (server.ask("PTTL", flags), server.ask("PTTL", anna)) == (-1, pytest.approx(3_600_000, abs=60_000))
    make().save("visitor:anna", b"4")
    assert server.ask("PTTL", anna) == -1  # as the last writer wants it
    assert isinstance(written := server.ask("HGET", anna, "written"), bytes) and int(written) > 1_600_000_000_000


def test_data_of_a_person_go_when_the_service_has_them_expire(make: Callable[..., Cache], server: RedisServer) -> None:
    cache = make()
    anna = "{hoist:unleash:test}:value:visitor:anna"

    def ends_after(milliseconds: int) -> bool:
        left = server.ask("PTTL", anna)
        return left == pytest.approx(milliseconds, abs=60_000)

    assert cache.replace_for("visitor:anna", None, b"1", 3_600_000) is True
    assert ends_after(3_600_000)
    assert cache.replace_for("visitor:anna", b"0", b"2", 7_200_000) == b"1"
    assert ends_after(3_600_000)
    # What is put behind it begins its time anew, whoever does it.
    server.ask("PEXPIRE", anna, 500_000)
    assert make().append("visitor:anna", b"1", b"2")
    assert ends_after(3_600_000)
    # A refusal stays.
    assert make().replace("visitor:anna", b"12", b"refused") is True
    assert server.ask("PTTL", anna) == -1
    assert cache.append("visitor:anna", b"refused", b"!")
    assert server.ask("PTTL", anna) == -1


def test_of_the_service_s_time_and_the_option_the_sooner_counts(make: Callable[..., Cache], server: RedisServer) -> None:
    anna = "{hoist:unleash:test}:value:visitor:anna"
    cache = make(person_ttl_ms=3_600_000)
    for lifetime, wanted in ((7_200_000, 3_600_000), (1_800_000, 1_800_000), (52_560_000 * 60_000, 3_600_000)):
        cache.save("visitor:anna", b"1")
        assert cache.replace_for("visitor:anna", b"1", b"2", lifetime) is True
        assert server.ask("PTTL", anna) == pytest.approx(wanted, abs=60_000)
    assert make().replace_for("visitor:anna", b"2", b"3", 52_560_000 * 60_000) is True
    assert server.ask("PTTL", anna) == pytest.approx(52_560_000 * 60_000, abs=60_000)


def test_nothing_stays_of_what_is_gone(make: Callable[..., Cache], server: RedisServer) -> None:
    from table import Row
    cache = make()
    cache.save("a", b"1")
    cache.remove("a")
    cache.put("o", Row("a", subject="u"), Row("b", subject="v"), Row("c"))
    cache.purge("u")
    cache.renew("o")
    cache.give_back("o")
    assert cache.claim("p") == ["b", "c"]
    cache.remove_events("p", "b", "c")
    cache.give_back("p")
    left = server.names()
    # That there was something, and the last claim, which has an end.
    assert left == [f"{{hoist:unleash:test}}:{name}" for name in ("claimed:p", "kept")], left
    assert json.loads(str(server.ask("PTTL", left[0]))) > 0


def test_what_an_owner_has_removed_leaves_its_list_with_the_next_renewal(make: Callable[..., Cache], server: RedisServer) -> None:
    from table import Row
    cache = make()
    names = [f"e{number}" for number in range(12_000)]
    for start in range(0, len(names), 1000):
        cache.put("o", *(Row(name) for name in names[start:start + 1000]))
    cache.remove_events("o", *names[:-1])
    cache.renew("o")
    assert server.ask("LRANGE", "{hoist:unleash:test}:held:o", 0, -1) == [names[-1].encode()]
    cache.remove_events("o", names[-1])
    cache.renew("o")
    assert not [name for name in server.names() if ":held:" in name]
