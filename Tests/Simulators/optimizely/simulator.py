"""The simulated Optimizely services, put together."""

from __future__ import annotations

import time
from typing import Any, Callable

from loopback.delivery import json_response
from loopback.faults import Fault
from loopback.findings import Findings, Shape, parse_json
from loopback.publications import Published
from loopback.service import Answer, Service
from loopback.wire import Request, Response

from . import events, platform_events, predictions, segments
from .cdn import answer_datafile, check_datafile
from .control import add_routes
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


def milliseconds_now() -> int:
    return time.time_ns() // 1_000_000


class OptimizelySimulator(Service):
    """CDN, event endpoints, data platform and prediction server on 127.0.0.1, strict about every request.

    Use it as a context manager. `document` is the datafile of `sdk_key` (the sample when it is left out); further
    keyword arguments are those of `Options`. With `enforce=False` faulty requests are recorded but answered as the
    real services would. `now` gives the milliseconds since 1970 that times of events are compared with.
    """

    endpoints = NAMES

    def __init__(self, document: dict[str, Any] | str | bytes | None = None, *, sdk_key: str = SDK_KEY,
                 token: str | None = None, now: Callable[[], int] = milliseconds_now, enforce: bool = True,
                 port: int = 0, control_port: int = 0, **options: Any) -> None:
        self.options = Options()
        self.options.change(**options)
        self.sdk_key = sdk_key
        self.ledger = Ledger()
        self.customers = Customers()
        self.choices = Choices()
        self._now = now
        super().__init__(enforce=enforce, port=port, control_port=control_port)
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

    @property
    def control_url(self) -> str:
        return self.control.url

    # What tests do to it.

    def publish(self, document: dict[str, Any] | str | bytes, sdk_key: str | None = None,
                token: str | None = None) -> Published:
        """Puts a datafile in place, for this simulator's own SDK key or for another one.

        A document gets the simulator as its data platform; text and bytes are sent as they are.
        """
        return self.datafiles.publish(document, sdk_key or self.sdk_key, token)

    def fail(self, endpoint: str, kind: str, times: int | None = 1, skip: int = 0, delay: float = 0.0,
             **parameters: Any) -> Fault:
        fault = super().fail(endpoint, kind, times, skip, delay, **parameters)
        for name, value in parameters.get("headers", {}).items():
            if name.lower() == "last-modified":
                self.datafiles.issue("", value)
        return fault

    def wait_for_events(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until `count` events, each uuid once, were accepted."""
        return self.journal.wait_until(lambda: len(self.ledger.uuids()) >= count, timeout)

    def wait_for_platform_events(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until the data platform accepted `count` events, each id once."""
        return self.journal.wait_until(lambda: len(self.ledger.idempotence_ids()) >= count, timeout)

    def reset(self) -> None:
        super().reset()
        self.ledger.reset()

    # The service.

    def resolve(self, request: Request) -> str:
        return resolve(request)

    def check(self, endpoint: str, request: Request, findings: Findings) -> None:
        known = ENDPOINTS.get(endpoint)
        if known is None:
            findings.add("path", f"{request.path} is no endpoint")
            return
        if request.method != known.method:
            findings.add("method", f"must be {known.method}, is {request.method}")
            return
        findings.require(request.query is None, "query", f"is not documented for {endpoint}")
        check_headers(findings, request, known, self.options)
        self._check_content(findings, request, known)

    def _check_content(self, findings: Findings, request: Request, endpoint: Endpoint) -> None:
        known = Knowledge(self.datafiles.projects, self.ledger, self.options, self._now)
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

    def answer(self, endpoint: str, request: Request) -> Answer:
        known = ENDPOINTS.get(endpoint)
        if known is None or request.method != known.method:
            return Answer(json_response(404, {"message": f"no route {request.method} {request.path}"}))
        if known.method == "GET":
            return Answer(answer_datafile(request, known, self.datafiles, self.options))
        document = _readable(request, _SHAPES[endpoint])
        if document is None:
            return Answer(json_response(400, {"message": "the body cannot be read"}))
        if endpoint == "segments":
            response = segments.answer_segments(document, self.customers)
        elif endpoint == "predictions":
            response = predictions.answer_prediction(document, self.datafiles.projects, self.ledger, self.choices)
        elif endpoint == "platform-events":
            response = json_response(202, {"title": "Accepted", "status": 202})
        else:
            response = Response(204)
        post = self.ledger.book(endpoint, document, _contents(known, document))
        self.journal.poke()
        return Answer(response, lambda heard: self.ledger.acknowledge(post, heard))


_SHAPES: dict[str, Shape] = {
    "events-us": events.BODY, "events-eu": events.BODY, "segments": segments.BODY,
    "platform-events": platform_events.BODY, "predictions": predictions.BODY,
}


def _readable(request: Request, shape: Shape) -> Any:
    """A body of the right shape, also of a request that the checks found fault with; None for any other."""
    findings = Findings()
    document = parse_json(findings, request.body)
    shape(findings, "body", document)
    return None if findings else document


def _contents(endpoint: Endpoint, document: Any) -> list[tuple[str, str, Any]]:
    """The events of a request, as the ledger counts them."""
    if endpoint.region is not None:
        return [(EVENT, happening.uuid, happening.visitor) for happening in happenings(document)]
    if endpoint.name == "platform-events":
        return [(PLATFORM_EVENT, str(event["data"].get("idempotence_id")), event) for event in document]
    return []
