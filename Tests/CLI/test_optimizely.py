"""Evaluating an Optimizely datafile, without network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest

from optimizely import OptimizelySimulator
from tool import Result, Tool

USAGE = 2
DATAFILE = Path(__file__).resolve().parents[1] / "Simulators" / "optimizely" / "sample.json"
CARLA = ("--user", "carla", "--attribute", "country=de", "--attribute", "age:=30", "--attribute", "member:=true")


@pytest.fixture
def run(hoist: Tool) -> Any:
    def run(command: str, *arguments: str) -> Result:
        return hoist(command, *arguments, "--provider", "optimizely", "--datafile", str(DATAFILE))

    return run


def conditions(value: Any) -> Iterator[dict[str, Any]]:
    """Every condition in the steps, wherever it stands."""
    if isinstance(value, dict):
        if "attribute" in value:
            yield value
        for member in value.values():
            yield from conditions(member)
    if isinstance(value, list):
        for element in value:
            yield from conditions(element)


def test_evaluate_shows_variation_and_variables(run: Any) -> None:
    result = run("evaluate", "checkout_flow", *CARLA, "--json")
    assert (result.status, result.json["variation"]) == (0, "short")
    assert isinstance(result.json["value"], dict)


def test_explain_shows_the_outcome_of_each_condition(run: Any) -> None:
    explanation = run("explain", "checkout_flow", *CARLA, "--json").json["explanation"]
    found = {step["attribute"]: (step["actual"], step["holds"]) for step in conditions(explanation["steps"])}
    assert found["country"] == ("de", True)
    assert found["age"] == (30, True)
    elsewhere = run("explain", "checkout_flow", "--user", "carla", "--json").json["explanation"]
    assert any(step["actual"] is None and step["holds"] is None for step in conditions(elsewhere["steps"]))


def test_explain_says_each_step_in_a_sentence(run: Any) -> None:
    shown = run("explain", "checkout_flow", *CARLA).out
    assert '  "country" is "de" and must be "de": holds' in shown.splitlines()
    lacking = run("explain", "checkout_flow", "--user", "carla").out.splitlines()
    assert 'audience "Adult members in Germany": cannot be told' in lacking
    assert '  the context has no "age", which must be at least 18' in lacking and "missing" not in "".join(lacking)


def test_segments_can_be_given(run: Any) -> None:
    """Conditions on segments are about the user (OPT-47; ready)."""
    condition = '  the user must be in segment "newsletter" of the data platform: '
    without, within = run("explain", "search_ranking", *CARLA), run("explain", "search_ranking", *CARLA, "--segment", "newsletter")
    assert condition + "does not hold" in without.out.splitlines()
    assert condition + "holds" in within.out.splitlines()
    listed = run("flags", *CARLA, "--segment", "newsletter", "--json").json["flags"]
    decided = run("evaluate", "search_ranking", *CARLA, "--segment", "newsletter", "--json").json
    assert decided["variation"] == next(flag["variation"] for flag in listed if flag["key"] == "search_ranking")
    assert run("explain", "nonsense", *CARLA, "--segment", "newsletter").status == 1


def test_an_attribute_that_the_project_does_not_know_is_told_of(run: Any) -> None:
    result = run("explain", "checkout_flow", *CARLA, "--attribute", "colour=red")
    assert result.err == 'hoist: attribute "colour" means nothing to the service\n'


def test_a_broken_datafile_is_named(hoist: Tool, tmp_path: Path) -> None:
    broken = tmp_path / "datafile.json"
    broken.write_text('{"version": "4"}')
    result = hoist("evaluate", "banner", "--user", "u", "--provider", "optimizely", "--datafile", str(broken))
    assert result.status != 0 and "not a datafile" in result.err


def test_config_lists_the_properties(hoist: Tool) -> None:
    names = {line.split()[0] for line in hoist("config", "--provider", "optimizely").out.splitlines() if line}
    assert {"sdk_key", "datafile", "polling_interval", "events.batch_size"} <= names


def test_an_event_without_a_definition_is_refused_with_its_reason(hoist: Tool) -> None:
    """Contract 6. State: ready."""
    with OptimizelySimulator() as service:
        options = ["--provider", "optimizely", "--url", service.datafile_url, "--set", f"events.url.us={service.events_url}"]
        result = hoist("track", "nonsense", *options, "--user", "carla", key=service.sdk_key)
        assert result.status == USAGE and 'event "nonsense" is refused: ' in result.err and "no such event" in result.err, result


def test_watch_polls_where_the_client_does_not(hoist: Tool) -> None:
    """Downloads after the first are off unless a host wants them."""
    with OptimizelySimulator() as service:
        options = ["--provider", "optimizely", "--url", service.datafile_url, "--user", "carla", "--every", "0.1"]
        with hoist.start("watch", "--count", "1", "--json", *options, key=service.sdk_key) as running:
            running.wait_for("ready")
            document = json.loads(DATAFILE.read_text())
            document["revision"] = "1000"
            document["featureFlags"] = document["featureFlags"][1:]
            service.publish(document)
            assert "flag" in running.wait_for("changed")
            assert running.end().status == 0
