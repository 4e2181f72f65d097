"""Impact metrics: counters, gauges and histograms sent with the usage metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._native import NULL, ffi, lib
from .._text import encode
from ..status import Status

if TYPE_CHECKING:
    from .client import Client

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


class ImpactMetrics:
    """The impact metrics of one client.

    The first definition of a name stays; what is recorded under an undefined name is dropped:
    NOT_FOUND. At most 1,000 metrics with 1,000 sets of labels each.
    """

    __slots__ = ("_client",)

    def __init__(self, client: Client) -> None:
        self._client = client

    def define_counter(self, name: str, help: str = "") -> Status:
        """A number that only grows."""
        return Status(lib.hoist_unleash_define_counter(self._client._pointer, encode(name), encode(help)))

    def define_gauge(self, name: str, help: str = "") -> Status:
        """A number that goes up and down."""
        return Status(lib.hoist_unleash_define_gauge(self._client._pointer, encode(name), encode(help)))

    def define_histogram(self, name: str, help: str = "", bounds: Sequence[float] = ()) -> Status:
        """A distribution over buckets with these upper bounds; none for the default ones."""
        array = ffi.new("double[]", list(bounds)) if bounds else NULL
        define = lib.hoist_unleash_define_histogram
        return Status(define(self._client._pointer, encode(name), encode(help), array, len(bounds)))

    def increment(self, name: str, by: int = 1, labels: Mapping[str, str] | None = None) -> Status:
        """Adds to a counter."""
        if not _SMALLEST <= by <= _LARGEST:
            return Status.ARGUMENT
        array, count, _texts = _labels(labels)
        return Status(lib.hoist_unleash_increment(self._client._pointer, encode(name), by, array, count))

    def set_gauge(self, name: str, value: float, labels: Mapping[str, str] | None = None) -> Status:
        """Sets a gauge."""
        array, count, _texts = _labels(labels)
        return Status(lib.hoist_unleash_set_gauge(self._client._pointer, encode(name), value, array, count))

    def observe(self, name: str, value: float, labels: Mapping[str, str] | None = None) -> Status:
        """Adds a value to a histogram."""
        array, count, _texts = _labels(labels)
        return Status(lib.hoist_unleash_observe_histogram(self._client._pointer, encode(name), value, array, count))


def _labels(labels: Mapping[str, str] | None) -> tuple[Any, int, list[Any]]:
    """Labels for C: array, count, and what must live as long."""
    texts = [
        (ffi.new("char[]", encode(name)), ffi.new("char[]", encode(value))) for name, value in (labels or {}).items()
    ]
    return ffi.new("hoist_unleash_label[]", texts), len(texts), texts
