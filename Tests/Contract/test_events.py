"""6 Track, flush, what was refused."""

from __future__ import annotations

import time
from collections.abc import Sequence

from differences import comes_true, expect, require, returns, until
from hoist import Cache, Error, EventRow, State, Status, Topic
from hoist.plugins import LogLevel
from scenario import Sentence, scenario
from world import World

EVENTS = ("events",)
READY = (State.READY, State.STALE)


@scenario(6, needs=EVENTS)
def test_a_flush_says_what_the_service_accepted(world: World) -> None:
    """flush answers OK when everything recorded before it was accepted. State: ready."""
    client = world.ready()
    for number in (1, 2, 3):
        expect(world.track(client, number), Status.OK, "track")
    expect(client.flush(8), Status.OK, "flush")
    world.expect_accepted(1, 2, 3)


@scenario(6, needs=EVENTS)
def test_an_empty_flush_asks_nobody(world: World) -> None:
    """flush answers OK when everything recorded before it was accepted. State: ready, nothing is left."""
    client = world.ready()
    client.flush(8)
    before = world.service.posts()
    expect(client.flush(2), Status.OK, "flush")
    expect(world.service.posts(), before, "requests for events")


@scenario(6, needs=EVENTS)
def test_a_flush_that_has_no_answer_says_so(world: World) -> None:
    """flush answers OK when everything was accepted, TIMEOUT as before. State: ready, events are not answered."""
    client = world.ready()
    world.service.fail_events("hang", then="answer")
    expect(world.track(client, 1), Status.OK, "track")
    expect(client.flush(0.3), Status.TIMEOUT, "flush")
    world.service.heal()
    expect(client.flush(8), Status.OK, "flush, later")
    world.expect_accepted(1)


@scenario(6, needs=EVENTS)
def test_a_flush_that_fails_keeps_what_it_has(world: World) -> None:
    """flush answers NETWORK when the service did not accept something, which is kept and tried again. State: ready, events fail, then are accepted."""
    client = world.ready()
    world.service.fail_events(status=503)
    for number in (1, 2):
        expect(world.track(client, number), Status.OK, "track")
    expect(client.flush(2), Status.NETWORK, "flush")
    world.service.heal()
    until(lambda: client.flush(1) is Status.OK, "later flushes do not answer OK")
    world.expect_accepted(1, 2)


@scenario(6, needs=EVENTS)
def test_a_flush_without_a_service_keeps_what_it_has(world: World) -> None:
    """flush answers NETWORK when the service did not accept something, which is kept and tried again. State: ready, service away, then back."""
    client = world.ready()
    world.service.go_away()
    expect(world.track(client, 1), Status.OK, "track")
    expect(client.flush(2), Status.NETWORK, "flush")
    world.service.come_back()
    until(lambda: client.flush(1) is Status.OK, "later flushes do not answer OK")
    world.expect_accepted(1)


@scenario(6, needs=EVENTS)
def test_a_flush_says_what_was_refused(world: World) -> None:
    """flush answers HOIST_ERR_REJECTED when the service refused some of it for good since it was recorded. State: ready, events are refused."""
    client = world.ready()
    client.flush(8)
    world.service.fail_events(status=world.service.refusal)
    expect(world.track(client, 1), Status.OK, "track")
    expect(client.flush(2).name, "REJECTED", "flush")


@scenario(6, needs=EVENTS)
def test_one_bad_record_does_not_hold_up_the_others(world: World) -> None:
    """A batch refused as a whole is split until the bad one stands alone. State: ready, one of three events is refused with 400."""
    client = world.ready()
    client.flush(8)
    world.service.fail_events(status=400, containing=world.service.mark(2))
    for number in (1, 2, 3):
        expect(world.track(client, number), Status.OK, "track")
    client.flush(2)
    until(lambda: world.service.posts() > 0, "nothing is sent")
    client.flush(1)
    world.expect_accepted(1, 3)


@scenario(6, needs=EVENTS)
def test_a_pause_that_the_service_asks_for_is_kept(world: World) -> None:
    """Retry-After is obeyed. State: ready, events are answered with 503 and Retry-After, more are recorded."""
    client = world.ready(**world.service.eager)
    client.flush(8)
    before = world.service.posts()
    world.service.fail_events(status=503, retryAfter="2", times=1)
    begin = time.monotonic()
    world.track(client, 1)
    client.flush(0.1)
    until(lambda: world.service.posts() > before, "nothing is sent")
    while time.monotonic() - begin < 1.0:
        world.track(client, 2)
        comes_true(lambda: world.service.posts() > before + 1, 0.1)
    require(world.service.posts() == before + 1, "more is sent within the pause")
    until(lambda: world.service.posts() > before + 1 or client.flush(1) is Status.OK, "nothing is sent after the pause")


@scenario(6, needs=EVENTS)
def test_what_fails_is_not_sent_with_each_new_record(world: World) -> None:
    """Back-off grows, in every pipeline; what fails is not resent with each new record. State: events fail, many are recorded."""
    client = world.ready(**world.service.eager)
    client.flush(8)
    before = world.service.posts()
    world.service.fail_events(status=503)
    begin = time.monotonic()
    number = 0
    while time.monotonic() - begin < 1.5:
        number += 1
        world.track(client, number)
        comes_true(lambda: False, 0.02)
    require(world.service.posts() > before, "nothing is sent")
    require(world.service.posts() - before <= 8, "more than 8 requests for events within 1.5 s")


@scenario(6, needs=EVENTS, unless={name: Sentence(
    "unleash.h", "The service knows no ids of metrics: a delivery whose answer is lost is sent again, and counted twice.",
    "accepted events: 2 were tracked, 0 are missing, 2 are too many")
    for name in ("unleash-frontend", "unleash-backend-polling", "unleash-backend-streaming")})
def test_a_batch_that_comes_again_keeps_its_identity(world: World) -> None:
    """A batch that is sent again keeps its identity. State: ready, the service accepts events and its answer is lost."""
    client = world.ready()
    client.flush(8)
    world.service.fail_events("drop", times=1)
    for number in (1, 2):
        expect(world.track(client, number), Status.OK, "track")
    until(lambda: client.flush(1) is Status.OK, "later flushes do not answer OK")
    world.expect_accepted(1, 2)


@scenario(6, needs=EVENTS)
def test_a_full_queue_says_so(world: World) -> None:
    """track answers HOIST_ERR_LIMIT when the queue is full; what it took is delivered, and nothing else. State: full queue, the service is away."""
    client = world.ready(events__capacity=10)
    client.flush(8)
    world.service.go_away()
    answers = {number: world.track(client, number) for number in range(1, 41)}
    require(set(answers.values()) <= {Status.OK, Status.LIMIT}, "track answers neither OK nor LIMIT")
    require(Status.LIMIT in answers.values(), "forty events fit into a queue of ten")
    taken = [number for number, status in answers.items() if status is Status.OK]
    world.service.come_back()
    until(lambda: client.flush(1) is Status.OK, "later flushes do not answer OK")
    world.expect_accepted(*taken)
    until(lambda: world.lines.at(LogLevel.WARNING), "no warning tells that events are dropped")


@scenario(6, needs=EVENTS)
def test_a_full_queue_is_counted(world: World) -> None:
    """HOIST_ERR_LIMIT: the event is dropped and counted. State: full queue, offline."""
    client = world.ready(events__capacity=10)
    client.flush(8)
    client.online = False
    answers = [world.track(client, number) for number in range(40)]
    counted = client.statistics().get(world.service.pipeline, {})
    expect(counted.get("dropped", 0) + counted.get("impact_dropped", 0), answers.count(Status.LIMIT), "dropped, as the statistics say")


@scenario(6, needs=EVENTS)
def test_offline_events_are_kept(world: World) -> None:
    """Offline, events are kept, and go when the client is online again. State: offline, then online."""
    client = world.ready()
    client.flush(8)
    client.online = False
    before = world.service.posts()
    expect(world.track(client, 1), Status.OK, "track")
    client.flush(0.2)
    expect(world.service.posts(), before, "requests for events while offline")
    client.online = True
    until(lambda: client.flush(1) is Status.OK, "later flushes do not answer OK")
    world.expect_accepted(1)


@scenario(6, needs=EVENTS)
def test_nothing_taken_before_the_first_flags_is_lost(world: World) -> None:
    """Nothing given by the host is dropped with OK. State: starting, the service does not answer yet."""
    world.service.hang()
    client = world.open()
    until(lambda: world.service.fetches() > 0, "nothing is asked for")
    status = world.track(client, 1, world.anna if world.service.identifies else None)
    world.service.heal()
    world.reaches(client, *READY)
    until(lambda: client.flush(1) is Status.OK, "later flushes do not answer OK")
    if status is Status.OK:
        world.expect_accepted(1)
    else:
        require(world.logs(world.service.event(1)), f"track answers {status.name}, and no line says why")


@scenario(6, needs=EVENTS)
def test_properties_are_carried_or_refused(world: World) -> None:
    """What cannot be carried is refused with a status and one log line that names it: nothing given is dropped with OK. State: ready, text, number and truth as properties."""
    client = world.ready()
    client.flush(8)
    for name, value in {"colourfulness": "pro", "shoesize": 43.5, "membership": True}.items():
        status = client.track(world.service.event(1), value=1.0, properties={name: value})
        client.flush(8)
        if status is Status.OK:
            require(name in world.service.bodies(), f"a property ({type(value).__name__}) is dropped with OK")
        else:
            require(world.logs(name), f"a property ({type(value).__name__}) is refused, and no line names it")


@scenario(6, needs=EVENTS)
def test_values_are_carried_or_refused(world: World) -> None:
    """What cannot be carried is refused with a status and one log line that names it: nothing given is dropped with OK. State: ready, a fraction as value."""
    client = world.ready()
    client.flush(8)
    status = client.track(world.service.event(1), value=2.5)
    client.flush(8)
    if status is Status.OK:
        world.expect_accepted(2.5)
    else:
        require(world.logs(world.service.event(1)), "the value is refused, and no line names the event")


@scenario(6, needs=EVENTS)
def test_keys_are_carried_or_refused(world: World) -> None:
    """What cannot be carried is refused with a status and one log line that names it: nothing given is dropped with OK. State: ready, a key that no service knows."""
    client = world.ready()
    client.flush(8)
    status = client.track("sold-out!", value=1.0)
    client.flush(8)
    if status is Status.OK:
        require("sold-out!" in world.service.bodies(), "the event is dropped with OK")
        expect(world.service.complaints(), [], "what the service complains of")
    else:
        require(world.logs("sold-out!"), "the key is refused, and no line names it")


@scenario(6, needs=EVENTS)
def test_a_closed_client_takes_no_events(world: World) -> None:
    """track answers HOIST_ERR_STATE: closed. State: closed."""
    client = world.ready()
    client.close(2)
    expect(world.track(client, 1), Status.STATE, "track")
    expect(client.flush(1), Status.STATE, "flush")


@scenario(6, needs=EVENTS)
def test_closing_sends_what_is_left(world: World) -> None:
    """close(timeout) uses its limit: what is recorded is sent. State: closing."""
    client = world.ready()
    expect(world.track(client, 1), Status.OK, "track")
    expect(client.close(8), Status.OK, "close")
    world.expect_accepted(1)


@scenario(6, needs=EVENTS)
def test_closing_tries_again_within_its_limit(world: World) -> None:
    """close(timeout) tries again within it when something is left. State: closing, events fail once."""
    client = world.ready()
    client.flush(8)
    world.service.fail_events(status=503, times=1)
    expect(world.track(client, 1), Status.OK, "track")
    expect(client.close(8), Status.OK, "close")
    world.expect_accepted(1)


@scenario(6, needs=EVENTS)
def test_closing_says_what_is_left(world: World) -> None:
    """close answers TIMEOUT when something is lost or left. State: closing, events fail."""
    client = world.ready()
    client.flush(8)
    world.service.fail_events(status=503)
    expect(world.track(client, 1), Status.OK, "track")
    expect(returns(lambda: client.close(0.4), "close"), Status.TIMEOUT, "close")


@scenario(6, needs=EVENTS)
def test_the_next_run_delivers_what_is_left(world: World) -> None:
    """What the store holds by then is kept for the next run. State: closed while events fail, then a second run."""
    client = world.ready(**world.kept())
    client.flush(8)
    world.service.fail_events(status=503)
    for number in (1, 2):
        expect(world.track(client, number), Status.OK, "track")
    client.close(1)
    world.service.heal()
    again = world.ready(**world.kept())
    until(lambda: again.flush(1) is Status.OK, "later flushes do not answer OK")
    world.expect_accepted(1, 2)


@scenario(6, needs=EVENTS)
def test_a_recording_that_is_not_stored_says_so(world: World) -> None:
    """With events.durability "immediate" a recording call answers HOIST_ERR_UNSAVED, never OK for what a kill would take. State: ready, a cache plug-in fails."""
    cache = FailingCache()
    client = world.ready(plugins={"cache": cache}, store=None, events__durability="immediate")
    client.flush(8)
    world.service.fail_events("hang", then="answer")
    cache.fails = True
    status = returns(lambda: world.track(client, 1), "track")
    expect(status.name, "UNSAVED", "track")


class FailingCache(Cache):
    """Keeps things in memory, until it fails."""

    def __init__(self) -> None:
        self.fails = False
        self.values: dict[str, bytes] = {}

    def _check(self) -> None:
        if self.fails:
            raise Error(Status.IO, "no room")

    def load(self, key: str) -> bytes | None:
        self._check()
        return self.values.get(key)

    def save(self, key: str, value: bytes) -> None:
        self._check()
        self.values[key] = value

    def remove(self, key: str) -> None:
        self._check()
        self.values.pop(key, None)

    def put_events(self, rows: Sequence[EventRow], owner: str, lease_ms: int) -> None:
        self._check()

    def claim_events(self, pipeline: str, max_rows: int, max_bytes: int, owner: str, lease_ms: int) -> list[EventRow]:
        self._check()
        return []

    def remove_events(self, ids: Sequence[str], owner: str) -> None:
        self._check()

    def purge_events(self, subject: str, pipeline: str) -> None:
        self._check()

    def renew_lease(self, owner: str, lease_ms: int) -> None:
        self._check()


@scenario(6, needs=EVENTS)
def test_a_killed_run_has_stored_what_it_said_it_had(world: World) -> None:
    """With events.durability "immediate" a recording call answers HOIST_OK when the record is stored. State: second process, killed at once."""
    world.service.fail_events("hang", then="answer")
    said = world.process(["ready", "track 1", "track 2", "kill"], **world.kept(), events__durability="immediate")
    expect(said, ["OK", "OK", "OK"], "the process that is killed says")
    world.service.heal()
    client = world.ready(**world.kept())
    until(lambda: client.flush(1) is Status.OK and world.service.accepted(), "the next run delivers nothing")
    world.expect_accepted(1, 2)


@scenario(6, needs=EVENTS)
def test_a_full_disk_is_told(world: World) -> None:
    """A recording call never answers OK for what a kill would take. State: second process, full disk, killed."""
    world.service.fail_events("hang", then="answer")
    said = world.process(["ready", "disk-full", "track 1", "kill"], **world.kept(), events__durability="immediate")
    require(len(said) == 3, "the process ends before its time")
    world.service.heal()
    client = world.ready(**world.kept())
    client.flush(2)
    if said[2] == "OK":
        world.expect_accepted(1)
    else:
        expect(said[2], "UNSAVED", "track on a full disk")


@scenario(6, needs=EVENTS)
def test_what_is_sent_is_counted(world: World) -> None:
    """Counters tell what the service accepted. State: ready, three events."""
    client = world.ready()
    client.flush(8)
    before = client.statistics()[world.service.pipeline]["delivered"]
    for number in (1, 2, 3):
        world.track(client, number)
    expect(client.flush(8), Status.OK, "flush")
    expect(client.statistics()[world.service.pipeline]["delivered"] - before, 3, "delivered, as the statistics say")


@scenario(6, needs=EVENTS)
def test_nothing_is_sent_that_the_key_is_refused_for(world: World) -> None:
    """The same holds for events: whoever stops trying says so. State: key refused for events, then accepted."""
    client = world.ready()
    client.flush(8)
    told = world.observe(client, Topic.SEND_FAILED, Topic.ERROR)
    world.service.fail_events(status=401, times=1)
    expect(world.track(client, 1), Status.OK, "track")
    status = client.flush(1)
    require(status is not Status.OK, "flush answers OK for what was refused")
    require(told.comes(Topic.ERROR), "ERROR is not told")
