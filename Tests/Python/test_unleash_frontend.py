"""Frontend mode against a strict service: the server evaluates for the current context."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import connection
from documents import TYPED, off, on
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import State, Status, unleash
from hoist.unleash import Payload, Toggle, Variant


@pytest.fixture
def client(open_client) -> unleash.Client:
    """A frontend client that has its first flags."""
    opened = open_client("frontend", unleash.Client)
    assert opened.wait_ready(5)
    return opened


def query(service: UnleashSimulator, number: int = -1) -> dict[str, str]:
    """The query of a fetch."""
    return {name: values[0] for name, values in parse_qs(urlsplit(service.requests("frontend")[number].target).query,
                                                         keep_blank_values=True).items()}  # fmt: skip


def test_flags_are_fetched_for_the_context(service: UnleashSimulator, open_client) -> None:
    """(UNL-01, UNL-05, UNL-14, UNL-15, UNL-18, UNL-24, UNL-43; ready)"""
    client = open_client(
        "frontend", environment="test", context={"userId": "u 1", "plan": "pro"}, properties={"tier": "gold plus"}
    )
    assert client.wait_ready(5) and client.state is State.READY
    assert client.bool("pro-only") and client.bool("switch") and not client.bool("dark")
    sent = query(service)
    assert sent.pop("sessionId").isdigit()
    assert sent == {
        "appName": "shop", "environment": "test", "userId": "u 1", "properties[plan]": "pro", "properties[tier]": "gold plus",
    }  # fmt: skip


def test_headers_are_the_services(service: UnleashSimulator, open_client) -> None:
    """(UNL-14, UNL-21, UNL-46, UNL-58, UNL-74; ready)"""
    client = open_client("frontend", custom_headers={"X-Team": "web", "Content-Type": "x/y", "unleash-sdk": "mine"})
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    for endpoint in ("frontend", "frontend-metrics"):
        sent = dict(service.requests(endpoint)[0].headers)
        assert sent["Authorization"] == service.frontend_key
        assert sent["X-Team"] == "web" and sent["Content-Type"] == "application/json"
        assert sent["unleash-sdk"] == unleash.version() == f"unleash-hoist-sdk:{hoist.__version__}"
        assert sent["unleash-appname"] == "shop" and len(sent["unleash-connection-id"]) == 36


def test_before_the_first_flags_everything_is_off(service: UnleashSimulator, open_client) -> None:
    """(UNL-27, UNL-28, UNL-29, UNL-100; starting)"""
    service.fail("frontend", "hang", then="answer")
    client = open_client("frontend", unleash.Client)
    assert not client.is_enabled("switch") and not client.is_ready
    assert client.get_variant("switch") == Variant("disabled", False, False)
    assert client.is_enabled("switch", None, True) is True
    assert client.is_enabled("switch", None, lambda name, context: name == "switch") is True
    assert client.detail("switch", None, True).error_code == "PROVIDER_NOT_READY"
    assert client.state is State.NOT_READY
    assert service.wait_for_held()
    service.release()
    assert client.wait_ready(5) and client.is_ready
    assert client.is_enabled("switch") and not client.is_enabled("unknown", None, True)


def test_variants_and_payloads(service: UnleashSimulator, client: unleash.Client) -> None:
    """(UNL-29 to UNL-33, UNL-104, UNL-105; ready)"""
    variant = client.get_variant("settings")
    assert (variant.name, variant.enabled, variant.is_feature_enabled) == ("settings-variant", True, True)
    assert variant.payload and variant.payload.type == "json" and variant.payload.json()["colour"] == "blue"
    assert client.check_variant("unknown") == Variant("disabled", False, False)
    assert client.check_enabled("switch") and not client.check_enabled("dark")
    assert {"switch", "text"} <= {toggle.name for toggle in client.list_toggles() if toggle.enabled}
    assert client.flush(5)
    totals = service.ledger.totals()
    assert totals == {"settings": {"yes": 1, "no": 0, "variants": {"settings-variant": 1}}}, "checks are not counted"


def test_metrics_are_booked_exactly(service: UnleashSimulator, client: unleash.Client) -> None:
    """Unknown flags are counted too, nothing is sent twice (UNL-61, UNL-84; ready)."""
    for _ in range(10):
        client.is_enabled("switch")
        client.is_enabled("dark")
    for _ in range(3):
        client.get_variant("text")
        client.get_variant("unknown")
    assert client.flush(5) and client.flush(5)
    assert service.ledger.totals() == {
        "switch": {"yes": 10, "no": 0, "variants": {}},
        "dark": {"yes": 0, "no": 10, "variants": {}},
        "text": {"yes": 3, "no": 0, "variants": {"text-variant": 3}},
        "unknown": {"yes": 0, "no": 3, "variants": {"disabled": 3}},
    }
    assert len(service.ledger.posts) == 1


def test_disabled_metrics_are_not_sent(service: UnleashSimulator, open_client) -> None:
    """(UNL-17; ready, closing)"""
    client = open_client("frontend", disable_metrics=True)
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    client.close()
    assert not service.requests("frontend-metrics")


def test_update_context_fetches_at_once(service: UnleashSimulator, client: unleash.Client) -> None:
    """(UNL-41, UNL-42, UNL-43, UNL-73; ready)"""
    session = query(service)["sessionId"]
    assert not client.is_enabled("pro-only")
    assert client.update_context({"userId": "u", "plan": "basic"}, {"plan": "pro", "userId": "other"})
    assert client.is_enabled("pro-only")
    sent = query(service)
    assert (sent["userId"], sent["properties[plan]"], sent["properties[userId]"]) == ("u", "pro", "other")
    assert sent["sessionId"] == session
    assert client.context["userId"] == "u" and client.context["plan"] == "pro"
    assert client.update_context({"remoteAddress": "10.0.0.1"})
    assert "userId" not in query(service) and "properties[plan]" not in query(service)
    assert not client.is_enabled("pro-only")


def test_a_single_field_is_set(service: UnleashSimulator, client: unleash.Client) -> None:
    """What a change finds waiting goes with it; how much that is, is a matter of time here (UNL-87; ready)."""
    before = len(service.requests("frontend"))
    for name, value in (("userId", "u"), ("plan", "basic"), ("plan", "pro"), ("gone", "x"), ("gone", None)):
        assert client.set_context_field(name, value)
    assert until(lambda: client.is_enabled("pro-only"))
    assert 1 <= len(service.requests("frontend")) - before <= 5
    assert until(lambda: "properties[gone]" not in query(service))


@pytest.mark.parametrize("form", [
    {"userId": "u", "properties": {"plan": "pro", "age": 20}}, {"targetingKey": "u", "plan": "pro", "age": 20},
    {"userId": "u", "plan": "pro", "age": "20"},
], ids=["nested", "key", "flat"])  # fmt: skip
def test_a_context_is_read_the_same_way_everywhere(service: UnleashSimulator, open_client, form: dict[str, object]) -> None:
    """Contract 4: a document says the same to the constructor, identify, update_context and a call. State: ready."""
    expected = {"userId": "u", "properties[plan]": "pro", "properties[age]": "20"}

    def sent() -> dict[str, str]:
        return {name: value for name, value in query(service).items() if name in expected or name.startswith("properties")}

    opened = open_client("frontend", context=form)
    assert opened.wait_ready(5) and opened.bool("pro-only") and sent() == expected
    assert opened.detail("pro-only", form, False).error_code == ""
    other = open_client("frontend", unleash.Client)
    assert other.wait_ready(5) and not other.bool("pro-only")
    assert other.identify(form) and other.bool("pro-only", form) and sent() == expected
    assert other.update_context({}) and not other.bool("pro-only")
    assert other.update_context(form) and other.bool("pro-only", form) and sent() == expected
    with pytest.raises(hoist.Error, match='"roles"'):
        open_client("frontend", context={"userId": "u", "roles": {"admin": "yes"}})


def test_the_options_are_no_fields(service: UnleashSimulator, client: unleash.Client) -> None:
    """Application and environment are properties of the client (UNL-87, B.2; ready)."""
    assert client.set_context_field("appName", "x") is Status.ARGUMENT
    assert client.set_context_field("environment", None) is Status.ARGUMENT
    assert client.context["appName"] == "shop"


def test_another_context_than_the_current_one_is_refused(client: unleash.Client) -> None:
    """Design 13: never silently somebody else's values."""
    assert client.identify({"userId": "u", "plan": "pro"})
    assert client.bool("pro-only", {"userId": "u", "plan": "pro"}) is True
    other = client.detail("pro-only", {"userId": "other", "plan": "pro"}, False)
    assert (other.value, other.error_code) == (False, "INVALID_CONTEXT") and "identify" in other.error_message


def test_a_late_answer_to_an_older_context_is_dropped(service: UnleashSimulator, client: unleash.Client) -> None:
    """(UNL-41, D.5; ready)"""
    service.fail("frontend", "hang", then="answer")
    answers: list[Status] = []
    assert client.update_context_soon({"plan": "pro"}, None, answers.append)
    assert service.wait_for_held()
    assert client.update_context({"plan": "basic"})
    service.release()
    assert until(lambda: answers == [Status.SUPERSEDED])
    assert not client.is_enabled("pro-only")


def test_flags_are_refreshed(service: UnleashSimulator, open_client) -> None:
    """Polling with the tag of the last answer (UNL-06, UNL-12, UNL-50; ready)."""
    client = open_client("frontend", unleash.Client, refresh_interval=1)
    assert client.wait_ready(5)
    updates: list[object] = []
    client.on_event("update")(updates.append)
    assert service.wait_for("frontend", 2, 10, answered=True)
    assert service.requests("frontend")[1].status == 304 and not updates
    service.state.update(off("switch"))
    assert until(lambda: not client.is_enabled("switch"))
    assert until(lambda: updates)


def test_no_interval_means_one_fetch(service: UnleashSimulator, open_client) -> None:
    """(UNL-13; ready)"""
    client = open_client("frontend", refresh_interval=0)
    assert client.wait_ready(5)
    time.sleep(1.5)
    assert len(service.requests("frontend")) == 1
    assert client.refresh() and service.wait_for("frontend", 2)


def test_the_context_can_be_posted(service: UnleashSimulator, open_client) -> None:
    """(UNL-77; ready)"""
    client = open_client("frontend", fetch_method="POST", context={"plan": "pro"})
    assert client.wait_ready(5) and client.bool("pro-only")
    assert service.requests("frontend")[0].method == "POST"
    assert client.identify({"plan": "basic", "long": "x" * 10_000}) and not client.bool("pro-only")


def test_edge_is_served_alike() -> None:
    """(UNL-02, UNL-03; ready)"""
    with UnleashSimulator(TYPED, flavour="edge", prefix="/hosted") as edge:
        with hoist.Client("unleash", connection(edge, "frontend"), store="none") as client:
            assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
        assert edge.violations == []


# ---- Bootstrap and stored flags ----------------------------------------------------------------------------


TOGGLES = [
    Toggle("switch", False),
    Toggle("given", True, Variant("blue", True, True, True, Payload("string", "ü"))),
    Toggle("plain", True, Variant("green", True), impression_data=True),
]


def test_bootstrapped_flags_serve_at_once(service: UnleashSimulator, open_client) -> None:
    """And are replaced as a whole by the first fetch (UNL-23, UNL-34, UNL-36, UNL-37, UNL-39; starting)."""
    service.fail("frontend", "hang", then="answer")
    client = open_client("frontend", unleash.Client, toggles=TOGGLES)
    assert client.is_enabled("given") and not client.is_enabled("switch")
    assert client.get_variant("given") == TOGGLES[1].variant
    assert client.get_variant("plain").payload is None
    assert client.state is State.STALE and not client.is_ready
    assert service.wait_for_held()
    service.release()
    assert until(lambda: client.is_ready)
    assert client.is_enabled("switch") and not client.is_enabled("given")


def test_bootstrap_from_files_and_documents(tmp_path: Path) -> None:
    """(UNL-35; offline)"""
    path = tmp_path / "toggles.json"
    path.write_text('{"toggles":[{"name":"given","enabled":true}]}')
    broken = tmp_path / "broken.json"
    broken.write_text('{"toggles":[')
    for properties in ({"bootstrap_file": path}, {"toggles": unleash.Bootstrap.from_file(path)},
                       {"toggles": {"toggles": [{"name": "given", "enabled": True}]}},
                       {"bootstrap": {"toggles": [{"name": "given", "enabled": True}]}}):  # fmt: skip
        with unleash.Client(online=False, store="none", **properties) as client:
            assert client.wait_ready(5) and client.is_enabled("given")
    with pytest.raises(hoist.Error) as refused:
        unleash.Client(online=False, store="none", bootstrap_file=broken, log_level="none")
    assert refused.value.status is Status.CONFIG
    for wrong in (broken, tmp_path / "missing.json"):
        with pytest.raises(hoist.Error):
            unleash.Bootstrap.from_file(wrong)
    with pytest.raises(hoist.Error):
        unleash.Bootstrap.from_json("[]]")


def test_a_client_is_started_by_hand(service: UnleashSimulator, open_client) -> None:
    """(UNL-08, UNL-24 to UNL-26, UNL-70; before start, closing)"""
    client = open_client("frontend", unleash.Client, autostart=False, refresh_interval=1)
    time.sleep(0.2)
    assert not service.requests("frontend")
    assert client.start([Toggle("given", True)]) and client.is_enabled("given")
    assert until(lambda: client.is_enabled("switch")), "the first fetch comes after one interval"
    told: list[object] = []
    client.on_event("update")(told.append)
    assert client.stop()
    seen = len(service.requests("frontend"))
    service.state.update(off("switch"))
    time.sleep(1.5)
    assert len(service.requests("frontend")) == seen and client.is_enabled("switch") and not told
    done: list[Status] = []
    assert client.start_soon(None, done.append)
    assert until(lambda: done == [Status.OK]) and not client.is_enabled("switch")


def test_flags_survive_a_restart_without_network(service: UnleashSimulator, tmp_path: Path) -> None:
    """Stored flags serve when the service has gone; another context's are not used (UNL-81, G3, G10; offline)."""
    properties = {**connection(service, "frontend"), "store.path": tmp_path, "log.level": "none"}
    user = {"userId": "u", "plan": "pro"}
    with hoist.Client("unleash", properties, context=user) as client:
        assert client.wait_ready(5) and client.bool("pro-only")
    properties["url"] = "http://127.0.0.1:9/api/frontend"
    first = {**properties, "url": service.frontend_url, "online": False}
    with hoist.Client("unleash", first, context=user) as client:
        assert client.wait_ready(5) and client.state is State.STALE
        assert client.bool("pro-only") and client.bool("switch")
    with hoist.Client("unleash", first, context={"userId": "other"}) as client:
        assert client.wait_ready(0.5) is Status.TIMEOUT
        assert not client.bool("switch")
    assert not [path for path in tmp_path.rglob("*") if service.frontend_key in path.name], "G7"


def test_stored_flags_serve_while_the_service_refuses(service: UnleashSimulator, tmp_path: Path) -> None:
    """With the service answering 503 from the start (UNL-81, G3; failing)."""
    properties = {**connection(service, "frontend"), "store.path": tmp_path, "log.level": "none"}
    with hoist.Client("unleash", properties, context={"userId": "u"}) as client:
        assert client.wait_ready(5)
    service.fail("frontend", "status", times=None, status=503)
    with hoist.Client("unleash", properties, context={"userId": "u"}) as client:
        assert client.wait_ready(5) and client.bool("switch")
        assert client.state is State.STALE


def test_counts_survive_a_restart(service: UnleashSimulator, tmp_path: Path) -> None:
    """Design 6: what was counted and not accepted is sent by the next run, once."""
    properties = {**connection(service, "frontend"), "store.path": tmp_path, "log.level": "none",
                  "events.durability": "immediate"}  # fmt: skip
    service.fail("frontend-metrics", "status", times=None, status=503)
    with hoist.Client("unleash", properties) as client:
        assert client.wait_ready(5)
        for _ in range(5):
            client.bool("switch")
        client.flush(2)
    service.faults.clear()
    with hoist.Client("unleash", properties, metrics_interval=1) as client:
        assert client.wait_ready(5)
        assert until(lambda: service.ledger.totals().get("switch", {}).get("yes") == 5, 20)
        client.flush(5)
    assert service.ledger.totals()["switch"]["yes"] == 5


# ---- Events ------------------------------------------------------------------------------------------------


def test_events_come_by_name(service: UnleashSimulator, open_client) -> None:
    """(UNL-49 to UNL-55, UNL-71, UNL-85; ready, failing)"""
    service.fail("frontend", "status", times=1, status=500)
    client = open_client("frontend", unleash.Client, refresh_interval=1, autostart=False, log_level="none")
    told: list[str] = []
    for name in ("ready", "update", "sent", "error", "recovered"):
        client.on_event(name)(lambda _, name=name: told.append(name))
    client.start(timeout=5)
    assert until(lambda: {"recovered", "ready"} <= set(told))
    assert "error" not in told, "which is about sending metrics"
    service.fail("frontend-metrics", "status", status=500)
    client.is_enabled("switch")
    assert not client.flush(5) and until(lambda: "error" in told)
    assert until(lambda: client.flush(5) and "sent" in told)
    service.state.update(off("switch"))
    assert until(lambda: "update" in told)
    assert told.count("ready") == 1
    with pytest.raises(hoist.Error):
        client.on_event("no such event")


def test_impressions_tell_who_saw_what(service: UnleashSimulator, open_client) -> None:
    """(UNL-53, UNL-56, UNL-57; ready)"""
    service.state.update(on("seen", impressionData=True, variants=[{"name": "blue", "weight": 1000}]))
    client = open_client("frontend", unleash.Client, context={"userId": "u"})
    assert client.wait_ready(5)
    seen: list[unleash.Impression] = []
    only: list[unleash.Impression] = []
    client.on_impression(seen.append)
    client.on_impression(only.append, "other")
    client.is_enabled("switch")
    client.is_enabled("seen")
    client.get_variant("seen")
    assert until(lambda: len(seen) == 2)
    assert [(one.toggle_name, one.enabled, one.variant, one.event_type) for one in seen] == [
        ("seen", True, None, "isEnabled"), ("seen", True, "blue", "getVariant"),
    ]  # fmt: skip
    assert seen[0].context["userId"] == "u" and seen[0].event_id != seen[1].event_id
    assert not only


def test_impact_metrics(service: UnleashSimulator, client: unleash.Client) -> None:
    """(UNL-88; ready)"""
    impact = client.impact
    assert impact.define_counter("purchases", "done") and impact.define_gauge("load") 
    assert impact.define_histogram("latency", bounds=[0.1, 1])
    assert impact.increment("purchases", 2, {"plan": "pro"}) and impact.increment("purchases", 3, {"plan": "pro"})
    assert impact.set_gauge("load", 0.5) and impact.observe("latency", 0.05) and impact.observe("latency", 5)
    assert impact.increment("undefined") is Status.NOT_FOUND
    assert impact.increment("purchases", 2**70) is Status.ARGUMENT
    assert client.flush(5)
    sent = service.ledger.impact()
    assert set(sent) == {"purchases", "load", "latency"}
    (purchases,), (latency,) = sent["purchases"].values(), sent["latency"].values()
    assert purchases == 5 and latency["count"] == 2


def test_a_storage_of_the_hosts_own(service: UnleashSimulator, open_client) -> None:
    """(UNL-60; ready)"""

    class Shelf(unleash.Storage):
        def __init__(self) -> None:
            self.toggles: dict[str, Toggle] = {}
            self.reads: list[str] = []

        def set(self, toggles) -> None:
            self.toggles = {toggle.name: toggle for toggle in toggles}

        def value(self, name: str) -> Toggle | None:
            self.reads.append(name)
            if name == "raises":
                raise ValueError(name)
            return self.toggles.get(name)

        def clear(self) -> None:
            self.toggles = {}

    shelf = Shelf()
    client = open_client("frontend", unleash.Client, storage=shelf)
    assert client.wait_ready(5)
    assert until(lambda: "switch" in shelf.toggles)
    assert client.is_enabled("switch") and not client.is_enabled("dark") and not client.is_enabled("raises")
    assert client.get_variant("text").payload == Payload("string", "grün")
    assert {"switch", "dark", "raises", "text"} <= set(shelf.reads)
    shelf.toggles["mine"] = Toggle("mine", True)
    assert client.is_enabled("mine")


def test_a_poller_of_its_own(service: UnleashSimulator, open_client) -> None:
    """The client's own url, key, interval and bootstrap are not used for fetching (UNL-19, UNL-38; ready)."""
    poller = hoist.Config("unleash", connection(service, "frontend"), refresh_interval=1)
    client = open_client("frontend", unleash.Client, poller=poller, url="http://127.0.0.1:9/", key="unused",
                         toggles=[Toggle("given", True)], disable_metrics=True)  # fmt: skip
    assert client.wait_ready(5) and client.is_enabled("switch")
    assert not client.is_enabled("given")
    assert service.wait_for("frontend", 2, 10)


def test_going_offline_and_back(service: UnleashSimulator, open_client) -> None:
    client = open_client("frontend", refresh_interval=1)
    assert client.wait_ready(5) and client.online
    client.online = False
    assert not client.online and client.bool("switch")
    assert until(lambda: client.state is State.STALE)
    service.state.update(off("switch"))
    seen = len(service.requests())
    time.sleep(1.5)
    assert len(service.requests()) == seen and client.bool("switch")
    client.online = True
    assert until(lambda: not client.bool("switch"))
