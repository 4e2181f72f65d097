"""The harness's side: starts the service, asks it for clients, gives them commands, listens to their hooks."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FOLDER = Path(__file__).resolve().parents[1]
LIMIT = 60.0


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.data)


class ContractService:
    """The service of one side, as a process of its own."""

    def __init__(self, side: str = "client") -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "contract", "--side", side, "--port", "0"], cwd=FOLDER,
                                        stdout=subprocess.PIPE, text=True)  # fmt: skip
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        self.place = urlsplit(self.url).netloc

    def __enter__(self) -> ContractService:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=LIMIT)

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """One request; a body that is not bytes is sent as JSON."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection(self.place, timeout=LIMIT)
        try:
            connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def create(self, configuration: dict[str, Any]) -> Client:
        """A client; fails the test when the service makes none."""
        answer = self.ask("POST", "/", {"tag": "test", "configuration": configuration})
        assert answer.status == 201, answer
        return Client(self, answer.headers["location"])


class Client:
    """A client that the service has made."""

    def __init__(self, service: ContractService, path: str) -> None:
        self.service = service
        self.path = path

    def ask(self, command: str, **parameters: Any) -> Answer:
        """A command, its parameters under its own name."""
        return self.service.ask("POST", self.path, {"command": command, command: parameters})

    def run(self, command: str, **parameters: Any) -> Any:
        """The body of a command's answer; None where there is none."""
        answer = self.ask(command, **parameters)
        assert 200 <= answer.status < 300, answer
        return answer.body if answer.data else None

    def value(self, key: str, kind: str, default: Any, context: Any = None) -> Any:
        """What a flag is, without details; on the server side for a context."""
        answer = self.run("evaluate", flagKey=key, valueType=kind, defaultValue=default, detail=False, context=context)
        assert set(answer) == {"value"}
        return answer["value"]

    def detail(self, key: str, kind: str, default: Any, context: Any = None) -> dict[str, Any]:
        """What a flag is, and why."""
        found: dict[str, Any] = self.run(
            "evaluate", flagKey=key, valueType=kind, defaultValue=default, detail=True, context=context)
        return found

    def close(self) -> None:
        assert self.service.ask("DELETE", self.path).status == 204


@dataclass
class Told:
    """A request to an address of the harness."""

    method: str
    path: str
    data: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.data)


class Callback:
    """An address that the service calls back; notes what it is told, and answers as `answer` says."""

    def __init__(self, answer: Callable[[Told], tuple[int, Any]] = lambda told: (202, None)) -> None:
        noted: list[Told] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told = Told(self.command, self.path, self.rfile.read(int(self.headers["Content-Length"] or 0)))
                noted.append(told)
                status, body = answer(told)
                data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_DELETE(self) -> None:
                self.do_POST()

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

        self.noted = noted
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.url = f"{self.base}/hook?id=1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def told(self) -> list[Any]:
        """The bodies."""
        return [each.body for each in self.noted]

    def __enter__(self) -> Callback:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
