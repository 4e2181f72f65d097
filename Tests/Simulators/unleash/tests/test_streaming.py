"""Server-sent events and their faults (protocol B.9)."""

from __future__ import annotations

import base64
import http.client
import json

import pytest
from loopback.calls import control

from unleash import UnleashSimulator

from .support import STATE, StreamReader, streaming

NEW = {"name": "søk", "enabled": True, "strategies": []}


def test_a_stream_begins_with_a_hydration_and_goes_on_with_changes(simulator: UnleashSimulator) -> None:
    with StreamReader(simulator) as stream:
        first = stream.next()
        assert (first["event"], first["id"]) == ("unleash-connected", "1")
        assert [event["type"] for event in json.loads(first["data"])["events"]] == ["hydration"]
        simulator.state.update(NEW)
        second = stream.next()
        assert (second["event"], second["id"]) == ("unleash-updated", "2")
        assert json.loads(second["data"])["events"] == [{"type": "feature-updated", "feature": NEW, "eventId": 2}]
    assert simulator.violations == []


def test_last_event_id_gets_only_what_is_missing(simulator: UnleashSimulator) -> None:
    simulator.state.update(NEW)
    with StreamReader(simulator, "1") as stream:
        assert [event["type"] for event in stream.events()] == ["feature-updated"]
    with StreamReader(simulator, "2") as stream:
        assert stream.events() == []
    assert simulator.violations == []


def test_two_streams_hear_the_same(simulator: UnleashSimulator) -> None:
    with StreamReader(simulator) as one, StreamReader(simulator) as two:
        one.next(), two.next()
        assert simulator.wait_for_streams(2)
        simulator.state.update(NEW)
        assert one.next() == two.next()
    assert simulator.wait_for_streams(0)


def test_keep_alive_comments_come_in_silence() -> None:
    with UnleashSimulator(STATE, keep_alive_seconds=0.01) as simulator, StreamReader(simulator) as stream:
        stream.next()
        assert stream.next() == {"comment": ": keep-alive"}


def test_orders_to_open_streams(simulator: UnleashSimulator) -> None:
    with StreamReader(simulator) as stream:
        stream.next()
        assert control(simulator, "POST", "/streams", {"action": "fetch-mode"}) == (200, {"streams": 1})
        assert stream.next() == {"event": "fetch-mode", "data": "polling"}
        control(simulator, "POST", "/streams", {"action": "send", "event": "unleash-updated", "data": "{}", "id": 40})
        assert stream.next() == {"event": "unleash-updated", "id": "40", "data": "{}"}
        control(simulator, "POST", "/streams", {"action": "keep-alive"})
        assert stream.next() == {"comment": ": keep-alive"}
        data = base64.b64encode(b"event: odd\ndata: x\n\n").decode()
        control(simulator, "POST", "/streams", {"action": "raw", "base64": data})
        assert stream.next() == {"event": "odd", "data": "x"}
        assert control(simulator, "GET", "/streams")[1]["open"][0]["events"] == 3
    with StreamReader(simulator, "40") as stream:
        assert stream.status == 200


@pytest.mark.parametrize("how", ["end", "close", "reset"])
def test_open_streams_can_be_dropped(simulator: UnleashSimulator, how: str) -> None:
    with StreamReader(simulator) as stream:
        stream.next()
        simulator.streams.drop(how)
        with pytest.raises((EOFError, OSError)):
            stream.next()
    assert simulator.wait_for_streams(0)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_stream_that_drops_after_some_events(simulator: UnleashSimulator, after: int) -> None:
    simulator.fail("streaming", "stream-drop", afterEvents=after, how="end")
    with StreamReader(simulator) as stream:
        for number in range(after):
            assert stream.next()["id"] == str(number + 1)
            if number + 1 < after:
                simulator.state.update(NEW)
        with pytest.raises(EOFError):
            stream.next()
    with StreamReader(simulator) as stream:
        assert stream.next()["event"] == "unleash-connected"


def test_a_stalled_stream_is_silent_until_released() -> None:
    with UnleashSimulator(STATE, keep_alive_seconds=0.001) as simulator:
        simulator.fail("streaming", "stream-stall", afterEvents=1)
        with StreamReader(simulator) as stream:
            stream.next()
            assert simulator.wait_for_held()
            simulator.state.update(NEW)
            assert [open_now.last_event_id for open_now in simulator.streams.open] == [1]
            assert simulator.release() == 1
            assert stream.next()["event"] == "unleash-updated"
            assert stream.comments == []


def test_a_corrupt_event_and_a_sound_one_after_it(simulator: UnleashSimulator) -> None:
    simulator.fail("streaming", "stream-corrupt", afterEvents=1)
    with StreamReader(simulator) as stream:
        stream.events()
        simulator.state.update(NEW)
        with pytest.raises(ValueError):
            stream.events()
        simulator.state.update({"name": "x", "enabled": True})
        assert [event["type"] for event in stream.events()] == ["feature-updated"]


def test_a_stream_in_pieces_splits_characters(simulator: UnleashSimulator) -> None:
    simulator.fail("streaming", "stream-split", pieceBytes=1, interval=0)
    with StreamReader(simulator) as stream:
        stream.next()
        simulator.state.update(NEW)
        assert stream.events()[0]["feature"] == NEW


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_other_line_ends_a_mark_and_comments(simulator: UnleashSimulator, newline: str) -> None:
    simulator.fail("streaming", "stream-format", newline=newline, mark=True, comments=["hello"])
    call = streaming(simulator)
    expected = f"\ufeff: hello{newline}event: unleash-connected{newline}".encode()
    connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=5)
    call.start(connection)
    assert connection.getresponse().read(len(expected)) == expected
    connection.close()


@pytest.mark.parametrize("status", [401, 403, 404, 429, 501, 503])
def test_a_stream_can_be_refused(simulator: UnleashSimulator, status: int) -> None:
    simulator.fail("streaming", "status", status=status)
    assert streaming(simulator).send(simulator).status == status
    assert streaming(simulator).send(simulator).status == 200


def test_streaming_can_be_unavailable(simulator: UnleashSimulator) -> None:
    simulator.options.change(streaming_enabled=False)
    assert streaming(simulator).send(simulator).status == 404


def test_stopping_ends_streams() -> None:
    simulator = UnleashSimulator(STATE)
    simulator.start()
    with StreamReader(simulator) as stream:
        stream.next()
        simulator.stop()
        with pytest.raises((EOFError, OSError)):
            stream.next()
