"""Streams, polls and their tags (protocol 2.2, 2.3)."""

from __future__ import annotations

import gzip
import json

import pytest
from loopback.reader import EventReader

from launchdarkly import LaunchDarklySimulator, sample_flags

from .support import ANNA, BOTH, BUILDERS, StreamReader, poll, poll_report, stream, stream_report


def without_reasons(flags):
    return {key: {name: value for name, value in flag.items() if name != "reason" or flag.get("trackReason")}
            for key, flag in flags.items()}


def test_a_stream_begins_with_all_flags_and_goes_on_with_changes(simulator: LaunchDarklySimulator) -> None:
    with StreamReader(simulator) as reader:
        assert reader.headers["Content-Type"] == "text/event-stream"
        assert reader.message() == ("put", without_reasons(sample_flags()))
        simulator.set_flag("page-size", value=50, variation=2)
        assert reader.message() == ("patch", {"key": "page-size", "value": 50, "variation": 2, "version": 8})
        simulator.delete_flag("page-size")
        assert reader.message() == ("delete", {"key": "page-size", "version": 9})
        assert simulator.set_flag("page-size", value=1).version == 10
        assert reader.message() == ("patch", {"key": "page-size", "value": 1, "variation": 0, "version": 10})
        simulator.ping()
        assert reader.message() == ("ping", None)
        simulator.replace_flags({"only": {"value": 1}})
        assert reader.message() == ("put", {"only": {"value": 1}})
    assert simulator.violations == []


def test_what_one_context_sees_another_does_not(simulator: LaunchDarklySimulator) -> None:
    with StreamReader(simulator) as anna, StreamReader(simulator, BOTH) as both:
        anna.next(), both.next()
        simulator.set_flag("discount", context="org:o%3A1:user:anna", value=50)
        assert both.message()[1]["value"] == 50
        simulator.set_flag("discount", value=20)
        simulator.set_flag("banner", value="Hi")
        assert anna.message()[1]["value"] == 20
        assert [reader.message()[1]["value"] for reader in (anna, both)] == ["Hi", "Hi"]
    assert poll(simulator, BOTH).send(simulator).json["discount"]["value"] == 50
    assert poll(simulator, ANNA).send(simulator).json["discount"]["value"] == 20


def test_environments_have_flags_of_their_own(simulator: LaunchDarklySimulator) -> None:
    other = simulator.add_environment("mob-other", {"f": {"value": 1, "version": 1}})
    call = poll(simulator).with_header("Authorization", "api_key mob-other")
    assert call.send(simulator).json == {"f": {"value": 1, "version": 1}}
    with StreamReader(simulator) as reader:
        reader.next()
        simulator.set_flag("f", other, value=2)
        simulator.set_flag("dark-mode", value=False)
        assert reader.message()[1]["key"] == "dark-mode"


def test_an_unknown_key_is_no_violation(simulator: LaunchDarklySimulator) -> None:
    for name in BUILDERS:
        call = BUILDERS[name](simulator).with_header("Authorization", "api_key mob-unknown")
        assert call.send(simulator).status == 401
    assert simulator.violations == []


def test_a_poll_has_a_tag_for_its_context_only(simulator: LaunchDarklySimulator) -> None:
    first = poll(simulator).send(simulator)
    assert first.json == without_reasons(sample_flags())
    tag = first.headers["Etag"]
    assert tag.startswith('"')
    again = poll(simulator).with_header("If-None-Match", tag).send(simulator)
    assert (again.status, again.body) == (304, b"")
    simulator.set_flag("banner", value="Hi")
    assert poll(simulator).with_header("If-None-Match", tag).send(simulator).status == 200
    assert simulator.violations == []
    assert poll(simulator, ANNA).with_header("If-None-Match", tag).send(simulator).places == ["header if-none-match"]


@pytest.mark.parametrize(("option", "tag"), [("bare", False), ("off", None)])
def test_other_forms_of_tags(option: str, tag: bool | None) -> None:
    with LaunchDarklySimulator(tags=option) as simulator:
        found = poll(simulator).send(simulator).headers.get("Etag")
        assert (None if found is None else found.startswith('"')) == tag


def test_which_attributes_are_private_does_not_matter_to_a_tag(simulator: LaunchDarklySimulator) -> None:
    tag = poll(simulator, ANNA).send(simulator).headers["Etag"]
    other = {**ANNA, "_meta": {"privateAttributes": ["plan"]}}
    assert poll(simulator, other).with_header("If-None-Match", tag).send(simulator).status == 304
    bare = {name: value for name, value in ANNA.items() if name != "_meta"}
    assert poll(simulator, bare).with_header("If-None-Match", tag).send(simulator).status == 422


def test_report_is_answered_as_get(simulator: LaunchDarklySimulator) -> None:
    assert poll_report(simulator).send(simulator).body == poll(simulator, ANNA).send(simulator).body
    assert stream_report(simulator).send(simulator).body == b"event: put\n"
    assert [entry.endpoint for entry in simulator.requests()] == ["poll-report", "poll", "stream-report"]


def test_reasons_come_to_those_that_ask() -> None:
    with LaunchDarklySimulator(with_reasons=True) as simulator:
        call = poll(simulator)
        call.query = ["withReasons=true"]
        assert call.send(simulator).json == sample_flags()
        assert poll(simulator).send(simulator).places == ["query"]


def test_an_environment_in_secure_mode() -> None:
    with LaunchDarklySimulator(secure_mode_hash="0a1b", with_reasons=True) as simulator:
        call = poll(simulator)
        call.query = ["withReasons=true", "h=0a1b"]
        assert call.send(simulator).json == sample_flags()
        for query in ([], ["h=0a1b"], ["withReasons=true"], ["withReasons=true", "h=0a1c"]):
            call.query = query
            assert call.send(simulator).places == ["query"]


def test_polls_may_be_compressed() -> None:
    with LaunchDarklySimulator(compress=True, environment_id="env-1") as simulator:
        found = poll(simulator).with_header("Accept-Encoding", "gzip").send(simulator)
        assert json.loads(gzip.decompress(found.body)).keys() == sample_flags().keys()
        assert (found.headers["Content-Encoding"], found.headers["X-LD-EnvID"]) == ("gzip", "env-1")
        assert poll(simulator).send(simulator).json.keys() == sample_flags().keys()


@pytest.mark.parametrize(("greeting", "first"), [("ping", "ping"), ("nothing", "patch")])
def test_other_greetings_of_streams(greeting: str, first: str) -> None:
    with LaunchDarklySimulator(greeting=greeting, event_ids=True, environment_id="env-1") as simulator:
        with StreamReader(simulator) as reader:
            assert reader.headers["X-LD-EnvID"] == "env-1"
            assert simulator.wait_for_streams(1)
            simulator.set_flag("banner", value="Hi")
            found = reader.next()
            assert (found["event"], found["id"]) == (first, "1")
        with EventReader(simulator, stream(simulator).with_header("Last-Event-Id", "1")) as reader:
            assert reader.status == 200


def test_a_prefix_in_front_of_all_paths() -> None:
    with LaunchDarklySimulator(prefix="/relay") as simulator:
        assert simulator.url.endswith("/relay")
        call = poll(simulator)
        assert call.send(simulator).places == ["path"]
        call.path = "/relay" + call.path
        assert call.send(simulator).status == 200


@pytest.mark.parametrize("how", ["end", "close", "reset"])
def test_open_streams_can_be_dropped_and_cut(simulator: LaunchDarklySimulator, how: str) -> None:
    for order in (lambda: simulator.streams.drop(how),
                  lambda: simulator.streams.truncate("patch", '{"key":"banner"}', 20, how)):
        with StreamReader(simulator) as reader:
            reader.next()
            order()
            with pytest.raises((EOFError, OSError)):
                reader.next()
        assert simulator.wait_for_streams(0)


def test_streams_can_be_silenced_for_a_time() -> None:
    with LaunchDarklySimulator(keep_alive_seconds=0.001) as simulator, StreamReader(simulator) as reader:
        reader.next()
        simulator.streams.stall()
        simulator.set_flag("banner", value="Hi")
        assert simulator.streams.resume() == 1
        found = reader.next()
        while "comment" in found:
            found = reader.next()
        assert found["event"] == "patch"


@pytest.mark.parametrize("kind", ["stream-drop", "stream-stall", "stream-corrupt", "stream-split", "stream-format"])
def test_faults_of_streams(simulator: LaunchDarklySimulator, kind: str) -> None:
    parameters = {"afterEvents": 1} if kind in ("stream-drop", "stream-stall", "stream-corrupt") else {}
    simulator.fail("stream", kind, **parameters)
    with StreamReader(simulator) as reader:
        reader.next()
        if kind == "stream-drop":
            with pytest.raises((EOFError, OSError)):
                reader.next()
        elif kind == "stream-stall":
            assert simulator.wait_for_held()
            assert simulator.release() == 1
        simulator.set_flag("banner", value="Hi")
        if kind == "stream-corrupt":
            with pytest.raises(ValueError):
                reader.message()


def test_report_can_be_refused_while_get_is_answered(simulator: LaunchDarklySimulator) -> None:
    simulator.fail("poll-report", "status", status=405, times=None)
    assert poll_report(simulator).send(simulator).status == 405
    assert poll(simulator).send(simulator).status == 200


def test_a_tag_of_a_fault_may_come_back(simulator: LaunchDarklySimulator) -> None:
    simulator.fail("poll", "body", body="{}", headers={"Etag": '"mine"'})
    assert poll(simulator).send(simulator).headers["Etag"] == '"mine"'
    assert poll(simulator).with_header("If-None-Match", '"mine"').send(simulator).status == 200
