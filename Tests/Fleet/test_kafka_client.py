"""Clients of the library whose events go to Kafka."""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from host import NOWHERE, Host
from kafka_server import PRODUCE, KafkaServer, Reader, Record

HERE = Path(__file__).resolve().parent
KEY = "default:production.secret-key"


@pytest.fixture
def start(compiled: Callable[..., Path], kafka_plugin: Path, kafka: KafkaServer) -> Iterator[Callable[..., Host]]:
    program = compiled(HERE / "host.c", "host")
    hosts: list[Host] = []

    def one(**options: object) -> Host:
        hosts.append(Host([program, NOWHERE, KEY, kafka_plugin, json.dumps({"brokers": kafka.address, **options})]))
        return hosts[-1]

    yield one
    for host in hosts:
        host.end()


def tracked(records: list[Record]) -> Counter[str]:
    """How often which event was recorded."""
    found: Counter[str] = Counter()
    for record in records:
        for metric in json.loads(record.value).get("impactMetrics", []):
            for sample in metric["samples"]:
                found[sample["labels"]["event"]] += sample["value"]
    return found


def test_what_is_recorded_is_in_the_topic_when_a_flush_has_said_so(start: Callable[..., Host], kafka: KafkaServer) -> None:
    topic = kafka.topic()
    host = start(topic=topic)
    assert [host.do(line) for line in ("track a", "track b", "flush")] == ["OK"] * 3
    records = kafka.records(topic)
    assert tracked(records) == {"a": 1, "b": 1}
    told = records[0].headers
    assert [told[f"hoist-{name}"] for name in ("service", "pipeline", "method", "path", "attempt")] == [
        "unleash", "events", "POST", "/api/client/metrics", "1"]
    assert len(told["hoist-key-hash"]) == 64
    assert all("secret-key" not in str(record) for record in records)
    assert host.do("close") == "OK"


def test_clients_of_one_service_and_key_have_one_key_hash(start: Callable[..., Host], kafka: KafkaServer) -> None:
    topic = kafka.topic()
    for _ in range(2):
        host = start(topic=topic)
        assert [host.do(line) for line in ("track a", "close")] == ["OK"] * 2
    assert len({record.headers["hoist-key-hash"] for record in kafka.records(topic)}) == 1


def test_errors_cost_nothing_and_double_nothing(start: Callable[..., Host], kafka: KafkaServer) -> None:
    topic = kafka.topic()
    host = start(topic=topic)
    for number in range(20):
        kafka.fail(PRODUCE, *([7, 6, 19][:number % 4]))
        assert (host.do(f"track {number}"), host.do("flush")) == ("OK", "OK")
    assert host.do("close") == "OK"
    records = kafka.records(topic)
    assert tracked(records) == {str(number): 1 for number in range(20)}
    ids = [name for record in records for name in record.ids]
    assert len(ids) == len(set(ids))


def test_what_has_to_be_mended_is_said_as_an_error_kept_and_delivered_then(start: Callable[..., Host], kafka: KafkaServer) -> None:
    topic = kafka.topic()
    host = start(topic=topic, librdkafka={"topic.metadata.refresh.interval.ms": 100})
    kafka.fail(PRODUCE, 29)
    assert (host.do("track a"), host.do("flush")) == ("OK", "ERR_NETWORK")
    while (status := host.do("flush")) == "ERR_NETWORK":  # which cuts the pause short; until the topic was looked at again
        pass
    assert status == "OK"
    assert host.do("close") == "OK"
    host.end()
    assert "let the client's user write to the topic" in host.errors and "they are kept" in host.errors
    assert tracked(kafka.records(topic)) == {"a": 1}


def test_without_a_broker_the_clients_log_says_why_and_nothing_else_is_written(start: Callable[..., Host]) -> None:
    host = start(brokers="127.0.0.1:9", delivery_timeout_ms=1000)
    assert (host.do("track a"), host.do("flush")) == ("OK", "ERR_NETWORK")
    assert host.process.stderr
    lines = []
    for line in host.process.stderr:  # the log has a thread of its own
        lines.append(line)
        if "no broker has taken the record within 1000 ms" in line:
            break
    assert all("hoist[" in line for line in lines), lines


def test_a_forked_child_sends_by_a_producer_of_its_own(start: Callable[..., Host], kafka: KafkaServer) -> None:
    topic = kafka.topic()
    host = start(topic=topic)
    assert [host.do(line) for line in ("track a", "flush", "fork b", "fork c", "track d", "close")] == ["OK"] * 6
    records = kafka.records(topic)
    assert tracked(records) == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert len({record.key for record in records}) == 3


def test_a_wrong_option_fails_the_loading_with_its_name(start: Callable[..., Host], kafka_plugin: Path) -> None:
    host = start(topics="a")
    host.process.wait()
    host.end()
    assert f"the plug-in {kafka_plugin} could not make its dispatcher: option \"topics\" is unknown" in host.errors


def test_a_broker_of_kafkas_own(start: Callable[..., Host]) -> None:
    brokers = os.environ.get("HOIST_KAFKA_BROKERS")
    if not brokers:
        pytest.skip("HOIST_KAFKA_BROKERS does not name a broker, by HOST:PORT")
    topic = f"hoist.test.{uuid.uuid4()}"
    host = start(brokers=brokers, topic=topic)
    # A topic that the broker makes may take its time.
    while (status := host.do("track a")) == "OK" and (status := host.do("flush")) == "ERR_NETWORK":
        pass
    assert (status, host.do("close")) == ("OK", "OK")
    reader = Reader(brokers)
    assert "a" in tracked(list(reader.records(topic, 1)))
    reader.end()
