"""Answers in place of a service."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..client import Client, State
from ..observer import Notification, Topic
from ..plugins import Exchange, Request, Transport

if TYPE_CHECKING:
    from .flags import Flags
    from .services import Service

PATIENCE = 5.0
_SERVED = (Topic.READY, Topic.UPDATED)
_TROUBLE = (State.STALE, State.ERROR)


class Nowhere(Transport):
    """For a client that has nothing to ask."""

    def send(self, request: Request, exchange: Exchange) -> None:
        """Fails."""
        exchange.fail("there is no network in a test")


class Double(Transport):
    """The service of one client, with the flags of a `Flags`: every request is answered at once."""

    def __init__(self, service: Service, flags: Flags) -> None:
        self.service, self.flags = service, flags
        self._changed = threading.Condition()
        self._answered = self._served = 0
        self._asked = False

    def send(self, request: Request, exchange: Exchange) -> None:
        """Answers."""
        number, values = self.flags._snapshot()
        self._asked = True
        if not self.flags.is_up:
            exchange.fail("an outage of the test's")
            return
        answer = self.service.answer(request, values, number)
        if answer is None:
            for record in self.service.read(request):
                self.flags._note(record)
            exchange.respond(self.service.accepted, b"")
        elif answer == b"":
            exchange.respond(404, b"")
        else:
            self._answered = number
            exchange.respond(200, answer, [("Content-Type", "application/json")])

    def attach(self, client: Client) -> None:
        """Hears of what the client serves."""
        for topic in (*_SERVED, Topic.STATE):
            client.observe(topic, self._told)

    def _told(self, news: Notification) -> None:
        with self._changed:
            if news.topic in _SERVED:
                self._served = self._answered
            self._changed.notify_all()

    def wait_ready(self, client: Client) -> None:
        """Waits until a client serves flags, and says so."""
        if client.wait_ready(PATIENCE):
            _wait(client, lambda: self._done(lambda: client.state is not State.NOT_READY))

    def bring(self, client: Client, number: int) -> None:
        """Has a client serve the flags of this number. Raises TimeoutError."""
        self._ask(client, lambda: self._served >= number and client.state not in _TROUBLE, "has not taken the flags")

    def lose(self, client: Client) -> None:
        """Has a client find out that the service does not answer. Raises TimeoutError."""
        self._ask(client, lambda: client.state in _TROUBLE, "has not noticed the outage")

    def _ask(self, client: Client, is_done: Callable[[], bool], problem: str) -> None:
        for _ in range(round(PATIENCE)):
            if client.state is State.CLOSED or not client.online or not (self._asked and self.service.fetches(client)):
                return
            hear_out(client)  # so that what is told next is of this refresh
            client.refresh()
            if _wait(client, lambda: self._done(is_done)):
                return
        raise TimeoutError(f"{client!r} {problem} within {PATIENCE:.0f} s")

    def _done(self, is_done: Callable[[], bool]) -> bool:
        with self._changed:
            return self._changed.wait_for(is_done, 0.01)


def hear_out(client: Client) -> None:
    """Waits until what is to be told has been told."""
    if client.state in (State.NOT_READY, State.ERROR):
        return
    told = threading.Event()
    with client.observe(Topic.READY, lambda _: told.set()):  # at once, and after all that came before
        for _ in range(round(PATIENCE)):
            if _wait(client, lambda: told.wait(0.01)):
                return


def _wait(client: Client, is_done: Callable[[], bool]) -> bool:
    """Whether it is done within a second; runs what waits for `Client.dispatch` meanwhile."""
    for _ in range(100):
        if client.fileno() >= 0:
            client.dispatch()
        if is_done():
            return True
    return False
