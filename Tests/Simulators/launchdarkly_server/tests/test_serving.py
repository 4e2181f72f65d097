"""Streams, polls, their tags and filters (protocol 2.1 to 2.3)."""

from __future__ import annotations

import gzip
import http.client
import json
import zlib

import pytest
from loopback.reader import EventReader

from launchdarkly_server import LaunchDarklyServerSimulator, sample_data

from .support import BUILDERS, StreamReader, poll, stream, uuid


def test_a_stream_begins_with_everything_and_goes_on_with_changes(simulator: LaunchDarklyServerSimulator) -> None:
    with StreamReader(simulator) as reader:
        assert reader.headers["Content-Type"] == "text/event-stream"
        assert reader.message() == ("put", {"path": "/", "data": sample_data()})
        flag = {**sample_data()["flags"]["dark-mode"], "on": False, "version": 4}
        simulator.set_flag("dark-mode", on=False)
        assert reader.message() == ("patch", {"path": "/flags/dark-mode", "data": flag})
        simulator.delete_flag("dark-mode")
        assert reader.message() == ("delete", {"path": "/flags/dark-mode", "version": 5})
        assert simulator.set_flag("dark-mode", on=True).version == 6
        assert reader.message()[1]["data"] == {"key": "dark-mode", "on": True, "version": 6}
        simulator.set_segment("a/b", included=["anna"])
        segment = {"key": "a/b", "included": ["anna"], "version": 1}
        assert reader.message() == ("patch", {"path": "/segments/a/b", "data": segment})
        simulator.delete_segment("a/b", 9)
        assert reader.message() == ("delete", {"path": "/segments/a/b", "version": 9})
        simulator.replace_data({"flags": {"only": {"key": "only", "version": 1}}})
        everything = {"flags": {"only": {"key": "only", "version": 1}}, "segments": {}}
        assert reader.message() == ("put", {"path": "/", "data": everything})
        simulator.streams.keep_alive()
        assert reader.next() == {"comment": ": keep-alive"}
    assert poll(simulator).send(simulator).json == everything
    assert simulator.violations == []


def test_environments_have_data_of_their_own(simulator: LaunchDarklyServerSimulator) -> None:
    other = simulator.add_environment("sdk-other", {"flags": {"f": {"key": "f", "version": 1}}})
    call = poll(simulator).with_header("Authorization", "sdk-other")
    assert call.send(simulator).json["flags"] == {"f": {"key": "f", "version": 1}}
    with StreamReader(simulator) as reader:
        reader.next()
        simulator.set_flag("f", other, on=True)
        simulator.set_flag("dark-mode", on=False)
        assert reader.message()[1]["path"] == "/flags/dark-mode"


def test_an_unknown_key_is_no_violation(simulator: LaunchDarklyServerSimulator) -> None:
    for name in BUILDERS:
        assert BUILDERS[name](simulator).with_header("Authorization", "sdk-unknown").send(simulator).status == 401
    assert simulator.violations == []


def test_a_poll_has_a_tag_for_its_environment(simulator: LaunchDarklyServerSimulator) -> None:
    tag = poll(simulator).send(simulator).headers["Etag"]
    again = poll(simulator).with_header("If-None-Match", tag).send(simulator)
    assert tag.startswith('"') and (again.status, again.body) == (304, b"")
    simulator.set_flag("banner", on=False)
    assert poll(simulator).with_header("If-None-Match", tag).send(simulator).status == 200
    assert poll(simulator).with_header("If-None-Match", tag.strip('"')).send(simulator).places == ["header if-none-match"]
    simulator.add_environment("sdk-other")
    other = poll(simulator).with_header("If-None-Match", tag).with_header("Authorization", "sdk-other")
    assert other.send(simulator).places == ["header if-none-match"]


def test_polls_may_be_compressed() -> None:
    with LaunchDarklyServerSimulator(compress=True, environment_id="env-1") as simulator:
        found = poll(simulator).send(simulator)
        assert json.loads(gzip.decompress(found.body)) == sample_data()
        assert (found.headers["Content-Encoding"], found.headers["X-LD-EnvID"]) == ("gzip", "env-1")
        again = poll(simulator).with_header("If-None-Match", found.headers["Etag"]).send(simulator)
        assert (again.status, again.headers["X-LD-EnvID"]) == (304, "env-1")


def test_streams_may_be_compressed() -> None:
    """Each event can be read before the next one is there, and an orderly end is one of gzip, too."""
    with LaunchDarklyServerSimulator(compress_streams=True) as simulator:
        connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=5)
        stream(simulator).with_header("Accept-Encoding", "gzip").start(connection)
        response = connection.getresponse()
        assert response.getheader("Content-Encoding") == "gzip"
        unpacker, text = zlib.decompressobj(wbits=31), b""
        while not text.endswith(b"\n\n"):
            text += unpacker.decompress(response.read1())
        assert text.startswith(b"event: put\n")
        simulator.delete_flag("banner")
        simulator.streams.drop("end")
        assert b'"/flags/banner"' in unpacker.decompress(response.read()) and unpacker.eof
        connection.close()
        with StreamReader(simulator) as reader:
            assert "Content-Encoding" not in reader.headers and reader.message()[0] == "put"


def test_a_filter_that_clients_were_told() -> None:
    with LaunchDarklyServerSimulator(payload_filter="mobile.1", filtered_flags=["banner"]) as simulator:
        for builder in (poll, stream):
            assert builder(simulator).send(simulator).places == ["query"]
        call = poll(simulator)
        for wrong in ("filter=mobile", "filter=mobile%2E1", "filter=mobile.1&a=b"):
            call.query = [wrong]
            assert call.send(simulator).places == ["query"]
        call.query = ["filter=mobile.1"]
        assert call.send(simulator).json["flags"].keys() == {"banner"}
        call = stream(simulator)
        call.query = ["filter=mobile.1"]
        with EventReader(simulator, call) as reader:
            assert json.loads(reader.next()["data"])["data"]["flags"].keys() == {"banner"}
            simulator.set_flag("theme", on=True)
            simulator.set_segment("testers", excluded=["anna"])
            assert json.loads(reader.next()["data"])["path"] == "/segments/testers"


def test_other_beginnings_of_streams() -> None:
    with LaunchDarklyServerSimulator(greeting="nothing", event_ids=True, environment_id="env-1") as simulator:
        with StreamReader(simulator) as reader:
            assert reader.headers["X-LD-EnvID"] == "env-1" and simulator.wait_for_streams(1)
            simulator.set_flag("banner", on=False)
            found = reader.next()
            assert (found["event"], found["id"]) == ("patch", "1")
        with EventReader(simulator, stream(simulator).with_header("Last-Event-Id", "1")) as reader:
            assert reader.status == 200
    with LaunchDarklyServerSimulator(put_paths=False) as simulator, StreamReader(simulator) as reader:
        assert reader.message() == ("put", {"data": sample_data()})


def test_a_prefix_in_front_of_all_paths() -> None:
    with LaunchDarklyServerSimulator(prefix="/endpoints/7") as simulator:
        assert simulator.url.endswith("/endpoints/7")
        call = poll(simulator)
        assert call.send(simulator).places == ["path"]
        call.path = "/endpoints/7" + call.path
        assert call.send(simulator).status == 200


def test_a_client_keeps_its_instance_id() -> None:
    with LaunchDarklyServerSimulator(clients=1) as simulator:
        assert poll(simulator).send(simulator).status == 200
        other = poll(simulator).with_header("X-LaunchDarkly-Instance-Id", uuid(9))
        assert other.send(simulator).places == ["header x-launchdarkly-instance-id"]
        assert stream(simulator).send(simulator).status == 200
        simulator.options.change(clients=2)
        assert other.send(simulator).status == 200
        simulator.options.change(instance_ids=False)
        assert poll(simulator).with_header("X-LaunchDarkly-Instance-Id", uuid(1)).send(simulator).status == 422
        simulator.reset()
        assert other.send(simulator).status == 200


@pytest.mark.parametrize(("application", "fits"), [
    ("application-id/a application-version/1.0", True), ("application-version/1.0", True),
    ("application-version/1.0 application-id/a", False), ("application-id/a application-name/b", False),
    ("application-id/a  application-version/1", False), ("application-id/", False), ("application-id/" + "a" * 65, False)])
def test_application_tags_that_clients_were_told(application: str, fits: bool) -> None:
    with LaunchDarklyServerSimulator(application=application, wrapper="shop/1") as simulator:
        call = poll(simulator).with_header("X-LaunchDarkly-Wrapper", "shop/1")
        assert (call.with_header("X-LaunchDarkly-Tags", application).send(simulator).status == 200) == fits
        assert call.send(simulator).places == ["header x-launchdarkly-tags"]


@pytest.mark.parametrize("how", ["end", "close", "reset"])
def test_open_streams_can_be_dropped_and_cut(simulator: LaunchDarklyServerSimulator, how: str) -> None:
    for order in (lambda: simulator.streams.drop(how),
                  lambda: simulator.streams.truncate("patch", '{"path":"/flags/banner"}', 20, how)):
        with StreamReader(simulator) as reader:
            reader.next()
            order()
            with pytest.raises((EOFError, OSError)):
                reader.next()
        assert simulator.wait_for_streams(0)


def test_streams_can_be_silent_and_send_what_is_no_data(simulator: LaunchDarklyServerSimulator) -> None:
    with StreamReader(simulator) as reader:
        reader.next()
        simulator.streams.stall()
        simulator.set_flag("banner", on=False)
        assert simulator.streams.resume() == 1
        assert reader.next()["event"] == "patch"
        simulator.streams.send("patch", '{"path":"/flags/banner"')
        assert reader.next()["data"] == '{"path":"/flags/banner"'
        simulator.streams.send("cat", "no JSON")
        assert reader.next() == {"event": "cat", "data": "no JSON"}
        simulator.streams.send("patch", '{"path":"/cats/Jack","data":1}')
        assert reader.message() == ("patch", {"path": "/cats/Jack", "data": 1})


@pytest.mark.parametrize("kind", ["stream-drop", "stream-stall", "stream-corrupt", "stream-split", "stream-format"])
def test_faults_of_streams(simulator: LaunchDarklyServerSimulator, kind: str) -> None:
    parameters = {"afterEvents": 1} if kind in ("stream-drop", "stream-stall", "stream-corrupt") else {}
    simulator.fail("stream", kind, **parameters)
    with StreamReader(simulator) as reader:
        reader.next()
        if kind == "stream-drop":
            with pytest.raises((EOFError, OSError)):
                reader.next()
        elif kind == "stream-stall":
            assert simulator.wait_for_held() and simulator.release() == 1
        simulator.set_flag("banner", on=False)
        if kind == "stream-corrupt":
            with pytest.raises(ValueError):
                reader.message()


def test_a_stream_may_get_no_further_than_its_head(simulator: LaunchDarklyServerSimulator) -> None:
    simulator.fail("stream", "headers-only")
    with StreamReader(simulator) as reader:
        assert reader.status == 200
        with pytest.raises((EOFError, OSError, http.client.HTTPException)):
            reader.next()


@pytest.mark.parametrize(("kind", "parameters", "status", "content"), [
    ("html", {}, 200, b"<!DOCTYPE html>"), ("garbage", {}, 200, b"{"), ("empty", {}, 200, b""),
    ("body", {"body": '{"flags":[]}'}, 200, b'{"flags":[]}'), ("status", {"status": 404}, 404, b"{"),
    ("redirect", {"location": "/"}, 302, b"")])
def test_answers_in_place_of_data(simulator: LaunchDarklyServerSimulator, kind: str, parameters: dict[str, object], status: int,
                                  content: bytes) -> None:
    for builder in (poll, stream):
        simulator.fail(builder.__name__, kind, **parameters)
        found = builder(simulator).send(simulator)
        assert found.status == status and found.body.startswith(content)
        assert builder(simulator).send(simulator).status == 200
