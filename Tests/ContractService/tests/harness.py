"""The harness's side: starts the service, asks it for clients, gives them commands, listens to their hooks."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
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
    """The service as a process of its own."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "contract", "--port", "0"], cwd=FOLDER,
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

    def value(self, key: str, kind: str, default: Any) -> Any:
        """What a flag is, without details."""
        answer = self.run("evaluate", flagKey=key, valueType=kind, defaultValue=default, detail=False)
        assert set(answer) == {"value"}
        return answer["value"]

    def detail(self, key: str, kind: str, default: Any) -> dict[str, Any]:
        """What a flag is, and why."""
        found: dict[str, Any] = self.run("evaluate", flagKey=key, valueType=kind, defaultValue=default, detail=True)
        return found

    def close(self) -> None:
        assert self.service.ask("DELETE", self.path).status == 204


class HookListener:
    """An address that hooks tell of their stages."""

    def __init__(self) -> None:
        told: list[dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(202)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

        self.told = told
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook?id=1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> HookListener:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
