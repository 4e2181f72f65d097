"""`hoist forward --from kafka:`, over the cluster that librdkafka imitates."""

from __future__ import annotations

import json
import re
import shutil
import signal
import urllib.request
from pathlib import Path

import pytest
from dispatcher import OK, Dispatcher
from kafka_group import KEY, LIMIT_SECONDS, Make, Service
from kafka_server import KafkaServer
from tool import Forwarder


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
    may_go = service.hold()
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
