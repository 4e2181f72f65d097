"""The simulated LaunchDarkly services, put together."""

from __future__ import annotations

import itertools
from typing import Any, Callable

from loopback.delivery import json_response
from loopback.endpoints import EndpointService, milliseconds_now
from loopback.faults import Applied
from loopback.findings import Findings
from loopback.server import Exchange
from loopback.service import Answer, Stream
from loopback.streaming import StreamHub
from loopback.tags import IssuedTags
from loopback.wire import Request, Response, http_date

from .contexts import Context, decode_segment, read_context
from .control import add_routes, describe
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


class LaunchDarklySimulator(EndpointService[Endpoint]):
    """Streaming, polling and events on 127.0.0.1, strict about every request.

    Use it as a context manager. `flags` are those of the environment of `mobile_key` (the sample when they are left
    out); further keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded but
    answered as the real services would. `now` gives the milliseconds since 1970 that times of events are compared with.
    """

    endpoints = NAMES
    table = ENDPOINTS
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
        super().__init__(now=now, enforce=enforce, port=port, control_port=control_port)
        self.streams: StreamHub[FlagStream] = StreamHub(self.journal)
        add_routes(self)

    # Addresses and keys, as a client's configuration wants them.

    @property
    def url(self) -> str:
        """The base of streams, polls and events alike."""
        return self.server.url + self.options.prefix

    @property
    def mobile_key(self) -> str:
        return self.environment.mobile_key

    def describe(self) -> dict[str, Any]:
        return describe(self)

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

    def issue(self, header: str, value: str) -> None:
        if header == "etag":
            self.tags.add(value, None)

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
        return resolve(request, self.options.prefix)

    def client_of(self, request: Request) -> str | None:
        return request.header("x-launchdarkly-instance-id")

    def check_request(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        self._check_query(findings, request, endpoint)
        check_headers(findings, request, endpoint, self.options)
        environment = self.environments.get(mobile_key(request))
        if endpoint.serves_flags:
            self._check_flags_request(findings, request, endpoint, environment)
        elif environment is not None:
            knowledge = Knowledge(environment, self.ledger, self.options, self.now)
            if endpoint.name == EVENTS:
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

    def answer_request(self, request: Request, endpoint: Endpoint) -> Answer:
        environment = self.environments.get(mobile_key(request))
        if environment is None:
            return Answer(json_response(401, {"message": "Invalid mobile key"}))
        if not endpoint.serves_flags:
            return self._answer_events(endpoint.name, request, environment)
        context = self._context(Findings(), request, endpoint)
        if context is None:
            return Answer(json_response(400, {"message": "the context cannot be read"}))
        environment.meet(context)
        with_reasons = "withReasons=true" in (request.query or "").split("&")
        if endpoint.is_poll:
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
        date = self.options.date or http_date(self.now() / 1000 + self.options.clock_offset_seconds)
        return Answer(Response(202, headers=[("Date", date)]), lambda heard: self.ledger.acknowledge(post, heard))

    def _tell(self, environment: Environment, change: Change) -> Change:
        self._of(environment, lambda stream: stream.tell(change))
        return change

    def _of(self, environment: Environment, order: Callable[[FlagStream], None]) -> None:
        """Has an order carried out on the streams of one environment."""
        for stream in self.streams.open:
            if stream.environment is environment:
                stream.do(order)
