"""For the simulators' own tests: correct requests with one thing wrong, and where the refusal must point."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .calls import MISSING, Call, Change, body, bytes_of_body


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
