"""Misbehaviour on demand: each kind does what it says, once, and then the service is well again."""

from __future__ import annotations

import gzip
import http.client
import socket
import threading

import pytest
from loopback.calls import Call, Reply

from unleash import UnleashSimulator

from .support import features, frontend, metrics, streaming


def bytes_of(simulator: UnleashSimulator, call: Call) -> bytes:
    """Everything the service sends until it closes."""
    lines = [f"{call.method} {call.target} HTTP/1.1", "Host: x"]
    lines += [f"{name}: {value}" for name, value in call.headers.items()]
    payload = call.payload or b""
    lines += [f"Content-Length: {len(payload)}"] if payload else []
    with socket.create_connection(("127.0.0.1", simulator.server.port), timeout=5) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + payload)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except ConnectionResetError:
            return received + b"<reset>"
        return received


def in_background(call: Call, simulator: UnleashSimulator) -> tuple[threading.Thread, list[Reply | Exception]]:
    results: list[Reply | Exception] = []

    def run() -> None:
        try:
            results.append(call.send(simulator))
        except (OSError, http.client.HTTPException) as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 429, 500, 502, 503, 504, 599])
def test_a_status_for_the_next_two_requests(simulator: UnleashSimulator, status: int) -> None:
    simulator.fail("features", "status", status=status, times=2)
    assert [features(simulator).send(simulator).status for _ in range(3)] == [status, status, 200]
    assert simulator.violations == []
    assert simulator.journal.counts()["statuses"]["features"] == {str(status): 2, "200": 1}


def test_a_fault_is_for_its_endpoint_and_may_come_later(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "status", status=500, skip=1)
    assert metrics(simulator).send(simulator).status == 202
    assert [features(simulator).send(simulator).status for _ in range(3)] == [200, 500, 200]


def test_a_fault_for_all_requests_until_cleared(simulator: UnleashSimulator) -> None:
    simulator.fail("any", "status", times=None, status=503)
    assert [call.send(simulator).status for call in (features(simulator), metrics(simulator), frontend(simulator))] == [503] * 3
    simulator.faults.clear()
    assert features(simulator).send(simulator).status == 200
    assert simulator.ledger.posts == []


def test_faults_are_used_in_order(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "status", status=500)
    simulator.fail("features", "status", status=429, retryAfter="7")
    first, second = features(simulator).send(simulator), features(simulator).send(simulator)
    assert (first.status, second.status, second.headers["Retry-After"]) == (500, 429, "7")
    assert second.headers["RateLimit-Limit"] == "6000"


def test_a_faulty_request_does_not_use_up_a_fault(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "status", status=500)
    assert features(simulator).with_header("unleash-sdk", "x").send(simulator).status == 422
    assert features(simulator).send(simulator).status == 500


def test_status_with_headers_and_body(simulator: UnleashSimulator) -> None:
    simulator.fail("frontend", "body", body='{"toggles":[]}', headers={"ETag": '"scripted"'})
    reply = frontend(simulator).send(simulator)
    assert (reply.json, reply.headers["ETag"]) == ({"toggles": []}, '"scripted"')
    assert frontend(simulator).with_header("If-None-Match", '"scripted"').send(simulator).status == 200
    assert simulator.violations == []


def test_html_garbage_and_nothing_with_200(simulator: UnleashSimulator) -> None:
    for kind in ("html", "garbage", "empty"):
        simulator.fail("features", kind)
    page, noise, nothing = (features(simulator).send(simulator) for _ in range(3))
    assert page.headers["Content-Type"].startswith("text/html") and page.body.startswith(b"<!DOCTYPE html>")
    with pytest.raises(UnicodeDecodeError):
        noise.body.decode()
    assert (nothing.status, nothing.body) == (200, b"")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirect(simulator: UnleashSimulator, status: int) -> None:
    simulator.fail("features", "redirect", status=status, location="http://other.test/")
    reply = features(simulator).send(simulator)
    assert (reply.status, reply.headers["Location"]) == (status, "http://other.test/")


def test_a_truncated_body(simulator: UnleashSimulator) -> None:
    whole = features(simulator).send(simulator).body
    simulator.fail("features", "truncate", keep=10)
    with pytest.raises(http.client.IncompleteRead) as caught:
        features(simulator).send(simulator)
    assert caught.value.partial == whole[:10]


@pytest.mark.parametrize("difference", [5, -5])
def test_a_wrong_content_length(simulator: UnleashSimulator, difference: int) -> None:
    whole = features(simulator).send(simulator).body
    simulator.fail("features", "length", difference=difference)
    head, _, body = bytes_of(simulator, features(simulator)).partition(b"\r\n\r\n")
    assert f"Content-Length: {len(whole) + difference}".encode() in head
    assert body == whole


def test_close_after_headers(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "headers-only")
    head, _, body = bytes_of(simulator, features(simulator)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK") and body == b""


def test_broken_chunks(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "bad-chunk")
    with pytest.raises(http.client.HTTPException):
        features(simulator).send(simulator)


@pytest.mark.parametrize(("kind", "expected"), [("close", b""), ("reset", b"<reset>")])
def test_no_answer_at_all(simulator: UnleashSimulator, kind: str, expected: bytes) -> None:
    simulator.fail("metrics", kind)
    assert bytes_of(simulator, metrics(simulator)) == expected
    assert simulator.ledger.posts == []
    assert simulator.requests("metrics")[0].outcome == "broken"


@pytest.mark.parametrize("how", ["close", "reset"])
def test_accepted_but_dropped_before_the_answer(simulator: UnleashSimulator, how: str) -> None:
    simulator.fail("metrics", "drop", how=how)
    assert bytes_of(simulator, metrics(simulator)) == (b"" if how == "close" else b"<reset>")
    post, = simulator.ledger.posts
    assert not post.acknowledged
    assert simulator.ledger.totals(acknowledged=True) == {}
    assert metrics(simulator).send(simulator).status == 202
    assert simulator.ledger.totals()["checkout"]["yes"] == 24


def test_a_hang_lasts_until_it_is_released(simulator: UnleashSimulator) -> None:
    simulator.fail("metrics", "hang", then="answer")
    simulator.fail("features", "hang")
    answered, answers = in_background(metrics(simulator), simulator)
    closed, errors = in_background(features(simulator), simulator)
    assert simulator.wait_for_held(2)
    assert answers == errors == [] and simulator.ledger.posts == []
    assert simulator.release() == 2
    answered.join(5)
    closed.join(5)
    assert isinstance(answers[0], Reply) and answers[0].status == 202
    assert isinstance(errors[0], http.client.RemoteDisconnected)
    assert len(simulator.ledger.posts) == 1


def test_a_client_that_gives_up_is_noticed(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "hang")
    connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port)
    features(simulator).start(connection)
    assert simulator.wait_for_held()
    connection.close()
    entry, = simulator.requests("features")
    assert simulator.journal.wait_until(lambda: entry.outcome == "gone", 5)


def test_a_half_open_answer_ends_in_mid_body(simulator: UnleashSimulator) -> None:
    whole = features(simulator).send(simulator).body
    simulator.fail("features", "half-open", keep=3)
    connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=5)
    features(simulator).start(connection)
    response = connection.getresponse()
    assert response.read(3) == whole[:3]
    assert simulator.wait_for_held() and simulator.requests("features")[-1].outcome == "open"
    assert simulator.release() == 1
    with pytest.raises(http.client.IncompleteRead):
        response.read()
    connection.close()


def test_slow_bytes_arrive_whole(simulator: UnleashSimulator) -> None:
    expected = features(simulator).send(simulator)
    for part in ("body", "all"):
        simulator.fail("features", "slow", interval=0.0001, chunk=64, part=part)
        assert features(simulator).send(simulator).body == expected.body


def test_a_slow_answer_can_be_released(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "slow", interval=3600.0)
    thread, replies = in_background(features(simulator), simulator)
    assert simulator.wait_for_held()
    assert simulator.release() == 1
    thread.join(5)
    assert isinstance(replies[0], Reply) and replies[0].status == 200


def test_a_delay_before_the_answer(simulator: UnleashSimulator) -> None:
    fault = simulator.fail("features", "delay", delay=3600)
    simulator.fail("metrics", "status", delay=0.01, status=500)
    thread, replies = in_background(features(simulator), simulator)
    assert simulator.wait_for_held()
    assert metrics(simulator).send(simulator).status == 500
    assert simulator.release(fault) == 1
    thread.join(5)
    assert isinstance(replies[0], Reply) and replies[0].status == 200


@pytest.mark.parametrize("framing", ["declared", "chunked", "close"])
def test_a_huge_body(simulator: UnleashSimulator, framing: str) -> None:
    simulator.fail("features", "huge", size=3_000_000, framing=framing)
    reply = features(simulator).send(simulator)
    assert len(reply.body) == 3_000_000 and reply.json["padding"].startswith("xxx")


def test_a_gzip_bomb(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "huge", size=20_000_000, framing="gzip")
    reply = features(simulator).send(simulator)
    assert reply.headers["Content-Encoding"] == "gzip" and len(reply.body) < 100_000
    assert len(gzip.decompress(reply.body)) == 20_000_000


def test_raw_bytes(simulator: UnleashSimulator) -> None:
    simulator.fail("features", "raw", bytes="HTTP/1.1 200 OK\r\nÿ: \x00\r\n\r\n")
    assert bytes_of(simulator, features(simulator)) == b"HTTP/1.1 200 OK\r\n\xff: \x00\r\n\r\n"


@pytest.mark.parametrize("kind", ["headers-only", "drop", "close", "reset"])
def test_faults_of_a_stream_s_answer(simulator: UnleashSimulator, kind: str) -> None:
    simulator.fail("streaming", kind)
    received = bytes_of(simulator, streaming(simulator))
    if kind == "headers-only":
        assert received.startswith(b"HTTP/1.1 200 OK") and b"unleash-connected" not in received
    else:
        assert received == (b"<reset>" if kind == "reset" else b"")
    assert streaming(simulator).send(simulator).status == 200


@pytest.mark.parametrize(("endpoint", "kind", "parameters", "what"), [
    ("nowhere", "status", {}, "endpoint"), ("features", "nonsense", {}, "kind"),
    ("features", "status", {"keep": 1}, "keep"), ("features", "status", {"status": "500"}, "status"),
    ("features", "stream-drop", {}, "kind"), ("streaming", "truncate", {}, "kind"),
    ("features", "hang", {"then": "explode"}, "then"), ("features", "status", {"times": 0}, "times"),
])
def test_faults_that_make_no_sense_are_refused(simulator: UnleashSimulator, endpoint: str, kind: str, parameters: dict,
                                               what: str) -> None:
    with pytest.raises(ValueError, match=what):
        simulator.fail(endpoint, kind, **parameters)


def test_stopping_frees_what_hangs() -> None:
    simulator = UnleashSimulator()
    simulator.start()
    simulator.fail("features", "hang", times=None)
    threads = [in_background(features(simulator), simulator)[0] for _ in range(5)]
    assert simulator.wait_for_held(5)
    simulator.stop()
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()


def test_a_fault_may_be_for_bodies_with_a_text(simulator: UnleashSimulator) -> None:
    simulator.fail("metrics", "status", status=400, times=None, containing="no-such-application")
    assert metrics(simulator).send(simulator).status == 202
    name = metrics(simulator).document["appName"]
    simulator.fail("metrics", "status", status=500, containing=f'"{name}"')
    assert [metrics(simulator).send(simulator).status for _ in range(2)] == [500, 202]


def test_a_service_that_is_away_refuses_connections_and_comes_back_where_it_was(simulator: UnleashSimulator) -> None:
    assert features(simulator).send(simulator).status == 200
    simulator.fail("features", "hang")
    thread, results = in_background(features(simulator), simulator)
    assert simulator.wait_for_held()
    simulator.go_away()
    thread.join(5)
    assert not thread.is_alive() and isinstance(results[0], (OSError, http.client.HTTPException))
    with pytest.raises(ConnectionRefusedError):
        features(simulator).send(simulator)
    simulator.come_back()
    assert features(simulator).send(simulator).status == 200
    assert simulator.violations == []


def test_a_service_may_be_away_before_it_starts() -> None:
    simulator = UnleashSimulator({"features": []})
    simulator.go_away()
    simulator.come_back()
    assert features(simulator).send(simulator).status == 200
    simulator.stop()
