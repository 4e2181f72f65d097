"""Migrations: systems are addresses of the harness."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from conftest import Create
from harness import Callback, Told
from launchdarkly_server import LaunchDarklyServerSimulator
from server_data import ANNA, flag

Rules = LaunchDarklyServerSimulator
STAGES = ["off", "dualwrite", "shadow", "live", "rampdown", "complete"]
READS = {"off": ["old"], "dualwrite": ["old"], "shadow": ["old", "new"], "live": ["new", "old"], "rampdown": ["new"],
         "complete": ["new"]}  # fmt: skip
WRITES = {**READS, "dualwrite": ["old", "new"], "rampdown": ["new", "old"]}
PAYLOAD = 'text "as it is" é\n'


def moving(rules: Rules, stage: str, **more: Any) -> None:
    rules.set_flag("moving", **flag(variations=STAGES, fallthrough={"variation": STAGES.index(stage)}, **more))


def operate(client: Any, systems: Callback, operation: str, **more: Any) -> str:
    answer = client.run("migrationOperation", **{
        "key": "moving", "context": ANNA, "defaultStage": "off", "readExecutionOrder": "serial", "operation": operation,
        "oldEndpoint": f"{systems.base}/old", "newEndpoint": f"{systems.base}/new", "payload": PAYLOAD,
        "trackLatency": False, "trackErrors": False, "trackConsistency": False, **more})  # fmt: skip
    assert set(answer) == {"result"}
    result: str = answer["result"]
    return result


def answering(**statuses: int) -> Callback:
    """Both systems; each tells its name, or fails."""
    return Callback(lambda told: (statuses.get(told.path[1:], 200), told.path[1:].encode()))


def event(rules: Rules, client: Any) -> dict[str, Any]:
    """The one event of an operation; beside it there are an index event and a summary, and nothing else."""
    client.run("flushEvents")
    assert rules.wait_for_events("migration_op")
    assert rules.ledger.kinds() == {"index": 1, "migration_op": 1, "summary": 1}
    found: dict[str, Any] = rules.ledger.events("migration_op")[0]
    return found


def measured(told: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: each.get("values", each.get("value")) for each in told["measurements"]}


@pytest.mark.parametrize("stage", STAGES)
def test_stages(rules: Rules, serve: Create, stage: str) -> None:
    """(LDS-61; ready)"""
    moving(rules, stage)
    client = serve()
    assert client.run("migrationVariation", key="moving", context=ANNA, defaultStage="off") == {"result": stage}
    assert client.run("migrationVariation", key="absent", context=ANNA, defaultStage=stage) == {"result": stage}
    assert client.run("migrationVariation", key="dark-mode", context=ANNA, defaultStage=stage) == {"result": stage}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("operation", "order"), [("read", READS), ("write", WRITES)])
def test_systems_are_used_in_their_order(rules: Rules, serve: Create, operation: str, order: Any, stage: str) -> None:
    """The payload is untouched; the event has what was invoked, and nothing that was not asked for (LDS-45, LDS-61; ready)."""
    moving(rules, stage)
    client = serve()
    with answering() as systems:
        assert operate(client, systems, operation) == order[stage][0]
    assert [told.path[1:] for told in systems.noted] == order[stage]
    assert {told.data.decode() for told in systems.noted} == {PAYLOAD}
    told = event(rules, client)
    assert told["operation"] == operation and "samplingRatio" not in told and told["context"] == ANNA
    assert told["evaluation"] == {"key": "moving", "default": "off", "value": stage, "variation": STAGES.index(stage),
                                  "version": 1, "reason": {"kind": "FALLTHROUGH"}}  # fmt: skip
    assert measured(told) == {"invoked": dict.fromkeys(order[stage], True)}


def test_concurrent_reads_are_beside_each_other(rules: Rules, serve: Create) -> None:
    """Each answers when the other has been asked, too (LDS-61; ready)."""
    moving(rules, "shadow")
    client, both = serve(), threading.Barrier(2, timeout=20)

    def answer(told: Told) -> tuple[int, Any]:
        both.wait()
        return 200, told.path.encode()

    with Callback(answer) as systems:
        assert operate(client, systems, "read", readExecutionOrder="concurrent") == "/old"


def test_random_reads_use_both(rules: Rules, serve: Create) -> None:
    """Whichever is first, the result is of the one that counts (LDS-61; ready)."""
    moving(rules, "live")
    client = serve()
    with answering() as systems:
        while len({told.path for told in systems.noted[::2]}) < 2:
            assert operate(client, systems, "read", readExecutionOrder="random") == "new"


@pytest.mark.parametrize(("failing", "operation", "result", "used"), [
    ("old", "read", "status 500", ["old", "new"]), ("new", "read", "old", ["old", "new"]),
    ("old", "write", "status 500", ["old"]), ("new", "write", "old", ["old", "new"]),
])  # fmt: skip
def test_failures_are_measured(
    rules: Rules, serve: Create, failing: str, operation: str, result: str, used: list[str]
) -> None:
    """Where the one that counts fails to write the other is not written (LDS-45, LDS-61; ready)."""
    moving(rules, "shadow")
    client = serve()
    with answering(**{failing: 500}) as systems:
        assert result in operate(client, systems, operation, trackErrors=True, trackLatency=True)
    assert [told.path[1:] for told in systems.noted] == used
    found = measured(event(rules, client))
    assert set(found) == {"invoked", "error", "latency_ms"}
    assert set(found["invoked"]) == set(found["latency_ms"]) == set(used) and found["error"] == {failing: True}


@pytest.mark.parametrize("same", [True, False])
def test_consistency_is_measured(rules: Rules, serve: Create, same: bool) -> None:
    """Texts are the same, or not (LDS-45, LDS-61; ready)."""
    moving(rules, "live")
    client = serve()
    with Callback(lambda told: (200, b"same" if same else told.path.encode())) as systems:
        operate(client, systems, "read", trackConsistency=True)
    assert measured(event(rules, client)) == {"invoked": {"old": True, "new": True}, "consistent": same}


def test_what_is_sampled_never_makes_no_event(rules: Rules, serve: Create) -> None:
    """Index event and summary are made all the same (LDS-45, LDS-46; ready)."""
    moving(rules, "live", samplingRatio=0)
    client = serve()
    with answering() as systems:
        operate(client, systems, "read")
    client.run("flushEvents")
    assert rules.wait_for_evaluations("moving", 1)
    assert rules.ledger.kinds() == {"index": 1, "summary": 1}


def test_checks_may_be_sampled_away(rules: Rules, serve: Create) -> None:
    """(LDS-45, LDS-46; ready)"""
    moving(rules, "live", migration={"checkRatio": 0})
    client = serve()
    with answering() as systems:
        operate(client, systems, "read", trackConsistency=True)
    assert set(measured(event(rules, client))) == {"invoked"}


@pytest.mark.parametrize(("key", "evaluation"), [
    ("absent", {"reason": {"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}}),
    ("dark-mode", {"version": 3, "reason": {"kind": "ERROR", "errorKind": "WRONG_TYPE"}}),
])  # fmt: skip
def test_without_a_stage_the_default_counts(rules: Rules, serve: Create, key: str, evaluation: Any) -> None:
    """(LDS-45, LDS-61; ready)"""
    client = serve()
    with answering() as systems:
        assert operate(client, systems, "read", key=key, defaultStage="complete") == "new"
    told = event(rules, client)["evaluation"]
    assert told == {"key": key, "default": "complete", "value": "complete", **evaluation}


@pytest.mark.parametrize("wrong", [{"operation": "move"}, {"operation": None}, {"readExecutionOrder": "any"}, {"newEndpoint": None}])
def test_operations_that_are_none(serve: Create, wrong: Any) -> None:
    """(LDS-68; ready)"""
    client = serve()
    parameters = {"key": "move", "context": ANNA, "defaultStage": "off", "operation": "read", "oldEndpoint": "http://127.0.0.1:1",
                  "newEndpoint": "http://127.0.0.1:1", **wrong}  # fmt: skip
    assert client.ask("migrationOperation", **parameters).status == 400
