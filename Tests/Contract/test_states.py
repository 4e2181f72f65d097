"""1 States: one machine."""

from __future__ import annotations

import threading

from differences import comes_true, expect, require, returns, until
from hoist import State, Status
from hoist.plugins import LogLevel
from scenario import Sentence, scenario
from world import World


@scenario(1)
def test_an_open_client_without_flags_is_not_ready(world: World) -> None:
    """NOT_READY: open, no flags yet, nothing has failed. State: starting, the service does not answer."""
    world.service.hang()
    client = world.open()
    expect(client.wait_ready(0.3), Status.TIMEOUT, "wait_ready")
    expect(client.state, State.NOT_READY, "state")
    world.expect_fallbacks(client, "PROVIDER_NOT_READY")


@scenario(1)
def test_flags_and_a_good_word_are_ready(world: World) -> None:
    """READY: flags are served, and the last word of the service was good. State: ready."""
    client = world.ready()
    expect(client.state, State.READY, "state")
    expect(client.wait_ready(0), Status.OK, "wait_ready")
    world.expect_flags(client)


@scenario(1)
def test_whoever_waits_for_readiness_reads_flags_at_once(world: World) -> None:
    """wait_ready is OK exactly when a read of a flag, at once, on this thread, sees flags. State: starting, twelve clients in a row."""
    for _ in range(12):
        client = world.open()
        expect(returns(lambda: client.wait_ready(8), "wait_ready"), Status.OK, "wait_ready")
        require(world.serves(client), "wait_ready says OK, and a read gives its fallback")
        client.close(0)


@scenario(1, needs=("network",))
def test_flags_of_an_earlier_run_are_stale_while_the_service_hangs(world: World) -> None:
    """STALE: flags are served from the store. State: second run, the service does not answer."""
    world.ready(**world.kept()).close(5)
    world.service.hang()
    client = world.open(**world.kept())
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    world.stays(client, State.STALE)
    world.expect_flags(client)


@scenario(1, needs=("network",), unless={"launchdarkly-polling": Sentence(
    "launchdarkly.h", "In polling mode the first poll waits for its turn where stored flags were confirmed within the polling interval.",
    "nothing is asked for")})
def test_flags_of_an_earlier_run_are_stale_while_the_service_fails(world: World) -> None:
    """STALE: flags are served from the store, and attempts go on. State: second run, service failing."""
    world.ready(**world.kept()).close(5)
    world.service.fail()
    before = world.service.fetches()
    client = world.open(**world.kept())
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    until(lambda: world.service.fetches() > before, "nothing is asked for")
    world.stays(client, State.STALE)
    world.expect_flags(client)


@scenario(1, needs=("network",))
def test_flags_of_an_earlier_run_are_stale_offline(world: World) -> None:
    """STALE: flags are served from the store, and the client is offline. State: second run, offline."""
    world.ready(**world.kept()).close(5)
    client = world.open(**world.kept(), online=False)
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    world.stays(client, State.STALE)
    world.expect_flags(client)


@scenario(1)
def test_a_failure_makes_served_flags_stale(world: World) -> None:
    """STALE: flags are served, and the service's last word was a failure. State: ready, then service failing."""
    client = world.ready()
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    expect(client.wait_ready(0), Status.OK, "wait_ready")
    world.expect_flags(client)


@scenario(1)
def test_a_good_word_makes_stale_flags_ready(world: World) -> None:
    """READY: the last word of the service was good. State: stale, then the service answers again."""
    client = world.ready()
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)


@scenario(1)
def test_a_failed_start_without_flags_is_an_error(world: World) -> None:
    """ERROR: no flags; the last attempt failed; attempts go on, so that wait_ready goes on, too. State: starting, service failing."""
    world.service.fail()
    client = world.open()
    world.reaches(client, State.ERROR)
    expect(client.wait_ready(0.05), Status.TIMEOUT, "wait_ready")
    world.expect_fallbacks(client, "PROVIDER_NOT_READY")


@scenario(1, needs=("pace",), patience=16)
def test_attempts_go_on_after_a_failed_start(world: World) -> None:
    """Whoever says ERROR or STALE is still trying. State: service failing from the start, then well again."""
    world.service.fail()
    client = world.open(**world.service.quick)
    world.reaches(client, State.ERROR, State.STALE)
    world.service.heal()
    world.reaches(client, State.READY)
    world.expect_flags(client)


@scenario(1, needs=("pace",), patience=16)
def test_attempts_go_on_while_the_service_is_away(world: World) -> None:
    """A start that fails starts the same attempts as any other failure. State: starting, connections are refused, then the service is back."""
    world.service.go_away()
    client = world.open(**world.service.quick)
    world.reaches(client, State.ERROR)
    world.service.come_back()
    world.reaches(client, State.READY)
    world.expect_flags(client)


@scenario(1, needs=("pace",), patience=16)
def test_attempts_go_on_after_a_document_that_cannot_be_read(world: World) -> None:
    """A start that fails starts the same attempts as any other failure. State: starting, the service answers with what are no flags."""
    world.service.spoil()
    client = world.open(**world.service.quick)
    world.reaches(client, State.ERROR)
    world.service.heal()
    world.reaches(client, State.READY)


@scenario(1)
def test_a_document_that_cannot_be_read_leaves_the_flags(world: World) -> None:
    """STALE: flags are served, and the service's last word was a failure. State: ready, then the service answers with what are no flags."""
    client = world.ready()
    world.service.spoil()
    client.refresh()
    world.reaches(client, State.STALE)
    world.expect_flags(client)


@scenario(1, needs=("network",), patience=30)
def test_who_stops_for_a_refused_key_says_so(world: World) -> None:
    """A state is never a lie about attempts: whoever stops trying says FATAL. State: starting, key refused."""
    client = world.open(**world.service.quick, **world.service.refused())
    world.reaches(client, State.ERROR, State.FATAL)
    _is_honest(world, client)


@scenario(1, needs=("network",), patience=30)
def test_who_stops_for_a_key_refused_later_says_so(world: World) -> None:
    """Whoever stops trying says FATAL, also while flags are still served. State: ready, then key refused."""
    client = world.ready(**world.service.quick)
    world.service.fail(401)
    client.refresh()
    world.reaches(client, State.STALE, State.FATAL)
    world.expect_flags(client)
    _is_honest(world, client)


def _is_honest(world: World, client) -> None:
    """FATAL: nothing is asked for any more, and wait_ready says so; else attempts go on."""
    comes_true(lambda: False, 0.3)  # what was under way ends
    before = world.service.fetches()
    if "pace" not in world.service.untried:
        went_on = comes_true(lambda: client.state is State.FATAL or world.service.fetches() > before)
        require(went_on, f"{client.state.name}, and nothing is asked for any more")
    if client.state is State.FATAL:
        before = world.service.fetches()
        expect(client.wait_ready(0.3), Status.OK if world.serves(client) else Status.NETWORK, "wait_ready, FATAL")
        expect(world.service.fetches(), before, "requests for flags while FATAL")


@scenario(1)
def test_waiting_for_readiness_ends_with_the_client(world: World) -> None:
    """wait_ready is CANCELLED when the client was closed meanwhile. State: starting, closing."""
    world.service.hang()
    client = world.open()
    expect(returns(lambda: _closed_meanwhile(client), "wait_ready"), Status.CANCELLED, "wait_ready")


def _closed_meanwhile(client) -> Status:
    threading.Timer(0.05, lambda: client.close(0)).start()
    return client.wait_ready(20)


@scenario(1)
def test_a_closed_client_serves_fallbacks(world: World) -> None:
    """After close, reads give the fallback with PROVIDER_NOT_READY in every service. State: closed."""
    client = world.ready()
    client.close(2)
    expect(client.state, State.CLOSED, "state")
    expect(client.wait_ready(0), Status.CANCELLED, "wait_ready")
    world.expect_fallbacks(client, "PROVIDER_NOT_READY")


@scenario(1, needs=("network",))
def test_an_offline_client_without_flags_is_not_ready(world: World) -> None:
    """NOT_READY: open, no flags yet, nothing has failed. State: offline, empty store."""
    client = world.open(**world.kept(), online=False)
    expect(client.wait_ready(0.2), Status.TIMEOUT, "wait_ready")
    expect(client.state, State.NOT_READY, "state")
    expect(world.service.fetches(), 0, "requests for flags")


@scenario(1, unless={"unleash-frontend": Sentence(
    "unleash.h", "a toggle that fetched toggles do not list is off, and not unknown: the service lists what is on.",
    "the error code of flag on: '', not FLAG_NOT_FOUND or PROVIDER_NOT_READY")})
def test_what_is_switched_off_gives_fallbacks_and_comes_back(world: World) -> None:
    """Reads give their fallbacks while the service has switched everything off, and flags come back with its next word. State: panic."""
    client = world.ready(**world.service.quick)
    world.service.panic()
    world.fetches(client, lambda: world.read(client, "on") is False, "flags are still served")
    world.expect_fallbacks(client, "FLAG_NOT_FOUND", "PROVIDER_NOT_READY")
    world.service.panic(False)
    world.fetches(client, lambda: world.serves(client), "flags do not come back")
    world.expect_flags(client)


@scenario(1, needs=("bootstrap",))
def test_a_good_bootstrap_serves_offline(world: World) -> None:
    """STALE: flags are served, from bootstrap, and the client is offline. State: offline, bootstrap."""
    client = world.open(online=False, **world.service.bootstrap())
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    world.reaches(client, State.STALE)
    world.expect_flags(client)


@scenario(1, needs=("bootstrap",))
def test_a_bad_bootstrap_with_a_way_to_fetch_is_warned_of(world: World) -> None:
    """Bad bootstrap with a way to fetch: warn and fetch. State: starting, bad bootstrap."""
    client = world.open(**world.service.bootstrap(good=False))
    expect(client.wait_ready(8), Status.OK, "wait_ready")
    world.reaches(client, State.READY)
    until(lambda: world.lines.at(LogLevel.WARNING), "no warning is logged")


@scenario(1)
def test_clients_live_lives_of_their_own(world: World) -> None:
    """One type in the core owns a client's life. State: ready, second client closed."""
    first, second = world.ready(), world.ready()
    second.close(2)
    expect(first.state, State.READY, "state")
    world.expect_flags(first)
    world.brings(first, "text", "red")
