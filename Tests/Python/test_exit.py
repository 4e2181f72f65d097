"""The end of the process, with clients that nobody closed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from unleash import UnleashSimulator

HERE = Path(__file__).parent

OPEN = """
import atexit, gc, os, sys, threading, time
sys.path[:0] = [{here!r}, {simulators!r}]
import hoist
from hoist import Topic
from documents import TYPED
client = hoist.Client("unleash", url={url!r}, key={key!r}, store="none", app_name="shop")
assert client.wait_ready(10)
"""


def run(service: UnleashSimulator, program: str, timeout: float = 30) -> tuple[subprocess.CompletedProcess[str], float]:
    """Runs a program that has opened a client; answers how it ended and how long that took."""
    start = OPEN.format(
        here=str(HERE), simulators=str(HERE.parent / "Simulators"), url=service.frontend_url, key=service.frontend_key
    )
    began = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore", "-c", start + textwrap.dedent(program)],
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    return ended, time.monotonic() - began


def test_an_open_client_is_flushed_at_exit(service: UnleashSimulator) -> None:
    """The program forgets to close, the counts arrive all the same (UNL-84, G4; closing)."""
    ended, _ = run(service, """
        for _ in range(5):
            client.bool("switch")
        print("bye")
    """)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "bye\n", "")
    assert service.ledger.totals()["switch"]["yes"] == 5


@pytest.mark.parametrize("leave", ["sys.exit(3)", "raise SystemExit(3)", "os._exit(3)", "client.close(); sys.exit(3)"])
def test_every_way_out_keeps_its_status(service: UnleashSimulator, leave: str) -> None:
    """G4, G6"""
    ended, _ = run(service, leave)
    assert (ended.returncode, ended.stderr) == (3, "")


def test_a_service_that_hangs_holds_up_the_end_for_the_limit_only(service: UnleashSimulator) -> None:
    """G4"""
    service.fail("frontend-metrics", "hang", times=None)
    ended, took = run(service, "hoist.set_exit_limit(0.5); client.bool('switch'); began = time.monotonic()")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert took < 10


CALLBACKS = {
    "busy": "while True: sum(range(100))",
    "sleeping": "while True: time.sleep(0.0001)",
    "asleep": "time.sleep(1000)",
    "waiting for a lock": "threading.Lock().acquire(); held = threading.Lock(); held.acquire(); held.acquire()",
}


@pytest.mark.parametrize("kind", CALLBACKS)
def test_a_callback_that_never_returns_does_not_hold_up_the_end(service: UnleashSimulator, kind: str) -> None:
    """G4, G11: threads of the library's inside Python are no crash when the interpreter ends."""
    ended, took = run(service, f"""
        entered = threading.Event()
        def stuck(_):
            entered.set()
            {CALLBACKS[kind]}
        client.observe(Topic.READY, stuck)
        assert entered.wait(10)
        hoist.set_exit_limit(0.3)
        print("bye")
    """)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "bye\n", "")
    assert took < 15


def test_news_that_arrive_while_the_interpreter_ends_do_no_harm(service: UnleashSimulator) -> None:
    """G4: many ends, with observers and log lines under way."""
    for _ in range(10):
        ended, _ = run(service, """
            import logging
            quiet = logging.getLogger("quiet")
            quiet.addHandler(logging.NullHandler())
            for index in range(20):
                client.observe(Topic.READY, lambda _: time.sleep(0.0005))
            other = hoist.Client("unleash", url="http://127.0.0.1:9/", key="k", store="none", log_level="debug",
                                 refresh_interval=1, logger=quiet)
            client.bool("switch")
        """)
        assert (ended.returncode, ended.stderr) == (0, "")


def test_closing_does_not_wait_for_the_interpreter_lock(service: UnleashSimulator) -> None:
    """A callback needs the lock that the closing thread would hold if `close` did not let go of it."""
    ended, _ = run(service, """
        told = []
        client.observe(Topic.STATE, lambda news: (time.sleep(0.05), told.append(news.message)))
        began = time.monotonic()
        assert client.close(5)
        assert time.monotonic() - began < 4
        print(len(told) >= 0)
    """)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True\n", "")


def test_clients_that_are_dropped_are_freed(service: UnleashSimulator) -> None:
    """G4: forgetting a client without closing it is no crash, also inside a callback."""
    ended, _ = run(service, """
        import weakref
        gone = []
        def drop(_):
            inner = hoist.Client("unleash", online=False, bootstrap=TYPED, mode="backend", store="none")
            gone.append(weakref.ref(inner))
            del inner
            gc.collect()
        client.observe(Topic.READY, drop)
        for _ in range(20):
            other = hoist.Client("unleash", online=False, bootstrap=TYPED, mode="backend", store="none")
            assert other.bool("switch")
        deadline = time.monotonic() + 10
        while (not gone or gone[0]()) and time.monotonic() < deadline:
            time.sleep(0.01)
        print(gone[0]())
    """)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "None\n", "")


@pytest.mark.parametrize("closed", [True, False])
def test_plugins_of_freed_clients_are_released(service: UnleashSimulator, closed: bool) -> None:
    """G4: `release` runs once nobody uses the table any more."""
    ended, _ = run(service, f"""
        import weakref
        class Log(hoist.Logger):
            def write(self, level, message): pass
        log = Log()
        alive = weakref.ref(log)
        for _ in range(20):
            other = hoist.Client("unleash", online=False, bootstrap=TYPED, mode="backend", store="none", logger=log)
            assert other.bool("switch")
            if {closed}: other.close()
        del other, log
        deadline = time.monotonic() + 5
        while alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        print(alive())
    """)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "None\n", "")


def test_a_client_is_usable_from_other_atexit_functions(service: UnleashSimulator) -> None:
    ended, _ = run(service, 'atexit.register(lambda: print(client.bool("switch"), client.flush(5)))')
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True OK\n", "")
