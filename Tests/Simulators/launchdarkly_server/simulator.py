"""The simulated LaunchDarkly service for servers, put together."""

from __future__ import annotations

from typing import Any, Callable

from launchdarkly.diagnostics import check_diagnostic, read_diagnostic
from launchdarkly.headers import Manner, check_headers
from launchdarkly.knowledge import Knowledge
from launchdarkly.polling import answer_poll
from launchdarkly.routes import DIAGNOSTICS, EVENTS, Endpoint
from launchdarkly.service import ChangeService
from loopback.delivery import json_response
from loopback.endpoints import milliseconds_now
from loopback.faults import Applied
from loopback.findings import Findings
from loopback.server import Exchange
from loopback.service import Answer, Stream
from loopback.wire import Request

from .control import add_routes, describe
from .diagnostics import SHAPES
from .environment import FLAGS, SEGMENTS, Change, Data, Environment
from .events import check_events, read_events
from .ledger import ServerLedger
from .options import SDK_KEY, Options
from .routes import ENDPOINTS, NAMES, STREAMING
from .sample import sample_data
from .streaming import DataStream

SERVER = Manner(r"[A-Za-z0-9._-]{1,8192}", "the bare SDK key", "HoistServer",
                ("application-id", "application-version"), False, True)


class LaunchDarklyServerSimulator(ChangeService[DataStream]):
    """Streaming, polling and events on 127.0.0.1, strict about every request.

    Use it as a context manager. `data` are the flags and segments of the environment of `sdk_key` (the sample when they
    are left out); further keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded
    but answered as the real services would. `now` gives the milliseconds since 1970 that times of events are compared
    with.
    """

    endpoints = NAMES
    table = ENDPOINTS
    streaming_endpoints = STREAMING
    options: Options
    ledger: ServerLedger

    def __init__(self, data: Data | None = None, *, sdk_key: str = SDK_KEY, now: Callable[[], int] = milliseconds_now,
                 enforce: bool = True, port: int = 0, control_port: int = 0, **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.environment = Environment(sdk_key, sample_data() if data is None else data)
        self.environments = {sdk_key: self.environment}
        super().__init__(ServerLedger(), now=now, enforce=enforce, port=port, control_port=control_port)
        add_routes(self)

    @property
    def sdk_key(self) -> str:
        return self.environment.sdk_key

    def describe(self) -> dict[str, Any]:
        return describe(self)

    # What tests do to it.

    def add_environment(self, sdk_key: str, data: Data | None = None) -> Environment:
        """One more environment, with a key of its own."""
        made = Environment(sdk_key, sample_data() if data is None else data)
        self.environments[sdk_key] = made
        return made

    def replace_data(self, data: Data, environment: Environment | None = None) -> None:
        """Makes these all the flags and segments there are; open streams get a `put`."""
        chosen = environment or self.environment
        chosen.replace(data)
        self.order(chosen, DataStream.put)

    def set_flag(self, key: str, environment: Environment | None = None, **fields: Any) -> Change:
        """Changes fields of a flag, or makes one; open streams get a `patch`."""
        return self.set(FLAGS, key, environment, **fields)

    def set_segment(self, key: str, environment: Environment | None = None, **fields: Any) -> Change:
        return self.set(SEGMENTS, key, environment, **fields)

    def delete_flag(self, key: str, version: int | None = None, environment: Environment | None = None) -> Change:
        """Removes a flag; open streams get a `delete`."""
        return self.delete(FLAGS, key, version, environment)

    def delete_segment(self, key: str, version: int | None = None, environment: Environment | None = None) -> Change:
        return self.delete(SEGMENTS, key, version, environment)

    def set(self, kind: str, key: str, environment: Environment | None = None, **fields: Any) -> Change:
        chosen = environment or self.environment
        return self._tell(chosen, chosen.set(kind, key, **fields))

    def delete(self, kind: str, key: str, version: int | None = None, environment: Environment | None = None) -> Change:
        chosen = environment or self.environment
        return self._tell(chosen, chosen.delete(kind, key, version))

    # The service.

    def check_request(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        wanted = f"filter={self.options.payload_filter}" if endpoint.serves_flags and self.options.payload_filter else None
        findings.require(request.query == wanted, "query", f"must be {wanted}, is {request.query!r}")
        check_headers(findings, request, endpoint, self.options, SERVER)
        environment = self.environments.get(_key(request))
        if environment is None:
            return
        known = Knowledge(environment, self.ledger, self.options, self.now)
        if endpoint.is_poll and (tag := request.header("if-none-match")):
            self.tags.check(findings, tag, environment.sdk_key)
        elif endpoint.is_stream and (last := request.header("last-event-id")):
            sent = self.options.event_ids and last.isdecimal()
            findings.require(sent, "header last-event-id", f"{last!r} was never sent")
        elif endpoint.name == EVENTS:
            check_events(findings, request, known, f"{environment.sdk_key} {self.client_of(request)}")
        elif endpoint.name == DIAGNOSTICS:
            check_diagnostic(findings, request, known, environment.sdk_key, SHAPES)
        if not findings:
            self.ledger.check_instance(findings, environment.sdk_key, self.client_of(request) or "", self.options.clients)

    def answer_request(self, request: Request, endpoint: Endpoint) -> Answer:
        environment = self.environments.get(_key(request))
        if environment is None:
            return Answer(json_response(401, {"message": "Invalid SDK key"}))
        if endpoint.is_poll:
            data = environment.data(self.options.filtered_flags)
            return Answer(answer_poll(request, data, environment.sdk_key, self.tags, self.options))
        if endpoint.is_stream:
            return Answer(Stream(lambda exchange, applied: self._stream(exchange, applied, environment)))
        read = read_events(Findings(), request) if endpoint.name == EVENTS else read_diagnostic(Findings(), request, SHAPES)
        return self.take(request, endpoint.name, environment.sdk_key, read)

    def _stream(self, exchange: Exchange, applied: Applied | None, environment: Environment) -> None:
        request = exchange.request
        stream = DataStream(self.client_of(request), exchange, applied, environment, self.options, self.event_numbers)
        stream.compressed = self.options.compress_streams and "gzip" in (request.header("accept-encoding") or "")
        self.streams.run(stream, self.options.keep_alive_seconds)

    def _tell(self, environment: Environment, change: Change) -> Change:
        self.order(environment, lambda stream: stream.tell(change))
        return change


def _key(request: Request) -> str:
    """The SDK key that a request names; empty when it names none."""
    return request.header("authorization") or ""
