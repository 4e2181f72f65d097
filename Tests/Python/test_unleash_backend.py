"""Backend mode against a strict service: definitions are fetched and evaluated here."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import connection
from documents import document, off, on
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import State, Status, unleash


@pytest.fixture
def client(open_client) -> unleash.Client:
    """A backend client that has its first definitions."""
    opened = open_client("backend", unleash.Client)
    assert opened.wait_ready(5)
    return opened


def test_the_context_of_the_call_decides(service: UnleashSimulator, client: unleash.Client) -> None:
    """Nothing is fetched for a context (UNL-90, UNL-100; ready)."""
    assert client.is_enabled("pro-only", {"plan": "pro"}) and not client.is_enabled("pro-only", {"plan": "basic"})
    assert client.get_variant("text", {"userId": "u"}).name == "text-variant"
    assert client.is_enabled("unknown", None, True)
    assert client.is_enabled("unknown", {"userId": "u"}, lambda name, context: context.to_dict()["userId"] == "u")
    assert not client.is_enabled("unknown", None, lambda name, context: 1 / 0)
    assert len(service.requests("features")) == 1


def test_registration_features_and_metrics(service: UnleashSimulator, open_client) -> None:
    """The headers and bodies of backend requests (UNL-91, UNL-61; ready)."""
    client = open_client("backend", unleash.Client, instance_id="box-1", refresh_interval=15, metrics_interval=60)
    service.options.change(refresh_interval_ms=15_000, metrics_interval_ms=60_000)
    assert client.wait_ready(5)
    for _ in range(4):
        client.is_enabled("switch")
    client.get_variant("unknown")
    assert client.flush(5)
    assert service.wait_for("register")
    sent = dict(service.requests("features")[0].headers)
    assert sent["unleash-instanceid"] == "box-1" and sent["Unleash-Client-Spec"] == "6.1.0"
    assert service.ledger.totals() == {
        "switch": {"yes": 4, "no": 0, "variants": {}}, "unknown": {"yes": 0, "no": 1, "variants": {"disabled": 1}},
    }  # fmt: skip


def test_segments_dependencies_and_rollouts(service: UnleashSimulator, open_client) -> None:
    """The worked vectors of the protocol, through the C ABI (UNL-94 to UNL-99; ready)."""
    variants = [{"name": name, "weight": weight, "stickiness": "userId"} for name, weight in
                (("red", 333), ("green", 333), ("blue", 334))]  # fmt: skip
    rollout = {"name": "flexibleRollout", "parameters": {"rollout": "50", "stickiness": "userId"}}
    service.state.replace({
        "version": 2,
        "features": [
            on("checkout", strategies=[rollout], variants=variants),
            on("europe", strategies=[{"name": "default", "segments": [3]}]),
            on("child", dependencies=[{"feature": "europe", "enabled": True}]),
            on("mine", strategies=[{"name": "weekday", "parameters": {"day": "monday"}}]),
        ],
        "segments": [{"id": 3, "constraints": [{"contextName": "region", "operator": "IN", "values": ["eu"]}]}],
    })  # fmt: skip
    asked: list[tuple[dict[str, str], str | None]] = []

    def weekday(parameters, context) -> bool:
        asked.append((dict(parameters), context.to_dict()["today"] if context else None))
        return context is not None and context.to_dict()["today"] == parameters["day"]

    client = open_client("backend", unleash.Client, strategies={"weekday": weekday})
    assert client.wait_ready(5)
    chosen = {user: client.get_variant("checkout", {"userId": user}).name
              for user in ("user-1", "user-2", "user-3", "user-42", "user-7")}  # fmt: skip
    assert chosen == {
        "user-1": "green", "user-2": "red", "user-3": "disabled", "user-42": "blue", "user-7": "disabled",
    }  # fmt: skip
    assert client.is_enabled("europe", {"region": "eu"}) and not client.is_enabled("europe", {"region": "us"})
    assert client.is_enabled("child", {"region": "eu"}) and not client.is_enabled("child", {"region": "us"})
    assert client.is_enabled("mine", {"today": "monday"}) and not client.is_enabled("mine", {"today": "friday"})
    assert asked[0] == ({"day": "monday"}, "monday")


def test_registration_names_every_strategy(service: UnleashSimulator, open_client) -> None:
    """The built-in ones and the host's own (UNL-91, UNL-99; ready)."""
    client = open_client("backend", unleash.Client, strategies={"weekday": lambda *_: True, "a/b": lambda *_: True})
    assert client.wait_ready(5) and service.wait_for("register", answered=True)
    names = json.loads(service.requests("register")[0].body)["strategies"]
    assert names[-2:] == ["a/b", "weekday"] and {"default", "flexibleRollout", "applicationHostname"} <= set(names)


def test_impressions_of_local_evaluations(service: UnleashSimulator, open_client) -> None:
    """A variant's impression tells of the variant; parents announce nothing (UNL-53, UNL-56, UNL-57, D.6; ready)."""
    service.state.update(
        on("loud", impressionData=True), on("parent", impressionData=True), on("child", dependencies=[{"feature": "parent"}]),
        on("blue", impressionData=True, variants=[{"name": "v", "weight": 1}]), {**off("quiet"), "impressionData": False})
    client = open_client("backend", unleash.Client)
    assert client.wait_ready(5)
    seen: list[unleash.Impression] = []
    client.on_impression(seen.append)
    context = {"userId": "u"}
    client.is_enabled("loud", context)
    client.get_variant("loud", context)
    client.get_variant("blue", context)
    for name in ("child", "quiet", "unknown"):
        client.is_enabled(name, context)
        client.get_variant(name, context)
    client.check_enabled("loud", context)
    client.check_variant("blue", context)
    client.is_enabled("blue", context)
    assert until(lambda: len(seen) >= 4)
    assert [(one.toggle_name, one.enabled, one.variant, one.event_type) for one in seen] == [
        ("loud", True, None, "isEnabled"), ("loud", False, "disabled", "getVariant"), ("blue", True, "v", "getVariant"),
        ("blue", True, None, "isEnabled"),
    ]  # fmt: skip
    assert all(one.context["userId"] == "u" and one.context["appName"] == "shop" for one in seen)


def test_checks_and_lists_count_nothing(service: UnleashSimulator, client: unleash.Client) -> None:
    """With type and project, and the switch of flags that nobody was asked about (UNL-104, UNL-105; ready)."""
    context = {"plan": "pro"}
    assert client.check_enabled("pro-only", context) and not client.check_enabled("pro-only")
    assert client.check_variant("text", context).name == "text-variant" and client.check_variant("unknown").name == "disabled"
    listed = {one.name: one for one in client.list_toggles()}
    assert (listed["pro-only"].enabled, listed["pro-only"].type, listed["pro-only"].project) == (True, "release", "web")
    assert not listed["dark"].enabled and "unknown" not in listed
    assert client.flush(5) and service.ledger.totals() == {}


def test_impact_metrics_go_with_backend_metrics(service: UnleashSimulator, client: unleash.Client) -> None:
    """Alone too, kept when the service is in trouble, with the labels of application and key (UNL-88; ready, failing)."""
    impact = client.impact
    assert impact.define_counter("purchases", "done") and impact.define_gauge("load") and impact.define_histogram("latency")
    assert impact.increment("purchases", 2, {"plan": "pro"})
    service.fail("metrics", "status", times=1, status=503)
    assert client.flush(5) is Status.NETWORK
    assert impact.increment("purchases", 3, {"plan": "pro"}) and impact.set_gauge("load", 0.5) and impact.observe("latency", 0.02)
    client.is_enabled("switch")
    assert until(lambda: client.flush(5), 30)
    posts = [post.body for post in service.ledger.posts]
    assert posts[0]["bucket"] is None and "switch" in posts[-1]["bucket"]["toggles"]
    assert json.loads(next(iter(service.ledger.impact()["purchases"]))) == {
        "appName": "shop", "environment": "development", "plan": "pro"}  # fmt: skip
    assert list(service.ledger.impact()["purchases"].values()) == [5]
    assert service.ledger.totals()["switch"]["yes"] == 1


def test_the_host_name_comes_from_the_environment_first(tmp_path: Path) -> None:
    """The variable `hostname`, else the machine's name; its case does not matter (UNL-94, C.3; offline)."""
    path = tmp_path / "features.json"
    path.write_text(json.dumps(document(
        on("box", strategies=[{"name": "applicationHostname", "parameters": {"hostNames": "other, BOX.example"}}]),
        on("machine", strategies=[{"name": "applicationHostname", "parameters": {"hostNames": socket.gethostname().upper()}}]),
    )))  # fmt: skip
    program = (
        "import sys; from hoist import unleash\n"
        "with unleash.Client(mode='backend', online=False, store='none', bootstrap_file=sys.argv[1]) as client:\n"
        "    print(client.wait_ready(5) and [client.is_enabled(name) for name in ('box', 'machine')])"
    )
    for name, expected in (("box.EXAMPLE", "[True, False]"), (None, "[False, True]")):
        environment = {key: value for key, value in os.environ.items() if key != "hostname"}
        ran = subprocess.run(
            [sys.executable, "-c", program, str(path)], env={**environment, **({"hostname": name} if name else {})},
            capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        assert ran.stdout.strip() == expected, ran.stderr


def test_a_strategy_that_fails_is_not_satisfied(service: UnleashSimulator, open_client) -> None:
    """(UNL-99, G11; ready)"""
    service.state.update(on("mine", strategies=[{"name": "bad", "parameters": {}}]), on("again", strategies=[{"name": "nested"}]))
    clients: list[unleash.Client] = []

    def nested(parameters, context) -> bool:
        return clients[0].is_enabled("switch")

    clients.append(open_client("backend", unleash.Client, strategies={"bad": lambda *_: 1 / 0, "nested": nested}))
    assert clients[0].wait_ready(5)
    assert not clients[0].is_enabled("mine")
    assert clients[0].is_enabled("again"), "a strategy may evaluate"
    with pytest.raises(TypeError):
        unleash.Client(online=False, strategies={"bad": 5})


@pytest.mark.parametrize("fetch_mode", ["delta", "streaming"])
def test_changes_arrive_by_delta_and_stream(service: UnleashSimulator, open_client, fetch_mode: str) -> None:
    """(UNL-92, UNL-93; ready)"""
    client = open_client("backend", unleash.Client, fetch_mode=fetch_mode, refresh_interval=1)
    assert client.wait_ready(5) and client.is_enabled("switch")
    service.state.update(off("switch"), on("new"))
    assert until(lambda: not client.is_enabled("switch") and client.is_enabled("new"))
    service.state.update(remove=("new",))
    assert until(lambda: not client.is_enabled("new"))


def test_a_stream_that_breaks_comes_back(service: UnleashSimulator, open_client) -> None:
    """And the flags stay meanwhile (UNL-93; failing)."""
    client = open_client("backend", unleash.Client, fetch_mode="streaming", refresh_interval=1, log_level="none")
    assert client.wait_ready(5)
    service.streams.drop("reset")
    assert client.is_enabled("switch")
    service.state.update(off("switch"))
    assert until(lambda: not client.is_enabled("switch"), 20)


def test_definitions_survive_a_restart_without_network(service: UnleashSimulator, tmp_path: Path) -> None:
    """(UNL-101, G3, G10; offline, failing)"""
    properties = {**connection(service, "backend"), "store.path": tmp_path, "log.level": "none"}
    with unleash.Client(properties) as client:
        assert client.wait_ready(5)
    with unleash.Client(properties, online=False) as client:
        assert client.wait_ready(5) and client.state is State.STALE
        assert client.is_enabled("pro-only", {"plan": "pro"}) and client.int("whole") == 42
    service.stop()
    with unleash.Client(properties) as client:
        assert client.wait_ready(5) and client.is_enabled("switch")


@pytest.mark.parametrize("spoil", ["truncate", "garbage", "empty", "folder"])
def test_a_spoilt_store_is_set_aside(service: UnleashSimulator, tmp_path: Path, spoil: str) -> None:
    """G2, G10"""
    properties = {**connection(service, "backend"), "store.path": tmp_path, "log.level": "none"}
    with unleash.Client(properties) as client:
        assert client.wait_ready(5)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        if spoil == "truncate":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
        elif spoil == "folder":
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(b"" if spoil == "empty" else b"garbage" * 1000)
    with unleash.Client(properties) as client:
        assert client.wait_ready(10) and client.is_enabled("switch") and client.flush(5)


def test_several_clients_share_a_process(service: UnleashSimulator, open_client) -> None:
    """D.7: events and flags belong to their client."""
    with UnleashSimulator(document(off("switch"), on("other"))) as second:
        one = open_client("backend", unleash.Client)
        two = unleash.Client(connection(second, "backend"), store="none")
        heard: list[object] = []
        two.on_event("update")(heard.append)
        assert one.wait_ready(5) and two.wait_ready(5)
        assert one.is_enabled("switch") and not two.is_enabled("switch")
        assert not one.is_enabled("other") and two.is_enabled("other")
        service.state.update(on("more"))
        one.refresh()
        assert until(lambda: one.is_enabled("more")) and not heard
        two.close()
        assert second.violations == []


def test_identify_sets_the_context_of_calls_without_one(client: unleash.Client) -> None:
    """Design 13: in backend mode every call may bring its own."""
    assert not client.is_enabled("pro-only")
    assert client.identify({"plan": "pro"}) is Status.OK
    assert client.is_enabled("pro-only") and not client.is_enabled("pro-only", {"plan": "basic"})


def test_toggles_are_not_definitions(service: UnleashSimulator) -> None:
    """What a host hands over in the other mode's form is refused as that, in words it knows (UNL-35, contract 1; before start)."""
    with pytest.raises(hoist.Error) as refused:
        unleash.Client(mode="backend", online=False, store="none", toggles=[unleash.Toggle("a", True)])
    assert refused.value.status is Status.CONFIG
    assert "it has toggles" in str(refused.value) and "property" not in str(refused.value)


def test_unleashs_own_json_contexts(client: unleash.Client) -> None:
    """C.1: numbers become text, properties are opened, wrappers too."""
    context = unleash.context_from_json('{"context":{"userId":7,"properties":{"plan":"pro"}}}')
    assert client.is_enabled("pro-only", context)
    assert {name: str(value) for name, value in context.to_dict().items()} == {"userId": "7", "plan": "pro"}
    with pytest.raises(hoist.Error):
        unleash.context_from_json("[")


def test_evaluation_waits_for_nobody(service: UnleashSimulator, open_client) -> None:
    """G1: the service hangs, an observer hangs, and flags are read all the same."""
    client = open_client("backend", refresh_interval=1)
    assert client.wait_ready(5)
    leave = threading.Event()
    client.observe(hoist.Topic.READY, lambda _: leave.wait(60))
    service.fail("any", "hang", times=None)
    client.refresh()
    assert service.wait_for_held()
    done: list[bool] = []
    thread = threading.Thread(target=lambda: done.extend(client.bool("switch") for _ in range(10_000)))
    thread.start()
    thread.join(10)
    assert len(done) == 10_000 and all(done)
    leave.set()
