"""Where log lines go."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Any

from .._callback import implements, owner
from .._constant import Constant
from .._native import lib
from .._text import decode_bytes


class LogLevel(Constant):
    """How grave a line is. The property `log.level` is the threshold."""

    NONE = lib.HOIST_LOG_NONE
    ERROR = lib.HOIST_LOG_ERROR
    WARNING = lib.HOIST_LOG_WARNING
    INFO = lib.HOIST_LOG_INFO
    DEBUG = lib.HOIST_LOG_DEBUG


class Logger(ABC):
    """Takes log lines, one at a time for one client."""

    @abstractmethod
    def write(self, level: LogLevel, message: str) -> None:
        """Takes one line."""


_PYTHON_LEVELS = {
    LogLevel.ERROR: logging.ERROR,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.INFO: logging.INFO,
    LogLevel.DEBUG: logging.DEBUG,
}


class LoggingAdapter(Logger):
    """Hands lines to Python's `logging`."""

    def __init__(self, logger: logging.Logger) -> None:
        self.logger = logger

    def write(self, level: LogLevel, message: str) -> None:
        """Logs the line at the level of the same name."""
        self.logger.log(_PYTHON_LEVELS.get(level, logging.DEBUG), "%s", message)


@implements("logger", "write")
def _write(user_data: Any, level: int, message: Any, length: int) -> None:
    owner(user_data).write(LogLevel(level), decode_bytes(message, length).decode("utf-8", "replace"))
