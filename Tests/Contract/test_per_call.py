"""4 A context given to one call."""

from __future__ import annotations

from differences import comes_true, expect, require
from hoist import Context, Status
from hoist.plugins import LogLevel
from scenario import Sentence, scenario
from world import World


@scenario(4)
def test_an_equal_context_is_the_current_one(world: World) -> None:
    """An equal context is the current one. State: ready, the current context given to the call."""
    client = world.ready()
    expect(world.read(client, "text", world.anna), "green", "text")
    expect(world.service.detail(client, "text", world.anna).error_code, "", "error code")


@scenario(4, needs=("remote",))
def test_another_context_gets_fallbacks_where_the_service_evaluates(world: World) -> None:
    """Another context gets the fallback with INVALID_CONTEXT where only the current one has flags. State: ready."""
    client = world.ready()
    found = world.service.detail(client, "text", world.ben)
    expect((found.value, found.error_code), ("none", "INVALID_CONTEXT"), "text of another person")


@scenario(4, needs=("remote",))
def test_another_context_is_warned_of_once(world: World) -> None:
    """The first call for a context that is not current is logged as a warning, per flag and client. State: ready."""
    client = world.ready()
    before = len(world.lines.at(LogLevel.WARNING))
    for _ in range(3):
        world.read(client, "text", world.ben)
        world.read(client, "on", world.ben)
    comes_true(lambda: len(world.lines.at(LogLevel.WARNING)) - before >= 2)
    comes_true(lambda: len(world.lines.at(LogLevel.WARNING)) - before > 2, 0.2)
    expect(len(world.lines.at(LogLevel.WARNING)) - before, 2, "warnings of six reads of two flags")
    require(not world.lines.at(LogLevel.WARNING, "ben "), "a warning names the person")


@scenario(4, needs=("local", "persons"))
def test_another_context_is_decided_where_hoist_evaluates(world: World) -> None:
    """Where Hoist evaluates, the given context gets everything a context of a client gets. State: ready."""
    client = world.ready()
    expect(world.read(client, "text", world.ben), "blue", "text of another person")
    expect(world.read(client, "text"), "green", "text of the current one")
    expect(client.explain("text", world.ben).value, client.evaluate("text", world.ben).value, "explain, beside evaluate")


@scenario(4, needs=("remote", "events"))
def test_an_event_of_another_person_is_refused_where_the_service_evaluates(world: World) -> None:
    """track for another context is refused with HOIST_ERR_UNSUPPORTED and a log line, never booked for the wrong person. State: ready."""
    client = world.ready()
    expect(world.track(client, 3, world.ben), Status.UNSUPPORTED, "track for another person")
    require(world.logs("context"), "no line is logged")
    client.flush(2)
    expect(world.service.accepted(), [], "accepted events")


@scenario(4, needs=("local", "events"), unless={name: Sentence(
    "unleash.h", "They carry no context: one is ignored.", "whose the event is: [], not ['ben']")
    for name in ("unleash-backend-polling", "unleash-backend-streaming")})
def test_an_event_of_another_person_is_booked_for_that_one(world: World) -> None:
    """track for another context is never booked for the wrong person. State: ready."""
    client = world.ready()
    expect(world.track(client, 3, world.ben), Status.OK, "track for another person")
    expect(client.flush(8), Status.OK, "flush")
    expect(world.service.tracked_persons(), ["ben"], "whose the event is")


@scenario(4)
def test_what_is_off_is_off(world: World) -> None:
    """A flag that the service stops listing because it is off is off, whatever the fallback. State: ready."""
    client = world.ready()
    expect(client.bool("off", None, True), False, "flag off, with the fallback true")
    expect(client.detail("off", None, True).error_code, "", "error code")


@scenario(4, unless={"unleash-frontend": Sentence(
    "unleash.h", "a toggle that fetched toggles do not list is off, and not unknown: the service lists what is on.",
    "an unknown flag: ('none', ''), not ('none', 'FLAG_NOT_FOUND')")})
def test_an_unknown_flag_gives_the_fallback(world: World) -> None:
    """The fallback is for when nobody knows. State: ready, unknown flag."""
    client = world.ready()
    for fallback in ("none", 7, 0.5, {"a": 1}):
        found = client.detail("nowhere", None, fallback)
        expect((found.value, found.error_code), (fallback, "FLAG_NOT_FOUND"), "an unknown flag")


@scenario(4)
def test_a_wrong_type_gives_the_fallback(world: World) -> None:
    """The fallback is returned when the flag cannot be read as that type, and the detail says why. State: ready, text read as a number."""
    client = world.ready()
    found = client.detail("text", None, 7)
    expect((found.value, found.error_code), (7, "TYPE_MISMATCH"), "text, read as a number")


@scenario(4)
def test_all_flags_agree_with_single_reads(world: World) -> None:
    """Core calls decide alike. State: ready, all flags at once and one by one."""
    client = world.ready()
    found = client.all_flags()
    missing = [flag for flag in ("on", "text", "number", "settings") if flag not in found]
    expect(missing, [], "flags that are missing among all")
    for flag, detail in found.items():
        expect(detail.value, client.evaluate(flag).value, f"flag {flag} among all, beside itself")


@scenario(4)
def test_a_view_keeps_what_it_has_seen(world: World) -> None:
    """Reads of a view agree with each other. State: ready, the service pushes a change meanwhile."""
    client = world.ready()
    with client.view() as view:
        expect((view.bool("on", False), view.string("text", "none")), (True, "green"), "a view's flags")
        world.brings(client, "text", "red")
        expect(view.string("text", "none"), "green", "a view's text after a change")
        expect(world.read(client, "text"), "red", "text")


@scenario(4)
def test_a_given_context_is_read_the_same_way_everywhere(world: World) -> None:
    """A document that describes a context is read the same way everywhere: constructor, from JSON, per call. State: ready."""
    client = world.ready()
    made = [Context("anna", plan="pro"), Context.from_json('{"targetingKey": "anna", "plan": "pro"}'),
            Context.from_dict({"targetingKey": "anna", "plan": "pro"})]
    answers = {(str(world.read(client, "text", one)), world.service.detail(client, "text", one).error_code) for one in made}
    expect(len(answers), 1, "different answers to one context, made three ways")


@scenario(4)
def test_an_explanation_counts_nothing(world: World) -> None:
    """explain decides alike, and counts and announces nothing. State: ready."""
    client = world.ready()
    expect(client.explain("text").value, client.evaluate("text").value, "explain, beside evaluate")
    require(client.explain("text").explanation is not None, "there is no explanation")
