"""Listeners that tell the harness of changed flags."""

from __future__ import annotations

from hoist import Subscription
from hoist.launchdarkly import ChangedFlag, Client, Context

from .callbacks import post
from .reading import Members, Refused


class Listeners:
    """A client's listeners, by the harness's names for them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, Subscription] = {}

    def add_flags(self, parameters: Members) -> None:
        """Tells of each flag that may have another value than before."""
        name, url = self._named(parameters)

        def told(keys: list[str]) -> None:
            for key in keys:
                post(url, {"listenerId": name, "flagKey": key})

        self._known[name] = self._client.observe_flag_changes(told)

    def add_value(self, parameters: Members, context: Context) -> None:
        """Tells of another value of one flag for one context."""
        (name, url), key = self._named(parameters), parameters.needed_text("flagKey")

        def told(flag: ChangedFlag) -> None:
            post(url, {"listenerId": name, "flagKey": key, "oldValue": flag.old_value, "newValue": flag.new_value})

        self._known[name] = self._client.observe_flag_value(key, context, told)

    def remove(self, parameters: Members) -> None:
        """Ends a listener."""
        name = parameters.needed_text("listenerId")
        if name not in self._known:
            raise Refused(f'there is no listener "{name}"')
        self._known.pop(name).cancel()

    def _named(self, parameters: Members) -> tuple[str, str]:
        name, url = parameters.needed_text("listenerId"), parameters.needed_text("callbackUri")
        if name in self._known:
            raise Refused(f'there is a listener "{name}" already')
        return name, url
