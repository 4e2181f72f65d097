"""5 Time limits: one rule for every timeout_ms."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence

from differences import Difference, expect, require, returns, until
from hoist import Cache, EventRow, State, Status, Topic
from hoist._native import lib
from hoist.plugins import Logger, LogLevel
from scenario import scenario
from world import World

ALLOWANCE = 0.1
"""What a call may take beyond its limit, in seconds."""


def within(limit: float, call: Callable[[], Status], what: str, rounds: int = 4) -> Status:
    """What a call answers that has a time limit. On a busy machine one of several may take longer, but not each."""
    for _ in range(rounds):
        begin = time.monotonic()
        status = returns(call, what)
        if time.monotonic() - begin <= limit + ALLOWANCE:
            return status
    raise Difference(f"{what} takes longer than its limit")


@scenario(5)
def test_asking_for_readiness_takes_no_time(world: World) -> None:
    """0 asks and returns at once. State: starting, the service does not answer, wait_ready."""
    world.service.hang()
    client = world.open()
    expect(within(0, lambda: client.wait_ready(0), "wait_ready(0)"), Status.TIMEOUT, "wait_ready(0)")


@scenario(5)
def test_waiting_for_readiness_keeps_its_limit(world: World) -> None:
    """Positive waits that long, and no longer than 100 ms more. State: starting, the service does not answer, wait_ready."""
    world.service.hang()
    client = world.open()
    begin = time.monotonic()
    expect(within(0.2, lambda: client.wait_ready(0.2), "wait_ready(200)"), Status.TIMEOUT, "wait_ready(200)")
    require(time.monotonic() - begin >= 0.2, "wait_ready(200) returns sooner")


@scenario(5)
def test_waiting_for_readiness_without_a_limit(world: World) -> None:
    """Negative waits without limit. State: starting, the service answers late, wait_ready."""
    world.service.hang()
    client = world.open()
    threading.Timer(0.3, world.service.heal).start()
    status = returns(lambda: Status(lib.hoist_client_wait_ready(client._pointer, -1)), "wait_ready(-1)")
    expect(status, Status.OK, "wait_ready(-1)")


@scenario(5, needs=("events",))
def test_flushing_keeps_its_limit(world: World) -> None:
    """0 asks and returns at once, positive waits that long. State: ready, events are not answered, flush."""
    client = world.ready()
    world.service.fail_events("hang", then="answer")
    expect(world.track(client, 1), Status.OK, "track")
    expect(within(0, lambda: client.flush(0), "flush(0)"), Status.TIMEOUT, "flush(0)")
    expect(within(0.2, lambda: client.flush(0.2), "flush(200)"), Status.TIMEOUT, "flush(200)")


@scenario(5, needs=("events",))
def test_flushing_without_a_limit(world: World) -> None:
    """Negative waits without limit. State: ready, events are answered late, flush."""
    client = world.ready()
    world.service.fail_events("hang", then="answer")
    expect(world.track(client, 1), Status.OK, "track")
    threading.Timer(0.3, world.service.heal).start()
    expect(returns(lambda: Status(lib.hoist_client_flush(client._pointer, -1)), "flush(-1)"), Status.OK, "flush(-1)")


@scenario(5, needs=("remote",))
def test_identifying_keeps_its_limit(world: World) -> None:
    """No call waits longer than its limit plus 100 ms; TIMEOUT leaves the change going on. State: ready, the service does not answer, identify."""
    client = world.ready()
    world.service.hang()
    expect(within(0.2, lambda: client.identify(world.ben, 0.2), "identify(200)"), Status.TIMEOUT, "identify(200)")
    world.service.heal()
    until(lambda: world.read(client, "text") == "blue", "the change does not go on")


@scenario(5, needs=("remote",))
def test_identifying_takes_no_time(world: World) -> None:
    """0 asks and returns at once. State: ready, the service does not answer, identify."""
    client = world.ready()
    world.service.hang()
    expect(within(0, lambda: client.identify(world.ben, 0), "identify(0)"), Status.TIMEOUT, "identify(0)")


@scenario(5, needs=("remote",))
def test_identifying_without_a_limit(world: World) -> None:
    """Negative waits without limit. State: ready, the service answers late, identify."""
    client = world.ready()
    world.service.hang()
    threading.Timer(0.3, world.service.heal).start()
    from hoist.context import as_context, pointer_of

    ben = as_context(world.ben)
    call = lib.hoist_client_identify_wait
    expect(returns(lambda: Status(call(client._pointer, pointer_of(ben), -1)), "identify(-1)"), Status.OK, "identify(-1)")


@scenario(5)
def test_closing_takes_no_time(world: World) -> None:
    """0 asks and returns at once; close is no exception. State: starting, the service does not answer, closing."""
    world.service.hang()
    within(0, lambda: world.open().close(0), "close(0)")


@scenario(5, needs=("events",))
def test_closing_keeps_its_limit(world: World) -> None:
    """Positive waits that long; close is no exception. State: ready, events are not answered, closing."""
    world.service.fail_events("hang", then="answer")

    def close() -> Status:
        client = world.ready()
        expect(world.track(client, 1), Status.OK, "track")
        begin = time.monotonic()
        status = client.close(0.3)
        took.append(time.monotonic() - begin)
        return status

    took: list[float] = []
    statuses = [returns(close, "close(300)") for _ in range(3)]
    require(min(took) <= 0.3 + ALLOWANCE, "close(300) takes longer than its limit")
    expect(statuses[0], Status.TIMEOUT, "close(300)")


@scenario(5, needs=("events",))
def test_closing_without_a_limit(world: World) -> None:
    """Negative waits without limit; close is no exception. State: ready, events are answered late, closing."""
    client = world.ready()
    world.service.fail_events("hang", then="answer")
    expect(world.track(client, 1), Status.OK, "track")
    threading.Timer(0.3, world.service.heal).start()
    expect(returns(lambda: Status(lib.hoist_client_close(client._pointer, -1)), "close(-1)"), Status.OK, "close(-1)")
    world.expect_accepted(1)


class StuckCache(Cache):
    """None of its calls returns before the end."""

    def __init__(self) -> None:
        self.gate = threading.Event()

    def load(self, key: str) -> bytes | None:
        self.gate.wait(60)
        return None

    def save(self, key: str, value: bytes) -> None:
        self.gate.wait(60)

    def remove(self, key: str) -> None:
        self.gate.wait(60)

    def put_events(self, rows: Sequence[EventRow], owner: str, lease_ms: int) -> None:
        self.gate.wait(60)

    def claim_events(self, pipeline: str, max_rows: int, max_bytes: int, owner: str, lease_ms: int) -> list[EventRow]:
        self.gate.wait(60)
        return []

    def remove_events(self, ids: Sequence[str], owner: str) -> None:
        self.gate.wait(60)

    def purge_events(self, subject: str, pipeline: str) -> None:
        self.gate.wait(60)

    def renew_lease(self, owner: str, lease_ms: int) -> None:
        self.gate.wait(60)


@scenario(5)
def test_a_stuck_cache_holds_nothing_up(world: World) -> None:
    """No call waits longer than its limit plus 100 ms, whatever a plug-in does. State: starting and closing, a cache plug-in does not return."""
    cache = StuckCache()
    try:
        client = world.open(plugins={"cache": cache}, store=None)
        within(0, lambda: client.wait_ready(0), "wait_ready(0)")
        within(0.2, lambda: client.wait_ready(0.2), "wait_ready(200)")
        within(0.2, lambda: client.flush(0.2), "flush(200)")
        begin = time.monotonic()
        returns(lambda: client.close(0.3), "close(300)")
        require(time.monotonic() - begin < 0.3 + 3 * ALLOWANCE, "close(300) takes longer than its limit")
    finally:
        cache.gate.set()


@scenario(5)
def test_a_stuck_observer_holds_nothing_up(world: World) -> None:
    """No call waits longer than its limit plus 100 ms, whatever a plug-in does. State: ready and closing, an observer does not return."""
    gate, inside = threading.Event(), threading.Event()

    def stay(_: object) -> None:
        inside.set()
        gate.wait(60)

    client = world.ready()
    client.observe(Topic.READY, stay)
    require(inside.wait(8), "READY is not told")
    try:
        world.brings(client, "text", "red")
        within(0.2, lambda: client.flush(0.2), "flush(200)")
        begin = time.monotonic()
        returns(lambda: client.close(0.3), "close(300)")
        require(time.monotonic() - begin < 0.3 + 3 * ALLOWANCE, "close(300) takes longer than its limit")
    finally:
        gate.set()


class StuckLogger(Logger):
    """Does not return before the end."""

    def __init__(self) -> None:
        self.gate = threading.Event()

    def write(self, level: LogLevel, message: str) -> None:
        self.gate.wait(60)


@scenario(5)
def test_a_stuck_logger_holds_nothing_up(world: World) -> None:
    """No call waits longer than its limit plus 100 ms, whatever a plug-in does. State: starting and closing, a logger does not return."""
    logger = StuckLogger()
    world.service.fail()
    try:
        client = returns(lambda: world.open(plugins={"logger": logger}), "open")
        within(0.2, lambda: client.wait_ready(0.2), "wait_ready(200)")
        begin = time.monotonic()
        returns(lambda: client.close(0.3), "close(300)")
        require(time.monotonic() - begin < 0.3 + 3 * ALLOWANCE, "close(300) takes longer than its limit")
    finally:
        logger.gate.set()


def interrupted(call: Callable[[], object], what: str) -> None:
    """Ctrl-C, while the main thread waits in a call: it is through at once."""
    main = threading.main_thread().ident or 0
    sent: list[float] = []

    def press() -> None:
        sent.append(time.monotonic())
        signal.pthread_kill(main, signal.SIGINT)

    timer = threading.Timer(0.15, press)
    timer.start()
    begin = time.monotonic()
    try:
        call()
        timer.join()
        while time.monotonic() < begin + 3:  # it may be on its way
            time.sleep(0.001)
        raise Difference(f"{what} is over before Ctrl-C comes")
    except KeyboardInterrupt:
        pass
    require(time.monotonic() - sent[0] < 0.5, f"{what} lets Ctrl-C through late")


@scenario(5)
def test_ctrl_c_ends_waiting_for_readiness(world: World) -> None:
    """In Python every wait lets Ctrl-C through at once, limit or none. State: starting, the service does not answer, wait_ready."""
    world.service.hang()
    client = world.open()
    interrupted(lambda: client.wait_ready(2.5), "wait_ready with a limit")
    interrupted(lambda: client.wait_ready(None), "wait_ready without a limit")


@scenario(5, needs=("remote",))
def test_ctrl_c_ends_identifying(world: World) -> None:
    """In Python every wait lets Ctrl-C through at once, limit or none. State: ready, the service does not answer, identify."""
    client = world.ready()
    world.service.hang()
    interrupted(lambda: client.identify(world.ben, 2.5), "identify")


@scenario(5, needs=("events",))
def test_ctrl_c_ends_flushing(world: World) -> None:
    """In Python every wait lets Ctrl-C through at once, limit or none. State: ready, events are not answered, flush."""
    client = world.ready()
    world.service.fail_events("hang", then="answer")
    world.track(client, 1)
    interrupted(lambda: client.flush(2.5), "flush")


@scenario(5, needs=("events",))
def test_ctrl_c_ends_closing(world: World) -> None:
    """In Python every wait lets Ctrl-C through at once, limit or none. State: closing, events are not answered."""
    client = world.ready()
    world.service.fail_events("hang", then="answer")
    world.track(client, 1)
    interrupted(lambda: client.close(2.5), "close")


@scenario(5)
def test_nothing_waits_in_a_callback(world: World) -> None:
    """HOIST_ERR_STATE on a thread of Hoist's own. State: ready, wait_ready, identify, flush and close in an observer."""
    client = world.ready()
    told = world.observe(client, Topic.READY, look=lambda _: [
        one.name for one in (client.wait_ready(1), client.identify(world.ben, 1), client.flush(1), client.close(1))])
    told.wait(Topic.READY)
    expect(told.seen[0], ["STATE"] * 4, "what waits in a callback answers")
    expect(client.state, State.READY, "state")
