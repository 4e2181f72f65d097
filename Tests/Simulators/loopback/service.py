"""The frame of a simulated service: check, record, misbehave or answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from .control import Control
from .delivery import deliver, hold, json_response, sabotage, substitute
from .faults import Applied, Fault, FaultPlan
from .findings import Findings, Violation
from .journal import Entry, Journal
from .server import ClientGone, Exchange, LoopbackServer
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

    def reset(self) -> None:
        """Forgets what happened and every fault; the configuration stays."""
        self.faults.clear()
        self.journal.reset()

    # Life.

    def start(self) -> None:
        self.server.start()
        self.control.start()

    def stop(self) -> None:
        self.faults.clear()
        self.server.stop()
        self.control.stop()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    # What tests use.

    @property
    def violations(self) -> list[Violation]:
        return self.journal.violations

    def fail(self, endpoint: str, kind: str, times: int | None = 1, skip: int = 0, delay: float = 0.0,
             **parameters: Any) -> Fault:
        """Spoils coming requests; see README.md for the kinds."""
        return self.faults.add(endpoint, kind, times, skip, delay, **parameters)

    def release(self, fault: Fault | None = None) -> int:
        """Lets go requests that a fault holds."""
        return self.faults.release(fault.identifier if fault is not None else None)

    def requests(self, endpoint: str | None = None, since: int = 0) -> list[Entry]:
        return self.journal.requests(endpoint, since)

    def wait_for(self, endpoint: str, count: int = 1, timeout: float = 5.0, answered: bool = False) -> bool:
        return self.journal.wait(endpoint, count, timeout, answered)

    # The way of one request.

    def _bad_request(self, message: str) -> None:
        self.journal.note(Violation("http", message))

    def _handle(self, exchange: Exchange) -> bool:
        request = exchange.request
        endpoint = self.resolve(request)
        findings = Findings()
        self.check(endpoint, request, findings)
        entry = self.journal.begin(endpoint, request, self.client_of(request), exchange.serial, findings)
        outcome = "gone"
        try:
            if findings and self.enforce:
                entry.status = 422
                listed = [{"where": v.where, "message": v.message} for v in findings]
                in_step = deliver(exchange, json_response(422, {"violations": listed}), None)
                outcome = "answered"
                return in_step
            in_step, outcome = self._serve(exchange, entry)
            return in_step
        finally:
            self.journal.finish(entry, outcome)

    def _serve(self, exchange: Exchange, entry: Entry) -> tuple[bool, str]:
        applied = self.faults.take(entry.endpoint)
        try:
            if applied is not None:
                entry.fault = applied.kind
                if applied.fault.delay > 0 and hold(exchange, applied, applied.fault.delay) == GONE:
                    raise ClientGone("gave up during a delay")
                if applied.prevents_acting:
                    return self._misbehave(exchange, entry, applied)
                if applied.kind == "hang" and hold(exchange, applied) == GONE:
                    raise ClientGone("gave up waiting")
            return self._act(exchange, entry, applied)
        finally:
            if applied is not None:
                self.faults.done(applied)

    def _misbehave(self, exchange: Exchange, entry: Entry, applied: Applied) -> tuple[bool, str]:
        response = substitute(applied)
        if response is None:
            return sabotage(exchange, applied), "broken"
        entry.status = response.status
        return deliver(exchange, response, None), "answered"

    def _act(self, exchange: Exchange, entry: Entry, applied: Applied | None) -> tuple[bool, str]:
        answer = self.answer(entry.endpoint, exchange.request)
        heard = applied is None or not applied.spoils_answer
        # Said before the bytes go out, so that whoever has the answer can rely on it.
        if answer.settle is not None:
            answer.settle(heard)
        try:
            if isinstance(answer.response, Stream):
                entry.status = 200
                answer.response.run(exchange, applied)
                return False, "answered" if heard else "broken"
            entry.status = answer.response.status
            in_step = deliver(exchange, answer.response, applied)
            return in_step, "answered" if heard else "broken"
        except ClientGone:
            if answer.settle is not None:
                answer.settle(False)
            raise
