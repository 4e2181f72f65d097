"""Configuration: a service's name and its properties."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, overload

from ._callback import log, table
from ._native import ffi, lib
from ._text import document, encode, take
from ._wait import interruptible
from .context import Context
from .plugins import Cache, Dispatcher, HeaderProvider, Hook, Logger, LoggingAdapter, Transport, describe_plugin
from .plugins.headers import Headers, from_function
from .status import ErrorSlot

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import properties

_Self = TypeVar("_Self", bound="Config")
PropertyValue = Union[str, bool, int, float, Mapping[str, Any], Sequence[Any], Context, "PathLike[str]"]
"""What a property can be set to; mappings, lists and contexts become JSON."""

_Properties = Union[Mapping[str, PropertyValue], None]


@dataclass(frozen=True, slots=True)
class Property:
    """One row of a provider's table of properties."""

    name: str
    type: str
    default: str | None
    range: str
    meaning: str
    required: bool = False
    secret: bool = False


@cache
def describe(provider: str) -> tuple[Property, ...]:
    """The properties of a provider; none for one that this library does not have."""
    rows = json.loads(take(lib.hoist_config_describe(encode(provider))) or b"[]")
    names = Property.__dataclass_fields__
    return tuple(Property(**{name: value for name, value in row.items() if name in names}) for row in rows)


def providers() -> list[str]:
    """What a client can be opened for: the library's services, and providers that are registered now."""
    names: list[str] = json.loads(take(lib.hoist_provider_list()) or b"[]")
    return names


class Config:
    """What a client is opened from. May be changed and reused; clients keep what they were opened with.

        Config("unleash", url="https://…", key=…, refresh_interval=10, **{"store.path": "/var/cache/shop"})

    A property with a dot in its name can be given as a dict's member, or with an underscore in
    place of the dot: `store_path`.
    """

    __slots__ = ("_has_logger", "_pointer", "_provider")

    @overload
    def __init__(
        self, provider: Literal["unleash"], given: _Properties = None, /, **more: Unpack[properties.Unleash]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["optimizely"], given: _Properties = None, /, **more: Unpack[properties.Optimizely]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["launchdarkly"], given: _Properties = None, /, **more: Unpack[properties.LaunchDarkly]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["flagship"], given: _Properties = None, /, **more: Unpack[properties.Flagship]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["kameleoon"], given: _Properties = None, /, **more: Unpack[properties.Kameleoon]
    ) -> None: ...

    @overload
    def __init__(self, provider: str, given: _Properties = None, /) -> None: ...

    def __init__(self, provider: str, given: _Properties = None, /, **more: PropertyValue) -> None:
        self._provider, self._has_logger = provider, False
        self._pointer: Any = ffi.gc(lib.hoist_config_new(encode(provider)), lib.hoist_config_free)
        self.update(given, **more)

    @property
    def provider(self) -> str:
        """The service's name."""
        return self._provider

    def set(self, name: str, value: PropertyValue) -> None:
        """Sets a property. Raises `hoist.Error`, which names it."""
        if value is None:
            raise TypeError(f'property "{name}" is None; leave it out for its default')
        slot = ErrorSlot()
        try:
            text = encode(_text(value))
        except (TypeError, ValueError) as problem:
            raise TypeError(f'property "{name}" cannot be said in JSON: {problem}') from None
        slot.check(lib.hoist_config_set(self._pointer, encode(name), text, slot.pointer), name)

    def unset(self, name: str) -> None:
        """Gives a property its default again. Raises `hoist.Error` for a name that does not exist."""
        slot = ErrorSlot()
        slot.check(lib.hoist_config_unset(self._pointer, encode(name), slot.pointer), name)

    def update(self, properties: Mapping[str, PropertyValue] | None = None, /, **more: PropertyValue) -> None:
        """Sets several properties, named as in the constructor."""
        if properties is not None and not isinstance(properties, Mapping):
            raise TypeError(f"properties are a mapping, not {type(properties).__name__}")
        for name, value in (properties or {}).items():
            self.set(name, value)
        for name, value in more.items():
            self.set(_spelled(self._provider, name), value)

    def load(self, path: str | PathLike[str]) -> None:
        """Sets all properties named in a JSON file, or none of them when one is refused."""
        slot = ErrorSlot()
        slot.check(lib.hoist_config_load_file(self._pointer, encode(fspath(path)), slot.pointer), "configuration file")

    def load_json(self, text: str | bytes) -> None:
        """Sets all properties named in a JSON object, or none of them when one is refused."""
        data = document(text)
        slot = ErrorSlot()
        slot.check(lib.hoist_config_set_json(self._pointer, data, len(data), slot.pointer), "configuration")

    def get(self, name: str) -> str | None:
        """The value as text, its default included, "***" for secrets that are set and in addresses and headers; None for no such name."""
        text = take(lib.hoist_config_get(self._pointer, encode(name)))
        return None if text is None else text.decode()

    def check_store(self) -> None:
        """Raises `hoist.Error` where the store of a client would not work; tries it with a value, and makes its folder."""
        slot = ErrorSlot()
        call = lib.hoist_config_check_store
        slot.check(interruptible(lambda: call(self._pointer, slot.pointer)), "store")

    def copy(self: _Self) -> _Self:
        """A configuration with the same properties and plug-ins."""
        twin = type(self).__new__(type(self))
        twin._provider, twin._has_logger = self._provider, self._has_logger
        twin._pointer = ffi.gc(lib.hoist_config_copy(self._pointer), lib.hoist_config_free)
        return twin

    __copy__ = copy

    def __deepcopy__(self: _Self, _: object) -> _Self:
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError("a configuration cannot be pickled: it does not give its secrets away, nor its plug-ins")

    def set_logger(self, logger: Logger | logging.Logger) -> None:
        """Takes the log lines: a plug-in, or a logger of Python's `logging` in place of the one named "hoist"."""
        plugin = LoggingAdapter(logger) if isinstance(logger, logging.Logger) else logger
        self._plug(lib.hoist_config_set_logger, Logger, plugin, "logger")
        self._has_logger = True

    def set_cache(self, cache: Cache) -> None:
        """Keeps what must outlive the process, in place of SQLite."""
        self._plug(lib.hoist_config_set_cache, Cache, cache, "cache", Cache._members)

    def set_transport(self, transport: Transport) -> None:
        """Carries requests in place of libcurl."""
        self._plug(lib.hoist_config_set_transport, Transport, transport, "transport")

    def set_dispatcher(self, dispatcher: Dispatcher) -> None:
        """Delivers events in place of the built-in HTTP delivery."""
        self._plug(lib.hoist_config_set_dispatcher, Dispatcher, dispatcher, "dispatcher")

    def set_headers(self, headers: HeaderProvider | Callable[[str], Headers]) -> None:
        """Supplies headers before each request: a plug-in, or a function of the request's address."""
        plugin = headers if isinstance(headers, HeaderProvider) else from_function(headers)
        self._plug(lib.hoist_config_set_header_provider, HeaderProvider, plugin, "header_provider")

    def add_hook(self, hook: Hook) -> None:
        """Adds a hook around every evaluation; at most 16."""
        self._plug(lib.hoist_config_add_hook, Hook, hook, "hook", Hook._members)

    def load_plugin(self, path: str | PathLike[str], options: str = "") -> None:
        """Registers all plug-ins that a shared object offers, or none of them when one is refused.

        A relative path starts at the current folder. The object stays in the process until that ends. An object that is
        a service of its own is loaded first of all: `Config("its-name")` knows no properties before.
        """
        slot = ErrorSlot()
        call = lib.hoist_config_load_plugin
        slot.check(call(self._pointer, encode(fspath(path)), encode(options), slot.pointer), "the plug-in")
        self._has_logger = self._has_logger or "logger" in describe_plugin(path).kinds

    def _to_open(self) -> Any:
        """Its pointer; lines that no logger takes go to Python's `logging`."""
        if not self._has_logger:
            self.set_logger(log)
        return self._pointer

    def _plug(self, call: Any, base: type, plugin: Any, kind: str, members: Callable[[Any], list[str]] | None = None) -> None:
        if not isinstance(plugin, base):
            is_class = isinstance(plugin, type) and issubclass(plugin, base)
            given = f"the class {plugin.__name__} itself" if is_class else type(plugin).__name__
            raise TypeError(f"a {kind} is a hoist.{base.__name__}, not {given}")
        filled, slot = table(kind, plugin, members(plugin) if members else None), ErrorSlot()
        slot.check(call(self._pointer, filled, slot.pointer), kind)

    def __repr__(self) -> str:
        return f"Config({self._provider!r})"


def _text(value: PropertyValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(int(value)) if value == value and float(value).is_integer() else repr(value)
    if isinstance(value, Context):
        return json.dumps(value.to_dict(), ensure_ascii=False)
    if isinstance(value, PathLike):
        return fspath(value)
    return json.dumps(value, ensure_ascii=False)


def _spelled(provider: str, name: str) -> str:
    """The property that a keyword means: its own name, or a dotted one written with underscores."""
    names = [row.name for row in describe(provider)]
    if name in names:
        return name
    dotted = [known for known in names if known.replace(".", "_") == name]
    return dotted[0] if len(dotted) == 1 else name
