"""Evaluating a file, without network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


def test_explain_says_each_step_in_a_sentence(hoist: Tool) -> None:
    result = hoist.offline("explain", "new-checkout", "--context", json.dumps(CUSTOMER))
    assert result.status == 0
    assert result.out.splitlines()[3:] == [
        'strategy "flexibleRollout": holds',
        '  "country" is "NO" and must be one of "NO", "SE", "DK", "FI", "IS": holds',
        '  "age" is "20" and must be at least "18": holds',
        "  segment 1: holds", '    "plan" is "pro" and must be one of "pro", "team": holds',
        '  the hash of "u7" (userId) in group "new-checkout" is 10, at most 50: in the rollout']
    lacking = hoist.offline("explain", "new-checkout", "--user", "u7", "--attribute", "country=NO").out
    assert '  the context has no "age", which must be at least "18": does not hold' in lacking
    steps = hoist.offline("explain", "new-checkout", "--context", json.dumps(CUSTOMER), "--json").json
    assert set(steps) == DETAIL | {"explanation"}
    assert steps["explanation"]["strategies"][0]["holds"] is True


def explained(hoist: Tool, tmp_path: Path, feature: dict[str, Any], *arguments: str, **more: Any) -> list[str]:
    """The sentences for the flag "f"."""
    file = tmp_path / "features.json"
    file.write_text(json.dumps({"version": 2, "features": [{"name": "f", "enabled": True, **feature}], **more}))
    return hoist("explain", "f", "--features", file, *arguments).out.splitlines()[3:]


def rollout(percentage: str, **parameters: str) -> dict[str, Any]:
    return {"name": "flexibleRollout", "parameters": {"rollout": percentage, "stickiness": "userId", "groupId": "f", **parameters}}


def test_explain_tells_hash_and_share(hoist: Tool, tmp_path: Path) -> None:
    (_, outside) = explained(hoist, tmp_path, {"strategies": [rollout("0")]}, "--user", "u7")
    assert outside.endswith("above 0: not in the rollout") and outside.startswith('  the hash of "u7" (userId) in group "f" is ')
    (_, nobody) = explained(hoist, tmp_path, {"strategies": [rollout("50")]})
    assert nobody == "  the context has no value to hash"


def test_explain_tells_of_strategies_that_are_not_registered(hoist: Tool, tmp_path: Path) -> None:
    lines = explained(hoist, tmp_path, {"strategies": [{"name": "moonPhase"}]})
    assert lines == ['strategy "moonPhase": does not hold', "  no strategy of this name is registered: it never holds"]


def test_explain_tells_of_segments_lists_and_dependencies(hoist: Tool, tmp_path: Path) -> None:
    segment = {"id": 3, "constraints": [{"contextName": "plan", "operator": "IN", "values": ["pro"], "inverted": True}]}
    strategies = [{"name": "userWithId", "parameters": {"userIds": "u1,u2"}}, {"name": "default", "segments": [3]}]
    lines = explained(hoist, tmp_path, {"strategies": strategies}, "--user", "u7", "--attribute", "plan=pro", segments=[segment])
    assert lines == ['strategy "userWithId": does not hold', '  "u7" is not on the strategy\'s list of users',
                     'strategy "default": does not hold', "  segment 3: does not hold",
                     '    "plan" is "pro" and must not be one of "pro": does not hold']
    lines = explained(hoist, tmp_path, {"strategies": [], "dependencies": [{"feature": "parent"}]})
    assert lines == ['it depends on "parent", and there is no such flag: does not hold']
    assert explained(hoist, tmp_path, {"enabled": False, "strategies": []}) == ["the flag is switched off"]


def test_what_means_nothing_to_the_service_is_told_of(hoist: Tool) -> None:
    for option in (["--segment", "s"], ["--data", "{}"], ["--consent", "no"]):
        result = hoist.offline("explain", "greeting", *option)
        assert (result.status, result.err) == (0, f"hoist: {option[0]} means nothing to unleash\n")
    result = hoist.offline("explain", "greeting", "--attribute", 'roles:=["a"]', "--attribute", "plan=pro")
    assert (result.status, result.err) == (0, 'hoist: attribute "roles" means nothing to the service\n')


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


STEERING = "\x1b\x7f\x85\x9b\u061c\u202e\u2028\u2066"


def test_a_value_cannot_steer_the_terminal(hoist: Tool, tmp_path: Path) -> None:
    document = json.loads(FEATURES.read_text())
    document["features"][2]["variants"][0]["payload"]["value"] = STEERING + "gone\nrow"
    file = tmp_path / "features.json"
    file.write_text(json.dumps(document))
    out = hoist("evaluate", "greeting", "--features", file).out
    assert not set(STEERING) & set(out) and out.count("\n") == 2
    value = hoist.on_terminal("evaluate", "greeting", "--features", file, "--value")
    assert not set(STEERING) & set(value) and value.count("\n") == 1 and "gone row" in value
    assert hoist("evaluate", "greeting", "--features", file, "--value").out == STEERING + "gone\nrow\n"
    told = hoist("evaluate", "greeting", "--features", file, "--json")
    assert not set(STEERING) & set(told.out) and told.json["value"].startswith(STEERING)


def test_a_value_of_json_is_told_sign_for_sign(hoist: Tool, tmp_path: Path) -> None:
    """Its numbers, the order of its members, and one that comes twice: what reads JSON into numbers of its own loses them."""
    value = '{"b":1.10,"a":123456789012345678901234567890,"c":1e2,"b":3}'
    document = json.loads(FEATURES.read_text())
    document["features"][2]["variants"][0]["payload"] = {"type": "json", "value": value}
    file = tmp_path / "features.json"
    file.write_text(json.dumps(document))
    assert f'"value":{value}' in hoist("evaluate", "greeting", "--features", file, "--json").out
    assert hoist("evaluate", "greeting", "--features", file, "--value").out == value + "\n"


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
    secrets = ('network.proxy=http://me:secret@h:1', 'custom_headers={"X":"secret"}', "url=https://me:secret@h/?t=secret")
    for prefix, setting in zip(("network.proxy", "custom_headers", "url"), secrets):
        shown = hoist("config", "--set", setting, "--prefix", prefix)
        assert shown.status == 0 and "secret" not in shown.out + shown.err and shown.out.count("\n") == 2


def test_a_file_that_others_may_change_is_warned_of(hoist: Tool, tmp_path: Path) -> None:
    file = tmp_path / "properties.json"
    file.write_text('{"mode":"backend"}')
    file.chmod(0o646)
    for command in ("config", "doctor"):
        assert hoist(command, "--config", file).err == f"hoist: --config {file}: may be changed by everybody\n"
    file.chmod(0o644)
    assert hoist("config", "--config", file).err == ""
