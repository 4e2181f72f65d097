"""The simulated Flagship services, put together."""

from __future__ import annotations

from typing import Any, Callable

from loopback.delivery import json_response
from loopback.endpoints import EndpointService, milliseconds_now, readable
from loopback.findings import Findings, Shape
from loopback.publications import Published, answer_published
from loopback.service import Answer
from loopback.text import decode
from loopback.wire import Request, Response

from . import activations, decisions, emotions, hits, reports
from .control import add_routes, describe
from .environment import Environment, Environments
from .headers import check_headers
from .knowledge import Knowledge
from .ledger import Ledger
from .options import Options
from .routes import (
    ACTIVATE, BUCKETING, DECISIONS, EMOTIONS, ENDPOINTS, HITS, NAMES, OWN_ACTIVATE, OWN_DECISIONS, SETTINGS, TROUBLESHOOTING,
    USAGE, Endpoint, parameter, resolve)
from .sample import API_KEY, ENVIRONMENT, sample_bucketing
from .visitors import answer_visitor, check_visitor


class FlagshipSimulator(EndpointService[Endpoint]):
    """Decision API, CDN, event endpoints and what is known of visitors, on 127.0.0.1, strict about every request.

    Use it as a context manager. `document` is the bucketing file of `environment` (the sample when it is left out);
    further keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded but answered as
    the real services would. `now` gives the milliseconds since 1970 that ages are counted from.
    """

    endpoints = NAMES
    table = ENDPOINTS

    def __init__(self, document: dict[str, Any] | str | bytes | None = None, *, environment: str = ENVIRONMENT,
                 api_key: str = API_KEY, now: Callable[[], int] = milliseconds_now, enforce: bool = True,
                 port: int = 0, control_port: int = 0, **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.ledger = Ledger()
        self.environments = Environments()
        self.environment = self.environments.add(environment, api_key)
        self.environment.publish(sample_bucketing() if document is None else document)
        super().__init__(now=now, enforce=enforce, port=port, control_port=control_port)
        add_routes(self)

    # Addresses and keys, as a client's configuration wants them.

    @property
    def environment_id(self) -> str:
        return self.environment.identifier

    @property
    def api_key(self) -> str:
        return self.environment.api_key

    @property
    def decision_url(self) -> str:
        """The vendor's form: environments are in the path."""
        return f"{self.server.url}/decision/v2"

    @property
    def own_url(self) -> str:
        """A service of one's own: no environment in the path (FS-211)."""
        return f"{self.server.url}/own/v2"

    @property
    def cdn_url(self) -> str:
        return f"{self.server.url}/cdn"

    @property
    def events_url(self) -> str:
        """Of hits; `/analytics` and `/troubleshooting` are below it."""
        return f"{self.server.url}/events"

    @property
    def segments_url(self) -> str:
        return f"{self.server.url}/data-connector"

    @property
    def score_url(self) -> str:
        return f"{self.server.url}/uc-info"

    def describe(self) -> dict[str, Any]:
        return describe(self)

    # What tests do to it.

    def add_environment(self, identifier: str, api_key: str, document: dict[str, Any] | str | bytes) -> Environment:
        """One more environment, with a bucketing file of its own."""
        made = self.environments.add(identifier, api_key)
        made.publish(document)
        return made

    def publish(self, document: dict[str, Any] | str | bytes) -> Published:
        """Puts a bucketing file in place for the simulator's own environment."""
        return self.environment.publish(document)

    def issue(self, header: str, value: str) -> None:
        if header == "last-modified":
            self.environments.publications.issue("", value)

    def wait_for_hits(self, count: int, kind: str | None = None, timeout: float = 5.0) -> bool:
        """Waits until `count` hits, as often as they came, were accepted."""
        return self.wait_for_number(count, lambda: len(self.ledger.hits(kind)), timeout)

    def wait_for_activations(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until `count` activations, as often as they came, were accepted."""
        return self.wait_for_number(count, lambda: len(self.ledger.activations()), timeout)

    # The service.

    def resolve(self, request: Request) -> str:
        return resolve(request)

    def check_request(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        decode(findings, "path", parameter(endpoint, request, "environment"))
        check_headers(findings, request, endpoint, self.options)
        knowledge = Knowledge(self.environments, self.ledger, self.options, self.now(), self.journal.count)
        name = endpoint.name
        if name in (DECISIONS, OWN_DECISIONS):
            decisions.check_query(findings, request, endpoint)
            decisions.check_decision(findings, request, knowledge)
        elif "visitor" in endpoint.path.groupindex:
            check_visitor(findings, request, endpoint)
        else:
            findings.require(request.query is None, "query", f"is not documented for {name}")
        if name in (ACTIVATE, OWN_ACTIVATE):
            activations.check_activations(findings, request, knowledge)
        elif name == HITS:
            hits.check_hits(findings, request, knowledge)
        elif name in reports.BODIES:
            reports.check_report(findings, request, endpoint, knowledge)
        elif name == EMOTIONS:
            emotions.check_emotions(findings, request, knowledge)
        elif name == BUCKETING and not self.options.foreign_dates:
            self.environments.publications.check_date(findings, request, parameter(endpoint, request, "environment"))

    def answer_request(self, request: Request, endpoint: Endpoint) -> Answer:
        if endpoint.method == "GET":
            return Answer(self._answer_get(endpoint, request))
        document = readable(request, _SHAPES[endpoint.name])
        if document is None:
            return Answer(json_response(400, {"message": "the body cannot be read"}))
        response = Response(204 if endpoint.name in (ACTIVATE, OWN_ACTIVATE) else 200)
        if endpoint.name in (DECISIONS, OWN_DECISIONS):
            environment = self._environment(endpoint, request)
            if environment is None:
                return Answer(self._refusal())
            response = decisions.answer_decision(request, document, environment, self.options.extras)
        post = self.ledger.book(endpoint.name, document, self.now())
        self.journal.poke()
        return Answer(response, lambda heard: self.ledger.acknowledge(post, heard))

    def _environment(self, endpoint: Endpoint, request: Request) -> Environment | None:
        """Whom a request is about; for decisions only with its API key."""
        key = request.header("x-api-key")
        if endpoint.name == OWN_DECISIONS:
            return self.environments.with_key(key)
        found = self.environments.find(parameter(endpoint, request, "environment"))
        return found if found is None or endpoint.name != DECISIONS or found.api_key == key else None

    def _answer_get(self, endpoint: Endpoint, request: Request) -> Response:
        environment = self._environment(endpoint, request)
        if environment is None:
            return self._refusal()
        if endpoint.name == SETTINGS:
            return json_response(200, {"accountSettings": environment.account_settings})
        if endpoint.name != BUCKETING:
            return answer_visitor(request, endpoint, environment)
        published = self.environments.publications.current(environment.identifier)
        if published is None:
            return self._refusal()
        return answer_published(request, published, self.options.last_modified, self.options.compress)

    def _refusal(self) -> Response:
        return json_response(self.options.unknown_environment_status, {"message": "no such environment"})


_SHAPES: dict[str, Shape] = {
    DECISIONS: decisions.BODY, OWN_DECISIONS: decisions.BODY, ACTIVATE: activations.BODY,
    OWN_ACTIVATE: activations.BODY, HITS: hits.body, USAGE: reports.BODIES[USAGE],
    TROUBLESHOOTING: reports.BODIES[TROUBLESHOOTING], EMOTIONS: emotions.BODY,
}
