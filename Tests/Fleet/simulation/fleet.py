"""Fleets: how many processes, how they are set up, and what is seen of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from random import Random

from . import redis
from .constants import of
from .process import AGAIN, EVENTS, FLAGS, deliver, poll, stream
from .setups import Setup
from .shared import SharedFetch
from .traffic import BIN_MS, Scenario, Traffic

SIZES = (1, 10, 100, 1_000, 10_000, 100_000)
# alone: each has a store of its machine. redis: what is kept is kept in Redis. leader: and one process fetches for all.
# kafka: and events become records of a topic, each the body of one request.
ARRANGEMENTS = ("alone", "redis", "leader", "kafka")


@dataclass(frozen=True)
class Seen:
    """What one of the three sees, in requests, commands or records."""

    setup: str
    arrangement: str
    processes: int
    scenario: str
    target: str
    what: str
    per_second: float
    # Of the busiest second.
    peak_per_second: float
    # The part of the processes that comes back from an outage within the busiest 100 ms.
    herd: float
    # What came in each second.
    seconds: tuple[int, ...] = ()

    def record(self) -> dict[str, object]:
        return {name: value for name, value in asdict(self).items() if name != "seconds"}


def simulate(setup: Setup, arrangement: str, processes: int, scenario: Scenario, *, seed: int = 1, rate: float = 1.0) -> Traffic:
    """- Parameter rate: events that a process records, per second."""
    rng, traffic = Random(f"{seed} {setup.name} {arrangement} {processes} {scenario.name} {rate}"), Traffic(scenario)
    starts = [rng.random() * scenario.restarts_within for _ in range(processes)]
    is_new, per_ms = scenario.restarts_within > 0, rate / 1000
    if arrangement in ("leader", "kafka"):
        SharedFetch(rng, setup.flags, traffic, starts).run()
    else:
        for start in starts:
            if setup.flags.stream:
                stream(rng, setup.flags, traffic, start, is_new=is_new)
            else:
                first = start if is_new else rng.random() * setup.flags.interval
                poll(rng, setup.flags, traffic, first, is_new=is_new)
    for start in starts:
        deliver(rng, setup.events, traffic, start, per_ms, what="kafka" if arrangement == "kafka" else "service",
                capacity=int(of("capacity")))
    if arrangement != "alone":
        redis.ask(rng, traffic, starts, setup.events, per_ms)
    return traffic


def summed(bins: list[float], width: int) -> list[float]:
    return [sum(bins[index:index + width]) for index in range(0, len(bins) - 1, width)]


def seen(traffic: Traffic, setup: Setup, arrangement: str, processes: int) -> list[Seen]:
    """For each target: all of it, and for a service what is for flags and what for events."""
    events = "kafka" if arrangement == "kafka" else "service"
    parts = [("service", FLAGS, AGAIN[FLAGS]), (events, EVENTS, AGAIN[EVENTS])]
    if arrangement != "alone":
        parts += [("redis", redis.COMMANDS, ""), ("redis", redis.CONNECTS, redis.AGAIN)]
    result = []
    for target, what, again in parts:
        bins, back = traffic.of(what), traffic.of(again)
        seconds = summed(bins, 1000 // BIN_MS)
        result.append(Seen(setup.name, arrangement, processes, traffic.scenario.name, target, what,
                           round(sum(seconds) / len(seconds), 3), max(seconds), round(max(back) / processes, 5),
                           tuple(int(second) for second in seconds)))
    return result
