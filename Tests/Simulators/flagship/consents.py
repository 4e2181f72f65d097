"""What visitors have said about consent, under each of their ids (5.6, 5.7)."""

from __future__ import annotations

Ids = tuple[str, str | None]
"""A visitor's own id and the anonymous one."""


class Consents:
    """A visitor's word holds under all of its ids. Several visitors may have one anonymous id, as those of one device: the
    refusal of one of them does not silence another that has consented."""

    def __init__(self, said: dict[str, tuple[bool, str]] | None = None) -> None:
        self._said = said or {}
        """By id: the last word, and whose it was."""

    def copy(self) -> Consents:
        return Consents(dict(self._said))

    def hear(self, ids: Ids, given: bool) -> None:
        for name in ids:
            if name is not None:
                self._said[name] = given, ids[0]

    def refused(self, ids: Ids) -> list[str]:
        """Those of the ids under which the visitor has refused."""
        return [name for name in ids if name is not None and self._is_refused(name, ids[0])]

    def _is_refused(self, name: str, visitor: str) -> bool:
        given, speaker = self._said.get(name, (True, ""))
        has_consented, _ = self._said.get(visitor, (False, ""))
        return not given and (speaker in (name, visitor) or not has_consented)

    def as_json(self) -> dict[str, bool]:
        return {name: given for name, (given, _) in self._said.items()}
