"""Text between Python and C."""

from __future__ import annotations

import math
import sys
from typing import Any

from ._native import NULL, ffi, lib, use

_MOST_KEYS = 4096
_LONGEST_KEPT_KEY = 256
_LONGEST_MILLISECONDS = 2**62


def wrong(given: object, wanted: str) -> TypeError:
    """What to raise for an argument of a wrong type: by the name that it has in the call of the outermost function here."""
    name, frame = "the argument", sys._getframe(1)
    while frame is not None and frame.f_globals.get("__package__", "").partition(".")[0] == __package__:
        name = next((known for known, value in frame.f_locals.items() if value is given), name)
        frame = frame.f_back  # type: ignore[assignment]
    return TypeError(f"{name} is {wanted}, not {type(given).__name__}")


def blamed(key: object, fallback: object, kind: type) -> TypeError:
    """What to raise where an evaluation could not be called: of the key and the fallback the one that is wrong."""
    if not isinstance(key, str):
        return wrong(key, "a str")
    return wrong(fallback, "an int" if kind is int else f"a {kind.__name__}")


def encode(text: str) -> bytes:
    """UTF-8 for C.

    What C's text cannot hold, a NUL or half a surrogate pair, becomes invalid UTF-8: the library
    refuses it, where a text cut at the NUL would be another one.
    """
    if not isinstance(text, str):
        raise wrong(text, "a str")
    data = text.encode("utf-8", "surrogatepass")
    return data.replace(b"\0", b"\xc0\x80") if 0 in data else data


use(encode=encode)


class _Keys(dict[str, bytes]):
    """Encoded flag keys, so that each is encoded once."""

    def __missing__(self, key: str) -> bytes:
        data = encode(key)
        if len(data) <= _LONGEST_KEPT_KEY:
            if len(self) >= _MOST_KEYS:
                self.clear()
            self[key] = data
        return data


KEYS = _Keys()


def document(text: str | bytes) -> bytes:
    """UTF-8 with its length, for what is read whole."""
    if not isinstance(text, (str, bytes)):
        raise wrong(text, "a str or bytes")
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def optional(text: str | None) -> Any:
    """A text that may be missing."""
    return NULL if text is None else encode(text)


def decode(pointer: Any) -> str:
    """A NUL-terminated text; "" for NULL."""
    return str(ffi.string(pointer), "utf-8", "replace") if pointer else ""


def decode_bytes(pointer: Any, size: int) -> bytes:
    """A copy of bytes that C lends."""
    return bytes(ffi.unpack(ffi.cast("char *", pointer), size)) if pointer and size else b""


def take(text: Any) -> bytes | None:
    """The bytes of a `hoist_text`, which is freed; None for NULL."""
    if not text:
        return None
    try:
        return bytes(ffi.unpack(lib.hoist_text_data(text), lib.hoist_text_length(text)))
    finally:
        lib.hoist_text_free(text)


def structs(first: Any, count: int) -> list[Any]:
    """The elements of an array that C lends: the first one's `struct_size` is the distance between them."""
    kind, start = ffi.typeof(first), ffi.cast("char *", first)
    return [ffi.cast(kind, start + index * first.struct_size) for index in range(count)]


def take_text(text: Any) -> str | None:
    """The text of a `hoist_text`, which is freed; None for NULL and where there is none."""
    data = take(text)
    return str(data, "utf-8", "replace") if data else None


def milliseconds(seconds: float | None) -> int:
    """Seconds as the library takes them; None, as anything below 0, is no limit."""
    if seconds is not None and not isinstance(seconds, (int, float)):
        raise wrong(seconds, "a number of seconds or None")
    if seconds is None or seconds < 0:
        return -1
    if math.isnan(seconds):
        raise ValueError("a time limit cannot be NaN")
    if seconds >= _LONGEST_MILLISECONDS / 1000:
        return _LONGEST_MILLISECONDS
    return math.ceil(seconds * 1000)
