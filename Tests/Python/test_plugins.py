"""Plug-ins as Python classes: what they are told, and what happens when they misbehave."""

from __future__ import annotations

import http.client
import logging
import os
import threading
import time
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

import pytest
from conftest import opener, strict_service
from documents import TYPED, off
from unleash import UnleashSimulator
from waiting import side_by_side, until

import hoist
from hoist import Status, Topic


class Lines(hoist.Logger):
    def __init__(self) -> None:
        self.lines: list[tuple[hoist.LogLevel, str]] = []

    def write(self, level: hoist.LogLevel, message: str) -> None:
        self.lines.append((level, message))

    @property
    def text(self) -> str:
        return "\n".join(message for _, message in self.lines)


# ---- Logger ------------------------------------------------------------------------------------------------


def test_log_lines_reach_python(service: UnleashSimulator, open_client) -> None:
    """UNL-75"""
    lines = Lines()
    service.fail("frontend", "status", status=503)
    open_client("frontend", logger=lines)
    assert until(lambda: "503" in lines.text)
    assert lines.lines[0][0] is hoist.LogLevel.WARNING


def test_pythons_logging_is_a_logger(open_client, service: UnleashSimulator, caplog: pytest.LogCaptureFixture) -> None:
    service.fail("frontend", "status", status=500)
    with caplog.at_level(logging.DEBUG, "flags"):
        open_client("frontend", logger=logging.getLogger("flags"))
        assert until(lambda: "500" in caplog.text)
    assert caplog.records[0].name == "flags" and caplog.records[0].levelno == logging.WARNING


class Bad(hoist.Logger):
    """Misbehaves in one way."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.client: hoist.Client | None = None
        self.entered, self.leave, self.opened = threading.Event(), threading.Event(), threading.Event()
        self.refusals: list[Status] = []

    def write(self, level: hoist.LogLevel, message: str) -> None:
        self.entered.set()
        if self.kind == "raises":
            raise ValueError(message)
        if self.kind == "exits":
            raise SystemExit(1)
        if self.kind == "sleeps":
            self.leave.wait(30)
        # The first line may come before the client is known here.
        if self.kind == "re-enters" and self.opened.wait(10) and self.client:
            self.refusals.append(self.client.close())
            self.client.bool("switch")


def test_a_bad_logger_stops_nobody() -> None:
    """G11"""

    def meet(kind: str) -> None:
        with strict_service() as service, opener(service) as open_client:
            service.fail("frontend", "status", status=500)
            logger = Bad(kind)
            client = logger.client = open_client("frontend", logger=logger, refresh_interval=1, log_level="debug")
            logger.opened.set()
            assert client.wait_ready(15)
            assert client.bool("switch")
            assert logger.entered.wait(5)
            began = time.monotonic()
            client.close(1)
            assert time.monotonic() - began < 5
            logger.leave.set()
            assert set(logger.refusals) == ({Status.STATE} if kind == "re-enters" else set())

    side_by_side(["raises", "sleeps", "re-enters", "exits"], meet)


# ---- Headers -----------------------------------------------------------------------------------------------


def test_fresh_headers_go_on_every_request(service: UnleashSimulator, open_client) -> None:
    """UNL-22, UNL-47, UNL-48: a provider supplies the token, for flags and for metrics."""
    urls: list[str] = []

    class Token(hoist.HeaderProvider):
        def provide(self, url: str) -> dict[str, str]:
            urls.append(url)
            return {"Authorization": service.frontend_key, "X-Request": str(len(urls))}

    client = open_client("frontend", key="stale", headers=Token())
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    fetch, metrics = service.requests("frontend")[0], service.requests("frontend-metrics")[0]
    assert dict(fetch.headers)["X-Request"] == "1" and dict(metrics.headers)["X-Request"] == "2"
    assert all("?" not in url for url in urls)


def test_a_function_is_a_header_provider(service: UnleashSimulator, open_client) -> None:
    client = open_client("backend", headers=lambda url: [("X-Team", "web"), ("X-Two", "2")])
    assert client.wait_ready(5)
    assert {"X-Team": "web", "X-Two": "2"}.items() <= dict(service.requests("features")[0].headers).items()


@pytest.mark.parametrize("headers", [{"X-Bad": "a\r\nX-Worse: b"}, {"a b": "c"}, 5, None])
def test_headers_that_cannot_be_sent_are_left_out(service: UnleashSimulator, open_client, headers: object) -> None:
    """G8, G11: the request goes out without."""
    client = open_client("frontend", headers=lambda url: headers)
    assert client.wait_ready(10)
    sent = dict(service.requests("frontend")[0].headers)
    assert "X-Bad" not in sent and "X-Worse" not in sent


def test_sensitive_headers_stay_the_librarys(service: UnleashSimulator, open_client) -> None:
    """UNL-46"""
    client = open_client("frontend", headers=lambda url: {"Content-Type": "x/y", "unleash-sdk": "mine", "X-Fine": "1"})
    assert client.wait_ready(5)
    sent = dict(service.requests("frontend")[0].headers)
    assert sent["X-Fine"] == "1" and sent["Content-Type"] == "application/json" and sent["unleash-sdk"] != "mine"


# ---- Transport ---------------------------------------------------------------------------------------------


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
    """UNL-20, UNL-44, UNL-45, G11: whatever the first exchange does, the client becomes ready."""
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
    """UNL-93 over a plug-in: open, receive, end."""

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


# ---- Dispatcher --------------------------------------------------------------------------------------------


class Courier(hoist.Dispatcher):
    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.batches: list[hoist.Batch] = []
        self.kept: list[hoist.Receipt] = []

    def dispatch(self, batch: hoist.Batch, receipt: hoist.Receipt) -> None:
        self.batches.append(batch)
        answer = self.answers.pop(0) if self.answers else Status.OK
        if answer == "keep":
            self.kept.append(receipt)
        elif answer == "drop":
            pass
        elif answer == "thread":
            threading.Timer(0.05, receipt.complete).start()
        elif isinstance(answer, Exception):
            raise answer
        else:
            receipt.complete(answer)
            receipt.complete(Status.NETWORK)


def test_a_dispatcher_gets_the_vendors_wire_form(service: UnleashSimulator, open_client) -> None:
    """UNL-61 through a plug-in: the network is not used for events."""
    courier = Courier()
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    batch = courier.batches[0]
    assert batch.url == service.frontend_url + "/client/metrics" and batch.method == "POST"
    assert b'"switch"' in batch.body and batch.event_ids
    assert not service.requests("frontend-metrics")


@pytest.mark.parametrize(
    "answer", [Status.NETWORK, "drop", "thread", ValueError("no"), hoist.Error(Status.TIMEOUT)],
    ids=["later", "dropped", "another thread", "raises", "raises a status"],
)
def test_what_a_dispatcher_did_not_deliver_is_tried_again(service: UnleashSimulator, open_client, answer: object) -> None:
    """G11, UNL-84: at least once, with the same ids."""
    courier = Courier(answer)
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch")
    first = client.flush(5)
    if answer == "thread":
        assert first and len(courier.batches) == 1
        return
    assert not first
    assert until(lambda: client.flush(5) or len(courier.batches) > 1, 20)
    assert courier.batches[1].event_ids == courier.batches[0].event_ids


@pytest.mark.parametrize("answer", [Status.ARGUMENT, hoist.Error(Status.ARGUMENT)], ids=["says so", "raises"])
def test_what_a_dispatcher_refuses_for_good_is_dropped(service: UnleashSimulator, open_client, answer: object) -> None:
    courier = Courier(answer)
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch")
    client.flush(5)
    assert client.flush(5)
    assert len(courier.batches) == 1


def test_a_receipt_outlives_its_client(service: UnleashSimulator, open_client) -> None:
    """G11"""
    courier = Courier("keep")
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch")
    assert client.flush(0.1) is Status.TIMEOUT
    client.close(0.1)
    courier.kept[0].complete()
    assert courier.kept[0].completed


# ---- Cache -------------------------------------------------------------------------------------------------


class Memory(hoist.Cache):
    """A whole cache manager, over a dict."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.rows: dict[str, tuple[hoist.EventRow, str, float]] = {}
        self.calls: list[str] = []
        self.lock = threading.Lock()

    def load(self, key: str) -> bytes | None:
        self.calls.append("load")
        return self.values.get(key)

    def save(self, key: str, value: bytes) -> None:
        self.calls.append("save")
        self.values[key] = value

    def remove(self, key: str) -> None:
        self.values.pop(key, None)

    def put_events(self, rows: Sequence[hoist.EventRow], owner: str, lease_ms: int) -> None:
        self.calls.append("put_events")
        until = time.monotonic() + lease_ms / 1000
        with self.lock:
            self.rows.update({row.id: (row, owner, until) for row in rows})

    def claim_events(
        self, pipeline: str, max_rows: int, max_bytes: int, owner: str, lease_ms: int
    ) -> Iterable[hoist.EventRow]:
        now, taken = time.monotonic(), []
        with self.lock:
            for key, (row, holder, until) in sorted(self.rows.items(), key=lambda item: item[1][0].created_at_unix_ms):
                if row.pipeline == pipeline and holder != owner and until <= now and len(taken) < max_rows:
                    self.rows[key] = (row, owner, now + lease_ms / 1000)
                    taken.append(row)
        return taken

    def remove_events(self, ids: Sequence[str], owner: str) -> None:
        self.calls.append("remove_events")
        with self.lock:
            for key in ids:
                if key in self.rows and self.rows[key][1] == owner:
                    del self.rows[key]

    def purge_events(self, subject: str, pipeline: str) -> None:
        with self.lock:
            self.rows = {k: v for k, v in self.rows.items() if (v[0].subject, v[0].pipeline) != (subject, pipeline)}

    def renew_lease(self, owner: str, lease_ms: int) -> None:
        until = time.monotonic() + lease_ms / 1000 if lease_ms else 0.0
        with self.lock:
            self.rows = {k: (r, o, until if o == owner else u) for k, (r, o, u) in self.rows.items()}


def test_a_cache_carries_flags_over_a_restart(service: UnleashSimulator, open_client) -> None:
    """UNL-81, UNL-101, G3: the second client starts from what the first one left, with the network gone."""
    memory = Memory()
    first = open_client("backend", cache=memory)
    assert first.wait_ready(5)
    assert until(lambda: memory.values)
    first.close()
    second = open_client("backend", cache=memory, online=False)
    assert second.wait_ready(5)
    assert second.state is hoist.State.STALE and second.int("whole") == 42


def test_events_wait_in_the_cache_until_they_are_accepted(service: UnleashSimulator, open_client) -> None:
    """Design 6: nothing acknowledged is lost, and another client adopts what one left behind."""
    memory = Memory()
    service.fail("frontend-metrics", "status", times=None, status=503)
    first = open_client("frontend", cache=memory)
    assert first.wait_ready(5)
    for _ in range(3):
        first.bool("switch")
    assert first.flush(2) is not Status.OK
    first.close(1)
    assert memory.rows and "put_events" in memory.calls
    service.faults.clear()
    second = open_client("frontend", cache=memory, metrics_interval=1)
    assert second.wait_ready(5)
    assert until(lambda: not memory.rows and second.flush(2), 15)
    assert service.ledger.totals()["switch"]["yes"] == 3


BAD_CACHES = {
    "raises": lambda *_: 1 / 0,
    "sleeps": lambda *_: time.sleep(3),
    "garbage": lambda *_: b"\xff\x00garbage",
    "huge": lambda *_: b"[" * (1 << 20),
    "text": lambda *_: "not bytes",
    "beyond the limit": lambda *_: bytes(65 << 20),
}


@pytest.mark.parametrize("kind", BAD_CACHES)
def test_a_bad_cache_costs_the_cache_only(service: UnleashSimulator, open_client, kind: str) -> None:
    """G2, G11: its data is checked like the network's; the client goes on without it."""

    class Bad(hoist.Cache):
        def load(self, key: str) -> bytes | None:
            return BAD_CACHES[kind]()  # type: ignore[no-any-return]

        def save(self, key: str, value: bytes) -> None:
            BAD_CACHES[kind]()

        def remove(self, key: str) -> None:
            BAD_CACHES[kind]()

    client = open_client("frontend", cache=Bad())
    assert client.wait_ready(15)
    assert client.bool("switch") and client.flush(5)


# ---- Hooks -------------------------------------------------------------------------------------------------


class Record(hoist.Hook):
    def __init__(self, name: str, calls: list[str]) -> None:
        self.name, self.calls = name, calls

    def before(self, call: hoist.HookCall) -> None:
        self.calls.append(f"{self.name} before {call.key} {call.context.targeting_key if call.context else None}")

    def after(self, call: hoist.HookCall, detail: hoist.Detail) -> None:
        self.calls.append(f"{self.name} after {detail.value}")

    def error(self, call: hoist.HookCall, detail: hoist.Detail) -> None:
        self.calls.append(f"{self.name} error {detail.error_code}")

    def finally_(self, call: hoist.HookCall) -> None:
        self.calls.append(f"{self.name} finally")


def offline_client(**more: object) -> hoist.Client:
    client = hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap=TYPED, **more)
    assert client.wait_ready(5)
    return client


def test_hooks_run_in_openfeatures_order() -> None:
    calls: list[str] = []
    with offline_client(hooks=[Record("a", calls), Record("b", calls)]) as client:
        assert client.bool("switch", {"targetingKey": "u"}) is True
        assert calls == [
            "a before switch u", "b before switch u", "b after True", "a after True", "b finally", "a finally",
        ]  # fmt: skip
        calls.clear()
        assert client.string("unknown", None, "x") == "x"
        assert calls == [
            "a before unknown None", "b before unknown None", "b error FLAG_NOT_FOUND", "a error FLAG_NOT_FOUND",
            "b finally", "a finally",
        ]  # fmt: skip


def test_a_hook_that_raises_makes_the_evaluation_an_error(caplog: pytest.LogCaptureFixture) -> None:
    """G11"""

    class Fails(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            raise ValueError("in the hook")

    class FailsLater(hoist.Hook):
        def after(self, call: hoist.HookCall, detail: hoist.Detail) -> None:
            raise SystemExit

        finally_ = after  # type: ignore[assignment]

    with offline_client(hooks=[Fails()]) as client:
        assert client.bool("switch") is False
        assert client.detail("switch", None, False).error_code == "GENERAL"
        assert "in the hook" in caplog.text
    with offline_client(hooks=[FailsLater()]) as client:
        assert client.bool("switch") is True


def test_a_hook_may_evaluate(offline: hoist.Client) -> None:
    """G11: re-entrance on the evaluating thread."""
    depth: list[int] = []

    class Nested(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            depth.append(len(depth))
            if len(depth) < 5:
                client.bool("dark", {"targetingKey": "inner"})

    with offline_client(hooks=[Nested()]) as client:
        assert client.bool("switch") is True
    assert depth == [0, 1, 2, 3, 4]


def test_ctrl_c_inside_a_hook_is_heard_afterwards() -> None:
    class Interrupted(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            raise KeyboardInterrupt

    with offline_client(hooks=[Interrupted()]) as client, pytest.raises(KeyboardInterrupt):
        client.bool("switch")
        time.sleep(1)


def test_seventeen_hooks_are_too_many() -> None:
    """G5"""
    with pytest.raises(hoist.Error) as refused:
        offline_client(hooks=[hoist.Hook() for _ in range(17)])
    assert refused.value.status is Status.LIMIT


# ---- All of them -------------------------------------------------------------------------------------------


def test_a_plugin_that_forks_is_no_harm(service: UnleashSimulator, open_client) -> None:
    """G9, G11: observers and header providers that fork; the children leave at once."""
    children: list[int] = []

    def fork(_: object = None) -> dict[str, str]:
        child = os.fork()
        if child == 0:
            os._exit(7)
        children.append(child)
        return {}

    client = open_client("frontend", headers=fork, refresh_interval=1)
    client.observe(Topic.READY, fork)
    assert client.wait_ready(10) and client.bool("switch") and client.flush(5)
    assert until(lambda: len(children) >= 3)
    assert {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in list(children)} == {7}
    assert client.state is hoist.State.READY


def test_one_slow_plugin_does_not_hold_up_another_client(service: UnleashSimulator, open_client) -> None:
    """G11"""
    leave = threading.Event()
    slow = open_client("frontend", headers=lambda url: leave.wait(30) and {})
    quick = open_client("backend")
    assert quick.wait_ready(5)
    assert slow.wait_ready(0.2) is Status.TIMEOUT
    began = time.monotonic()
    for _ in range(1000):
        slow.bool("switch")
    assert time.monotonic() - began < 2
    leave.set()
    assert slow.wait_ready(10)
