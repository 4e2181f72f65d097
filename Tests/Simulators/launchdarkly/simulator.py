"""The simulated LaunchDarkly services, put together."""

from __future__ import annotations

import itertools
import time
from typing import Any, Callable

from loopback.delivery import json_response
from loopback.faults import Applied, Fault
from loopback.findings import Findings
from loopback.server import Exchange
from loopback.service import Answer, Service, Stream
from loopback.streaming import StreamHub
from loopback.tags import IssuedTags
from loopback.wire import Request, Response, http_date

from .contexts import Context, decode_segment, read_context
from .control import add_routes
from .diagnostics import check_diagnostic, read_diagnostic
from .environment import Change, Environment, Flags
from .events import check_events, read_events
from .headers import check_headers, mobile_key
from .knowledge import Knowledge
from .ledger import Ledger
from .options import MOBILE_KEY, Options
from .polling import answer_poll, subject
from .routes import DIAGNOSTICS, ENDPOINTS, EVENTS, NAMES, STREAMING, Endpoint, context_segment, resolve
from .sample import sample_flags
from .streaming import FlagStream


def milliseconds_now() -> int:
    return time.time_ns() // 1_000_000


class LaunchDarklySimulator(Service):
    """Streaming, polling and events on 127.0.0.1, strict about every request.

    Use it as a context manager. `flags` are those of the environment of `mobile_key` (the sample when they are left
    out); further keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded but
    answered as the real services would. `now` gives the milliseconds since 1970 that times of events are compared with.
    """

    endpoints = NAMES
    streaming_endpoints = STREAMING

    def __init__(self, flags: Flags | None = None, *, mobile_key: str = MOBILE_KEY,
                 now: Callable[[], int] = milliseconds_now, enforce: bool = True, port: int = 0, control_port: int = 0,
                 **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.environment = Environment(mobile_key, sample_flags() if flags is None else flags)
        self.environments = {mobile_key: self.environment}
        self.ledger = Ledger()
        self.tags = IssuedTags()
        self._event_numbers = itertools.count(1)
        self._now = now
        super().__init__(enforce=enforce, port=port, control_port=control_port)
        self.streams: StreamHub[FlagStream] = StreamHub(self.journal.poke)
        add_routes(self)

    # Addresses and keys, as a client's configuration wants them.

    @property
    def url(self) -> str:
        """The base of streams, polls and events alike."""
        return self.server.url + self.options.prefix

    @property
    def mobile_key(self) -> str:
        return self.environment.mobile_key

    @property
    def control_url(self) -> str:
        return self.control.url

    # What tests do to it.

    def add_environment(self, mobile_key: str, flags: Flags | None = None) -> Environment:
        """One more environment, with a key of its own."""
        made = Environment(mobile_key, sample_flags() if flags is None else flags)
        self.environments[mobile_key] = made
        return made

    def replace_flags(self, flags: Flags, environment: Environment | None = None) -> None:
        """Makes these all the flags there are; open streams get a `put`."""
        chosen = environment or self.environment
        chosen.replace(flags)
        self._of(chosen, FlagStream.put)

    def set_flag(self, key: str, environment: Environment | None = None, context: str | None = None,
                 **fields: Any) -> Change:
        """Changes fields of a flag, or makes one; open streams get a `patch`. `context` is a fully-qualified key."""
        chosen = environment or self.environment
        return self._tell(chosen, chosen.set(key, context, **fields))

    def delete_flag(self, key: str, version: int | None = None, environment: Environment | None = None) -> Change:
        """Removes a flag; open streams get a `delete`."""
        chosen = environment or self.environment
        return self._tell(chosen, chosen.delete(key, version))

    def ping(self) -> int:
        """Tells open streams to poll."""
        return self.streams.order(lambda stream: stream.send("ping", ""))

    def fail(self, endpoint: str, kind: str, times: int | None = 1, skip: int = 0, delay: float = 0.0,
             **parameters: Any) -> Fault:
        fault = super().fail(endpoint, kind, times, skip, delay, **parameters)
        for name, value in parameters.get("headers", {}).items():
            if name.lower() == "etag":
                self.tags.add(value, None)
        return fault

    def wait_for_streams(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until exactly `count` streams are open."""
        return self.journal.wait_until(lambda: len(self.streams.open) == count, timeout)

    def wait_for_events(self, kind: str, count: int = 1, timeout: float = 5.0) -> bool:
        """Waits until `count` events of a kind, each payload once, were accepted."""
        return self.journal.wait_until(lambda: len(self.ledger.events(kind)) >= count, timeout)

    def wait_for_evaluations(self, key: str, count: int, timeout: float = 5.0) -> bool:
        """Waits until summaries told of `count` evaluations of a flag."""
        return self.journal.wait_until(lambda: self.ledger.evaluations(key) >= count, timeout)

    def reset(self) -> None:
        super().reset()
        self.ledger.reset()

    # The service.

    def resolve(self, request: Request) -> str:
        return resolve(request, self.options.prefix)

    def client_of(self, request: Request) -> str | None:
        return request.header("x-launchdarkly-instance-id")

    def check(self, endpoint: str, request: Request, findings: Findings) -> None:
        known = ENDPOINTS.get(endpoint)
        if known is None:
            findings.add("path", f"{request.path} is no endpoint")
            return
        if request.method != known.method:
            findings.add("method", f"must be {known.method}, is {request.method}")
            return
        self._check_query(findings, request, known)
        check_headers(findings, request, known, self.options)
        environment = self.environments.get(mobile_key(request))
        if known.serves_flags:
            self._check_flags_request(findings, request, known, environment)
        elif environment is not None:
            knowledge = Knowledge(environment, self.ledger, self.options, self._now)
            if endpoint == EVENTS:
                check_events(findings, request, knowledge, self.client_of(request))
            else:
                check_diagnostic(findings, request, knowledge)

    def _check_query(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        wanted = self._query() if endpoint.serves_flags else []
        given = [] if request.query is None else sorted(request.query.split("&"))
        findings.require(given == wanted, "query", f"must be {'&'.join(wanted) or None}, is {request.query!r}")

    def _query(self) -> list[str]:
        """The pairs that a request for flags has, in any order."""
        secure = self.options.secure_mode_hash
        return ([f"h={secure}"] if secure else []) + (["withReasons=true"] if self.options.with_reasons else [])

    def _check_flags_request(self, findings: Findings, request: Request, endpoint: Endpoint,
                             environment: Environment | None) -> None:
        context = self._context(findings, request, endpoint)
        last = request.header("last-event-id")
        if last:
            sent = self.options.event_ids and last.isdecimal()
            findings.require(sent, "header last-event-id", f"{last!r} was never sent")
        tag = request.header("if-none-match")
        if tag and endpoint.is_poll and environment is not None and context is not None:
            self.tags.check(findings, tag, subject(environment, context))

    def _context(self, findings: Findings, request: Request, endpoint: Endpoint) -> Context | None:
        if not endpoint.has_context_in_path:
            return read_context(findings, request.body)
        data = decode_segment(findings, context_segment(endpoint, request, self.options.prefix))
        return None if data is None else read_context(findings, data)

    def answer(self, endpoint: str, request: Request) -> Answer:
        known = ENDPOINTS.get(endpoint)
        if known is None or request.method != known.method:
            return Answer(json_response(404, {"message": f"no route {request.method} {request.path}"}))
        environment = self.environments.get(mobile_key(request))
        if environment is None:
            return Answer(json_response(401, {"message": "Invalid mobile key"}))
        if not known.serves_flags:
            return self._answer_events(endpoint, request, environment)
        context = self._context(Findings(), request, known)
        if context is None:
            return Answer(json_response(400, {"message": "the context cannot be read"}))
        environment.meet(context)
        with_reasons = "withReasons=true" in (request.query or "").split("&")
        if known.is_poll:
            return Answer(answer_poll(request, environment, context, with_reasons, self.tags, self.options))
        return Answer(Stream(lambda exchange, applied: self._stream(
            exchange, applied, environment, context, with_reasons)))

    def _stream(self, exchange: Exchange, applied: Applied | None, environment: Environment, context: Context,
                with_reasons: bool) -> None:
        stream = FlagStream(self.client_of(exchange.request), exchange, applied, environment, context, with_reasons,
                            self.options, self._event_numbers)
        self.streams.run(stream, self.options.keep_alive_seconds)

    def _answer_events(self, endpoint: str, request: Request, environment: Environment) -> Answer:
        document = read_diagnostic(Findings(), request) if endpoint == DIAGNOSTICS else read_events(Findings(), request)
        if document is None:
            return Answer(json_response(400, {"message": "the body cannot be read"}))
        payload = request.header("x-launchdarkly-payload-id") if endpoint == EVENTS else None
        post = self.ledger.book(self.client_of(request), endpoint, environment.mobile_key, payload, document)
        self.journal.poke()
        date = self.options.date or http_date(self._now() / 1000 + self.options.clock_offset_seconds)
        return Answer(Response(202, headers=[("Date", date)]), lambda heard: self.ledger.acknowledge(post, heard))

    def _tell(self, environment: Environment, change: Change) -> Change:
        self._of(environment, lambda stream: stream.tell(change))
        return change

    def _of(self, environment: Environment, order: Callable[[FlagStream], None]) -> None:
        """Has an order carried out on the streams of one environment."""
        for stream in self.streams.open:
            if stream.environment is environment:
                stream.do(order)
