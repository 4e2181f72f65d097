"""The control port, the command, and faults at every endpoint."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path

import pytest
from loopback.calls import control
from loopback.commands import SIMULATORS, check_refused_command
from loopback.spoiling import check_faults

from launchdarkly_server import LaunchDarklyServerSimulator

from .support import ANNA, BUILDERS, StreamReader, custom, diagnostic, identify, index, payload, poll


def test_addresses_and_keys(simulator: LaunchDarklyServerSimulator) -> None:
    status, described = control(simulator, "GET", "/")
    assert (status, described["url"], described["sdkKey"]) == (200, simulator.url, simulator.sdk_key)
    assert described["sdkKeys"] == [simulator.sdk_key]


def test_data_over_the_control_port(simulator: LaunchDarklyServerSimulator) -> None:
    assert control(simulator, "PUT", "/data", {"flags": {"f": {"key": "f", "version": 1}}}) == (200, {"ok": True})
    assert control(simulator, "POST", "/flag?key=f", {"on": True}) == (200, {"version": 2})
    assert control(simulator, "POST", "/segment?key=s", {"included": ["a"]}) == (200, {"version": 1})
    assert poll(simulator).send(simulator).json == {
        "flags": {"f": {"key": "f", "version": 2, "on": True}}, "segments": {"s": {"key": "s", "version": 1, "included": ["a"]}}}
    assert control(simulator, "DELETE", "/flag?key=f") == (200, {"version": 3})
    assert control(simulator, "DELETE", "/segment?key=s&version=8") == (200, {"version": 8})
    listed = control(simulator, "GET", "/data")[1]
    assert (listed["flags"], listed["segments"], listed["tombstones"]) == ({}, {}, {"flags": {"f": 3}, "segments": {"s": 8}})
    control(simulator, "PUT", "/data?sdkKey=sdk-2", {"flags": {"g": {"key": "g"}}})
    assert control(simulator, "GET", "/data?sdkKey=sdk-2")[1]["flags"] == {"g": {"key": "g"}}
    control(simulator, "POST", "/known", {"old": {"key": "old", "version": 1}})
    assert simulator.environment.served("old") == [{"key": "old", "version": 1}]
    control(simulator, "POST", "/context", ANNA)
    assert simulator.environment.contexts("anna") == [ANNA]


def test_streams_over_the_control_port(simulator: LaunchDarklyServerSimulator) -> None:
    with StreamReader(simulator) as reader:
        reader.next()
        assert control(simulator, "GET", "/wait-streams?count=1")[1] == {"reached": True}
        control(simulator, "POST", "/streams", {"action": "send", "event": "patch", "data": "[1]"})
        assert reader.next() == {"event": "patch", "data": "[1]"}
        assert control(simulator, "GET", "/streams")[1]["open"][0]["sdkKey"] == simulator.sdk_key
        control(simulator, "POST", "/streams", {"action": "drop", "how": "end"})
        with pytest.raises((EOFError, OSError, http.client.HTTPException)):
            reader.next()


def test_events_over_the_control_port(simulator: LaunchDarklyServerSimulator) -> None:
    payload(simulator, index(), custom()).send(simulator)
    diagnostic(simulator).send(simulator)
    assert control(simulator, "GET", "/events?kind=custom")[1] == [custom()]
    assert control(simulator, "GET", "/events?kind=custom&sdkKey=sdk-2")[1] == []
    assert control(simulator, "GET", "/diagnostics")[1][0]["kind"] == "diagnostic"
    assert control(simulator, "GET", "/ledger")[1]["custom"]["purchase"]["count"] == 1
    assert control(simulator, "GET", "/wait-events?kind=custom&timeout=0")[1] == {"reached": True}
    assert control(simulator, "GET", "/wait-evaluations?key=f&timeout=0")[1] == {"reached": False}


@pytest.mark.parametrize(("method", "path", "document"), [
    ("POST", "/faults", {"endpoint": "flags", "kind": "status"}), ("POST", "/options", {"nonsense": 1}),
    ("POST", "/options", {"greeting": "hello"}), ("POST", "/options", {"payload_filter": ".a"}),
    ("POST", "/options", {"payload_filter": "a b"}), ("POST", "/options", {"prefix": "relay"}),
    ("POST", "/options", {"with_reasons": True}), ("PUT", "/data", [1]), ("PUT", "/data", {"flags": [1]}),
    ("PUT", "/data", {"features": {}}), ("PUT", "/data", {"flags": {"f": 1}}), ("POST", "/flag?key=f", 1),
    ("POST", "/flag", {"on": True}), ("DELETE", "/segment?key=f&sdkKey=none", None), ("POST", "/streams", {"action": "sing"})])
def test_bad_control_calls_are_refused(simulator: LaunchDarklyServerSimulator, method: str, path: str, document: object) -> None:
    status, answer = control(simulator, method, path, document)
    assert status == 400 and answer["error"]


@pytest.mark.parametrize("name", ["poll", "events", "diagnostic"])
def test_every_endpoint_can_fail_in_every_way(simulator: LaunchDarklyServerSimulator, name: str) -> None:
    simulator.options.change(exactly_once=False)
    check_faults(simulator, payload(simulator, identify()) if name == "events" else BUILDERS[name](simulator))


def test_the_command_prints_addresses_and_then_violations(tmp_path: Path) -> None:
    data = tmp_path / "data.json"
    data.write_text('{"flags": {"f": {"key": "f", "version": 1}}}', encoding="utf-8")
    command = [sys.executable, "-m", "launchdarkly_server", "--data", str(data), "--sdk-key", "sdk-7", "--option", "clients=1"]
    with subprocess.Popen(command, cwd=SIMULATORS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        described = json.loads(process.stdout.readline())
        assert described["sdkKey"] == "sdk-7"
        connection = http.client.HTTPConnection(described["url"].removeprefix("http://"), timeout=5)
        connection.request("GET", "/nowhere")
        assert connection.getresponse().status == 422
        connection.close()
        process.stdin.close()
        assert json.loads(process.stdout.read())["violations"] == ["path: /nowhere is no endpoint"]
        assert process.wait(10) == 1


@pytest.mark.parametrize("arguments", [["--option", "nonsense=1"], ["--option", "clients"], ["--data", "/nowhere"]])
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    check_refused_command("launchdarkly_server", *arguments)
