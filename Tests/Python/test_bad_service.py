"""A service that refuses, hangs, lies and floods: good flags stay, and nothing else breaks."""

from __future__ import annotations

import resource
import time

import pytest
from conftest import connection, opener, strict_service
from documents import document, off, on
from unleash import UnleashSimulator
from waiting import side_by_side, until

import hoist
from hoist import State, Status

MODES = {"frontend": "frontend", "backend": "features"}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


STATUSES = [400, 404, 405, 408, 429, 500, 501, 502, 503, 504]


def test_a_status_leaves_good_flags_alone(mode: str) -> None:
    """Before the first flags nothing is served, after them they stay; then it recovers (UNL-89, G3; failing)."""

    def meet(status: int) -> None:
        with strict_service() as service, opener(service) as open_client:
            service.fail(MODES[mode], "status", times=1, status=status)
            client = open_client(mode, refresh_interval=1, log_level="none")
            assert until(lambda: client.state is State.ERROR)
            assert client.bool("switch", None, False) is False
            assert client.wait_ready(20)
            service.fail(MODES[mode], "status", times=1, status=status)
            client.refresh()
            assert until(lambda: client.state is State.STALE)
            assert client.bool("switch") is True
            assert until(lambda: client.state is State.READY, 20)

    side_by_side(STATUSES, meet)


def test_a_refused_key_slows_fetching_down(mode: str) -> None:
    """Attempts go on slowly, as the service may not know the key yet; a refresh tries at once (UNL-89, D.2; refused)."""

    def meet(status: int) -> None:
        with strict_service() as service, opener(service) as open_client:
            service.fail(MODES[mode], "status", times=1, status=status)
            client = open_client(mode, refresh_interval=1, log_level="none")
            assert until(lambda: client.state is State.ERROR)
            assert client.wait_ready(0) is Status.TIMEOUT
            assert client.detail("switch", None, True).error_code == "PROVIDER_NOT_READY"
            client.refresh()
            assert until(lambda: client.state is State.READY) and client.bool("switch")

    side_by_side([401, 403], meet)


def test_a_wrong_key_is_the_services_to_refuse(service: UnleashSimulator, open_client, mode: str) -> None:
    """G7: and it appears in no message."""
    lines: list[str] = []

    class Lines(hoist.Logger):
        def write(self, level: hoist.LogLevel, message: str) -> None:
            lines.append(message)

    client = open_client(mode, key="*:development.very-secret", logger=Lines(), log_level="debug")
    news: list[hoist.Notification] = []
    client.observe(hoist.Topic.ERROR, news.append)
    assert until(lambda: client.state is State.ERROR)
    assert until(lambda: lines)
    assert "very-secret" not in "".join(lines) + "".join(one.message for one in news)


def test_retry_after_is_obeyed(service: UnleashSimulator, open_client, mode: str) -> None:
    """(UNL-89; starting, failing)"""
    service.fail(MODES[mode], "status", times=1, status=429, retryAfter="3")
    began = time.monotonic()
    client = open_client(mode, refresh_interval=1, log_level="none")
    assert client.wait_ready(20)
    assert time.monotonic() - began > 2.9


BAD_ANSWERS = {
    "garbage": {"kind": "garbage"},
    "empty": {"kind": "empty"},
    "a page": {"kind": "html"},
    "half an answer": {"kind": "truncate", "keep": 20},
    "a wrong length": {"kind": "length", "difference": 50},
    "no body": {"kind": "headers-only"},
    "bad chunks": {"kind": "bad-chunk"},
    "closed": {"kind": "close"},
    "reset": {"kind": "reset"},
    "null": {"kind": "body", "status": 200, "body": "null"},
    "a list": {"kind": "body", "status": 200, "body": "[1]"},
    "wrong types": {"kind": "body", "status": 200, "body": '{"toggles":5,"features":{"a":null}}'},
    "deep": {"kind": "body", "status": 200, "body": '{"toggles":' + "[" * 100_000},
    "not http": {"kind": "raw", "bytes": "SSH-2.0-nothing\r\n", "close": True},
    "a redirect to nowhere": {"kind": "redirect", "status": 302, "location": "http://127.0.0.1:9/"},
    "a file": {"kind": "redirect", "status": 302, "location": "file:///etc/passwd"},
}


@pytest.mark.parametrize("answer", BAD_ANSWERS)
def test_a_bad_answer_leaves_good_flags_alone(service: UnleashSimulator, open_client, mode: str, answer: str) -> None:
    """G2, G3, G12"""
    client = open_client(mode, refresh_interval=0, log_level="none")
    assert client.wait_ready(5)
    told: list[object] = []
    client.observe(hoist.Topic.FETCH_FAILED, told.append)
    fault = dict(BAD_ANSWERS[answer])
    # As often as it takes: a connection that was kept is tried anew once.
    service.fail(MODES[mode], fault.pop("kind"), times=None, **fault)
    service.state.update(off("dark"), on("new"))
    client.refresh()
    assert until(lambda: told)
    service.faults.clear()
    assert client.bool("switch") and client.state is State.STALE
    client.refresh()
    assert until(lambda: client.bool("new") and client.state is State.READY)


@pytest.mark.parametrize("framing", ["declared", "chunked", "close", "gzip"])
def test_an_answer_without_end_is_cut(service: UnleashSimulator, open_client, mode: str, framing: str) -> None:
    """G2, G5: 300 MB, and the process does not grow with it."""
    client = open_client(mode, refresh_interval=0, log_level="none", network_max_response_bytes=1 << 20)
    assert client.wait_ready(5)
    told: list[hoist.Notification] = []
    client.observe(hoist.Topic.FETCH_FAILED, told.append)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    service.fail(MODES[mode], "huge", times=1, size=300_000_000, framing=framing)
    client.refresh()
    assert until(lambda: told, 30)
    assert client.bool("switch")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000, f"{grown} KiB more"
    service.faults.clear()


SLOW = {
    "silent": {"kind": "hang", "then": "close"},
    "half-open": {"kind": "half-open", "keep": 10},
    "byte by byte": {"kind": "slow", "interval": 0.2, "chunk": 1, "part": "all"},
}


@pytest.mark.parametrize("answer", SLOW)
def test_a_slow_service_is_given_up_and_closing_does_not_wait(
    service: UnleashSimulator, open_client, mode: str, answer: str
) -> None:
    """G1, G4: the exchange ends at its limit; `close` during one returns within its own."""
    client = open_client(mode, refresh_interval=0, log_level="none", network_timeout_ms=700)
    assert client.wait_ready(5)
    told: list[object] = []
    client.observe(hoist.Topic.FETCH_FAILED, told.append)
    fault = dict(SLOW[answer])
    kind = fault.pop("kind")
    service.fail(MODES[mode], kind, times=2, **fault)
    service.state.update(on("new"))
    client.refresh()
    assert until(lambda: told, 5)
    assert client.bool("switch")
    client.refresh()
    began = time.monotonic()
    client.close(0.5)
    assert time.monotonic() - began < 2
    service.faults.clear()


def test_a_service_that_is_not_there(mode: str) -> None:
    """G1, G4: opening and closing do not wait for it."""
    began = time.monotonic()
    with hoist.Client("unleash", mode=mode, url="http://127.0.0.1:9/api", key="k", store="none", log_level="none") as client:
        assert client.wait_ready(0.3) is Status.TIMEOUT
        assert client.bool("switch", None, True) is (mode == "backend" or client.detail("switch", None, True).value)
        client.close(1)
    assert time.monotonic() - began < 5


def test_metrics_arrive_at_least_once() -> None:
    """Design 6, D.4: an answer that is lost leads to another attempt; what was acted on is not lost."""

    def lose(kind: str) -> None:
        with strict_service() as service, opener(service) as open_client:
            client = open_client("frontend", metrics_interval=1, log_level="none")
            assert client.wait_ready(5)
            parameters = {"drop": {"how": "close"}, "truncate": {"keep": 0}}.get(kind, {})
            service.fail("frontend-metrics", kind, times=2, **parameters)
            for _ in range(5):
                client.bool("switch")
            assert until(lambda: service.ledger.totals(acknowledged=True).get("switch", {}).get("yes", 0) == 5, 20)
            assert until(lambda: client.flush(5), 20)

    side_by_side(["drop", "close", "reset", "truncate"], lose)


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_refused_metrics_are_kept(service: UnleashSimulator, open_client, status: int) -> None:
    """G-15: the bucket is put back, and sent when the service takes it again."""
    client = open_client("frontend", metrics_interval=0, log_level="none")
    assert client.wait_ready(5)
    failed: list[object] = []
    client.observe(hoist.Topic.SEND_FAILED, failed.append)
    service.fail("frontend-metrics", "status", times=1, status=status)
    client.bool("switch")
    assert client.flush(5) is Status.NETWORK and until(lambda: failed)
    client.bool("switch")
    assert until(lambda: client.flush(5), 30)
    assert service.ledger.totals()["switch"]["yes"] == 2


def test_flags_of_many_kinds_of_nonsense(mode: str) -> None:
    """G2, G3: a document with one bad flag among good ones."""
    nonsense = [
        {"name": "bad", "enabled": True, "strategies": [{"name": "default", "constraints": [{"contextName": "a", "operator": "??"}]}]},
        {"name": "empty", "enabled": True, "strategies": None, "variants": None},
        {"name": "weights", "enabled": True, "strategies": [], "variants": [{"name": "v", "weight": 0}]},
    ]
    with UnleashSimulator(document(on("switch"), *nonsense), enforce=False) as service:
        properties = {**connection(service, mode), "store": "none", "log.level": "none"}
        with hoist.Client("unleash", properties) as client:
            if mode == "backend":
                assert client.wait_ready(5)
                assert client.bool("switch") and not client.bool("bad") and client.bool("empty")
            else:
                client.wait_ready(1)
            assert isinstance(client.all_flags(), dict)
