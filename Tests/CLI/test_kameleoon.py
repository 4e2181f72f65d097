"""Kameleoon: a configuration evaluated here, and the strict simulator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest

from kameleoon import KameleoonSimulator, sample_configuration
from kameleoon.sample import CLIENT_ID, CLIENT_SECRET
from tool import Result, Tool

USAGE, NETWORK, CONFIGURATION = 2, 3, 4
SAMPLE = Path(__file__).resolve().parents[1] / "Simulators" / "kameleoon" / "sample.json"
GOLD = ("--user", "carla", "--attribute", "plan=gold")


@pytest.fixture
def service() -> Iterator[KameleoonSimulator]:
    """Strict services: whatever test uses them also proves that no request broke the protocol."""
    with KameleoonSimulator() as simulator:
        yield simulator
        assert simulator.violations == []


def settings(service: KameleoonSimulator) -> list[str]:
    pairs = {"site_code": service.site_code, "data.url": service.data_url, "stream.url": service.stream_url,
             "token.url": service.token_url, "tracking_interval_millisecond": "100"}
    return ["--provider", "kameleoon", "--url", service.configuration_url,
            *(part for name, value in pairs.items() for part in ("--set", f"{name}={value}"))]


def run(hoist: Tool, service: KameleoonSimulator, *arguments: object, key: str | None = None) -> Result:
    return hoist(*arguments, *settings(service), key=key)


def offline(hoist: Tool, command: str, *arguments: object, file: Path = SAMPLE) -> Result:
    return hoist(command, *arguments, "--provider", "kameleoon", "--features", file)


# ---- A file --------------------------------------------------------------------------------------


def test_a_configuration_is_evaluated_without_network(hoist: Tool) -> None:
    """(KAM-23, KAM-25, KAM-40, KAM-B11; offline)"""
    result = offline(hoist, "evaluate", "loyal", *GOLD, "--json")
    assert (result.status, result.json["variation"], result.json["enabled"]) == (0, "on", True), result
    assert offline(hoist, "evaluate", "loyal", "--user", "carla", "--json").json["variation"] == "off"
    assert offline(hoist, "evaluate", "limits", "--user", "u", "--json").json["variation"] == "standard"


@pytest.mark.parametrize(("flag", "arguments", "status"), [
    ("loyal", GOLD, 0), ("loyal", ("--user", "carla"), 1), ("hidden", GOLD, 1), ("nonsense", GOLD, 5)])
def test_exit_code_tells_off_disabled_and_unknown(
        hoist: Tool, flag: str, arguments: tuple[str, ...], status: int) -> None:
    """(KAM-21, KAM-22; offline)"""
    assert offline(hoist, "evaluate", flag, *arguments, "--exit-code").status == status


def test_flags_lists_those_of_the_file(hoist: Tool) -> None:
    """(KAM-32; offline)"""
    listed = offline(hoist, "flags", *GOLD, "--json").json["flags"]
    variations = {flag["key"]: flag["variation"] for flag in listed}
    assert {"checkout", "banner", "loyal", "limits"} <= set(variations)
    assert (variations["loyal"], variations["banner"], variations["limits"]) == ("on", "off", "standard")


def test_the_same_visitor_gets_the_same_variation(hoist: Tool) -> None:
    """(KAM-30; offline)"""
    found = {offline(hoist, "evaluate", "checkout", "--user", "carla", "--json").out for _ in range(3)}
    assert len(found) == 1


def test_explain_shows_why(hoist: Tool) -> None:
    explanation = offline(hoist, "explain", "loyal", *GOLD, "--json").json["explanation"]
    assert "CUSTOM_DATUM" in json.dumps(explanation)
    assert offline(hoist, "explain", "loyal", *GOLD).out.splitlines()[3:] == [
        "rule 30, delivery 300", "  segment 6: holds", '    "custom data 0" is "gold" and must be "gold": holds',
        "  the visitor's hash 0.03919651109196157 is at most 1.0: exposed", '  variation "on" is delivered']
    lacking = offline(hoist, "explain", "loyal", "--user", "carla").out
    assert '    the visitor has no "custom data 4", which must be "grün": does not hold' in lacking


@pytest.mark.parametrize(("condition", "datum", "says"), [
    ({"targetingType": "DEVICE_TYPE", "device": "PHONE"}, {"type": "Device", "device": "PHONE"}, '"device" is "PHONE" and must be "PHONE"'),
    ({"targetingType": "PAGE_URL", "matchType": "CONTAINS", "url": "cart"}, {"type": "PageView", "url": "https://shop.test/cart"},
     '"pages seen" is "https://shop.test/cart" and must contain "cart"'),
    ({"targetingType": "COOKIE", "name": "a", "nameMatchType": "EXACT", "value": "b", "valueMatchType": "EXACT"},
     {"type": "Cookie", "cookies": {"a": "b"}}, '"cookies" is "a" and must be "a"'),
    ({"targetingType": "CONVERSIONS", "goalId": 17}, {"type": "Conversion", "goalId": 17}, "the visitor must fit CONVERSIONS (goalId 17)"),
    ({"targetingType": "BROWSER", "browser": "FIREFOX"}, {"type": "Browser", "browser": "FIREFOX"}, '"browser" is "FIREFOX"'),
], ids=lambda value: value.get("targetingType", "") if isinstance(value, dict) else "")
def test_everything_that_conditions_ask_for_can_be_given(hoist: Tool, tmp_path: Path, condition: dict[str, Any],
                                                         datum: dict[str, Any], says: str) -> None:
    document = sample_configuration()
    segment = {"id": 6, "conditionsData": {"firstLevelOrOperators": [], "firstLevel": [
        {"orOperators": [], "conditions": [{**condition, "isInclude": True}]}]}}
    document["segments"] = [segment if known["id"] == 6 else known for known in document["segments"]]
    file = tmp_path / "site.json"
    file.write_text(json.dumps(document))
    for data, outcome in (([], "does not hold"), (["--data", json.dumps(datum)], "holds")):
        result = offline(hoist, "explain", "loyal", "--user", "u", *data, file=file)
        assert result.status == 0 and result.out.splitlines()[5].endswith(f": {outcome}"), result
    assert says in result.out


def test_visits_can_be_given(hoist: Tool, tmp_path: Path) -> None:
    """As the service answers them: earlier visits, and variations of before (KAM-46; offline)."""
    document = sample_configuration()
    conditions = [{"targetingType": "VISITS", "visitCount": 2, "matchType": "GREATER", "isInclude": True}]
    segment = {"id": 6, "conditionsData": {"firstLevelOrOperators": [], "firstLevel": [
        {"orOperators": [], "conditions": conditions}]}}
    document["segments"] = [segment if known["id"] == 6 else known for known in document["segments"]]
    file = tmp_path / "site.json"
    file.write_text(json.dumps(document))
    visits = json.dumps({"previousVisits": [{"timeStarted": 1_700_000_000_000}] * 3})
    given = tmp_path / "visits.json"
    given.write_text(visits)
    for options, outcome in (([], "does not hold"), (["--history", visits], "holds"), (["--history", str(given)], "holds")):
        result = offline(hoist, "explain", "loyal", "--user", "u", *options, file=file)
        assert result.status == 0 and result.out.splitlines()[5].endswith(f": {outcome}"), result
    result = offline(hoist, "explain", "loyal", "--user", "u", "--history", "{", file=file)
    assert result.status == USAGE and "--history" in result.err


def test_consent_can_be_given_or_refused(hoist: Tool, tmp_path: Path) -> None:
    """Where the site requires it, an experiment asks for it (KAM-60; no consent)."""
    document = sample_configuration()
    document["configuration"]["consentType"] = "REQUIRED"
    file = tmp_path / "site.json"
    file.write_text(json.dumps(document))
    refused = offline(hoist, "explain", "checkout", "--user", "u", "--consent", "no", file=file)
    assert "  the visitor has refused consent: no experiment" in refused.out.splitlines()
    assert "refused consent" not in offline(hoist, "explain", "checkout", "--user", "u", "--consent", "yes", file=file).out


def test_what_means_nothing_is_told_of(hoist: Tool) -> None:
    result = offline(hoist, "explain", "loyal", *GOLD, "--attribute", "colour=red", "--attribute", "device=phone")
    assert result.err == 'hoist: attribute "colour" means nothing to the service\n'
    result = offline(hoist, "explain", "loyal", *GOLD, "--data", '{"type":"Device","device":"TOASTER"}')
    assert result.status == USAGE and "--data" in result.err


def test_a_file_that_is_none_is_named(hoist: Tool, tmp_path: Path) -> None:
    broken = tmp_path / "site.json"
    broken.write_text("[7]")
    for file, word in ((broken, "site.json"), (tmp_path / "missing.json", "missing.json")):
        result = offline(hoist, "evaluate", "loyal", "--user", "u", file=file)
        assert result.status == CONFIGURATION and word in result.err, result


# ---- The service ---------------------------------------------------------------------------------


def test_evaluate_asks_the_service(hoist: Tool, service: KameleoonSimulator) -> None:
    """(KAM-06; ready)"""
    result = run(hoist, service, "evaluate", "loyal", *GOLD, "--json")
    assert (result.status, result.json["variation"]) == (0, "on"), result
    service.publish(sample_configuration(featureFlags=[]), "staging")
    result = run(hoist, service, "evaluate", "loyal", *GOLD, "--set", "environment=staging", "--json")
    assert result.json["errorCode"] == "FLAG_NOT_FOUND"


def test_looking_tracks_nothing(hoist: Tool, service: KameleoonSimulator) -> None:
    for command in (["evaluate", "checkout"], ["explain", "checkout"], ["flags"]):
        assert run(hoist, service, *command, *GOLD).status == 0
    assert service.journal.count("tracking") == 0


def test_track_sends_a_conversion(hoist: Tool, service: KameleoonSimulator) -> None:
    """(KAM-41, KAM-61; ready)"""
    result = run(hoist, service, "track", "17", "--user", "carla", "--value", "2.5", "--json")
    assert (result.status, result.json) == (0, {"event": "17", "accepted": True}), result
    line, = service.ledger.lines("conversion", "carla")
    assert (line.values["goalId"], float(line.values["revenue"]), line.values["negative"]) == ("17", 2.5, "false")


def test_a_goal_is_a_number(hoist: Tool, service: KameleoonSimulator) -> None:
    """Refused with its reason, without the log. State: ready."""
    result = run(hoist, service, "track", "purchase", "--user", "carla")
    assert result.status == USAGE and 'event "purchase" is refused: ' in result.err and "goal" in result.err, result
    assert service.journal.count("tracking") == 0


def test_an_invented_visitor_is_said(hoist: Tool, service: KameleoonSimulator) -> None:
    result = run(hoist, service, "track", "17")
    assert result.status == 0 and "no --user is given" in result.err, result
    assert "--user" not in run(hoist, service, "track", "17", "--user", "carla").err


def test_doctor_knows_the_form_of_a_site_code(hoist: Tool) -> None:
    for code, outcomes in (("not-a-site-code", ["warning"]), ("abcde01234", [])):
        result = hoist("doctor", "--provider", "kameleoon", "--set", f"site_code={code}", "--set", "online=false", "--json")
        assert [check["outcome"] for check in result.json["checks"] if check["name"] == "site_code"] == outcomes


def test_tracking_is_authorised_with_credentials(hoist: Tool, service: KameleoonSimulator) -> None:
    """(KAM-08; ready)"""
    service.options.change(token_required=True)
    result = run(hoist, service, "track", "17", "--user", "carla", "--set", f"client_id={CLIENT_ID}", key=CLIENT_SECRET)
    assert result.status == 0 and service.tokens.given == ["token-1"], result


def test_watch_tells_of_a_configuration_that_an_event_brought(hoist: Tool, service: KameleoonSimulator) -> None:
    """(KAM-20; ready)"""
    service.publish(sample_configuration(real_time=True))
    with hoist.start("watch", "loyal", "--count", "1", *GOLD, "--json", *settings(service)) as watching:
        assert watching.wait_for("ready")["flags"][0]["variation"] == "on"
        assert service.wait_for_streams(1)
        changed = sample_configuration(real_time=True, dateModified=1_767_225_600_001)
        next(flag for flag in changed["featureFlags"] if flag["featureKey"] == "loyal")["rules"] = []
        service.publish(changed, announce=True)
        change = watching.wait_for("changed")
        assert (change["before"]["variation"], change["flag"]["variation"]) == ("on", "off")
        assert watching.end().status == 0


def test_a_service_that_fails_is_a_failure_of_the_network(hoist: Tool, service: KameleoonSimulator) -> None:
    service.fail("any", "status", status=503, times=None)
    result = run(hoist, service, "flags", "--user", "u", "--timeout", "5")
    assert result.status == NETWORK and result.err, result


def test_doctor_examines_the_service(hoist: Tool, service: KameleoonSimulator) -> None:
    result = run(hoist, service, "doctor", "--json")
    messages = {check["name"]: check["message"] for check in result.json["checks"]}
    assert result.status == 0 and "flags" in messages["service"], result


def test_a_site_is_needed(hoist: Tool) -> None:
    result = hoist("flags", "--provider", "kameleoon")
    assert result.status != 0 and "site_code" in result.err and "--features" in result.err


def test_a_secret_is_no_argument(hoist: Tool) -> None:
    result = hoist("flags", "--provider", "kameleoon", "--set", "site_code=s", "--set", "client_secret=k")
    assert result.status == USAGE and "HOIST_KEY" in result.err


def test_config_lists_the_properties(hoist: Tool) -> None:
    names = {line.split()[0] for line in hoist("config", "kameleoon").out.splitlines() if line}
    assert {"site_code", "environment", "client_secret", "default_datafile.file"} <= names
