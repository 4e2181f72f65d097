"""LaunchDarkly clients of strict services, for the tests of the face."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from launchdarkly import LaunchDarklySimulator

from hoist.launchdarkly import Client, Context

ANN = Context("ann", attributes={"plan": "pro"})
BEN = Context("ben")

Opener = Callable[..., Client]


@contextmanager
def strict_service(**options: Any) -> Iterator[LaunchDarklySimulator]:
    """Services of the test's own. Fails the test that broke the protocol."""
    with LaunchDarklySimulator(**options) as simulator:
        yield simulator
        assert simulator.violations == [], simulator.violations


@contextmanager
def opener(service: LaunchDarklySimulator, **usual: Any) -> Iterator[Opener]:
    """Opens clients for Ann, and closes them at the end."""
    opened: list[Client] = []

    def open_one(**properties: Any) -> Client:
        urls = {name: service.url for name in ("base_url", "stream_url", "events_url")}
        settings = {"mobile_key": service.mobile_key, "store": "none", "diagnostic_opt_out": True, **urls, **usual}
        client = Client({**settings, **properties.pop("properties", {})}, **{"context": ANN, **properties})
        opened.append(client)
        return client

    yield open_one
    for client in opened:
        client.close(2)
