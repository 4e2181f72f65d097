"""The simulated Kameleoon services, put together."""

from __future__ import annotations

from typing import Any, Callable

from loopback.delivery import json_response
from loopback.endpoints import EndpointService, milliseconds_now
from loopback.faults import Applied
from loopback.findings import Findings
from loopback.publications import Published, answer_published
from loopback.server import Exchange
from loopback.service import Answer, Stream
from loopback.streaming import StreamHub
from loopback.text import COMPONENT, decode
from loopback.wire import Request, Response

from .control import add_routes, describe
from .headers import check_headers
from .history import answer_visitor
from .knowledge import Knowledge
from .ledger import Ledger
from .options import Options
from .query import check_query, read_query
from .routes import (
    CONFIGURATION, ENDPOINTS, NAMES, REMOTE, STREAM, TOKEN, TRACKING, VISITOR, Endpoint, resolve, site_in_path)
from .sample import CLIENT_ID, CLIENT_SECRET, SITE, sample_configuration
from .site import PRODUCTION, Site, Sites
from .streaming import UpdateStream
from .tokens import Tokens, check_grant
from .tracking import check_tracking, read_lines


class KameleoonSimulator(EndpointService[Endpoint]):
    """Configurations, real-time events, Data API and access tokens on 127.0.0.1, strict about every request.

    Use it as a context manager. `document` is the configuration of `site` (the sample when it is left out); further
    keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded but answered as the real
    services would. `now` gives the milliseconds since 1970 at which events are accepted.
    """

    endpoints = NAMES
    streaming_endpoints = (STREAM,)
    table = ENDPOINTS

    def __init__(self, document: dict[str, Any] | str | bytes | None = None, *, site: str = SITE,
                 now: Callable[[], int] = milliseconds_now, enforce: bool = True, port: int = 0,
                 control_port: int = 0, **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.ledger = Ledger()
        self.tokens = Tokens()
        self.sites = Sites()
        self.site = self.add_site(site, sample_configuration() if document is None else document)
        self.tokens.register(site, CLIENT_ID, CLIENT_SECRET)
        super().__init__(now=now, enforce=enforce, port=port, control_port=control_port)
        self.streams: StreamHub[UpdateStream] = StreamHub(self.journal)
        add_routes(self)

    # Addresses and codes, as a client's configuration wants them.

    @property
    def site_code(self) -> str:
        return self.site.code

    @property
    def configuration_url(self) -> str:
        """Of configurations; `/v3` and the site follow."""
        return f"{self.server.url}/sdk-config"

    @property
    def data_url(self) -> str:
        """Of tracking, visitor data and remote data; `/visit` and `/map` follow."""
        return f"{self.server.url}/data"

    @property
    def stream_url(self) -> str:
        """Of real-time events; `/sse` follows."""
        return f"{self.server.url}/events"

    @property
    def token_url(self) -> str:
        """Of access tokens; `/oauth/token` follows."""
        return f"{self.server.url}/api"

    def describe(self) -> dict[str, Any]:
        return describe(self)

    # What tests do to it.

    def add_site(self, code: str, document: dict[str, Any] | str | bytes) -> Site:
        """One more site, with a configuration of its own."""
        made = self.sites.add(code)
        made.publish(document)
        return made

    def publish(self, document: dict[str, Any] | str | bytes, environment: str = PRODUCTION,
                announce: bool = False) -> Published:
        """Puts a configuration in place for the simulator's own site, and tells open streams when it is to."""
        published = self.site.publish(document, environment)
        if announce:
            self.announce()
        return published

    def announce(self, site: Site | None = None, time: int | None = None) -> int:
        """Sends an event that a configuration is new on all streams of a site; returns its time."""
        chosen, moment = site or self.site, self.now() if time is None else time
        chosen.issue_time(moment)
        for stream in self.streams.open:
            if stream.site == chosen.code:
                stream.do(lambda one: one.announce(moment))
        return moment

    def restart_stream(self, refused: int = 0, how: str = "reset") -> int:
        """Drops all streams, and refuses the next attempts to open one; returns how many were open."""
        if refused:
            self.fail(STREAM, "close", times=refused)
        return self.streams.drop(how)

    def wait_for_streams(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until exactly `count` streams are open."""
        return self.streams.wait_for(count, timeout)

    def wait_for_lines(self, count: int, kind: str | None = None, visitor: str | None = None,
                       timeout: float = 5.0) -> bool:
        """Waits until `count` lines, each nonce once, were accepted."""
        return self.wait_for_number(count, lambda: len(self.ledger.lines(kind, visitor)), timeout)

    # The service.

    def resolve(self, request: Request) -> str:
        return resolve(request)

    def issue(self, header: str, value: str) -> None:
        if header == "last-modified":
            self.site.publications.issue("", value)

    def check_request(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        check_headers(findings, request, endpoint, self.options)
        check_query(findings, request, endpoint, self.options)
        site = self._site(endpoint, request)
        if endpoint.name == CONFIGURATION:
            self._check_configuration(findings, request, endpoint, site)
        elif endpoint.name == TOKEN:
            check_grant(findings, request)
        elif endpoint.name == TRACKING:
            check_tracking(findings, request, Knowledge(site, self.ledger, self.options))
        if endpoint.authorised and site is not None and not self.options.foreign_tokens:
            self.tokens.check(findings, request, site.code)

    def _check_configuration(self, findings: Findings, request: Request, endpoint: Endpoint, site: Site | None) -> None:
        code = decode(findings, "path", site_in_path(endpoint, request), unreserved=COMPONENT)
        findings.require(code != "", "path", "names no site")
        if site is None:
            return
        query = read_query(request)
        if not self.options.foreign_dates:
            site.publications.check_date(findings, request, query.get("environment", PRODUCTION))
        time = query.get("ts", "")
        if time.isdecimal() and not self.options.foreign_times:
            findings.require(site.had_event(int(time)), "query ts", f"no event had the time {time}")

    def answer_request(self, request: Request, endpoint: Endpoint) -> Answer:
        site, query = self._site(endpoint, request), read_query(request)
        if endpoint.name == TOKEN:
            return Answer(self.tokens.answer(request, query.get("siteCode", ""), self.options))
        if site is None:
            return Answer(self._refusal())
        if endpoint.name == STREAM:
            return Answer(Stream(lambda exchange, applied: self._stream(exchange, applied, site)))
        if endpoint.name == CONFIGURATION:
            return Answer(self._configuration(request, site, query.get("environment", PRODUCTION)))
        if self.tokens.refuses(request, self.options):
            return Answer(json_response(401, {"error": "invalid_token"}))
        return self._answer_data(request, endpoint, site, query)

    def _configuration(self, request: Request, site: Site, environment: str) -> Response:
        published = site.publications.current(environment)
        if published is None:
            return self._refusal()
        return answer_published(request, published, self.options.last_modified, self.options.compress)

    def _answer_data(self, request: Request, endpoint: Endpoint, site: Site, query: dict[str, str]) -> Answer:
        lines = [line for _, line in read_lines(Findings(), request.body)] if endpoint.name == TRACKING else []
        if endpoint.name == VISITOR:
            response = json_response(200, answer_visitor(site, query, self.ledger))
        elif endpoint.name == REMOTE:
            stored = site.remote(query.get("key", ""))
            response = json_response(self.options.missing_key_status, {"message": "no such key"}) if stored is None \
                else Response(200, stored, [("Content-Type", "application/json")])
        else:
            response = Response(200)
        content = [line.as_json() for line in lines] if endpoint.name == TRACKING else query
        post = self.ledger.book(endpoint.name, site.code, content, lines, self.now())
        self.journal.poke()
        return Answer(response, lambda heard: self.ledger.acknowledge(post, heard))

    def _stream(self, exchange: Exchange, applied: Applied | None, site: Site) -> None:
        self.streams.run(UpdateStream(exchange, applied, site.code), self.options.keep_alive_seconds)

    def _site(self, endpoint: Endpoint, request: Request) -> Site | None:
        """The site that a request is about."""
        if endpoint.name == CONFIGURATION:
            return self.sites.find(decode(Findings(), "path", site_in_path(endpoint, request), unreserved=COMPONENT))
        return self.sites.find(read_query(request).get("siteCode"))

    def _refusal(self) -> Response:
        return json_response(self.options.unknown_site_status, {"message": "no such site"})
