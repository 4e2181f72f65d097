"""For the simulators' own tests: requests written by hand, and small changes that spoil them."""

from __future__ import annotations

import copy
import http.client
import json
import socket
from dataclasses import dataclass, field
from typing import Any, Callable

from .service import Service

MISSING = object()


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def places(self) -> list[str]:
        """What the refusal complains about."""
        return [violation["where"] for violation in self.json["violations"]]


@dataclass
class Call:
    """One request. `document` becomes the body unless `body` is given."""

    method: str
    path: str
    headers: dict[str, str]
    query: list[str] = field(default_factory=list)
    document: Any = None
    body: bytes | None = None
    repeated: list[tuple[str, str]] = field(default_factory=list)

    def copy(self) -> Call:
        return copy.deepcopy(self)

    def with_header(self, name: str, value: str | None) -> Call:
        changed = self.copy()
        changed.headers = {k: v for k, v in changed.headers.items() if k.lower() != name.lower()}
        if value is not None:
            changed.headers[name] = value
        return changed

    @property
    def target(self) -> str:
        return self.path + ("?" + "&".join(self.query) if self.query else "")

    @property
    def payload(self) -> bytes | None:
        if self.body is not None or self.document is None:
            return self.body
        return json.dumps(self.document, ensure_ascii=False).encode()

    def send(self, simulator: Service, timeout: float = 10.0) -> Reply:
        """Sends it; of an endless stream only the first line is read."""
        connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=timeout)
        try:
            self.start(connection)
            response = connection.getresponse()
            endless = response.getheader("Content-Type") == "text/event-stream"
            received = response.readline() if endless else response.read()
            return Reply(response.status, dict(response.getheaders()), received)
        finally:
            connection.close()

    def start(self, connection: http.client.HTTPConnection) -> None:
        connection.putrequest(self.method, self.target, skip_accept_encoding=True)
        for name, value in [*self.headers.items(), *self.repeated]:
            connection.putheader(name, value.encode())
        payload = self.payload
        if payload is not None:
            connection.putheader("Content-Length", str(len(payload)))
        connection.endheaders(payload)


def control(simulator: Service, method: str, path: str, document: Any = None) -> Any:
    """One call of the control port: its status and its answer."""
    port = int(simulator.control.url.split(":")[2].split("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, "/_control" + path, None if document is None else json.dumps(document))
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def raw(simulator: Service, data: bytes) -> bytes:
    """Sends bytes and reads until the service closes."""
    with socket.create_connection(("127.0.0.1", simulator.server.port), timeout=5) as connection:
        connection.sendall(data)
        received = b""
        while piece := connection.recv(65536):
            received += piece
        return received


Change = Callable[[Call], Call]
"""Spoils a correct request; returns a changed copy."""


def header(name: str, value: str | None) -> Change:
    """Sets or, with None, leaves out a header."""
    return lambda call: call.with_header(name, value)


def twice(name: str) -> Change:
    def change(call: Call) -> Call:
        changed = call.copy()
        changed.repeated.append((name, next(v for k, v in call.headers.items() if k.lower() == name.lower())))
        return changed

    return change


def query(remove: str | None = None, add: str | None = None) -> Change:
    """Removes the pair that starts with a text and adds another one."""
    def change(call: Call) -> Call:
        changed = call.copy()
        if remove is not None:
            kept = [pair for pair in changed.query if not pair.startswith(remove)]
            assert len(kept) == len(changed.query) - 1
            changed.query = kept
        changed.query += [] if add is None else [add]
        return changed

    return change


def body(path: str, value: Any) -> Change:
    """Sets the member at a dotted path; MISSING removes it, a callable makes it from what was there."""
    def change(call: Call) -> Call:
        changed = call.copy()
        place: Any = changed.document
        *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in parents:
            place = place[step]
        if value is MISSING:
            del place[last]
        else:
            place[last] = value(place[last]) if callable(value) else value
        return changed

    return change


def bytes_of_body(make: Callable[[bytes], bytes]) -> Change:
    def change(call: Call) -> Call:
        changed = call.copy()
        changed.body = make(call.payload or b"")
        return changed

    return change


def method(name: str) -> Change:
    def change(call: Call) -> Call:
        changed = call.copy()
        changed.method = name
        return changed

    return change


def path(value: str) -> Change:
    def change(call: Call) -> Call:
        changed = call.copy()
        changed.path = value
        return changed

    return change
