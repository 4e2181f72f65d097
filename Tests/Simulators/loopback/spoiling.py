"""For the simulators' own tests: correct requests with one thing wrong, and where the refusal must point."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Collection, Iterable

import pytest

from .calls import MISSING, Call, Change, body, bytes_of_body, raw
from .service import Service
from .wire import Request

ACCEPTED = (200, 202, 204)


@dataclass(frozen=True)
class Mutation:
    """`along` are places that necessarily complain too."""

    what: str
    builder: str
    change: Change
    place: str
    along: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        return f"{self.builder}: {self.what}"


def wrong(builder: str, what: str, at: str, value: Any, place: str | None = None, *along: str) -> Mutation:
    """A member at a dotted path has another value (a callable makes it); it complains itself unless `place` does."""
    return Mutation(what, builder, body(at, value), place or place_of(at), frozenset(along))


def lacking(builder: str, at: str, place: str | None = None) -> Mutation:
    return Mutation(f"no {at}", builder, body(at, MISSING), place or place_of(at))


def place_of(at: str) -> str:
    """How a violation names the member at a dotted path of the body."""
    return re.sub(r"\.(\d+)", r"[\1]", f"body.{at}")


def both(*changes: Change) -> Change:
    def change(call: Call) -> Call:
        for one in changes:
            call = one(call)
        return call

    return change


def replaced(old: bytes, new: bytes) -> Change:
    """Replaces bytes of the body that must be there."""
    def make(text: bytes) -> bytes:
        assert old in text
        return text.replace(old, new)

    return bytes_of_body(make)


def check_acceptance(simulator: Service, correct: Call) -> None:
    """A correct request is answered, and nothing is said against it."""
    assert correct.send(simulator).status in ACCEPTED
    assert simulator.violations == []


def check_refusal(simulator: Service, correct: Call, mutation: Mutation) -> None:
    """The spoilt request is refused by name and not booked; the correct one still is accepted."""
    booked = len(simulator.ledger.posts)
    assert mutation.change(correct).send(simulator).status == 422
    places = {violation.where for violation in simulator.violations}
    assert places - mutation.along == {mutation.place}
    assert len(simulator.ledger.posts) == booked
    assert correct.send(simulator).status in ACCEPTED
    assert {violation.where for violation in simulator.violations} == places


def check_faults(simulator: Service, call: Call) -> None:
    """Where a correct request goes, the service can fail in every way, and then answers again."""
    endpoint = simulator.resolve(Request(call.method, call.target, ()))
    simulator.fail(endpoint, "status", status=500)
    assert call.send(simulator).status == 500
    simulator.fail(endpoint, "garbage")
    assert b"\xff" in call.send(simulator).body
    for kind in ("reset", "close", "drop"):
        simulator.fail(endpoint, kind)
        with pytest.raises(OSError):
            call.send(simulator)
    simulator.fail(endpoint, "hang", times=None)
    with pytest.raises(TimeoutError):
        call.send(simulator, timeout=0.05)
    simulator.faults.clear()
    assert call.send(simulator).status in ACCEPTED
    assert simulator.violations == []


def check_names(mutations: Collection[Mutation], builders: Iterable[str]) -> Counter[str]:
    """No two have one name, and no kind of request is left out; returns how many each kind has."""
    assert len({mutation.name for mutation in mutations}) == len(mutations)
    counts = Counter(mutation.builder for mutation in mutations)
    assert set(counts) == set(builders)
    return counts


def no_http(target: str) -> list[bytes]:
    """What is no HTTP request, at a target that exists."""
    start = target.encode()
    return [start + b" HTTP/1.0\r\nHost: x\r\n\r\n", start + b" HTTP/1.1\r\n\r\n",
            start + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"]


def check_no_http(simulator: Service, request: bytes) -> None:
    """Bytes that are no HTTP request are answered with 400, and are a violation of their own."""
    assert raw(simulator, request).startswith(b"HTTP/1.1 400 ")
    assert [violation.where for violation in simulator.violations] == ["http"]
