"""10 Diagnostics, in one place."""

from __future__ import annotations

from differences import comes_true, expect, require, until
from hoist import State, Status
from hoist.plugins import LogLevel
from scenario import scenario
from world import World

INFO, WARNING, ERROR, DEBUG = LogLevel.INFO, LogLevel.WARNING, LogLevel.ERROR, LogLevel.DEBUG


def logged(world: World, level: LogLevel, *words: str) -> None:
    """A line of a level with these words comes."""
    until(lambda: world.lines.at(level, *words), f"no line at {level.name} has: {', '.join(words) or 'anything'}")


@scenario(10)
def test_opening_is_logged(world: World) -> None:
    """info: opened: service, what was found in the store. State: starting."""
    world.service.hang()
    world.open(**world.kept())
    logged(world, INFO, "opened", world.service.provider, "store")


@scenario(10)
def test_readiness_is_logged(world: World) -> None:
    """info: ready: from where, how many flags. State: ready."""
    world.ready()
    logged(world, INFO, "ready", "flags", "5" if "persons" in world.service.lacks or world.service.lists_all else "4")


@scenario(10, needs=("network",))
def test_readiness_from_the_store_is_logged(world: World) -> None:
    """info: ready: from where, how many flags. State: second run, offline."""
    world.ready(**world.kept()).close(5)
    world.lines.found.clear()
    client = world.open(**world.kept(), online=False)
    client.wait_ready(8)
    logged(world, INFO, "ready", "store")


@scenario(10)
def test_the_first_failure_is_a_warning(world: World) -> None:
    """warning: first failure of an episode with its cause, and only the first. State: ready, service failing, three fetches."""
    client = world.ready()
    world.lines.found.clear()
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    for _ in range(2):
        before = world.service.fetches()
        client.refresh()
        comes_true(lambda: world.service.fetches() > before, 0.5)
    until(lambda: world.lines.at(WARNING) + world.lines.at(ERROR), "nothing is logged")
    repeated = comes_true(lambda: len(world.lines.at(WARNING) + world.lines.at(ERROR)) > 1, 0.5)
    require(not repeated, "more than one warning of one episode")
    if "network" not in world.service.lacks:
        # With a stream it is what the stream has ended with.
        named = world.lines.at(WARNING, "503") or world.service.streams and world.lines.at(WARNING)
        require(named, "the warning does not name its cause")


@scenario(10)
def test_a_recovery_is_logged(world: World) -> None:
    """info: recovered, after how long. State: service failing, then well."""
    client = world.ready()
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)
    logged(world, INFO, "recovered", "after")


@scenario(10, needs=("persons",))
def test_a_changed_context_is_logged(world: World) -> None:
    """info: context changed. State: ready, identify."""
    client = world.ready()
    world.lines.found.clear()
    expect(client.identify(world.ben, 8), Status.OK, "identify")
    logged(world, INFO, "context")


@scenario(10)
def test_closing_is_logged(world: World) -> None:
    """info: closed, what was left. State: closed."""
    world.ready().close(2)
    logged(world, INFO, "closed")


@scenario(10, needs=("events",))
def test_closing_with_something_left_is_logged(world: World) -> None:
    """info: closed, what was left. State: closed while events fail."""
    client = world.ready()
    client.flush(8)
    world.service.fail_events(status=503)
    for number in (1, 2, 3):
        world.track(client, number)
    client.close(0.3)
    require(world.logs("closed", "3"), "no line says that 3 events are left")


@scenario(10, needs=("network",))
def test_a_refused_key_is_an_error(world: World) -> None:
    """error: what the host must mend: key refused. State: starting, key refused."""
    client = world.open(**world.service.refused())
    world.reaches(client, State.ERROR, State.FATAL)
    logged(world, ERROR, "refuse")


@scenario(10, needs=("network",))
def test_requests_are_logged(world: World) -> None:
    """debug: each request and answer (method, URL without secrets, status, milliseconds, bytes). State: ready."""
    world.ready()
    logged(world, DEBUG, "GET" if world.name != "flagship-decision-api" else "POST", "http://127.0.0.1", "200", "ms",
           *(() if world.service.streams else ("bytes",)))


@scenario(10)
def test_accepted_configurations_are_logged(world: World) -> None:
    """debug: each configuration accepted (revision, flags, milliseconds). State: ready, the service pushes a change."""
    client = world.ready()
    world.lines.found.clear()
    world.brings(client, "text", "red")
    logged(world, DEBUG, "flags", "ms")


@scenario(10, needs=("events",))
def test_batches_are_logged(world: World) -> None:
    """debug: each batch (count, outcome). State: ready, two events."""
    client = world.ready()
    client.flush(8)
    world.lines.found.clear()
    for number in (1, 2):
        world.track(client, number)
    client.flush(8)
    world.expect_accepted(1, 2)
    logged(world, DEBUG, "2 events")


@scenario(10)
def test_no_line_has_a_secret(world: World) -> None:
    """Nobody's key, token, or context value. State: ready, service failing, an attribute, identify, closed; all levels."""
    client = world.ready()
    secret = {"targetingKey": "secretive-person", "plan": "secretive-plan"}
    client.bool("on", secret, False)
    client.identify(secret, 2)
    if "events" not in world.service.lacks:
        world.track(client, 1)
        client.flush(2)
    world.service.fail()
    client.refresh()
    comes_true(lambda: client.state is State.STALE, 1)
    client.close(1)
    lines = [line for _, line in world.lines.found]
    require(not [line for line in lines if any(key in line for key in world.service.secrets)], "a line has the key")
    require(not [line for line in lines if "secretive-plan" in line], "a line has an attribute's value")
    require(not [line for line in lines if "secretive-person" in line], "a line has the person's key")


@scenario(10)
def test_each_line_names_its_client(world: World) -> None:
    """Each line: client name, what, where, why, what to do. State: ready, service failing, closed; a client with a name."""
    client = world.ready(name="till-7")
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    client.close(1)
    lines = [line for _, line in world.lines.found]
    require(lines, "nothing is logged")
    require(all("till-7" in line for line in lines), "a line does not name its client")


@scenario(10, needs=("events",))
def test_dropped_events_are_warned_of(world: World) -> None:
    """warning: what is dropped. State: full queue, offline."""
    client = world.ready(events__capacity=10)
    client.flush(8)
    client.online = False
    for number in range(200):
        world.track(client, number % 5)
    until(lambda: world.lines.at(WARNING, "dropped"), "no warning tells that events are dropped")


@scenario(10, needs=("network",))
def test_no_line_is_repeated_without_end(world: World) -> None:
    """warning: first failure of an episode. State: service away, many fetches."""
    client = world.ready()
    world.lines.found.clear()
    world.service.go_away()
    for _ in range(20):
        client.refresh()
        comes_true(lambda: False, 0.01)
    world.reaches(client, State.STALE)
    repeated = comes_true(lambda: len(world.lines.at(WARNING) + world.lines.at(ERROR)) > 3, 0.5)
    require(not repeated, "more than three warnings of one episode")
