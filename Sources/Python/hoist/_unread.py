"""Members that compiled calls leave unread, until something looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Unread:
    """The base of frozen objects that have members, `_later`, which are set by `_read` at the first look at one of them."""

    __slots__ = ("_unread",)
    _unread: Any
    """What they are read from; not set where they have been there from the beginning."""
    _later: tuple[str, ...] = ()

    def _read(self, name: str) -> None:
        raise NotImplementedError

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    if not TYPE_CHECKING:  # else no misspelt member would be found

        def __getattr__(self, name: str) -> Any:
            if name not in self._later:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            self._read(name)
            return object.__getattribute__(self, name)
