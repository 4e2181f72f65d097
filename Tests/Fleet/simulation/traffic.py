"""What is counted, and when a thing is away."""

from __future__ import annotations

from dataclasses import dataclass, field

BIN_MS = 100
# Assumed: how long an answer takes.
ANSWER_MS = 50.0


@dataclass(frozen=True)
class Scenario:
    """A stretch of time, in milliseconds from 0 on."""

    name: str
    length: float
    # Processes start anew within so long; 0: all have been running for long.
    restarts_within: float = 0
    # What is away, and from when to when.
    away: str = ""
    since: float = 0
    until: float = 0

    def is_away(self, what: str, at: float) -> bool:
        return what == self.away and self.since <= at < self.until


LEAD = 10_000.0


def outage(what: str, seconds: int) -> Scenario:
    return Scenario(f"{what} away for {seconds} s", LEAD + seconds * 1000 + 330_000, away=what, since=LEAD,
                    until=LEAD + seconds * 1000)


STEADY = Scenario("steady", 120_000)
DEPLOYMENT = Scenario("deployment", 180_000, restarts_within=60_000)
SCENARIOS = (STEADY, DEPLOYMENT, outage("service", 20), outage("service", 600), outage("redis", 20), outage("redis", 600))


@dataclass
class Traffic:
    """Requests in bins of 100 ms, by what they are for."""

    scenario: Scenario
    bins: dict[str, list[float]] = field(default_factory=dict)

    def of(self, what: str) -> list[float]:
        if what not in self.bins:
            self.bins[what] = [0] * (int(self.scenario.length / BIN_MS) + 1)
        return self.bins[what]

    def add(self, what: str, at: float, times: float = 1) -> None:
        if 0 <= at < self.scenario.length:
            self.of(what)[int(at / BIN_MS)] += times
