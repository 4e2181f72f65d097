"""A transport written in Python carries requests, answers late or twice, and streams."""

from __future__ import annotations

import http.client
import threading
from urllib.parse import urlsplit

import pytest
from documents import off
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import Status


class Carrier(hoist.Transport):
    """Carries requests with Python's own HTTP client, and does something else when told to."""

    def __init__(self, first: str = "") -> None:
        self.first = first
        self.requests: list[hoist.Request] = []
        self.kept: list[hoist.Exchange] = []
        self.answers: list[Status] = []

    def send(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
        self.requests.append(request)
        mode, self.first = self.first, ""
        if mode == "raises":
            raise ValueError("cannot carry")
        if mode == "drops":
            return
        if mode == "fails":
            exchange.fail("no route")
            return
        if mode == "keeps":
            self.kept.append(exchange)
            return
        if mode == "raises after answering":
            self.carry(request, exchange)
            raise ValueError("too late")
        if mode == "answers nonsense":
            self.answers += [exchange.respond(-5), exchange.respond(10**6)]
        if mode == "threads":
            threading.Thread(target=self.carry, args=(request, exchange)).start()
            return
        self.carry(request, exchange)
        if mode == "answers twice":
            self.answers += [exchange.respond(500), exchange.fail("again"), exchange.respond(200, b"{}")]

    @staticmethod
    def carry(request: hoist.Request, exchange: hoist.Exchange) -> None:
        address = urlsplit(request.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=request.timeout)
        try:
            connection.putrequest(request.method, f"{address.path}?{address.query}".rstrip("?"), skip_accept_encoding=True)
            for name, value in request.headers:
                connection.putheader(name, value)
            if request.body is not None:
                connection.putheader("Content-Length", str(len(request.body)))
            connection.endheaders(request.body)
            response = connection.getresponse()
            exchange.respond(response.status, response.read(), response.getheaders())
        finally:
            connection.close()


MODES = ["", "threads", "answers twice", "raises", "raises after answering", "drops", "fails", "answers nonsense"]


@pytest.mark.parametrize("mode", MODES)
def test_a_transport_carries_every_request(service: UnleashSimulator, open_client, mode: str) -> None:
    """Whatever the first exchange does, the client becomes ready (UNL-20, UNL-44, UNL-45, G11; starting, ready)."""
    carrier = Carrier(mode)
    client = open_client("frontend", transport=carrier, refresh_interval=1)
    assert client.wait_ready(15)
    assert client.bool("switch") and client.flush(5)
    assert service.ledger.totals()["switch"]["yes"] == 1
    assert {request.method for request in carrier.requests} == {"GET", "POST"}
    assert all(request.timeout and not request.is_stream for request in carrier.requests)
    if mode == "answers twice":
        assert carrier.answers == [Status.STATE] * 3
    if mode == "answers nonsense":
        assert carrier.answers == [Status.ARGUMENT] * 2


def test_an_answer_after_the_deadline_is_ignored(service: UnleashSimulator, open_client) -> None:
    """G11: a transport that answers late, also after the client is closed."""
    carrier = Carrier("keeps")
    client = open_client("frontend", transport=carrier, network_timeout_ms=200, refresh_interval=1)
    assert client.wait_ready(15)
    late = carrier.kept[0]
    assert until(lambda: late.cancelled)
    assert late.respond(200, b'{"toggles":[]}') is Status.STATE
    assert client.bool("switch")
    client.close()
    assert late.respond(200, b'{"toggles":[]}') is Status.STATE


def test_a_transport_hands_out_a_stream(service: UnleashSimulator, open_client) -> None:
    """Over a plug-in: open, receive, end (UNL-93; ready)."""

    class Streamer(Carrier):
        def send(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
            self.requests.append(request)
            if not request.is_stream:
                return self.carry(request, exchange)
            threading.Thread(target=self.stream, args=(request, exchange)).start()

        def stream(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
            address = urlsplit(request.url)
            connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
            try:
                connection.request("GET", address.path, headers=dict(request.headers))
                response = connection.getresponse()
                self.answers.append(exchange.open(response.status, response.getheaders()))
                while exchange.receive(response.read1(100)) is not Status.CANCELLED:
                    pass
            except (OSError, http.client.HTTPException):
                pass  # the service has gone
            finally:
                exchange.end()
                connection.close()

    streamer = Streamer()
    client = open_client("backend", transport=streamer, fetch_mode="streaming")
    assert client.wait_ready(10)
    assert client.bool("switch")
    assert any(request.is_stream and request.timeout is None for request in streamer.requests)
    service.state.update(off("switch"))
    assert until(lambda: not client.bool("switch"))
    client.close(1)
    service.streams.drop()
    assert streamer.answers == [Status.OK]
