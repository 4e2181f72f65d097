"""The plug-ins under test, and servers for them."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dispatcher import Dispatcher, Receipt
from host import Host
from kafka_group import KEY, Group, Service
from kafka_server import KafkaServer
from proxy import Proxy
from redis_server import RedisServer
from table import Cache

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "Simulators"))


def named(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} does not name a file")
    return Path(value).resolve()


@pytest.fixture(scope="session")
def library() -> Path:
    return named("HOIST_LIBRARY")


@pytest.fixture(scope="session")
def tool(library: Path) -> Path:
    found = Path(os.environ.get("HOIST_CLI", library.parents[1] / "bin/hoist"))
    if not found.exists():
        pytest.skip(f"{found} is not built")
    return found


@pytest.fixture(scope="session")
def compiled(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    folder = tmp_path_factory.mktemp("compiled")

    def compile_one(source: Path, name: str, *options: str) -> Path:
        built = folder / name
        if not built.exists():
            subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", "-I", ROOT / "Include",
                            "-o", built, source, *options, library, f"-Wl,-rpath,{library.parent}"], check=True)
        return built

    return compile_one


@pytest.fixture(scope="session")
def sinks(compiled: Callable[..., Path]) -> None:
    ctypes.CDLL(str(compiled(HERE / "sinks.c", "sinks.so", "-shared", "-fPIC")), mode=os.RTLD_GLOBAL | os.RTLD_NOW)


@pytest.fixture(scope="session")
def redis_plugin(sinks: None) -> Path:
    return named("HOIST_REDIS")


@pytest.fixture(scope="session")
def folders() -> Iterator[Callable[[], Path]]:
    """Short ones, for sockets."""
    made: list[Path] = []

    def make() -> Path:
        made.append(Path(tempfile.mkdtemp(prefix="hoist-")))
        return made[-1]

    yield make
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def shared_server(folders: Callable[[], Path]) -> Iterator[RedisServer]:
    with RedisServer(folders()) as server:
        yield server


@pytest.fixture
def server(shared_server: RedisServer) -> RedisServer:
    """One that is empty."""
    shared_server.ask("FLUSHALL")
    return shared_server


@pytest.fixture
def own(folders: Callable[[], Path]) -> Iterator[RedisServer]:
    """One of the test's own, which is to be full, or a replica."""
    with RedisServer(folders(), "--maxmemory-policy", "noeviction") as made:
        yield made


@pytest.fixture
def proxy(server: RedisServer) -> Iterator[Proxy]:
    with Proxy(server.socket) as made:
        yield made


@pytest.fixture
def make(redis_plugin: Path, server: RedisServer) -> Iterator[Callable[..., Cache]]:
    """Makes cache managers of one scope over the server; an option None is left out."""
    made: list[Cache] = []

    def one(**options: object) -> Cache:
        given = {"socket": server.socket, "scope": "unleash:test", **options}
        made.append(Cache(redis_plugin, {name: value for name, value in given.items() if value is not None}))
        return made[-1]

    yield one
    for cache in made:
        cache.end()


@pytest.fixture(scope="session")
def kafka_plugin(sinks: None) -> Path:
    return named("HOIST_KAFKA")


@pytest.fixture(scope="session")
def shared_kafka() -> Iterator[KafkaServer]:
    with KafkaServer(brokers=2) as server:
        yield server


@pytest.fixture
def kafka(shared_kafka: KafkaServer) -> Iterator[KafkaServer]:
    yield shared_kafka
    shared_kafka.heal()


@pytest.fixture
def dispatcher(kafka_plugin: Path, kafka: KafkaServer) -> Iterator[Callable[..., Dispatcher]]:
    """Makes dispatchers over the cluster; an option None is left out."""
    made: list[Dispatcher] = []

    def one(**options: object) -> Dispatcher:
        given = {"brokers": kafka.address, **options}
        made.append(Dispatcher(kafka_plugin, {name: value for name, value in given.items() if value is not None}))
        return made[-1]

    yield one
    for each in made:
        each.end()


@pytest.fixture(scope="session")
def shared_dispatcher(kafka_plugin: Path, shared_kafka: KafkaServer) -> Iterator[Dispatcher]:
    one = Dispatcher(kafka_plugin, {"brokers": shared_kafka.address, "topic": "{service}",
                                    "librdkafka": {"topic.metadata.refresh.interval.ms": 100}})
    yield one
    one.end()


@pytest.fixture
def send(shared_dispatcher: Dispatcher, kafka: KafkaServer) -> Callable[..., Receipt]:
    """Sends to a topic by one dispatcher that the tests share."""
    return lambda topic, body=b"{}", **members: shared_dispatcher.send(body, service=topic, **members)


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


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
