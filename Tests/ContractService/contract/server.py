"""The service: its addresses, what is asked of them, and what is answered."""

from __future__ import annotations

import json
import tempfile
import threading
import traceback
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import hoist

from .capabilities import capabilities
from .client import ContractClient, StartFailed
from .client_side import ClientSide
from .reading import Members, Refused, parse
from .server_side import ServerSide

_LARGEST_BODY = 64 << 20


@dataclass
class Answer:
    """What is answered; no body for None."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    is_last: bool = False
    """Whether the service ends when this has gone out."""


class Service(ThreadingHTTPServer):
    """The clients there are, by number, behind one port."""

    daemon_threads = True
    # The harness opens many connections at once.
    request_queue_size = 128

    def __init__(self, side: str, host: str = "127.0.0.1", port: int = 0, is_verbose: bool = False) -> None:
        super().__init__((host, port), _Handler)
        self.side = side
        self.is_verbose = is_verbose
        self._store = tempfile.TemporaryDirectory(prefix="hoist-contract-")
        self._lock = threading.Lock()
        self._clients: dict[str, ContractClient] = {}
        self._count = 0

    def answer(self, method: str, path: str, body: bytes) -> Answer:
        """Answers one request."""
        path = path.partition("?")[0]
        if path in ("", "/"):
            return self._answer_root(method, body)
        folder, _, number = path.rpartition("/")
        client = self._clients.get(number) if folder == "/clients" else None
        if client is None:
            return Answer(404, {"message": "no such client"})
        if method == "POST":
            return Answer(*_body_of(client.run(parse(body))))
        if method == "DELETE":
            with self._lock:
                self._clients.pop(number, None)
            client.close()
            return Answer(204)
        return Answer(405, headers={"Allow": "POST, DELETE"})

    def _answer_root(self, method: str, body: bytes) -> Answer:
        if method == "GET":
            found = {"name": "hoist", "clientVersion": hoist.version(), "capabilities": capabilities(self.side)}
            return Answer(200, found)
        if method == "POST":
            return self._create(body)
        if method == "DELETE":
            return Answer(204, is_last=True)
        return Answer(405, headers={"Allow": "GET, POST, DELETE"})

    def _create(self, body: bytes) -> Answer:
        parameters = parse(body)
        parameters.text("tag")
        client = self._made(parameters.needed_object("configuration"))
        with self._lock:
            self._count += 1
            number = str(self._count)
            self._clients[number] = client
        return Answer(201, headers={"Location": f"/clients/{number}"})

    def _made(self, configuration: Members) -> ContractClient:
        return ServerSide(configuration) if self.side == "server" else ClientSide(configuration, Path(self._store.name))

    def end(self) -> None:
        """Closes the clients that the harness has left open, and forgets what they have cached."""
        with self._lock:
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            client.close()
        self._store.cleanup()


def _body_of(result: Any) -> tuple[int, Any]:
    return (204, None) if result is None else (200, result)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service
    # Status line, headers and body would wait for each other's acknowledgement.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_DELETE(self) -> None:
        self._handle()

    def _handle(self) -> None:
        try:
            answer = self.server.answer(self.command, self.path, self._body())
        except Refused as problem:
            answer = Answer(400, {"message": str(problem)})
        except StartFailed as problem:
            answer = Answer(500, {"message": str(problem)})
        except Exception as problem:
            traceback.print_exc()
            answer = Answer(500, {"message": f"{type(problem).__name__}: {problem}"})
        self._send(answer)
        if answer.is_last:
            self.server.shutdown()

    def _body(self) -> bytes:
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise Refused("a body has a Content-Length")
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if not 0 <= length <= _LARGEST_BODY:
            self.close_connection = True
            raise Refused("the length of the body is refused")
        return self.rfile.read(length)

    def _send(self, answer: Answer) -> None:
        data = b"" if answer.body is None else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        if data:
            self.send_header("Content-Type", "application/json")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        if self.server.is_verbose:
            super().log_message(format, *arguments)
