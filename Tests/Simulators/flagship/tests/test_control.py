"""The control port, the command, and faults at every endpoint."""

from __future__ import annotations

import threading

import pytest
from loopback.calls import control
from loopback.commands import check_command, check_refused_command
from loopback.spoiling import check_faults

from flagship import FlagshipSimulator, sample_bucketing
from flagship.sample import ENVIRONMENT

from .support import BUILDERS, activations, batch, bucketing, consent, decision, own_decision, score, screen, segments


def test_addresses_and_keys(simulator: FlagshipSimulator) -> None:
    status, described = control(simulator, "GET", "/")
    assert (status, described["environmentId"], described["apiKey"]) == (200, ENVIRONMENT, "sample-api-key")
    base = simulator.server.url
    assert f"{described['decisionUrl']}/{ENVIRONMENT}/campaigns" == base + decision(simulator).path
    assert f"{described['ownUrl']}/campaigns" == base + own_decision(simulator).path
    assert f"{described['cdnUrl']}/{ENVIRONMENT}/bucketing.json" == base + bucketing(simulator).path
    assert described["eventsUrl"] == base + batch(simulator).path
    assert segments(simulator).path.startswith(described["segmentsUrl"].removeprefix(base))
    assert score(simulator).path.startswith(described["scoreUrl"].removeprefix(base))


def test_what_is_served_over_the_control_port(simulator: FlagshipSimulator) -> None:
    status, made = control(simulator, "PUT", "/bucketing", sample_bucketing(panic=True))
    assert (status, made) == (200, {"lastModified": "Mon, 05 Jan 2026 10:01:00 GMT"})
    assert bucketing(simulator).send(simulator).json["panic"] is True
    control(simulator, "PUT", "/campaigns?visitor=carla", [])
    assert decision(simulator).send(simulator).json["campaigns"] == []
    control(simulator, "POST", "/panic", True)
    assert decision(simulator).send(simulator).json["panic"] is True
    control(simulator, "PUT", "/score?visitor=carla", "3")
    assert score(simulator).send(simulator).json == {"eai": {"eas": "3"}}
    control(simulator, "PUT", "/segments?visitor=carla%20%C3%A9", [{"segment": "a", "value": "b", "partner": "c"}])
    assert segments(simulator).send(simulator).json[0]["partner"] == "c"
    control(simulator, "PUT", "/account-settings", {"enabledXPC": False})
    assert simulator.environment.account_settings == {"enabledXPC": False}
    control(simulator, "POST", "/environments", {"environment": "two", "apiKey": "k", "bucketing": {"panic": True}})
    assert set(control(simulator, "GET", "/environments")[1]) == {ENVIRONMENT, "two"}
    control(simulator, "POST", "/known", {"campaigns": []})
    control(simulator, "DELETE", "/bucketing")
    assert bucketing(simulator).send(simulator).status == 403


def test_the_ledger_over_the_control_port(simulator: FlagshipSimulator) -> None:
    batch(simulator, consent(), screen()).send(simulator)
    activations(simulator).send(simulator)
    assert control(simulator, "GET", "/ledger")[1]["kinds"] == {"EVENT": 1, "SCREENVIEW": 1}
    assert [item["dl"] for item in control(simulator, "GET", "/hits?kind=SCREENVIEW&visitor=carla")[1]] == ["home"]
    assert len(control(simulator, "GET", "/activations")[1]) == 2
    assert control(simulator, "GET", "/consents?visitor=carla")[1] == [True]
    assert [post["endpoint"] for post in control(simulator, "GET", "/posts")[1]] == ["hits", "activate"]
    assert control(simulator, "GET", "/reports")[1] == []


def test_violations_and_options_over_the_control_port(simulator: FlagshipSimulator) -> None:
    batch(simulator).with_header("Content-Type", None).send(simulator)
    assert control(simulator, "GET", "/violations")[1] == ["header content-type: is missing"]
    control(simulator, "POST", "/options", {"client_name": "mine"})
    assert control(simulator, "GET", "/options")[1]["client_name"] == "mine"
    assert batch(simulator, screen()).send(simulator).places == ["header x-sdk-client"]


@pytest.mark.parametrize(("method", "path", "document"), [
    ("POST", "/faults", {"endpoint": "hits"}), ("POST", "/options", {"nonsense": 1}),
    ("POST", "/options", {"hits": "many"}), ("POST", "/options", {"unknown_environment_status": 200}),
    ("POST", "/options", {"maximum_activations": 0}), ("PUT", "/bucketing", [1]),
    ("PUT", "/bucketing?environment=x", {}), ("PUT", "/campaigns", {"a": 1}), ("PUT", "/segments", []), ("POST", "/environments", {})])
def test_bad_control_calls_are_refused(simulator: FlagshipSimulator, method: str, path: str, document: object) -> None:
    status, answer = control(simulator, method, path, document)
    assert status == 400 and answer["error"]


def test_waiting_over_the_control_port(simulator: FlagshipSimulator) -> None:
    answers: list = []
    thread = threading.Thread(target=lambda: answers.append(control(simulator, "GET", "/wait-hits?count=1")))
    thread.start()
    batch(simulator, screen()).send(simulator)
    thread.join(5)
    assert answers[0][1]["reached"] is True
    activations(simulator).send(simulator)
    assert control(simulator, "GET", "/wait-activations?count=2")[1]["reached"] is True
    assert control(simulator, "GET", "/wait-hits?kind=EVENT&timeout=0.01")[1]["reached"] is False


@pytest.mark.parametrize("name", BUILDERS)
def test_faults_at_every_endpoint(simulator: FlagshipSimulator, name: str) -> None:
    check_faults(simulator, BUILDERS[name](simulator))


def test_the_command_serves_until_its_input_ends() -> None:
    described = check_command("flagship", "--environment", "mine", "--option", "hits=\"batch\"")
    assert described["environmentId"] == "mine" and described["cdnUrl"].endswith("/cdn")


@pytest.mark.parametrize("arguments", [["--option", "hits"], ["--option", "nonsense=1"], ["--bucketing", "/nowhere"]])
def test_the_command_refuses_what_it_does_not_understand(arguments: list[str]) -> None:
    check_refused_command("flagship", *arguments)
