"""Python values as attributes of a context."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timezone
from typing import Any

from ._native import ffi, lib
from ._text import encode, wrong
from .status import Error, Status

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_BYTES = (bytes, bytearray, memoryview)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def set_attribute(context: Any, name: str, value: object) -> int:
    """Sets one attribute and answers the library's status. Raises TypeError for what cannot be one."""
    key = encode(name)
    if isinstance(value, str):
        return int(lib.hoist_context_set_string(context, key, encode(value)))
    if isinstance(value, bool):
        return int(lib.hoist_context_set_bool(context, key, value))
    if isinstance(value, int):
        if _SMALLEST <= value <= _LARGEST:
            return int(lib.hoist_context_set_int64(context, key, value))
        return _set_large(context, key, value)
    if isinstance(value, float):
        return int(lib.hoist_context_set_double(context, key, value))
    if isinstance(value, date):
        return int(lib.hoist_context_set_date(context, key, unix_milliseconds(value)))
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(item, str) for item in value):
        texts = [ffi.new("char[]", encode(item)) for item in value]
        return int(lib.hoist_context_set_strings(context, key, ffi.new("char *[]", texts), len(texts)))
    if value is None or (isinstance(value, (Mapping, Sequence)) and not isinstance(value, _BYTES)):
        text = to_json(value, name)
        return int(lib.hoist_context_set_json(context, key, text, len(text)))
    raise TypeError(f'attribute "{name}": a context cannot hold {type(value).__name__}')


def unix_milliseconds(value: date) -> int:
    """Milliseconds since 1970. A date is its midnight in UTC, a time without zone is local time."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=timezone.utc)
    elif value.utcoffset() is None:
        try:
            value = value.astimezone()
        except (OverflowError, ValueError, OSError):  # beyond what the system's clock can say
            value = value.replace(tzinfo=timezone.utc)
    since = value - _EPOCH
    return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000


def to_json(value: object, what: str) -> bytes:
    """JSON text; `hoist.Error` for numbers and depths that JSON or the library cannot hold."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    except (ValueError, RecursionError) as problem:
        raise Error(Status.ARGUMENT, f'"{what}" cannot be said in JSON: {problem}') from None
    return text.encode("utf-8", "surrogatepass")


def fallback_of(number: float) -> float:
    """For C. Of one that is beyond doubles a value that no flag has takes the place."""
    try:
        return float(number)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        raise wrong(number, "a number") from None


def double_of(number: float) -> float:
    """For C. Of a whole number that a double would alter NaN, which the library refuses by name."""
    try:
        double = float(number)
    except OverflowError:
        return math.nan
    except (TypeError, ValueError):
        raise wrong(number, "a number") from None
    return math.nan if isinstance(number, int) and double != number else double


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset, Sequence)) and not isinstance(value, _BYTES):
        return list(value)
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a context cannot hold {type(value).__name__}")


def _set_large(context: Any, key: bytes, value: int) -> int:
    try:
        return int(lib.hoist_context_set_double(context, key, float(value)))
    except OverflowError:
        return int(Status.ARGUMENT)
