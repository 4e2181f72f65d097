"""2 Topics: told the same by all."""

from __future__ import annotations

from differences import comes_true, expect, require, until
from hoist import State, Status, Topic
from scenario import scenario
from world import World


@scenario(2)
def test_initialized_is_told_once_for_a_start(world: World) -> None:
    """INITIALIZED: store and bootstrap have been read, whatever they held; once per start. State: starting, then ready."""
    client = world.open()
    told = world.observe(client, Topic.INITIALIZED, Topic.READY)
    told.wait(Topic.INITIALIZED)
    told.wait(Topic.READY)
    world.steady(client)
    expect(told.count(Topic.INITIALIZED), 1, "how often INITIALIZED is told")
    require(told.found[0].topic is Topic.INITIALIZED, "READY is told before INITIALIZED")


@scenario(2)
def test_initialized_is_told_whatever_the_store_held(world: World) -> None:
    """INITIALIZED: store and bootstrap have been read, whatever they held. State: starting, the service does not answer."""
    world.service.hang()
    client = world.open(**world.kept())
    told = world.observe(client, Topic.INITIALIZED)
    told.wait(Topic.INITIALIZED)


@scenario(2)
def test_ready_is_told_when_flags_are_there(world: World) -> None:
    """READY: flags are there for the first time: a read in the callback sees them. State: starting, the service answers late."""
    world.service.hang()
    client = world.open()
    told = world.observe(client, Topic.READY, look=lambda _: world.serves(client))
    if not told.comes(Topic.READY, timeout=0.3):
        world.service.heal()
    told.wait(Topic.READY)
    expect(told.seen[0], True, "a read in the callback sees flags")


@scenario(2, needs=("network",))
def test_ready_is_told_of_flags_from_the_store(world: World) -> None:
    """READY: flags are there for the first time, wherever from. State: second run, offline."""
    world.ready(**world.kept()).close(5)
    client = world.open(**world.kept(), online=False)
    told = world.observe(client, Topic.READY, look=lambda _: world.serves(client))
    told.wait(Topic.READY)
    expect(told.seen[0], True, "a read in the callback sees flags")


@scenario(2)
def test_ready_is_told_once_for_a_start(world: World) -> None:
    """READY: once per start, whatever fails and comes back. State: ready, service failing, ready again."""
    client = world.open()
    told = world.observe(client, Topic.READY)
    told.wait(Topic.READY)
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)
    expect(told.count(Topic.READY), 1, "how often READY is told")


@scenario(2)
def test_ready_is_told_at_once_to_who_comes_later(world: World) -> None:
    """READY: at once for who comes later. State: ready."""
    client = world.ready()
    world.observe(client, Topic.READY).wait(Topic.READY)
    world.observe(client, Topic.INITIALIZED).wait(Topic.INITIALIZED)


@scenario(2)
def test_equal_flags_change_nothing(world: World) -> None:
    """CONFIGURATION_CHANGED: other flags are served than before: never for equal ones. State: ready, the service answers the same."""
    client = world.ready()
    told = world.observe(client, Topic.CONFIGURATION_CHANGED, Topic.FLAG_CHANGED)
    before = world.service.fetches()
    world.service.publish()
    client.refresh()
    if "network" not in world.service.lacks:
        until(lambda: world.service.fetches() > before, "refresh asks for nothing")
    world.brings(client, "text", "red")
    told.wait(Topic.CONFIGURATION_CHANGED)
    expect(told.count(Topic.CONFIGURATION_CHANGED), 1, "how often CONFIGURATION_CHANGED is told of one change")


@scenario(2)
def test_a_change_names_the_flags_that_changed(world: World) -> None:
    """CONFIGURATION_CHANGED: other flags are served than before; keys: those that changed. State: ready, the service pushes a change."""
    client = world.ready()
    told = world.observe(client, Topic.CONFIGURATION_CHANGED, look=lambda _: world.read(client, "text"))
    world.brings(client, "text", "red")
    told.wait(Topic.CONFIGURATION_CHANGED)
    expect(told.found[0].keys, ("text",), "keys")
    expect(told.seen[0], "red", "text, read in the callback")


@scenario(2)
def test_a_flag_changes_without_its_siblings(world: World) -> None:
    """FLAG_CHANGED: this flag's definition or value changed: never for its unchanged siblings. State: ready, the service pushes a change."""
    client = world.ready()
    told = world.observe(client, Topic.FLAG_CHANGED)
    own = world.observe(client, Topic.FLAG_CHANGED, key="number")
    others = world.observe(client, Topic.FLAG_CHANGED, key="on")
    world.brings(client, "number", 43)
    own.wait(Topic.FLAG_CHANGED)
    told.wait(Topic.FLAG_CHANGED)
    expect([one.keys for one in told.found], [("number",)], "keys of FLAG_CHANGED")
    expect(others.found, [], "told of a sibling")


@scenario(2)
def test_a_fetch_without_a_change_is_an_update(world: World) -> None:
    """UPDATED: a fetch after the first brought an answer, changed or not. State: ready, the service answers the same."""
    client = world.ready()
    told = world.observe(client, Topic.UPDATED)
    client.refresh()
    told.wait(Topic.UPDATED)


@scenario(2)
def test_a_fetch_with_a_change_is_an_update(world: World) -> None:
    """UPDATED: a fetch after the first brought an answer, changed or not. State: ready, the service pushes a change."""
    client = world.ready()
    told = world.observe(client, Topic.UPDATED)
    world.brings(client, "text", "red")
    told.wait(Topic.UPDATED)


@scenario(2)
def test_the_first_fetch_is_no_update(world: World) -> None:
    """UPDATED: a fetch after the first brought an answer. State: starting."""
    client = world.open()
    told = world.observe(client, Topic.UPDATED, Topic.READY)
    told.wait(Topic.READY)
    world.steady(client)
    updates = told.count(Topic.UPDATED)
    # Where changes are streamed another fetch may follow.
    require(updates <= max(0, world.service.fetches() - 1), "UPDATED is told of the first fetch")


@scenario(2)
def test_the_context_has_changed_when_its_flags_are_served(world: World) -> None:
    """CONTEXT_CHANGED: the flags of the new context are served: a read inside the callback sees them. State: ready, identify."""
    client = world.ready()
    told = world.observe(client, Topic.CONTEXT_CHANGED, look=lambda _: world.read(client, "text"))
    if "remote" not in world.service.lacks:
        world.service.hang()
    ends: list[str] = []
    expect(client.identify_soon(world.ben, lambda status: ends.append(status.name)), Status.OK, "identify")
    told.comes(Topic.CONTEXT_CHANGED, timeout=0.3)
    world.service.heal()
    until(lambda: ends == ["OK"], "the change does not end with OK")
    told.wait(Topic.CONTEXT_CHANGED)
    expect(told.seen, ["green" if "persons" in world.service.lacks else "blue"], "text, read in the callbacks")


@scenario(2)
def test_each_state_is_told(world: World) -> None:
    """STATE: the state changed. State: ready, then service failing, then ready."""
    client = world.ready()
    told = world.observe(client, Topic.STATE)
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    told.wait(Topic.STATE)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)
    told.wait(Topic.STATE, 2)
    messages = [one.message for one in told.found]
    require(all(messages), "STATE has no message")
    require(all(one != other for one, other in zip(messages, messages[1:])), "STATE is told twice of one state")


@scenario(2)
def test_a_failed_fetch_is_told(world: World) -> None:
    """FETCH_FAILED: a fetch failed; ERROR is told too, once per failure. State: ready, one fetch fails."""
    client = world.ready()
    told = world.observe(client, Topic.FETCH_FAILED, Topic.ERROR)
    world.service.fail()
    client.refresh()
    told.wait(Topic.FETCH_FAILED)
    told.wait(Topic.ERROR)
    comes_true(lambda: told.count(Topic.ERROR) == told.count(Topic.FETCH_FAILED))
    expect(told.count(Topic.ERROR), told.count(Topic.FETCH_FAILED), "how often ERROR is told of failed fetches")
    require(told.of(Topic.ERROR)[0].message, "ERROR has no message")
    require(told.of(Topic.ERROR)[0].status is not Status.OK, "ERROR has the status OK")


@scenario(2, patience=30)
def test_a_first_success_is_a_recovery(world: World) -> None:
    """RECOVERED: the first success after one or more failures, of fetches. State: service failing, then well, then fetched once more."""
    client = world.ready()
    told = world.observe(client, Topic.FETCH_FAILED, Topic.RECOVERED)
    world.service.fail()
    client.refresh()
    world.reaches(client, State.STALE)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)
    told.wait(Topic.RECOVERED)
    world.brings(client, "text", "red")
    # An attempt that had begun before the service was well may fail after the first success: an episode of its own.
    topics = [one.topic for one in told.found]
    require(topics[0] is Topic.FETCH_FAILED, "RECOVERED is told before anything has failed")
    require((Topic.RECOVERED, Topic.RECOVERED) not in zip(topics, topics[1:]), "RECOVERED is told twice of one recovery")


@scenario(2)
def test_nothing_recovers_that_was_well(world: World) -> None:
    """RECOVERED: the first success after one or more failures. State: ready, nothing has failed."""
    client = world.open()
    told = world.observe(client, Topic.RECOVERED, Topic.READY)
    told.wait(Topic.READY)
    world.become_anna(client)
    world.steady(client)
    world.brings(client, "text", "red")
    expect(told.count(Topic.RECOVERED), 0, "how often RECOVERED is told without a failure")


@scenario(2, needs=("events",))
def test_accepted_events_are_told(world: World) -> None:
    """EVENTS_SENT: the service accepted something recorded. State: ready."""
    client = world.ready()
    client.flush(8)
    told = world.observe(client, Topic.EVENTS_SENT)
    expect(world.track(client, 3), Status.OK, "track")
    client.flush(8)
    told.wait(Topic.EVENTS_SENT)


@scenario(2, needs=("events",))
def test_a_failed_delivery_is_told(world: World) -> None:
    """SEND_FAILED: a delivery failed; ERROR is told too, once per failure. State: ready, events fail."""
    client = world.ready()
    client.flush(8)
    told = world.observe(client, Topic.SEND_FAILED, Topic.ERROR)
    world.service.fail_events(status=503)
    world.track(client, 3)
    client.flush(0.5)
    told.wait(Topic.SEND_FAILED)
    told.wait(Topic.ERROR)
    comes_true(lambda: told.count(Topic.ERROR) == told.count(Topic.SEND_FAILED))
    expect(told.count(Topic.ERROR), told.count(Topic.SEND_FAILED), "how often ERROR is told of failed deliveries")


@scenario(2, needs=("events",))
def test_a_delivery_recovers(world: World) -> None:
    """RECOVERED: the first success after one or more failures, of deliveries alike. State: events fail, then are accepted."""
    client = world.ready()
    client.flush(8)
    told = world.observe(client, Topic.RECOVERED, Topic.SEND_FAILED)
    world.service.fail_events(status=503)
    world.track(client, 3)
    client.flush(0.5)
    told.wait(Topic.SEND_FAILED)
    world.service.heal()
    client.flush(8)
    told.wait(Topic.RECOVERED)


@scenario(2)
def test_observers_outlive_close_and_reopen(world: World) -> None:
    """Observers outlive close and reopen, until unobserve or free. State: closed, reopened."""
    client = world.ready()
    told = world.observe(client, Topic.CONFIGURATION_CHANGED, Topic.READY)
    told.wait(Topic.READY)
    client.close(2)
    client.reopen()
    told.wait(Topic.READY, 2)
    world.become_anna(client)
    world.steady(client)
    world.brings(client, "text", "red")
    until(lambda: any("text" in one.keys for one in told.of(Topic.CONFIGURATION_CHANGED)), "CONFIGURATION_CHANGED is not told")


@scenario(2)
def test_who_has_left_is_told_nothing(world: World) -> None:
    """Observers are told until unobserve. State: ready, one of two observers has left."""
    client = world.ready()
    told, left = world.observe(client, Topic.CONFIGURATION_CHANGED), []
    subscription = client.observe(Topic.CONFIGURATION_CHANGED, left.append)
    expect(subscription.cancel(), True, "unobserve")
    expect(subscription.cancel(), False, "unobserve, a second time")
    world.brings(client, "text", "red")
    told.wait(Topic.CONFIGURATION_CHANGED)
    expect(left, [], "told after unobserve")


@scenario(2)
def test_initialized_and_ready_are_told_once_more_by_the_next_start(world: World) -> None:
    """INITIALIZED, READY: once per start. State: reopened."""
    client = world.open()
    told = world.observe(client, Topic.INITIALIZED, Topic.READY)
    told.wait(Topic.INITIALIZED)
    told.wait(Topic.READY)
    client.close(2)
    client.reopen()
    again = world.observe(client, Topic.INITIALIZED, Topic.READY)
    again.wait(Topic.INITIALIZED)
    again.wait(Topic.READY)
    world.steady(client)
    expect((again.count(Topic.INITIALIZED), again.count(Topic.READY)), (1, 1), "how often INITIALIZED and READY are told of a start")
