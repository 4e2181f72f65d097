"""3 The current context."""

from __future__ import annotations

from differences import comes_true, expect, require, returns, until
from hoist import Context, Error, State, Status, Topic
from scenario import Sentence, scenario
from world import World

DROPS = "By default: what is cached of the new"


@scenario(3, needs=("persons",))
def test_another_person_gets_its_own_flags(world: World) -> None:
    """identify is OK when the flags of the new context are there. State: ready."""
    client = world.ready()
    expect(world.read(client, "text"), "green", "text of Anna")
    expect(client.identify(world.ben, 8), Status.OK, "identify")
    expect(world.read(client, "text"), "blue", "text of Ben")
    expect(client.state, State.READY, "state")


@scenario(3)
def test_an_equal_context_is_done_at_once(world: World) -> None:
    """An equal context is done at once, with OK and without a request. State: ready, the service does not answer."""
    client = world.ready()
    before = world.service.fetches()
    if not world.service.streams:
        world.service.hang()
    expect(client.identify(world.anna, 1), Status.OK, "identify")
    comes_true(lambda: world.service.fetches() != before, 0.2)
    expect(world.service.fetches(), before, "requests for flags")


@scenario(3, needs=("remote",))
def test_a_change_under_way_is_reconciling(world: World) -> None:
    """RECONCILING: a context change is under way. State: ready, identify, the service does not answer."""
    client = world.ready()
    world.service.hang()
    expect(client.identify_soon(world.ben), Status.OK, "identify")
    world.reaches(client, State.RECONCILING)
    # Where the former flags are dropped, that happens once, between two looks or not; afterwards it is known everywhere.
    looks = [(world.serves(client), client.wait_ready(0.1), world.serves(client)) for _ in range(2)]
    before, status, _ = next(look for look in reversed(looks) if look[0] == look[2])
    expect(status, Status.OK if before else Status.TIMEOUT, "wait_ready")


@scenario(3, needs=("remote",), unless={
    **{name: Sentence("launchdarkly/identify.h", DROPS, "text: 'none', not 'green'")
       for name in ("launchdarkly-streaming", "launchdarkly-polling")},
    "flagship-decision-api": Sentence("flagship.h", "Another targeting key is another visitor: the flags of the former one are dropped",
                                      "text: 'none', not 'green'")})
def test_old_flags_are_readable_until_the_new_ones_are_there(world: World) -> None:
    """identify keeps the old flags readable until the new ones are there, or a header says that it drops them. State: RECONCILING."""
    client = world.ready()
    world.service.hang()
    client.identify_soon(world.ben)
    comes_true(lambda: client.state is State.RECONCILING, 1)
    # Where they are dropped, that is a moment later.
    comes_true(lambda: world.read(client, "text") != "green", 0.3)
    expect(world.read(client, "text"), "green", "text")


@scenario(3, needs=("remote",))
def test_stored_flags_of_the_new_context_are_served_at_once(world: World) -> None:
    """Stored flags of the new context are served at once, before the network has answered and when it never does. State: RECONCILING, kept store."""
    client = world.ready(**world.kept())
    expect(client.identify(world.ben, 8), Status.OK, "identify")
    expect(client.identify(world.anna, 8), Status.OK, "identify back")
    client.flush(2)
    world.service.hang()
    client.identify_soon(world.ben)
    until(lambda: world.read(client, "text") == "blue", "stored flags of Ben are not served")


@scenario(3, needs=("remote",))
def test_stored_flags_of_the_new_context_are_served_offline(world: World) -> None:
    """Stored flags of the new context are served, when the network never answers. State: offline, kept store."""
    client = world.ready(**world.kept())
    expect(client.identify(world.ben, 8), Status.OK, "identify")
    expect(client.identify(world.anna, 8), Status.OK, "identify back")
    client.flush(2)
    client.online = False
    client.identify_soon(world.ben)
    until(lambda: world.read(client, "text") == "blue", "stored flags of Ben are not served")


@scenario(3, needs=("remote",))
def test_a_newer_change_takes_the_place(world: World) -> None:
    """identify answers SUPERSEDED when a newer context took its place, and the newest one stays. State: RECONCILING, identify once more."""
    client, ends = world.ready(), {}
    world.service.hang()
    client.identify_soon({"targetingKey": "carl"}, lambda status: ends.update(carl=status.name))
    world.reaches(client, State.RECONCILING, State.READY)
    client.identify_soon(world.ben, lambda status: ends.update(ben=status.name))
    world.service.heal()
    until(lambda: len(ends) == 2, "the changes do not end")
    require(ends["carl"] in ("SUPERSEDED", "OK"), f"the older change ends with {ends['carl']}")
    expect((list(ends), ends["ben"]), (["carl", "ben"], "OK"), "how the changes end")
    expect(world.read(client, "text"), "blue", "text")


@scenario(3, needs=("remote",))
def test_a_change_that_fails_says_so(world: World) -> None:
    """identify answers NETWORK when its flags could not be fetched, and the state is no lie. State: ready, service failing, identify."""
    client = world.ready()
    world.service.fail()
    status = returns(lambda: client.identify(world.ben, 2), "identify")
    require(status in (Status.NETWORK, Status.TIMEOUT), f"identify: {status.name}, not NETWORK")
    require(client.state is not State.READY, "the state is READY, and Ben's flags could not be fetched")


@scenario(3, needs=("persons",))
def test_a_change_before_the_first_flags_counts(world: World) -> None:
    """A context is accepted wherever one is accepted. State: starting, identify before the service answers."""
    world.service.hang()
    client = world.open()
    ends: list[str] = []
    expect(client.identify_soon(world.ben, lambda status: ends.append(status.name)), Status.OK, "identify")
    world.service.heal()
    until(lambda: ends, "the change does not end")
    until(lambda: world.read(client, "text") == "blue", "Ben's flags are not served")
    expect(ends, ["OK"], "how the change ends")


@scenario(3, unless={
    "optimizely": Sentence("optimizely.h", "The targeting key is the user id", "no flags are served"),
    **{name: Sentence("launchdarkly.h", "no key is made here for a context, or a part, that lacks one.",
                      "identify with an empty context: ARGUMENT, not OK")
       for name in ("launchdarkly-server-streaming", "launchdarkly-server-polling")}})
def test_an_empty_context_is_accepted(world: World) -> None:
    """A context that the service allows and Hoist can complete is accepted by identify. State: ready, identify without a key."""
    client = world.ready()
    expect(client.identify(Context(), 8), Status.OK, "identify with an empty context")
    require(world.serves(client), "no flags are served")


@scenario(3, needs=("persons",))
def test_a_context_as_another_sdk_writes_it_is_read_or_refused(world: World) -> None:
    """A shape that another SDK uses is either read or refused with the member's name; never dropped. State: ready, identify with userId and properties."""
    client = world.ready()
    try:
        context = Context.from_json('{"userId": "ben", "properties": {"plan": "pro"}}')
    except Error as problem:
        return require("userId" in str(problem), "it is refused, and the member is not named")
    status = client.identify(context, 8)
    if status is Status.OK:
        return expect(world.read(client, "text"), "blue", "text of the person that the shape names")
    require(world.logs("userId"), f"it is refused with {status.name}, and no line names the member")


@scenario(3)
def test_a_closed_client_refuses_a_context(world: World) -> None:
    """identify answers HOIST_ERR_STATE when it is not possible now. State: closed."""
    client = world.ready()
    client.close(2)
    expect(client.identify(world.ben, 1), Status.STATE, "identify")
    told: list[Status] = []
    expect(client.identify_soon(world.ben, told.append), Status.STATE, "identify, without waiting")
    expect(told, [], "told of a change that was refused")


@scenario(3, needs=("persons",))
def test_a_change_that_is_over_is_told_once(world: World) -> None:
    """CONTEXT_CHANGED once for each change, and never for an equal context. State: ready, Ben, Ben again, Anna."""
    client = world.ready()
    told = world.observe(client, Topic.CONTEXT_CHANGED)
    for person in (world.ben, world.ben, world.anna):
        expect(client.identify(person, 8), Status.OK, "identify")
    told.wait(Topic.CONTEXT_CHANGED, 2)
    world.settle(client)
    expect(told.count(Topic.CONTEXT_CHANGED), 2, "how often CONTEXT_CHANGED is told of two changes")


@scenario(3, needs=("remote",))
def test_an_equal_change_awaits_the_fetch_under_way(world: World) -> None:
    """An equal context asks for nothing that is asked for already. State: RECONCILING, fetch under way, identify with an equal context."""
    client, ends = world.ready(), []
    world.service.hang()
    before = world.service.fetches()
    client.identify_soon(world.ben, lambda status: ends.append(status.name))
    until(lambda: world.service.fetches() > before, "the flags of Ben are not asked for")
    world.settle(client)
    asked = world.service.fetches()
    for _ in range(3):
        expect(client.identify_soon(world.ben, lambda status: ends.append(status.name)), Status.OK, "identify with an equal context")
    comes_true(lambda: world.service.fetches() != asked, 0.3)
    expect(world.service.fetches(), asked, "requests for flags")
    world.service.heal()
    until(lambda: len(ends) == 4, "the changes do not end")
    expect(ends[-1], "OK", "how the last change ends")
    expect(world.read(client, "text"), "blue", "text")
