"""The frontend API of the server and of Edge (protocol B.2, B.4, B.5, B.7)."""

from __future__ import annotations

import gzip

import pytest
from loopback.calls import Call

from unleash import UnleashSimulator

from .support import common_headers, frontend, frontend_metrics, frontend_post, frontend_register, pairs


def user(simulator: UnleashSimulator, name: str, **more: str) -> Call:
    call = frontend(simulator)
    call.query = pairs(appName="shop", sessionId="1", userId=name, **more)
    return call


def toggles(reply) -> dict[str, dict]:
    return {toggle["name"]: toggle for toggle in reply.json["toggles"]}


def test_flags_are_evaluated_for_the_context_that_was_sent(simulator: UnleashSimulator) -> None:
    blue = toggles(user(simulator, "user-42", p_region="eu").send(simulator))
    assert set(blue) == {"checkout", "banner", "europe"}
    assert blue["checkout"]["variant"] == {"name": "blue", "enabled": True, "feature_enabled": True, "featureEnabled": True}
    assert blue["checkout"]["impressionData"] is True
    assert blue["banner"]["variant"] == {
        "name": "disabled", "enabled": False, "feature_enabled": True, "featureEnabled": True}
    red = toggles(user(simulator, "user-2", p_region="us").send(simulator))
    assert set(red) == {"checkout", "banner"}
    assert red["checkout"]["variant"]["payload"] == {"type": "string", "value": "ü"}
    assert set(toggles(user(simulator, "user-3").send(simulator))) == {"banner"}


def test_post_answers_like_get_but_never_304(simulator: UnleashSimulator) -> None:
    got, posted = frontend(simulator).send(simulator), frontend_post(simulator).send(simulator)
    assert got.body == posted.body
    again = frontend_post(simulator).with_header("If-None-Match", posted.headers["ETag"]).send(simulator)
    assert (again.status, again.body) == (200, posted.body)


def test_the_server_has_weak_tags_over_the_body(simulator: UnleashSimulator) -> None:
    first = frontend(simulator).send(simulator)
    tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    unchanged = frontend(simulator).with_header("If-None-Match", tag).send(simulator)
    assert (unchanged.status, unchanged.body, unchanged.headers["ETag"]) == (304, b"", tag)
    simulator.state.update({"name": "banner", "enabled": False})
    changed = frontend(simulator).with_header("If-None-Match", tag).send(simulator)
    assert changed.status == 200 and changed.headers["ETag"] != tag
    assert simulator.violations == []


def test_a_change_that_does_not_show_keeps_the_tag(simulator: UnleashSimulator) -> None:
    tag = frontend(simulator).send(simulator).headers["ETag"]
    simulator.state.update({"name": "hidden", "enabled": False})
    assert frontend(simulator).with_header("If-None-Match", tag).send(simulator).status == 304


def test_the_server_answers_200_to_no_cache(lenient: UnleashSimulator) -> None:
    tag = frontend(lenient).send(lenient).headers["ETag"]
    call = frontend(lenient).with_header("If-None-Match", tag).with_header("Cache-Control", "no-cache")
    assert call.send(lenient).status == 200
    assert [violation.where for violation in lenient.violations] == ["header cache-control"]


def test_empty_values_count_as_missing(simulator: UnleashSimulator) -> None:
    simulator.state.update({"name": "anonymous", "enabled": True, "strategies": [{"name": "default", "constraints": [
        {"contextName": "userId", "operator": "NOT_IN", "values": [""]}]}]})
    assert "anonymous" in toggles(user(simulator, "").send(simulator))


def test_a_missing_address_is_the_peer_s(simulator: UnleashSimulator) -> None:
    simulator.state.update({"name": "local", "enabled": True, "strategies": [
        {"name": "remoteAddress", "parameters": {"IPs": "127.0.0.0/8"}}]})
    assert "local" in toggles(user(simulator, "a").send(simulator))
    assert "local" not in toggles(user(simulator, "a", remoteAddress="10.0.0.1").send(simulator))


@pytest.mark.parametrize(("path", "status"), [
    ("/api/frontend", 200), ("/api/frontend/", 200), ("/api/frontend/all", 404), ("/api/frontend/features/banner", 404),
    ("/api/frontend/client/features", 501), ("/api/frontend/health", 501)])
def test_paths_of_the_server(simulator: UnleashSimulator, path: str, status: int) -> None:
    call = frontend(simulator)
    call.path = path
    assert call.send(simulator).status == status
    assert simulator.violations == []


def test_keys_decide_the_status(simulator: UnleashSimulator, edge: UnleashSimulator) -> None:
    for service in (simulator, edge):
        unknown = frontend(service).with_header("Authorization", "*:development.unknown").send(service)
        other_kind = frontend(service).with_header("Authorization", service.backend_key).send(service)
        assert (unknown.status, other_kind.status) == (401, 403)
        assert service.violations == []


def test_a_missing_key_is_401_at_the_server_and_403_at_edge(lenient: UnleashSimulator) -> None:
    without = frontend(lenient).with_header("Authorization", None)
    assert without.send(lenient).status == 401
    lenient.options.change(flavour="edge")
    assert without.send(lenient).status == 403


def test_the_frontend_api_can_be_off(simulator: UnleashSimulator) -> None:
    simulator.options.change(frontend_enabled=False)
    assert frontend(simulator).send(simulator).status == 404


def test_another_key_header_and_a_prefix(simulator: UnleashSimulator) -> None:
    simulator.options.change(key_header="X-Flag-Key", prefix="/eu/acme")
    assert simulator.frontend_url.endswith("/eu/acme/api/frontend")
    headers = {**common_headers(simulator.frontend_key), "X-Flag-Key": simulator.frontend_key}
    del headers["Authorization"]
    call = frontend(simulator)
    assert call.send(simulator).places == ["path"]
    call.path, call.headers = "/eu/acme/api/frontend", headers
    assert call.send(simulator).status == 200


@pytest.mark.parametrize("path", ["/api/frontend", "/api/proxy"])
def test_edge_form(edge: UnleashSimulator, path: str) -> None:
    call = user(edge, "user-42")
    call.path = path
    found = call.send(edge).json["toggles"]
    assert [toggle["name"] for toggle in found] == ["banner", "checkout"]
    assert found[1] == {"name": "checkout", "enabled": True, "impressionData": True, "impression_data": True,
                        "variant": {"name": "blue", "enabled": True, "payload": None}}


def test_edge_lists_all_flags_and_single_ones(edge: UnleashSimulator) -> None:
    call = user(edge, "user-2")
    call.path = "/api/frontend/all"
    assert {name: toggle["enabled"] for name, toggle in toggles(call.send(edge)).items()} == {
        "banner": True, "checkout": True, "dark": False, "europe": False}
    call.path = "/api/frontend/features/checkout"
    assert call.send(edge).json["variant"] == {"name": "red", "enabled": True, "payload": {"type": "string", "value": "ü"}}
    call.path = "/api/frontend/features/unknown"
    assert call.send(edge).status == 404


def test_edge_has_strong_tags_and_compares_them_for_post_too(edge: UnleashSimulator) -> None:
    for make in (frontend, frontend_post):
        tag = make(edge).send(edge).headers["ETag"]
        assert tag.startswith('"')
        assert make(edge).with_header("If-None-Match", tag).send(edge).status == 304
    assert edge.violations == []


def test_edge_answers_fully_to_a_tag_it_cannot_read() -> None:
    with UnleashSimulator(flavour="edge", enforce=False) as edge:
        assert frontend(edge).with_header("If-None-Match", "not a tag").send(edge).status == 200


def test_edge_that_is_not_ready(edge: UnleashSimulator) -> None:
    edge.options.change(ready=False)
    assert frontend(edge).send(edge).status == 503


def test_metrics_and_register_answers(simulator: UnleashSimulator, edge: UnleashSimulator) -> None:
    assert frontend_metrics(simulator).send(simulator).status == 200
    assert frontend_register(simulator).send(simulator).status == 200
    assert frontend_metrics(edge).send(edge).status == 202
    assert frontend_register(edge).send(edge).status == 202
    call = frontend_metrics(edge)
    call.path = "/api/proxy/client/metrics"
    assert call.send(edge).status == 202
    assert call.send(simulator).places == ["path"]


def test_metrics_of_nothing_but_usage_are_enough(simulator: UnleashSimulator) -> None:
    call = frontend_metrics(simulator)
    for optional in ("platformName", "platformVersion", "specVersion"):
        del call.document[optional]
    assert call.send(simulator).status == 200


def test_answers_can_come_compressed(simulator: UnleashSimulator) -> None:
    plain = frontend(simulator).send(simulator)
    simulator.options.change(compress=True)
    assert frontend(simulator).send(simulator).body == plain.body
    packed = frontend(simulator).with_header("Accept-Encoding", "gzip, br").send(simulator)
    assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.body) == plain.body
    assert packed.headers["ETag"] == plain.headers["ETag"]


def test_what_the_evaluator_cannot_do_is_said_aloud(simulator: UnleashSimulator) -> None:
    simulator.state.update({"name": "greek", "enabled": True, "strategies": [{"name": "default", "constraints": [
        {"contextName": "userId", "operator": "REGEX", "value": r"\p{Greek}"}]}]})
    assert frontend(simulator).send(simulator).status == 500
    assert [violation.where for violation in simulator.violations] == ["simulator"]
