"""What a logger written in Python is told, and what happens when it misbehaves."""

from __future__ import annotations

import logging
import threading
import time

import pytest
from conftest import opener, strict_service
from unleash import UnleashSimulator
from waiting import side_by_side, until

import hoist
from hoist import Status


class Lines(hoist.Logger):
    def __init__(self) -> None:
        self.lines: list[tuple[hoist.LogLevel, str]] = []

    def write(self, level: hoist.LogLevel, message: str) -> None:
        self.lines.append((level, message))

    @property
    def text(self) -> str:
        return "\n".join(message for _, message in self.lines)


def test_log_lines_reach_python(service: UnleashSimulator, open_client) -> None:
    """(UNL-75; failing)"""
    lines = Lines()
    service.fail("frontend", "status", status=503)
    open_client("frontend", logger=lines)
    assert until(lambda: "503" in lines.text)
    assert lines.lines[0][0] is hoist.LogLevel.WARNING


def test_pythons_logging_is_a_logger(open_client, service: UnleashSimulator, caplog: pytest.LogCaptureFixture) -> None:
    service.fail("frontend", "status", status=500)
    with caplog.at_level(logging.DEBUG, "flags"):
        open_client("frontend", logger=logging.getLogger("flags"))
        assert until(lambda: "500" in caplog.text)
    assert caplog.records[0].name == "flags" and caplog.records[0].levelno == logging.WARNING


class Bad(hoist.Logger):
    """Misbehaves in one way."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.client: hoist.Client | None = None
        self.entered, self.leave, self.opened = threading.Event(), threading.Event(), threading.Event()
        self.refusals: list[Status] = []

    def write(self, level: hoist.LogLevel, message: str) -> None:
        self.entered.set()
        if self.kind == "raises":
            raise ValueError(message)
        if self.kind == "exits":
            raise SystemExit(1)
        if self.kind == "sleeps":
            self.leave.wait(30)
        # The first line may come before the client is known here.
        if self.kind == "re-enters" and self.opened.wait(10) and self.client:
            self.refusals.append(self.client.close())
            self.client.bool("switch")


def test_a_bad_logger_stops_nobody() -> None:
    """G11"""

    def meet(kind: str) -> None:
        with strict_service() as service, opener(service) as open_client:
            service.fail("frontend", "status", status=500)
            logger = Bad(kind)
            client = logger.client = open_client("frontend", logger=logger, refresh_interval=1, log_level="debug")
            logger.opened.set()
            assert client.wait_ready(15)
            assert client.bool("switch")
            assert logger.entered.wait(5)
            began = time.monotonic()
            client.close(1)
            assert time.monotonic() - began < 5
            logger.leave.set()
            assert set(logger.refusals) == ({Status.STATE} if kind == "re-enters" else set())

    side_by_side(["raises", "sleeps", "re-enters", "exits"], meet)
