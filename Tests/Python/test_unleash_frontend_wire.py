"""What a frontend client puts on the wire, and where: against services that refuse anything else."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from conftest import connection
from documents import TYPED, on
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import Status, unleash
from hoist.unleash import Toggle


@pytest.fixture
def other() -> Iterator[UnleashSimulator]:
    """A second service."""
    with UnleashSimulator(TYPED) as simulator:
        yield simulator
        assert simulator.violations == []


def test_the_defaults_are_the_vendors(service: UnleashSimulator) -> None:
    """With address and key only (UNL-12, UNL-14 to UNL-18; ready)."""
    rows = {row.name: row.default for row in hoist.describe("unleash")}
    expected = {"refresh_interval": "15", "app_name": "unleash-swift-client", "environment": "default",
                "disable_metrics": "false", "context": "{}", "custom_headers": "{}", "mode": "frontend"}  # fmt: skip
    assert expected.items() <= rows.items()
    with unleash.Client(url=service.frontend_url, key=service.frontend_key, store="none") as client:
        assert client.wait_ready(5)
    sent = service.requests("frontend")[0]
    assert "appName=unleash-swift-client&environment=default&sessionId=" in sent.target
    assert dict(sent.headers)["unleash-appname"] == "unleash-swift-client"


@pytest.mark.parametrize("name", ["url", "key"])
def test_address_and_key_are_required(service: UnleashSimulator, name: str) -> None:
    """(UNL-10, UNL-11; before start)"""
    properties = {"url": service.frontend_url, "key": service.frontend_key, "store": "none"}
    del properties[name]
    with pytest.raises(hoist.Error) as refused:
        hoist.Client("unleash", properties)
    assert refused.value.status is Status.CONFIG and f'"{name}"' in str(refused.value)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_edge_by_every_address(method: str) -> None:
    """The old proxy's path, a prefix, a query of the address's own; tags for both methods (UNL-02, UNL-03, UNL-77; ready)."""
    with UnleashSimulator(TYPED, flavour="edge", prefix="/hosted") as edge:
        for address in ("/api/proxy", "/api/frontend", "/api/frontend/"):
            url = edge.frontend_url.replace("/api/frontend", address) + ("?old=1" if method == "GET" else "")
            properties = {**connection(edge, "frontend"), "url": url, "store": "none", "refresh_interval": 0}
            seen, posts = len(edge.requests("frontend")), len(edge.ledger.posts)
            with unleash.Client(properties, fetch_method=method, context={"plan": "pro"}) as client:
                assert client.wait_ready(5) and client.is_enabled("pro-only")
                assert client.get_variant("text").payload.value == "grün" and client.get_variant("switch").payload is None
                assert client.get_variant("switch").is_feature_enabled and not client.get_variant("switch").enabled
                client.refresh()
                assert edge.wait_for("frontend", seen + 2, answered=True)
            first, second = edge.requests("frontend")[seen : seen + 2]
            assert urlsplit(first.target).path == "/hosted" + address and "old=1" not in first.target
            assert (first.method, second.status) == (method, 304)
            assert "If-None-Match" not in dict(first.headers)
            assert len(edge.ledger.posts) == posts + 1, "the last bucket goes out when the client is closed"
        assert edge.violations == []


def test_a_tag_is_echoed_and_survives_failures(service: UnleashSimulator, open_client) -> None:
    """B.5, G-9: the tag of the last answer that could be read, byte for byte, also after a change of context."""
    tag = 'W/"2f-x,;=1"'
    service.fail("frontend", "body", times=1, status=200, body='{"toggles":[{"name":"a","enabled":true}]}', headers={"ETag": tag})
    client = open_client("frontend", unleash.Client, refresh_interval=0, log_level="none")
    assert client.wait_ready(5) and client.is_enabled("a")
    service.fail("frontend", "body", times=1, status=200, body="{", headers={"ETag": '"bad"'})
    client.refresh()
    assert service.wait_for("frontend", 2, answered=True)
    service.options.change(foreign_etags=True)
    assert client.update_context({"userId": "u"})
    sent = [dict(request.headers).get("If-None-Match") for request in service.requests("frontend")]
    assert sent == [None, tag, tag]


def test_the_keys_header_has_any_name(other: UnleashSimulator) -> None:
    """On fetches and on metrics (UNL-78; ready)."""
    other.options.change(key_header="X-Flags-Key")
    with unleash.Client({**connection(other, "frontend"), "store": "none", "key_header": "X-Flags-Key"}) as client:
        assert client.wait_ready(5) and client.is_enabled("switch") and client.flush(5)
    for endpoint in ("frontend", "frontend-metrics"):
        sent = {name.lower(): value for name, value in other.requests(endpoint)[0].headers}
        assert sent["x-flags-key"] == other.frontend_key and "authorization" not in sent


def test_the_flavour_is_told(service: UnleashSimulator, open_client) -> None:
    """In headers of both requests, and in the body of metrics (UNL-76; ready)."""
    client = open_client("frontend", sdk_flavor="openfeature", sdk_flavor_version="1.2")
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    for endpoint in ("frontend", "frontend-metrics"):
        sent = dict(service.requests(endpoint)[0].headers)
        assert (sent["unleash-sdk-flavor"], sent["unleash-sdk-flavor-version"]) == ("openfeature", "1.2")
    body = service.ledger.posts[0].body
    assert (body["sdkFlavor"], body["sdkFlavorVersion"]) == ("openfeature", "1.2")


def test_custom_headers_go_everywhere_but_over_sensitive_ones(service: UnleashSimulator, open_client) -> None:
    """The provider wins over custom headers, those over defaults (UNL-21, UNL-22, UNL-46, UNL-48, G-4, G-5; ready)."""
    sensitive = {"content-TYPE": "x/y", "if-none-match": '"mine"', "UNLEASH-appname": "mine", "unleash-new": "mine"}
    client = open_client(
        "frontend", key="unused", refresh_interval=0,
        custom_headers={**sensitive, "authorization": "overruled", "X-Both": "custom", "X-Custom": "1"},
        headers=lambda url: {**sensitive, "Authorization": service.frontend_key, "x-both": "provider", "X-Dynamic": "1"},
    )  # fmt: skip
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    for endpoint in ("frontend", "frontend-metrics"):
        sent = {name.lower(): value for name, value in service.requests(endpoint)[0].headers}
        assert sent["authorization"] == service.frontend_key and sent["x-both"] == "provider"
        assert (sent["x-custom"], sent["x-dynamic"]) == ("1", "1")
        assert sent["content-type"] == "application/json" and sent["unleash-appname"] == "shop"
        assert "unleash-new" not in sent and "if-none-match" not in sent


def test_a_poller_fetches_and_the_client_reports(service: UnleashSimulator, other: UnleashSimulator) -> None:
    """Each at its own address, with its own key and headers; the poller's bootstrap serves (UNL-19, UNL-38; ready)."""
    poller = hoist.Config("unleash", connection(other, "frontend"), refresh_interval=1, custom_headers={"X-Who": "poller"})
    poller.set_headers(lambda url: {"X-Dynamic": "poller"})
    own = {**connection(service, "frontend"), "store": "none", "app_name": "shop", "refresh_interval": 0}
    with unleash.Client(own, poller=poller, custom_headers={"X-Who": "client"}, headers=lambda url: {"X-Dynamic": "client"},
                        toggles=[Toggle("given", True)], context={"plan": "pro"}) as client:  # fmt: skip
        assert not client.is_enabled("given")
        assert client.wait_ready(5) and client.is_enabled("pro-only")
        assert other.wait_for("frontend", 2, 10), "it has an interval of its own"
        assert client.flush(5)
    assert not service.requests("frontend") and not other.requests("frontend-metrics")
    fetch, metrics = dict(other.requests("frontend")[0].headers), dict(service.requests("frontend-metrics")[0].headers)
    assert (fetch["X-Who"], fetch["X-Dynamic"]) == ("poller", "poller")
    assert (metrics["X-Who"], metrics["X-Dynamic"]) == ("client", "client")
    assert fetch["unleash-connection-id"] == metrics["unleash-connection-id"]


def test_metrics_follow_their_interval(service: UnleashSimulator, open_client) -> None:
    """Whole-second windows, one after the other, and nothing when nothing was counted (UNL-16, UNL-51, UNL-61, UNL-83; ready)."""
    client = open_client("frontend", unleash.Client, metrics_interval=1, metrics_initial_delay=2)
    assert client.wait_ready(5)
    client.is_enabled("switch")
    began = time.monotonic()
    assert service.wait_for_posts(1, 10) and time.monotonic() - began > 1
    time.sleep(1.5)
    assert len(service.ledger.posts) == 1
    client.is_enabled("switch")
    assert service.wait_for_posts(2, 10)
    one, two = (post.body["bucket"] for post in service.ledger.posts)
    assert one["start"] <= one["stop"] <= two["start"] <= two["stop"]


def test_stop_sends_the_last_counts(service: UnleashSimulator, open_client) -> None:
    """In the background; closing sends what was counted since (UNL-70, D.4; closing)."""
    client = open_client("frontend", unleash.Client, metrics_interval=3600)
    assert client.wait_ready(5) and client.is_enabled("switch")
    assert client.stop()
    assert service.wait_for_posts(1)
    assert client.is_enabled("switch"), "flags stay readable"
    client.close()
    assert service.ledger.totals()["switch"]["yes"] == 2


def test_a_transport_may_be_for_fetches_only(service: UnleashSimulator, open_client) -> None:
    """(UNL-20, G-6; ready)"""
    from test_plugin_transport import Carrier

    carrier = Carrier()
    client = open_client("frontend", transport=carrier, metrics_over_plugin_transport=False)
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    assert {request.method for request in carrier.requests} == {"GET"}
    assert service.ledger.totals()["switch"]["yes"] == 1


def test_a_transport_may_change_the_request(service: UnleashSimulator, open_client) -> None:
    """Its own time limit, a header, another key; the service sees what it sent (UNL-44; ready)."""
    from test_plugin_transport import Carrier

    class Changing(Carrier):
        def send(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
            headers = [(name, service.frontend_key if name == "Authorization" else value) for name, value in request.headers]
            changed = hoist.Request(request.method, request.url, tuple([*headers, ("foo", "bar")]), request.body, 5.0, request.is_stream)
            super().send(changed, exchange)

    client = open_client("frontend", transport=Changing(), key="replaced")
    assert client.wait_ready(5)
    assert dict(service.requests("frontend")[0].headers)["foo"] == "bar"


def test_the_flat_context(service: UnleashSimulator, open_client) -> None:
    """Properties, and the fixed fields over them (UNL-43, UNL-73; ready)."""
    client = open_client("frontend", unleash.Client, context={"userId": "u", "currentTime": "now", "appName": "no"}, properties={"tier": "1"})
    assert client.wait_ready(5)
    context = client.context
    session = context.pop("sessionId")
    assert 0 <= int(session) <= 999_999_999
    assert context == {"appName": "shop", "environment": "default", "userId": "u", "currentTime": "now", "tier": "1"}
    assert f"sessionId={session}" in service.requests("frontend")[0].target


def test_toggles_of_a_storage_are_announced(service: UnleashSimulator, open_client) -> None:
    """Reads through a storage of the host's count and announce like others (UNL-53, UNL-60; ready)."""
    service.state.update(on("seen", impressionData=True, variants=[{"name": "blue", "weight": 1000}]))
    kept: dict[str, Toggle] = {}

    class Shelf(unleash.Storage):
        def set(self, toggles: Any) -> None:
            kept.clear()
            kept.update({toggle.name: toggle for toggle in toggles})

        def value(self, name: str) -> Toggle | None:
            return kept.get(name)

        def clear(self) -> None:
            kept.clear()

    client = open_client("frontend", unleash.Client, storage=Shelf())
    assert client.wait_ready(5) and until(lambda: "seen" in kept)
    assert kept["seen"].impression_data and kept["seen"].variant.name == "blue"
    told: list[unleash.Impression] = []
    client.on_impression(told.append)
    assert client.is_enabled("seen") and client.get_variant("seen").name == "blue"
    assert until(lambda: len(told) == 2)
    assert client.flush(5)
    assert service.ledger.totals()["seen"] == {"yes": 2, "no": 0, "variants": {"blue": 1}}


def test_two_clients_hear_their_own_events(service: UnleashSimulator, open_client) -> None:
    """A handler with and one without use for the payload; the other client's events are not heard (UNL-55, D.7; second client)."""
    one, two = (open_client("frontend", unleash.Client, autostart=False) for _ in range(2))
    heard: list[str] = []
    one.on_event("ready")(lambda _: heard.append("one"))
    two.on_event("ready")(lambda news: heard.append(f"two {news.topic.name}"))
    assert one.start(timeout=5)
    assert until(lambda: heard) and heard == ["one"]
    assert two.start(timeout=5)
    assert until(lambda: len(heard) == 2) and heard[1] == "two UNLEASH_READY"


def test_impact_metrics_outlive_a_failure(service: UnleashSimulator, open_client) -> None:
    """What could not be sent is sent later; a bucket goes without them and they without a bucket (UNL-88, C.10; failing)."""
    client = open_client("frontend", unleash.Client, metrics_interval=0, log_level="none")
    assert client.wait_ready(5)
    assert client.impact.define_counter("purchases", "done") and client.impact.increment("purchases", 2)
    service.fail("frontend-metrics", "status", times=1, status=503)
    assert not client.flush(5)
    assert client.impact.increment("purchases", 3)
    assert until(lambda: client.flush(5), 30)
    (total,) = service.ledger.impact()["purchases"].values()
    assert total == 5
    (labels,) = service.ledger.impact()["purchases"]
    assert json.loads(labels) == {"appName": "shop", "environment": "development"}
    assert all(post.body["bucket"] is None for post in service.ledger.posts)
