"""Headers made fresh for each request."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from .._callback import implements, owner
from .._native import ffi, lib
from .._text import decode, encode, structs
from ..status import Status, check

Headers = Union[Mapping[str, str], Iterable[tuple[str, str]]]
"""Header lines: a mapping, or pairs."""


class HeaderProvider(ABC):
    """Supplies headers, e.g. a fresh token, once before each request."""

    @abstractmethod
    def provide(self, url: str) -> Headers:
        """The headers for a request to this address, which comes without its query."""


class _Function(HeaderProvider):
    def __init__(self, function: Callable[[str], Headers]) -> None:
        self.function = function

    def provide(self, url: str) -> Headers:
        return self.function(url)


def from_function(function: Callable[[str], Headers]) -> HeaderProvider:
    """A header provider that calls a function."""
    if not callable(function):
        raise TypeError(f"a header provider is a HeaderProvider or a function, not {type(function).__name__}")
    return _Function(function)


def pairs(headers: Headers) -> list[tuple[str, str]]:
    """Headers as pairs."""
    return list(headers.items()) if isinstance(headers, Mapping) else [(name, value) for name, value in headers]


def read_headers(headers: Any, count: int) -> list[tuple[str, str]]:
    """Headers that C lends."""
    return [(decode(header.name), decode(header.value)) for header in structs(headers, count)]


def c_headers(headers: Headers) -> tuple[Any, int, list[Any]]:
    """Headers for C: array, count, and what must live as long."""
    lines = pairs(headers)
    texts = [(ffi.new("char[]", encode(name)), ffi.new("char[]", encode(value))) for name, value in lines]
    size = ffi.sizeof("hoist_header")
    array = ffi.new("hoist_header[]", [(size, name, value) for name, value in texts])
    return array, len(lines), texts


@implements("header_provider", "provide", failure=Status)
def _provide(user_data: Any, url: Any, sink: Any) -> int:
    for name, value in pairs(owner(user_data).provide(decode(url))):
        check(lib.hoist_header_sink_add(sink, encode(name), encode(value)), f'header "{name}"')
    return Status.OK
