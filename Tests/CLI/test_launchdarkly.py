"""Against LaunchDarkly, whose service evaluates for one context."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from launchdarkly import LaunchDarklySimulator, sample_flags
from tool import Result, Running, Tool

USAGE, NETWORK = 2, 3
CONTEXT = '{"kind":"user","key":"user-42","plan":"pro"}'


@pytest.fixture
def service() -> Iterator[LaunchDarklySimulator]:
    """Strict services: whatever test uses them also proves that no request broke the protocol."""
    with LaunchDarklySimulator() as simulator:
        yield simulator
        assert simulator.violations == []


def connection(service: LaunchDarklySimulator) -> list[str]:
    return ["--provider", "launchdarkly", "--mobile-key", service.mobile_key, "--url", service.url]


def run(hoist: Tool, service: LaunchDarklySimulator, *arguments: object) -> Result:
    return hoist(*arguments, *connection(service))


def watch(hoist: Tool, service: LaunchDarklySimulator, *arguments: object) -> Running:
    return hoist.start("watch", *arguments, *connection(service), "--context", CONTEXT, "--json")


def test_evaluate_asks_for_the_context(hoist: Tool, service: LaunchDarklySimulator) -> None:
    service.set_flag("dark-mode", context="user-42", value=False, variation=1)
    ways = (["--context", CONTEXT], ["--user", "user-42"], ["--context", '{"targetingKey":"user-42"}'],
            ["--context", '{"kind":"org","key":"o"}', "--user", "user-42", "--attribute", "kind=user"])
    for way in ways:
        result = run(hoist, service, "evaluate", "dark-mode", *way, "--json")
        assert (result.status, result.json["value"]) == (0, False), result
    assert run(hoist, service, "evaluate", "dark-mode", "--user", "somebody", "--value").out == "true\n"
    assert run(hoist, service, "evaluate", "dark-mode", "--value").out == "true\n"


def test_a_context_that_is_none_is_refused(hoist: Tool, service: LaunchDarklySimulator) -> None:
    for arguments in (["--context", '{"kind":"kind","key":"a"}'], ["--context", '{"kind":"org","key":""}']):
        result = run(hoist, service, "evaluate", "dark-mode", *arguments)
        assert result.status == USAGE and "context" in result.err
    assert service.requests() == []


def test_a_key_may_be_left_out(hoist: Tool, service: LaunchDarklySimulator) -> None:
    """Contract 3: the client makes one (LD-11; ready)."""
    for arguments in (["--context", '{"kind":"org"}'], ["--context", '{"kind":"multi","org":{},"user":{"key":"u"}}'],
                      ["--attribute", "plan=pro"], ["--context", '{"anonymous":true}']):
        assert run(hoist, service, "evaluate", "dark-mode", *arguments, "--value").out == "true\n", arguments


def test_a_value_of_false_is_off(hoist: Tool, service: LaunchDarklySimulator) -> None:
    for value, status in ((True, 0), (False, 1)):
        service.set_flag("dark-mode", value=value, variation=1)
        assert run(hoist, service, "evaluate", "dark-mode", "--user", "u", "--exit-code").status == status
    assert run(hoist, service, "evaluate", "nonsense", "--user", "u", "--exit-code").status == 5


def test_flags_lists_all(hoist: Tool, service: LaunchDarklySimulator) -> None:
    rows = run(hoist, service, "flags", "--user", "u").table
    assert [row[0] for row in rows] == sorted(sample_flags())
    assert dict((row[0], row[4]) for row in rows)["page-size"] == "25"


def test_explain_tells_the_services_reason(hoist: Tool, service: LaunchDarklySimulator) -> None:
    service.options.change(with_reasons=True)
    result = run(hoist, service, "explain", "page-size", "--user", "u", "--set", "evaluation_reasons=true", "--json")
    assert result.status == 0 and "RULE_MATCH" in json.dumps(result.json)
    shown = run(hoist, service, "explain", "page-size", "--user", "u", "--set", "evaluation_reasons=true").out.splitlines()
    assert shown[3] == "the service evaluates; the answer is the value" and shown[-1].startswith("rule ") and "matches" in shown[-1]
    service.options.change(with_reasons=False)
    assert "--set evaluation_reasons=true" in run(hoist, service, "explain", "page-size", "--user", "u").out


def test_looking_sends_no_events(hoist: Tool, service: LaunchDarklySimulator) -> None:
    for command in (["evaluate", "banner"], ["explain", "banner"], ["flags"]):
        assert run(hoist, service, *command, "--user", "u").status == 0
    assert service.ledger.posts == []


def test_track_is_accepted_by_the_service(hoist: Tool, service: LaunchDarklySimulator) -> None:
    result = run(hoist, service, "track", "purchase", "--value", "19.9", "--user", "u", "--json")
    assert (result.status, result.json) == (0, {"event": "purchase", "accepted": True})
    assert service.ledger.custom() == {"purchase": {"count": 1, "metricValue": 19.9}}


@pytest.mark.parametrize("status", [401, 403])
def test_track_does_not_call_accepted_what_was_refused(hoist: Tool, service: LaunchDarklySimulator, status: int) -> None:
    """Contract 6. State: ready."""
    service.fail("events", "status", status=status, times=None)
    result = run(hoist, service, "track", "purchase", "--user", "u", "--timeout", "3")
    assert (result.status, result.out) == (NETWORK, "") and str(status) in result.err, result


def test_a_refused_key_is_a_failure_of_the_network(hoist: Tool, service: LaunchDarklySimulator) -> None:
    result = hoist("flags", "--provider", "launchdarkly", "--url", service.url, "--mobile-key", "mob-wrong")
    assert result.status == NETWORK and "401" in result.err and "mob-wrong" not in result.err


def test_the_key_may_come_from_the_environment(hoist: Tool, service: LaunchDarklySimulator) -> None:
    result = hoist("flags", "--provider", "launchdarkly", "--url", service.url, "--user", "u", key=service.mobile_key)
    assert result.status == 0


def test_options_of_launchdarkly_are_for_launchdarkly(hoist: Tool) -> None:
    for option in (["--mobile-key", "k"], ["--stream-url", "http://127.0.0.1:1"]):
        result = hoist("flags", *option)
        assert result.status == USAGE and option[0] in result.err


def test_watch_needs_a_key(hoist: Tool) -> None:
    result = hoist("watch", "--provider", "launchdarkly")
    assert result.status != 0 and "--mobile-key" in result.err


def test_watch_ends_when_the_key_is_refused_later(hoist: Tool, service: LaunchDarklySimulator) -> None:
    """Contract 1: FATAL, attempts have stopped. State: ready, key refused."""
    with watch(hoist, service) as running:
        running.wait_for("ready")
        for endpoint in ("stream", "poll"):
            service.fail(endpoint, "status", status=401, times=None)
        service.streams.drop()
        ended = running.end()
    assert ended.status == NETWORK and "401" in ended.err, ended


def test_watch_tells_each_change_of_the_stream(hoist: Tool, service: LaunchDarklySimulator) -> None:
    with watch(hoist, service, "--count", "3") as running:
        flags = {flag["key"]: flag["value"] for flag in running.wait_for("ready")["flags"]}
        assert flags["dark-mode"] is True
        service.set_flag("dark-mode", value=False, variation=1)
        change = running.wait_for("changed")
        assert (change["flag"]["key"], change["before"]["value"], change["flag"]["value"]) == ("dark-mode", True, False)
        service.set_flag("novelty", value={"a": 1}, variation=0)
        change = running.wait_for("changed")
        assert (change["flag"]["value"], change["before"]) == ({"a": 1}, None)
        service.delete_flag("novelty")
        change = running.wait_for("changed")
        assert (change["flag"]["errorCode"], change["before"]["value"]) == ("FLAG_NOT_FOUND", {"a": 1})
        assert running.end().status == 0


def test_watch_tells_how_it_is_connected(hoist: Tool, service: LaunchDarklySimulator) -> None:
    with watch(hoist, service) as running:
        first = running.wait_for("mode")
        assert first["before"] == ""
        while first["mode"] != "streaming":  # where the watch found it is a matter of speed
            first = running.wait_for("mode")
        service.streams.drop()
        assert running.wait_for("mode")["mode"] == "establishing"
        assert running.wait_for("mode")["mode"] == "streaming"
        assert running.interrupt() == 0


def test_watch_shows_people_values_and_modes(hoist: Tool, service: LaunchDarklySimulator) -> None:
    with hoist.start("watch", "dark-mode", "--count", "1", *connection(service), "--context", CONTEXT) as running:
        while "dark-mode" not in (line := running.line()):
            assert line
        service.set_flag("dark-mode", value=False, variation=1)
        rest = running.end()
    assert "  dark-mode  true → false" in rest.out and rest.status == 0


def test_watch_follows_by_polling_too(hoist: Tool, service: LaunchDarklySimulator) -> None:
    polling = ["--set", "streaming_mode=polling", "--set", "ignore_polling_minimum=true", "--set", "flag_polling_interval_ms=100"]
    with watch(hoist, service, "dark-mode", *polling, "--count", "1") as running:
        running.wait_for("ready")
        service.set_flag("dark-mode", value=False, variation=1)
        assert running.wait_for("changed")["flag"]["value"] is False
        assert running.end().status == 0


def test_the_stream_may_have_an_address_of_its_own(hoist: Tool, service: LaunchDarklySimulator, tmp_path: Path) -> None:
    command = ["--provider", "launchdarkly", "--mobile-key", service.mobile_key, "--user", "u", "--url", "http://127.0.0.1:1"]
    assert hoist("evaluate", "dark-mode", *command, "--stream-url", service.url, "--value").out == "true\n"


@pytest.mark.parametrize(("key", "says"), [
    ("sdk-11111111-2222-4333-8444-555555abcdef", "a server's SDK key"), ("api-11111111-2222-4333-8444-555555abcdef", "REST API"),
    ("0123456789abcdef01234567", "a client-side ID")])
def test_doctor_knows_keys_of_the_wrong_kind(hoist: Tool, service: LaunchDarklySimulator, key: str, says: str) -> None:
    result = hoist("doctor", "--json", "--provider", "launchdarkly", "--url", service.url, key=key)
    check = next(check for check in result.json["checks"] if check["name"] == "key")
    assert result.status == 4 and check["outcome"] == "failed" and says in check["message"] and key not in result.out, result


def test_doctor_examines_the_key_and_the_service(hoist: Tool, service: LaunchDarklySimulator) -> None:
    result = run(hoist, service, "doctor", "--json")
    messages = {check["name"]: check["message"] for check in result.json["checks"]}
    assert result.status == 0 and "8 flags" in messages["service"]
    assert messages["key"] == "a mobile key, from --mobile-key"
