"""A cluster of librdkafka's own, on ports of this machine, and a reader of what is in its topics."""

from __future__ import annotations

import ctypes
import uuid
from collections.abc import Iterator
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int16, c_int32, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from types import TracebackType

PRODUCE, METADATA, INIT_PRODUCER_ID = 0, 3, 22
BEGINNING = -2
LIMIT_MS = 20_000


class CMessage(Structure):
    _fields_ = [("err", c_int), ("topic", c_void_p), ("partition", c_int32), ("payload", c_void_p), ("size", c_size_t),
                ("key", c_void_p), ("key_size", c_size_t), ("offset", c_int64), ("opaque", c_void_p)]


@dataclass(frozen=True)
class Record:
    partition: int
    key: bytes
    value: bytes
    headers: dict[str, str]

    @property
    def ids(self) -> list[str]:
        return self.headers["hoist-event-ids"].split(",")


def library() -> ctypes.CDLL:
    found = ctypes.CDLL("librdkafka.so.1")
    for name, result in (("conf_new", c_void_p), ("new", c_void_p), ("mock_cluster_new", c_void_p), ("topic_new", c_void_p),
                         ("mock_cluster_bootstraps", c_char_p), ("consume", POINTER(CMessage)), ("destroy", None)):
        getattr(found, f"rd_kafka_{name}").restype = result
    return found


KAFKA = library()


class Reader:
    """Reads topics from their beginning."""

    def __init__(self, brokers: str, group: str = "") -> None:
        conf = c_void_p(KAFKA.rd_kafka_conf_new())
        reason = ctypes.create_string_buffer(256)
        for name, value in ((b"bootstrap.servers", brokers.encode()), (b"log_level", b"0"), (b"fetch.wait.max.ms", b"10"),
                            *([(b"group.id", group.encode())] if group else [])):
            assert KAFKA.rd_kafka_conf_set(conf, name, value, reason, c_size_t(256)) == 0, reason.value
        self.handle = c_void_p(KAFKA.rd_kafka_new(c_int(1), conf, reason, c_size_t(256)))
        assert self.handle, reason.value

    def end(self) -> None:
        KAFKA.rd_kafka_destroy(self.handle)

    def count(self, topic: str, partition: int) -> int:
        low, high = c_int64(), c_int64()
        error = KAFKA.rd_kafka_query_watermark_offsets(self.handle, topic.encode(), c_int32(partition), byref(low), byref(high), c_int(LIMIT_MS))
        assert error == 0, error
        return high.value

    def records(self, topic: str, partitions: int) -> Iterator[Record]:
        """All that there are when it begins."""
        for partition in range(partitions):
            left = self.count(topic, partition)
            if not left:
                continue
            handle = c_void_p(KAFKA.rd_kafka_topic_new(self.handle, topic.encode(), None))
            assert KAFKA.rd_kafka_consume_start(handle, c_int32(partition), c_int64(BEGINNING)) == 0
            while left:
                message = KAFKA.rd_kafka_consume(handle, c_int32(partition), c_int(LIMIT_MS))
                assert message, "no record came"
                if message.contents.err == 0:
                    left -= 1
                    yield read(message)
                KAFKA.rd_kafka_message_destroy(message)
            KAFKA.rd_kafka_consume_stop(handle, c_int32(partition))
            KAFKA.rd_kafka_topic_destroy(handle)


def read(message: ctypes._Pointer[CMessage]) -> Record:
    told = message.contents
    found: dict[str, str] = {}
    headers, name, value, size = c_void_p(), c_char_p(), c_void_p(), c_size_t()
    if KAFKA.rd_kafka_message_headers(message, byref(headers)) == 0:
        while KAFKA.rd_kafka_header_get_all(headers, c_size_t(len(found)), byref(name), byref(value), byref(size)) == 0:
            assert name.value is not None
            found[name.value.decode()] = ctypes.string_at(value.value or 0, size.value).decode()
    return Record(told.partition, ctypes.string_at(told.key, told.key_size) if told.key else b"",
                  ctypes.string_at(told.payload, told.size) if told.payload else b"", found)


class KafkaServer:
    """`brokers` of them; each topic that is asked for exists."""

    def __init__(self, brokers: int = 1) -> None:
        conf = c_void_p(KAFKA.rd_kafka_conf_new())
        reason = ctypes.create_string_buffer(256)
        KAFKA.rd_kafka_conf_set(conf, b"log_level", b"0", reason, c_size_t(256))
        self.handle = c_void_p(KAFKA.rd_kafka_new(c_int(0), conf, reason, c_size_t(256)))
        self.cluster = c_void_p(KAFKA.rd_kafka_mock_cluster_new(self.handle, c_int(brokers)))
        self.address = KAFKA.rd_kafka_mock_cluster_bootstraps(self.cluster).decode()
        self.partitions: dict[str, int] = {}
        self.reader: Reader | None = None

    def topic(self, partitions: int = 1) -> str:
        """A new one, of as many copies as there are brokers."""
        name = f"test.{uuid.uuid4()}"
        return self.named(name, partitions)

    def named(self, name: str, partitions: int = 1) -> str:
        if name not in self.partitions:
            copies = self.address.count(",") + 1
            assert KAFKA.rd_kafka_mock_topic_create(self.cluster, name.encode(), c_int(partitions), c_int(copies)) == 0
            self.partitions[name] = partitions
        return name

    def fail(self, request: int, *errors: int) -> None:
        """The next requests of this kind are answered so."""
        KAFKA.rd_kafka_mock_push_request_errors_array(self.cluster, c_int16(request), c_size_t(len(errors)), (c_int * len(errors))(*errors))

    def heal(self) -> None:
        for request in (PRODUCE, METADATA, INIT_PRODUCER_ID):
            KAFKA.rd_kafka_mock_clear_request_errors(self.cluster, c_int16(request))

    def fail_topic(self, topic: str, error: int) -> None:
        KAFKA.rd_kafka_mock_topic_set_error(self.cluster, topic.encode(), c_int(error))

    def lead(self, topic: str, broker: int) -> None:
        assert KAFKA.rd_kafka_mock_partition_set_leader(self.cluster, topic.encode(), c_int32(0), c_int32(broker)) == 0

    def down(self, broker: int = 1) -> None:
        assert KAFKA.rd_kafka_mock_broker_set_down(self.cluster, c_int32(broker)) == 0

    def up(self, broker: int = 1) -> None:
        assert KAFKA.rd_kafka_mock_broker_set_up(self.cluster, c_int32(broker)) == 0

    def stall(self, milliseconds: int, broker: int = 1) -> None:
        assert KAFKA.rd_kafka_mock_broker_set_rtt(self.cluster, c_int32(broker), c_int(milliseconds)) == 0

    def records(self, topic: str) -> list[Record]:
        self.reader = self.reader or Reader(self.address)
        return list(self.reader.records(topic, self.partitions[topic]))

    def __enter__(self) -> KafkaServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.reader:
            self.reader.end()
        KAFKA.rd_kafka_mock_cluster_destroy(self.cluster)
        KAFKA.rd_kafka_destroy(self.handle)


class CPartition(Structure):
    _fields_ = [("topic", c_char_p), ("partition", c_int32), ("offset", c_int64), ("metadata", c_void_p), ("metadata_size", c_size_t),
                ("opaque", c_void_p), ("err", c_int), ("private", c_void_p)]


class CPartitions(Structure):
    _fields_ = [("count", c_int), ("size", c_int), ("elements", POINTER(CPartition))]


def committed(brokers: str, group: str, topic: str, partitions: int) -> list[int]:
    """How far a group has come, by partition."""
    KAFKA.rd_kafka_topic_partition_list_new.restype = POINTER(CPartitions)
    reader = Reader(brokers, group)
    wanted = KAFKA.rd_kafka_topic_partition_list_new(c_int(partitions))
    for partition in range(partitions):
        KAFKA.rd_kafka_topic_partition_list_add(wanted, topic.encode(), c_int32(partition))
    assert KAFKA.rd_kafka_committed(reader.handle, wanted, c_int(LIMIT_MS)) == 0
    found = [max(0, wanted.contents.elements[place].offset) for place in range(partitions)]
    KAFKA.rd_kafka_topic_partition_list_destroy(wanted)
    reader.end()
    return found
