"""What is simulated: a service as a fleet of servers would use it, with the properties that set what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .constants import of
from .rules import ReconnectPace, RegularPace, SteadyPace, TrackingPace, UnleashPace


@dataclass(frozen=True)
class Flags:
    """How flags are kept fresh."""

    property: str
    # Of polls; of those that take the place of a stream that fails too often.
    interval: float
    pace: Callable[[float], Any]
    # Pauses of a stream; None where flags are polled.
    stream: Callable[[], ReconnectPace] | None = None
    # Failures in a row after which a stream is given up for polls; None: never.
    gives_up_after: int | None = None


@dataclass(frozen=True)
class Events:
    """How what is recorded is delivered."""

    property: str
    interval: float
    pace: Callable[[], Any]
    # Waiting rows that are sent before the interval ends.
    at_rows: int | None = None
    rows_per_request: float = float("inf")
    in_flight: int = 1
    # Whether the interval counts from the first row, else from the start.
    since_first_row: bool = False
    # Whether each interval makes one body of counts, however much is recorded; and how many of them may wait.
    counts: int = 0


@dataclass(frozen=True)
class Setup:
    name: str
    flags: Flags
    events: Events


def second(name: str) -> float:
    return of(name) * 1000


UNLEASH_METRICS = Events("metrics_interval", second("unleash_metrics"), lambda: UnleashPace(second("unleash_metrics")),
                         rows_per_request=1, counts=1 << 30)
# What fails a second time is dropped (LaunchDarkly, mode server).
LAUNCHDARKLY_EVENTS = Events("events.flush_interval_ms", of("launchdarkly_flush"),
                             lambda: RegularPace(0, of("launchdarkly_base"), 0), rows_per_request=1, counts=2)

SETUPS = (
    Setup("unleash", Flags("refresh_interval", second("unleash_refresh"), UnleashPace), UNLEASH_METRICS),
    Setup("unleash, streamed",
          Flags("fetch_mode", second("unleash_refresh"), UnleashPace, lambda: ReconnectPace(of("unleash_stream_base")),
                int(of("unleash_stream_failures"))), UNLEASH_METRICS),
    Setup("optimizely", Flags("polling_interval", second("optimizely_polling"), RegularPace),
          Events("events.batch_size", of("optimizely_interval"), lambda: RegularPace(0, of("optimizely_base"), 0),
                 at_rows=int(of("optimizely_batch")), rows_per_request=of("optimizely_batch"),
                 in_flight=int(of("optimizely_in_flight")), since_first_row=True)),
    Setup("launchdarkly, server", Flags("streaming_mode", of("launchdarkly_least_poll"), SteadyPace,
                                        lambda: ReconnectPace(of("launchdarkly_retry"))), LAUNCHDARKLY_EVENTS),
    Setup("launchdarkly, server, polled", Flags("flag_polling_interval_ms", of("launchdarkly_least_poll"), SteadyPace),
          LAUNCHDARKLY_EVENTS),
    Setup("flagship, bucketing", Flags("polling_interval", second("flagship_refresh"), RegularPace),
          Events("hits.batch_interval", second("flagship_interval"), lambda: RegularPace(0, of("flagship_base")),
                 at_rows=int(of("flagship_pool")), rows_per_request=of("flagship_rows"))),
    Setup("kameleoon", Flags("refresh_interval_minute", of("kameleoon_refresh") * 60_000, RegularPace),
          Events("tracking_interval_millisecond", of("kameleoon_interval"), lambda: TrackingPace(of("kameleoon_interval")),
                 rows_per_request=of("kameleoon_crowd"))),
)


def setup(name: str) -> Setup:
    return next(setup for setup in SETUPS if setup.name == name)
