"""The control port, the command, and faults at every service."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from loopback.calls import Call, control

from optimizely import OptimizelySimulator, sample_datafile

from .support import BUILDERS, conversion, datafile, platform_events, prediction, segments

SIMULATORS = Path(__file__).resolve().parents[2]


def test_addresses_and_keys(simulator: OptimizelySimulator) -> None:
    status, described = control(simulator, "GET", "/")
    assert (status, described["sdkKey"]) == (200, "sample-sdk-key")
    assert described["datafileUrl"].replace("%@", "sample-sdk-key") == simulator.server.url + datafile(simulator).path
    assert described["eventsUrl"] == simulator.server.url + conversion(simulator).path
    assert described["predictionUrl"].replace("%@", "9201") == simulator.server.url + prediction(simulator).path
    assert described["platformHost"] + "/v3/graphql" == simulator.server.url + segments(simulator).path


def test_datafiles_over_the_control_port(simulator: OptimizelySimulator) -> None:
    status, made = control(simulator, "PUT", "/datafile", sample_datafile(revision="43"))
    assert (status, made) == (200, {"lastModified": "Mon, 05 Jan 2026 10:01:00 GMT"})
    assert datafile(simulator).send(simulator).json["revision"] == "43"
    control(simulator, "PUT", "/datafile?sdkKey=two&token=t", sample_datafile())
    listed = control(simulator, "GET", "/datafiles")[1]
    assert {key: entry["secured"] for key, entry in listed.items()} == {"sample-sdk-key": False, "two": True}
    control(simulator, "DELETE", "/datafile")
    assert datafile(simulator).send(simulator).status == 403
    control(simulator, "POST", "/known", sample_datafile(revision="1"))
    call = conversion(simulator)
    call.document["revision"] = "1"
    assert call.send(simulator).status == 204


def test_customers_and_choices_over_the_control_port(simulator: OptimizelySimulator) -> None:
    control(simulator, "POST", "/customers", {"user": "carla", "segments": ["newsletter"]})
    control(simulator, "POST", "/customers", {"user": "anna", "unknown": True})
    assert control(simulator, "GET", "/customers")[1] == {"qualified": {"carla": ["newsletter"]}, "unknown": ["anna"]}
    assert b'"newsletter","state":"qualified"' in segments(simulator).send(simulator).body
    control(simulator, "POST", "/choices", {"rule": "9201", "variation": "9212"})
    assert prediction(simulator).send(simulator).json["predictions"][0]["variation_id"] == "9212"


def test_violations_and_options_over_the_control_port(simulator: OptimizelySimulator) -> None:
    conversion(simulator).with_header("Content-Type", None).send(simulator)
    assert control(simulator, "GET", "/violations")[1] == ["header content-type: is missing"]
    control(simulator, "POST", "/options", {"maximum_age_ms": None, "client_name": "mine"})
    assert control(simulator, "GET", "/options")[1]["client_name"] == "mine"
    assert conversion(simulator).send(simulator).places == ["body.client_name"]


@pytest.mark.parametrize(("method", "path", "document"), [
    ("POST", "/faults", {"endpoint": "events"}), ("POST", "/faults", [1]), ("POST", "/options", {"nonsense": 1}),
    ("POST", "/options", {"unknown_key_status": 500}), ("POST", "/options", {"maximum_visitors": 0}),
    ("POST", "/options", {"maximum_visitors": "10"}), ("PUT", "/datafile", {"attributes": [{"id": "1"}]}),
    ("POST", "/choices", {"rule": "9201"}), ("POST", "/customers", {})])
def test_bad_control_calls_are_refused(simulator: OptimizelySimulator, method: str, path: str,
                                       document: object) -> None:
    status, answer = control(simulator, method, path, document)
    assert status == 400 and answer["error"]


@pytest.mark.parametrize("document", [[1], 7, None])
def test_a_datafile_that_is_no_object_and_no_text_is_refused(simulator: OptimizelySimulator, document: object) -> None:
    status, _ = control(simulator, "PUT", "/datafile", document)
    assert status == 400
    assert datafile(simulator).send(simulator).json["revision"] == "42"


def test_waiting_over_the_control_port(simulator: OptimizelySimulator) -> None:
    answers: list = []
    thread = threading.Thread(target=lambda: answers.append(control(simulator, "GET", "/wait-events?count=1")))
    thread.start()
    conversion(simulator).send(simulator)
    thread.join(5)
    assert answers[0][1]["reached"] is True
    platform_events(simulator).send(simulator)
    assert control(simulator, "GET", "/wait-platform-events?count=3")[1]["reached"] is True
    assert control(simulator, "GET", "/wait-events?count=2&timeout=0.01")[1]["reached"] is False
    assert control(simulator, "GET", "/wait?endpoint=platform-events&count=1")[1]["reached"] is True


ENDPOINTS = {"datafile": "datafile", "datafile-auth": "secured", "events-us": "conversion", "events-eu": "european",
             "segments": "segments", "platform-events": "platform_events", "predictions": "prediction"}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_every_service_fails_on_demand_and_recovers(simulator: OptimizelySimulator, endpoint: str) -> None:
    call = BUILDERS[ENDPOINTS[endpoint]](simulator)
    simulator.fail(endpoint, "status", status=429, retryAfter="3")
    simulator.fail(endpoint, "html")
    simulator.fail(endpoint, "close")
    first = call.send(simulator)
    assert (first.status, first.headers["Retry-After"]) == (429, "3")
    assert call.send(simulator).headers["Content-Type"].startswith("text/html")
    with pytest.raises(http.client.RemoteDisconnected):
        call.send(simulator)
    assert simulator.ledger.posts == []
    assert call.send(simulator).status in (200, 202, 204)
    assert simulator.violations == []


@pytest.mark.parametrize("endpoint", ["datafile", "segments", "predictions", "platform-events"])
def test_answers_break_off(simulator: OptimizelySimulator, endpoint: str) -> None:
    call = BUILDERS[ENDPOINTS[endpoint]](simulator)
    simulator.fail(endpoint, "truncate", keep=5)
    with pytest.raises(http.client.IncompleteRead) as caught:
        call.send(simulator)
    assert len(caught.value.partial) == 5
    assert all(not post.acknowledged for post in simulator.ledger.posts)


def test_a_half_open_answer_ends_when_it_is_released(simulator: OptimizelySimulator) -> None:
    simulator.fail("datafile", "half-open", keep=3)
    connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=5)
    datafile(simulator).start(connection)
    response = connection.getresponse()
    assert response.read(3) == b'{"v'
    assert simulator.wait_for_held() and simulator.release() == 1
    with pytest.raises(http.client.IncompleteRead):
        response.read()
    connection.close()


def test_a_delayed_answer_acts_when_it_is_let_go(simulator: OptimizelySimulator) -> None:
    fault = simulator.fail("events-us", "delay", delay=3600)
    replies: list = []
    thread = threading.Thread(target=lambda: replies.append(conversion(simulator).send(simulator)))
    thread.start()
    assert simulator.wait_for_held() and simulator.ledger.posts == []
    simulator.release(fault)
    thread.join(5)
    assert replies[0].status == 204 and len(simulator.ledger.posts) == 1


def test_streams_are_not_offered(simulator: OptimizelySimulator) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        simulator.fail("datafile", "stream-drop")


def test_the_service_s_own_answer_to_an_unknown_route(lenient: OptimizelySimulator) -> None:
    assert Call("GET", "/v1/events", {}).send(lenient).status == 404
    assert Call("DELETE", "/us/v1/events", {}).send(lenient).status == 404
    assert [violation.where for violation in lenient.violations] == ["path", "method"]


def command(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", "optimizely", *arguments], cwd=SIMULATORS, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def fetch(url: str, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=5)
    connection.request("GET", "/" + url.split("/", 3)[3], headers={"User-Agent": "hoist/0.1.0", **headers})
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


def test_the_command_serves_until_stdin_closes(tmp_path: Path) -> None:
    (tmp_path / "datafile.json").write_text(json.dumps(sample_datafile(revision="9")), encoding="utf-8")
    process = command("--datafile", str(tmp_path / "datafile.json"), "--sdk-key", "mine", "--token", "t",
                      "--option", "maximum_visitors=3")
    described = json.loads(process.stdout.readline())
    status, document = fetch(described["securedUrl"].replace("%@", described["sdkKey"]), Authorization="Bearer t")
    assert (status, json.loads(document)["revision"]) == (200, "9")
    rest, _ = process.communicate(timeout=5)
    assert (json.loads(rest), process.returncode) == ({"violations": []}, 0)


def test_the_command_ends_with_status_1_after_violations() -> None:
    process = command()
    described = json.loads(process.stdout.readline())
    assert fetch(described["eventsUrl"])[0] == 422
    rest, _ = process.communicate(timeout=5)
    assert json.loads(rest)["violations"] == ["method: must be POST, is GET"]
    assert process.returncode == 1


@pytest.mark.parametrize("arguments", [
    ["--datafile", "/nowhere.json"], ["--option", "nonsense=1"], ["--option", "compress"]])
def test_the_command_refuses_nonsense(arguments: list[str]) -> None:
    process = command(*arguments)
    assert process.wait(5) == 2
    process.communicate()
