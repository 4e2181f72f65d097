"""Features, registration and deltas (protocol B.6, B.8)."""

from __future__ import annotations

import json

import pytest
from loopback.calls import raw

from unleash import UnleashSimulator

from .support import STATE, delta, features, metrics, register
from .test_evaluate import apply_events


def test_features_document(simulator: UnleashSimulator) -> None:
    reply = features(simulator).send(simulator)
    document = reply.json
    assert document["version"] == 2
    assert [feature["name"] for feature in document["features"]] == ["checkout", "banner", "dark", "europe"]
    assert "tags" not in document["features"][0]
    assert document["segments"] == STATE["segments"]
    assert document["query"]["environment"] == "development"
    assert document["meta"]["revisionId"] == 1
    assert reply.headers["ETag"] == document["meta"]["etag"] == f'"{document["meta"]["queryHash"]}:1:v1"'


def test_304_has_no_headers_at_all(simulator: UnleashSimulator) -> None:
    tag = features(simulator).send(simulator).headers["ETag"]
    call = features(simulator).with_header("If-None-Match", tag)
    lines = [f"{call.method} {call.target} HTTP/1.1", "Host: x", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in call.headers.items()]
    answer = raw(simulator, ("\r\n".join(lines) + "\r\n\r\n").encode())
    assert answer == b"HTTP/1.1 304 Not Modified\r\n\r\n"
    assert simulator.violations == []


def test_a_new_revision_changes_the_tag(simulator: UnleashSimulator) -> None:
    tag = features(simulator).send(simulator).headers["ETag"]
    simulator.state.replace(STATE)
    reply = features(simulator).with_header("If-None-Match", tag).send(simulator)
    assert (reply.status, reply.headers["ETag"]) == (200, tag.replace(":1:", ":2:"))


@pytest.mark.parametrize(("query", "names"), [
    ("project=web", ["banner", "dark", "europe"]), ("project=web&project=shop", ["checkout", "banner", "dark", "europe"]),
    ("namePrefix=che", ["checkout"]), ("tag=team:payments", ["checkout"]), ("tag=team%3Apayments", ["checkout"]),
    ("tag=team:none", []), ("project=web&namePrefix=b", ["banner"])])
def test_filters(simulator: UnleashSimulator, query: str, names: list[str]) -> None:
    call = features(simulator)
    everything = call.send(simulator).headers["ETag"]
    call.query = query.split("&")
    reply = call.send(simulator)
    assert [feature["name"] for feature in reply.json["features"]] == names
    assert reply.headers["ETag"] != everything
    assert simulator.violations == []


def test_the_hint_to_stream(simulator: UnleashSimulator) -> None:
    assert "fetch-mode" not in features(simulator).send(simulator).headers
    simulator.options.change(fetch_mode="streaming")
    assert features(simulator).send(simulator).headers["fetch-mode"] == "streaming"


def test_edge_tags_features_over_the_body(edge: UnleashSimulator) -> None:
    tag = features(edge).send(edge).headers["ETag"]
    reply = features(edge).with_header("If-None-Match", tag).send(edge)
    assert (reply.status, reply.headers["ETag"]) == (304, tag)


def test_keys_decide_the_status(simulator: UnleashSimulator) -> None:
    assert features(simulator).with_header("Authorization", "unknown").send(simulator).status == 401
    assert features(simulator).with_header("Authorization", simulator.frontend_key).send(simulator).status == 403


def test_register_and_metrics_answer_202(simulator: UnleashSimulator) -> None:
    assert register(simulator).send(simulator).status == 202
    assert metrics(simulator).send(simulator).status == 202


def test_the_first_delta_is_a_hydration(simulator: UnleashSimulator) -> None:
    reply = delta(simulator).send(simulator)
    event, = reply.json["events"]
    assert (event["eventId"], event["type"], len(event["features"]), event["segments"]) == (
        1, "hydration", 4, STATE["segments"])
    assert reply.headers["ETag"] == '"1"'


@pytest.mark.parametrize("form", ["{}", '"{}"'])
def test_later_deltas_hold_what_is_missing(simulator: UnleashSimulator, form: str) -> None:
    known, segments = {}, {}
    apply_events(delta(simulator).send(simulator).json["events"], known, segments)
    assert delta(simulator).with_header("If-None-Match", form.format(1)).send(simulator).status == 304
    simulator.state.update({"name": "banner", "enabled": False}, {"name": "new", "enabled": True}, remove=("dark",),
                           segments=({"id": 4, "constraints": []},))
    reply = delta(simulator).with_header("If-None-Match", form.format(1)).send(simulator)
    assert [(event["eventId"], event["type"]) for event in reply.json["events"]] == [
        (2, "segment-updated"), (3, "feature-updated"), (4, "feature-updated"), (5, "feature-removed")]
    assert reply.headers["ETag"] == '"5"'
    apply_events(reply.json["events"], known, segments)
    snapshot = simulator.state.snapshot()
    assert known == {feature["name"]: {k: v for k, v in feature.items() if k != "tags"} for feature in snapshot.features}
    assert segments == {segment["id"]: segment for segment in snapshot.segments}


def test_a_delta_from_the_middle(simulator: UnleashSimulator) -> None:
    for number in range(3):
        simulator.state.update({"name": f"new{number}", "enabled": True})
    reply = delta(simulator).with_header("If-None-Match", '"3"').send(simulator)
    assert [event["feature"]["name"] for event in reply.json["events"]] == ["new2"]


def test_a_lost_history_means_hydration(simulator: UnleashSimulator) -> None:
    simulator.state.update({"name": "new", "enabled": True})
    simulator.state.forget_history()
    reply = delta(simulator).with_header("If-None-Match", '"1"').send(simulator)
    assert [event["type"] for event in reply.json["events"]] == ["hydration"]
    assert delta(simulator).with_header("If-None-Match", '"2"').send(simulator).status == 304


def test_a_delta_of_one_project_removes_what_left_it(simulator: UnleashSimulator) -> None:
    simulator.state.update({"name": "banner", "enabled": True, "project": "shop"})
    call = delta(simulator).with_header("If-None-Match", '"1"')
    call.query = ["project=web"]
    event, = call.send(simulator).json["events"]
    assert (event["type"], event["featureName"]) == ("feature-removed", "banner")


def test_delta_can_be_unavailable(simulator: UnleashSimulator) -> None:
    simulator.options.change(delta_enabled=False)
    assert delta(simulator).send(simulator).status == 404
    assert simulator.violations == []


def test_answers_are_utf_8_json(simulator: UnleashSimulator) -> None:
    reply = features(simulator).send(simulator)
    assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
    assert "ü".encode() in reply.body
    assert json.loads(reply.body)
