"""The way out of Kafka: what a group reads is delivered by a client, and committed then."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from host import Host
from kafka_group import HERE, KEY, Group, Make, Service
from kafka_server import KafkaServer


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
    may_go = service.hold()
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
