"""7 refresh, online, reopen."""

from __future__ import annotations

import gc


from differences import comes_true, expect, require, returns, until
from hoist import Error, State, Status, Topic
from scenario import scenario
from world import World


@scenario(7)
def test_a_refresh_brings_what_is_new(world: World) -> None:
    """refresh fetches now, whatever the mode. State: ready, the service has another value."""
    client = world.ready()
    world.service.change("text", "red")
    expect(client.refresh(), Status.OK, "refresh")
    require(world.reads(client, "text", "red"), "the new value of flag text does not come")


@scenario(7)
def test_a_refresh_tries_a_failed_start_again(world: World) -> None:
    """refresh: a client after a failed start tries again. State: error, then the service is well."""
    world.service.fail()
    client = world.open()
    world.reaches(client, State.ERROR)
    world.service.heal()
    expect(client.refresh(), Status.OK, "refresh")
    world.reaches(client, State.READY)
    world.expect_flags(client)


@scenario(7, needs=("network",))
def test_a_refresh_tries_again_after_a_refused_key(world: World) -> None:
    """refresh: a client in FATAL tries again. State: key refused, then accepted."""
    world.service.fail(401)
    client = world.open()
    world.reaches(client, State.ERROR, State.FATAL)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)
    world.expect_flags(client)


@scenario(7, needs=("network", "pace", "interval"), patience=24)
def test_attempts_go_on_from_a_refresh(world: World) -> None:
    """refresh: a client after a failed start tries again, and its regular attempts go on from there. State: key refused, then accepted, then changed."""
    world.service.fail(401)
    client = world.open(**world.service.quick)
    world.reaches(client, State.ERROR, State.FATAL)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)
    world.service.change("text", "red")
    require(world.reads(client, "text", "red"), "the new value of flag text does not come by itself")


@scenario(7, needs=("network",))
def test_offline_nothing_is_asked_for(world: World) -> None:
    """Offline, flags stay readable and all network use is off. State: offline, refresh, identify and an event."""
    client = world.ready(**world.service.quick)
    client.flush(2)
    client.online = False
    world.reaches(client, State.STALE)
    fetches, posts = world.service.fetches(), world.service.posts()
    client.refresh()
    client.identify_soon(world.anna)
    world.track(client, 1)
    comes_true(lambda: world.service.fetches() > fetches or world.service.posts() > posts, 1.2)
    expect((world.service.fetches() - fetches, world.service.posts() - posts), (0, 0), "requests while offline")
    world.expect_flags(client)


@scenario(7, needs=("network",))
def test_offline_flags_are_stale(world: World) -> None:
    """STALE: flags are served, and the client is offline. State: ready, then offline."""
    client = world.ready()
    told = world.observe(client, Topic.STATE)
    client.online = False
    expect(client.online, False, "is_online")
    world.reaches(client, State.STALE)
    expect(client.wait_ready(0), Status.OK, "wait_ready")
    told.wait(Topic.STATE)


@scenario(7, needs=("network",))
def test_online_again_the_service_is_asked(world: World) -> None:
    """set_online(true) likewise: fetches now. State: offline, then online."""
    client = world.ready()
    client.online = False
    world.service.change("text", "red")
    client.online = True
    require(world.reads(client, "text", "red"), "the new value of flag text does not come")
    world.reaches(client, State.READY)


@scenario(7, needs=("network",))
def test_going_online_starts_a_client_that_was_opened_offline(world: World) -> None:
    """set_online(true): regular attempts go on from there. State: opened offline, then online."""
    client = world.open(online=False)
    expect(client.wait_ready(0.1), Status.TIMEOUT, "wait_ready")
    client.online = True
    expect(client.wait_ready(8), Status.OK, "wait_ready, online")
    world.become_anna(client)
    world.expect_flags(client)


@scenario(7, needs=("network",))
def test_going_online_tries_a_failed_start_again(world: World) -> None:
    """set_online(true) likewise: a client after a failed start tries again. State: error, offline, online."""
    world.service.fail()
    client = world.open()
    world.reaches(client, State.ERROR)
    client.online = False
    world.service.heal()
    client.online = True
    world.reaches(client, State.READY)


@scenario(7, needs=("network",))
def test_going_online_tries_again_after_a_refused_key(world: World) -> None:
    """set_online(true) likewise: a client in FATAL tries again. State: key refused, offline, key accepted, online."""
    world.service.fail(401)
    client = world.open()
    world.reaches(client, State.ERROR, State.FATAL)
    client.online = False
    world.service.heal()
    client.online = True
    world.reaches(client, State.READY)


@scenario(7)
def test_a_reopened_client_serves_flags(world: World) -> None:
    """A closed client starts again, with the configuration it was opened with. State: reopened."""
    client = world.ready()
    client.close(2)
    client.reopen()
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    world.become_anna(client)
    world.steady(client)
    world.expect_flags(client)
    world.brings(client, "text", "red")


@scenario(7, needs=("network", "pace", "interval"), patience=24)
def test_attempts_go_on_after_reopening(world: World) -> None:
    """reopen starts regular attempts again, after a key was refused, too. State: key refused, closed, key accepted, reopened."""
    world.service.fail(401)
    client = world.open(**world.service.quick)
    world.reaches(client, State.ERROR, State.FATAL)
    client.close(1)
    world.service.heal()
    client.reopen()
    world.reaches(client, State.READY)
    world.become_anna(client)
    world.service.change("text", "red")
    require(world.reads(client, "text", "red"), "the new value of flag text does not come by itself")


@scenario(7, needs=("events",))
def test_a_reopened_client_takes_events(world: World) -> None:
    """A closed client starts again: what it records is delivered. State: reopened."""
    client = world.ready()
    client.close(2)
    client.reopen()
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    world.become_anna(client)
    expect(world.track(client, 1), Status.OK, "track")
    expect(client.flush(8), Status.OK, "flush")
    world.expect_accepted(1)


@scenario(7)
def test_only_a_closed_client_reopens(world: World) -> None:
    """reopen answers HOIST_ERR_STATE when it is not closed. State: ready."""
    client = world.ready()
    try:
        client.reopen()
    except Error as problem:
        return expect(problem.status, Status.STATE, "reopen")
    require(False, "an open client reopens")


@scenario(7)
def test_closing_twice_is_harmless(world: World) -> None:
    """close may be called again. State: closed."""
    client = world.ready()
    expect(client.close(5), Status.OK, "close")
    expect(client.close(5), Status.OK, "close, a second time")
    expect(client.state, State.CLOSED, "state")


@scenario(7)
def test_a_closed_client_refreshes_nothing(world: World) -> None:
    """refresh and set_online are not possible on a closed client. State: closed."""
    client = world.ready()
    client.close(2)
    before = world.service.fetches()
    expect(client.refresh(), Status.STATE, "refresh")
    client.online = True
    expect(world.service.fetches(), before, "requests for flags")
    expect(client.state, State.CLOSED, "state")


@scenario(7)
def test_a_handle_outlives_its_client(world: World) -> None:
    """After close reads give the fallback in every service, through handles, too. State: closed, then freed; a handle of the vendor's on a person outlives both."""
    from importlib import import_module

    face = import_module(f"hoist.{world.service.provider}").Client if world.service.provider != "flag-file" else None
    client = world.ready(face)
    read = world.service.handle(client)
    expect(read(), True, "on, through the handle")
    client.close(2)
    after = returns(read, "the handle, after close")
    require(after in (True, False), "the handle reads something else")
    world.clients.remove(client)
    del client
    gc.collect()
    require(returns(read, "the handle, after its client is freed") in (True, False), "the handle reads something else")


@scenario(7)
def test_closing_while_others_read_is_safe(world: World) -> None:
    """Any function, any thread, at any time before free. State: closing and reopened, while another thread reads."""
    import threading

    client = world.ready()
    over, wrong = threading.Event(), []

    def read() -> None:
        while not over.is_set():
            value = client.bool("on", None, False)
            if value not in (True, False):
                wrong.append(value)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(3):
        returns(lambda: client.close(1), "close")
        client.reopen()
    over.set()
    reader.join(5)
    expect(wrong, [], "what the other thread has read")
    expect(client.wait_ready(8), Status.OK, "wait_ready")


@scenario(7)
def test_a_reopened_client_is_told_apart_from_the_closed_one(world: World) -> None:
    """A token makes late answers harmless: what was under way when the client closed is not taken for the next life's. State: closed while the service does not answer, reopened."""
    world.service.hang()
    client = world.open()
    client.close(0)
    client.reopen()
    world.service.heal()
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    world.become_anna(client)
    world.steady(client)
    world.expect_flags(client)
