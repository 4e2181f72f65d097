"""What LaunchDarkly calls plugins: code that brings hooks for each environment, and gets to know each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._callback import implements, owner, table
from .._native import ffi, lib
from .._text import decode, encode
from ..config import Config
from ..status import ErrorSlot, Status
from .hooks import Hook, filled_table

if TYPE_CHECKING:
    from .client import Client


@dataclass(frozen=True, slots=True)
class EnvironmentMetadata:
    """What a plug-in is told of an environment; None for what is not set."""

    environment: str
    """"default", or the name of a secondary one."""
    sdk_name: str | None = None
    sdk_version: str | None = None
    wrapper_name: str | None = None
    wrapper_version: str | None = None
    application_id: str | None = None
    application_name: str | None = None
    application_version: str | None = None
    application_version_name: str | None = None


class Plugin:
    """Override what is of interest. `name` is for the log."""

    name = "plugin"

    def get_hooks(self, environment: EnvironmentMetadata) -> Iterable[Hook]:
        """The hooks for an environment, asked for while the client is being opened; those of `hooks` come first."""
        return ()

    def register(self, client: Client, environment: EnvironmentMetadata) -> None:
        """Called once for each environment, with its client, when the client has been opened."""


class PluginAdapter:
    """A plug-in, and the environments it has not been told of yet."""

    def __init__(self, plugin: Plugin) -> None:
        self.plugin = plugin
        self.environments: list[EnvironmentMetadata] = []


def add_plugin(config: Config, plugin: Plugin) -> PluginAdapter:
    """Adds a plug-in after those already there. It is told of environments by whoever opens the client."""
    if not isinstance(plugin, Plugin):
        raise TypeError(f"a plug-in is a hoist.launchdarkly.Plugin, not {type(plugin).__name__}")
    adapter, slot, name = PluginAdapter(plugin), ErrorSlot(), ffi.new("char[]", encode(plugin.name))
    filled = table("launchdarkly_client_plugin", adapter)
    filled.name = name
    call = lib.hoist_launchdarkly_config_add_plugin
    slot.check(call(config._pointer, filled, slot.pointer), f'plug-in "{plugin.name}"')
    return adapter


@implements("launchdarkly_client_plugin", "get_hooks", failure=Status)
def _get_hooks(user_data: Any, environment: Any, sink: Any) -> int:
    adapter: PluginAdapter = owner(user_data)
    for hook in adapter.plugin.get_hooks(_metadata(environment)):
        filled, _name = filled_table(hook)
        status = lib.hoist_launchdarkly_hook_sink_add(sink, filled)
        if status:
            return int(status)
    return Status.OK


@implements("launchdarkly_client_plugin", "register_client", failure=Status)
def _register_client(user_data: Any, _client: Any, environment: Any) -> int:
    # The client is not Python's yet: whoever opens it goes on from here.
    adapter: PluginAdapter = owner(user_data)
    adapter.environments.append(_metadata(environment))
    return Status.OK


def _metadata(environment: Any) -> EnvironmentMetadata:
    names = EnvironmentMetadata.__dataclass_fields__
    texts = {name: getattr(environment, name) for name in names}
    return EnvironmentMetadata(**{name: decode(text) or None for name, text in texts.items()})  # type: ignore[arg-type]
