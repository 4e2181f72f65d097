"""The library's rules of pace, one for one. Pauses in milliseconds."""

from __future__ import annotations

from random import Random

from .constants import of

RETRY_MAX = of("retry_max")


def shifted(rng: Random, pause: float) -> float:
    """Entropy.shifted: what begins at a moment that many share ends half as early or as late again."""
    half = pause / of("shift_divisor")
    return pause - half + rng.random() * half * 2


def shortened(rng: Random, pause: float) -> float:
    """Entropy.shortened: the same where a pause must not become longer."""
    return pause - abs(rng.random() * 2 - 1) * (pause / 2)


class Backoff:
    """Sources/HoistBase/Time/Backoff.swift."""

    def __init__(self, base: float, cap: float, jitter: float) -> None:
        self.base, self.cap, self.jitter, self.attempts = base, cap, jitter, 0

    def next(self, rng: Random) -> float:
        ceiling = min(self.base * 2.0 ** min(self.attempts, 60), self.cap)
        self.attempts += 1
        return ceiling - rng.random() * ceiling * self.jitter

    def reset(self) -> None:
        self.attempts = 0


class RegularPace:
    """Sources/HoistCore/Source/FetchPace.swift; an interval of 0 is that of deliveries."""

    def __init__(self, interval: float, base: float = of("regular_base"), jitter: float = of("regular_jitter")) -> None:
        self.interval, self.backoff = interval, Backoff(base, RETRY_MAX, jitter)

    def succeeded(self) -> float:
        self.backoff.reset()
        return self.interval

    def failed(self, rng: Random, has_flags: bool) -> float:
        pause = self.backoff.next(rng)
        if not self.interval:
            return pause
        longest = min(self.interval, RETRY_MAX)
        return longest if has_flags else min(longest, pause)


class UnleashPace:
    """Sources/HoistUnleash/Service/UnleashPace.swift: one interval more with each failure, one less with each good answer."""

    def __init__(self, interval: float) -> None:
        self.interval, self.failures = interval, 0

    def _stretched(self) -> float:
        return min(self.interval * (self.failures + 1), RETRY_MAX)

    def succeeded(self) -> float:
        self.failures = max(0, self.failures - 1)
        return max(self.interval, self._stretched())

    def failed(self, _rng: Random, _has_flags: bool) -> float:
        self.failures = min(self.failures + 1, int(of("unleash_failures")))
        return self._stretched()


class SteadyPace:
    """PollPace of Sources/HoistLaunchDarkly/Service/FlagPoll.swift: a fixed rate, whatever the answers."""

    def __init__(self, interval: float) -> None:
        self.interval = interval

    def succeeded(self) -> float:
        return self.interval

    def failed(self, _rng: Random, _has_flags: bool) -> float:
        return self.interval


class TrackingPace:
    """Sources/HoistKameleoon/Events: TrackingPolicy.swift has a request go again once, after five seconds; then TrackingPace.swift:
    the next interval twice, from then on pauses that grow."""

    def __init__(self, interval: float) -> None:
        self.interval, self.attempts, self.rounds = interval, 0, 0
        self.backoff = Backoff(of("kameleoon_base"), RETRY_MAX, 0)

    def failed(self, rng: Random, _has_flags: bool) -> float:
        self.attempts += 1
        if self.attempts < of("kameleoon_attempts"):
            return of("kameleoon_base")
        self.attempts = 0
        self.rounds += 1
        return self.interval if self.rounds <= of("kameleoon_quick") else shortened(rng, self.backoff.next(rng))


class ReconnectPace:
    """Sources/HoistCore/ServerSentEvents/ReconnectPace.swift."""

    def __init__(self, base: float) -> None:
        self.base, self.doublings, self.lasted = base, 0, 0.0

    def next(self, rng: Random, open_ms: float | None) -> float:
        if open_ms is not None:
            self.lasted = min(open_ms, of("stream_healthy"))
            if open_ms >= of("stream_healthy"):
                self.doublings = 0
        pause = min(self.base * 2.0 ** min(self.doublings, 60), of("stream_cap"))
        self.doublings += 1
        window = self.lasted if open_ms is not None else of("stream_window") * self.lasted
        least = pause * of("stream_spread_low")
        return max(of("stream_least"), least + rng.random() * (max(pause, window) - least))
