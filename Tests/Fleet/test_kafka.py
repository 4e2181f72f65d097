"""A dispatcher over Kafka: what a record is, and what becomes of it, whatever the brokers do."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from dispatcher import ARGUMENT, CONFIG, LIMIT, NETWORK, OK, UNSUPPORTED, CBatch, Dispatcher, Receipt
from kafka_server import INIT_PRODUCER_ID, PRODUCE, KafkaServer
from table import Failed

Make = Callable[..., Dispatcher]
Send = Callable[..., Receipt]
NOWHERE = "127.0.0.1:9"
NOT_LEADER, REQUEST_TIMED_OUT, TOO_LARGE, LIST_TOO_LARGE, FEW_REPLICAS, NO_RIGHT, CLUSTER_NO_RIGHT, UNKNOWN_TOPIC, INVALID_RECORD = (
    6, 7, 10, 18, 19, 29, 31, 3, 87)


# ---- A record ----


def test_a_batch_is_one_record_with_its_headers_and_no_key(dispatcher: Make, kafka: KafkaServer) -> None:
    topic = kafka.topic()
    body = b'{"a": "\xc3\xa4\0"}'
    assert dispatcher(topic=topic).send(body, ("one", "two"), attempt=3).answer() == (OK, "")
    record, = kafka.records(topic)
    assert record.value == body
    assert record.headers == {
        "content-type": "application/json; charset=utf-8", "hoist-service": "unleash", "hoist-pipeline": "metrics", "hoist-method": "POST",
        "hoist-path": "/api/client/metrics", "hoist-key-hash": "5eed", "hoist-attempt": "3", "hoist-event-ids": "one,two"}


def test_the_key_is_the_person_or_else_the_producer(dispatcher: Make, kafka: KafkaServer) -> None:
    topic = kafka.topic(4)
    one, other = dispatcher(topic=topic), dispatcher(topic=topic)
    sent = [one.send(subject="anna"), other.send(subject="anna"), one.send(), one.send(), other.send()]
    assert [receipt.status for receipt in sent] == [OK] * 5
    records = kafka.records(topic)
    assert len({record.partition for record in records if record.key == b"anna"}) == 1
    others = sorted((record.key for record in records if record.key != b"anna"))
    assert len(set(others)) == 2 and all(len(key) == 16 for key in others)


def test_the_topic_says_service_and_pipeline(dispatcher: Make, kafka: KafkaServer) -> None:
    usual, own = kafka.named("hoist.unleash.metrics"), kafka.named("flags-impact-of.shop-2")
    assert dispatcher().send().status == OK
    assert dispatcher(topic="flags-{pipeline}.{service}").send(service="shop 2", pipeline="impact/of").status == OK
    assert (len(kafka.records(usual)), len(kafka.records(own))) == (1, 1)


def test_a_topic_that_would_be_too_long_is_refused_when_it_is_known(dispatcher: Make) -> None:
    status, message = dispatcher().send(pipeline="p" * 300).answer()
    assert status == CONFIG and 'option "topic": the topic would be longer than 249 bytes' in message


def test_a_library_that_does_not_say_what_a_record_needs_is_told_so(dispatcher: Make) -> None:
    with pytest.raises(Failed) as failed:
        dispatcher().send(struct_size=CBatch.service.offset)
    assert failed.value.status == UNSUPPORTED


# ---- What the brokers answer ----


@pytest.mark.parametrize("errors", [[REQUEST_TIMED_OUT], [NOT_LEADER, NOT_LEADER], [FEW_REPLICAS, REQUEST_TIMED_OUT, NOT_LEADER]], ids=str)
def test_what_may_pass_is_sent_again_and_there_once(send: Send, kafka: KafkaServer, errors: list[int]) -> None:
    topic = kafka.topic()
    kafka.fail(PRODUCE, *errors)
    assert send(topic, b"1").answer() == (OK, "")
    assert [record.value for record in kafka.records(topic)] == [b"1"]


@pytest.mark.parametrize(("error", "status", "advice"), [
    (INVALID_RECORD, ARGUMENT, "Broker failed to validate record"),
    (TOO_LARGE, LIMIT, "raise option \"message_max_bytes\" and the topic's max.message.bytes"),
    (LIST_TOO_LARGE, LIMIT, "Message batch larger than configured server segment size"),
    (NO_RIGHT, CONFIG, "let the client's user write to the topic"),
])
def test_what_is_refused_has_its_outcome_and_the_next_record_goes(send: Send, kafka: KafkaServer, error: int, status: int, advice: str) -> None:
    topic = kafka.topic()
    kafka.fail(PRODUCE, error)
    found, message = send(topic, b"1").answer()
    assert found == status
    assert message.startswith(f"Kafka, topic {topic}: ") and advice in message
    while (found := send(topic, b"2").status) == CONFIG:  # until the topic was looked at again
        pass
    assert found == OK
    assert [record.value for record in kafka.records(topic)] == [b"2"]


def test_what_is_too_large_for_the_option_is_to_be_divided_at_once(dispatcher: Make, kafka: KafkaServer) -> None:
    topic = kafka.topic()
    one = dispatcher(topic=topic, message_max_bytes=1000)
    status, message = one.send(b"x" * 1001).answer()
    assert status == LIMIT and "a record of 1001 bytes" in message and "message_max_bytes" in message
    assert one.send(b"x" * 500).status == OK


def test_a_small_record_is_not_refused_with_a_large_one(dispatcher: Make, kafka: KafkaServer) -> None:
    """Both wait for the same request; the brokers refuse the first one that they get, which is the large one alone."""
    topic = kafka.topic()
    one = dispatcher(topic=topic, librdkafka={"linger.ms": 50})
    kafka.fail(PRODUCE, TOO_LARGE)
    large, small = one.send(b"x" * 70_000), one.send(b"small")
    assert (large.status, small.status) == (LIMIT, OK)
    assert [record.value for record in kafka.records(topic)] == [b"small"]


def test_a_topic_that_is_missing_keeps_what_waits_for_it(dispatcher: Make, kafka: KafkaServer) -> None:
    topic = kafka.topic()
    kafka.fail_topic(topic, UNKNOWN_TOPIC)
    one = dispatcher(topic=topic, delivery_timeout_ms=3000, librdkafka={"topic.metadata.refresh.interval.ms": 100})
    status, message = one.send(b"1").answer()
    assert status == CONFIG and topic in message and "create the topic" in message
    kafka.fail_topic(topic, 0)
    while one.send(b"1", attempt=2).status != OK:  # until the topic is seen
        pass
    assert len(kafka.records(topic)) == 1


def test_a_password_that_is_refused_is_said_and_never_shown(dispatcher: Make, kafka: KafkaServer) -> None:
    """Nor is what waits for a better one lost."""
    status, message = dispatcher(topic=kafka.topic(), delivery_timeout_ms=1000, librdkafka={
        "security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN", "sasl.username": "shop", "sasl.password": "s3cret"}).send().answer()
    assert status == CONFIG and "check user, password and mechanism" in message and "s3cret" not in message, message


def test_a_producer_that_is_spent_is_followed_by_another(dispatcher: Make, kafka: KafkaServer) -> None:
    topic = kafka.topic()
    one = dispatcher(topic=topic)
    kafka.fail(INIT_PRODUCER_ID, CLUSTER_NO_RIGHT)
    status, message = one.send(b"1").answer()
    assert status == CONFIG and "IdempotentWrite" in message, message
    receipt = one.send(b"1", attempt=2)
    while receipt.status != OK:  # the one that is spent may still have been there
        receipt = one.send(b"1", attempt=2)
    assert [record.value for record in kafka.records(topic)] == [b"1"]


# ---- Brokers that are away, or slow ----


def test_without_a_broker_a_record_comes_back_with_the_cause(dispatcher: Make) -> None:
    status, message = dispatcher(brokers=NOWHERE, delivery_timeout_ms=1000).send().answer()
    assert status == NETWORK
    assert "no broker has taken the record within 1000 ms: " in message and NOWHERE in message, message


def test_a_broker_that_never_answers_costs_the_limit_and_the_end_is_bounded(kafka_plugin: Path) -> None:
    with KafkaServer() as slow:
        topic = slow.topic()
        slow.stall(3_600_000)
        one = Dispatcher(kafka_plugin, {"brokers": slow.address, "topic": topic, "delivery_timeout_ms": 1000})
        assert one.send().status == NETWORK
        one.end()


def test_a_broker_that_comes_back_gets_what_waits_once(dispatcher: Make) -> None:
    with KafkaServer() as server:
        topic = server.topic()
        one = dispatcher(brokers=server.address, topic=topic, delivery_timeout_ms=30_000,
                         librdkafka={"reconnect.backoff.max.ms": 100})
        assert one.send(b"1").status == OK
        server.down()
        waiting = [one.send(str(number).encode()) for number in range(2, 6)]
        server.up()
        assert [receipt.status for receipt in waiting] == [OK] * 4
        assert [record.value for record in server.records(topic)] == [b"1", b"2", b"3", b"4", b"5"]


def test_a_leader_that_has_moved_is_found(send: Send, kafka: KafkaServer) -> None:
    topic = kafka.topic()
    for broker in (1, 2, 1):
        kafka.lead(topic, broker)
        assert send(topic, str(broker).encode()).status == OK
    assert [record.value for record in kafka.records(topic)] == [b"1", b"2", b"1"]


def test_a_full_queue_answers_at_once(dispatcher: Make) -> None:
    one = dispatcher(brokers=NOWHERE, librdkafka={"queue.buffering.max.messages": 1})
    first, second = one.send(), one.send()
    assert second.answers and second.status == NETWORK and "Queue full" in second.answer()[1]
    one.end()
    assert first.status == NETWORK


def test_nothing_is_sent_that_the_client_would_give_up_first(dispatcher: Make, kafka: KafkaServer) -> None:
    """Else the same batch would be there twice."""
    topic = kafka.topic()
    status, message = dispatcher(topic=topic, delivery_timeout_ms=15_000).send(timeout_ms=15_500).answer()
    assert status == CONFIG and 'option "delivery_timeout_ms" is 15000: it has to be less than 14500' in message
    assert kafka.records(topic) == []


def test_at_the_end_every_record_is_answered_for(dispatcher: Make) -> None:
    one = dispatcher(brokers=NOWHERE)
    waiting = [one.send() for _ in range(100)]
    one.end()
    assert [len(receipt.answers) for receipt in waiting] == [1] * 100
    assert {receipt.status for receipt in waiting} == {NETWORK}


def test_an_end_without_a_record_is_none_at_all(dispatcher: Make) -> None:
    dispatcher(brokers=NOWHERE).end()


# ---- Counts ----


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_lost_and_nothing_doubled_over_errors(dispatcher: Make, kafka: KafkaServer, seed: int) -> None:
    """As a client does: what fails comes again, as it was."""
    chance, topic = random.Random(seed), kafka.topic(4)
    one = dispatcher(topic=topic, librdkafka={"retry.backoff.ms": 5, "topic.metadata.refresh.interval.ms": 100})
    waiting = {str(number): one.send(ids=(str(number),)) for number in range(30)}
    attempts = 1
    while waiting:
        kafka.heal()
        if attempts < 4:
            kafka.fail(PRODUCE, *chance.choices([REQUEST_TIMED_OUT, NOT_LEADER, FEW_REPLICAS, NO_RIGHT, INVALID_RECORD], k=3))
        kafka.lead(topic, chance.choice((1, 2)))
        failed = [name for name, receipt in waiting.items() if receipt.status != OK]
        attempts += 1
        waiting = {name: one.send(ids=(name,), attempt=attempts) for name in failed}
    booked = sorted(int(name) for record in kafka.records(topic) for name in record.ids)
    assert booked == list(range(30))
