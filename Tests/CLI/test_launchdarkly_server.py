"""Against LaunchDarkly in mode server, where the library decides by the service's rules or by a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from launchdarkly_server import LaunchDarklyServerSimulator, sample_data
from tool import Result, Tool

USAGE, NETWORK, CONFIGURATION = 2, 3, 4
SERVER = ["--provider", "launchdarkly", "--set", "mode=server"]


@pytest.fixture
def service() -> Iterator[LaunchDarklyServerSimulator]:
    """A strict service: whatever test uses it also proves that no request broke the protocol."""
    with LaunchDarklyServerSimulator() as simulator:
        yield simulator
        assert simulator.violations == []


def run(hoist: Tool, service: LaunchDarklyServerSimulator, *arguments: object) -> Result:
    return hoist(*arguments, *SERVER, "--url", service.url, key=service.sdk_key)


def test_flags_are_decided_for_whoever_is_asked_for(hoist: Tool, service: LaunchDarklyServerSimulator) -> None:
    """(LDS-10, LDS-30; ready)"""
    for user, value in (("anna", "25"), ("bob", "12.5"), ("carl", "10")):
        assert run(hoist, service, "evaluate", "page-size", "--user", user, "--value").out == f"{value}\n"
    free = run(hoist, service, "evaluate", "banner", "--context", '{"kind":"user","key":"u","plan":"free"}', "--json")
    assert (free.status, free.json["value"]) == (0, "Bye")
    assert run(hoist, service, "evaluate", "nonsense", "--user", "u", "--exit-code").status == 5
    rows = run(hoist, service, "flags", "--user", "u").table
    assert [row[0] for row in rows] == sorted(sample_data()["flags"])
    assert service.ledger.posts == []


def test_explain_says_which_rule_is_met(hoist: Tool, service: LaunchDarklyServerSimulator) -> None:
    """(LDS-21, LDS-31; ready)"""
    shown = run(hoist, service, "explain", "page-size", "--user", "anna").out
    assert "rule 0 (r1): holds" in shown and "rule 0 (r1) matches" in shown
    shown = run(hoist, service, "explain", "checkout", "--context", '{"kind":"user","key":"u","plan":"free"}').out
    assert 'flag "banner" must give variation 0, and gives variation 1' in shown and 'prerequisite "banner" is not met' in shown


def test_a_file_is_decided_by_without_a_service(hoist: Tool, tmp_path: Path) -> None:
    """(LDS-67; offline)"""
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({**sample_data(), "flagValues": {"plain": "red"}}))
    for flag, value in (("plain", "red"), ("page-size", "25")):
        result = hoist("evaluate", flag, "--provider", "launchdarkly", "--features", path, "--user", "anna", "--value")
        assert (result.status, result.out) == (0, f"{value}\n"), result


def test_several_files_are_merged(hoist: Tool, tmp_path: Path) -> None:
    """(LDS-67; offline, before start)"""
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, values in zip(paths, ({"a": 1, "both": 1}, {"b": 2, "both": 2})):
        path.write_text(json.dumps({"flagValues": values}))
    files = [*SERVER, "--set", "online=false", "--set", f"bootstrap.file={json.dumps([str(path) for path in paths])}", "--user", "u"]
    refused = hoist("flags", *files)
    assert refused.status == CONFIGURATION and all(str(path) in refused.err for path in paths), refused
    result = hoist("evaluate", "both", *files, "--set", "bootstrap.duplicates=ignore", "--value")
    assert (result.status, result.out) == (0, "1\n"), result


def test_track_is_accepted_by_the_service(hoist: Tool, service: LaunchDarklyServerSimulator) -> None:
    """(LDS-44; ready)"""
    result = run(hoist, service, "track", "purchase", "--value", "19.9", "--user", "u", "--json")
    assert (result.status, result.json) == (0, {"event": "purchase", "accepted": True})
    assert service.ledger.custom() == {"purchase": {"count": 1, "metricValue": 19.9}}


def test_watch_tells_changes_and_how_it_is_connected(hoist: Tool, service: LaunchDarklyServerSimulator) -> None:
    """(LDS-07, LDS-62; ready)"""
    arguments = ["watch", *SERVER, "--url", service.url, "--user", "anna", "--json", "--count", "1"]
    with hoist.start(*arguments, key=service.sdk_key) as running:
        assert running.wait_for("mode")["before"] == ""
        running.wait_for("ready")
        service.set_flag("dark-mode", on=False)
        change = running.wait_for("changed")
        assert (change["flag"]["key"], change["before"]["value"], change["flag"]["value"]) == ("dark-mode", True, False)
        assert running.end().status == 0


def test_a_refused_key_is_a_failure_of_the_network(hoist: Tool, service: LaunchDarklyServerSimulator) -> None:
    """(LDS-13; refused)"""
    result = hoist("flags", *SERVER, "--url", service.url, "--user", "u", key="sdk-wrong")
    assert result.status == NETWORK and "401" in result.err and "sdk-wrong" not in result.err


def test_the_sdk_key_is_no_argument(hoist: Tool, service: LaunchDarklyServerSimulator) -> None:
    result = hoist("flags", *SERVER, "--url", service.url, "--mobile-key", service.sdk_key)
    assert result.status == USAGE and "HOIST_KEY" in result.err and service.sdk_key not in result.err


def test_doctor_knows_the_keys_of_servers(hoist: Tool, service: LaunchDarklyServerSimulator) -> None:
    result = run(hoist, service, "doctor", "--json")
    messages = {check["name"]: check["message"] for check in result.json["checks"]}
    assert result.status == 0 and messages["key"] == "an SDK key, from HOIST_KEY" and "9 flags" in messages["service"]
    key = "mob-11111111-2222-4333-8444-555555abcdef"
    result = hoist("doctor", "--json", *SERVER, "--url", service.url, key=key)
    check = next(check for check in result.json["checks"] if check["name"] == "key")
    assert result.status == CONFIGURATION and "begins with sdk-" in check["message"] and key not in result.out
