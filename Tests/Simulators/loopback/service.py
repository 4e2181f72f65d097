"""The frame of a simulated service: check, record, misbehave or answer."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from typing import Any, Callable

from .control import Control
from .delivery import deliver, hold, json_response, sabotage, substitute
from .faults import Applied, Fault, FaultPlan
from .findings import Findings, Violation
from .journal import Entry, Journal
from .posts import Posts
from .server import ClientGone, Exchange, LoopbackServer
from .settings import Settings
from .signals import GONE
from .wire import Request, Response


@dataclass
class Stream:
    """An answer without an end: `run` writes on the connection's thread until it is over."""

    run: Callable[[Exchange, Applied | None], None]


@dataclass
class Answer:
    """What the service says, and a hook that learns whether the client could hear it."""

    response: Response | Stream
    settle: Callable[[bool], None] | None = None


class Service:
    """A strict service. A subclass says which endpoints there are, what they demand and what they answer."""

    endpoints: tuple[str, ...] = ()
    streaming_endpoints: tuple[str, ...] = ()
    options: Settings
    ledger: Posts
    """Both made by the subclass, before it calls the constructor here."""

    def __init__(self, *, enforce: bool = True, port: int = 0, control_port: int = 0) -> None:
        self.enforce = enforce
        self.journal = Journal()
        self.faults = FaultPlan(self.endpoints, self.streaming_endpoints)
        self.server = LoopbackServer(self._handle, self._bad_request, port)
        self.control = Control(self, control_port)

    # What a subclass defines.

    def resolve(self, request: Request) -> str:
        """The endpoint's name, for every request, known or not."""
        raise NotImplementedError

    def check(self, endpoint: str, request: Request, findings: Findings) -> None:
        """Adds everything that is wrong with a request."""
        raise NotImplementedError

    def answer(self, endpoint: str, request: Request) -> Answer:
        """Acts on a request that may be served."""
        raise NotImplementedError

    def client_of(self, request: Request) -> str | None:
        """The identity of the client, as the protocol names it."""
        return None

    def issue(self, header: str, value: str) -> None:
        """A scripted answer sends this header (its name in lower case): clients may echo it."""

    def describe(self) -> dict[str, Any]:
        """The addresses and keys; also what the command prints at its start."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forgets what happened and every fault; the configuration stays."""
        self.faults.clear()
        self.journal.reset()
        self.ledger.reset()

    # Life.

    def start(self) -> None:
        self.server.start()
        self.control.start()

    def stop(self) -> None:
        self.faults.clear()
        self.server.stop()
        self.control.stop()

    def go_away(self) -> None:
        """Nothing listens any more, until `come_back`: connections are refused, and those that are open end."""
        self.faults.release()
        self.server.go_away()

    def come_back(self) -> None:
        """Listens again where it did, with what it served and knows."""
        self.server.come_back()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    # What tests use.

    @property
    def violations(self) -> list[Violation]:
        return self.journal.violations

    def fail(self, endpoint: str, kind: str, times: int | None = 1, skip: int = 0, delay: float = 0.0, containing: str = "",
             **parameters: Any) -> Fault:
        """Spoils coming requests, or those whose body has a text; see README.md for the kinds."""
        fault = self.faults.add(endpoint, kind, times, skip, delay, containing, **parameters)
        for name, value in parameters.get("headers", {}).items():
            self.issue(name.lower(), value)
        return fault

    def release(self, fault: Fault | None = None) -> int:
        """Lets go requests that a fault holds."""
        return self.faults.release(fault.identifier if fault is not None else None)

    def wait_for_held(self, count: int = 1, timeout: float = 5.0) -> bool:
        """Waits until `count` requests hang, stall or are otherwise held by a fault."""
        return self.faults.wait_for_held(count, timeout)

    def requests(self, endpoint: str | None = None, since: int = 0) -> list[Entry]:
        return self.journal.requests(endpoint, since)

    def wait_for(self, endpoint: str, count: int = 1, timeout: float = 5.0, answered: bool = False) -> bool:
        return self.journal.wait(endpoint, count, timeout, answered)

    def wait_for_number(self, count: int, found: Callable[[], int], timeout: float = 5.0) -> bool:
        """Waits until `found`, which counts what was accepted, gives at least `count`."""
        return self.journal.wait_until(lambda: found() >= count, timeout)

    def wait_for_silence(self, timeout: float = 20.0) -> bool:
        """Waits until all that clients have left in their connections is read, also where they are gone: for tests in
        which no client is left. What a killed one has sent may come after its end."""
        deadline = time.monotonic() + timeout
        # Connections are taken in their order: when this one is answered with its end, all before it have been taken.
        with socket.create_connection(("127.0.0.1", self.server.port), timeout) as last:
            last.shutdown(socket.SHUT_WR)
            last.recv(1)
        while self.server.connections_open > 0 and time.monotonic() < deadline:
            time.sleep(0.001)
        return self.server.connections_open == 0

    @property
    def control_url(self) -> str:
        return self.control.url

    # The way of one request.

    def _bad_request(self, message: str) -> None:
        self.journal.note(Violation("http", message))

    def _handle(self, exchange: Exchange) -> bool:
        request = exchange.request
        endpoint = self.resolve(request)
        findings = Findings()
        self.check(endpoint, request, findings)
        entry = self.journal.begin(endpoint, request, self.client_of(request), exchange.serial, findings)
        try:
            if findings and self.enforce:
                listed = [{"where": v.where, "message": v.message} for v in findings]
                return self._send(exchange, entry, json_response(422, {"violations": listed}))
            return self._serve(exchange, entry)
        except ClientGone:
            self.journal.finish(entry, "gone")
            raise
        finally:
            if entry.outcome == "open":
                self.journal.finish(entry, "broken")

    def _send(self, exchange: Exchange, entry: Entry, response: Response, applied: Applied | None = None) -> bool:
        """Sends an answer. What is plain is booked first, so that whoever has the answer can rely on the books."""
        entry.status = response.status
        if applied is None or not (applied.spoils_answer or applied.kind == "slow"):
            self.journal.finish(entry, "answered")
        in_step = deliver(exchange, response, applied)
        if applied is not None and applied.kind == "slow":
            self.journal.finish(entry, "answered")
        return in_step

    def _serve(self, exchange: Exchange, entry: Entry) -> bool:
        applied = self.faults.take(entry.endpoint, exchange.request.body)
        if applied is None:
            return self._act(exchange, entry, None)
        entry.fault = applied.kind
        try:
            if applied.fault.delay > 0 and hold(exchange, applied, applied.fault.delay) == GONE:
                raise ClientGone("gave up during a delay")
            if applied.prevents_acting:
                response = substitute(applied)
                return sabotage(exchange, applied) if response is None else self._send(exchange, entry, response)
            if applied.kind == "hang" and hold(exchange, applied) == GONE:
                raise ClientGone("gave up waiting")
            return self._act(exchange, entry, applied)
        finally:
            self.faults.done(applied)

    def _act(self, exchange: Exchange, entry: Entry, applied: Applied | None) -> bool:
        answer = self._answer(entry.endpoint, exchange.request)
        heard = applied is None or not applied.spoils_answer
        if answer.settle is not None:
            answer.settle(heard)
        try:
            if not isinstance(answer.response, Stream):
                return self._send(exchange, entry, answer.response, applied)
            entry.status = 200
            answer.response.run(exchange, applied)
            self.journal.finish(entry, "answered" if heard else "broken")
            return False
        except ClientGone:
            if answer.settle is not None:
                answer.settle(False)
            raise

    def _answer(self, endpoint: str, request: Request) -> Answer:
        try:
            return self.answer(endpoint, request)
        except Exception as error:  # A simulator that fails must say so in the test that meets it.
            self.journal.note(Violation("simulator", f"{type(error).__name__}: {error}"))
            return Answer(json_response(500, {"name": "Simulator", "message": str(error)}))
