"""What the processes ask of Redis: Sources/HoistCore/Store over Sources/Plugins/Redis."""

from __future__ import annotations

import math
from random import Random

from .constants import of
from .rules import Backoff, shifted
from .setups import Events
from .traffic import ANSWER_MS, BIN_MS, Traffic

COMMANDS, CONNECTS, AGAIN = "commands", "connects", "connects again"
# INFO and EXISTS (Sources/Plugins/Redis/greeting.c).
GREETING = 2
# Of a start: the stored configuration is loaded, and what others have left is claimed (Store.swift, EventPipeline+Storing.swift).
START = 2
RENEWAL_MS = of("owner_lease") / of("owner_renewals")


def puts_per_ms(rate: float) -> float:
    """With durability "periodic" the store is given what there is 100 ms after the first row that it does not have."""
    return 1 / (of("store_delay") + 1 / rate) if rate > 0 else 0.0


def steady_per_ms(events: Events, rate: float) -> float:
    """Commands of one process: puts, removals after deliveries, renewals of its lease, claims."""
    cycle = min(events.interval, events.at_rows / rate if events.at_rows and rate > 0 else math.inf)
    deliveries = 1 / cycle if events.counts else min(1 / cycle, rate)
    return puts_per_ms(rate) + deliveries + 1 / RENEWAL_MS + 1 / of("adoption")


def drawn(rng: Random, mean: float) -> int:
    """So many of independent things happen in a bin."""
    if mean > 30:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    count, product, limit = 0, rng.random(), math.exp(-mean)
    while product > limit:
        count, product = count + 1, product * rng.random()
    return count


def comes_back(rng: Random, traffic: Traffic, rate: float) -> float:
    """One process while Redis is away: when its store works again. Each failed call makes two pauses grow: the store's own
    (StoreState.swift), within which nothing is written, and the plug-in's (pause.c), within which calls fail at once."""
    scenario = traffic.scenario
    pause = Backoff(of("store_base"), of("store_cap"), of("store_jitter"))
    connecting = Backoff(of("redis_first"), of("redis_cap"), 1)
    renewal = scenario.since + rng.random() * RENEWAL_MS
    put = scenario.since + (rng.expovariate(rate) + rng.random() * of("store_delay") if rate > 0 else math.inf)
    paused_until = rests_until = 0.0
    while True:
        at = min(put, renewal)
        if at >= scenario.length:
            return scenario.length
        if at >= max(paused_until, rests_until):
            traffic.add(CONNECTS, at)
            if not scenario.is_away("redis", at):
                traffic.add(COMMANDS, at, GREETING + 1)
                traffic.add(AGAIN, at)
                return at
            rests_until = at + connecting.next(rng)
        if at >= paused_until:
            paused_until = at + pause.next(rng)
        if at == put:
            # Calls within the pause are refused, and after some of them any phase is as likely.
            is_far = paused_until - put > 5 * of("put_retry")
            put = paused_until + rng.random() * of("put_retry") if is_far else put + shifted(rng, of("put_retry"))
        if at == renewal:
            renewal += RENEWAL_MS * max(1, math.ceil((paused_until - renewal) / RENEWAL_MS))


def ask(rng: Random, traffic: Traffic, starts: list[float], events: Events, rate: float) -> None:
    """All processes. What each asks for in its own time is drawn together, for all that Redis answers."""
    scenario, per_bin = traffic.scenario, steady_per_ms(events, rate) * BIN_MS
    bins = traffic.of(COMMANDS)
    back = [0] * (len(bins) + 1)
    if scenario.away == "redis":
        for _ in starts:
            back[min(len(bins), int(comes_back(rng, traffic, rate) / BIN_MS))] += 1
    if scenario.restarts_within:
        for at in starts:
            traffic.add(CONNECTS, at)
            traffic.add(COMMANDS, at + ANSWER_MS, GREETING + START)
    alive = len(starts)
    for index in range(len(bins)):
        at = index * BIN_MS
        if scenario.away == "redis":
            alive = 0 if scenario.is_away("redis", at) else alive + back[index]
            alive = len(starts) if at < scenario.since else alive
        bins[index] += drawn(rng, alive * per_bin)
