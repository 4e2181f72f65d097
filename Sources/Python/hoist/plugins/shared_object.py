"""Plug-ins from shared objects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike, fspath

from .._native import lib
from .._text import encode, take
from ..status import ErrorSlot


@dataclass(frozen=True, slots=True)
class PluginDescription:
    """What a shared object offers."""

    name: str
    version: str | None
    abi_version: int
    kinds: tuple[str, ...]
    """For example "logger", "cache", "unleash_strategy"."""
    unleash_strategies: tuple[str, ...]
    """Names of the strategies for Unleash."""
    provider: str | None = None
    """The name of the service that it is: `Config(name)`, then `Config.load_plugin(path)`."""


def describe_plugin(path: str | PathLike[str]) -> PluginDescription:
    """Loads a shared object and tells what it offers; makes nothing of it. Raises `hoist.Error`."""
    slot = ErrorSlot()
    text = take(lib.hoist_plugin_describe(encode(fspath(path)), slot.pointer))
    if text is None:
        raise slot.failed("the plug-in")
    told = json.loads(text)
    kinds, strategies = tuple(told["kinds"]), tuple(told["unleash_strategies"])
    return PluginDescription(told["name"], told["version"], told["abi_version"], kinds, strategies, told.get("provider"))
