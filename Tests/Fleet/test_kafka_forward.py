"""The way out of Kafka: what a group reads is delivered by a client, and committed then; by a program of one's own, or `hoist forward`."""

from __future__ import annotations

import json
import re
import shutil
import signal
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from dispatcher import OK, Dispatcher
from host import Host
from kafka_server import KafkaServer, committed
from tool import Forwarder

HERE = Path(__file__).resolve().parent
KEY = "default:production.secret-key"
LIMIT_SECONDS = 30
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


def test_a_stop_ends_in_time_though_the_brokers_of_its_group_are_gone(
    compiled: Callable[..., Path], kafka_plugin: Path, service: Service, key_hash: str
) -> None:
    with KafkaServer() as gone:
        one = Group(compiled(HERE / "forwarder.c", "forwarder", "-ldl"), kafka_plugin, gone, service, key_hash, 1)
        one.write('{"n": 1}')
        one.dispatcher.end()
        member = one.start(librdkafka={"session.timeout.ms": 300000, "max.poll.interval.ms": 300000})
        one.wait(lambda: json.loads(member.do("figures"))["accepted"] == 1)
    assert member.do("stop 200") == "OK"
    member.end()


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


# ---- hoist forward


def test_the_tool_sends_what_is_in_a_topic_and_commits_it(group: Make, tool: Path, service: Service, tmp_path: Path) -> None:
    one = group(partitions=4)
    for number in range(20):
        one.write(f'{{"n": {number}}}', subject=f"person-{number}")
    # As the processes have it, with their dispatcher.
    (tmp_path / "shop.json").write_text(json.dumps({"plugins": {"kafka": {"brokers": "here:9"}}, "dispatch": "manual"}))
    forwarder = one.forward(tool, "--config", tmp_path / "shop.json")
    assert forwarder.wait_for(lambda told: told["event"] == "started")["from"] == f"kafka:{one.kafka.address}"
    forwarder.wait_for_figures(taken=20, sent=20, refused=0, waiting=0, lag_records=0)
    assert sorted(service.bodies) == sorted(f'{{"n": {number}}}' for number in range(20))
    status, out, _ = forwarder.end(signal.SIGTERM)
    last = json.loads(out.splitlines()[-1])
    assert (status, last["event"], last["done"], last["sent"]) == (0, "ended", True, 20)
    assert one.committed == 20


def test_what_the_tool_cannot_send_in_time_is_the_next_ones(group: Make, tool: Path, service: Service) -> None:
    one = group()
    service.reply = lambda body: (503, {})
    one.write('{"n": 1}')
    stuck = one.forward(tool, "--drain-seconds", "0.2")
    stuck.wait_for(lambda told: told["event"] == "figures" and told["waiting"] == told["lag_records"] == 1 and told["retried"] > 0)
    status, out, _ = stuck.end(signal.SIGTERM)
    assert (status, json.loads(out.splitlines()[-1])["done"], one.committed) == (6, False, 0)
    service.reply = lambda body: (202, {})
    following = one.forward(tool)
    following.wait_for_figures(sent=1)
    assert following.end(signal.SIGTERM)[0] == 0 and one.committed == 1


def test_the_tool_waits_at_its_end_for_what_is_under_way(group: Make, tool: Path, service: Service) -> None:
    one = group()
    may_go = threading.Event()

    def reply(body: str) -> Answer:
        may_go.wait(LIMIT_SECONDS)
        return (202, {})

    service.reply = reply
    one.write('{"n": 1}')
    forwarder = one.forward(tool, "--drain-seconds", LIMIT_SECONDS)
    one.wait(lambda: len(service.bodies) == 1)
    forwarder.process.send_signal(signal.SIGTERM)
    may_go.set()
    assert forwarder.ended()[0] == 0 and one.committed == 1


def test_the_tools_dead_letters_are_a_topic(group: Make, tool: Path, service: Service, kafka: KafkaServer) -> None:
    one = group()
    letters = kafka.topic()
    service.reply = lambda body: (400, {})
    one.write('{"n": 1}')
    forwarder = one.forward(tool, "--dead-letters", letters)
    assert forwarder.wait_for_figures(refused=1)["sent"] == 0
    assert forwarder.end(signal.SIGTERM)[0] == 0
    letter, = kafka.records(letters)
    assert (letter.value, letter.headers["hoist-reason"]) == (b'{"n": 1}', "the service answered 400")


def test_the_tools_lines_and_page_count_records(group: Make, tool: Path, service: Service) -> None:
    one = group()
    one.write('{"n": 1}')
    forwarder = one.forward(tool, "--metrics", "0", kind=())
    assert forwarder.process.stdout and forwarder.process.stderr
    assert any(re.search(r"  sent 1  refused 0  waiting 0  lag 0 records$", line) for line in forwarder.process.stdout)
    port = next(found[1] for line in forwarder.process.stderr if (found := re.search(r"http://127.0.0.1:([0-9]+)/metrics", line)))
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=LIMIT_SECONDS) as answer:
        page = answer.read().decode()
    for line in ("sent_total", "taken_total"):
        assert f'\nhoist_forward_{line}{{queue="{one.topic}"}} 1.0\n' in page
    assert f'# TYPE hoist_forward_lag_records gauge\nhoist_forward_lag_records{{queue="{one.topic}"}} 0.0\n' in page and "lag_seconds" not in page
    status, _, err = forwarder.end(signal.SIGTERM)
    assert status == 0 and "forwarded 1 records, 0 were refused" in err


def test_without_a_broker_the_tool_says_which_and_waits_and_ends_when_it_is_told_to(group: Make, tool: Path) -> None:
    forwarder = group().forward(tool, source="127.0.0.1:9")
    assert forwarder.process.stderr
    line = next(line for line in forwarder.process.stderr if "127.0.0.1:9: " in line)
    assert line.startswith("hoist: kafka:127.0.0.1:9: Local: ")
    status, out, _ = forwarder.end(signal.SIGTERM)
    assert (status, json.loads(out.splitlines()[-1])["done"]) == (0, True)


def test_the_tool_ends_in_time_though_the_brokers_of_its_group_are_gone(tool: Path, kafka_plugin: Path, service: Service) -> None:
    with KafkaServer() as gone:
        topic = gone.topic()
        gone.named(f"{topic}.refused")
        dispatcher = Dispatcher(kafka_plugin, {"brokers": gone.address, "topic": topic})
        assert dispatcher.send(b"{}", service="unleash", key_hash="5eed", pipeline="events").status == OK
        dispatcher.end()
        forwarder = Forwarder([tool, "forward", "--from", f"kafka:{gone.address}", "--topic", topic, "--plugin", kafka_plugin, "--url", service.url,
                               "--set", "mode=backend", "--json", "--every", "0.1", "--drain-seconds", "0.2",
                               "--option", "session.timeout.ms=300000", "--option", "max.poll.interval.ms=300000"], KEY)
        forwarder.wait_for_figures(refused=1, waiting=0)
    status, out, _ = forwarder.end(signal.SIGTERM)
    assert status in (0, 6) and json.loads(out.splitlines()[-1])["done"] is (status == 0)


def test_the_tool_ends_when_the_service_refuses_the_key_for_good(tool: Path, kafka_plugin: Path, kafka: KafkaServer, service: Service) -> None:
    service.status = 401
    status, _, err = Forwarder([tool, "forward", "--from", f"kafka:{kafka.address}", "--topic", kafka.topic(), "--plugin", kafka_plugin, "--provider",
                                "launchdarkly", "--set", "mode=server", "--url", service.url], "sdk-key").ended()
    assert status == 3 and "401" in err


@pytest.mark.parametrize(("source", "options", "status", "said"), [
    ("kafka:here:9", ["--scope", "shop"], 2, "--scope is an option of --from redis:…"),
    ("redis:here", ["--topic", "t"], 2, "--topic is an option of --from kafka:…"), ("redis:here", ["--option", "a=b"], 2, "--option is an option of"),
    ("kafka:here:9", [], 2, "needs --topic"), ("kafka:", ["--topic", "t"], 2, "is no address"), ("kafka:a,,b", ["--topic", "t"], 2, "is no address"),
    ("kafka:anna:hush@here", ["--topic", "t"], 2, "user and password are no part of it"),
    ("kafka:here:9", ["--topic", "t", "--option", "a"], 2, "--option a: is not of the form name=value"),
    ("kafka:here:9", ["--topic", "t", "--option", "sasl.password=hush"], 2, "--option sasl.password=… would show the secret"),
    ("kafka:here:9", ["--topic", "t", "--option", "no.such=hush"], 4, '"no.such": librdkafka has no such property'),
    ("kafka:here:9", ["--topic", "t", "--option", "group.id=hush"], 4, '"group.id" cannot be given: give "group"'),
    ("kafka:here:9", ["--topic", "t", "--option", "message_max_bytes=1"], 4, 'option "message_max_bytes" has to be a whole number'),
    ("kafka:here:9", ["--topic", "a b"], 4, 'option "topic" has to be'), ("kafka:here:9", ["--topic", "t", "--kafka-config", "list.json"], 4, "is no JSON object"),
    ("kafka:here:9", ["--topic", "t", "--kafka-config", "secret.json"], 4, '"ssl.key.password.file": librdkafka has no such property'),
    ("kafka:here:9", ["--topic", "t", "--plugin", "none.so"], 4, "none.so cannot be loaded"),
    ("kafka:here:9", ["--topic", "t", "--plugin", "REDIS"], 4, "has no hoist_kafka_forward_start"),
], ids=lambda value: str(value).replace("/", ""))
def test_the_tool_says_what_is_wrong_with_its_options(
        tool: Path, kafka_plugin: Path, redis_plugin: Path, service: Service, tmp_path: Path, source: str, options: list[str], status: int, said: str) -> None:
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "secret.json").write_text('{"ssl.key.password.file": "hush"}')
    given = [tmp_path / option if option.endswith(".json") else redis_plugin if option == "REDIS" else option for option in options]
    if "--plugin" not in options:
        given += ["--plugin", kafka_plugin]
    ended, _, err = Forwarder([tool, "forward", "--from", source, "--url", service.url, "--set", "mode=backend", *given], KEY,
                              HOIST_KAFKA_PASSWORD="hush").ended()
    assert ended == status and said in err and "hush" not in err


def test_the_tool_takes_the_plug_in_that_is_installed_beside_the_library(
        tool: Path, library: Path, kafka_plugin: Path, service: Service, tmp_path: Path) -> None:
    shutil.copy(library.resolve(), tmp_path / "libhoist.so.0.1")
    (tmp_path / "hoist").mkdir()

    def err() -> str:
        return Forwarder([tool, "forward", "--from", "kafka:here:9", "--topic", "a b", "--url", service.url, "--set", "mode=backend"], KEY,
                         LD_LIBRARY_PATH=str(tmp_path)).ended()[2]

    assert f"{tmp_path}/hoist/libhoist-kafka.so is missing: install the package hoist-kafka" in err()
    shutil.copy(kafka_plugin, tmp_path / "hoist")
    assert 'option "topic" has to be' in err()
