"""8 Many clients, many processes."""

from __future__ import annotations

import json
import os
import signal

import time
from collections.abc import Callable
from typing import Any

from differences import Difference, comes_true, expect, require, until
from hoist import State, Status
from scenario import scenario
from world import World


def child(work: Callable[[], Any], meanwhile: Callable[[], object] = lambda: None, timeout: float = 20) -> Any:
    """What a forked child finds out, while the parent does something. It leaves at once."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            try:
                found = {"found": work()}
            except Difference as difference:
                found = {"difference": str(difference)}
            except BaseException as problem:
                found = {"problem": repr(problem)}
            os.write(writing, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(writing)
    meanwhile()
    deadline = time.monotonic() + timeout
    os.set_blocking(reading, False)
    text = b""
    while time.monotonic() < deadline:
        done, _ = os.waitpid(process, os.WNOHANG)
        try:
            text += os.read(reading, 65536)
        except BlockingIOError:
            pass
        if done:
            break
        time.sleep(0.003)
    else:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        raise Difference("the forked child does not end")
    os.close(reading)
    require(text, "the forked child dies")
    found = json.loads(text)
    if "difference" in found:
        raise Difference(f"in the child: {found['difference']}")
    if "problem" in found:
        raise RuntimeError(f"in the child: {found['problem']}")
    return found["found"]


@scenario(8)
def test_a_forked_child_reads_flags(world: World) -> None:
    """Two processes are the normal case: a child goes on with the client that it inherited. State: forked child."""
    client = world.ready()
    found = child(lambda: [client.state.name, client.wait_ready(5).name, world.read(client, "text"), world.read(client, "number")])
    expect(found, ["READY", "OK", "green", 42], "state, readiness and flags in the child")
    expect(client.state, State.READY, "state of the parent")


@scenario(8)
def test_a_forked_child_fetches(world: World) -> None:
    """A child goes on with the client that it inherited: refresh brings what is new. State: forked child, the service has another value."""
    client = world.ready()

    def look() -> bool:
        if not world.service.streams:
            client.refresh()
        return world.reads(client, "text", "red")

    world.service.change("text", "red")
    expect(child(look), True, "the new value of flag text comes in the child")


@scenario(8, needs=("events",))
def test_a_forked_child_delivers_its_events(world: World) -> None:
    """Each process sends what it has recorded, once. State: forked child, the parent has recorded before."""
    client = world.ready()
    client.flush(8)
    expect(world.track(client, 1), Status.OK, "track, in the parent")
    found = child(lambda: [world.track(client, 2).name, client.flush(8).name])
    expect(found, ["OK", "OK"], "track and flush in the child")
    expect(client.flush(8), Status.OK, "flush, in the parent")
    world.expect_accepted(1, 2)


@scenario(8, needs=("events",))
def test_events_before_a_fork_are_the_parents(world: World) -> None:
    """What was recorded before the fork is the parent's to send. State: forked child that flushes and closes."""
    client = world.ready(**world.service.lazy)
    client.flush(8)
    expect(world.track(client, 1), Status.OK, "track")
    found = child(lambda: [client.flush(8).name, client.close(5).name])
    expect(found, ["OK", "OK"], "flush and close in the child")
    expect(world.service.accepted(), [], "accepted events, before the parent flushes")
    expect(client.flush(8), Status.OK, "flush, in the parent")
    world.expect_accepted(1)


@scenario(8)
def test_a_closed_child_leaves_the_parent_alone(world: World) -> None:
    """A child's close is not the parent's. State: forked child, closed and reopened there."""
    client = world.ready()

    def live() -> list[str]:
        closed = client.close(2).name
        client.reopen()
        return [closed, client.wait_ready(8).name]

    expect(child(live), ["OK", "OK"], "close and readiness in the child")
    expect(client.state, State.READY, "state of the parent")
    world.brings(client, "text", "red")


@scenario(8)
def test_a_fork_of_a_closed_client_is_closed(world: World) -> None:
    """A child goes on with the client that it inherited. State: closed, forked child."""
    client = world.ready()
    client.close(2)
    expect(child(lambda: [client.state.name, world.read(client, "text")]), ["CLOSED", "none"], "state and text in the child")


@scenario(8)
def test_a_fork_while_starting_becomes_ready(world: World) -> None:
    """A child goes on with the client that it inherited. State: starting, forked child, then the service answers."""
    world.service.hang()
    client = world.open()
    until(lambda: world.service.fetches() > 0 or "network" in world.service.lacks, "nothing is asked for")

    def wait() -> list[Any]:
        status = client.wait_ready(8)
        world.become_anna(client)
        return [status.name, world.read(client, "text")]

    expect(child(wait, world.service.heal), ["OK", "green"], "readiness and text in the child")


@scenario(8)
def test_the_cost_of_a_fork_stays(world: World) -> None:
    """The cost of a fork does not grow with the number of contexts that live or ever lived. State: second process, 16000 contexts were evaluated, forked child."""
    expect(world.process(["ready", "fork-cost 16000"]), ["OK", "stays"], "readiness, and the cost of a fork")


@scenario(8)
def test_two_clients_share_a_store(world: World) -> None:
    """Two clients on one store are the normal case. State: ready, second client on one store."""
    first, second = world.ready(**world.kept()), world.ready(**world.kept())
    world.expect_flags(first)
    world.expect_flags(second)
    world.brings(second, "text", "red")
    expect(second.close(5), Status.OK, "close of the second")
    expect(first.state, State.READY, "state of the first")


@scenario(8, needs=("events",))
def test_two_clients_on_a_store_send_each_event_once(world: World) -> None:
    """Two clients on one store: what they record arrives once. State: ready, second client on one store."""
    first, second = world.ready(**world.kept()), world.ready(**world.kept())
    for number, client in ((1, first), (2, second), (3, first)):
        expect(world.track(client, number), Status.OK, "track")
    expect((first.flush(8), second.flush(8)), (Status.OK, Status.OK), "flush")
    expect((first.close(5), second.close(5)), (Status.OK, Status.OK), "close")
    world.expect_accepted(1, 2, 3)


@scenario(8, needs=("network",))
def test_another_process_has_the_stored_flags(world: World) -> None:
    """Two processes on one store are the normal case. State: second process, the service does not answer."""
    first = world.ready(**world.kept())
    first.flush(2)
    until(lambda: first.statistics().get("store", {}).get("written", 0) > 0, "nothing is written to the store")
    comes_true(lambda: False, 0.3)  # and what is written after it
    if not world.service.streams:
        world.service.hang()
    else:
        world.service.simulator.fail(world.service.fetching[0], "hang", times=None)
    said = world.process(["ready", "read text", "state"], **world.kept())
    expect(said, ["OK", "green", "STALE"], "the other process")


@scenario(8, needs=("events",))
def test_another_process_sends_its_own_events(world: World) -> None:
    """Two processes on one store: what they record arrives once. State: second process, both track, flush and close."""
    first = world.ready(**world.kept())
    expect(world.track(first, 1), Status.OK, "track")
    said = world.process(["ready", "track 2", "flush", "close"], **world.kept())
    expect(said, ["OK"] * 4, "the other process")
    expect(first.flush(8), Status.OK, "flush")
    world.expect_accepted(1, 2)


@scenario(8, needs=("persons",))
def test_another_process_may_have_another_person(world: World) -> None:
    """For each record kept per person a change by one is not lost through a change by another. State: second process that identifies Ben on the same store."""
    first = world.ready(**world.kept())
    said = world.process(["ready", "identify ben", "read text", "close"], **world.kept())
    expect(said, ["OK", "OK", "blue", "OK"], "the other process")
    expect(world.read(first, "text"), "green", "text of Anna")
    first.close(2)
    again = world.ready(**world.kept())
    expect(world.read(again, "text"), "green", "text of Anna, later")


@scenario(8)
def test_many_clients_close_in_any_order(world: World) -> None:
    """Many clients in one process live lives of their own. State: ready, six clients, closed from several threads."""
    from threading import Thread

    clients = [world.ready() for _ in range(6)]
    threads = [Thread(target=lambda one=one: one.close(3)) for one in clients[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    expect([one.state for one in clients[1:]], [State.CLOSED] * 5, "states of those that closed")
    expect(clients[0].state, State.READY, "state")
    world.expect_flags(clients[0])
