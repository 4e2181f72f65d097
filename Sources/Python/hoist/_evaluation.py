"""Evaluation: the calls that read flags.

`bool`, `int` and `float` are methods here, so the types are named by capitals in this file.
"""

from __future__ import annotations

from typing import Any
from typing import TypeVar as _TypeVar

from . import detail as _detail
from ._attributes import fallback_of
from ._native import NULL, ffi, lib, native
from ._text import KEYS, decode, encode, take
from .context import Context, ContextLike, as_context, pointer_of
from .detail import Detail
from .status import Error

Bool = bool
Int = int
Float = float
Value = _TypeVar("Value")

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_BUFFER_BYTES = 512

# Bound once: these are on the path of every evaluation.
_bool = lib.hoist_client_bool
_int64 = lib.hoist_client_int64
_double = lib.hoist_client_double
_string = lib.hoist_client_string
_json = lib.hoist_client_json
_unpack = ffi.unpack
_new = ffi.new
_new_detail = ffi.typeof("hoist_detail *[1]")
_new_buffer = ffi.typeof(f"char[{_BUFFER_BYTES}]")

# A fallback no JSON text can be: the library answers NULL where the fallback is due.
_NO_JSON = b"\xff"


class Evaluations:
    """Reads flags. Nothing here waits, and nothing raises but TypeError for arguments of a wrong type.

    `context` is a `Context`, a mapping, or None for the client's own; `fallback` is returned when
    the flag cannot be evaluated.
    """

    __slots__ = ("_pointer",)
    _pointer: Any

    def bool(self, key: str, context: ContextLike = None, fallback: Bool = False) -> Bool:
        """A boolean flag."""
        result: Bool = _calls.boolean(self._pointer, key, context, fallback)
        return result

    def int(self, key: str, context: ContextLike = None, fallback: Int = 0) -> Int:
        """An integer flag."""
        if not _SMALLEST <= fallback <= _LARGEST:
            return self.detail(key, context, fallback).value
        try:
            context = as_context(context)
        except Error:
            return fallback
        return Int(_int64(self._pointer, KEYS[key], pointer_of(context), fallback, NULL))

    def float(self, key: str, context: ContextLike = None, fallback: Float = 0.0) -> Float:
        """A number flag."""
        try:
            context = as_context(context)
        except Error:
            return fallback
        told = fallback_of(fallback)
        value = _double(self._pointer, KEYS[key], pointer_of(context), told, NULL)
        return fallback if value == told else Float(value)

    def string(self, key: str, context: ContextLike = None, fallback: str = "") -> str:
        """A text flag."""
        try:
            text = fallback.encode()
        except UnicodeEncodeError:
            text = b"\0"
        except AttributeError:
            raise TypeError(f"the fallback is a str, not {type(fallback).__name__}") from None
        if 0 in text:  # C cannot hand this one back
            return self.detail(key, context, fallback).value
        try:
            context = as_context(context)
        except Error:
            return fallback
        size = max(_BUFFER_BYTES, len(text) + 1)
        buffer = _new(_new_buffer) if size == _BUFFER_BYTES else _new("char[]", size)
        length = _string(self._pointer, KEYS[key], pointer_of(context), text, buffer, size, NULL)
        if length < size:
            return str(_unpack(buffer, length), "utf-8", "replace")
        # Longer than the buffer, so not the fallback: read it whole, without counting it twice.
        value = self.explain(key, context).value
        return value if isinstance(value, str) else fallback

    def json(self, key: str, context: ContextLike = None, fallback: Any = None) -> Any:
        """A JSON flag, decoded; `fallback` itself when it cannot be evaluated."""
        try:
            context = as_context(context)
        except Error:
            return fallback
        text = take(_json(self._pointer, KEYS[key], pointer_of(context), _NO_JSON, NULL))
        if text is None:
            return fallback
        value = _detail.load(text)
        return fallback if value is None and text != b"null" else value

    def detail(self, key: str, context: ContextLike, fallback: Value) -> Detail[Value]:
        """The value of the type that `fallback` has (str, bool, int, float, else JSON), and why."""
        return _with_fallback(_calls.detail(self._pointer, key, context, fallback), fallback)

    def evaluate(self, key: str, context: ContextLike = None) -> Detail[Any]:
        """The flag whatever its type: on or off, variation, value, reason, metadata."""
        found: Detail[Any] = _calls.evaluate(self._pointer, key, context, False)
        return found

    def explain(self, key: str, context: ContextLike = None) -> Detail[Any]:
        """`evaluate` that records each step; counts and announces nothing."""
        found: Detail[Any] = _calls.evaluate(self._pointer, key, context, True)
        return found

    def all_flags(self, context: ContextLike = None) -> dict[str, Detail[Any]]:
        """Every known flag, evaluated; counts and announces nothing."""
        try:
            context = as_context(context)
        except Error:
            return {}
        text = take(lib.hoist_client_all_flags(self._pointer, pointer_of(context)))
        flags = _detail.load(text or b"{}") or {}
        return {key: _detail.from_json({"key": key, **values}) for key, values in flags.items()}


class _Plain:
    """The calls where none are compiled; `native/` has the others, which do the same."""

    @staticmethod
    def boolean(client: Any, key: str, context: ContextLike, fallback: bool) -> Any:
        try:
            made = as_context(context)
        except Error:
            return fallback
        return _bool(client, KEYS[key], pointer_of(made), fallback, NULL)

    @staticmethod
    def evaluate(client: Any, key: str, context: ContextLike, is_explained: bool) -> Detail[Any]:
        try:
            made = as_context(context)
        except Error as problem:
            return _detail.refused(key, None, str(problem))
        place = _new(_new_detail)
        call = lib.hoist_client_explain if is_explained else lib.hoist_client_evaluate
        status = call(client, KEYS[key], pointer_of(made), place)
        return _detail.read(place[0], key) if place[0] else _detail.unevaluated(key, status)

    @staticmethod
    def detail(client: Any, key: str, context: ContextLike, fallback: Any) -> Detail[Any]:
        try:
            made = as_context(context)
        except Error as problem:
            return _detail.refused(key, fallback, str(problem))
        place = _new(_new_detail)
        found: dict[str, Any] = {}
        arguments = (client, KEYS[key], pointer_of(made))
        if isinstance(fallback, bool):
            found["value"] = _bool(*arguments, fallback, place)
        elif isinstance(fallback, int):
            # Of a fallback that C has no room for, a value that no flag has takes the place.
            told = fallback if _SMALLEST <= fallback <= _LARGEST else _SMALLEST
            value = _int64(*arguments, told, place)
            found["value"] = fallback if value == told else value
        elif isinstance(fallback, float):
            found["value"] = _double(*arguments, fallback, place)
        elif isinstance(fallback, str):
            _string(*arguments, encode(fallback), NULL, 0, place)
        else:
            take(_json(*arguments, _NO_JSON, place))
        return _detail.read(place[0], key, **found)


_calls: Any = native.calls or _Plain


def _with_fallback(found: Detail[Any], fallback: Any) -> Detail[Any]:
    """Puts the caller's own fallback in where the library had to do without it."""
    is_missing = found.error_code or found.value is None
    if isinstance(fallback, str):
        # The library repairs what is no UTF-8.
        is_missing = is_missing or found.value == str(encode(fallback), "utf-8", "replace") or not isinstance(found.value, str)
    if not is_missing:
        return found
    return Detail(
        found.key, fallback, found.enabled, found.variation, found.reason, found.error_code, found.error_message,
        found.metadata, found.explanation,
    )  # fmt: skip
