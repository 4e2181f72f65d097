"""A service of no vendor, for the calls that every client has."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, ClassVar

from ..client import State
from ..config import providers
from ..provider import Flag, Provider, ProviderEvent, ProviderHost, ProviderProperty
from .records import Tracked

if TYPE_CHECKING:
    from .flags import Flags

NAME = "hoist-testing"


class Double(Provider):
    """Serves the flags of a `Flags`, which is named by a property."""

    name = NAME
    properties = (ProviderProperty("flags", "int", required=True),)
    sources: ClassVar[dict[int, Flags]] = {}

    def __init__(self, host: ProviderHost) -> None:
        super().__init__(host)
        self.number = int(host.get("flags"))
        self.lock = threading.Lock()
        self.start()

    def start(self) -> None:
        """Serves what there is now, and what is set from now on."""
        self.sources[self.number]._doubles.add(self)
        self.serve()

    def refresh(self) -> None:
        """As a service that is asked again."""
        self.serve()

    def stop(self) -> None:
        """Nothing reaches the client any more."""
        source = self.sources.get(self.number)
        if source is not None:
            source._doubles.discard(self)

    def track(self, event: ProviderEvent) -> None:
        """Keeps what was tracked."""
        whose = event.context.targeting_key if event.context else None
        self.sources[self.number]._note(Tracked(event.key, event.value, event.properties, whose))

    def serve(self) -> None:
        """Publishes the flags; evaluations that begin afterwards see them."""
        source = self.sources[self.number]
        if not source.is_up:
            self.host.set_state(State.ERROR, "an outage of the test's")
            return
        with self.lock:  # of two at once the later one has the later flags
            self.host.publish([Flag.of(key, value) for key, value in source.items()])
            self.host.set_state(State.READY)


def register() -> None:
    """Once in a process."""
    if NAME not in providers():
        Double.register()
