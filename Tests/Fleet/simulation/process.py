"""What one process asks of the service."""

from __future__ import annotations

import math
from random import Random

from .rules import shifted, shortened
from .setups import Events, Flags
from .traffic import ANSWER_MS, Scenario, Traffic

FLAGS, EVENTS = "flags", "events"
# The first request that is accepted of a process that has been refused.
AGAIN = {FLAGS: "flags again", EVENTS: "events again"}


def poll(rng: Random, flags: Flags, traffic: Traffic, start: float, *, is_new: bool, until: float = math.inf) -> None:
    """Sources/HoistCore/Source/FetchLoop.swift: the pause after the first fetch is shifted, since many may have begun at once;
    from then on each process has a phase of its own."""
    scenario, pace, has_failed = traffic.scenario, flags.pace(flags.interval), False
    at, has_flags, in_step, end = start, not is_new, is_new, min(until, scenario.length)
    while at < end:
        traffic.add(FLAGS, at)
        if scenario.is_away("service", at):
            has_failed, pause = True, pace.failed(rng, has_flags)
            if in_step:
                pause = shortened(rng, pause)
        else:
            if has_failed:
                traffic.add(AGAIN[FLAGS], at)
            has_failed, has_flags, pause = False, True, pace.succeeded()
            if in_step:
                pause = shifted(rng, pause)
        in_step = False
        at += ANSWER_MS + pause


def stream(rng: Random, flags: Flags, traffic: Traffic, start: float, *, is_new: bool) -> None:
    """A stream is opened, lost when the service goes, and opened again by ReconnectPace."""
    scenario = traffic.scenario
    assert flags.stream
    pace, at, failures = flags.stream(), start, 0
    if not is_new or not scenario.is_away("service", at):
        if is_new:
            traffic.add(FLAGS, at)
        if scenario.away != "service" or scenario.until <= at:
            return
        # Long enough to be healthy.
        at = scenario.since + pace.next(rng, math.inf)
    while at < scenario.length:
        traffic.add(FLAGS, at)
        if not scenario.is_away("service", at):
            traffic.add(AGAIN[FLAGS], at)
            return
        failures += 1
        if failures == flags.gives_up_after:
            return poll(rng, flags, traffic, at + ANSWER_MS, is_new=True)
        at += ANSWER_MS + pace.next(rng, None)


def deliver(rng: Random, events: Events, traffic: Traffic, start: float, rate: float, *, what: str = "service",
            capacity: int = 10_000) -> None:
    """Sources/HoistCore/Pipeline: a flush at each interval, or when enough rows wait; after a failure one pause for all, then one
    request alone, and the rest when it is accepted. `rate` in rows per millisecond."""
    if not events.counts and rate <= 0:
        return
    scenario, pace = traffic.scenario, events.pace()
    filled = events.at_rows / rate if events.at_rows and rate > 0 else math.inf
    cycle = min(events.interval, filled)

    def next_flush(after: float) -> float:
        if events.since_first_row:
            return after + rng.expovariate(rate) + min(events.interval, filled)
        return start + (math.floor((after - start) / cycle + 1e-9) + 1) * cycle

    if not scenario.restarts_within:
        # It has been running for long: any phase is as likely.
        start -= rng.random() * (next_flush(start) - start)
    since, failures, at = start, 0, next_flush(start)
    while at < scenario.length:
        if events.counts:
            rows: float = min(failures + 1, events.counts)
        else:
            expected = min(rate * (at - since), capacity)
            rows = int(expected) + (rng.random() < expected % 1)
        if not rows:
            since, at = at, next_flush(at)
            continue
        requests = max(1, math.ceil(rows / events.rows_per_request))
        if scenario.is_away(what, at):
            traffic.add(EVENTS, at, 1 if failures else min(requests, events.in_flight))
            failures += 1
            at += ANSWER_MS + pace.failed(rng, True)
            continue
        alone = 1 if failures and requests > 1 else 0
        if alone:
            traffic.add(EVENTS, at)
        for first in range(0, requests - alone, events.in_flight):
            count = min(events.in_flight, requests - alone - first)
            traffic.add(EVENTS, at + ANSWER_MS * (alone + first // events.in_flight), count)
        if failures:
            pace = events.pace()
            traffic.add(AGAIN[EVENTS], at)
        since, failures, at = at, 0, next_flush(at)
