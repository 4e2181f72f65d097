"""The way out of Kafka: what a group reads is delivered by a client, and committed then."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from dispatcher import OK, Dispatcher
from host import Host
from kafka_server import KafkaServer, committed

HERE = Path(__file__).resolve().parent
KEY = "default:production.secret-key"
LIMIT_SECONDS = 30
Answer = tuple[int, dict[str, str]]


class Service(ThreadingHTTPServer):
    """Takes metrics, and answers as the test says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[str] = []
        self.reply: Callable[[str], Answer] = lambda body: (202, {})
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api"

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
        self.answer(200, {}, b'{"version": 2, "features": []}')

    def answer(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Group:
    """A topic with records of a client's, and members of a group that forward them."""

    def __init__(self, program: Path, plugin: Path, kafka: KafkaServer, service: Service, key_hash: str, partitions: int) -> None:
        self.program, self.plugin, self.kafka, self.service, self.key_hash = program, plugin, kafka, service, key_hash
        self.topic, self.name = kafka.topic(partitions), f"group-{uuid.uuid4()}"
        self.dead = kafka.named(f"{self.topic}.refused")
        self.dispatcher = Dispatcher(plugin, {"brokers": kafka.address, "topic": self.topic})
        self.members: list[Host] = []

    def start(self, **options: object) -> Host:
        given = {"brokers": self.kafka.address, "topic": self.topic, "group": self.name,
                 "librdkafka": {"session.timeout.ms": 6000, "heartbeat.interval.ms": 200, "fetch.wait.max.ms": 10,
                                "topic.metadata.refresh.interval.ms": 100}, **options}
        self.members.append(Host([self.program, self.service.url, KEY, self.plugin, json.dumps(given)]))
        return self.members[-1]

    def write(self, body: str, **members: str) -> None:
        told: dict[str, Any] = {"service": "unleash", "key_hash": self.key_hash, "pipeline": "events", **members}
        assert self.dispatcher.send(body.encode(), **told).status == OK

    @property
    def committed(self) -> int:
        return sum(committed(self.kafka.address, self.name, self.topic, self.kafka.partitions[self.topic]))

    def wait(self, has_come: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT_SECONDS
        while not has_come():
            assert time.monotonic() < end, (self.service.bodies, self.committed, [member.do("figures") for member in self.members])
            time.sleep(0.05)


@pytest.fixture
def group(compiled: Callable[..., Path], kafka_plugin: Path, kafka: KafkaServer, service: Service, key_hash: str) -> Iterator[Callable[..., Group]]:
    program = compiled(HERE / "forwarder.c", "forwarder", "-ldl")
    made: list[Group] = []

    def one(partitions: int = 1) -> Group:
        made.append(Group(program, kafka_plugin, kafka, service, key_hash, partitions))
        return made[-1]

    yield one
    for each in made:
        each.dispatcher.end()
        for member in each.members:
            member.end()


@pytest.fixture
def key_hash(compiled: Callable[..., Path], kafka_plugin: Path, kafka: KafkaServer, service: Service) -> str:
    """As a client of that service and key tells its dispatcher."""
    topic = kafka.topic()
    options = json.dumps({"brokers": kafka.address, "topic": topic})
    host = Host([compiled(HERE / "host.c", "host"), service.url, KEY, kafka_plugin, options])
    assert [host.do(line) for line in ("track a", "flush")] == ["OK"] * 2
    host.end()
    return kafka.records(topic)[0].headers["hoist-key-hash"]


Make = Callable[..., Group]


def test_what_the_service_has_accepted_is_committed(group: Make, service: Service) -> None:
    one = group(partitions=4)
    for number in range(40):
        one.write(f'{{"n": {number}}}', subject=f"person-{number}")
    member = one.start()
    one.wait(lambda: one.committed == 40)
    assert sorted(service.bodies) == sorted(f'{{"n": {number}}}' for number in range(40))
    one.wait(lambda: json.loads(member.do("figures"))["lag"] == 0)
    assert (member.do("stop 5000"), json.loads(member.do(""))) == ("OK", {"received": 40, "accepted": 40, "refused": 0, "waiting": 0, "lag": 0, "partitions": 4})


def test_what_fails_is_not_committed_and_goes_again_as_it_is(group: Make, service: Service) -> None:
    one = group()
    service.reply = lambda body: (503, {"Retry-After": "2"}) if len(service.bodies) == 1 else (202, {})
    one.write('{"n": 1}')
    member = one.start()
    one.wait(lambda: len(service.bodies) == 1)
    one.wait(lambda: json.loads(member.do("figures"))["waiting"] == 1)
    assert one.committed == 0
    one.wait(lambda: one.committed == 1)
    assert service.bodies == ['{"n": 1}'] * 2


def test_what_is_refused_for_good_is_a_dead_letter_with_its_reason_and_holds_nothing_up(group: Make, service: Service, kafka: KafkaServer) -> None:
    one = group()
    service.reply = lambda body: (400 if "bad" in body else 202, {})
    for body in ('{"n": 1}', '{"bad": 2}', '{"n": 3}'):
        one.write(body, subject="anna")
    one.start()
    one.wait(lambda: one.committed == 3)
    letter, = kafka.records(one.dead)
    assert (letter.value, letter.key) == (b'{"bad": 2}', b"anna")
    assert letter.headers["hoist-reason"] == "the service answered 400" and letter.headers["hoist-pipeline"] == "events"


@pytest.mark.parametrize(("change", "reason"), [
    ({"service": "flagship"}, 'its service is "flagship", and the client\'s "unleash"'), ({"key_hash": "5eed"}, "it was recorded with another key"),
    ({"pipeline": "hits"}, 'the client has no pipeline "hits"'), ({"path": "/other"}, '"events" sends POST /api/client/metrics'),
], ids=str)
def test_a_record_that_is_none_of_ours_is_a_dead_letter(group: Make, service: Service, kafka: KafkaServer, change: dict[str, str], reason: str) -> None:
    one = group()
    one.write("{}", **change)
    one.start()
    one.wait(lambda: one.committed == 1)
    letter, = kafka.records(one.dead)
    assert letter.headers["hoist-reason"].endswith(reason) and not service.bodies


def test_without_the_dead_letters_topic_nothing_is_committed(group: Make, service: Service, kafka: KafkaServer) -> None:
    one = group()
    kafka.fail_topic(one.dead, 29)
    service.reply = lambda body: (400, {})
    one.write("{}")
    one.start(delivery_timeout_ms=1000)
    one.wait(lambda: service.count("{}") == 1)
    assert one.committed == 0
    kafka.fail_topic(one.dead, 0)
    one.wait(lambda: one.committed == 1)
    assert len(kafka.records(one.dead)) == 1 and service.count("{}") == 1


def test_the_next_of_the_group_goes_on_where_one_was_killed(group: Make, service: Service) -> None:
    one = group(partitions=4)
    first = one.start()
    for number in range(20):
        one.write(f'{{"n": {number}}}', subject=f"person-{number}")
    one.wait(lambda: len(service.bodies) >= 20)
    first.process.kill()
    one.members.remove(first)
    for number in range(20, 40):
        one.write(f'{{"n": {number}}}', subject=f"person-{number}")
    one.start()
    one.wait(lambda: one.committed == 40)
    first.end()
    assert set(service.bodies) == {f'{{"n": {number}}}' for number in range(40)}


def test_two_members_share_the_partitions_and_each_record_goes_once(group: Make, service: Service) -> None:
    one = group(partitions=4)
    members = [one.start(), one.start()]
    one.wait(lambda: [json.loads(member.do("figures"))["partitions"] for member in members] == [2, 2])
    for number in range(40):
        one.write(f'{{"n": {number}}}', subject=f"person-{number}")
    one.wait(lambda: one.committed == 40)
    assert sorted(service.bodies) == sorted(f'{{"n": {number}}}' for number in range(40))
    assert all(json.loads(member.do("figures"))["received"] > 0 for member in members)


def test_a_stop_waits_for_what_is_under_way_within_its_limit(group: Make, service: Service) -> None:
    one = group()
    may_go = threading.Event()

    def reply(body: str) -> Answer:
        may_go.wait(LIMIT_SECONDS)
        return (202, {})

    service.reply = reply
    one.write('{"n": 1}')
    member = one.start()
    one.wait(lambda: len(service.bodies) == 1)
    assert member.do("stop 100") == "ERR_TIMEOUT" and json.loads(member.do(""))["waiting"] == 1
    assert one.committed == 0
    other = one.start()
    one.wait(lambda: len(service.bodies) == 2)
    threading.Timer(0.3, may_go.set).start()
    assert other.do("stop 20000") == "OK"
    assert one.committed == 1


def test_while_the_client_is_offline_nothing_goes_and_the_partition_is_not_read_without_end(group: Make, service: Service) -> None:
    one = group()
    member = one.start()
    assert member.do("online 0") == "OK"
    for number in range(1200):
        one.write(f'{{"n": {number}}}')
    one.wait(lambda: json.loads(member.do("figures"))["waiting"] > 1000)
    assert json.loads(member.do("figures"))["received"] <= 1002 and not service.bodies
    assert member.do("online 1") == "OK"
    one.wait(lambda: one.committed == 1200)
    assert len(service.bodies) == 1200


@pytest.mark.parametrize(("options", "message"), [
    ({"group": None}, 'option "group" is missing'), ({"topic": "a,,b"}, 'option "topic" has to be a text: names of topics'),
    ({"topic": "{service}"}, 'option "topic" has to be'), ({"dead_letters": "a b"}, 'option "dead_letters" has to be a text of 1 to 249 bytes'),
    ({"librdkafka": {"group.id": "g"}}, '"group.id" cannot be given: give "group"'),
    ({"librdkafka": {"enable.auto.commit": False}}, '"enable.auto.commit" cannot be given'),
], ids=str)
def test_a_wrong_option_fails_the_start_with_its_name(group: Make, options: dict[str, object], message: str) -> None:
    one = group()
    member = one.start()
    member.end()
    given = {"brokers": one.kafka.address, "topic": one.topic, "group": one.name, **options}
    failed = Host([one.program, one.service.url, KEY, one.plugin, json.dumps({name: value for name, value in given.items() if value is not None})])
    failed.process.wait()
    failed.end()
    assert message in failed.errors
