"""Bad input in backend mode, over real HTTP: good definitions serve on, the error names its cause, no count is lost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from broken_answers import ANSWERS, BATCHES, DOCUMENTS, STREAMS
from conftest import connection
from documents import TYPED, document, off, on
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import State, Status, Topic, unleash

MODES = {"polling": "features", "delta": "delta", "streaming": "streaming"}


def sent(service: UnleashSimulator, endpoint: str, header: str) -> list[str | None]:
    """What the requests so far had in a header."""
    return [{name.lower(): value for name, value in request.headers}.get(header) for request in service.requests(endpoint)]


class Heard:
    """What a client tells of failures."""

    def __init__(self, client: hoist.Client) -> None:
        self.news: list[hoist.Notification] = []
        client.observe(Topic.ERROR, self.news.append)

    def of(self, *causes: str) -> bool:
        return all(any(cause in one.message for one in self.news) for cause in causes)


Opened = tuple[unleash.Client, Heard]


@pytest.fixture
def opened(service: UnleashSimulator, open_client: Callable[..., Any]) -> Callable[..., Opened]:
    """A backend client of a mode that has its definitions, and what it tells."""

    def open_one(mode: str = "polling", **more: Any) -> Opened:
        client = open_client("backend", unleash.Client, **{
            "fetch_mode": mode, "refresh_interval": 0, "metrics_interval": 0, "log_level": "none", **more})  # fmt: skip
        assert client.wait_ready(20) and client.is_enabled("switch")
        assert client.flush(5)
        service.ledger.reset()
        return client, Heard(client)

    return open_one


def goes_on(service: UnleashSimulator, client: unleash.Client, heard: Heard, *causes: str, by_hand: bool = True) -> None:
    """A fault is at work: what was good serves, the causes are told; when it is over everything arrives."""
    assert until(lambda: heard.of(*causes), 20), [one.message for one in heard.news]
    assert all(one.status is not Status.OK and "\n" not in one.message for one in heard.news)
    if by_hand:  # a stream may be open again already
        assert until(lambda: client.state is State.STALE, 1)
    assert all(client.is_enabled("switch") for _ in range(3)) and not client.is_enabled("dark")
    assert client.get_variant("text").name == "text-variant" and client.int("whole") == 42
    service.faults.clear()
    service.state.update(off("dark"), on("late"))
    if by_hand:
        client.refresh()
    assert until(lambda: client.is_enabled("late") and client.state is State.READY, 20)
    assert until(lambda: client.flush(5), 20)
    totals = service.ledger.totals()
    assert totals["switch"] == {"yes": 3, "no": 0, "variants": {}} and totals["dark"]["no"] == 1
    assert totals["text"] == {"yes": 1, "no": 0, "variants": {"text-variant": 1}}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_definitions_that_cannot_be_read(service: UnleashSimulator, opened: Callable[..., Opened], case: str) -> None:
    """(UNL-90, G2, G3, G5; failing)"""
    body, cause = DOCUMENTS[case]
    client, heard = opened()
    if body == "garbage":
        service.fail("features", "garbage")
    else:
        service.fail("features", "body", status=200, body=body)
    client.refresh()
    if cause is None:  # taken or refused, as long as nothing else happens
        assert until(lambda: heard.news or client.is_enabled("new"))
    else:
        goes_on(service, client, heard, "fetching flags failed: the service's answer cannot be read: ", cause)


@pytest.mark.parametrize("case", BATCHES)
def test_deltas_that_cannot_be_read(service: UnleashSimulator, opened: Callable[..., Opened], case: str) -> None:
    """And the next fetch asks for everything (UNL-92, G2, G3; failing)."""
    body, cause = BATCHES[case]
    client, heard = opened("delta")
    service.fail("delta", "body", status=200, body=body)
    client.refresh()
    assert until(lambda: heard.of(cause)), [one.message for one in heard.news]
    goes_on(service, client, heard, cause)
    assert sent(service, "delta", "if-none-match")[:3] == [None, '"1"', None]


@pytest.mark.parametrize("case", BATCHES)
def test_streamed_batches_that_cannot_be_read(service: UnleashSimulator, opened: Callable[..., Opened], case: str) -> None:
    """The stream is opened anew, without the last event's id (UNL-93, G2, G3; failing)."""
    body, cause = BATCHES[case]
    client, heard = opened("streaming")
    service.streams.send("unleash-updated", body, None)
    assert until(lambda: heard.of(cause)), [one.message for one in heard.news]
    goes_on(service, client, heard, cause, by_hand=False)
    assert sent(service, "streaming", "last-event-id")[:2] == [None, None]


# A 404 to a delta means that there are none.
TROUBLE = [(mode, answer) for mode in ("polling", "delta") for answer in ANSWERS if (mode, answer) != ("delta", "404")]


@pytest.mark.parametrize(("mode", "answer"), TROUBLE)
def test_a_service_in_trouble(service: UnleashSimulator, opened: Callable[..., Opened], mode: str, answer: str) -> None:
    """(UNL-89, UNL-90, UNL-92, G1 to G3, G5; failing)"""
    fault, cause = dict(ANSWERS[answer][0]), ANSWERS[answer][1]
    client, heard = opened(mode, network_timeout_ms=1000, network_max_response_bytes=100_000)
    kind = fault.pop("kind")
    # As often as it takes: a connection that was kept is tried anew once.
    service.fail(MODES[mode], kind, times=None, **fault)
    service.state.update(on("unseen"))  # else there is nothing to answer with
    client.refresh()
    goes_on(service, client, heard, cause)


def test_a_service_that_goes_away_and_comes_back() -> None:
    """Unreachable, then there again on the same port (UNL-89, UNL-90, G3; failing)."""
    with UnleashSimulator(TYPED) as service:
        properties = {**connection(service, "backend"), "store": "none", "refresh_interval": 1, "metrics_interval": 0,
                      "log.level": "none", "disable_registration": True}  # fmt: skip
        client = unleash.Client(properties)
        assert client.wait_ready(5)
        heard, port = Heard(client), urlsplit(service.api_url).port or 0
    with client:
        assert until(lambda: heard.of("no answer from the service")) and client.state is State.STALE
        assert all(client.is_enabled("switch") for _ in range(4))
        with UnleashSimulator(document(on("switch"), on("late")), port=port, revision=9, foreign_etags=True) as second:
            assert until(lambda: client.is_enabled("late") and client.state is State.READY, 20)
            assert until(lambda: client.flush(5), 20)
            assert second.ledger.totals()["switch"]["yes"] == 4
            assert second.violations == []


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_in_trouble(service: UnleashSimulator, opened: Callable[..., Opened], stream: str) -> None:
    """Whatever the next connection meets (UNL-93, G2, G3, G5; failing)."""
    fault, cause = dict(STREAMS[stream][0]), STREAMS[stream][1]
    client, heard = opened("streaming", network_max_response_bytes=100_000)
    service.fail("streaming", fault.pop("kind"), times=1, **fault)
    service.streams.drop("close")
    goes_on(service, client, heard, cause, by_hand=False)


@pytest.mark.parametrize("status", [401, 403, 404, 429, 501])
def test_refused_streams_are_polled_at_once(service: UnleashSimulator, opened: Callable[..., Opened], status: int) -> None:
    """(UNL-93; failing)"""
    client, heard = opened("streaming", refresh_interval=1)
    service.fail("streaming", "status", times=1, status=status)
    service.streams.drop("close")
    assert until(lambda: service.requests("features"), 10)
    assert until(lambda: heard.of(f"answered {status}"))
    service.state.update(on("late"))
    assert until(lambda: client.is_enabled("late"))
    assert len(service.requests("streaming")) == 2


@pytest.mark.parametrize("fault", [
    {"kind": "stream-split", "pieceBytes": 7, "interval": 0.00001},
    {"kind": "stream-format", "newline": "\r\n", "mark": True, "comments": ["hello", ""]},
    {"kind": "stream-format", "newline": "\r"},
], ids=["seven bytes at a time", "CR LF, a mark and comments", "CR"])  # fmt: skip
def test_unusual_streams_are_read(service: UnleashSimulator, opened: Callable[..., Opened], fault: dict[str, Any]) -> None:
    """The grammar of server-sent events, whole (UNL-93; ready)."""
    parameters = dict(fault)
    service.fail("streaming", parameters.pop("kind"), times=1, **parameters)
    client, heard = opened("streaming")
    assert client.string("text") == "grün"
    service.state.update(on("søk-日本"))
    assert until(lambda: client.is_enabled("søk-日本"))
    service.streams.keep_alive()
    service.streams.raw(b"retry: 1\n\nevent: future\ndata: {}\n\n")
    service.state.update(on("late"))
    assert until(lambda: client.is_enabled("late")) and not heard.news


def test_a_fetch_by_hand_beside_the_stream(service: UnleashSimulator, opened: Callable[..., Opened]) -> None:
    """The stream goes on from what was fetched (UNL-93, G3; ready)."""
    client, heard = opened("streaming")
    client.refresh()
    assert service.wait_for("features")
    service.state.update(on("late"))
    assert until(lambda: client.is_enabled("late"))
    assert client.is_enabled("switch") and client.int("whole") == 42 and not heard.news


def test_the_service_chooses_between_streaming_and_polling(service: UnleashSimulator, open_client: Callable[..., Any]) -> None:
    """By a header and by an event, unless the host chose polling (UNL-93, B.6; ready)."""
    service.options.change(fetch_mode="streaming")
    client = open_client("backend", unleash.Client, refresh_interval=1)
    stays = open_client("backend", unleash.Client, refresh_interval=1, fetch_mode="polling")
    assert client.wait_ready(5) and stays.wait_ready(5)
    assert service.wait_for_streams(1)
    service.options.change(fetch_mode="")
    service.streams.send("fetch-mode", "polling")
    assert service.wait_for_streams(0)
    service.state.update(on("late"))
    assert until(lambda: client.is_enabled("late") and client.is_enabled("switch") and stays.is_enabled("late"))
    assert service.streams.opened == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_selection_of_flags(service: UnleashSimulator, open_client: Callable[..., Any], mode: str) -> None:
    """(UNL-102; ready)"""
    service.state.update(
        on("new-a", tags=["team:web"]), on("new-b"), on("old", tags=["team:web"]), {**on("new-c", tags=["team:web"]), "project": "x"})
    client = open_client(
        "backend", unleash.Client, fetch_mode=mode, project="web", name_prefix="new-", tags=["team:web", "tier:1"])
    assert client.wait_ready(5)
    assert sorted(client.all_flags()) == ["new-a"]


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_refused_metrics_are_kept(service: UnleashSimulator, opened: Callable[..., Opened], status: int) -> None:
    """The bucket is put back, and sent when the service takes it again (UNL-52, UNL-61, G-15; failing)."""
    client, heard = opened()
    service.fail("metrics", "status", times=1, status=status)
    client.is_enabled("switch")
    assert client.flush(5) is Status.NETWORK
    assert until(lambda: heard.of("sending metrics failed", f"answered {status}"))
    client.is_enabled("switch")
    assert until(lambda: client.flush(5), 30)
    assert service.ledger.totals()["switch"]["yes"] == 2


@pytest.mark.parametrize("kind", ["drop", "close", "reset", "truncate"])
def test_metrics_arrive_at_least_once(service: UnleashSimulator, opened: Callable[..., Opened], kind: str) -> None:
    """An answer that is lost leads to another attempt with the same counts (UNL-61, D.4; failing)."""
    client, _ = opened()
    service.fail("metrics", kind, times=2, **{"drop": {"how": "close"}, "truncate": {"keep": 0}}.get(kind, {}))
    for _ in range(5):
        client.is_enabled("switch")
    client.flush(5)
    assert until(lambda: client.flush(5), 20)
    assert service.ledger.totals(acknowledged=True)["switch"]["yes"] == 5


def test_flags_beyond_this_version_are_off_and_said_to_be(service: UnleashSimulator, open_client: Callable[..., Any]) -> None:
    """Unknown strategies and operators, missing segments; of duplicates the last counts (UNL-94 to UNL-96, C.2; ready)."""
    lines: list[str] = []

    class Lines(hoist.Logger):
        def write(self, level: hoist.LogLevel, message: str) -> None:
            lines.append(message)

    def strategies(*given: dict[str, Any]) -> dict[str, Any]:
        return {"strategies": list(given)}

    future = {"name": "default", "constraints": [{"contextName": "a", "operator": "SOUNDS_LIKE", "values": ["b"]}]}
    body = json.dumps(document(
        on("switch"), off("twice"), on("strategy", **strategies({"name": "futureStrategy", "parameters": {"a": "b"}})),
        on("either", **strategies({"name": "futureStrategy"}, {"name": "default"})), on("operator", **strategies(future, {"name": "default"})),
        on("segment", **strategies({"name": "default", "segments": [9]})), on("twice"),
    ))  # fmt: skip
    service.fail("features", "body", status=200, body=body)
    client = open_client("backend", unleash.Client, logger=Lines(), log_level="warning")
    assert client.wait_ready(5)
    assert [name for name in ("switch", "strategy", "either", "operator", "segment", "twice") if client.is_enabled(name)] == [
        "switch", "either", "twice"]  # fmt: skip
    assert until(lambda: len(lines) >= 2)
    assert any('flag "operator" is off: strategy 1: constraint 1: the operator is unknown' in line for line in lines)
    assert any('flag "segment" is off: strategy 1: there is no segment 9' in line for line in lines)


def test_registration_that_fails_harms_nobody(service: UnleashSimulator, open_client: Callable[..., Any]) -> None:
    """It is not repeated, and only logged (UNL-91; ready)."""
    service.fail("register", "status", times=1, status=500)
    client = open_client("backend", unleash.Client, refresh_interval=1, log_level="none")
    assert client.wait_ready(20) and client.is_enabled("switch")
    assert service.wait_for("features", 3)
    assert len(service.requests("register")) == 1


def test_offline_from_a_file(tmp_path: Any) -> None:
    """A features document, a broken one, and none (UNL-101, UNL-35, D.3.8; offline)."""
    path = tmp_path / "features.json"
    path.write_text(json.dumps(TYPED))
    offline = {"mode": "backend", "online": False, "store": "none", "log.level": "none"}
    with unleash.Client({**offline, "bootstrap.file": path}) as client:
        assert client.wait_ready(5) and client.state is State.STALE
        assert client.is_enabled("switch") and client.int("whole") == 42
    for content in ('{"version":2,"features":[{"name":"x"}]}', "{", None):
        path.unlink() if content is None else path.write_text(content)
        # Nothing can be fetched in its place.
        with pytest.raises(hoist.Error, match="bootstrap"):
            unleash.Client({**offline, "bootstrap.file": path})


def test_a_slow_service_holds_up_nothing(service: UnleashSimulator, opened: Callable[..., Opened]) -> None:
    """G1, G4: evaluating, counting and closing go on while an answer trickles in."""
    client, _ = opened(network_timeout_ms=30_000)
    service.fail("features", "slow", times=None, interval=0.1, chunk=1, part="all")
    client.refresh()
    assert service.wait_for_held()
    began = time.monotonic()
    assert all(client.is_enabled("switch") for _ in range(1000)) and client.flush(5)
    client.close(1)
    assert time.monotonic() - began < 5
    assert service.ledger.totals()["switch"]["yes"] == 1000
    service.faults.clear()
