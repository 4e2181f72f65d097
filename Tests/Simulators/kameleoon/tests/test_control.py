"""The control port, the command, and faults at every endpoint."""

from __future__ import annotations

import threading

import pytest
from loopback.calls import control
from loopback.commands import check_command, check_refused_command
from loopback.spoiling import check_faults

from kameleoon import KameleoonSimulator, sample_configuration
from kameleoon.sample import SITE

from .support import BUILDERS, StreamReader, configuration, conversion, remote, stream, token, tracking, visitor


def test_addresses_and_codes(simulator: KameleoonSimulator) -> None:
    status, described = control(simulator, "GET", "/")
    assert (status, described["siteCode"]) == (200, SITE)
    base = simulator.server.url
    assert f"{described['configurationUrl']}/v3/{SITE}" == base + configuration(simulator).path
    assert f"{described['dataUrl']}/visit/events" == base + tracking(simulator).path
    assert f"{described['dataUrl']}/visit/visitor" == base + visitor(simulator).path
    assert f"{described['dataUrl']}/map/map" == base + remote(simulator).path
    assert f"{described['streamUrl']}/sse" == base + stream(simulator).path
    assert f"{described['tokenUrl']}/oauth/token" == base + token(simulator).path


def test_what_is_served_over_the_control_port(simulator: KameleoonSimulator) -> None:
    status, made = control(simulator, "PUT", "/configuration", sample_configuration(dateModified=9))
    assert (status, made) == (200, {"lastModified": "Mon, 05 Jan 2026 10:01:00 GMT"})
    assert configuration(simulator).send(simulator).json["dateModified"] == 9
    control(simulator, "PUT", "/visitor?visitor=carla%20%C3%A9", {"currentVisit": {"visitorCode": "c1"}})
    assert visitor(simulator).send(simulator).json == {"currentVisit": {"visitorCode": "c1"}}
    call = remote(simulator)
    control(simulator, "PUT", "/remote?key=prices%2F%C3%A9", [1])
    assert call.send(simulator).json == [1]
    control(simulator, "PUT", "/credentials", {"id": "a", "secret": "b"})
    assert token(simulator).send(simulator).status == 401
    assert token(simulator).with_header("Authorization", "Basic YTpi").send(simulator).status == 200
    assert control(simulator, "GET", "/tokens")[1] == ["token-1"]
    assert control(simulator, "DELETE", "/tokens")[1] == {"revoked": 1}
    control(simulator, "PUT", "/consent?visitor=carla", True)
    control(simulator, "POST", "/sites", {"site": "two", "configuration": {}})
    control(simulator, "POST", "/known?site=two", {"featureFlags": []})
    sites = control(simulator, "GET", "/sites")[1]
    assert set(sites) == {SITE, "two"} and sites[SITE]["consents"] == {"carla": True}
    control(simulator, "DELETE", "/configuration")
    assert configuration(simulator).send(simulator).status == 404


def test_the_ledger_over_the_control_port(simulator: KameleoonSimulator) -> None:
    tracking(simulator, conversion(1), conversion(2, 8)).send(simulator)
    visitor(simulator).send(simulator)
    assert control(simulator, "GET", "/ledger")[1]["kinds"] == {"conversion": 2}
    lines = control(simulator, "GET", "/lines?kind=conversion&visitor=carla")[1]
    assert [found["goalId"] for found in lines] == ["7", "8"]
    assert control(simulator, "GET", "/queries?endpoint=visitor-data")[1][0]["visitorCode"] == "carla é"
    assert [post["endpoint"] for post in control(simulator, "GET", "/posts")[1]] == ["tracking", "visitor-data"]
    control(simulator, "POST", "/end-visits")
    assert simulator.ledger.visits_over == 1


def test_streams_over_the_control_port(simulator: KameleoonSimulator) -> None:
    simulator.options.change(keep_alive_seconds=30)
    with StreamReader(simulator) as reader:
        assert control(simulator, "GET", "/wait-streams?count=1")[1] == {"reached": True}
        assert control(simulator, "POST", "/streams", {"action": "announce", "time": 12}) == (200, {"streams": 1})
        assert reader.time() == 12
        control(simulator, "POST", "/streams", {"action": "send", "event": "other", "data": "{}"})
        assert reader.next()["event"] == "other"
        assert control(simulator, "POST", "/streams", {"action": "restart"}) == (200, {"streams": 1})
    assert simulator.wait_for_streams(0)


def test_violations_and_options_over_the_control_port(simulator: KameleoonSimulator) -> None:
    tracking(simulator).with_header("Content-Type", None).send(simulator)
    assert control(simulator, "GET", "/violations")[1] == ["header content-type: is missing"]
    control(simulator, "POST", "/options", {"client_name": "GO"})
    assert control(simulator, "GET", "/options")[1]["client_name"] == "GO"
    assert tracking(simulator).send(simulator).places == ["query sdkName"]


@pytest.mark.parametrize(("method", "path", "document"), [
    ("POST", "/faults", {"endpoint": "tracking"}), ("POST", "/options", {"nonsense": 1}),
    ("POST", "/options", {"unknown_site_status": 200}), ("POST", "/options", {"maximum_lines": 0}),
    ("POST", "/options", {"keep_alive_seconds": 0}), ("POST", "/options", {"maximum_body_bytes": 0}),
    ("PUT", "/configuration", [1]), ("PUT", "/configuration?site=x", {}), ("PUT", "/visitor", {}),
    ("POST", "/sites", {}), ("POST", "/streams", {"action": "sing"}),
    ("POST", "/streams", {"action": "drop", "how": "x"})])
def test_bad_control_calls_are_refused(simulator: KameleoonSimulator, method: str, path: str, document: object) -> None:
    status, answer = control(simulator, method, path, document)
    assert status == 400 and answer["error"]


def test_waiting_over_the_control_port(simulator: KameleoonSimulator) -> None:
    answers: list = []
    thread = threading.Thread(target=lambda: answers.append(control(simulator, "GET", "/wait-lines?count=1")))
    thread.start()
    tracking(simulator, conversion(1)).send(simulator)
    thread.join(5)
    assert answers[0][1]["reached"] is True
    assert control(simulator, "GET", "/wait-lines?kind=activity&timeout=0.01")[1]["reached"] is False


@pytest.mark.parametrize("name", BUILDERS)
def test_faults_at_every_endpoint(simulator: KameleoonSimulator, name: str) -> None:
    check_faults(simulator, BUILDERS[name](simulator))


def test_the_command_serves_until_its_input_ends() -> None:
    described = check_command("kameleoon", "--site", "mine", "--option", "token_seconds=60")
    assert described["siteCode"] == "mine" and described["dataUrl"].endswith("/data")


@pytest.mark.parametrize("arguments", [
    ["--option", "links"], ["--option", "nonsense=1"], ["--configuration", "/nowhere"]])
def test_the_command_refuses_what_it_does_not_understand(arguments: list[str]) -> None:
    check_refused_command("kameleoon", *arguments)
