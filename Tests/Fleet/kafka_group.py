"""A topic with what clients have recorded, a group that takes it from there, and the service that it goes to."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dispatcher import OK, Dispatcher
from host import Host
from kafka_server import KafkaServer, committed
from tool import Forwarder

HERE = Path(__file__).resolve().parent
KEY = "default:production.secret-key"
LIMIT_SECONDS = 60
Answer = tuple[int, dict[str, str]]
QUICK = {"session.timeout.ms": 6000, "heartbeat.interval.ms": 200, "fetch.wait.max.ms": 10, "topic.metadata.refresh.interval.ms": 100}


class Service(ThreadingHTTPServer):
    """Takes metrics, and answers as the test says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[str] = []
        self.status = 200
        """Of its flags."""
        self.reply: Callable[[str], Answer] = lambda body: (202, {})
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api"

    def hold(self) -> threading.Event:
        """Answers nothing until that is set."""
        may_go = threading.Event()

        def reply(body: str) -> Answer:
            may_go.wait(LIMIT_SECONDS)
            return (202, {})

        self.reply = reply
        return may_go

    def handle_error(self, request: object, client_address: object) -> None:
        """A host that ends closes its connections."""

    def count(self, body: str) -> int:
        with self.lock:
            return self.bodies.count(body)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        status, headers = 202, dict[str, str]()
        if self.path == "/api/client/metrics":
            with self.server.lock:
                self.server.bodies.append(body)
            status, headers = self.server.reply(body)
        self.answer(status, headers)

    def do_GET(self) -> None:
        self.answer(self.server.status, {}, b'{"version": 2, "features": []}')

    def answer(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class Group:
    """A topic with records of a client's, and members of a group that forward them."""

    def __init__(self, program: Path, plugin: Path, kafka: KafkaServer, service: Service, key_hash: str, partitions: int) -> None:
        self.program, self.plugin, self.kafka, self.service, self.key_hash = program, plugin, kafka, service, key_hash
        self.topic, self.name = kafka.topic(partitions), f"group-{uuid.uuid4()}"
        self.dead = kafka.named(f"{self.topic}.refused")
        self.dispatcher = Dispatcher(plugin, {"brokers": kafka.address, "topic": self.topic})
        self.members: list[Host | Forwarder] = []

    def start(self, **options: object) -> Host:
        given = {"brokers": self.kafka.address, "topic": self.topic, "group": self.name, "librdkafka": QUICK, **options}
        made = Host([self.program, self.service.url, KEY, self.plugin, json.dumps(given)])
        self.members.append(made)
        return made

    def forward(self, tool: Path, *more: object, source: str = "", kind: tuple[str, ...] = ("--json",)) -> Forwarder:
        quick = [word for name, value in QUICK.items() for word in ("--option", f"{name}={value}")]
        made = Forwarder([tool, "forward", "--from", f"kafka:{source or self.kafka.address}", "--topic", self.topic, "--group", self.name, *quick,
                          "--plugin", self.plugin, "--url", self.service.url, "--set", "mode=backend", "--every", "0.1", *kind,
                          *map(str, more)], KEY)
        self.members.append(made)
        return made

    def write(self, body: str, **members: str) -> None:
        told: dict[str, Any] = {"service": "unleash", "key_hash": self.key_hash, "pipeline": "events", **members}
        assert self.dispatcher.send(body.encode(), **told).status == OK

    @property
    def committed(self) -> int:
        return sum(committed(self.kafka.address, self.name, self.topic, self.kafka.partitions[self.topic]))

    def wait(self, has_come: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT_SECONDS
        while not has_come():
            assert time.monotonic() < end, (self.service.bodies, self.committed, [member.do("figures") for member in self.members if isinstance(member, Host)])
            time.sleep(0.05)


Make = Callable[..., Group]
