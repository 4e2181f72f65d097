"""Reading flags in LaunchDarkly's words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from .. import detail as _core
from .._attributes import to_json
from .._callback import function, implements, owner
from .._evaluation import Evaluations
from .._native import NULL, ffi, lib
from .._text import KEYS, decode, decode_bytes, encode, take
from ..context import pointer_of
from ..status import Error
from .context import AnyContext, given
from .detail import EvaluationDetail, of_core

Value = TypeVar("Value")

_BUFFER_BYTES = 512
_NO_FLAG = 2**63 - 1  # stands for a default that C cannot hand back; the numbers of flags are doubles
_new_detail = ffi.typeof("hoist_detail *[1]")


class Variations(Evaluations):
    """What `launchdarkly.Client` can read. Nothing here waits.

    The default is returned when there is no such flag, when it has no value, and when its value is
    of another type; it also goes into events. `context` is for mode server, where the client decides
    for any; None stands for the current one.
    """

    __slots__ = ()

    def bool_variation(self, key: str, default: bool, context: AnyContext | None = None) -> bool:
        """A boolean flag."""
        return self.bool(key, given(context), default)

    def int_variation(self, key: str, default: int, context: AnyContext | None = None) -> int:
        """A number flag without its fraction."""
        return self._integer(key, default, context, NULL)

    def double_variation(self, key: str, default: float, context: AnyContext | None = None) -> float:
        """A number flag."""
        return self.float(key, given(context), default)

    def string_variation(self, key: str, default: str, context: AnyContext | None = None) -> str:
        """A text flag."""
        return self.string(key, given(context), default)

    def json_variation(self, key: str, default: Any, context: AnyContext | None = None) -> Any:
        """A flag of any type; the default is what JSON can say."""
        subject = given(context)
        text = take(lib.hoist_client_json(self._pointer, KEYS[key], pointer_of(subject), _json(default), NULL))
        return default if text is None else _core.load(text)

    # ---- With how the value was determined -------------------------------------------------------

    def bool_variation_detail(
        self, key: str, default: bool, context: AnyContext | None = None
    ) -> EvaluationDetail[bool]:
        """A boolean flag."""
        place, subject = ffi.new(_new_detail), given(context)
        return _read(lib.hoist_client_bool(self._pointer, KEYS[key], pointer_of(subject), default, place), place)

    def int_variation_detail(self, key: str, default: int, context: AnyContext | None = None) -> EvaluationDetail[int]:
        """A number flag without its fraction."""
        place = ffi.new(_new_detail)
        return _read(self._integer(key, default, context, place), place)

    def _integer(self, key: str, default: int, context: AnyContext | None, place: Any) -> int:
        known, subject = default if -(2**63) <= default < 2**63 else _NO_FLAG, given(context)
        call = lib.hoist_launchdarkly_int_variation_for
        value = int(call(self._pointer, KEYS[key], pointer_of(subject), known, place))
        return default if value == known else value

    def double_variation_detail(
        self, key: str, default: float, context: AnyContext | None = None
    ) -> EvaluationDetail[float]:
        """A number flag."""
        place, subject = ffi.new(_new_detail), given(context)
        return _read(lib.hoist_client_double(self._pointer, KEYS[key], pointer_of(subject), default, place), place)

    def string_variation_detail(
        self, key: str, default: str, context: AnyContext | None = None
    ) -> EvaluationDetail[str]:
        """A text flag."""
        place, buffer, subject = ffi.new(_new_detail), ffi.new("char[]", _BUFFER_BYTES), given(context)
        call = lib.hoist_client_string
        length = call(self._pointer, KEYS[key], pointer_of(subject), encode(default), buffer, _BUFFER_BYTES, place)
        if length < _BUFFER_BYTES:
            return _read(str(ffi.unpack(buffer, length), "utf-8", "replace"), place)
        return _read(_core.load(decode(lib.hoist_detail_value(place[0]))), place)

    def json_variation_detail(self, key: str, default: Any, context: AnyContext | None = None) -> EvaluationDetail[Any]:
        """A flag of any type."""
        place, subject = ffi.new(_new_detail), given(context)
        text = take(lib.hoist_client_json(self._pointer, KEYS[key], pointer_of(subject), _json(default), place))
        return _read(default if text is None else _core.load(text), place)

    # ---- Of a type of the caller's own, for the current context ------------------------------------

    def variation(self, key: str, default: Value, decode: Callable[[Any], Value]) -> Value:
        """A flag as `decode` makes it from what JSON holds; what that cannot take is of another type.

        It says so by a ValueError, TypeError, LookupError or AttributeError.
        """
        converter = _Converter(decode)
        is_converted = self._convert(key, default, converter, NULL)
        return converter.value if is_converted else default

    def variation_detail(
        self, key: str, default: Value, decode: Callable[[Any], Value]
    ) -> EvaluationDetail[Value]:
        """`variation`, with how the value was determined."""
        converter, place = _Converter(decode), ffi.new(_new_detail)
        is_converted = self._convert(key, default, converter, place)
        return _read(converter.value if is_converted else default, place)

    def _convert(self, key: str, default: object, converter: _Converter, place: Any) -> Any:
        handle, call = ffi.new_handle(converter), lib.hoist_launchdarkly_variation_decode
        return call(self._pointer, KEYS[key], function("launchdarkly_decode"), handle, _json(default), place)

    # ---- All of them -----------------------------------------------------------------------------

    def all_flag_values(self) -> dict[str, Any] | None:
        """Every flag's value; None before the start and after the end. Makes no events."""
        values: dict[str, Any] | None = json.loads(take(lib.hoist_launchdarkly_all_flags(self._pointer)) or b"null")
        return values


def _read(value: Any, place: Any) -> EvaluationDetail[Any]:
    """Takes a detail of the library's over."""
    try:
        return of_core(value, place[0])
    finally:
        lib.hoist_detail_free(place[0])


class _Converter:
    """What makes a value of the caller's, and what it has made."""

    def __init__(self, decode: Callable[[Any], Any]) -> None:
        self.decode = decode
        self.value: Any = None


@implements("launchdarkly_decode", failure=False)
def _decode(text: Any, length: int, user_data: Any) -> bool:
    converter: _Converter = owner(user_data)
    try:
        converter.value = converter.decode(json.loads(decode_bytes(text, length)))
    except (ValueError, TypeError, LookupError, AttributeError):
        return False
    return True


def _json(default: Any) -> bytes:
    """A default as the library takes it; one that JSON cannot say goes as null."""
    try:
        return to_json(default, "the default")
    except (Error, TypeError):
        return b"null"
