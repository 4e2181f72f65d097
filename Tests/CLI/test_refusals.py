"""Exit statuses, one line on standard error, and secrets that stay secret."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tool import FEATURES, Tool
from unleash import UnleashSimulator

USAGE, NETWORK, CONFIGURATION = 2, 3, 4
NOBODY = "http://127.0.0.1:1/api/frontend"


@pytest.mark.parametrize(("arguments", "status", "says"), [
    (["nonsense"], USAGE, 'unknown command "nonsense"; see hoist --help'),
    (["evaluate"], USAGE, "see hoist evaluate --help"),
    (["evaluate", "x", "--nonsense"], USAGE, "--nonsense"),
    (["evaluate", "x", "--timeout", "-1"], USAGE, "--timeout"),
    (["evaluate", "x", "--timeout=nan"], USAGE, "--timeout"),
    (["evaluate", "x", "--features", "f", "--url", NOBODY], USAGE, "--features"),
    (["evaluate", "x", "--value", "--json"], USAGE, "--value and --json"),
    (["evaluate", "x", "--set", "nonsense"], USAGE, "name=value"),
    (["evaluate", "x", "--set", "key=top-secret"], USAGE, "HOIST_KEY"),
    (["evaluate", "x", "--provider", "nonsense"], USAGE, 'unknown provider "nonsense"'),
    (["evaluate", "x", "--features", FEATURES, "--context", "{"], USAGE, "--context"),
    (["evaluate", "x", "--features", FEATURES, "--attribute", "plan"], USAGE, "name=value"),
    (["evaluate", "x", "--features", FEATURES, "--attribute", "age:=twenty"], USAGE, "not JSON"),
    (["track", "x", "--url", NOBODY, "--property", "x"], USAGE, "--property"),
    (["track", "x", "--url", NOBODY, "--value=inf"], USAGE, "--value"),
    (["watch", "--url", NOBODY, "--count", "0"], USAGE, "--count"),
    (["watch", "--url", NOBODY, "--for", "0"], USAGE, "--for"),
    (["evaluate", "x"], USAGE, "--features"),
    (["evaluate", "x", "--set", "nonsense=1"], USAGE, "nonsense"),
    (["evaluate", "x", "--set", "refresh_interval=soon"], USAGE, "refresh_interval"),
    (["watch", "--features", FEATURES], USAGE, "--url"),
    (["watch", "--every", "0"], USAGE, "--every"),
    (["track", "x", "--features", FEATURES], USAGE, "--url"),
    (["track", "x", "--url", NOBODY, "--hit", "jump"], USAGE, "--hit"),
    (["evaluate", "x", "--features", "missing.json"], CONFIGURATION, "missing.json"),
    (["evaluate", "x", "--features", __file__], CONFIGURATION, "not a JSON document"),
    (["evaluate", "x", "--config", "missing.json"], CONFIGURATION, "missing.json"),
    (["evaluate", "x", "--config", __file__], CONFIGURATION, "--config"),
    (["evaluate", "x", "--url", "not a url"], CONFIGURATION, '"url"'),
    (["evaluate", "x", "--url", NOBODY, "--key-file", "missing"], CONFIGURATION, "--key-file missing"),
    (["evaluate", "x", "--url", NOBODY, "--key-file", "/dev/null"], CONFIGURATION, "holds no key"),
    (["evaluate", "x", "--features", FEATURES, "--context", "missing.json"], CONFIGURATION, "missing.json"),
    (["evaluate", "x", "--url", NOBODY], CONFIGURATION, "HOIST_KEY"),
    (["evaluate", "x", "--url", NOBODY], NETWORK, NOBODY),
    (["flags", "--url", NOBODY], NETWORK, NOBODY),
    (["track", "x", "--url", NOBODY], NETWORK, NOBODY),
], ids=lambda value: " ".join(map(str, value))[:60].replace(str(FEATURES), "F") if isinstance(value, list) else None)
def test_a_failure_is_one_line_and_a_status(hoist: Tool, arguments: list[object], status: int, says: str) -> None:
    result = hoist(*arguments, key="k" if status == NETWORK else None)  # without one it is the configuration that is wrong
    assert (result.status, result.out) == (status, "")
    assert result.err.startswith("hoist: ") and result.err.count("\n") == 1
    assert says in result.err
    assert "top-secret" not in result.err


def test_what_was_given_is_not_asked_for(hoist: Tool) -> None:
    for provider in ("unleash", "optimizely"):
        result = hoist("evaluate", "x", "--provider", provider, "--features", "missing.json")
        assert result.status == CONFIGURATION and "missing.json" in result.err and "--features FILE" not in result.err


def test_help_and_version_are_answers(hoist: Tool) -> None:
    for command in ([], ["evaluate"], ["explain"], ["flags"], ["watch"], ["track"], ["config"], ["doctor"]):
        result = hoist(*command, "--help")
        assert (result.status, result.err) == (0, "")
        assert "EXAMPLES" in result.out and "USAGE" in result.out
    version = hoist("--version")
    assert (version.status, version.err) == (0, "") and version.out.count(".") == 2


def test_standard_output_that_is_full_is_no_success(hoist: Tool) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(hoist.command(("flags", "--features", FEATURES)), stdout=full, stderr=subprocess.PIPE,
                              text=True, env=hoist.environment(None, {}))
    assert done.returncode == CONFIGURATION and "standard output" in done.stderr


@pytest.mark.parametrize("command", [["evaluate", "banner"], ["flags"], ["doctor"], ["config"], ["track", "x"], ["watch", "--for", "0.2"]],
                         ids=lambda command: command[0])
@pytest.mark.parametrize("output", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("is_right", [True, False], ids=["accepted", "refused"])
def test_the_key_is_in_no_output(hoist: Tool, service: UnleashSimulator, tmp_path: Path, command: list[str],
                                 output: list[str], is_right: bool) -> None:
    """G7"""
    secret = service.frontend_key.split(".")[1]
    if not is_right:
        secret = "this-is-not-the-secret"
    file = tmp_path / "key"
    file.write_text(f"*:development.{secret}\n")
    address = service.frontend_url.replace("http://", "http://someone:password@") if command == ["config"] else service.frontend_url
    for way in ({"key": f"*:development.{secret}"}, {"arguments": ["--key-file", file]}):
        arguments = way.get("arguments", [])
        result = hoist(*command, *output, "--url", address, "--verbose", *arguments, key=way.get("key"))
        assert result.out or result.err
        assert secret not in result.out + result.err
        assert "password" not in result.out + result.err
