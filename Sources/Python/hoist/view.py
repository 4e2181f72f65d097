"""Views: many reads of one state of the flags for one context."""

from __future__ import annotations

from typing import Any

from ._attributes import fallback_of
from ._native import NULL, ffi, lib
from ._text import KEYS, blamed, wrong
from .detail import load

Bool = bool
Int = int
Float = float

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1

_bool = lib.hoist_view_bool
_int64 = lib.hoist_view_int64
_double = lib.hoist_view_double
_new = ffi.new
_new_length = ffi.typeof("size_t *")


class View:
    """The flags and a context as they were when the view was made: reads agree with each other.

        with client.view(user) as view:
            view.bool("new-checkout")

    Hold it for a request or a frame, not for ever: it keeps its flags in memory. Thread-safe. Hooks do not run for its
    reads, as they do for the client's: what has to see each evaluation needs that.
    """

    __slots__ = ("_pointer", "__weakref__")

    def __init__(self, client: Any, context: Any) -> None:
        self._pointer: Any = ffi.gc(lib.hoist_view_new(client, context), lib.hoist_view_free)

    def bool(self, key: str, fallback: Bool = False) -> Bool:
        """A boolean flag."""
        try:
            result: Bool = _bool(self._pointer, KEYS[key], fallback)
        except TypeError:
            raise blamed(key, fallback, Bool) from None
        return result

    def int(self, key: str, fallback: Int = 0) -> Int:
        """An integer flag."""
        try:
            if _SMALLEST <= fallback <= _LARGEST:
                return Int(_int64(self._pointer, KEYS[key], fallback))
        except TypeError:
            raise blamed(key, fallback, Int) from None
        # C cannot hand this fallback back, so two others tell whether one is due.
        first, second = _int64(self._pointer, KEYS[key], 0), _int64(self._pointer, KEYS[key], 1)
        return Int(first) if first == second else fallback

    def float(self, key: str, fallback: Float = 0.0) -> Float:
        """A number flag."""
        told = fallback_of(fallback)
        value = _double(self._pointer, KEYS[key], told)
        return fallback if value == told else Float(value)

    def string(self, key: str, fallback: str = "") -> str:
        """A text flag."""
        return self._text(lib.hoist_view_string, key, fallback)

    def variation(self, key: str, fallback: str = "") -> str:
        """The name of the variation."""
        return self._text(lib.hoist_view_variation, key, fallback)

    def json(self, key: str, fallback: Any = None) -> Any:
        """A JSON flag, decoded."""
        length = _new(_new_length)
        text = lib.hoist_view_json(self._pointer, KEYS[key], NULL, length)
        if not text:
            return fallback
        data = ffi.unpack(text, length[0])
        value = load(data)
        return fallback if value is None and data != b"null" else value

    def close(self) -> None:
        """Lets go of the flags; afterwards every read answers with its fallback."""
        self._pointer = NULL

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _text(self, call: Any, key: str, fallback: str) -> str:
        if not isinstance(fallback, str):
            raise wrong(fallback, "a str")
        length = _new(_new_length)
        pointer = self._pointer
        text = call(pointer, KEYS[key], NULL, length)
        return str(ffi.unpack(text, length[0]), "utf-8", "replace") if text else fallback
