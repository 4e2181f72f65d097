"""`hoist forward`, as people and programs use it; what it forwards is tested beside Redis."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tool import PROGRAM, Running, Tool
from unleash import UnleashSimulator

USAGE, NETWORK, CONFIGURATION = 2, 3, 4
PLUGIN = Path(PROGRAM).resolve().parents[1] / "lib/libhoist-redis.so"


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Path]:
    """A server with a password, on a socket."""
    program = shutil.which("redis-server")
    if not program or not PLUGIN.exists():
        pytest.skip("no redis-server, or no plug-in for it")
    # A socket's path has to be short.
    place = Path(os.path.relpath(tmp_path / "r.sock"))
    command = [program, "--port", "0", "--unixsocket", "r.sock", "--save", "", "--requirepass", "secret"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "Ready to accept" in line or "ready to accept" in line:
            break
    yield place
    process.kill()
    process.communicate()


def arguments(source: object, service: UnleashSimulator, *more: object) -> list[object]:
    return ["forward", "--from", f"redis:{source}", "--scope", "shop", "--plugin", PLUGIN, "--url", service.api_url, "--set", "mode=backend",
            *more]


def start(hoist: Tool, source: Path, service: UnleashSimulator, *more: object, password: str = "secret") -> Running:
    return hoist.start(*arguments(source.resolve(), service, *more), key=service.backend_key, HOIST_REDIS_PASSWORD=password)


def page(port: int, request: bytes = b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n") -> str:
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(request)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts).decode()


def port_of(running: Running) -> int:
    for line in running.process.stderr:
        if found := re.search(r"http://127.0.0.1:([0-9]+)/metrics", line):
            return int(found[1])
    raise AssertionError("no page")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_a_line_now_and_then_and_ends_well_when_it_is_told_to(
        hoist: Tool, service: UnleashSimulator, redis: Path, number: signal.Signals) -> None:
    with start(hoist, redis, service, "--every", "0.1") as running:
        assert re.fullmatch(r"[0-9T:.-]+Z  0\.0/s  sent 0  refused 0  waiting 0  lag 0\.0 s", running.line())
        running.process.send_signal(number)
        result = running.end()
    assert result.status == 0 and "forwarded 0 events" in result.err


def test_json_has_one_object_a_line(hoist: Tool, service: UnleashSimulator, redis: Path) -> None:
    with start(hoist, redis, service, "--every", "0.1", "--json") as running:
        assert running.wait_for("started")["from"].startswith("redis:/")
        told = running.wait_for("figures")
        assert (told["sent"], told["rate"], told["lag_ms"]) == (0, 0, 0)
        running.process.send_signal(signal.SIGTERM)
        assert running.wait_for("ended")["done"] is True
        assert running.end().status == 0


def test_the_page_for_prometheus(hoist: Tool, service: UnleashSimulator, redis: Path) -> None:
    with start(hoist, redis, service, "--metrics", "0") as running:
        port = port_of(running)
        # Slow readers and silent ones, more than there is room for, hold up nothing.
        silent = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(40)]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            text = answer.read().decode()
        assert '# TYPE hoist_forward_sent_total counter\nhoist_forward_sent_total{queue="events"} 0.0\n' in text
        assert '# TYPE hoist_forward_lag_seconds gauge\n' in text
        for request, status in [(b"GET / HTTP/1.1\r\n\r\n", 404), (b"POST /metrics HTTP/1.1\r\n\r\n", 405), (b"\xff\0\r\n\r\n", 400),
                                (b"GET /metrics HTTP/1.1\r\n" + b"a: b\r\n" * 2000, 431)]:
            assert page(port, request).startswith(f"HTTP/1.1 {status} ")
        for one in silent:
            one.close()
        running.process.send_signal(signal.SIGTERM)
        assert running.end().status == 0


def test_an_address_without_a_server_is_an_error_that_names_it(hoist: Tool, service: UnleashSimulator, tmp_path: Path) -> None:
    result = hoist(*arguments(tmp_path / "none.sock", service), key=service.backend_key)
    assert result.status == NETWORK and f"redis:{tmp_path}/none.sock: nothing can be taken" in result.err
    assert "hoist-redis: no connection to Redis" in result.err


def test_a_wrong_password_is_an_error_that_does_not_show_it(hoist: Tool, service: UnleashSimulator, redis: Path) -> None:
    with start(hoist, redis, service, password="guessed") as running:
        result = running.end()
    assert result.status == NETWORK and "Redis refuses user and password" in result.err and "guessed" not in result.err


@pytest.mark.parametrize("source, said", [
    ("rabbit:here", "is no source"), ("rediss://anna:secret@here", "is no source"), ("redis:", "is no address"), ("redis:here:0", "is no address"), ("redis:here:port", "is no address"),
    ("redis:anna:secret@here", "user and password are no part of it")])
def test_a_bad_source_is_refused(hoist: Tool, service: UnleashSimulator, source: str, said: str) -> None:
    result = hoist("forward", "--from", source, "--scope", "shop", "--url", service.api_url, key=service.backend_key)
    assert result.status == USAGE and said in result.err and "anna" not in result.err and "secret" not in result.err


def test_what_is_missing_is_named(hoist: Tool, service: UnleashSimulator, tmp_path: Path) -> None:
    assert "--scope" in hoist("forward", "--from", "redis:here", "--url", service.api_url, key=service.backend_key).err
    assert "forward needs a service" in hoist("forward", "--from", "redis:here", "--scope", "shop").err
    result = hoist(*arguments("here", service, "--dead-letters", tmp_path / "no/folder"), key=service.backend_key)
    assert result.status == CONFIGURATION and "--dead-letters" in result.err
