"""The control port, the command, and the server's own manners."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from loopback.calls import Call, control

from unleash import UnleashSimulator

from .support import STATE, backend_headers, features, frontend, metrics

SIMULATORS = Path(__file__).resolve().parents[2]


def test_addresses_and_keys(simulator: UnleashSimulator) -> None:
    status, described = control(simulator, "GET", "/")
    assert status == 200
    assert described["frontendUrl"] == simulator.frontend_url
    assert described["apiUrl"] + "/client/features" == f"{simulator.server.url}/api/client/features"
    assert simulator.server.port != int(described["controlUrl"].split(":")[2].split("/")[0])


def test_the_request_log(simulator: UnleashSimulator) -> None:
    frontend(simulator).send(simulator)
    metrics(simulator).send(simulator)
    logged, = control(simulator, "GET", "/requests?endpoint=metrics")[1]
    assert (logged["method"], logged["target"], logged["status"]) == ("POST", "/api/client/metrics", 202)
    assert ["unleash-interval", "60000"] in logged["headers"]
    assert json.loads(logged["body"]) == metrics(simulator).document
    assert len(control(simulator, "GET", "/requests")[1]) == 2
    assert control(simulator, "GET", f"/requests?since={logged['number']}")[1] == []


def test_violations_are_told(simulator: UnleashSimulator) -> None:
    features(simulator).with_header("unleash-sdk", None).send(simulator)
    assert control(simulator, "GET", "/violations")[1] == ["header unleash-sdk: is missing"]
    control(simulator, "POST", "/reset")
    assert control(simulator, "GET", "/violations")[1] == [] == simulator.violations


def test_faults_over_the_control_port(simulator: UnleashSimulator) -> None:
    status, made = control(simulator, "POST", "/faults", {
        "endpoint": "features", "kind": "status", "status": 429, "retryAfter": "3", "times": 2})
    assert status == 200
    assert features(simulator).send(simulator).headers["Retry-After"] == "3"
    listed, = control(simulator, "GET", "/faults")[1]
    assert (listed["id"], listed["used"], listed["status"]) == (made["id"], 1, 429)
    control(simulator, "DELETE", f"/faults?id={made['id']}")
    assert features(simulator).send(simulator).status == 200


def test_a_tag_scripted_over_the_control_port_counts_as_issued(simulator: UnleashSimulator) -> None:
    control(simulator, "POST", "/faults", {"endpoint": "features", "kind": "body", "body": "{}", "headers": {"ETag": '"t"'}})
    features(simulator).send(simulator)
    assert features(simulator).with_header("If-None-Match", '"t"').send(simulator).status == 200


@pytest.mark.parametrize(("method", "path", "body"), [
    ("POST", "/faults", {"endpoint": "features"}), ("POST", "/faults", [1]), ("POST", "/options", {"nonsense": 1}),
    ("POST", "/options", {"ready": "yes"}), ("PUT", "/state", {"flags": []}), ("POST", "/streams", {"action": "sing"})])
def test_bad_control_calls_are_refused(simulator: UnleashSimulator, method: str, path: str, body: object) -> None:
    status, answer = control(simulator, method, path, body)
    assert status == 400 and answer["error"]


def test_an_unknown_control_call_lists_the_known_ones(simulator: UnleashSimulator) -> None:
    status, answer = control(simulator, "GET", "/nonsense")
    assert status == 404 and "GET /_control/ledger" in answer["known"]


def test_state_and_options_at_run_time(simulator: UnleashSimulator) -> None:
    assert control(simulator, "PUT", "/state", {"features": [{"name": "only", "enabled": True}]})[1]["revision"] > 1
    assert [toggle["name"] for toggle in frontend(simulator).send(simulator).json["toggles"]] == ["only"]
    control(simulator, "POST", "/state", {"features": [{"name": "more", "enabled": True}], "remove": ["only"]})
    assert [toggle["name"] for toggle in frontend(simulator).send(simulator).json["toggles"]] == ["more"]
    control(simulator, "POST", "/options", {"flavour": "edge"})
    assert frontend(simulator).send(simulator).headers["ETag"].startswith('"')


def test_waiting_over_the_control_port(simulator: UnleashSimulator) -> None:
    answers: list = []
    thread = threading.Thread(target=lambda: answers.append(control(simulator, "GET", "/wait?endpoint=features&count=2")))
    thread.start()
    features(simulator).send(simulator)
    features(simulator).send(simulator)
    thread.join(5)
    assert answers[0][1]["reached"] is True
    assert control(simulator, "GET", "/wait?endpoint=features&count=3&timeout=0.01")[1]["reached"] is False


def test_one_connection_carries_many_requests(simulator: UnleashSimulator) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=5)
    for call in (features(simulator), metrics(simulator), features(simulator).with_header("Accept", None), features(simulator)):
        call.start(connection)
        connection.getresponse().read()
    connection.close()
    assert [entry.status for entry in simulator.requests()] == [200, 202, 422, 200]
    assert control(simulator, "GET", "/connections")[1]["accepted"] == 1


def test_chunked_bodies_and_expect_are_understood(simulator: UnleashSimulator) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=5)
    call = metrics(simulator)
    headers = {**call.headers, "Transfer-Encoding": "chunked"}
    connection.request(call.method, call.path, iter([call.payload[:50], call.payload[50:]]), headers, encode_chunked=True)
    assert connection.getresponse().status == 202
    connection.close()
    expecting = call.with_header("Expect", "100-continue")
    assert expecting.send(simulator).status == 202


def test_the_most_requests_in_flight_are_known(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "hang", times=2, then="answer")
    threads = [threading.Thread(target=features(simulator).send, args=(simulator,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert control(simulator, "GET", "/wait-held?count=2")[1]["reached"] is True
    assert control(simulator, "POST", "/release")[1] == {"released": 2}
    for thread in threads:
        thread.join(5)
    assert simulator.journal.counts()["mostInFlight"]["features"] == 2


def test_two_hundred_requests_a_second(simulator: UnleashSimulator) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=5)
    call: Call = frontend(simulator)
    began = time.monotonic()
    for _ in range(200):
        call.start(connection)
        assert connection.getresponse().read()
    connection.close()
    assert time.monotonic() - began < 1.0


@pytest.fixture
def state_file(tmp_path: Path) -> Path:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(STATE), encoding="utf-8")
    return path


def command(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", "unleash", *arguments], cwd=SIMULATORS, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


def test_the_command_serves_until_stdin_closes(state_file: Path) -> None:
    process = command("--features", str(state_file), "--key", "*:prod.secret", "--option", "refresh_interval_ms=15000")
    described = json.loads(process.stdout.readline())
    assert described["frontendKey"] == described["backendKey"] == "*:prod.secret"
    connection = http.client.HTTPConnection(described["apiUrl"].split("/")[2], timeout=5)
    with UnleashSimulator() as model:
        headers = {**backend_headers(model), "Authorization": "*:prod.secret"}
    connection.request("GET", "/api/client/features", headers=headers)
    response = connection.getresponse()
    assert response.status == 200 and json.loads(response.read())["query"]["environment"] == "prod"
    connection.close()
    rest, _ = process.communicate(timeout=5)
    assert (json.loads(rest), process.returncode) == ({"violations": []}, 0)


def test_the_command_ends_with_status_1_after_violations(state_file: Path) -> None:
    process = command("--features", str(state_file), "--flavour", "edge")
    described = json.loads(process.stdout.readline())
    connection = http.client.HTTPConnection(described["apiUrl"].split("/")[2], timeout=5)
    connection.request("GET", "/nowhere")
    assert connection.getresponse().status == 422
    connection.close()
    rest, _ = process.communicate(timeout=5)
    assert json.loads(rest)["violations"] == ["path: /nowhere is no endpoint"]
    assert process.returncode == 1


@pytest.mark.parametrize("arguments", [["--features", "/nowhere.json"], ["--option", "nonsense=1"], ["--option", "ready"]])
def test_the_command_refuses_nonsense(arguments: list[str]) -> None:
    process = command(*arguments)
    assert process.wait(5) == 2
    process.communicate()
