"""Unleash. `text`, `number` and `settings` are variants' payloads; what is off is not listed to a frontend client."""

from __future__ import annotations

import json
from typing import Any

from unleash import UnleashSimulator

from .base import BENS_TEXT, FLAGS, NUMBER, OFF, ON, REMOTE, SETTINGS, TEXT, Simulated

KINDS = {TEXT: "string", NUMBER: "number", SETTINGS: "json"}


def _variant(flag: str, value: Any) -> list[dict[str, Any]]:
    text = json.dumps(value) if flag != TEXT else value
    return [{"name": "some", "weight": 1000, "payload": {"type": KINDS[flag], "value": text}}]


def _feature(flag: str, value: Any) -> dict[str, Any]:
    feature = {"name": flag, "type": "release", "enabled": value is not False, "project": "web",
               "strategies": [{"name": "default"}]}
    if flag == TEXT:
        bens = {"name": "flexibleRollout", "parameters": {"rollout": "100", "stickiness": "default", "groupId": TEXT},
                "constraints": [{"contextName": "userId", "operator": "IN", "values": ["ben"]}],
                "variants": [{**_variant(TEXT, BENS_TEXT)[0], "stickiness": "default"}]}
        feature["strategies"] = [bens, {"name": "default"}]
    return feature if flag in (ON, OFF) else {**feature, "variants": _variant(flag, value)}


class Unleash(Simulated):
    provider = "unleash"
    simulator: UnleashSimulator
    eager = {"metrics_interval": 1, "metrics_initial_delay": 0}
    quick = {"refresh_interval": 1, "network.retry_max_ms": 1000}
    key = ""

    def document(self) -> dict[str, Any]:
        return {"version": 2, "features": [_feature(flag, value) for flag, value in self.flags.items()]}

    def make(self) -> UnleashSimulator:
        return UnleashSimulator(self.document(), foreign_etags=True)

    def publish(self) -> None:
        self.simulator.state.replace(self.document())

    def panic(self, on: bool = True) -> None:
        self.simulator.state.replace({"version": 2, "features": []} if on else self.document())

    def properties(self) -> dict[str, Any]:
        return {"app_name": "shop", "refresh_interval": 3600, "metrics_interval": 3600, "context": {"userId": "anna"}}

    def refused(self) -> dict[str, Any]:
        return {"key": "*:development.no-such-key"}

    def unreachable(self) -> dict[str, Any]:
        return {"url": None, "key": None}

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.properties()["key"],)

    def event(self, number: int) -> str:
        return f"event_{number}"

    def mark(self, number: int) -> str:
        return f'"event_{number}"'

    def order(self) -> list[float]:
        return self.accepted()  # counts have no order

    def accepted(self) -> list[float]:
        found = []
        for name, cells in self.simulator.ledger.impact().items():
            if name.endswith("_value"):
                found += [cell["sum"] / cell["count"] for cell in cells.values() for _ in range(cell["count"])]
        return sorted(found)


class Frontend(Unleash):
    name = "unleash-frontend"
    fetching = ("frontend",)
    sending = ("frontend-metrics",)
    lacks = {"local": REMOTE}
    lists_all = False

    def properties(self) -> dict[str, Any]:
        return {**super().properties(), "mode": "frontend", "url": self.simulator.frontend_url,
                "key": self.simulator.frontend_key}

    def bootstrap(self, good: bool = True) -> dict[str, Any]:
        toggles = []
        for flag, value in FLAGS.items():
            variant = {"name": "disabled", "enabled": False}
            if flag in KINDS:
                variant = {"name": "some", "enabled": True, "payload": _variant(flag, value)[0]["payload"]}
            if flag != OFF:
                toggles.append({"name": flag, "enabled": True, "impressionData": False, "variant": variant})
        return {"bootstrap": {"toggles": toggles if good else 7}}


class Backend(Unleash):
    fetching = ("features",)
    sending = ("metrics",)
    lacks = {"remote": REMOTE}

    def properties(self) -> dict[str, Any]:
        return {**super().properties(), "mode": "backend", "url": self.simulator.api_url, "key": self.simulator.backend_key}

    def bootstrap(self, good: bool = True) -> dict[str, Any]:
        document = {"version": 2, "features": [_feature(flag, value) for flag, value in FLAGS.items()]}
        return {"bootstrap": document if good else {"version": 2, "features": 7}}


class BackendPolling(Backend):
    name = "unleash-backend-polling"

    def properties(self) -> dict[str, Any]:
        return {**super().properties(), "fetch_mode": "polling"}


class BackendStreaming(Backend):
    name = "unleash-backend-streaming"
    fetching = ("streaming", "features")
    streams = True

    def properties(self) -> dict[str, Any]:
        return {**super().properties(), "fetch_mode": "streaming"}

    def spoil(self) -> None:
        self.simulator.fail("streaming", "stream-corrupt", times=None, afterEvents=0, data='{"events":7}')
        self.simulator.fail("features", "garbage", times=None)
        self.drop()
