"""Ids stand where requests for decisions have them: `vid` is the anonymous id in hits, and the visitor's in activations (3.2, 3.4,
3.5; FS-68, FS-69)."""

from __future__ import annotations

from typing import Any

import pytest
from loopback.calls import Call

from flagship import FlagshipSimulator

from .support import NOW, activation, activations, batch, consent, decision, screen

BOTH: dict[str, dict[str, Any]] = {"hit": {"vid": "anon-1", "cuid": "carla"}, "activation": {"vid": "carla", "aid": "anon-1"}}
SWAPPED: dict[str, dict[str, Any]] = {"hit": {"vid": "carla", "cuid": "anon-1"}, "activation": {"vid": "anon-1", "aid": "carla"}}
PLACES = {"hit": "body.h[0].cuid", "activation": "body.batch[0].aid"}
KINDS = tuple(PLACES)


def call(simulator: FlagshipSimulator, kind: str, ids: dict[str, Any], age: int = 0) -> Call:
    """A hit or an activation under these ids."""
    if kind == "hit":
        return batch(simulator, {**screen(age=age), **ids})
    return activations(simulator, {**activation(age=age), **ids})


def asked(simulator: FlagshipSimulator, visitor: str = "carla", anonymous: str | None = "anon-1") -> Call:
    made = decision(simulator, visitor)
    made.document["anonymousId"] = anonymous
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_ids_as_in_the_decision_are_accepted(simulator: FlagshipSimulator, kind: str) -> None:
    assert asked(simulator).send(simulator).status == 200
    for ids in (BOTH[kind], {"vid": "anna"}, {"vid": "anon-1"}):
        assert call(simulator, kind, ids).send(simulator).status in (200, 204)
    assert simulator.violations == []


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_not_swapped(simulator: FlagshipSimulator, kind: str) -> None:
    assert asked(simulator).send(simulator).status == 200
    assert call(simulator, kind, SWAPPED[kind]).send(simulator).places == [PLACES[kind]]


@pytest.mark.parametrize("kind", KINDS)
def test_an_anonymous_id_is_nobodys_own(simulator: FlagshipSimulator, kind: str) -> None:
    """Also beside another one, until a decision is asked for it alone."""
    assert asked(simulator).send(simulator).status == 200
    ids = {"hit": {"vid": "anon-2", "cuid": "anon-1"}, "activation": {"vid": "anon-1", "aid": "anon-2"}}[kind]
    assert call(simulator, kind, ids).send(simulator).places == [PLACES[kind]]
    assert asked(simulator, "anon-1", None).send(simulator).status == 200
    assert call(simulator, kind, ids).send(simulator).status in (200, 204)


@pytest.mark.parametrize("kind", KINDS)
def test_both_ids_are_not_one(simulator: FlagshipSimulator, kind: str) -> None:
    ids = {"hit": {"vid": "carla", "cuid": "carla"}, "activation": {"vid": "carla", "aid": "carla"}}[kind]
    assert call(simulator, kind, ids).send(simulator).places == [PLACES[kind]]
    assert asked(simulator, "carla", "carla").send(simulator).places == ["body.anonymousId"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_anonymous_id_is_not_left_out(simulator: FlagshipSimulator, kind: str) -> None:
    """What was made before may be without it."""
    assert asked(simulator).send(simulator).status == 200
    simulator.now = lambda: NOW + 1_000
    assert call(simulator, kind, {"vid": "carla"}, age=1_500).send(simulator).status in (200, 204)
    assert call(simulator, kind, {"vid": "carla"}).send(simulator).places == [PLACES[kind]]
    assert call(simulator, kind, BOTH[kind]).send(simulator).status in (200, 204)
    simulator.options.change(several_identities=True)
    assert call(simulator, kind, {"vid": "carla"}).send(simulator).status in (200, 204)
    simulator.options.change(several_identities=False)
    assert asked(simulator, anonymous=None).send(simulator).status == 200
    assert call(simulator, kind, {"vid": "carla"}).send(simulator).status in (200, 204)


def test_hits_activations_and_decisions_agree(simulator: FlagshipSimulator) -> None:
    """Whichever comes first, as where no decision is asked for."""
    assert batch(simulator, consent(visitor="anon-1", cuid="carla")).send(simulator).status == 200
    assert call(simulator, "activation", SWAPPED["activation"]).send(simulator).places == [PLACES["activation"]]
    assert asked(simulator, "anon-1", "carla").send(simulator).places == ["body.anonymousId"]
    assert call(simulator, "activation", BOTH["activation"]).send(simulator).status == 204
