"""Against a service: evaluation by it, evaluation here, tracking, following, examining."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from pathlib import Path

import pytest

from tool import Result, Running, Tool
from unleash import UnleashSimulator

NEGATIVE, NETWORK, CONFIGURATION = 1, 3, 4
CUSTOMER = ["--user", "u7", "--attribute", "plan=pro", "--attribute", "country=NO", "--attribute", "age=20"]
STREAM = ["--set", "mode=backend", "--set", "fetch_mode=streaming"]


def frontend(hoist: Tool, service: UnleashSimulator, *arguments: object) -> Result:
    return hoist(*arguments, "--url", service.frontend_url, key=service.frontend_key)


def backend(hoist: Tool, service: UnleashSimulator, *arguments: object) -> Result:
    return hoist(*arguments, "--url", service.api_url, "--set", "mode=backend", key=service.backend_key)


def test_the_service_evaluates_for_the_context_of_the_only_request(hoist: Tool, service: UnleashSimulator) -> None:
    assert frontend(hoist, service, "evaluate", "new-checkout", *CUSTOMER, "--json").json["enabled"] is True
    assert len(service.requests()) == 1
    assert frontend(hoist, service, "evaluate", "new-checkout", "--user", "u7", "--json").json["enabled"] is False


def test_what_cannot_be_sent_of_a_context_is_named(hoist: Tool, service: UnleashSimulator) -> None:
    """A list has no form at the service: it is refused by its name, and not left out unsaid (contract 4). State: before open."""
    result = frontend(hoist, service, "evaluate", "banner", "--user", "u7", "--attribute", 'roles:=["a"]')
    assert result.status == CONFIGURATION and '"roles"' in result.err and service.requests() == []


def test_definitions_are_evaluated_here(hoist: Tool, service: UnleashSimulator) -> None:
    assert backend(hoist, service, "evaluate", "new-checkout", *CUSTOMER, "--json").json["enabled"] is True
    assert backend(hoist, service, "evaluate", "maintenance", "--exit-code").status == NEGATIVE


@pytest.mark.parametrize("command", [["evaluate", "banner"], ["explain", "banner"], ["flags"]], ids=lambda command: command[0])
def test_looking_counts_nothing(hoist: Tool, service: UnleashSimulator, command: list[str]) -> None:
    assert backend(hoist, service, *command).status == 0
    assert service.ledger.posts == [] and service.ledger.totals() == {}


def test_the_key_may_come_through_a_pipe(hoist: Tool, service: UnleashSimulator) -> None:
    result = hoist("flags", "--url", service.frontend_url, "--key-file", "-", stdin=service.frontend_key + "\n")
    assert result.status == 0 and result.table[0][0] == "banner"


def test_a_refused_key_is_a_failure_of_the_network(hoist: Tool, service: UnleashSimulator) -> None:
    result = hoist("flags", "--url", service.frontend_url, key="*:development.wrong")
    assert result.status == NETWORK and "401" in result.err and result.err.count("\n") == 1


def test_a_failing_service_is_not_waited_for(hoist: Tool, service: UnleashSimulator) -> None:
    service.fail("frontend", "status", status=503, times=None)
    result = frontend(hoist, service, "flags", "--timeout", "600")
    assert result.status == NETWORK and "503" in result.err


def test_a_silent_service_is_waited_for_until_the_timeout(hoist: Tool, service: UnleashSimulator) -> None:
    service.fail("frontend", "hang", times=None)
    result = frontend(hoist, service, "flags", "--timeout", "0.3")
    assert result.status == NETWORK and "--timeout" in result.err


def test_nothing_is_stored(hoist: Tool, service: UnleashSimulator, tmp_path: Path) -> None:
    assert frontend(hoist, service, "flags").status == 0
    assert list(tmp_path.rglob("*")) == []


def test_track_is_accepted_by_the_service(hoist: Tool, service: UnleashSimulator) -> None:
    result = backend(hoist, service, "track", "purchase", "--value", "19.9", "--property", "currency=EUR", "--json")
    assert (result.status, result.json) == (0, {"event": "purchase", "accepted": True})
    assert set(service.ledger.impact()) == {"purchase", "purchase_value"}


def test_track_keeps_the_digits_of_whole_numbers(hoist: Tool, service: UnleashSimulator) -> None:
    """Contract 6: nothing is altered with OK. State: ready."""
    assert backend(hoist, service, "track", "purchase", "--property", "order:=9007199254740993").status == 0
    assert "9007199254740993" in str(service.ledger.posts)


@pytest.mark.parametrize(("given", "says"), [("plan:={", 'its property "plan" is no JSON'), ("plan:=1" + "0" * 20, "beyond 64 bits")])
def test_track_says_what_cannot_be_carried(hoist: Tool, service: UnleashSimulator, given: str, says: str) -> None:
    """Contract 6. State: ready."""
    result = backend(hoist, service, "track", "purchase", "--property", given)
    assert (result.status, result.out) == (2, "") and says in result.err, result


def test_an_unlisted_flag_is_off_and_the_tool_says_so(hoist: Tool, service: UnleashSimulator) -> None:
    """The frontend lists what is on: nobody knows whether another flag exists (contract 4). State: ready."""
    line = "hoist: nonsense: the service does not list it: it is off, or does not exist\n"
    for command in (["evaluate"], ["evaluate", "--exit-code"], ["explain"]):
        result = frontend(hoist, service, command[0], "nonsense", *command[1:], "--user", "u7", "--json")
        assert (result.status, result.err, result.json["enabled"]) == (NEGATIVE, line, False), result
    watching = hoist.start("watch", "nonsense", "--url", service.frontend_url, "--for", "0.5", key=service.frontend_key)
    assert line in watching.end().err


def test_explain_says_that_the_service_has_decided(hoist: Tool, service: UnleashSimulator) -> None:
    """Frontend mode knows no strategies. State: ready."""
    shown = frontend(hoist, service, "explain", "greeting", "--user", "u7")
    assert shown.status == 0 and shown.out.splitlines()[3:] == ["the service has decided: on"], shown
    shown = frontend(hoist, service, "explain", "nonsense", "--user", "u7")
    assert shown.out.splitlines()[3:] == ["the service has decided: off"], shown


def test_track_says_when_the_service_does_not_accept(hoist: Tool, service: UnleashSimulator) -> None:
    service.fail("metrics", "status", status=500, times=None)
    result = backend(hoist, service, "track", "purchase", "--timeout", "2")
    assert (result.status, result.out) == (NETWORK, "")
    assert 'event "purchase" is not delivered' in result.err
    assert service.ledger.impact() == {}


def test_track_says_when_the_service_refuses_for_good(hoist: Tool, service: UnleashSimulator) -> None:
    """Contract 6: refused is not accepted. State: ready."""
    service.fail("metrics", "status", status=400, times=None)
    result = backend(hoist, service, "track", "purchase", "--timeout", "2")
    assert (result.status, result.out) == (NETWORK, ""), result
    assert 'event "purchase" is refused for good: ' in result.err and "400" in result.err


def change(service: UnleashSimulator, flag: str, enabled: bool) -> None:
    service.state.update({"name": flag, "enabled": enabled, "strategies": [{"name": "default", "parameters": {}}]})


def watch(hoist: Tool, service: UnleashSimulator, *arguments: object) -> Running:
    return hoist.start("watch", *arguments, "--url", service.api_url, *STREAM, "--json", key=service.backend_key)


def test_watch_tells_the_flags_and_then_each_change(hoist: Tool, service: UnleashSimulator) -> None:
    with watch(hoist, service, "--count", "2") as running:
        ready = running.wait_for("ready")
        assert [flag["key"] for flag in ready["flags"]] == ["banner", "greeting", "maintenance", "new-checkout", "page-size"]
        change(service, "maintenance", True)
        first = running.wait_for("changed")
        assert (first["flag"]["key"], first["flag"]["enabled"]) == ("maintenance", True)
        assert (first["before"]["key"], first["before"]["enabled"]) == ("maintenance", False)
        change(service, "greeting", False)
        second = running.wait_for("changed")
        assert (second["flag"]["key"], second["flag"]["enabled"]) == ("greeting", False)
        assert second["before"]["value"] == "Welcome back"
        assert running.end().status == 0


def test_watch_shows_people_the_old_and_the_new_value(hoist: Tool, service: UnleashSimulator) -> None:
    with hoist.start("watch", "--url", service.api_url, *STREAM, "--count", "4", key=service.backend_key) as running:
        assert running.line().split()[0] == "FLAG"
        for _ in range(5):
            running.line()
        for enabled, change_of in ((True, "false → true  on"), (False, "true → false  off")):
            change(service, "maintenance", enabled)
            assert f"  maintenance  {change_of}" in running.line()
        change(service, "novelty", True)
        assert "  novelty  - → true  on" in running.line()
        service.state.update(remove=("novelty",))
        assert "  novelty  true → -  off" in running.line()
        assert running.end().status == 0


def test_watch_can_follow_one_flag(hoist: Tool, service: UnleashSimulator) -> None:
    with watch(hoist, service, "greeting", "--count", "1") as running:
        assert [flag["key"] for flag in running.wait_for("ready")["flags"]] == ["greeting"]
        change(service, "maintenance", True)
        change(service, "greeting", False)
        assert running.wait_for("changed")["flag"]["key"] == "greeting"
        assert running.end().status == 0


def test_watch_follows_a_service_that_evaluates(hoist: Tool, service: UnleashSimulator) -> None:
    with hoist.start("watch", "--url", service.frontend_url, "--set", "refresh_interval=1", "--count", "1", "--json",
                     "--user", "u7", key=service.frontend_key) as running:
        running.wait_for("ready")
        change(service, "maintenance", True)
        assert running.wait_for("changed")["flag"]["key"] == "maintenance"
        assert running.end().status == 0


def test_watch_shows_a_flag_that_is_no_longer_listed_as_off(hoist: Tool, service: UnleashSimulator) -> None:
    """The frontend API stops listing a flag because it is off (contract 4). State: ready."""
    follow = ("watch", "maintenance", "--url", service.frontend_url, "--set", "refresh_interval=1", "--count", "1", "--user", "u7")
    change(service, "maintenance", True)
    with hoist.start(*follow, "--json", key=service.frontend_key) as running:
        running.wait_for("ready")
        change(service, "maintenance", False)
        flag = running.wait_for("changed")["flag"]
        assert (flag["enabled"], flag["value"]) == (False, False) and "errorCode" not in flag
        assert running.end().status == 0
    change(service, "maintenance", True)
    with hoist.start(*follow, key=service.frontend_key) as running:
        assert running.line().split()[0] == "FLAG" and running.line().split()[0] == "maintenance"
        change(service, "maintenance", False)
        assert "  maintenance  true → false  off" in running.line()
        assert running.end().status == 0


def test_watch_says_which_named_flags_do_not_exist(hoist: Tool, service: UnleashSimulator) -> None:
    with watch(hoist, service, "greeting", "nonsense", "--for", "0.5") as running:
        ended = running.end()
    unknown = [event for event in map(json.loads, ended.out.splitlines()) if event["event"] == "unknown"]
    assert [event["key"] for event in unknown] == ["nonsense"] and ended.status == 0
    with hoist.start("watch", "nonsense", "--url", service.api_url, *STREAM, "--for", "0.5", key=service.backend_key) as running:
        assert "hoist: nonsense: no flag of this key" in running.end().err


def test_watch_polls_where_the_client_does_not(hoist: Tool, service: UnleashSimulator) -> None:
    with hoist.start("watch", "--url", service.api_url, "--set", "mode=backend", "--set", "refresh_interval=0", "--every", "0.1",
                     "--count", "1", "--json", key=service.backend_key) as running:
        running.wait_for("ready")
        change(service, "maintenance", True)
        assert running.wait_for("changed")["flag"]["key"] == "maintenance"
        assert running.end().status == 0


def test_watch_outlives_a_failure_of_the_service(hoist: Tool, service: UnleashSimulator) -> None:
    service.fail("frontend", "status", status=500, delay=0.3)
    with hoist.start("watch", "--url", service.frontend_url, "--set", "refresh_interval=1", "--json",
                     key=service.frontend_key) as running:
        assert "500" in running.wait_for("error")["message"]
        service.faults.clear()
        running.wait_for("ready")
        assert running.interrupt() == 0


def test_watch_ends_with_its_time(hoist: Tool, service: UnleashSimulator) -> None:
    for arguments, status in ((["--for", "0.3"], 0), (["--for", "0.3", "--count", "1"], NEGATIVE)):
        with watch(hoist, service, *arguments) as running:
            assert running.end().status == status


def test_watch_goes_on_with_a_refused_key(hoist: Tool, service: UnleashSimulator) -> None:
    """The service may not know the key yet: attempts go on slowly, and the line says why (D.2)."""
    with hoist.start("watch", "--url", service.frontend_url, "--json", key="*:development.wrong") as running:
        assert "401" in running.wait_for("error")["message"]
        assert running.interrupt() == 0


def test_interrupting_ends_watch_well(hoist: Tool, service: UnleashSimulator) -> None:
    with watch(hoist, service) as running:
        running.wait_for("ready")
        assert running.interrupt() == 0


def test_interrupting_ends_a_wait_at_once(hoist: Tool, service: UnleashSimulator) -> None:
    service.fail("frontend", "hang", times=None)
    with hoist.start("flags", "--url", service.frontend_url, "--timeout", "600", key=service.frontend_key) as running:
        assert service.wait_for("frontend", 1)
        assert running.interrupt() == -signal.SIGINT


def outcomes(result: Result) -> dict[str, str]:
    return {check["name"]: check["outcome"] for check in result.json["checks"]}


ALWAYS = {name: "ok" for name in ("hoist", "libcurl", "tls", "sqlite", "jansson", "pcre2", "store", "clock")}


def test_doctor_finds_a_healthy_service(hoist: Tool, service: UnleashSimulator) -> None:
    result = backend(hoist, service, "doctor", "--json")
    assert result.status == 0 and result.json["ok"] is True
    assert outcomes(result) == {**ALWAYS, "key": "ok", "configuration": "ok", "service": "ok"}
    messages = {check["name"]: check["message"] for check in result.json["checks"]}
    assert "all projects, environment development, from HOIST_KEY" in messages["key"]
    assert "5 flags" in messages["service"]


def test_doctor_without_a_service_looks_at_the_machine(hoist: Tool) -> None:
    result = hoist("doctor", "--json")
    assert result.status == 0
    assert outcomes(result) == {**ALWAYS, "key": "skipped", "service": "skipped"}


def test_doctor_tells_a_refused_key_from_a_dead_address(hoist: Tool, service: UnleashSimulator) -> None:
    refused = hoist("doctor", "--url", service.frontend_url, "--json", key="*:development.wrong")
    dead = hoist("doctor", "--url", "http://127.0.0.1:1/api/frontend", "--json", key="*:development.wrong")
    for result, says in ((refused, "401"), (dead, "onnect")):
        assert result.status == NEGATIVE and result.json["ok"] is False
        assert outcomes(result)["service"] == "failed"
        assert says in result.json["checks"][-1]["message"]


def test_doctor_finds_a_broken_configuration(hoist: Tool) -> None:
    result = hoist("doctor", "--features", "missing.json", "--json")
    assert result.status == CONFIGURATION and outcomes(result)["configuration"] == "failed"


def message(result: Result, name: str) -> str:
    return next(check["message"] for check in result.json["checks"] if check["name"] == name)


def test_doctor_finds_a_store_that_cannot_be_used(hoist: Tool, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    file = tmp_path / "file"
    file.touch()
    newer = tmp_path / "newer"
    assert hoist("doctor", "--set", f"store.path={tmp_path / 'good'}").status == 0
    newer.mkdir(0o700)
    assert outcomes(hoist("doctor", "--json", "--set", f"store.path={newer}"))["store"] == "ok"
    (made,) = newer.glob("*.sqlite")
    with sqlite3.connect(made) as database:
        database.execute("PRAGMA user_version = 1000000")
    for path, says in ((folder, "everybody"), (link, "symbolic link"), (file, "no folder"), (file / "below", "cannot be used"),
                       ("/proc/nowhere", "cannot be used"),
                       (newer, "newer version")):
        result = hoist("doctor", "--json", "--set", f"store.path={path}")
        assert outcomes(result)["store"] == "failed" and says in message(result, "store"), result
        assert result.status == CONFIGURATION


def test_doctor_warns_of_keys_that_others_may_read(hoist: Tool, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("shop:development.secret")
    for mode, outcome in ((0o644, "warning"), (0o600, "ok")):
        os.chmod(file, mode)
        result = hoist("doctor", "--json", "--key-file", file)
        assert outcomes(result)["key"] == outcome
        assert "project shop, environment development" in str(result.json["checks"])


def test_doctor_finds_keys_that_are_empty_or_of_the_wrong_kind(hoist: Tool, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("\n")
    for result, says in ((hoist("doctor", "--json", HOIST_KEY=""), "HOIST_KEY is set, and empty"),
                         (hoist("doctor", "--json", "--key-file", file), "holds no key"),
                         (hoist("doctor", "--json", key="user:secret"), "a personal access token")):
        assert (result.status, outcomes(result)["key"]) == (CONFIGURATION, "failed") and says in message(result, "key")


def test_doctor_tries_a_refused_key_in_the_other_mode(hoist: Tool, service: UnleashSimulator) -> None:
    """The text of a token does not show what it is for; the service does (B.1)."""
    result = hoist("doctor", "--url", service.frontend_url, "--json", key=service.backend_key)
    assert result.status == NEGATIVE and f"try --set mode=backend --url {service.api_url}" in message(result, "service"), result
    result = hoist("doctor", "--url", service.api_url, "--set", "mode=backend", "--json", key=service.frontend_key)
    assert "a frontend token: try --set mode=frontend" in message(result, "service"), result
    result = hoist("doctor", "--url", service.frontend_url, "--json", key="*:development.wrong")
    assert "try --set mode" not in message(result, "service"), result


@pytest.mark.parametrize("url", ["https://example.com/api/frontend", "https://your-instance.test/api", "http://{host}/api"])
def test_doctor_finds_a_placeholder_in_an_address(hoist: Tool, url: str) -> None:
    result = hoist("doctor", "--json", "--url", url, "--set", "online=false")
    assert result.status == CONFIGURATION and outcomes(result)["address"] == "failed"
    assert "url still holds a placeholder" in message(result, "address")


def test_watch_tells_an_error_that_came_before_it_could_listen(hoist: Tool) -> None:
    """Nobody listens at this port, so that the first fetch fails at once: told once, whoever was quicker."""
    watching = [hoist.start("watch", "--url", "http://127.0.0.1:9/api/frontend", "--for", "2", "--json", key="k")
                for _ in range(8)]
    for one in watching:
        ended = one.end()
        events = [json.loads(line) for line in ended.out.splitlines()]
        errors = [event["message"] for event in events if event["event"] == "error"]
        assert len(errors) == 1 and "127.0.0.1" in errors[0], ended
        assert ended.status == 0 and {"state", "error"} == {event["event"] for event in events}
