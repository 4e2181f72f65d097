"""The simulated Optimizely services, put together."""

from __future__ import annotations

from typing import Any, Callable

from loopback.delivery import json_response
from loopback.endpoints import EndpointService, milliseconds_now, readable
from loopback.findings import Findings, Shape
from loopback.publications import Published
from loopback.service import Answer
from loopback.wire import Request, Response

from . import events, platform_events, predictions, segments
from .cdn import answer_datafile, check_datafile
from .control import add_routes, describe
from .datafiles import Datafiles
from .happenings import happenings
from .headers import check_headers
from .knowledge import Knowledge
from .ledger import EVENT, PLATFORM_EVENT, Ledger
from .options import Options
from .predictions import Choices
from .routes import ENDPOINTS, NAMES, Endpoint, resolve
from .sample import SDK_KEY, sample_datafile
from .segments import Customers


class OptimizelySimulator(EndpointService[Endpoint]):
    """CDN, event endpoints, data platform and prediction server on 127.0.0.1, strict about every request.

    Use it as a context manager. `document` is the datafile of `sdk_key` (the sample when it is left out); further
    keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded but answered as the
    real services would. `now` gives the milliseconds since 1970 that times of events are compared with.
    """

    endpoints = NAMES
    table = ENDPOINTS

    def __init__(self, document: dict[str, Any] | str | bytes | None = None, *, sdk_key: str = SDK_KEY,
                 token: str | None = None, now: Callable[[], int] = milliseconds_now, enforce: bool = True,
                 port: int = 0, control_port: int = 0, **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.sdk_key = sdk_key
        self.ledger = Ledger()
        self.customers = Customers()
        self.choices = Choices()
        super().__init__(now=now, enforce=enforce, port=port, control_port=control_port)
        self.datafiles = Datafiles(self.platform_host)
        self.publish(sample_datafile() if document is None else document, token=token)
        add_routes(self)

    # Addresses, as a client's configuration wants them; `%@` stands for the SDK key or the rule's id.

    @property
    def datafile_url(self) -> str:
        return f"{self.server.url}/datafiles/%@.json"

    @property
    def secured_url(self) -> str:
        return f"{self.server.url}/datafiles/auth/%@.json"

    @property
    def events_url(self) -> str:
        return f"{self.server.url}/us/v1/events"

    @property
    def eu_events_url(self) -> str:
        return f"{self.server.url}/eu/v1/events"

    @property
    def platform_host(self) -> str:
        """What published datafiles get as the host of their `odp` integration."""
        return self.server.url

    @property
    def prediction_url(self) -> str:
        return f"{self.server.url}/predict/%@"

    def describe(self) -> dict[str, Any]:
        return describe(self)

    # What tests do to it.

    def publish(self, document: dict[str, Any] | str | bytes, sdk_key: str | None = None,
                token: str | None = None) -> Published:
        """Puts a datafile in place, for this simulator's own SDK key or for another one.

        A document gets the simulator as its data platform; text and bytes are sent as they are.
        """
        return self.datafiles.publish(document, sdk_key or self.sdk_key, token)

    def issue(self, header: str, value: str) -> None:
        if header == "last-modified":
            self.datafiles.issue("", value)

    def wait_for_events(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until `count` events, each uuid once, were accepted."""
        return self.wait_for_number(count, lambda: len(self.ledger.uuids()), timeout)

    def wait_for_platform_events(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until the data platform accepted `count` events, each id once."""
        return self.wait_for_number(count, lambda: len(self.ledger.idempotence_ids()), timeout)

    # The service.

    def resolve(self, request: Request) -> str:
        return resolve(request)

    def check_request(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        findings.require(request.query is None, "query", f"is not documented for {endpoint.name}")
        check_headers(findings, request, endpoint, self.options)
        known = Knowledge(self.datafiles.projects, self.ledger, self.options, self.now)
        if endpoint.method == "GET":
            check_datafile(findings, request, endpoint, self.datafiles, self.options)
        elif endpoint.region is not None:
            events.check_events(findings, request, endpoint, known)
        elif endpoint.name == "segments":
            segments.check_segments(findings, request, known.projects)
        elif endpoint.name == "platform-events":
            platform_events.check_platform_events(findings, request, known)
        else:
            predictions.check_prediction(findings, request, endpoint, known)

    def answer_request(self, request: Request, endpoint: Endpoint) -> Answer:
        if endpoint.method == "GET":
            return Answer(answer_datafile(request, endpoint, self.datafiles, self.options))
        document = readable(request, _SHAPES[endpoint.name])
        if document is None:
            return Answer(json_response(400, {"message": "the body cannot be read"}))
        if endpoint.name == "segments":
            response = segments.answer_segments(document, self.customers)
        elif endpoint.name == "predictions":
            response = predictions.answer_prediction(document, self.datafiles.projects, self.ledger, self.choices)
        elif endpoint.name == "platform-events":
            response = json_response(202, {"title": "Accepted", "status": 202})
        else:
            response = Response(204)
        post = self.ledger.book(endpoint.name, document, _contents(endpoint, document))
        self.journal.poke()
        return Answer(response, lambda heard: self.ledger.acknowledge(post, heard))


_SHAPES: dict[str, Shape] = {
    "events-us": events.BODY, "events-eu": events.BODY, "segments": segments.BODY,
    "platform-events": platform_events.BODY, "predictions": predictions.BODY,
}



def _contents(endpoint: Endpoint, document: Any) -> list[tuple[str, str, Any]]:
    """The events of a request, as the ledger counts them."""
    if endpoint.region is not None:
        return [(EVENT, happening.uuid, happening.visitor) for happening in happenings(document)]
    if endpoint.name == "platform-events":
        return [(PLATFORM_EVENT, str(event["data"].get("idempotence_id")), event) for event in document]
    return []
