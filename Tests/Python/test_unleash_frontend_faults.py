"""Frontend mode against bad input, over real connections.

Each time the same is asked: the last good flags keep serving, the error event names the cause, and no count is lost.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from conftest import connection
from documents import off, on
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import State, Status, Topic, unleash
from hoist.unleash import Toggle, Variant

LIMIT = 1 << 20


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def long_list(size: int) -> str:
    entry = '{"name":"flag-%06d","enabled":true},'
    return '{"toggles":[' + "".join(entry % number for number in range(size // len(entry))) + '{"name":"z","enabled":true}]}'


# What the service answers with 200, and what the message has to say.
DOCUMENTS: dict[str, tuple[str, str]] = {
    "malformed": ('{"toggles":[{"name":"switch" "enabled":true}]}', "not a JSON document"),
    "nothing": ("", "not a JSON document"),
    "truncated": ('{"toggles":[{"name":"switch","enab', "not a JSON document"),
    "followed by more": ('{"toggles":[]} x', "not a JSON document"),
    "a list": ('[{"name":"switch","enabled":true}]', "must be an object"),
    "null": ("null", "the document must be an object"),
    "without toggles": ('{"features":[]}', "toggles must be there"),
    "toggles are an object": ('{"toggles":{"switch":true}}', "toggles must be an array"),
    "a toggle is a text": ('{"toggles":["switch"]}', "must be an object"),
    "name is a number": ('{"toggles":[{"name":1,"enabled":true}]}', "name must be a text"),
    "name is missing": ('{"toggles":[{"enabled":true}]}', "name must be there"),
    "enabled is a text": ('{"toggles":[{"name":"switch","enabled":"true"}]}', 'flag "switch": enabled must be true or false'),
    "variant is a text": ('{"toggles":[{"name":"a","enabled":true,"variant":"red"}]}', 'flag "a": variant'),
    "variant without name": ('{"toggles":[{"name":"a","enabled":true,"variant":{"enabled":true}}]}', 'flag "a": variant.name must be there'),
    "payload value is a number": (
        '{"toggles":[{"name":"a","enabled":true,"variant":{"name":"v","enabled":true,"payload":{"type":"number","value":1}}}]}',
        'flag "a": variant.payload.value must be a text',
    ),
    "2,000 levels deep": ('{"toggles":' + deep(2000) + "}", "deep"),
    "2,000 levels deep beside good toggles": ('{"x":' + deep(2000) + ',"toggles":[{"name":"new","enabled":true}]}', "deep"),
}


class Watch:
    """What a client tells of errors."""

    def __init__(self, client: hoist.Client) -> None:
        self.errors: list[hoist.Notification] = []
        client.observe(Topic.ERROR, self.errors.append)

    def causes(self) -> str:
        return "\n".join(one.message for one in self.errors)


@pytest.fixture
def client(open_client: Callable[..., Any]) -> unleash.Client:
    """A client that has its flags, fetches on demand, and may be answered with at most `LIMIT` bytes."""
    client = open_client("frontend", unleash.Client, refresh_interval=0, metrics_interval=0, log_level="none",
                         network_max_response_bytes=LIMIT, network_timeout_ms=700)  # fmt: skip
    assert client.wait_ready(5) and client.is_enabled("switch")
    return client


def outlive(service: UnleashSimulator, client: unleash.Client, status: Status, cause: str) -> None:
    """One bad fetch, from before it to after the recovery; `client` has counted one yes of "switch"."""
    watch = Watch(client)
    service.state.update(off("switch"), on("new"))
    client.refresh()
    assert until(lambda: watch.errors)
    assert watch.errors[0].status is status and client.last_error is status
    assert cause in watch.errors[0].message and "\n" not in watch.errors[0].message
    assert client.is_enabled("switch") and not client.is_enabled("new")
    assert until(lambda: client.state is State.STALE) and client.is_ready
    service.faults.clear()
    client.refresh()
    assert until(lambda: client.state is State.READY and client.check_enabled("new"))
    assert not client.check_enabled("switch") and client.last_error is Status.OK
    assert client.flush(5)
    assert service.ledger.totals() == {
        "switch": {"yes": 2, "no": 0, "variants": {}}, "new": {"yes": 0, "no": 1, "variants": {}},
    }  # fmt: skip


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_that_cannot_be_read(service: UnleashSimulator, client: unleash.Client, document: str) -> None:
    """(UNL-72, G2, G3; failing)"""
    body, cause = DOCUMENTS[document]
    service.fail("frontend", "body", times=1, status=200, body=body)
    outlive(service, client, Status.UNLEASH_DECODING, cause)


@pytest.mark.parametrize("document", ["malformed", "truncated", "name is a number", "2,000 levels deep"])
def test_a_first_document_that_cannot_be_read(service: UnleashSimulator, open_client, document: str) -> None:
    """It makes nobody ready; the next poll does (UNL-49, UNL-72; starting, failing)."""
    service.fail("frontend", "body", times=1, status=200, body=DOCUMENTS[document][0])
    client = open_client("frontend", unleash.Client, refresh_interval=1, autostart=False, log_level="none")
    watch = Watch(client)
    assert client.start(timeout=5) is Status.UNLEASH_DECODING
    assert until(lambda: client.state is State.ERROR) and not client.is_ready and not client.is_enabled("switch")
    assert until(lambda: watch.errors) and DOCUMENTS[document][1] in watch.causes()
    assert until(lambda: client.is_ready) and client.is_enabled("switch")
    assert client.flush(5)
    assert service.ledger.totals()["switch"] == {"yes": 1, "no": 1, "variants": {}}


@pytest.mark.parametrize("framing", ["declared", "chunked", "close", "gzip"])
def test_a_document_over_the_limit(service: UnleashSimulator, client: unleash.Client, framing: str) -> None:
    """G2, G5: good JSON, but too much of it, is cut off on its way."""
    service.fail("frontend", "huge", times=1, size=20 * LIMIT, framing=framing)
    outlive(service, client, Status.UNLEASH_NO_RESPONSE, "bytes")


def test_a_good_document_just_over_the_limit(service: UnleashSimulator, client: unleash.Client) -> None:
    """G5: the limit is the property's, not the document's kind."""
    service.fail("frontend", "body", times=1, status=200, body=long_list(LIMIT // 2))
    client.refresh()
    assert until(lambda: client.check_enabled("flag-000000") and client.check_enabled("z"))
    service.fail("frontend", "body", times=1, status=200, body=long_list(LIMIT + 1000))
    watch = Watch(client)
    client.refresh()
    assert until(lambda: watch.errors) and client.check_enabled("z")


STATUSES = {401: "key", 403: "key", 404: "404", 429: "429", 500: "500", 503: "503"}


@pytest.mark.parametrize("status", STATUSES)
def test_a_service_that_refuses(service: UnleashSimulator, client: unleash.Client, status: int) -> None:
    """(UNL-72, UNL-89; refused, failing)"""
    service.fail("frontend", "status", times=1, status=status)
    outlive(service, client, Status.UNLEASH_NETWORK, f"the service answered {status}")


CONNECTIONS: dict[str, dict[str, Any]] = {
    "silent": {"kind": "hang", "then": "close"},
    "byte by byte": {"kind": "slow", "interval": 0.2, "chunk": 1, "part": "all"},
    "half an answer, then silence": {"kind": "half-open", "keep": 10},
    "half an answer, then the end": {"kind": "truncate", "keep": 20},
    "headers, then the end": {"kind": "headers-only"},
    "closed at once": {"kind": "close"},
    "reset": {"kind": "reset"},
    "a longer length than the body": {"kind": "length", "difference": 50},
    "broken chunks": {"kind": "bad-chunk"},
    "not HTTP": {"kind": "raw", "bytes": "SSH-2.0-nothing\r\n", "close": True},
}


@pytest.mark.parametrize("fault", CONNECTIONS)
def test_a_connection_that_breaks(service: UnleashSimulator, client: unleash.Client, fault: str) -> None:
    """Told as no answer, with what happened (UNL-72, G1, G4; failing)."""
    parameters = dict(CONNECTIONS[fault])
    # A connection that was kept open is tried anew once.
    service.fail("frontend", parameters.pop("kind"), times=2, **parameters)
    outlive(service, client, Status.UNLEASH_NO_RESPONSE, "no answer from the service: ")


def test_a_service_that_cannot_be_reached(service: UnleashSimulator, open_client, tmp_path) -> None:
    """What an earlier run stored serves, and what is counted waits for the next one (UNL-72, UNL-81, G3, G10; failing)."""
    properties = {**connection(service, "frontend"), "store": "sqlite", "store.path": tmp_path, "log.level": "none"}
    with unleash.Client(properties, refresh_interval=0) as client:
        assert client.wait_ready(5) and client.is_enabled("switch")
    # The store belongs to the address: the service itself goes away.
    kept = service.ledger.totals()["switch"]["yes"]
    service.fail("any", "reset", times=None)
    with unleash.Client(properties, refresh_interval=0, autostart=False) as client:
        watch = Watch(client)
        assert client.start(timeout=10) is Status.UNLEASH_NO_RESPONSE
        assert until(lambda: watch.errors and client.state is State.STALE) and client.is_enabled("switch")
    service.faults.clear()
    with unleash.Client(properties, refresh_interval=0) as client:
        assert client.wait_ready(5)
        assert until(lambda: client.flush(5) and service.ledger.totals()["switch"]["yes"] == kept + 1, 20)
    with unleash.Client(url="http://127.0.0.1:9/api/frontend", key="k", store="none", log_level="none", autostart=False) as client:
        watch = Watch(client)
        assert client.start(timeout=10) is Status.UNLEASH_NO_RESPONSE
        assert until(lambda: "no answer from the service" in watch.causes())


METRICS_FAULTS: dict[str, tuple[dict[str, Any], Status, str]] = {
    **{str(status): ({"kind": "status", "status": status}, Status.UNLEASH_NETWORK, f"the service answered {status}")
       for status in STATUSES},
    "silent": ({"kind": "hang", "then": "close"}, Status.UNLEASH_NO_RESPONSE, "no answer"),
    "closed": ({"kind": "close"}, Status.UNLEASH_NO_RESPONSE, "no answer"),
    "reset": ({"kind": "reset"}, Status.UNLEASH_NO_RESPONSE, "no answer"),
    "not HTTP": ({"kind": "raw", "bytes": "garbage\r\n", "close": True}, Status.UNLEASH_NO_RESPONSE, "no answer"),
}  # fmt: skip


@pytest.mark.parametrize("fault", METRICS_FAULTS)
def test_metrics_that_cannot_be_sent(service: UnleashSimulator, client: unleash.Client, fault: str) -> None:
    """The event `error` names the cause, and the counts arrive later, once (UNL-52, G-15; failing)."""
    parameters, status, cause = METRICS_FAULTS[fault]
    parameters = dict(parameters)
    told: list[hoist.Notification] = []
    client.on_event("error")(told.append)
    service.fail("frontend-metrics", parameters.pop("kind"), times=2 if status is Status.UNLEASH_NO_RESPONSE else 1, **parameters)
    assert client.flush(5) is Status.NETWORK
    assert until(lambda: told)
    assert told[0].status is status and told[0].message.startswith("sending metrics failed: ") and cause in told[0].message
    assert client.is_enabled("switch") and client.state is State.READY
    service.faults.clear()
    assert until(lambda: client.flush(5), 30)
    assert service.ledger.totals() == {"switch": {"yes": 2, "no": 0, "variants": {}}}


# ---- Bootstrap and properties ------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS)
def test_bootstrap_that_cannot_be_read(service: UnleashSimulator, open_client, document: str, tmp_path) -> None:
    """Named when it is read by hand, logged and left out as a file, refused as a property that is no JSON (UNL-35, G2; before start)."""
    body, cause = DOCUMENTS[document]
    with pytest.raises(hoist.Error) as refused:
        unleash.Bootstrap.from_json(body)
    assert refused.value.status is Status.PARSE and cause in str(refused.value)
    path = tmp_path / "flags.json"
    path.write_text(body)
    lines: list[str] = []

    class Lines(hoist.Logger):
        def write(self, level: hoist.LogLevel, message: str) -> None:
            lines.append(message)

    client = open_client("frontend", unleash.Client, bootstrap_file=path, logger=Lines())
    assert client.wait_ready(5) and client.is_enabled("switch")
    assert until(lambda: any("flags.json" in line and cause in line for line in lines))


@pytest.mark.parametrize(("name", "value", "told"), [
    ("refresh_intervall", 15, "refresh_interval"), ("refreshInterval", 15, "refresh_interval"), ("no_such", "", "no_such"),
    ("context", "[" * 2000 + "]" * 2000, "context"), ("context", '{"userId":"u"', "context"), ("custom_headers", '{"a":1}', "custom_headers"),
    ("bootstrap", "{" * 2000, "bootstrap"), ("bootstrap", '{"toggles":' + deep(2000) + "}", "bootstrap"),
])  # fmt: skip
def test_a_property_that_is_none(name: str, value: object, told: str) -> None:
    """G8: unknown and unreadable properties are refused, in one line, by name."""
    config = hoist.Config("unleash")
    with pytest.raises(hoist.Error) as refused:
        config.set(name, value)
    assert refused.value.status is Status.CONFIG and told in str(refused.value)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 500


# ---- Plug-ins ----------------------------------------------------------------------------------------------


class Liar(hoist.Transport):
    """Answers fetches with `answer`, and lets nothing else through, when it lies; otherwise with good flags."""

    def __init__(self) -> None:
        self.answer: Callable[[hoist.Exchange], object] | None = None
        self.posts: list[bytes] = []
        self.refuses_posts = False

    def send(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
        if request.method == "POST":
            if self.refuses_posts:
                exchange.respond(503)
            else:
                self.posts.append(request.body or b"")
                exchange.respond(200)
        elif self.answer:
            self.answer(exchange)
        else:
            exchange.respond(200, b'{"toggles":[{"name":"switch","enabled":true}]}', [("ETag", '"1"')])


LIES: dict[str, tuple[Callable[[hoist.Exchange], object], Status, str]] = {
    "bytes": (lambda exchange: exchange.respond(200, b"\xff\x00\xfe"), Status.UNLEASH_DECODING, "not a JSON document"),
    "wrong types": (lambda exchange: exchange.respond(200, b'{"toggles":[1]}'), Status.UNLEASH_DECODING, "must be an object"),
    "too much": (lambda exchange: exchange.respond(200, long_list(LIMIT + 1000).encode()), Status.UNLEASH_DECODING, "longer than"),
    "too deep": (lambda exchange: exchange.respond(200, ('{"toggles":' + deep(2000) + "}").encode()), Status.UNLEASH_DECODING, "deep"),
    "a strange status": (lambda exchange: exchange.respond(207, b"{}"), Status.UNLEASH_UNHANDLED_STATUS, "207"),
    "an error": (lambda exchange: exchange.fail("the cable is cut"), Status.UNLEASH_NO_RESPONSE, "the cable is cut"),
    "an exception": (lambda exchange: 1 / 0, Status.UNLEASH_NO_RESPONSE, "the transport raised ZeroDivisionError"),
    "nothing": (lambda exchange: None, Status.UNLEASH_NO_RESPONSE, "the transport dropped the exchange"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_transport_that_lies(open_client, lie: str) -> None:
    """(UNL-20, UNL-45, G2, G11; failing)"""
    answer, status, cause = LIES[lie]
    liar = Liar()
    client = open_client("frontend", unleash.Client, transport=liar, refresh_interval=0, metrics_interval=0, log_level="none",
                         network_max_response_bytes=LIMIT, network_timeout_ms=700)  # fmt: skip
    assert client.wait_ready(5) and client.is_enabled("switch")
    watch = Watch(client)
    liar.answer, liar.refuses_posts = answer, True
    client.refresh()
    assert until(lambda: watch.errors)
    assert watch.errors[0].status is status and cause in watch.errors[0].message
    assert client.is_enabled("switch") and until(lambda: client.state is State.STALE)
    assert not client.flush(5)
    liar.answer, liar.refuses_posts = None, False
    client.refresh()
    assert until(lambda: client.state is State.READY) and until(lambda: client.flush(5), 30)
    assert sum(json.loads(post)["bucket"]["toggles"]["switch"]["yes"] for post in liar.posts) == 2


class Shelf(unleash.Storage):
    """A storage that answers reads with whatever it is told to."""

    def __init__(self, answer: Callable[[str], Any]) -> None:
        self.answer: Callable[[str], Any] | None = None
        self.lie = answer
        self.toggles: dict[str, Toggle] = {}

    def set(self, toggles: Sequence[Toggle]) -> None:
        self.toggles = {toggle.name: toggle for toggle in toggles}
        if self.answer:
            self.answer("set")

    def value(self, name: str) -> Toggle | None:
        return self.answer(name) if self.answer else self.toggles.get(name)

    def clear(self) -> None:
        self.toggles = {}


STORED: dict[str, Callable[[str], Any]] = {
    "an exception": lambda name: 1 / 0,
    "no toggle": lambda name: "nonsense",
    "another's toggle": lambda name: Toggle("other", True),
    "a toggle without name": lambda name: Toggle("", True),
    "a huge variant": lambda name: Toggle(name, False, Variant("v" * (17 << 20), True)),
    "an error": lambda name: (_ for _ in ()).throw(hoist.Error(Status.IO)),
}


@pytest.mark.parametrize("lie", STORED)
def test_a_storage_that_lies(service: UnleashSimulator, open_client, lie: str) -> None:
    """An answer that makes no sense is no toggle; it is counted as off, and nothing else suffers (UNL-60, G2, G11; ready)."""
    shelf = Shelf(STORED[lie])
    client = open_client("frontend", unleash.Client, storage=shelf, refresh_interval=0, metrics_interval=0, log_level="none")
    assert client.wait_ready(5) and until(lambda: "switch" in shelf.toggles)
    assert client.is_enabled("switch")
    shelf.answer = shelf.lie
    assert not client.is_enabled("switch")
    assert client.get_variant("switch").enabled is False
    service.state.update(on("new"))
    client.refresh()
    assert until(lambda: "new" in shelf.toggles)
    shelf.answer = None
    assert client.is_enabled("switch") and client.is_enabled("new")
    assert client.flush(5)
    totals = service.ledger.totals()
    assert (totals["switch"]["yes"], totals["switch"]["no"]) == (2, 2) and totals["new"]["yes"] == 1


PROVIDED: dict[str, Callable[[str], Any]] = {
    "an exception": lambda url: 1 / 0,
    "a number": lambda url: 5,
    "numbers for texts": lambda url: {"X-A": 1},
    "line ends": lambda url: {"Authorization": "a\r\nX-Worse: b"},
    "a bad name": lambda url: {"a b": "c", "": "d"},
    "too many": lambda url: [(f"X-{number}", "x") for number in range(200)],
    "the library's own": lambda url: {"unleash-sdk": "mine", "Content-Type": "x/y", "If-None-Match": '"mine"'},
}


@pytest.mark.parametrize("lie", PROVIDED)
def test_a_header_provider_that_lies(service: UnleashSimulator, open_client, lie: str) -> None:
    """Requests go out with what can be sent, and the service sees no violation (UNL-22, UNL-46, G8, G11; ready)."""
    client = open_client("frontend", unleash.Client, headers=PROVIDED[lie], refresh_interval=0, metrics_interval=0, log_level="none")
    assert client.wait_ready(10) and client.is_enabled("switch")
    service.state.update(on("new"))
    client.refresh()
    assert until(lambda: client.check_enabled("new"))
    assert client.flush(5)
    assert service.ledger.totals() == {"switch": {"yes": 1, "no": 0, "variants": {}}}
    for endpoint in ("frontend", "frontend-metrics"):
        for request in service.requests(endpoint):
            assert "X-Worse" not in dict(request.headers)


def test_a_header_provider_with_a_stale_token(service: UnleashSimulator, open_client) -> None:
    """A refused token is told, the flags stay, and a fresh one goes on, without a restart (UNL-47, UNL-89; refused)."""
    token = {"value": service.frontend_key}
    client = open_client("frontend", unleash.Client, key="", headers=lambda url: {"Authorization": token["value"]},
                         refresh_interval=0, metrics_interval=0, log_level="none")  # fmt: skip
    assert client.wait_ready(5) and client.is_enabled("switch")
    watch = Watch(client)
    token["value"] = "*:development.stale"
    client.refresh()
    assert until(lambda: watch.errors)
    assert watch.errors[0].status is Status.UNLEASH_NETWORK and "401" in watch.errors[0].message
    assert "stale" not in watch.causes() and client.is_enabled("switch") and until(lambda: client.state is State.STALE)
    assert client.flush(5) is Status.NETWORK
    token["value"] = service.frontend_key
    client.refresh()
    assert until(lambda: client.state is State.READY)
    assert until(lambda: client.flush(5), 30)
    assert service.ledger.totals()["switch"]["yes"] == 2


# ---- Polling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [404, 429, 500, 502, 503, 504])
def test_an_overloaded_service_is_asked_less(service: UnleashSimulator, open_client, status: int) -> None:
    """The wait after a start that failed is twice the interval, or as little as half of that, so that clients get out of step; one
    request at a time (UNL-89; failing)."""
    service.fail("frontend", "status", times=1, status=status)
    began = time.monotonic()
    client = open_client("frontend", refresh_interval=2, log_level="none")
    assert client.wait_ready(20)
    assert time.monotonic() - began > 1.9
    assert len(service.requests("frontend")) == 2
