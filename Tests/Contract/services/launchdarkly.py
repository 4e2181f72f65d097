"""LaunchDarkly. Its flags have values of any type: for clients those of one context at a time, for servers by rules."""

from __future__ import annotations

import json
from typing import Any

from launchdarkly import LaunchDarklySimulator
from launchdarkly_server import LaunchDarklyServerSimulator

from scenario import Sentence

from .base import BENS_TEXT, FLAGS, REMOTE, TEXT, Simulated


class Tracked(Simulated):
    """Whose events carry their number as a metric."""

    simulator: LaunchDarklySimulator | LaunchDarklyServerSimulator

    def order(self) -> list[float]:
        found = self.simulator.ledger.events("custom")
        return [event["metricValue"] for event in sorted(found, key=lambda event: event["creationDate"])]

    def accepted(self) -> list[float]:
        return sorted(event.get("metricValue") for event in self.simulator.ledger.events("custom"))


class Streamed(Tracked):
    """Whose flags come by a stream."""

    fetching = ("stream", "poll")
    streams = True

    def spoil(self) -> None:
        self.simulator.fail("stream", "stream-corrupt", times=None, afterEvents=0, data='{"on":7}')
        self.simulator.fail("poll", "garbage", times=None)
        self.drop()


class LaunchDarkly(Tracked):
    provider = "launchdarkly"
    simulator: LaunchDarklySimulator
    sending = ("events",)
    lacks = {"local": REMOTE, "bootstrap": Sentence("launchdarkly.h", "The service evaluates every flag for one context and sends the results, by "
                                                     "stream or when it is polled; calls are answered from these")}

    def document(self) -> dict[str, Any]:
        return {flag: {"value": value, "variation": 0, "version": 1} for flag, value in self.flags.items()}

    def make(self) -> LaunchDarklySimulator:
        made = LaunchDarklySimulator(self.document())
        made.set_flag(TEXT, context="ben", value=BENS_TEXT)
        return made

    def change(self, flag: str, value: Any) -> None:
        self.flags[flag] = value
        self.simulator.set_flag(flag, value=value)

    def publish(self) -> None:
        self.drop()  # the next stream begins with all flags

    def panic(self, on: bool = True) -> None:
        if on:
            self.simulator.replace_flags({})
        else:
            self.simulator.replace_flags({flag: {**more, "version": 9} for flag, more in self.document().items()})

    def properties(self) -> dict[str, Any]:
        url = self.simulator.url
        return {"mobile_key": self.simulator.mobile_key, "base_url": url, "stream_url": url, "events_url": url,
                "context": {"kind": "user", "key": "anna"}, "initial_retry_delay_ms": 20, "diagnostic_opt_out": True,
                "ignore_polling_minimum": True, "events.flush_interval_ms": 3_600_000}

    def refused(self) -> dict[str, Any]:
        return {"mobile_key": "mob-00000000-2222-4333-8444-555555abcdef"}

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.simulator.mobile_key,)

    def event(self, number: int) -> str:
        return f"event-{number}"

    def mark(self, number: int) -> str:
        return f'"event-{number}"'


class Streaming(Streamed, LaunchDarkly):
    name = "launchdarkly-streaming"


class Polling(LaunchDarkly):
    name = "launchdarkly-polling"
    fetching = ("poll",)
    polls_late = True
    quick = {"flag_polling_interval_ms": 200}

    def properties(self) -> dict[str, Any]:
        return {**super().properties(), "streaming_mode": "polling", "flag_polling_interval_ms": 3_600_000}


def _rules(flag: str, value: Any, version: int = 1) -> dict[str, Any]:
    """A flag that gives one value to everybody but Ben."""
    bens = [{"values": ["ben"], "variation": 1}] if flag == TEXT else []
    return {"key": flag, "version": version, "on": True, "variations": [value, BENS_TEXT], "targets": bens,
            "fallthrough": {"variation": 0}, "offVariation": 0, "salt": "salt"}


class Server(Tracked):
    """Mode server: the five flags are rules."""

    provider = "launchdarkly"
    simulator: LaunchDarklyServerSimulator
    sending = ("events",)
    introduces = True
    refusal = 413  # 400 is tried once more
    lacks = {"remote": REMOTE}

    def document(self, version: int = 1) -> dict[str, Any]:
        return {"flags": {flag: _rules(flag, value, version) for flag, value in self.flags.items()}, "segments": {}}

    def make(self) -> LaunchDarklyServerSimulator:
        # Events outlive the process that has introduced their context.
        return LaunchDarklyServerSimulator(self.document(), indexes=False, repeated_indexes=True)

    def change(self, flag: str, value: Any) -> None:
        self.flags[flag] = value
        self.simulator.set_flag(flag, variations=[value, BENS_TEXT])

    def publish(self) -> None:
        self.drop()  # the next stream begins with all rules

    def panic(self, on: bool = True) -> None:
        self.simulator.replace_data({"flags": {}, "segments": {}} if on else self.document(version=9))

    def properties(self) -> dict[str, Any]:
        url = self.simulator.url
        return {"mode": "server", "mobile_key": self.simulator.sdk_key, "base_url": url, "stream_url": url, "events_url": url,
                "context": {"kind": "user", "key": "anna"}, "initial_retry_delay_ms": 20, "diagnostic_opt_out": True,
                "ignore_polling_minimum": True, "events.flush_interval_ms": 3_600_000}

    def refused(self) -> dict[str, Any]:
        return {"mobile_key": "sdk-00000000-2222-4333-8444-555555abcdef"}

    def unreachable(self) -> dict[str, Any]:
        return {"mobile_key": None}

    def bootstrap(self, good: bool = True) -> dict[str, Any]:
        rules = {"flags": {flag: _rules(flag, value) for flag, value in FLAGS.items()}}
        return {"bootstrap": json.dumps(rules if good else {"flags": 7})}

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.simulator.sdk_key,)

    def event(self, number: int) -> str:
        return f"event-{number}"

    def mark(self, number: int) -> str:
        return f'"event-{number}"'

    def tracked_persons(self) -> list[str]:
        return sorted(event["context"]["key"] for event in self.simulator.ledger.events("custom"))


class ServerStreaming(Streamed, Server):
    name = "launchdarkly-server-streaming"


class ServerPolling(Server):
    name = "launchdarkly-server-polling"
    fetching = ("poll",)
    quick = {"flag_polling_interval_ms": 200}

    def properties(self) -> dict[str, Any]:
        return {**super().properties(), "streaming_mode": "polling", "flag_polling_interval_ms": 3_600_000}
