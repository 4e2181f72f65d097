"""The simulated LaunchDarkly services, put together."""

from __future__ import annotations

from typing import Any, Callable

from loopback.delivery import json_response
from loopback.endpoints import milliseconds_now
from loopback.faults import Applied
from loopback.findings import Findings
from loopback.server import Exchange
from loopback.service import Answer, Stream
from loopback.wire import Request

from .contexts import Context, decode_segment, read_context
from .control import add_routes, describe
from .diagnostics import check_diagnostic, read_diagnostic
from .environment import Change, Environment, Flags
from .events import check_events, read_events
from .headers import check_headers, mobile_key
from .knowledge import Knowledge
from .ledger import Ledger
from .options import MOBILE_KEY, Options
from .polling import answer_poll
from .routes import DIAGNOSTICS, ENDPOINTS, EVENTS, NAMES, STREAMING, Endpoint, context_segment
from .sample import sample_flags
from .service import ChangeService
from .streaming import FlagStream


class LaunchDarklySimulator(ChangeService[FlagStream]):
    """Streaming, polling and events on 127.0.0.1, strict about every request.

    Use it as a context manager. `flags` are those of the environment of `mobile_key` (the sample when they are left
    out); further keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded but
    answered as the real services would. `now` gives the milliseconds since 1970 that times of events are compared with.
    """

    endpoints = NAMES
    table = ENDPOINTS
    streaming_endpoints = STREAMING
    options: Options

    def __init__(self, flags: Flags | None = None, *, mobile_key: str = MOBILE_KEY,
                 now: Callable[[], int] = milliseconds_now, enforce: bool = True, port: int = 0, control_port: int = 0,
                 **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.environment = Environment(mobile_key, sample_flags() if flags is None else flags)
        self.environments = {mobile_key: self.environment}
        super().__init__(Ledger(), now=now, enforce=enforce, port=port, control_port=control_port)
        add_routes(self)

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
        self.order(chosen, FlagStream.put)

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

    # The service.

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
                check_diagnostic(findings, request, knowledge, environment.mobile_key)

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
            self.tags.check(findings, tag, _subject(environment, context))

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
            read = read_diagnostic if endpoint.name == DIAGNOSTICS else read_events
            return self.take(request, endpoint.name, environment.mobile_key, read(Findings(), request))
        context = self._context(Findings(), request, endpoint)
        if context is None:
            return Answer(json_response(400, {"message": "the context cannot be read"}))
        environment.meet(context)
        with_reasons = "withReasons=true" in (request.query or "").split("&")
        if endpoint.is_poll:
            flags = environment.flags_of(context, with_reasons)
            return Answer(answer_poll(request, flags, _subject(environment, context), self.tags, self.options))
        return Answer(Stream(lambda exchange, applied: self._stream(
            exchange, applied, environment, context, with_reasons)))

    def _stream(self, exchange: Exchange, applied: Applied | None, environment: Environment, context: Context,
                with_reasons: bool) -> None:
        stream = FlagStream(self.client_of(exchange.request), exchange, applied, environment, context, with_reasons,
                            self.options, self.event_numbers)
        self.streams.run(stream, self.options.keep_alive_seconds)

    def _tell(self, environment: Environment, change: Change) -> Change:
        self.order(environment, lambda stream: stream.tell(change))
        return change


def _subject(environment: Environment, context: Context) -> str:
    """What a tag is about: flags of one environment for one context."""
    return f"{environment.mobile_key} {context.identity}"
