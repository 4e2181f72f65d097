"""The frame of a service whose endpoints are told apart by path, each with one method."""

from __future__ import annotations

import time
from typing import Any, Callable, Generic, Mapping, Protocol, TypeVar

from .delivery import json_response
from .findings import Findings, Shape, parse_json
from .service import Answer, Service
from .wire import Request


def milliseconds_now() -> int:
    return time.time_ns() // 1_000_000


class Endpoint(Protocol):
    """What this frame has to know of an endpoint."""

    @property
    def method(self) -> str: ...


OneEndpoint = TypeVar("OneEndpoint", bound=Endpoint)


class EndpointService(Service, Generic[OneEndpoint]):
    """A service that refuses unknown paths and other methods by itself."""

    table: Mapping[str, OneEndpoint]
    """The endpoints by name; what `resolve` finds elsewhere is no endpoint."""

    def __init__(self, *, now: Callable[[], int] = milliseconds_now, enforce: bool = True, port: int = 0,
                 control_port: int = 0) -> None:
        """`now` gives the milliseconds since 1970 that times in requests are compared with."""
        self.now = now
        super().__init__(enforce=enforce, port=port, control_port=control_port)

    # What a subclass defines.

    def check_request(self, findings: Findings, request: Request, endpoint: OneEndpoint) -> None:
        """Adds everything that is wrong with a request whose path and method are right."""
        raise NotImplementedError

    def answer_request(self, request: Request, endpoint: OneEndpoint) -> Answer:
        """Acts on a request whose path and method are right."""
        raise NotImplementedError

    # The service.

    def check(self, endpoint: str, request: Request, findings: Findings) -> None:
        known = self.table.get(endpoint)
        if known is None:
            findings.add("path", f"{request.path} is no endpoint")
        elif request.method != known.method:
            findings.add("method", f"must be {known.method}, is {request.method}")
        else:
            self.check_request(findings, request, known)

    def answer(self, endpoint: str, request: Request) -> Answer:
        known = self.table.get(endpoint)
        if known is None or request.method != known.method:
            return Answer(json_response(404, {"message": f"no route {request.method} {request.path}"}))
        return self.answer_request(request, known)


def readable(request: Request, shape: Shape) -> Any:
    """A JSON body of the right shape, also of a request that the checks found fault with; None for any other."""
    findings = Findings()
    document = parse_json(findings, request.body)
    shape(findings, "body", document)
    return None if findings else document
