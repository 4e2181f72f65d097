"""The control port: JSON over HTTP, apart from the service, for tests in any language."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable
from urllib.parse import parse_qsl

from .delivery import json_response
from .server import Exchange, LoopbackServer
from .wire import Response

if TYPE_CHECKING:
    from .service import Service

Query = dict[str, str]
Route = Callable[[Query, Any], Any]
"""Takes the query and the JSON body; returns what is sent back as JSON."""

PREFIX = "/_control"


class Control:
    """Routes every service has; a service adds its own with `add`."""

    def __init__(self, service: Service, port: int = 0) -> None:
        self._service = service
        self._routes: dict[tuple[str, str], Route] = {}
        self._server = LoopbackServer(self._handle, port=port)
        journal, faults = service.journal, service.faults
        self.add("GET", "/", lambda query, body: service.describe())
        self.add("GET", "/ledger", lambda query, body: service.ledger.as_json())
        self.add("GET", "/posts", lambda query, body: [post.as_json() for post in service.ledger.posts])
        self.add("GET", "/options", lambda query, body: service.options.as_json())
        self.add("POST", "/options", lambda query, body: service.options.change(**body))
        self.add("GET", "/violations", lambda query, body: [str(v) for v in journal.violations])
        self.add("GET", "/requests", self._requests)
        self.add("GET", "/counts", lambda query, body: journal.counts())
        self.add("GET", "/connections", lambda query, body: {
            "accepted": service.server.connections_accepted, "open": service.server.connections_open})
        self.add("GET", "/wait", self._wait)
        self.add_wait("/wait-held", lambda query, count, timeout: faults.wait_for_held(count, timeout))
        self.add("GET", "/faults", lambda query, body: faults.as_json())
        self.add("POST", "/faults", self._add_fault)
        self.add("DELETE", "/faults", lambda query, body: faults.clear(_identifier(query)))
        self.add("POST", "/release", lambda query, body: {"released": faults.release(_identifier(query))})
        self.add("POST", "/reset", lambda query, body: service.reset())

    @property
    def url(self) -> str:
        return self._server.url + PREFIX

    def add(self, method: str, path: str, route: Route) -> None:
        self._routes[method, PREFIX + path] = route

    def add_wait(self, path: str, wait: Callable[[Query, int, float], bool]) -> None:
        """A call that waits for a number of something; its query says `count` and `timeout`."""
        self.add("GET", path, lambda query, body: {"reached": wait(
            query, int(query.get("count", "1")), float(query.get("timeout", "5")))})

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop()

    def _handle(self, exchange: Exchange) -> bool:
        exchange.send(self._answer(exchange).encoded())
        return True

    def _answer(self, exchange: Exchange) -> Response:
        request = exchange.request
        route = self._routes.get((request.method, request.path))
        if route is None:
            known = sorted(f"{method} {path}" for method, path in self._routes)
            return json_response(404, {"error": f"no {request.method} {request.path}", "known": known})
        try:
            body = json.loads(request.body) if request.body else None
            result = route(dict(parse_qsl(request.query or "", keep_blank_values=True)), body)
        except (ValueError, TypeError, KeyError) as error:
            return json_response(400, {"error": f"{type(error).__name__}: {error}"})
        return json_response(200, {"ok": True} if result is None else result)

    def _requests(self, query: Query, body: Any) -> Any:
        found = self._service.journal.requests(query.get("endpoint"), int(query.get("since", "0")))
        return [entry.as_json() for entry in found]

    def _wait(self, query: Query, body: Any) -> Any:
        reached = self._service.journal.wait(
            query["endpoint"], int(query.get("count", "1")), float(query.get("timeout", "5")),
            query.get("answered") == "true")
        return {"reached": reached, **self._service.journal.counts()}

    def _add_fault(self, query: Query, body: Any) -> Any:
        if not isinstance(body, dict):
            raise ValueError("the body must be an object with endpoint and kind")
        return {"id": self._service.fail(**body).identifier}


def _identifier(query: Query) -> int | None:
    return int(query["id"]) if "id" in query else None
