"""Members that compiled calls leave unread, until something looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Unread:
    """The base of frozen objects of which one member, `_later`, is found at the first look by `_read`."""

    __slots__ = ("_unread",)
    _unread: Any
    """What the member is read from; not set where it has been from the beginning."""
    _later = ""

    def _read(self, unread: Any) -> Any:
        raise NotImplementedError

    if not TYPE_CHECKING:  # else no misspelt member would be found

        def __getattr__(self, name: str) -> Any:
            if name != self._later:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            found = self._read(self._unread)
            object.__setattr__(self, name, found)
            return found
