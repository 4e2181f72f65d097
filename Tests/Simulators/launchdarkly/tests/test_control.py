"""The control port, the command, and faults at every service."""

from __future__ import annotations

import base64
import http.client
import json
import subprocess
import sys
from pathlib import Path

import pytest
from loopback.calls import control
from loopback.commands import SIMULATORS, check_refused_command

from launchdarkly import LaunchDarklySimulator

from .support import BUILDERS, StreamReader, custom, diagnostic, payload, poll


def test_addresses_and_keys(simulator: LaunchDarklySimulator) -> None:
    status, described = control(simulator, "GET", "/")
    assert (status, described["url"], described["mobileKey"]) == (200, simulator.url, simulator.mobile_key)
    assert described["mobileKeys"] == [simulator.mobile_key]


def test_flags_over_the_control_port(simulator: LaunchDarklySimulator) -> None:
    assert control(simulator, "PUT", "/flags", {"f": {"value": 1, "version": 1}}) == (200, {"ok": True})
    assert control(simulator, "POST", "/flag?key=f", {"value": 2}) == (200, {"version": 2})
    assert control(simulator, "POST", "/flag?key=f&context=org%3Ao%253A1%3Auser%3Aanna", {"value": 3})[1] == {"version": 3}
    assert poll(simulator).send(simulator).json["f"]["value"] == 3
    assert control(simulator, "DELETE", "/flag?key=f") == (200, {"version": 4})
    listed = control(simulator, "GET", "/flags")[1]
    assert (listed["flags"], listed["tombstones"]) == ({}, {"f": 4})
    control(simulator, "PUT", "/flags?mobileKey=mob-2", {"g": {"value": 1}})
    assert control(simulator, "GET", "/flags?mobileKey=mob-2")[1]["flags"] == {"g": {"value": 1}}
    control(simulator, "POST", "/known", {"old": {"value": 1, "version": 1}})
    assert simulator.environment.served("old") == [{"value": 1, "version": 1}]


def test_streams_over_the_control_port(simulator: LaunchDarklySimulator) -> None:
    with StreamReader(simulator) as reader:
        reader.next()
        assert control(simulator, "GET", "/wait-streams?count=1")[1] == {"reached": True}
        assert control(simulator, "POST", "/streams", {"action": "ping"}) == (200, {"streams": 1})
        assert reader.message() == ("ping", None)
        control(simulator, "POST", "/streams", {"action": "send", "event": "patch", "data": "[1]", "id": "7"})
        assert reader.next() == {"event": "patch", "id": "7", "data": "[1]"}
        data = base64.b64encode(b"event: odd\ndata: x\n\n").decode()
        control(simulator, "POST", "/streams", {"action": "raw", "base64": data})
        assert reader.next() == {"event": "odd", "data": "x"}
        control(simulator, "POST", "/streams", {"action": "keep-alive"})
        assert reader.next() == {"comment": ": keep-alive"}
        control(simulator, "POST", "/streams", {"action": "stall"})
        control(simulator, "POST", "/flag?key=f", {"value": 2})
        assert control(simulator, "POST", "/streams", {"action": "resume"}) == (200, {"streams": 1})
        assert reader.next()["event"] == "patch"
        assert control(simulator, "GET", "/streams")[1]["open"][0]["context"] == "anna"
        control(simulator, "POST", "/streams", {"action": "truncate", "event": "put", "data": "{}", "keep": 12})
        with pytest.raises((EOFError, OSError, http.client.HTTPException)):
            reader.next()
    assert control(simulator, "GET", "/wait-streams?count=0")[1] == {"reached": True}


def test_events_over_the_control_port(simulator: LaunchDarklySimulator) -> None:
    payload(simulator, custom()).send(simulator)
    diagnostic(simulator).send(simulator)
    assert control(simulator, "GET", "/events?kind=custom")[1] == [custom()]
    assert control(simulator, "GET", "/diagnostics")[1][0]["kind"] == "diagnostic"
    assert control(simulator, "GET", "/ledger")[1]["custom"]["purchase"]["count"] == 1
    assert len(control(simulator, "GET", "/posts")[1]) == 2
    assert control(simulator, "GET", "/wait-events?kind=custom&timeout=0")[1] == {"reached": True}
    assert control(simulator, "GET", "/wait-evaluations?key=f&timeout=0")[1] == {"reached": False}


def test_violations_and_options_over_the_control_port(simulator: LaunchDarklySimulator) -> None:
    poll(simulator).with_header("User-Agent", None).send(simulator)
    assert control(simulator, "GET", "/violations")[1] == ["header user-agent: is missing"]
    control(simulator, "POST", "/options", {"with_reasons": True, "secrets": ["a"]})
    assert control(simulator, "GET", "/options")[1]["secrets"] == ["a"]
    assert poll(simulator).send(simulator).places == ["query"]


@pytest.mark.parametrize(("method", "path", "document"), [
    ("POST", "/faults", {"endpoint": "flags", "kind": "status"}), ("POST", "/faults", [1]),
    ("POST", "/options", {"nonsense": 1}), ("POST", "/options", {"greeting": "hello"}),
    ("POST", "/options", {"tags": "weak"}), ("POST", "/options", {"prefix": "relay"}),
    ("POST", "/options", {"secrets": [1]}), ("PUT", "/flags", [1]), ("PUT", "/flags", {"f": 1}),
    ("POST", "/flag?key=f", 1), ("POST", "/flag", {"value": 1}), ("DELETE", "/flag?key=f&mobileKey=none", None),
    ("POST", "/streams", {"action": "sing"}), ("POST", "/streams", {"action": "drop", "how": "gently"})])
def test_bad_control_calls_are_refused(simulator: LaunchDarklySimulator, method: str, path: str,
                                       document: object) -> None:
    status, answer = control(simulator, method, path, document)
    assert status == 400 and answer["error"]


@pytest.mark.parametrize("name", BUILDERS)
def test_every_endpoint_can_fail(simulator: LaunchDarklySimulator, name: str) -> None:
    endpoint = {"diagnostic_init": "diagnostics", "diagnostic": "diagnostics"}.get(name, name.replace("_", "-"))
    call = BUILDERS[name](simulator)
    simulator.fail(endpoint, "reset")
    with pytest.raises((OSError, http.client.HTTPException)):
        call.send(simulator)
    control(simulator, "POST", "/faults", {"endpoint": endpoint, "kind": "status", "status": 503})
    assert call.send(simulator).status == 503
    assert call.send(simulator).status in (200, 202)


def test_the_command_prints_addresses_and_then_violations(tmp_path: Path) -> None:
    flags = tmp_path / "flags.json"
    flags.write_text('{"f": {"value": 1, "version": 1}}', encoding="utf-8")
    command = [sys.executable, "-m", "launchdarkly", "--flags", str(flags), "--mobile-key", "mob-7",
               "--option", "with_reasons=true"]
    with subprocess.Popen(command, cwd=SIMULATORS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        described = json.loads(process.stdout.readline())
        assert described["mobileKey"] == "mob-7"
        connection = http.client.HTTPConnection(described["url"].removeprefix("http://"), timeout=5)
        connection.request("GET", "/nowhere")
        assert connection.getresponse().status == 422
        connection.close()
        process.stdin.close()
        assert json.loads(process.stdout.read())["violations"] == ["path: /nowhere is no endpoint"]
        assert process.wait(10) == 1


@pytest.mark.parametrize("arguments", [["--option", "nonsense=1"], ["--option", "greeting"], ["--flags", "/nowhere"]])
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    check_refused_command("launchdarkly", *arguments)
