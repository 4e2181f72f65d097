"""Flagship: a bucketing file evaluated here, and the strict simulator in both modes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest

from flagship import FlagshipSimulator, sample_bucketing
from tool import Result, Tool

USAGE, NETWORK, CONFIGURATION = 2, 3, 4
SAMPLE = Path(__file__).resolve().parents[1] / "Simulators" / "flagship" / "sample.json"
NORMA = ("--user", "norma", "--attribute", "sdk_country=no", "--attribute", "age:=17")


@pytest.fixture
def service() -> Iterator[FlagshipSimulator]:
    """Strict services: whatever test uses them also proves that no request broke the protocol."""
    with FlagshipSimulator() as simulator:
        yield simulator
        assert simulator.violations == []


def run(hoist: Tool, service: FlagshipSimulator, mode: str, *arguments: object) -> Result:
    settings = {"env_id": service.environment_id, "mode": mode, "cdn.url": service.cdn_url, "events.url": service.events_url}
    pairs = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    return hoist(*arguments, "--provider", "flagship", "--url", service.decision_url, *pairs, key=service.api_key)


def offline(hoist: Tool, command: str, *arguments: object, file: Path = SAMPLE) -> Result:
    return hoist(command, *arguments, "--provider", "flagship", "--features", file)


def targetings(value: Any) -> Iterator[dict[str, Any]]:
    """Every targeting in the steps, wherever it stands."""
    if isinstance(value, dict):
        if "operator" in value:
            yield value
        for member in value.values():
            yield from targetings(member)
    if isinstance(value, list):
        for element in value:
            yield from targetings(element)


# ---- A file --------------------------------------------------------------------------------------


def test_a_bucketing_file_is_evaluated_without_network(hoist: Tool) -> None:
    """(FS-07, FS-212; offline)"""
    result = offline(hoist, "evaluate", "maximum_items", "--user", "staff-1", "--json")
    assert (result.status, result.json["value"]) == (0, 42), result
    assert offline(hoist, "evaluate", "maximum_items", *NORMA, "--value").out == "10\n"
    assert offline(hoist, "evaluate", "welcome", "--user", "u", "--attribute", "orders:=3", "--value").out == "welcome back\n"


def test_flags_lists_those_of_the_file(hoist: Tool) -> None:
    result = offline(hoist, "flags", "--user", "staff-1", "--json")
    values = {flag["key"]: flag["value"] for flag in result.json["flags"]}
    assert values["discount"] == 12.5 and values["texts"] == {"title": "Hei", "lines": ["a", "b"]}


def test_explain_shows_the_outcome_of_each_targeting(hoist: Tool) -> None:
    """4.3"""
    explanation = offline(hoist, "explain", "maximum_items", *NORMA, "--json").json["explanation"]
    found = {step["key"]: (step["actual"], step["holds"]) for step in targetings(explanation)}
    assert found["sdk_country"] == ("no", True) and found["age"] == (17, False)
    shown = offline(hoist, "explain", "maximum_items", *NORMA).out
    assert shown.splitlines()[3:] == [
        'campaign "Limits"', '  group "Europe"', "    alternative 1: does not hold",
        '      "sdk_country" is "no" and must be "fr", "de", "no": holds', '      "age" is 17 and must be at least 18: does not hold',
        "    alternative 2: does not hold", '      "visitor id" is "norma" and must begin with "staff-": does not hold',
        "    the visitor is not targeted", '  group "Rest"', "    all of this: holds", "      everybody: holds",
        '    the visitor\'s bucket 70 of 100 gives variation "hvar0limitsoff000001"']
    lacking = offline(hoist, "explain", "maximum_items", "--user", "norma").out
    assert 'the context has no "age", which must be at least 18: does not hold' in lacking


def test_what_hoist_sets_is_in_the_context(hoist: Tool, tmp_path: Path) -> None:
    """As a visitor of the library's has it (FS-118, FS-200; ready)."""
    document = sample_bucketing()
    for group in document["campaigns"][1]["variationGroups"]:
        group["targeting"] = {"targetingGroups": [{"targetings": [
            {"operator": "EQUALS", "key": key, "value": value, "provider": None}
            for key, value in (("sdk_osName", "Linux"), ("fs_client", "hoist"))]}]}
    file = tmp_path / "bucketing.json"
    file.write_text(json.dumps(document))
    assert offline(hoist, "evaluate", "maximum_items", "--user", "u", "--value", file=file).out == "42\n"
    explanation = offline(hoist, "explain", "maximum_items", "--user", "u", "--json", file=file).json["explanation"]
    assert {step["key"]: step["actual"] for step in targetings(explanation)} == {"sdk_osName": "Linux", "fs_client": "hoist"}


def test_a_file_that_is_none_is_named(hoist: Tool, tmp_path: Path) -> None:
    broken = tmp_path / "bucketing.json"
    broken.write_text("[7]")
    for file, word in ((broken, "bucketing"), (tmp_path / "missing.json", "missing.json")):
        result = offline(hoist, "evaluate", "maximum_items", "--user", "u", file=file)
        assert result.status == CONFIGURATION and word in result.err, result


def test_a_file_in_panic_has_no_flags(hoist: Tool, tmp_path: Path) -> None:
    """(FS-42; offline, panic)"""
    file = tmp_path / "bucketing.json"
    file.write_text('{"panic":true}')
    result = offline(hoist, "evaluate", "maximum_items", "--user", "staff-1", "--exit-code", file=file)
    assert result.status == CONFIGURATION and "panic" in result.err and "42" not in result.out, result


# ---- The service ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["decision_api", "bucketing"])
def test_evaluate_asks_the_service(hoist: Tool, service: FlagshipSimulator, mode: str) -> None:
    """(FS-06, FS-07; ready)"""
    result = run(hoist, service, mode, "evaluate", "maximum_items", "--user", "staff-1", "--json")
    assert (result.status, result.json["value"]) == (0, 42), result
    rows = run(hoist, service, mode, "flags", "--user", "staff-1", "--attribute", "orders:=3").table
    assert dict((row[0], row[4]) for row in rows)["welcome"] == "welcome back"


@pytest.mark.parametrize("mode", ["decision_api", "bucketing"])
def test_looking_sends_neither_hits_nor_activations(hoist: Tool, service: FlagshipSimulator, mode: str) -> None:
    for command in (["evaluate", "welcome"], ["explain", "welcome"], ["flags"]):
        assert run(hoist, service, mode, *command, "--user", "staff-1").status == 0
    assert service.ledger.hits() == [] and service.ledger.activations() == []


def test_the_service_is_asked_for_the_context(hoist: Tool, service: FlagshipSimulator) -> None:
    service.environment.decide([], visitor="nobody")
    result = run(hoist, service, "decision_api", "evaluate", "maximum_items", "--user", "nobody", "--json")
    assert result.json["errorCode"] == "FLAG_NOT_FOUND"
    assert run(hoist, service, "decision_api", "evaluate", "maximum_items", *NORMA, "--value").out == "42\n"
    assert {"sdk_country": "no", "age": 17}.items() <= service.ledger.decisions("norma")[0]["context"].items()


@pytest.mark.parametrize("mode", ["decision_api", "bucketing"])
def test_track_sends_an_event(hoist: Tool, service: FlagshipSimulator, mode: str) -> None:
    """(FS-98, FS-99; ready)"""
    result = run(hoist, service, mode, "track", "basket", "--user", "u", "--value", "2", "--property", "label=ski", "--json")
    assert (result.status, result.json) == (0, {"event": "basket", "accepted": True}), result
    (event,) = [hit for hit in service.ledger.hits("EVENT", "u") if hit["ea"] == "basket"]
    assert (event["ec"], event["el"], event["ev"]) == ("Action Tracking", "ski", 2)


@pytest.mark.parametrize("mode", ["decision_api", "bucketing"])
def test_a_service_that_fails_is_a_failure_of_the_network(hoist: Tool, service: FlagshipSimulator, mode: str) -> None:
    service.fail("any", "status", status=503, times=None)
    result = run(hoist, service, mode, "flags", "--user", "u", "--timeout", "5")
    assert result.status == NETWORK and result.err, result


@pytest.mark.parametrize("mode", ["decision_api", "bucketing"])
@pytest.mark.parametrize(("kind", "arguments", "wanted"), [
    ("screen", ["home"], {"dl": "home"}),
    ("page", ["https://shop.test/cart"], {"dl": "https://shop.test/cart"}),
    ("transaction", ["T-1", "--property", "affiliation=shop", "--property", "revenue:=19.9", "--property", "item_count:=2"],
     {"tid": "T-1", "ta": "shop", "tr": 19.9, "icn": 2}),
    ("item", ["T-1", "--property", "name=ski", "--property", "code=S1", "--property", "quantity:=2"],
     {"tid": "T-1", "in": "ski", "ic": "S1", "iq": 2}),
    ("event", ["basket", "--property", "category=User Engagement", "--property", "value:=3"],
     {"ec": "User Engagement", "ea": "basket", "ev": 3}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_every_kind_of_hit_can_be_sent(hoist: Tool, service: FlagshipSimulator, mode: str, kind: str, arguments: list[str],
                                       wanted: dict[str, Any]) -> None:
    """(FS-98; ready)"""
    result = run(hoist, service, mode, "track", *arguments, "--hit", kind, "--user", "u")
    assert result.status == 0, result
    kinds = {"screen": "SCREENVIEW", "page": "PAGEVIEW"}
    hits = service.ledger.hits(kinds.get(kind, kind.upper()), "u")
    assert any(wanted.items() <= hit.items() for hit in hits), hits


def test_a_hit_that_cannot_be_is_refused_with_its_reason(hoist: Tool, service: FlagshipSimulator) -> None:
    for arguments, says in ((["not a url", "--hit", "page"], "URL"), (["T-1", "--hit", "screen", "--property", "tax:=1"], "tax"),
                            (["x", "--hit", "event", "--property", "colour=red"], "colour"), (["basket", "--value", "1.5"], "whole")):
        result = run(hoist, service, "bucketing", "track", *arguments, "--user", "u")
        assert result.status == USAGE and says in result.err and result.err.count("\n") == 1, result
    assert [hit for hit in service.ledger.hits() if hit.get("ea") != "fs_consent"] == []


def test_a_hit_is_sent_although_decisions_fail(hoist: Tool, service: FlagshipSimulator) -> None:
    service.fail("campaigns", "status", status=503, times=None)
    for arguments in (["basket"], ["home", "--hit", "screen"]):
        result = run(hoist, service, "decision_api", "track", *arguments, "--user", "u", "--timeout", "3")
        assert result.status == 0, result
    assert {"EVENT", "SCREENVIEW"} <= {hit["t"] for hit in service.ledger.hits()}


def test_track_does_not_call_accepted_what_was_refused(hoist: Tool, service: FlagshipSimulator) -> None:
    """Contract 6. State: ready."""
    service.fail("hits", "status", status=400, times=None)
    result = run(hoist, service, "bucketing", "track", "basket", "--user", "u", "--timeout", "3")
    assert (result.status, result.out) == (NETWORK, "") and "refused for good" in result.err, result


def test_an_invented_visitor_is_said(hoist: Tool, service: FlagshipSimulator) -> None:
    result = run(hoist, service, "decision_api", "track", "basket")
    assert result.status == 0 and "no --user is given" in result.err, result


def test_watch_asks_where_the_service_tells_nothing(hoist: Tool, service: FlagshipSimulator) -> None:
    """In Decision API mode nothing is fetched but on request."""
    settings = {"env_id": service.environment_id, "mode": "decision_api", "events.url": service.events_url}
    pairs = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    with hoist.start("watch", "--provider", "flagship", "--url", service.decision_url, *pairs, "--user", "nobody", "--every", "0.1",
                     "--count", "1", "--json", key=service.api_key) as running:
        assert {flag["key"] for flag in running.wait_for("ready")["flags"]} >= {"maximum_items"}
        service.environment.decide([], visitor="nobody")
        assert running.wait_for("changed")["flag"]["errorCode"] == "FLAG_NOT_FOUND"
        assert running.end().status == 0


def test_doctor_knows_the_form_of_an_environment_id(hoist: Tool) -> None:
    for given, outcomes in (("my-environment", ["warning"]), ("0123456789abcdefghij", [])):
        result = hoist("doctor", "--provider", "flagship", "--set", f"env_id={given}", "--set", "online=false", "--json", key="k")
        assert [check["outcome"] for check in result.json["checks"] if check["name"] == "env_id"] == outcomes


@pytest.mark.parametrize("mode", ["decision_api", "bucketing"])
def test_doctor_tells_of_panic(hoist: Tool, service: FlagshipSimulator, mode: str) -> None:
    """(FS-42; panic)"""
    service.publish(sample_bucketing(panic=True))
    service.environment.panic()
    result = run(hoist, service, mode, "doctor", "--user", "u", "--json")
    check = next(check for check in result.json["checks"] if check["name"] == "service")
    assert check["outcome"] == "failed" and "panic" in check["message"] and result.status == 1, result


def test_doctor_examines_key_and_service(hoist: Tool, service: FlagshipSimulator) -> None:
    result = run(hoist, service, "bucketing", "doctor", "--json")
    messages = {check["name"]: check["message"] for check in result.json["checks"]}
    assert result.status == 0 and "flags" in messages["service"], result
    assert messages["key"] == "an API key, from HOIST_KEY"


def test_an_environment_is_needed(hoist: Tool) -> None:
    result = hoist("flags", "--provider", "flagship")
    assert result.status != 0 and "env_id" in result.err and "--features" in result.err


def test_a_key_is_no_argument(hoist: Tool) -> None:
    result = hoist("flags", "--provider", "flagship", "--set", "env_id=e", "--set", "api_key=k")
    assert result.status == USAGE and "HOIST_KEY" in result.err


def test_config_lists_the_properties(hoist: Tool) -> None:
    names = {line.split()[0] for line in hoist("config", "flagship").out.splitlines() if line}
    assert {"env_id", "api_key", "mode", "polling_interval", "bucketing.file", "hits.strategy"} <= names


def test_a_published_panic_is_seen(hoist: Tool, service: FlagshipSimulator) -> None:
    """(FS-42; panic)"""
    service.publish(sample_bucketing(panic=True))
    result = run(hoist, service, "bucketing", "evaluate", "maximum_items", "--user", "staff-1", "--json")
    assert result.status == NETWORK or json.loads(result.out)["value"] is None, result
