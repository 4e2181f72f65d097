"""The LaunchDarkly client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._native import lib
from .._text import optional
from ..client import Client as _Client
from ..client import shared
from ..config import Config
from .connection import Connection
from .context import AnyContext, as_launchdarkly
from .events import Events
from .hooks import Hook, add_hook
from .life import Life
from .migration import Migrations
from .plugins import Plugin, add_plugin
from .server import Server
from .stores import BigSegmentStore, RulesStore, Stores, set_big_segments, set_store
from .test_data import TestData
from .variations import Variations

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..properties import LaunchDarklyRest, Plugins

    class _More(LaunchDarklyRest, Plugins, total=False): ...


class Client(Life, Connection, Variations, Server, Migrations, Events, Stores, _Client):
    """A `hoist.Client` with LaunchDarkly's own calls.

        with launchdarkly.Client(mobile_key=…, context=Context("user-42")) as client:
            client.wait_ready(5)
            if client.bool_variation("new-checkout", False): …

    Takes what `hoist.Client` takes but the provider's name, and
    - `context`: whom flags are for until `identify` says otherwise;
    - `hooks`: code around evaluations, identifies and tracked events, in LaunchDarkly's words;
    - `launchdarkly_plugins`: what LaunchDarkly calls plugins;
    - `rules_store`, `big_segments`: in mode server, stores of the program's own.
    - `test_data`: flags that a test sets, in mode server, in the place of a service.
    """

    __slots__ = ("_primary",)
    _primary: Client

    def __init__(
        self,
        properties: Mapping[str, Any] | Config | None = None,
        /,
        *,
        context: AnyContext | None = None,
        hooks: Iterable[Hook] = (),
        launchdarkly_plugins: Iterable[Plugin] = (),
        rules_store: RulesStore | None = None,
        big_segments: BigSegmentStore | None = None,
        test_data: TestData | None = None,
        **more: Unpack[_More],
    ) -> None:
        config = properties.copy() if isinstance(properties, Config) else Config("launchdarkly", properties)
        if context is not None:
            config.set("context", as_launchdarkly(context).to_json())
        for hook in hooks:
            add_hook(config, hook)
        if rules_store is not None:
            set_store(config, rules_store)
        if big_segments is not None:
            set_big_segments(config, big_segments)
        if test_data is not None:
            test_data.give(config)
        adapters = [add_plugin(config, plugin) for plugin in launchdarkly_plugins]
        super().__init__(config, **more)
        for adapter in adapters:
            for metadata in adapter.environments:
                adapter.plugin.register(self.environment(metadata.environment) or self, metadata)

    def environment(self, name: str = "default") -> Client | None:
        """The client of one of `secondary_mobile_keys`: flags, observers and events of its own, with the same context.

        None for an unknown name, and after the end. What it does about its life, it does for all.
        """
        pointer = lib.hoist_launchdarkly_environment(self._pointer, optional(name))
        if not pointer:
            return None
        found = Client.__new__(Client)
        found._pointer = pointer
        # The library's client is freed with the one that was opened.
        found._primary = getattr(self, "_primary", self)
        return found


def get(environment: str = "default", name: str = "launchdarkly") -> Client | None:
    """An environment of the client that is shared by this name, as `client.share("launchdarkly")` does.

    None before that, after close, and for an unknown environment.
    """
    client = shared(name)
    return client.environment(environment) if isinstance(client, Client) else None
