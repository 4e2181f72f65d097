"""The simulated Unleash service, put together."""

from __future__ import annotations

import gzip
from typing import Any

from loopback.delivery import json_response
from loopback.findings import Findings, parse_json
from loopback.service import Answer, Service, Stream
from loopback.streaming import StreamHub
from loopback.tags import IssuedTags
from loopback.wire import Request, Response

from .backend import answer_features, check_registration
from .control import add_routes, describe
from .delta import answer_delta, event_id
from .frontend import answer_frontend
from .headers import Identities, check_headers
from .ledger import Ledger
from .metrics import answer_metrics, check_metrics
from .options import EDGE, Options
from .query import check_context, read_filter
from .routes import ENDPOINTS, NAMES, UNIMPLEMENTED, UNKNOWN, Endpoint, resolve
from .state import FeatureState
from .streaming import DeltaStream


class UnleashSimulator(Service):
    """A server or an Edge on 127.0.0.1, strict about every request.

    Use it as a context manager. `document` is a client features document; further keyword
    arguments are those of `Options`. With `enforce=False` faulty requests are recorded but
    answered as the real service would.
    """

    endpoints = NAMES
    streaming_endpoints = ("streaming",)

    def __init__(self, document: dict[str, Any] | None = None, *, revision: int = 1, enforce: bool = True,
                 port: int = 0, control_port: int = 0, **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.state = FeatureState(document, revision)
        self.ledger = Ledger()
        self.identities = Identities()
        self.tags = IssuedTags()
        super().__init__(enforce=enforce, port=port, control_port=control_port)
        self.streams: StreamHub[DeltaStream] = StreamHub(self.journal)
        self.state.on_change(self.streams.wake)
        add_routes(self)

    # Addresses and keys, as a client's configuration wants them.

    @property
    def frontend_url(self) -> str:
        return f"{self.server.url}{self.options.prefix}/api/frontend"

    @property
    def api_url(self) -> str:
        """The base of backend mode, to which `/client/features` is appended."""
        return f"{self.server.url}{self.options.prefix}/api"

    @property
    def frontend_key(self) -> str:
        return self.options.frontend_keys[0]

    @property
    def backend_key(self) -> str:
        return self.options.backend_keys[0]

    def describe(self) -> dict[str, Any]:
        return describe(self)

    # What tests do to it.

    def issue(self, header: str, value: str) -> None:
        if header == "etag":
            self.tags.add(value)

    def wait_for_streams(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until exactly `count` streams are open."""
        return self.streams.wait_for(count, timeout)

    def wait_for_posts(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until the ledger holds `count` metrics posts."""
        return self.wait_for_number(count, lambda: len(self.ledger.posts), timeout)

    def reset(self) -> None:
        super().reset()
        self.identities.reset()

    # The service.

    def resolve(self, request: Request) -> str:
        return resolve(request, self.options)

    def client_of(self, request: Request) -> str | None:
        return request.header("unleash-connection-id")

    def check(self, endpoint: str, request: Request, findings: Findings) -> None:
        if endpoint == UNIMPLEMENTED:
            return
        if endpoint == UNKNOWN:
            findings.add("path", f"{request.path} is no endpoint")
            return
        known = ENDPOINTS[endpoint]
        if request.method not in known.methods:
            findings.add("method", f"must be {' or '.join(known.methods)}, is {request.method}")
            return
        check_headers(findings, request, known, self.options)
        self._check_validator(findings, request, known)
        if endpoint in ("frontend-metrics", "frontend-register", "metrics", "register"):
            read_filter(findings, request, known)
            self._check_body(findings, request, known)
        elif known.backend:
            read_filter(findings, request, known)
        else:
            check_context(findings, request)
        if not findings:
            self.identities.check(findings, request, self.options)

    def _check_body(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        if endpoint.name.endswith("metrics"):
            check_metrics(findings, request, endpoint)
        else:
            check_registration(findings, request, self.options)

    def _check_validator(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        """A tag or an event id must be one that was issued here."""
        if self.options.foreign_etags or findings:
            return
        by_event = {"delta": "if-none-match", "streaming": "last-event-id"}.get(endpoint.name)
        if by_event is not None:
            known = event_id(request.header(by_event))
            if known is not None:
                findings.require(self.state.issued(known), f"header {by_event}", f"{known} was never issued")
        elif request.header("if-none-match") is not None:
            self.tags.check(findings, request.header("if-none-match") or "")

    def answer(self, endpoint: str, request: Request) -> Answer:
        if endpoint == UNIMPLEMENTED:
            edge = self.options.flavour == EDGE
            return Answer(json_response(404 if edge else 501, {"name": "NotImplementedError"}))
        if endpoint == UNKNOWN or request.method not in ENDPOINTS[endpoint].methods:
            return Answer(json_response(404, {"name": "NotFoundError", "message": f"No route {request.path}"}))
        known = ENDPOINTS[endpoint]
        refusal = self._refusal(known, request)
        if refusal is not None:
            return Answer(refusal)
        if endpoint.endswith("metrics"):
            return self._answer_metrics(known, request)
        if endpoint.endswith("register"):
            server_frontend = not known.backend and self.options.flavour != EDGE
            return Answer(Response(200 if server_frontend else 202))
        if endpoint == "streaming":
            return Answer(Stream(lambda exchange, applied: self._stream(request, exchange, applied)))
        response = self._answer_fetch(known, request)
        tag = next((value for name, value in response.headers if name == "ETag"), None)
        if tag is not None:
            self.tags.add(tag)
        accepted = request.header("accept-encoding") or ""
        if self.options.compress and response.body and "gzip" in accepted:
            response.body = gzip.compress(response.body)
            response.headers.append(("Content-Encoding", "gzip"))
        return Answer(response)

    def _answer_fetch(self, endpoint: Endpoint, request: Request) -> Response:
        if not endpoint.backend:
            return answer_frontend(endpoint.name, request, self.state, self.options)
        wanted = read_filter(Findings(), request, endpoint)
        if endpoint.name == "features":
            return answer_features(request, self.state, self.options, wanted)
        return answer_delta(request, self.state, wanted)

    def _refusal(self, endpoint: Endpoint, request: Request) -> Response | None:
        """The status rules of B.5 and B.7: not there, not allowed, not ready."""
        options, edge = self.options, self.options.flavour == EDGE
        offered = {"delta": options.delta_enabled, "streaming": options.streaming_enabled,
                   "frontend": options.frontend_enabled}
        if not offered.get(endpoint.name, True) or (endpoint.edge_only and not edge):
            return json_response(404, {"name": "NotFoundError", "message": f"{endpoint.name} is not available"})
        key = request.header(options.key_header)
        wanted, others = options.frontend_keys, options.backend_keys
        if endpoint.backend:
            wanted, others = others, wanted
        if key not in wanted:
            denied = key in others or (edge and key is None)
            message = "this kind of key is not allowed here" if denied else "the key is missing or unknown"
            return json_response(403 if denied else 401, {"name": "AuthenticationRequired", "message": message})
        if edge and not options.ready:
            return json_response(503, {"message": "not ready"})
        return None

    def _answer_metrics(self, endpoint: Endpoint, request: Request) -> Answer:
        document = parse_json(Findings(), request.body)
        if not isinstance(document, dict) or not isinstance(document.get("appName"), str):
            return Answer(json_response(400, {"name": "ValidationError"}))
        response = answer_metrics(endpoint, self.options)
        if response.status == 204:
            return Answer(response)
        post = self.ledger.accept(self.client_of(request), endpoint.name, document)
        self.journal.poke()
        return Answer(response, lambda heard: self.ledger.acknowledge(post, heard))

    def _stream(self, request: Request, exchange: Any, applied: Any) -> None:
        wanted = read_filter(Findings(), request, ENDPOINTS["streaming"])
        stream = DeltaStream(self.client_of(request), exchange, applied, self.state, wanted)
        self.streams.run(stream, self.options.keep_alive_seconds)
