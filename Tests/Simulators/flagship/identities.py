"""Which id stands where: as `visitorId` and `anonymousId` in requests for decisions, so in hits and activations (3.2, 3.4, 3.5)."""

from __future__ import annotations

from typing import Any

from .consents import Ids


def ids_of_hit(item: dict[str, Any]) -> Ids:
    """The visitor's id and the anonymous one: in hits `vid` is the anonymous id where there is one."""
    known = item.get("cuid")
    return (str(known), str(item["vid"])) if known else (str(item["vid"]), None)


def ids_of_activation(item: dict[str, Any]) -> Ids:
    """In activations `vid` is always the visitor's own."""
    return str(item["vid"]), item.get("aid")


def ids_of_decision(document: dict[str, Any]) -> Ids:
    return str(document["visitorId"]), document.get("anonymousId")


class Identities:
    """What was told so far. Its owner's lock guards it."""

    def __init__(self) -> None:
        self._pairs: set[tuple[str, str]] = set()
        self._decided: dict[str, dict[str | None, int]] = {}
        """By visitor: the anonymous ids, or None for none, in requests for decisions, and when the first one came."""

    def learn(self, visitor: str, anonymous: str | None) -> None:
        if anonymous is not None:
            self._pairs.add((visitor, anonymous))

    def learn_decision(self, visitor: str, anonymous: str | None, now: int) -> None:
        self.learn(visitor, anonymous)
        self._decided.setdefault(visitor, {}).setdefault(anonymous, now)

    def is_decided(self, visitor: str) -> bool:
        """Whether the service makes the visitor's decisions."""
        return visitor in self._decided

    def flaw(self, visitor: str, anonymous: str | None) -> str | None:
        """What is wrong with a visitor's ids."""
        if anonymous is None:
            return None
        if anonymous == visitor:
            return f"{visitor} is the visitor's id and the anonymous one"
        is_swapped = (anonymous, visitor) in self._pairs and (visitor, anonymous) not in self._pairs
        is_only_anonymous = visitor not in self._decided and any(visitor in told for told in self._decided.values())
        if is_swapped or is_only_anonymous:
            return f"{visitor} is an anonymous id, and stands where the visitor's should"
        return None

    def lacks_anonymous(self, visitor: str, anonymous: str | None, made: int) -> bool:
        """Whether a visitor that decisions were asked for under two ids has one only in what was made afterwards."""
        told = self._decided.get(visitor, {})
        return anonymous is None and bool(told) and None not in told and made > min(told.values())
