"""LaunchDarkly's variations and events through its face."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from launchdarkly import LaunchDarklySimulator, sample_flags
from launchdarkly_clients import Opener, opener, strict_service

from hoist import Status
from hoist.launchdarkly import Client, EvaluationDetail

NOT_FOUND = {"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}
WRONG_TYPE = {"kind": "ERROR", "errorKind": "WRONG_TYPE"}


@pytest.fixture
def service() -> Iterator[LaunchDarklySimulator]:
    with strict_service(with_reasons=True) as service:
        yield service


@pytest.fixture
def open_client(service: LaunchDarklySimulator) -> Iterator[Opener]:
    with opener(service, evaluation_reasons=True) as open_one:
        yield open_one


@pytest.fixture
def client(open_client: Opener) -> Client:
    client = open_client()
    assert client.wait_ready(10)
    return client


@pytest.mark.parametrize(("kind", "key", "default", "value"), [
    ("bool", "dark-mode", False, True), ("int", "page-size", 1, 25), ("int", "discount", 1, 12),
    ("double", "discount", 0.5, 12.5), ("double", "page-size", 0.5, 25.0), ("string", "banner", "x", "Hello"),
    ("json", "theme", None, {"color": "blue", "sizes": [1, 2, 3]}), ("json", "banner", [], "Hello"),
    ("bool", "absent", True, True), ("int", "absent", 3, 3), ("double", "absent", 0.5, 0.5),
    ("string", "absent", "ø\0", "ø\0"), ("json", "absent", {"a": [None]}, {"a": [None]}),
    ("bool", "banner", True, True), ("int", "dark-mode", 3, 3), ("string", "page-size", "x", "x"),
    ("bool", "nothing", True, True), ("json", "nothing", {"a": 1}, {"a": 1}),
])  # fmt: skip
def test_values(client: Client, kind: str, key: str, default: Any, value: Any) -> None:
    """(LD-50, LD-52, LD-54, LD-56, LD-58, LD-62; ready)"""
    assert getattr(client, f"{kind}_variation")(key, default) == value
    if default != "ø\0":  # C has no text with a NUL in it
        assert getattr(client, f"{kind}_variation_detail")(key, default).value == value


def test_details(client: Client) -> None:
    """(LD-51, LD-53, LD-55, LD-57, LD-59, LD-63; ready)"""
    rule = {"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r1"}
    assert client.int_variation_detail("page-size", 1) == EvaluationDetail(25, 1, rule)
    assert client.double_variation_detail("discount", 1.0).variation_index == 2
    assert client.json_variation_detail("theme", None) == EvaluationDetail({"color": "blue", "sizes": [1, 2, 3]}, 0, None)
    assert client.bool_variation_detail("nothing", True) == EvaluationDetail(True, None, {"kind": "OFF"})
    absent = client.string_variation_detail("absent", "x")
    assert absent == EvaluationDetail("x", None, NOT_FOUND) and absent.error_kind == "FLAG_NOT_FOUND"
    wrong = client.bool_variation_detail("banner", False)
    assert wrong == EvaluationDetail(False, None, WRONG_TYPE) and wrong.error_kind == "WRONG_TYPE"
    assert client.bool_variation_detail("dark-mode", False).error_kind is None


@pytest.mark.parametrize("kind", ["OFF", "PREREQUISITE_FAILED"])
def test_a_flag_that_is_off_is_shown_as_off(service: LaunchDarklySimulator, open_client: Opener, kind: str) -> None:
    """Contract 4: whatever its value. State: ready."""
    service.set_flag("banner", reason={"kind": kind})
    client = open_client()
    assert client.wait_ready(10)
    found = client.detail("banner", None, "x")
    assert (found.value, found.reason, found.enabled) == ("Hello", "DISABLED", False)
    assert client.detail("page-size", None, 1).enabled is True and client.all_flags()["banner"].enabled is False


def test_a_fraction_is_cut_by_the_vendor_s_call_alone(client: Client) -> None:
    """For the core's call it is another type (LD-52, LD-53, contract 4; ready)."""
    assert client.int_variation("discount", 1) == 12 and client.int_variation_detail("discount", 1).value == 12
    assert client.int("discount", None, 1) == 1
    assert client.detail("discount", None, 1).error_code == "TYPE_MISMATCH"
    assert client.int_variation("page-size", 1) == client.int("page-size", None, 1) == 25
    assert client.int_variation("absent", 2**70) == 2**70


def test_a_long_text(service: LaunchDarklySimulator, open_client: Opener) -> None:
    service.set_flag("long", value="ø" * 2000, variation=0)
    client = open_client()
    client.wait_ready(10)
    assert client.string_variation("long", "") == client.string_variation_detail("long", "").value == "ø" * 2000


def test_values_of_a_type_of_the_programs(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-60, LD-61; ready)"""
    service.set_flag("day", value="2024-05-06", variation=1)
    client = open_client()
    client.wait_ready(10)
    fallback = date(2000, 1, 1)
    assert client.variation("day", fallback, date.fromisoformat) == date(2024, 5, 6)
    assert client.variation_detail("day", fallback, date.fromisoformat).variation_index == 1
    assert client.variation("banner", fallback, date.fromisoformat) == fallback
    assert client.variation_detail("banner", fallback, date.fromisoformat).reason == WRONG_TYPE
    assert client.variation_detail("page-size", fallback, date.fromisoformat).error_kind == "WRONG_TYPE"
    assert client.variation_detail("absent", fallback, date.fromisoformat).error_kind == "FLAG_NOT_FOUND"
    assert client.variation("theme", (), lambda theme: tuple(theme["sizes"])) == (1, 2, 3)


def test_all_values(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-25; before start, ready, closed)"""
    client = open_client(autostart=False)
    assert client.all_flag_values() is None
    assert client.start(10)
    assert client.all_flag_values() == {key: flag["value"] for key, flag in sample_flags().items()}
    client.close(2)
    assert client.all_flag_values() is None


def test_defaults_and_results_go_into_events(service: LaunchDarklySimulator, client: Client) -> None:
    """(LD-41, LD-43; ready)"""
    for _ in range(3):
        client.json_variation("absent", {"a": 1})
    client.int_variation("page-size", 7)
    assert client.flush_soon()
    assert service.wait_for_evaluations("absent", 3)
    features = service.ledger.events("summary")[0]["features"]
    assert features["absent"]["default"] == {"a": 1}
    assert (features["page-size"]["default"], features["page-size"]["counters"][0]["value"]) == (7, 25)


def test_tracked_events(service: LaunchDarklySimulator, client: Client) -> None:
    """(LD-40, LD-44; ready, closed)"""
    assert client.track_event("plain")
    assert client.track_event("rich", {"sizes": [1, None]}, 0)
    assert client.track_event("bad", {"x": float("nan")}) is Status.ARGUMENT
    assert client.track_event("bad", metric=float("inf")) is Status.ARGUMENT
    assert client.flush(5)
    plain, rich = service.ledger.events("custom")
    assert (plain["key"], plain["context"]["key"], "data" in plain, "metricValue" in plain) == ("plain", "ann", False, False)
    assert (rich["data"], rich["metricValue"]) == ({"sizes": [1, None]}, 0)
    client.close(2)
    assert client.track_event("late") is Status.STATE


def test_a_closed_client_has_its_defaults_only(client: Client) -> None:
    """(LD-17; closed)"""
    assert client.close(5)
    assert client.bool_variation("dark-mode", False) is False
    assert client.bool_variation_detail("dark-mode", False).error_kind == "CLIENT_NOT_READY"
