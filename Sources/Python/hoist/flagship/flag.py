"""Flags of a visitor: values, metadata, exposures."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from .._attributes import to_json
from .._constant import Constant
from .._native import NULL, ffi, lib, use
from .._text import KEYS, decode, take
from ..status import Error, Status
from .metadata import Metadata, metadata_of

Value = TypeVar("Value")

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_new = ffi.new
_new_bool, _new_int, _new_double = (ffi.typeof(f"{name} *") for name in ("bool", "int64_t", "double"))
_new_text = ffi.typeof("hoist_text **")


class FlagStatus(Constant):
    """Where a flag stands."""

    FETCHED = lib.HOIST_FLAGSHIP_FLAG_FETCHED
    FETCH_REQUIRED = lib.HOIST_FLAGSHIP_FLAG_FETCH_REQUIRED
    """It has a value; the visitor has to be fetched, or is being fetched."""
    NOT_FOUND = lib.HOIST_FLAGSHIP_FLAG_NOT_FOUND
    """No campaign gave the visitor such a flag."""
    PANIC = lib.HOIST_FLAGSHIP_FLAG_PANIC
    """The service has switched everything off."""


class Flag:
    """A flag of a visitor: a live view, which reads the visitor's flags at each call. Thread-safe.

    It keeps its visitor.
    """

    __slots__ = ("__weakref__", "_pointer")

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.hoist_flagship_flag_free)

    @property
    def key(self) -> str:
        """The flag's key."""
        return decode(lib.hoist_flagship_flag_key(self._pointer))

    @property
    def exists(self) -> bool:
        """Whether the service has given the visitor this flag, null included."""
        return bool(lib.hoist_flagship_flag_exists(self._pointer))

    @property
    def status(self) -> FlagStatus:
        """Where the flag stands."""
        return FlagStatus(lib.hoist_flagship_flag_status(self._pointer))

    def value(self, default: Value, expose: bool = True) -> Value:
        """The value, if it has the type of the default: str, bool, int, float, a list or a dict; else the default.

        None as the default takes a value of any type. `expose` counts the visitor, also where the
        default is returned for a null or another type.
        """
        found: Value = read(_CALLS, (self._pointer,), default, expose)[0]
        return found

    def read(self, default: Value, expose: bool = True) -> tuple[Value, Status]:
        """`value`, and why: OK, NOT_FOUND, FLAGSHIP_FLAG_TYPE, FLAGSHIP_PANIC, FLAGSHIP_NOT_INITIALIZED."""
        return read(_CALLS, (self._pointer,), default, expose)

    def expose(self) -> Status:
        """Counts the visitor as having seen the flag; answers why not."""
        return Status(lib.hoist_flagship_flag_expose(self._pointer))

    @property
    def metadata(self) -> Metadata:
        """Where the value comes from now."""
        pointer = lib.hoist_flagship_flag_metadata(self._pointer)
        try:
            return metadata_of(pointer)
        finally:
            lib.hoist_flagship_metadata_free(pointer)

    def explain(self) -> Any:
        """How the visitor comes to the flag: the campaigns that were asked, with the outcome of each targeting."""
        return json.loads(take(lib.hoist_flagship_flag_explain(self._pointer)) or b"[]")

    def __repr__(self) -> str:
        return f"<Flag {self.key!r} {self.status.name}>"


def of(visitor: Any, key: str) -> Flag:
    """A flag of a visitor of the library's."""
    return adopt(lib.hoist_flagship_visitor_flag(visitor, KEYS[key]))


def adopt(pointer: Any) -> Flag:
    """Takes ownership of a flag of the library's. Raises `hoist.Error` for NULL."""
    if not pointer:
        raise Error(Status.ARGUMENT, "a flag's key is text without NUL")
    return Flag(pointer)


# ---- Values --------------------------------------------------------------------------------------

_CALLS = (
    lib.hoist_flagship_flag_bool, lib.hoist_flagship_flag_int64, lib.hoist_flagship_flag_double,
    lib.hoist_flagship_flag_string, lib.hoist_flagship_flag_json,
)  # fmt: skip
_CALLS_BY_KEY = (
    lib.hoist_flagship_visitor_bool, lib.hoist_flagship_visitor_int64, lib.hoist_flagship_visitor_double,
    lib.hoist_flagship_visitor_string, lib.hoist_flagship_visitor_json,
)  # fmt: skip


def _plain_value(visitor: Any, key: str, default: Any, expose: bool) -> Any:
    return read(_CALLS_BY_KEY, (visitor, KEYS[key]), default, expose)[0]


_compiled = use(flagship_read=_plain_value, to_json=to_json)
value_by_key: Callable[[Any, str, Any, bool], Any] = _compiled.flagship_value if _compiled else _plain_value


def read(calls: Any, target: tuple[Any, ...], default: Any, expose: bool) -> tuple[Any, Status]:
    """Reads by the call for the default's type; `target` is what that call begins with."""
    of_bool, of_int, of_double, of_string, of_json = calls
    if isinstance(default, bool):
        return _plain(of_bool, target, default, expose, _new(_new_bool))
    if isinstance(default, int):
        if _SMALLEST <= default <= _LARGEST:
            return _plain(of_int, target, default, expose, _new(_new_int))
        return _untyped(of_json, target, default, expose)
    if isinstance(default, float):
        return _plain(of_double, target, default, expose, _new(_new_double))
    if isinstance(default, str):
        try:
            text = default.encode()
        except UnicodeEncodeError:
            text = b"\0"
        if 0 in text:  # C cannot take this one
            return _untyped(of_json, target, default, expose)
        return _text(of_string, target, default, text, expose, lambda data: str(data, "utf-8", "replace"))
    if default is None:
        return _untyped(of_json, target, default, expose)
    try:
        text = to_json(default, "the default")
    except Error:
        return _untyped(of_json, target, default, expose)
    return _text(of_json, target, default, text, expose, json.loads)


def _plain(call: Any, target: tuple[Any, ...], default: Any, expose: bool, place: Any) -> tuple[Any, Status]:
    status = Status(call(*target, default, expose, place))
    return (default if status is Status.ARGUMENT else place[0]), status


def _text(
    call: Any, target: tuple[Any, ...], default: Any, fallback: bytes, expose: bool, decoded: Any
) -> tuple[Any, Status]:
    place = _new(_new_text)
    status = Status(call(*target, fallback, expose, place))
    text = take(place[0])
    return (default if not status or text is None or text == fallback else decoded(text)), status


def _untyped(call: Any, target: tuple[Any, ...], default: Any, expose: bool) -> tuple[Any, Status]:
    """Any type; for defaults that C cannot be told, whose type is compared here."""
    place = _new(_new_text)
    status = Status(call(*target, NULL, expose, place))
    text = take(place[0])
    value = None if text is None else json.loads(text)
    if not status or value is None:
        return default, status
    kind = list if isinstance(default, (list, tuple)) else type(default)
    return (value, status) if default is None or type(value) is kind else (default, Status.FLAGSHIP_FLAG_TYPE)
