"""A service in this process: a transport that answers fetches from a script."""

from __future__ import annotations

import queue
import select
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import hoist
from hoist import Status, Topic, unleash

LIMIT = 20.0
"""Seconds after which something that should happen counts as not happening."""

SILENCE = 0.02
"""Seconds without news after which none are expected."""


@dataclass(frozen=True)
class Answer:
    """None as a status: no answer at all."""

    status: int | None = 200
    body: bytes | None = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Script(hoist.Transport):
    """Gives each fetch the next answer, and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: queue.SimpleQueue[hoist.Request] = queue.SimpleQueue()

    def send(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
        if request.method == "POST":
            exchange.respond(202)
            return
        self.requests.put(request)
        answer = self.answers.pop(0) if self.answers else Answer(None)
        if answer.status is None:
            exchange.fail("no answer")
        else:
            exchange.respond(answer.status, answer.body, answer.headers)

    def made(self) -> list[hoist.Request]:
        """The requests since the last call."""
        return [self.requests.get() for _ in range(self.requests.qsize())]


def open_client(script: Script, toggles: Any = None, **properties: Any) -> unleash.Client:
    """A client of a script that fetches when it is told to, and sends nothing of its own accord."""
    settings = {"store": "none", "log.level": "none", "refresh_interval": 0, "metrics_interval": 0,
                "disable_registration": properties.get("mode") == "backend", "autostart": False, "dispatch": "manual", **properties}
    return unleash.Client({name: value for name, value in settings.items() if value is not None},
                          toggles=toggles, transport=script)


class Fetches:
    """Runs a client's fetches one by one; observers and completions run on this thread, in `dispatch`."""

    def __init__(self, client: unleash.Client) -> None:
        self.client = client
        self.outcome: Status | None = None
        for topic in (Topic.READY, Topic.STATE, Topic.UPDATED, Topic.RECOVERED, Topic.FETCH_FAILED):
            client.observe(topic, lambda news: self.end(news.status))

    def end(self, status: Status) -> None:
        """A failure is not made up for by what is told beside it."""
        if self.outcome in (None, Status.OK):
            self.outcome = status

    def start(self, toggles: Any = None) -> Status:
        return self.completed(lambda done: self.client.start_soon(toggles, done))

    def update_context(self, values: Any, properties: Any) -> Status:
        return self.completed(lambda done: self.client.update_context_soon(values, properties, done))

    def refresh(self) -> Status:
        self.outcome = None
        assert self.client.refresh()
        self.dispatch(lambda: self.outcome)
        # The vendor's own events come beside the core's topics.
        while select.select([self.client], [], [], SILENCE)[0]:
            self.client.dispatch()
        # A first answer that changes nothing is told to nobody; that it was asked for is seen in the requests.
        return Status.OK if self.outcome is None else self.outcome

    def refresh_quietly(self, script: Script) -> Status:
        """A fetch that nobody is told of: waits for the request, and then a while for what must not come."""
        self.outcome = None
        assert self.client.refresh()
        deadline = time.monotonic() + LIMIT
        while not script.requests.qsize() and time.monotonic() < deadline:
            time.sleep(0.001)
        if select.select([self.client], [], [], SILENCE)[0]:
            self.client.dispatch()
        return Status.OK if self.outcome is None else self.outcome

    def completed(self, begin: Callable[[Callable[[Status], None]], Status]) -> Status:
        ended: list[Status] = []
        refused = begin(ended.append)
        return self.dispatch(lambda: ended[0] if ended else None) if refused is Status.OK else refused

    def dispatch(self, outcome: Callable[[], Status | None]) -> Status:
        """Lets observers run until there is an outcome. TIMEOUT when none comes."""
        deadline = time.monotonic() + LIMIT
        while (found := outcome()) is None:
            if time.monotonic() > deadline:
                return Status.TIMEOUT
            select.select([self.client], [], [], 1)
            self.client.dispatch()
        return found


def query(url: str) -> tuple[str, list[str]]:
    """A URL without its query, and the query's pairs in order, as they were sent."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}", sorted(parts.query.split("&")) if parts.query else []
