"""Runs the program of `kafka.c` over a cluster of librdkafka's own, and reads what is in the topic then.

The cluster is a part of this process, on ports of this machine; nothing of a Kafka that is installed is touched.
"""
import json
import os
import pathlib
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / "c"), str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Fleet")]
from day import program, run
from kafka_server import KafkaServer


def main() -> None:
    with KafkaServer() as server:
        topic = server.named("flags.unleash")
        options = json.dumps({"brokers": server.address, "topic": "flags.{service}", "librdkafka": {"compression.type": "gzip"}})
        run([program("kafka_program"), sys.argv[1], os.environ["HOIST_KAFKA"], options], "a client")
        records = server.records(topic)
    print(f"in the topic {topic}:")
    for record in records:
        print("  pipeline", record.headers["hoist-pipeline"], "path", record.headers["hoist-path"], record.value.decode())
    assert any(b"purchase" in record.value for record in records)
    assert all(b"production.secret" not in record.value and "secret" not in str(record.headers) for record in records)


main()
