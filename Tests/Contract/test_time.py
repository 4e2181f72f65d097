"""9 Time."""

from __future__ import annotations

from differences import expect, require, until
from hoist import State, Status
from scenario import scenario
from world import World

YEARS = "99999999"


@scenario(9, needs=("network",))
def test_no_message_stops_fetching(world: World) -> None:
    """No message from outside can stop regular fetches. State: error, the service asks for a pause of years, refresh."""
    world.service.fail(retryAfter=YEARS)
    client = world.open()
    world.reaches(client, State.ERROR, State.FATAL)
    world.service.heal()
    client.refresh()
    world.reaches(client, State.READY)


@scenario(9, needs=("network",))
def test_no_message_stops_an_open_client(world: World) -> None:
    """No message from outside can stop regular fetches. State: ready, the service asks for a pause of years, then offline and online."""
    client = world.ready()
    world.service.fail(retryAfter=YEARS)
    client.refresh()
    world.reaches(client, State.STALE)
    world.service.heal()
    world.service.change("text", "red")
    client.online = False
    client.online = True
    require(world.reads(client, "text", "red"), "the new value of flag text does not come")


@scenario(9, needs=("events",))
def test_no_message_stops_events_for_years(world: World) -> None:
    """A time from outside that lies ahead by more than a day is not believed. State: events are answered with a pause of years, flush."""
    client = world.ready()
    client.flush(8)
    world.service.fail_events(status=503, retryAfter=YEARS, times=1)
    expect(world.track(client, 1), Status.OK, "track")
    client.flush(1)
    until(lambda: client.flush(1) is Status.OK, "later flushes do not answer OK")
    world.expect_accepted(1)


@scenario(9, needs=("network",))
def test_a_date_from_outside_is_not_believed(world: World) -> None:
    """A time stamp from outside that lies ahead of our clock by more than a day is not believed. State: ready, answers are dated in 2099."""
    world.service.fail(headers={"Date": "Thu, 01 Jan 2099 00:00:00 GMT"}, times=1)
    client = world.open()
    world.reaches(client, State.ERROR, State.READY)
    client.refresh()
    world.reaches(client, State.READY)
    world.brings(client, "text", "red")
    if "events" not in world.service.lacks:
        world.become_anna(client)
        expect(world.track(client, 1), Status.OK, "track")
        expect(client.flush(8), Status.OK, "flush")


@scenario(9, needs=("events",))
def test_what_is_told_later_is_later(world: World) -> None:
    """Of two things told one after the other the later one is later, also within one tick. State: ready, six events in a row."""
    client = world.ready()
    client.flush(8)
    for number in range(1, 7):
        expect(world.track(client, number), Status.OK, "track")
    expect(client.flush(8), Status.OK, "flush")
    world.expect_accepted(1, 2, 3, 4, 5, 6)
    expect(world.service.order(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "the events in the order of the service")
