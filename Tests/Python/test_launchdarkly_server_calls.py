"""LaunchDarkly's own calls of mode server, against a strict service of rules."""

from __future__ import annotations

import contextvars
import hashlib
import hmac
import signal
import threading
from typing import Any

import pytest
from launchdarkly_server import LaunchDarklyServerSimulator
from test_fork import finish, fork
from test_launchdarkly_server import Connect, connect, rules  # noqa: F401 (fixtures)
from waiting import until

import hoist
from hoist import Status, launchdarkly
from hoist.launchdarkly import (
    ChangedFlag,
    Context,
    MigrationOperation,
    MigrationOrder,
    MigrationOrigin,
    MigrationStage,
    Migrator,
)

ANNA = Context("anna", attributes={"plan": "pro"})
BOB = {"kind": "user", "key": "bob", "plan": "free"}
OLD, NEW = MigrationOrigin.OLD, MigrationOrigin.NEW
NOBODY = {"kind": "nobody at all", "key": ""}


@pytest.fixture
def client(connect: Connect) -> Any:
    return connect(launchdarkly.Client)


def move(stage: str, version: int = 9, **more: Any) -> dict[str, Any]:
    """A flag that names a stage."""
    return {"on": True, "variations": [stage], "fallthrough": {"variation": 0}, "offVariation": 0, "version": version,
            "samplingRatio": 1, "migration": {"checkRatio": 1}, **more}  # fmt: skip


# ---- All flags, and the hash ---------------------------------------------------------------------


def test_all_flags_are_there_for_a_page(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """(LDS-32; ready, closed)"""
    state = client.all_flags_state(ANNA)
    assert state.is_valid and state.values["page-size"] == 25 and state.values["theme"] == {"color": "blue", "sizes": [1, 2, 3]}
    assert state.metadata["checkout"]["prerequisites"] == ["banner"] and state.metadata["move"]["version"] == 6
    assert client.all_flags_state(BOB).values["page-size"] == 12.5
    browser = client.all_flags_state(ANNA, client_side_only=True, with_reasons=True)
    assert browser.to_dict() == {
        "dark-mode": True, "$valid": True,
        "$flagsState": {"dark-mode": {"variation": 0, "version": 3, "reason": {"kind": "FALLTHROUGH"}}}}  # fmt: skip
    brief = client.all_flags_state(ANNA, details_only_for_tracked_flags=True).metadata
    assert "version" in brief["banner"] and "version" not in brief["move"]
    assert client.flush() is Status.OK
    assert rules.ledger.payloads() == []
    client.close(5)
    assert client.all_flags_state(ANNA).to_json() == '{"$flagsState":{},"$valid":false}'


def test_nobody_has_flags(rules: LaunchDarklyServerSimulator, connect: Connect, client: launchdarkly.Client) -> None:
    """No context, one that is none, and before there are rules (LDS-03, LDS-32, LDS-33; starting, ready, failing)"""
    for context in (None, NOBODY, hoist.Context(), {"targetingKey": ""}):
        assert client.all_flags_state(context).to_dict() == {"$flagsState": {}, "$valid": False}
        assert client.secure_mode_hash(context) == ""
    with pytest.raises(TypeError):
        client.all_flags_state("anna")  # type: ignore[arg-type]
    rules.go_away()
    early = connect(launchdarkly.Client, ready=False, store="none")
    assert not early.all_flags_state(ANNA).is_valid and early.secure_mode_hash(ANNA) == client.secure_mode_hash(ANNA)


def test_a_hash_is_the_keys(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """(LDS-33; ready, closed)"""
    both = Context.multi(Context("k"), Context("o", kind="org"))
    for _ in range(2):
        for context in (ANNA, both):
            digest = hmac.new(rules.sdk_key.encode(), context.fully_qualified_key.encode(), hashlib.sha256).hexdigest()
            assert client.secure_mode_hash(context) == digest
        client.close(5)


# ---- Observers -----------------------------------------------------------------------------------


def test_flag_changes_are_told(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """Those of a flag, of what refers to it, and of a segment; no evaluation is counted (LDS-62; ready)"""
    told: list[list[str]] = []
    values: list[ChangedFlag] = []
    subscription = client.observe_flag_changes(told.append)
    client.observe_flag_value("page-size", {"targetingKey": "dora"}, values.append)
    client.observe_flag_value("page-size", BOB, values.append)
    rules.set_flag("banner", on=False)
    assert until(lambda: told == [["banner", "checkout"]])
    rules.set_segment("testers", included=["dora", "bob"])
    assert until(lambda: values == [ChangedFlag("page-size", 10, 25)])
    assert told[1:] == [["page-size"]]
    assert subscription.cancel() and not subscription.cancel()
    rules.delete_flag("page-size")
    assert until(lambda: len(values) == 3)
    assert {(flag.old_value, flag.new_value) for flag in values[1:]} == {(25, None), (12.5, None)}
    assert len(told) == 2
    assert client.flush() is Status.OK
    assert rules.ledger.payloads() == []


def test_an_observer_ends_with_its_owner(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """(LDS-62; ready)"""

    class Page:
        seen = 0

        def note(self, _: object) -> None:
            Page.seen += 1

    page, told = Page(), list[object]()
    client.observe_flag_value("banner", ANNA, page.note, page)
    client.observe_flag_changes(page.note, page)
    client.observe_flag_changes(told.append)
    del page
    rules.set_flag("banner", on=False)
    assert until(lambda: len(told) == 1)
    assert Page.seen == 0


def test_nobody_is_observed(client: launchdarkly.Client) -> None:
    """(LDS-62; ready)"""
    for context in (None, NOBODY):
        with pytest.raises(hoist.Error) as problem:
            client.observe_flag_value("banner", context, print)
        assert problem.value.status is Status.ARGUMENT


# ---- Migrations ----------------------------------------------------------------------------------


def operations(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> list[dict[str, Any]]:
    """What was told of operations until now."""
    assert client.flush() is Status.OK
    found: list[dict[str, Any]] = rules.ledger.events("migration_op")
    return found


def measured(event: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: one.get("values", one.get("value")) for one in event["measurements"]}


def test_a_tracker_tells_of_an_operation(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """(LDS-45, LDS-61; ready)"""
    rules.set_flag("move", **move("shadow"))
    assert until(lambda: client.migration_variation("move", ANNA, MigrationStage.OFF)[0] is MigrationStage.SHADOW)
    stage, tracker = client.migration_variation("move", ANNA, MigrationStage.OFF)
    assert client.track_migration(tracker) is Status.ARGUMENT  # nothing was done
    tracker.begin(MigrationOperation.READ)
    for origin in (OLD, NEW):
        assert tracker.invoked(origin) is Status.OK
    assert tracker.took(OLD, 0.0125) is Status.OK and tracker.took(NEW, float("nan")) is Status.ARGUMENT
    assert tracker.failed(NEW) is Status.OK and tracker.check(lambda: 1 == 2) is Status.OK
    assert client.track_migration(tracker) is Status.OK
    (event,) = operations(rules, client)
    assert event["evaluation"] == {"key": "move", "default": "off", "value": "shadow", "variation": 0, "version": 9,
                                   "reason": {"kind": "FALLTHROUGH"}}  # fmt: skip
    assert measured(event) == {"invoked": {"old": True, "new": True}, "latency_ms": {"old": 12.5}, "error": {"new": True},
                               "consistent": False}  # fmt: skip


def test_what_names_no_stage_is_the_default(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """(LDS-61; ready)"""
    for key, context in [("nowhere", ANNA), ("banner", ANNA), ("dark-mode", BOB), ("move", NOBODY)]:
        stage, tracker = client.migration_variation(key, context, MigrationStage.RAMPDOWN)
        tracker.begin(MigrationOperation.WRITE)
        tracker.invoked(NEW)
        assert stage is MigrationStage.RAMPDOWN
        assert client.track_migration(tracker) is (Status.ARGUMENT if context is NOBODY else Status.OK)
    events = operations(rules, client)
    assert [event["evaluation"]["reason"].get("errorKind") for event in events] == ["FLAG_NOT_FOUND", "WRONG_TYPE", "WRONG_TYPE"]
    assert all("variation" not in event["evaluation"] for event in events)


@pytest.mark.parametrize("order", list(MigrationOrder)[:3])
def test_a_migrator_reads_and_writes(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client, order: MigrationOrder) -> None:
    """Both systems, the one that counts first in writes (LDS-45, LDS-61; ready)"""
    written: list[tuple[str, Any]] = []
    migrator = Migrator(
        client, order=order, read_old=lambda key: f"old {key}", read_new=lambda key: f"new {key}",
        write_old=lambda key: written.append(("old", key)), write_new=lambda key: written.append(("new", key)),
        is_consistent=lambda old, new: (old, new) != ("old 7", "new 7"))  # fmt: skip
    rules.set_flag("moving", **move("live"))
    assert until(lambda: client.migration_variation("moving", ANNA, MigrationStage.OFF)[0] is MigrationStage.LIVE)
    read = migrator.read("moving", ANNA, MigrationStage.OFF, 7)
    assert (read.stage, read.authoritative.origin, read.authoritative.value) == (MigrationStage.LIVE, NEW, "new 7")
    assert read.other is not None and read.other.value == "old 7"
    assert migrator.write("moving", ANNA, MigrationStage.OFF, 8).authoritative.has_succeeded
    assert written == [("new", 8), ("old", 8)]
    first, second = operations(rules, client)
    assert (first["operation"], second["operation"]) == ("read", "write")
    assert measured(first)["consistent"] is False and set(measured(first)["latency_ms"]) == {"old", "new"}


def test_a_system_that_raises_has_failed(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """The other is not written when the one that counts fails (LDS-61; ready)"""

    def fail(_: object) -> None:
        raise OSError("gone")

    migrator = Migrator(client, read_old=fail, read_new=str, write_old=str, write_new=fail, tracks_latency=False,
                        is_consistent=lambda old, new: pytest.fail("nothing is there to compare"))  # fmt: skip
    rules.set_flag("move", **move("shadow"))
    assert until(lambda: client.migration_variation("move", ANNA, MigrationStage.OFF)[0] is MigrationStage.SHADOW)
    read = migrator.read("move", ANNA, MigrationStage.OFF, 1)
    assert isinstance(read.authoritative.error, OSError) and read.other is not None and read.other.value == "1"
    rules.set_flag("move", **move("live", version=10))
    assert until(lambda: client.migration_variation("move", ANNA, MigrationStage.OFF)[0] is MigrationStage.LIVE)
    write = migrator.write("move", ANNA, MigrationStage.OFF, 1)
    assert not write.authoritative.has_succeeded and write.other is None
    assert [measured(event) for event in operations(rules, client)] == [
        {"invoked": {"old": True, "new": True}, "error": {"old": True}}, {"invoked": {"new": True}, "error": {"new": True}}]  # fmt: skip


def test_concurrent_reads_meet(connect: Connect) -> None:
    """Each waits for the other; both see the caller's context variables; without rules it goes by the default (LDS-61; starting)"""
    client = connect(launchdarkly.Client, ready=False, mobile_key="", bootstrap={"flags": {}}, store="none")
    both, tenant = threading.Barrier(2), contextvars.ContextVar("tenant", default="")
    tenant.set("acme")

    def meet(_: object) -> tuple[str, int]:
        both.wait(10)
        return tenant.get(), threading.get_ident()

    read = Migrator(client, read_old=meet, read_new=meet).read("move", ANNA, MigrationStage.LIVE)
    assert read.other is not None and read.authoritative.value == ("acme", threading.get_ident())
    assert read.other.value[0] == "acme" and read.other.value[1] != threading.get_ident()
    with pytest.raises(hoist.Error) as problem:
        Migrator(client, read_old=meet).read("move", ANNA, MigrationStage.LIVE)
    assert problem.value.status is Status.ARGUMENT


def test_ctrl_c_ends_the_wait_for_the_other_system(connect: Connect) -> None:
    """Contract 5: every wait (LDS-61; starting)"""
    client, is_over = connect(launchdarkly.Client, ready=False, mobile_key="", bootstrap={"flags": {}}, store="none"), threading.Event()

    def hang(_: object) -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        is_over.wait(20)

    with pytest.raises(KeyboardInterrupt):
        Migrator(client, read_old=hang, read_new=str).read("move", ANNA, MigrationStage.LIVE)
    assert not is_over.is_set()
    is_over.set()


def test_mode_client_has_none_of_them(offline_launchdarkly: launchdarkly.Client) -> None:
    """(LDS-32, LDS-33, LDS-61, LDS-62; offline)"""
    client = offline_launchdarkly
    assert not client.all_flags_state(ANNA).is_valid and client.secure_mode_hash(ANNA) == ""
    with pytest.raises(hoist.Error) as problem:
        client.observe_flag_changes(print)
    assert problem.value.status is Status.STATE
    stage, tracker = client.migration_variation("move", ANNA, MigrationStage.SHADOW)
    assert stage is MigrationStage.SHADOW and tracker.begin(MigrationOperation.READ) is Status.ARGUMENT
    assert client.track_migration(tracker) is Status.STATE


@pytest.fixture
def offline_launchdarkly() -> Any:
    with launchdarkly.Client({"mobile_key": "mob", "online": False, "store": "none"}, context=ANNA) as client:
        yield client


def test_a_forked_child_has_all_of_them(rules: LaunchDarklyServerSimulator, client: launchdarkly.Client) -> None:
    """(LDS-08, LDS-32, LDS-61, LDS-62; forked)"""
    rules.options.change(repeated_indexes=True)
    migrator = Migrator(client, read_old=str, read_new=str)

    def work() -> None:
        assert client.all_flags_state(ANNA).is_valid and client.secure_mode_hash(ANNA)
        client.observe_flag_changes(print)
        assert migrator.read("move", ANNA, MigrationStage.OFF).stage is MigrationStage.LIVE
        assert client.flush(20) is Status.OK

    assert finish([fork(work)]) == [0]
    assert migrator.read("move", ANNA, MigrationStage.OFF).stage is MigrationStage.LIVE
