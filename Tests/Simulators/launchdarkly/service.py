"""What the services for clients and for servers have in common."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Generic, TypeVar

from loopback.delivery import json_response
from loopback.endpoints import EndpointService
from loopback.streaming import StreamHub
from loopback.service import Answer
from loopback.tags import IssuedTags
from loopback.wire import Request, Response, http_date

from .ledger import Ledger
from .options import ServiceOptions
from .routes import EVENTS, Endpoint, resolve
from .streaming import ChangeStream

OneStream = TypeVar("OneStream", bound=ChangeStream)


class ChangeService(EndpointService[Endpoint], Generic[OneStream]):
    """Streams of changes, polls with tags, and endpoints of events. A subclass has environments by their keys."""

    options: ServiceOptions
    ledger: Ledger

    def __init__(self, ledger: Ledger, **common: Any) -> None:
        self.ledger = ledger
        self.tags = IssuedTags()
        self.event_numbers = itertools.count(1)
        super().__init__(**common)
        self.streams: StreamHub[OneStream] = StreamHub(self.journal)

    @property
    def url(self) -> str:
        """The base of streams, polls and events alike."""
        return self.server.url + self.options.prefix

    # What tests use.

    def wait_for_streams(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until exactly `count` streams are open."""
        return self.streams.wait_for(count, timeout)

    def wait_for_events(self, kind: str, count: int = 1, timeout: float = 5.0) -> bool:
        """Waits until `count` events of a kind, each payload once, were accepted."""
        return self.wait_for_number(count, lambda: len(self.ledger.events(kind)), timeout)

    def wait_for_evaluations(self, key: str, count: int, timeout: float = 5.0) -> bool:
        """Waits until summaries told of `count` evaluations of a flag."""
        return self.wait_for_number(count, lambda: self.ledger.evaluations(key), timeout)

    # The service.

    def resolve(self, request: Request) -> str:
        return resolve(request, self.options.prefix, self.table)

    def client_of(self, request: Request) -> str | None:
        return request.header("x-launchdarkly-instance-id")

    def issue(self, header: str, value: str) -> None:
        if header == "etag":
            self.tags.add(value, None)

    def take(self, request: Request, endpoint: str, key: str, document: Any) -> Answer:
        """Books what was posted; None is a body that could not be read."""
        if document is None:
            return Answer(json_response(400, {"message": "the body cannot be read"}))
        payload = request.header("x-launchdarkly-payload-id") if endpoint == EVENTS else None
        post = self.ledger.book(self.client_of(request), endpoint, key, payload, document)
        self.journal.poke()
        date = self.options.date or http_date(self.now() / 1000 + self.options.clock_offset_seconds)
        return Answer(Response(202, headers=[("Date", date)]), lambda heard: self.ledger.acknowledge(post, heard))

    def order(self, environment: Any, order: Callable[[OneStream], None]) -> None:
        """Has an order carried out on the streams of one environment."""
        for stream in self.streams.open:
            if stream.environment is environment:
                stream.do(order)
