"""What may be given as options of the plug-in over Kafka, and what is said of the rest, at load."""

from __future__ import annotations

from pathlib import Path

import pytest
from dispatcher import CONFIG, Dispatcher
from table import Failed

ROOT = Path(__file__).resolve().parents[2]
BROKERS = {"brokers": "127.0.0.1:9"}

REFUSED: list[tuple[object, str]] = [
    ("", "option \"brokers\" is missing: \"HOST:PORT\", or several of them with commas"),
    ("{", "the options are no JSON object: column"),
    ("[]", "the options are JSON, and no object"),
    ('{"brokers": "a", "brokers": "b"}', "the options are no JSON object: column"),
    ({"brokers": 1}, "option \"brokers\" has to be a text"),
    ({"brokers": ""}, "option \"brokers\" has to be a text"),
    ({**BROKERS, "brokes": 1}, "option \"brokes\" is unknown; hoist/plugins/kafka.h lists them"),
    ({**BROKERS, "topic": ""}, "option \"topic\" has to be a text of 1 to 249 letters of ASCII"),
    ({**BROKERS, "topic": "a b"}, "option \"topic\" has to be a text of 1 to 249 letters of ASCII"),
    ({**BROKERS, "topic": "a.{person}"}, "in which {service} and {pipeline} may stand"),
    ({**BROKERS, "topic": "x" * 250}, "option \"topic\" has to be a text of 1 to 249 letters of ASCII"),
    ({**BROKERS, "delivery_timeout_ms": 999}, "option \"delivery_timeout_ms\" has to be a whole number from 1000 to 600000"),
    ({**BROKERS, "message_max_bytes": "1 MB"}, "option \"message_max_bytes\" has to be a whole number from 1000 to 1000000000"),
    ({**BROKERS, "librdkafka": []}, "option \"librdkafka\" has to be an object"),
    ({**BROKERS, "librdkafka": {"linger": 1}}, "option \"librdkafka\": \"linger\": librdkafka has no such property"),
    ({**BROKERS, "librdkafka": {"linger.ms": None}}, "\"linger.ms\" has to be a text, a whole number, true or false"),
    ({**BROKERS, "librdkafka": {"compression.type": "zip"}}, "option \"librdkafka\": \"compression.type\": Invalid value"),
    ({**BROKERS, "librdkafka": {"acks": 1}}, "option \"librdkafka\": \"acks\" cannot be given: it is \"all\""),
    ({**BROKERS, "librdkafka": {"enable.idempotence": False}}, "\"enable.idempotence\" cannot be given: it is true"),
    ({**BROKERS, "librdkafka": {"bootstrap.servers": "a"}}, "\"bootstrap.servers\" cannot be given: give \"brokers\""),
    ({**BROKERS, "librdkafka": {"message.timeout.ms": 1}}, "cannot be given: give \"delivery_timeout_ms\""),
    ({**BROKERS, "librdkafka": {"plugin.library.paths": "a.so"}}, "no further code is loaded"),
    ({**BROKERS, "librdkafka": {"ssl.key.pem": "s3cret"}, "no": 1}, "option \""),
    ({**BROKERS, "librdkafka": {"sasl.password": "s3cret", "sasl.passwort": "s3cret"}}, "\"sasl.passwort\": librdkafka has no such property"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_wrong_options_are_refused_with_the_one_that_is_wrong(kafka_plugin: Path, options: str | dict[str, object], message: str) -> None:
    with pytest.raises(Failed) as failed:
        Dispatcher(kafka_plugin, options)
    assert failed.value.status == CONFIG
    assert message in str(failed.value) and "s3cret" not in str(failed.value)


def test_all_options_of_the_header_are_known_and_no_others(kafka_plugin: Path) -> None:
    header, way_out = (ROOT / "Include/hoist/plugins/kafka.h").read_text().split("The way out", 1)
    named = {line.split('"')[1] for line in header.splitlines() if line.startswith("#define HOIST_KAFKA_")}
    good = {**BROKERS, "topic": "t.{service}", "delivery_timeout_ms": 1000, "message_max_bytes": 1000,
            "librdkafka": {"security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "shop", "sasl.password": "s",
                           "compression.type": "lz4", "linger.ms": 5, "socket.keepalive.enable": True}}
    assert named == set(good)
    Dispatcher(kafka_plugin, good).end()
    for name in ("group", "dead_letters"):
        assert f'"{name}"' in way_out
        with pytest.raises(Failed) as failed:
            Dispatcher(kafka_plugin, {**good, name: "a"})
        assert f'option "{name}" is unknown' in str(failed.value)
