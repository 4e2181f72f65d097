"""The context of visitors: what campaigns are targeted by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Union

from .._attributes import to_json
from .._constant import Constant
from .._native import lib
from .._text import decode, encode
from ..status import Status


class ContextKey(Constant):
    """Keys that the service knows; a value of another type than theirs is refused.

    FIRST_TIME_INIT, LOCALE, DEVICE_TYPE, DEVICE_MODEL, OS_NAME, OS_VERSION_CODE, OS_VERSION_NAME and
    FLAGSHIP_VERSION are set by Hoist when a visitor is made, and may be set anew.
    """

    FIRST_TIME_INIT = lib.HOIST_FLAGSHIP_CONTEXT_FIRST_TIME_INIT
    LOCALE = lib.HOIST_FLAGSHIP_CONTEXT_LOCALE
    DEVICE_TYPE = lib.HOIST_FLAGSHIP_CONTEXT_DEVICE_TYPE
    DEVICE_MODEL = lib.HOIST_FLAGSHIP_CONTEXT_DEVICE_MODEL
    LOCATION_CITY = lib.HOIST_FLAGSHIP_CONTEXT_LOCATION_CITY
    LOCATION_REGION = lib.HOIST_FLAGSHIP_CONTEXT_LOCATION_REGION
    LOCATION_COUNTRY = lib.HOIST_FLAGSHIP_CONTEXT_LOCATION_COUNTRY
    LOCATION_LAT = lib.HOIST_FLAGSHIP_CONTEXT_LOCATION_LAT
    LOCATION_LONG = lib.HOIST_FLAGSHIP_CONTEXT_LOCATION_LONG
    OS_NAME = lib.HOIST_FLAGSHIP_CONTEXT_OS_NAME
    OS_VERSION_CODE = lib.HOIST_FLAGSHIP_CONTEXT_OS_VERSION_CODE
    OS_VERSION_NAME = lib.HOIST_FLAGSHIP_CONTEXT_OS_VERSION_NAME
    CARRIER_NAME = lib.HOIST_FLAGSHIP_CONTEXT_CARRIER_NAME
    MVNO = lib.HOIST_FLAGSHIP_CONTEXT_MVNO
    DEV_MODE = lib.HOIST_FLAGSHIP_CONTEXT_DEV_MODE
    INTERNET_CONNECTION = lib.HOIST_FLAGSHIP_CONTEXT_INTERNET_CONNECTION
    APP_VERSION_NAME = lib.HOIST_FLAGSHIP_CONTEXT_APP_VERSION_NAME
    APP_VERSION_CODE = lib.HOIST_FLAGSHIP_CONTEXT_APP_VERSION_CODE
    FLAGSHIP_VERSION = lib.HOIST_FLAGSHIP_CONTEXT_FLAGSHIP_VERSION
    INTERFACE_NAME = lib.HOIST_FLAGSHIP_CONTEXT_INTERFACE_NAME
    IP = lib.HOIST_FLAGSHIP_CONTEXT_IP


Key = Union[str, ContextKey]
Scalar = Union[str, bool, int, float]
Pairs = Mapping[Any, Scalar]
"""Values by `Key`."""

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def key_name(key: Key) -> str:
    """A key as contexts carry it: "sdk_city" for `ContextKey.LOCATION_CITY`."""
    return decode(lib.hoist_flagship_context_key_name(int(key))) if isinstance(key, ContextKey) else key


def set_pair(visitor: Any, key: Key, value: Scalar) -> Status:
    """Sets one pair of a visitor of the library's."""
    name = encode(key_name(key))
    if isinstance(value, str):
        return Status(lib.hoist_flagship_visitor_set_string(visitor, name, encode(value)))
    if isinstance(value, bool):
        return Status(lib.hoist_flagship_visitor_set_bool(visitor, name, value))
    if isinstance(value, int):
        if not _SMALLEST <= value <= _LARGEST:
            return Status.FLAGSHIP_CONTEXT_REFUSED
        return Status(lib.hoist_flagship_visitor_set_int64(visitor, name, value))
    if isinstance(value, float):
        return Status(lib.hoist_flagship_visitor_set_double(visitor, name, value))
    raise TypeError(f"a context holds str, bool, int and float, not {type(value).__name__}")


def pairs_json(pairs: Pairs) -> bytes:
    """Pairs as the library takes them. What no context holds is a null there, which is refused alone."""
    return to_json({key_name(key): _sayable(value) for key, value in pairs.items()}, "the context")


def _sayable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and not _SMALLEST <= value <= _LARGEST:
        return None
    return value
