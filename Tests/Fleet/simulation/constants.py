"""The numbers that the library's rules of pace are made of, each with the place that it stands at.

test_simulation.py reads each of them there: the simulation cannot drift away from the sources.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constant:
    """A number of the sources."""

    value: float
    file: str
    # The source around the number, which is its one group; spaces stand for any white space.
    text: str


@dataclass(frozen=True)
class Default:
    """A property's default, as hoist_config_describe() tells it."""

    value: int
    service: str
    name: str


CORE, UNLEASH, LAUNCHDARKLY = "Sources/HoistCore/", "Sources/HoistUnleash/", "Sources/HoistLaunchDarkly/"
OPTIONS = CORE + "Pipeline/EventPipelineOptions.swift"
PAUSES = CORE + "ServerSentEvents/ReconnectPace.swift"
REDIS = "Sources/Plugins/Redis/"

SOURCES = {
    # Fetches
    "regular_base": Constant(3000, CORE + "Source/FetchPace.swift", r"limit: Int64, base: Int64 = (\d+)"),
    "regular_jitter": Constant(0.5, CORE + "Source/FetchPace.swift", r"base: Int64 = 3000, jitter: Double = ([\d.]+)"),
    "shift_divisor": Constant(2, "Sources/HoistBase/Random/Entropy.swift", r"let half = pause / (\d+) return pause &- half &\+"),
    "unleash_failures": Constant(10, UNLEASH + "Service/UnleashPace.swift", r"static let maximumFailures: Int64 = (\d+)"),
    "unleash_metrics": Constant(60, UNLEASH + "Options/UnleashSettings.swift", r"mode == \.backend \? (\d+) : 30"),
    "launchdarkly_least_poll": Constant(30_000, LAUNCHDARKLY + "Options/LaunchDarklySettings.swift",
                                        r"leastServerPollingMilliseconds: Int64 = ([\d_]+)"),
    # Streams
    "stream_cap": Constant(30_000, PAUSES, r"base: Int64, cap: Int64 = ([\d_]+)"),
    "stream_least": Constant(100, PAUSES, r"least: Int64 = (\d+)"),
    "stream_healthy": Constant(60_000, PAUSES, r"healthy: Int64 = ([\d_]+)"),
    "stream_spread_low": Constant(0.5, PAUSES, r"spread: ClosedRange<Double> = ([\d.]+)\.\.\.1,"),
    "stream_window": Constant(2, PAUSES, r"openMilliseconds == nil \? (\d+) \* lastedMilliseconds"),
    "unleash_stream_base": Constant(2000, UNLEASH + "Service/DefinitionStream.swift", r"ReconnectPace\(base: (\d+)\)"),
    "unleash_stream_failures": Constant(5, UNLEASH + "Service/DefinitionStream.swift", r"failuresBeforeFallback = (\d+)"),
    # Deliveries
    "events_base": Constant(1000, OPTIONS, r"RegularPace\(interval: 0, limit: 300_000, base: ([\d_]+), jitter: 1\)"),
    "optimizely_base": Constant(200, "Sources/HoistOptimizely/Events/EventReporter.swift",
                                r"longestRetryMilliseconds, base: (\d+), jitter: 0\)"),
    "optimizely_in_flight": Constant(8, "Sources/HoistOptimizely/Events/EventReporter.swift", r"maximumInFlight = (\d+)"),
    "optimizely_interval": Constant(60_000, "Sources/HoistOptimizely/Options/EventSettings.swift",
                                    r"standardIntervalMilliseconds: Int64 = ([\d_]+)"),
    "optimizely_polling": Constant(600, "Sources/HoistOptimizely/Options/OptimizelySettings.swift", r"interval < 0 \? (\d+)"),
    "launchdarkly_base": Constant(1000, LAUNCHDARKLY + "Events/EventOutlet.swift",
                                  r"longestRetryMilliseconds, base: ([\d_]+), jitter: 0\)"),
    "launchdarkly_flush": Constant(5000, LAUNCHDARKLY + "Options/LaunchDarklySettings.swift",
                                   r"serverFlushMilliseconds: Int64 = ([\d_]+)"),
    "flagship_base": Constant(1000, "Sources/HoistFlagship/Events/VisitorQueue.swift",
                              r"longestRetryMilliseconds, base: ([\d_]+)\)"),
    "flagship_rows": Constant(1000, "Sources/HoistFlagship/Events/HitPolicy.swift", r"maximumBatchRows = ([\d_]+)"),
    "kameleoon_base": Constant(5000, "Sources/HoistKameleoon/Events/TrackingPolicy.swift",
                               r"let retryMilliseconds: Int64 = ([\d_]+)"),
    "kameleoon_crowd": Constant(20_000, "Sources/HoistKameleoon/Events/Tracker.swift", r"crowdedRequest = ([\d_]+)"),
    "kameleoon_attempts": Constant(2, "Sources/HoistKameleoon/Events/TrackingPolicy.swift", r"maximumAttempts = (\d+)"),
    "kameleoon_quick": Constant(2, "Sources/HoistKameleoon/Events/TrackingPace.swift", r"quickRounds = (\d+)"),
    # The store
    "store_delay": Constant(100, OPTIONS, r"storeDelayMilliseconds: Int64 = (\d+)"),
    "adoption": Constant(60_000, OPTIONS, r"adoptionIntervalMilliseconds: Int64 = ([\d_]+)"),
    "put_retry": Constant(1000, CORE + "Pipeline/EventPipeline+Storing.swift", r"retryMilliseconds: Int64 \{ ([\d_]+) \}"),
    "owner_lease": Constant(60_000, CORE + "Store/Store.swift", r"leaseMilliseconds: Int64 = ([\d_]+)"),
    "owner_renewals": Constant(3, CORE + "Store/Store+Lease.swift", r"options\.leaseMilliseconds / (\d+)"),
    "store_base": Constant(1000, CORE + "Store/StoreState.swift", r"Backoff\(baseMilliseconds: ([\d_]+),"),
    "store_cap": Constant(60_000, CORE + "Store/StoreState.swift", r"capMilliseconds: ([\d_]+), jitter: 0\.5\)"),
    "store_jitter": Constant(0.5, CORE + "Store/StoreState.swift", r"capMilliseconds: 60_000, jitter: ([\d.]+)\)"),
    "redis_first": Constant(100, REDIS + "options.c", r"\.retry_first_ms = (\d+)"),
    "redis_cap": Constant(10_000, REDIS + "options.c", r"\.retry_max_ms = (\d+)"),
    "redis_max_events": Constant(1_000_000, REDIS + "options.c", r"\.max_events = (\d+)"),
}

PROPERTIES = {
    "retry_max": Default(300_000, "unleash", "network.retry_max_ms"),
    "capacity": Default(10_000, "unleash", "events.capacity"),
    "unleash_refresh": Default(15, "unleash", "refresh_interval"),
    "flagship_refresh": Default(60, "flagship", "polling_interval"),
    "flagship_interval": Default(5, "flagship", "hits.batch_interval"),
    "flagship_pool": Default(10, "flagship", "hits.pool_max_size"),
    "optimizely_batch": Default(10, "optimizely", "events.batch_size"),
    "launchdarkly_retry": Default(1000, "launchdarkly", "initial_retry_delay_ms"),
    "kameleoon_refresh": Default(60, "kameleoon", "refresh_interval_minute"),
    "shared_lease": Default(15_000, "unleash", "fetch.shared.lease_ms"),
    "shared_poll": Default(2000, "unleash", "fetch.shared.poll_ms"),
    "kameleoon_interval": Default(1000, "kameleoon", "tracking_interval_millisecond"),
}


def of(name: str) -> float:
    return SOURCES[name].value if name in SOURCES else PROPERTIES[name].value
