"""Evaluating a file, without network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tool import FEATURES, Tool

CUSTOMER = {"userId": "u7", "properties": {"plan": "pro", "country": "NO", "age": "20"}}
DETAIL = {"key", "enabled", "variation", "value", "reason", "metadata"}


def test_evaluate_prints_one_aligned_row(hoist: Tool) -> None:
    result = hoist.offline("evaluate", "greeting", "--user", "u7")
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[0].split() == ["FLAG", "STATE", "VARIATION", "REASON", "VALUE"]
    assert result.table == [["greeting", "on", "plain", "STATIC", "Welcome back"]]


def test_evaluate_has_stable_json_names(hoist: Tool) -> None:
    result = hoist.offline("evaluate", "banner", "--user", "user-42", "--json")
    assert set(result.json) == DETAIL
    assert result.json["value"] == {"title": "Summer sale", "percent": 20}
    assert result.out.count("\n") == 1


def test_value_prints_nothing_but_the_value(hoist: Tool) -> None:
    assert hoist.offline("evaluate", "greeting", "--value").out == "Welcome back\n"
    assert hoist.offline("evaluate", "page-size", "--value").out == "48\n"
    assert hoist.offline("evaluate", "nonsense", "--value").out == ""


@pytest.mark.parametrize(("flag", "status"), [("greeting", 0), ("maintenance", 1), ("nonsense", 5)])
def test_exit_code_tells_off_from_unknown(hoist: Tool, flag: str, status: int) -> None:
    assert hoist.offline("evaluate", flag, "--exit-code").status == status
    assert hoist.offline("evaluate", flag).status == (1 if flag == "nonsense" else 0)


@pytest.mark.parametrize("option", [[], ["--value"], ["--json"]], ids=" ".join)
@pytest.mark.parametrize("command", ["evaluate", "explain"])
def test_an_unknown_flag_is_a_line_and_a_status(hoist: Tool, command: str, option: list[str]) -> None:
    if command == "explain" and option == ["--value"]:
        return
    result = hoist.offline(command, "nonsense", *option)
    assert (result.status, result.err) == (1, "hoist: nonsense: no flag of this key\n")
    assert option != ["--json"] or result.json["errorCode"] == "FLAG_NOT_FOUND"


def test_a_file_is_evaluated_in_the_mode_that_was_set(hoist: Tool, tmp_path: Path) -> None:
    """Toggles as a frontend has them, and not definitions."""
    file = tmp_path / "toggles.json"
    file.write_text(json.dumps({"toggles": [{"name": "banner", "enabled": True, "impressionData": False,
                                             "variant": {"name": "red", "enabled": True}}]}))
    result = hoist("evaluate", "banner", "--features", file, "--set", "mode=frontend", "--json")
    assert (result.status, result.json["enabled"], result.json["variation"]) == (0, True, "red"), result


def test_the_context_comes_from_text_file_pipe_and_options(hoist: Tool, tmp_path: Path) -> None:
    text = json.dumps(CUSTOMER)
    file = tmp_path / "context.json"
    file.write_text(text)
    ways = [
        hoist.offline("evaluate", "new-checkout", "--context", text),
        hoist.offline("evaluate", "new-checkout", "--context", file),
        hoist.offline("evaluate", "new-checkout", "--context", "-", stdin=text),
        # Each form of a document says the same here as to a call (contract 4), and what only the engine's form has is read too.
        hoist.offline("evaluate", "new-checkout", "--context", '{"userId":"u7","plan":"pro","country":"NO","age":20}'),
        hoist.offline("evaluate", "new-checkout", "--context", '{"userId":"u7","age":20,"properties":{"plan":"pro","country":"NO"}}'),
        hoist.offline("evaluate", "new-checkout", "--context", '{"context":{"userId":"u7","properties":{"plan":"pro","country":"NO","age":20}}}'),
        hoist.offline("evaluate", "new-checkout", "--context", '{"sessionId":"u7","properties":{"userId":"u7","plan":"pro","country":"NO","age":20}}'),
        hoist.offline("evaluate", "new-checkout", "--user", "u7", "--attribute", "plan=pro", "--attribute", "country=NO",
                      "--attribute", "age:=20"),
        hoist.offline("evaluate", "new-checkout", "--context", '{"targetingKey":"u7"}', "--attribute", "plan=pro",
                      "--attribute", "country=NO", "--attribute", "age=20"),
    ]
    assert [way.table for way in ways] == [[["new-checkout", "on", "disabled", "SPLIT", "true"]]] * len(ways)


def test_options_win_over_the_context(hoist: Tool) -> None:
    text = json.dumps(CUSTOMER)
    off = hoist.offline("evaluate", "new-checkout", "--context", text, "--attribute", "country=DE", "--json")
    assert off.json["enabled"] is False
    other = hoist.offline("explain", "new-checkout", "--context", text, "--user", "somebody", "--json").json
    assert other["explanation"]["strategies"][0]["rollout"]["value"] == "somebody"


def test_explain_shows_the_steps(hoist: Tool) -> None:
    result = hoist.offline("explain", "new-checkout", "--context", json.dumps(CUSTOMER))
    assert result.status == 0
    assert "field=country  operator=IN  expected=[NO, SE, DK, FI, IS]  actual=NO  inverted=no  holds=yes" in result.out
    steps = hoist.offline("explain", "new-checkout", "--context", json.dumps(CUSTOMER), "--json").json
    assert set(steps) == DETAIL | {"explanation"}
    assert steps["explanation"]["strategies"][0]["holds"] is True


def test_flags_lists_all_by_key(hoist: Tool) -> None:
    names = ["banner", "greeting", "maintenance", "new-checkout", "page-size"]
    assert [row[0] for row in hoist.offline("flags").table] == names
    listed = hoist.offline("flags", "--json").json["flags"]
    assert [flag["key"] for flag in listed] == names
    assert all(DETAIL <= set(flag) for flag in listed)


def test_flags_can_be_narrowed(hoist: Tool) -> None:
    assert [row[0] for row in hoist.offline("flags", "--on").table] == ["banner", "greeting", "page-size"]
    assert [row[0] for row in hoist.offline("flags", "--prefix", "ban").table] == ["banner"]


def test_properties_come_from_file_and_arguments_in_that_order(hoist: Tool, tmp_path: Path) -> None:
    file = tmp_path / "properties.json"
    file.write_text(json.dumps({"mode": "backend", "online": False, "bootstrap.file": "nowhere.json"}))
    result = hoist("evaluate", "greeting", "--config", file, "--set", f"bootstrap.file={FEATURES}", "--value")
    assert (result.status, result.out) == (0, "Welcome back\n")


def test_a_value_cannot_steer_the_terminal(hoist: Tool, tmp_path: Path) -> None:
    document = json.loads(FEATURES.read_text())
    document["features"][2]["variants"][0]["payload"]["value"] = "\x1b[2J\u202egone\nrow"
    file = tmp_path / "features.json"
    file.write_text(json.dumps(document))
    out = hoist("evaluate", "greeting", "--features", file).out
    assert "\x1b" not in out and "\u202e" not in out
    assert len(out.splitlines()) == 2


def test_config_lists_the_properties(hoist: Tool) -> None:
    result = hoist("config", "unleash", "--json")
    assert result.json["provider"] == "unleash"
    rows = {row["name"]: row for row in result.json["properties"]}
    assert set(rows["key"]) == {"name", "type", "default", "range", "meaning", "secret", "required", "value"}
    assert rows["key"]["secret"] is True and rows["url"]["secret"] is False
    table = {row[0]: row for row in hoist("config").table}
    assert set(table) == set(rows)
    assert table["refresh_interval"][1:] == ["15", "Seconds between fetches; 0 fetches once. [0…86400]"]


def test_config_shows_what_was_set(hoist: Tool) -> None:
    result = hoist("config", "unleash", "--set", "refresh_interval=5", "--prefix", "refresh", "--json", key="*:x.secret")
    assert {row["name"]: row["value"] for row in result.json["properties"]} == {
        "refresh_interval": "5", "refresh_jitter_percent": None}
    assert hoist("config", "--prefix", "key", "--json", key="*:x.secret").json["properties"][0]["value"] == "***"
