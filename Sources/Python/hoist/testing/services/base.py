"""What a test's double of a service has to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Union

from ...client import Client
from ...config import Config
from ...plugins import Request
from ..records import Evaluated, Tracked

Record = Union[Evaluated, Tracked]


class Service:
    """Answers the requests of one client."""

    mode: ClassVar[str | None] = None
    """The one that evaluates here."""
    accepted: ClassVar[int] = 202
    """The status for what is sent."""
    needed: ClassVar[Mapping[str, Any]] = {}
    """Properties that a client cannot be without, unless it has them."""
    given: ClassVar[Mapping[str, Any]] = {}
    """Properties that a client of a test has, whatever it was configured with."""

    def __init__(self, config: Config, events: tuple[str, ...]) -> None:
        self.events = events
        for name, value in self.needed.items():
            if not config.get(name):
                config.set(name, value)
        for name, value in {"store": "none", "events.durability": "memory", **self.given}.items():
            config.set(name, value)

    def attach(self, client: Client, note: Callable[[Record], None]) -> None:
        """Hears of evaluations that no hook sees."""

    def fetches(self, client: Client) -> bool:
        """Whether a refresh asks for flags."""
        return True

    def answer(self, request: Request, flags: Mapping[str, Any], number: int) -> bytes | None:
        """The document with the flags; None for what is sent, b"" for what there is not."""
        raise NotImplementedError

    def read(self, request: Request) -> Iterable[Record]:
        """What was sent."""
        raise NotImplementedError


def path_of(request: Request) -> str:
    """The address without its query."""
    return request.url.partition("?")[0]
