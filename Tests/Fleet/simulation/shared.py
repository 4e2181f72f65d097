"""One fetcher for all: one process leads by a lease, fetches and writes; the others look at the store, and read what is new."""

from __future__ import annotations

from random import Random

from .constants import of
from .process import FLAGS, poll, stream
from .redis import COMMANDS, drawn
from .rules import shortened
from .setups import Flags
from .traffic import BIN_MS, Traffic


class SharedFetch:
    """The rules, in one place; of Sources/HoistCore/Source, where a process looks at the store, and no announcement is needed."""

    LEASE_MS = of("shared_lease")
    # Between two looks of a follower, at most.
    LOOK_MS = min(of("shared_poll"), LEASE_MS / 4)
    HELD_MS = LEASE_MS - LOOK_MS
    RENEWAL_MS = HELD_MS / 3
    # While Redis is away for longer than a lease and a random part of another, each fetches, so many times as seldom.
    SLOWNESS = 10

    def __init__(self, rng: Random, flags: Flags, traffic: Traffic, starts: list[float]) -> None:
        self.rng, self.flags, self.traffic, self.starts = rng, flags, traffic, starts

    def run(self) -> None:
        at, is_new = 0.0, False
        while at < self.traffic.scenario.length:
            at, is_new = self._lead(at, self._end_of_leader(at), is_new), True
        self._follow()
        if self.traffic.scenario.away == "redis":
            for _ in self.starts:
                self._fetch_alone()

    def _end_of_leader(self, since: float) -> float:
        """A deployment ends the leader, too."""
        end = self.rng.choice(self.starts)
        return end if self.traffic.scenario.restarts_within and end > since else self.traffic.scenario.length

    def _lead(self, since: float, end: float, is_new: bool) -> float:
        """- Returns: when the next one leads: the first that looks after the lease is free."""
        if self.flags.stream:
            stream(self.rng, self.flags, self.traffic, since, is_new=is_new)
        else:
            first = since if is_new else since + self.rng.random() * self.flags.interval
            poll(self.rng, self.flags, self.traffic, first, is_new=is_new, until=end)
        at = since
        while at < end:
            self._ask_redis(at)
            at += self.RENEWAL_MS
        return end + shortened(self.rng, self.LOOK_MS) / len(self.starts)

    def _follow(self) -> None:
        """All followers together: each looks in its own time, three quarters of the pause on average (shortened())."""
        commands = self.traffic.of(COMMANDS)
        mean = (len(self.starts) - 1) * BIN_MS / (0.75 * self.LOOK_MS)
        for index in range(len(commands)):
            if not self.traffic.scenario.is_away("redis", index * BIN_MS):
                commands[index] += drawn(self.rng, mean)

    def _ask_redis(self, at: float) -> None:
        if not self.traffic.scenario.is_away("redis", at):
            self.traffic.add(COMMANDS, at)

    def _fetch_alone(self) -> None:
        """Its turns have gone on, and were answered from the store."""
        scenario = self.traffic.scenario
        at = scenario.since + self.LEASE_MS * (1 + self.rng.random()) + self.rng.random() * self.flags.interval
        while at < scenario.until:
            self.traffic.add(FLAGS, at)
            at += self.flags.interval * self.SLOWNESS
