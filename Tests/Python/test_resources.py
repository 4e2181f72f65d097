"""What a process has after many clients, and what it can do while one of them waits."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from documents import TYPED
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import _callback, unleash

CLIENTS = 1000


class Quiet(hoist.Logger, hoist.Hook):
    def write(self, level: hoist.LogLevel, message: str) -> None:
        pass

    def before(self, call: hoist.HookCall) -> None:
        pass


def resident_kilobytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def handles() -> dict[str, int]:
    gc.collect()
    return {"descriptors": len(os.listdir("/proc/self/fd")), "threads": len(os.listdir("/proc/self/task")),
            "plug-ins": len(_callback._alive)}  # fmt: skip


def use_one(index: int) -> None:
    plugin = Quiet()
    client = unleash.Client(mode="backend", online=False, store="none", toggles=TYPED, logger=plugin, hooks=[plugin],
                            strategies={"mine": lambda parameters, context: True})  # fmt: skip
    client.observe(hoist.Topic.READY, lambda news: None)
    user = hoist.Context(f"user-{index}", plan="pro")
    assert client.bool("switch", user) and client.get_variant("text", user).payload
    view, detail = client.view(user), client.explain("text", user)
    assert view.string("text") == detail.value
    if index % 3:
        client.close()  # the others are only dropped


def test_a_thousand_clients_leave_nothing_behind() -> None:
    """G4, G6: descriptors, threads, plug-ins and memory, with and without closing."""
    # Plug-ins that raised in tests before are kept alive by their tracebacks.
    others = handles()["plug-ins"]
    for index in range(100):
        use_one(index)
    assert until(lambda: handles()["plug-ins"] <= others)
    before, memory = handles(), resident_kilobytes()
    for index in range(CLIENTS):
        use_one(index)
    assert until(lambda: all(handles()[name] <= before[name] for name in before)), (before, handles())
    grown = resident_kilobytes() - memory
    assert grown < 8 * CLIENTS, f"{grown} KiB more after {CLIENTS} clients"


WAITS: dict[str, Callable[[hoist.Client], object]] = {
    "wait_ready": lambda client: client.wait_ready(0.8),
    "identify": lambda client: client.identify({"userId": "u"}, 0.8),
    "flush": lambda client: client.flush(0.8),
    "close": lambda client: client.close(0.8),
}


@pytest.mark.parametrize("call", WAITS)
def test_other_threads_run_while_one_waits(service: UnleashSimulator, open_client, call: str) -> None:
    """Each call that waits lets go of the interpreter lock, here while the service is silent."""
    client = open_client("frontend", log_level="none")
    if call != "wait_ready":
        assert client.wait_ready(5)
    client.bool("switch")
    for endpoint in ("frontend", "frontend-metrics"):
        service.fail(endpoint, "hang", times=None, then="close")
    waiting = client if call != "wait_ready" else open_client("frontend", log_level="none")
    ended, turns = threading.Event(), 0

    def wait() -> None:
        with suppress(hoist.Error):
            WAITS[call](waiting)
        ended.set()

    thread = threading.Thread(target=wait)
    began = time.monotonic()
    thread.start()
    while not ended.wait(0.01):
        turns += 1
    thread.join()
    took = time.monotonic() - began
    service.faults.clear()
    assert took > 0.5, f"{call} did not wait"
    assert turns > 10, f"{turns} turns of another thread in {took:.1f} s"


def test_a_client_cannot_be_copied(offline: hoist.Client) -> None:
    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            copying(offline)


def test_arguments_of_a_wrong_type_are_named(offline: hoist.Client) -> None:
    with pytest.raises(TypeError, match="the fallback is a str, not int"):
        offline.string("text", None, 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a topic is a hoist\.Topic, not str"):
        offline.observe("ready", print)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a toggle is"):
        unleash.Bootstrap([1])  # type: ignore[list-item]


def test_a_document_may_be_json_text() -> None:
    text = '{"version": 2, "features": [{"name": "on", "enabled": true, "strategies": []}]}'
    for document in (text, text.encode()):
        with unleash.Client(mode="backend", online=False, store="none", toggles=document) as client:
            assert client.is_enabled("on")
    with pytest.raises(hoist.Error, match="bootstrap"):
        unleash.Client(mode="backend", online=False, store="none", toggles="{")
