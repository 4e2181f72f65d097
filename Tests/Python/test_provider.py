"""A whole service written in Python: its flags, its events, its life, and what it does wrong."""

from __future__ import annotations

import gc
import json
import logging
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from waiting import until
from weather_service import Weather

import hoist
from hoist import Flag, Provider, State, Status, Topic
from hoist import _callback as callbacks


class Station:
    """The service's server."""

    def __init__(self) -> None:
        self.document: Any = {"flags": {"umbrella": {
            "values": {"no": False, "yes": True}, "default": "no", "cities": {"Bergen": "yes"}}, "coat": {
            "values": {"light": {"layers": 1}, "warm": {"layers": 3}}, "default": "light", "cities": {"Oslo": "warm"}}}}
        self.status = 200
        self.sent: list[tuple[str, Any]] = []
        station = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(station.document).encode()
                self.send_response(station.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                station.sent.append((self.headers.get("X-Batch"), json.loads(body)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/flags"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def station() -> Iterator[Station]:
    made = Station()
    yield made
    made.close()


@pytest.fixture
def weather() -> Iterator[type[Weather]]:
    Weather.register()
    yield Weather
    hoist.unregister_provider("weather")


@pytest.fixture
def serving() -> Iterator[Any]:
    """Registers services for one test: `serving(Service, **properties)` gives a client."""
    clients: list[hoist.Client] = []

    def serve(service: type[Provider], **more: Any) -> hoist.Client:
        if service.name not in hoist.providers():
            service.register()
        clients.append(hoist.Client(service.name, store="none", **more))
        return clients[-1]

    yield serve
    for client in clients:
        client.close(0.5)
    for name in {client.provider for client in clients}:
        hoist.unregister_provider(name)


def bergen(**more: Any) -> hoist.Context:
    return hoist.Context("ann", city="Bergen", **more)


def test_a_service_serves_its_flags(station: Station, weather: type[Weather]) -> None:
    assert "weather" in hoist.providers()
    assert {"url", "interval_ms"} <= {row.name for row in hoist.describe("weather")}
    with hoist.Client("weather", url=station.url, store="none") as client:
        assert client.wait_ready(5) and until(lambda: client.state is State.READY)
        assert client.bool("umbrella", bergen()) is True
        found = client.detail("umbrella", bergen(), False)
        assert (found.variation, found.reason, found.metadata["checksum"] > 0) == ("yes", "TARGETING_MATCH", True)
        assert client.detail("umbrella", {"city": "Rome"}, True).reason == "DEFAULT"
        assert client.json("coat", {"city": "Oslo"}) == {"layers": 3}
        assert client.explain("coat", {"city": "Oslo"}).explanation is not None
        refused = client.detail("umbrella", {"targetingKey": "ann"}, True)
        assert (refused.value, refused.error_code) == (True, "INVALID_CONTEXT")
        assert client.detail("boots", bergen(), True).error_code == "FLAG_NOT_FOUND"


def test_what_changes_at_the_service_is_announced(station: Station, weather: type[Weather]) -> None:
    changed: list[str] = []
    with hoist.Client("weather", url=station.url, store="none", interval_ms=10) as client:
        assert client.wait_ready(5)
        client.observe(Topic.FLAG_CHANGED, lambda news: changed.extend(news.keys), "umbrella")
        station.document["flags"]["umbrella"]["default"] = "yes"
        assert until(lambda: changed == ["umbrella"])
        assert client.bool("umbrella", {"city": "Rome"}) is True
        station.status = 503
        assert until(lambda: client.state is State.STALE)
        station.status = 200
        assert until(lambda: client.state is State.READY)


def test_events_are_kept_and_delivered(station: Station, weather: type[Weather]) -> None:
    with hoist.Client("weather", url=station.url, store="none") as client:
        assert client.wait_ready(5) and client.bool("umbrella", bergen())
        properties = {"where": "shop", "wet": True, "drops": 7, "more": {"a": [1, None]}}
        assert client.track("bought", bergen(), value=19.9, properties=properties)
        assert client.flush(5)
        assert client.statistics()["sightings"]["delivered"] == 2
    (batch, rows), = station.sent
    assert batch and rows == [["seen", "umbrella", 1], ["tracked", "bought", [19.9, properties]]]


def test_the_service_says_what_an_answer_means(station: Station, serving: Any) -> None:
    """What can never be sent is dropped alone; what is refused for good is told to flush."""
    asked: list[tuple[int, list[bytes]]] = []

    class Picky(Provider):
        name = "picky"
        pipelines = (hoist.Pipeline("notes", flush_interval=3600, batch_count=1),)

        def __init__(self, host: hoist.ProviderHost) -> None:
            self.made = True  # without the base class's own

        def track(self, event: hoist.ProviderEvent) -> Status:
            return self.host.record("notes", event.key.encode(), event.context.targeting_key if event.context else "")

        def encode(self, batch: hoist.ProviderBatch) -> hoist.Request:
            asked.append((batch.attempt, [row.payload for row in batch.rows]))
            if batch.rows[0].payload == b"unspeakable":
                raise hoist.Error(Status.ARGUMENT, "no words for it")
            assert batch.rows[0].subject == "ann" and batch.rows[0].pipeline == "notes"
            return hoist.Request("POST", station.url, body=json.dumps(batch.rows[0].payload.decode()).encode())

        def classify(self, batch: hoist.ProviderBatch, answer: hoist.Answer) -> Any:
            if batch.attempt == 1:
                return Status.NETWORK, 0.001
            return Status.ARGUMENT if batch.rows[0].payload == b"refused" else Status.OK

    client = serving(Picky)
    for key in ("good", "unspeakable", "refused"):
        assert client.track(key, {"targetingKey": "ann"})

    def counts() -> tuple[int, int]:
        client.flush(5)
        notes = client.statistics()["notes"]
        return notes["delivered"], notes["rejected"]

    assert until(lambda: counts() == (1, 2))
    assert (2, [b"good"]) in asked and (1, [b"unspeakable"]) in asked
    assert [body for _, body in station.sent].count("good") == 2


def test_what_is_kept_serves_the_next_run(station: Station, weather: type[Weather], tmp_path: Any) -> None:
    properties = {"url": station.url, "store.path": str(tmp_path)}
    with hoist.Client("weather", properties) as client:
        assert until(lambda: client.state is State.READY)
    station.status = 500
    with hoist.Client("weather", properties) as client:
        assert client.wait_ready(5) and client.bool("umbrella", bergen())
        assert until(lambda: client.state is State.STALE)


def test_a_closed_client_begins_again_and_an_offline_one_later(station: Station, weather: type[Weather]) -> None:
    client = hoist.Client("weather", url=station.url, store="none", online=False)
    assert client.state is State.NOT_READY
    client.online = True
    assert client.wait_ready(5) and client.close(5)
    client.reopen()
    assert until(lambda: client.state is State.READY) and client.bool("umbrella", bergen())
    assert client.close(5)


def test_what_a_service_raises_is_an_error_with_its_traceback(serving: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Provider):
        name = "broken"

        def start(self) -> None:
            self.host.publish([Flag("decided", [("a", 1)], is_decided_per_call=True), Flag("recorded", [("a", 2)], is_recorded=True)])
            raise ValueError("in start")

        def refresh(self) -> None:
            self.host.schedule(0, lambda: {}["in a timer"])

        def evaluate(self, evaluation: hoist.Evaluation) -> None:
            raise RuntimeError("in evaluate")

        def record(self, evaluation: hoist.Evaluation) -> None:
            raise RuntimeError("in record")

        def track(self, event: hoist.ProviderEvent) -> Status:
            raise hoist.Error(Status.LIMIT, "in track")

        def identify(self, context: hoist.Context, reply: hoist.Reply) -> None:
            raise hoist.Error(Status.NETWORK, "in identify")

        def flush(self, reply: hoist.Reply) -> None:
            raise RuntimeError("in flush")

    caplog.set_level(logging.ERROR, "hoist")
    client = serving(Broken, log_level="none")
    assert client.wait_ready(5) and until(lambda: client.state is State.STALE)
    failed = client.detail("decided", None, 7)
    assert (failed.value, failed.error_code) == (7, "GENERAL")
    assert client.int("recorded") == 2
    assert client.track("x") is Status.LIMIT
    assert client.identify({"targetingKey": "b"}) is Status.NETWORK
    assert not client.flush(5)
    client.refresh()
    for what in ("in start", "in a timer", "in evaluate", "in record", "in track", "in identify", "in flush"):
        assert until(lambda what=what: f"{what}" in caplog.text), what
    assert "Traceback" in caplog.text and "weather" not in caplog.text


def test_a_service_that_cannot_be_made_refuses_the_client(serving: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Never(Provider):
        name = "never"
        properties = (hoist.ProviderProperty("much", "int", 5, maximum=9),)

        def __init__(self, host: hoist.ProviderHost) -> None:
            super().__init__(host)
            if host.get("much") == 7:
                raise ValueError("seven will not do")

    with pytest.raises(hoist.Error, match="ValueError: seven will not do") as refused:
        serving(Never, much=7)
    assert refused.value.status is Status.CONFIG and "Traceback" in caplog.text
    with pytest.raises(hoist.Error, match="much"):
        hoist.Client("never", much=70)
    assert serving(Never).state is State.NOT_READY
    with pytest.raises(hoist.Error, match="never"):
        Never.register()
    with pytest.raises(TypeError, match="subclass of hoist.Provider"):
        hoist.provider.service.register(dict)  # type: ignore[arg-type]
    with pytest.raises(hoist.Error, match="no-such"):
        hoist.unregister_provider("no-such")


def test_flags_that_cannot_be_are_refused_by_name(serving: Any) -> None:
    problems: list[str] = []

    class Strange(Provider):
        name = "strange"

        def start(self) -> None:
            self.host.publish([Flag.of("good", "yes"), Flag.of("switch", True)])
            for flag in (Flag("twice", [("a", 1)], 5), Flag.of("nan", float("nan")), Flag.of("", 1)):
                try:
                    self.host.publish([flag])
                except hoist.Error as problem:
                    problems.append(str(problem))

    client = serving(Strange)
    assert client.wait_ready(5) and until(lambda: len(problems) == 3)
    assert "twice" in problems[0] and "nan" in problems[1]
    assert client.string("good") == "yes" and client.bool("switch")


def test_flags_from_a_thread_of_the_services_own(serving: Any) -> None:
    """Calls of the host's are for any thread; the thread ends with the client."""
    ended = threading.Event()

    class Own(Provider):
        name = "own"

        def start(self) -> None:
            self.stopping = threading.Event()
            threading.Thread(target=self.run).start()

        def run(self) -> None:
            self.host.publish([Flag.of("one", 1)])
            self.host.set_state(State.READY, "all is well")
            self.stopping.wait(10)
            ended.set()

        def stop(self) -> None:
            self.stopping.set()

    client = serving(Own)
    assert client.wait_ready(5) and client.int("one") == 1
    assert client.close(5) and ended.wait(5)


def test_an_instance_lives_as_long_as_its_client(serving: Any) -> None:
    """(closing, freed) What the library was lent is given back, timers that never came due included."""
    destroyed = threading.Event()
    instances: list[weakref.ref[Any]] = []

    class Mortal(Provider):
        name = "mortal"

        def start(self) -> None:
            instances.append(weakref.ref(self))
            self.timer = self.host.schedule(3600, self.start)
            assert self.host.schedule(3600, self.start).cancel()

        def destroy(self) -> None:
            destroyed.set()

    Mortal.register()
    client = hoist.Client("mortal", store="none")
    # It may still be starting.
    assert until(lambda: instances and len(hoist.provider.host._waiting) == 1)
    host = instances[0]().host
    assert client.close(5) and not hoist.provider.host._waiting
    del client
    gc.collect()
    assert destroyed.wait(5)
    assert host.set_state(State.ERROR) is Status.STATE and host.get("store") is None and host.context is None
    with pytest.raises(hoist.Error):
        host.send(hoist.Request("GET", "http://127.0.0.1:9/"), print)
    hoist.unregister_provider("mortal")
    assert until(lambda: instances[0]() is None)
    assert until(lambda: all(getattr(callbacks.owner(one), "made_by", None) is not Mortal for one in list(callbacks._alive.values())))


def test_an_identify_that_is_never_answered_is_an_error(serving: Any) -> None:
    class Forgetful(Provider):
        name = "forgetful"

        def start(self) -> None:
            self.host.publish([Flag.of("one", 1)], only_for=hoist.Context("ann"))

        def identify(self, context: hoist.Context, reply: hoist.Reply) -> None:
            if context.targeting_key == "ben":
                self.host.publish([Flag.of("one", 2)], only_for=context)
                reply.complete()

    client = serving(Forgetful)
    assert client.wait_ready(5)
    assert client.identify({"targetingKey": "eve"}, 5) is Status.PLUGIN
    assert client.identify({"targetingKey": "ben"}, 5) is Status.OK and client.int("one") == 2
    assert client.detail("one", {"targetingKey": "cid"}, 0).error_code == "INVALID_CONTEXT"


PLAIN = """
import threading, hoist
class Own(hoist.Provider):
    name = "own"
    pipelines = (hoist.Pipeline("notes", flush_interval=3600),)
    def start(self): self.host.schedule(0, self.serve)
    def serve(self):
        self.host.publish([hoist.Flag("one", [("a", 1), ("b", 2)], is_decided_per_call=True)])
        self.host.set_state(hoist.State.READY)
    def evaluate(self, evaluation): evaluation.variation = 1
    def track(self, event): return self.host.record("notes", b"x")
    def encode(self, batch): raise hoist.Error(hoist.Status.ARGUMENT)
Own.register()
client = hoist.Client("own", store="none", log_level="none")
print(hoist.binding_mode, client.wait_ready(5), client.int("one"), client.track("x").name, client.flush(5).name, client.close().name)
"""


def test_the_plain_mode_has_services_too() -> None:
    """The same over cffi's ABI mode."""
    ended = subprocess.run(
        [sys.executable, "-c", PLAIN], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "HOIST_PYTHON_MODE": "abi"},
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (0, "plain OK 2 OK REJECTED OK\n"), ended.stderr


def test_a_forked_child_begins_anew(station: Station, weather: type[Weather]) -> None:
    """(forked) Timers and requests of the parent's are not the child's."""
    with hoist.Client("weather", url=station.url, store="none", interval_ms=20) as client:
        assert client.wait_ready(5) and client.bool("umbrella", bergen())
        child = os.fork()
        if child == 0:
            status = 1
            try:
                station.document["flags"]["umbrella"]["cities"] = {}
                status = 0 if client.bool("umbrella", bergen()) and client.close(5) is not None else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert client.bool("umbrella", bergen())
