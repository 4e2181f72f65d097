"""Collections of flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._callback import function, implements, keep
from .._callback import forget as let_go
from .._callback import owner as behind
from .._native import ffi, lib
from .._text import decode, encode, take
from ..status import Status, check
from . import flag as _flag
from .flag import Flag
from .metadata import Metadata, metadata_of


class Flags(Mapping[str, Flag]):
    """Flags by key: those that the visitor had when the collection was made, each a live view. Thread-safe.

    A mapping, but that a key which is not in it gives a flag that does not exist.
    """

    __slots__ = ("__weakref__", "_pointer")

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.hoist_flagship_flags_free)

    def __len__(self) -> int:
        return int(lib.hoist_flagship_flags_count(self._pointer))

    def __iter__(self) -> Iterator[str]:
        found: list[str] = []
        handle = keep(found)
        try:
            lib.hoist_flagship_flags_for_each(self._pointer, function("flagship_each_flag"), handle)
        finally:
            let_go(handle)
        return iter(found)

    def __contains__(self, key: object) -> bool:
        return any(each == key for each in self)

    def __getitem__(self, key: str) -> Flag:
        return _flag.adopt(lib.hoist_flagship_flags_get(self._pointer, encode(key)))

    def __setitem__(self, key: str, flag: Flag) -> None:
        check(lib.hoist_flagship_flags_set(self._pointer, encode(key), flag._pointer), "the flag")

    def get(self, key: str, default: Any = None) -> Any:
        """The flag of a key that is in the collection, else `default`."""
        return self[key] if key in self else default

    @property
    def is_empty(self) -> bool:
        """Whether there is no flag."""
        return bool(lib.hoist_flagship_flags_is_empty(self._pointer))

    def metadatas(self) -> list[Metadata]:
        """Metadata of each flag, in order."""
        found = []
        for index in range(len(self)):
            pointer = lib.hoist_flagship_flags_metadata_at(self._pointer, index)
            try:
                found.append(metadata_of(pointer))
            finally:
                lib.hoist_flagship_metadata_free(pointer)
        return found

    def filter(self, predicate: Callable[[str, Flag], object]) -> Flags:
        """A new collection of the flags for which the predicate is true."""
        # What the predicate raises is the caller's: it is asked before the library calls back.
        handle = keep({key for key, flag in self.items() if predicate(key, flag)})
        try:
            return Flags(lib.hoist_flagship_flags_filter(self._pointer, function("flagship_takes_flag"), handle))
        finally:
            let_go(handle)

    def to_json(self) -> str:
        """A JSON array of the flags that exist: metadata, `key`, and the value as `hex`; "" when there is none."""
        return str(take(lib.hoist_flagship_flags_to_json(self._pointer)) or b"", "utf-8", "replace")

    def expose_all(self) -> Status:
        """`Flag.expose` for each; answers what the first one gave that was not sent."""
        return Status(lib.hoist_flagship_flags_expose_all(self._pointer))

    def __repr__(self) -> str:
        return f"<Flags {list(self)!r}>"


@implements("flagship_each_flag")
def _each(user_data: Any, key: Any, _one: Any) -> None:
    behind(user_data).append(decode(key))


@implements("flagship_takes_flag", failure=False)
def _takes(user_data: Any, key: Any, _one: Any) -> bool:
    return decode(key) in behind(user_data)
