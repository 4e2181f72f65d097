"""Hooks written in Python run around evaluations, on the evaluating thread."""

from __future__ import annotations

import time

import pytest
from documents import TYPED

import hoist
from hoist import Status


class Record(hoist.Hook):
    def __init__(self, name: str, calls: list[str]) -> None:
        self.name, self.calls = name, calls

    def before(self, call: hoist.HookCall) -> None:
        self.calls.append(f"{self.name} before {call.key} {call.context.targeting_key if call.context else None}")

    def after(self, call: hoist.HookCall, detail: hoist.Detail) -> None:
        self.calls.append(f"{self.name} after {detail.value}")

    def error(self, call: hoist.HookCall, detail: hoist.Detail) -> None:
        self.calls.append(f"{self.name} error {detail.error_code}")

    def finally_(self, call: hoist.HookCall) -> None:
        self.calls.append(f"{self.name} finally")


def offline_client(**more: object) -> hoist.Client:
    client = hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap=TYPED, **more)
    assert client.wait_ready(5)
    return client


def test_hooks_run_in_openfeatures_order() -> None:
    calls: list[str] = []
    with offline_client(hooks=[Record("a", calls), Record("b", calls)]) as client:
        assert client.bool("switch", {"targetingKey": "u"}) is True
        assert calls == [
            "a before switch u", "b before switch u", "b after True", "a after True", "b finally", "a finally",
        ]  # fmt: skip
        calls.clear()
        assert client.string("unknown", None, "x") == "x"
        assert calls == [
            "a before unknown None", "b before unknown None", "b error FLAG_NOT_FOUND", "a error FLAG_NOT_FOUND",
            "b finally", "a finally",
        ]  # fmt: skip


def test_a_hook_that_raises_makes_the_evaluation_an_error(caplog: pytest.LogCaptureFixture) -> None:
    """G11"""

    class Fails(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            raise ValueError("in the hook")

    class FailsLater(hoist.Hook):
        def after(self, call: hoist.HookCall, detail: hoist.Detail) -> None:
            raise SystemExit

        finally_ = after  # type: ignore[assignment]

    with offline_client(hooks=[Fails()]) as client:
        assert client.bool("switch") is False
        assert client.detail("switch", None, False).error_code == "GENERAL"
        assert "in the hook" in caplog.text
    with offline_client(hooks=[FailsLater()]) as client:
        assert client.bool("switch") is True


def test_a_hook_that_always_raises_is_told_of_once_a_minute(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G11, contract 7: a program that evaluates a million times does not log a million tracebacks. State: ready."""

    class Fails(hoist.Hook):
        def after(self, call: hoist.HookCall, detail: hoist.Detail) -> None:
            raise ValueError("again and again")

    with offline_client(hooks=[Fails()]) as client:
        for _ in range(100):
            assert client.bool("switch") is True
        assert [record.getMessage().split(" raised ")[1] for record in caplog.records] == ["ValueError"]
        later = time.monotonic() + 60
        monkeypatch.setattr(time, "monotonic", lambda: later)
        assert client.bool("switch") is True
    assert caplog.records[1].getMessage().endswith(" raised ValueError, and 99 times since this was last told")


def test_a_hook_may_evaluate(offline: hoist.Client) -> None:
    """G11: re-entrance on the evaluating thread."""
    depth: list[int] = []

    class Nested(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            depth.append(len(depth))
            if len(depth) < 5:
                client.bool("dark", {"targetingKey": "inner"})

    with offline_client(hooks=[Nested()]) as client:
        assert client.bool("switch") is True
    assert depth == [0, 1, 2, 3, 4]


def test_ctrl_c_inside_a_hook_is_heard_afterwards() -> None:
    class Interrupted(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            raise KeyboardInterrupt

    with offline_client(hooks=[Interrupted()]) as client, pytest.raises(KeyboardInterrupt):
        client.bool("switch")
        time.sleep(1)


def test_seventeen_hooks_are_too_many() -> None:
    """G5"""
    with pytest.raises(hoist.Error) as refused:
        offline_client(hooks=[hoist.Hook() for _ in range(17)])
    assert refused.value.status is Status.LIMIT


def test_hooks_do_not_run_for_reads_of_a_view() -> None:
    """As its documentation says, in C and here (state: ready)."""
    calls: list[str] = []
    with offline_client(hooks=[Record("a", calls)]) as client, client.view({"targetingKey": "u"}) as view:
        assert view.bool("switch") is True and calls == []
    assert "Hooks do not run" in (hoist.View.__doc__ or "")
