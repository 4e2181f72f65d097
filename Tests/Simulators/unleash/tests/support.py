"""A correct client in a few lines: builds proper requests, which tests then spoil."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable
from urllib.parse import quote

from loopback.calls import Call
from loopback.reader import EventReader

from unleash import UnleashSimulator
from unleash.evaluate import BUILT_IN

CONNECTION = "0c5e2f9a-1b7d-4c3e-9f10-5a6b7c8d9e0f"
OTHER_CONNECTION = "1d6f3a0b-2c8e-4d4f-8a21-6b7c8d9e0f1a"
VECTORS = Path(__file__).resolve().parents[5] / "shared" / "conformance" / "unleash"
"""Optional input beside the checkout; tests that read it are skipped when it is missing."""

STATE: dict[str, Any] = {
    "version": 2,
    "features": [
        {"name": "checkout", "type": "release", "enabled": True, "project": "shop", "impressionData": True,
         "tags": ["team:payments"],
         "strategies": [{"name": "flexibleRollout", "parameters": {"rollout": "50", "stickiness": "userId"}}],
         "variants": [{"name": "red", "weight": 333, "stickiness": "userId", "payload": {"type": "string", "value": "ü"}},
                      {"name": "green", "weight": 333, "stickiness": "userId"},
                      {"name": "blue", "weight": 334, "stickiness": "userId"}]},
        {"name": "banner", "type": "release", "enabled": True, "project": "web", "strategies": []},
        {"name": "dark", "type": "release", "enabled": False, "project": "web", "strategies": []},
        {"name": "europe", "type": "release", "enabled": True, "project": "web",
         "strategies": [{"name": "default", "segments": [3]}]},
    ],
    "segments": [{"id": 3, "name": "europe", "constraints": [
        {"contextName": "region", "operator": "IN", "values": ["eu"]}]}],
}


def common_headers(key: str, connection: str = CONNECTION) -> dict[str, str]:
    return {"Authorization": key, "Content-Type": "application/json", "User-Agent": "hoist/0.1.0",
            "unleash-appname": "shop", "unleash-connection-id": connection, "unleash-sdk": "unleash-hoist-sdk:0.1.0"}


def backend_headers(simulator: UnleashSimulator, interval: str | None = "15000") -> dict[str, str]:
    headers = {**common_headers(simulator.backend_key), "Accept": "application/json",
               "unleash-instanceid": "hoist-9f", "Unleash-Client-Spec": "6.1.0"}
    return headers if interval is None else {**headers, "unleash-interval": interval}


def pairs(**values: str) -> list[str]:
    """Encoded query pairs; a name `p_x` stands for the property x."""
    names = {name: f"properties[{name[2:]}]" if name.startswith("p_") else name for name in values}
    return [f"{quote(names[name], safe='~')}={quote(value, safe='~')}" for name, value in values.items()]


def frontend(simulator: UnleashSimulator) -> Call:
    query = pairs(appName="shop", environment="default", sessionId="4711", userId="user-42", p_region="eu", p_tier="gold plus")
    return Call("GET", "/api/frontend", common_headers(simulator.frontend_key), query)


def frontend_post(simulator: UnleashSimulator) -> Call:
    context = {"appName": "shop", "environment": "default", "sessionId": "4711", "userId": "user-42",
               "currentTime": "2026-01-05T10:00:00Z", "properties": {"region": "eu"}}
    return Call("POST", "/api/frontend", common_headers(simulator.frontend_key), document={"context": context})


def frontend_metrics(simulator: UnleashSimulator) -> Call:
    headers = {**common_headers(simulator.frontend_key), "Accept": "application/json"}
    document = {name: value for name, value in metrics(simulator).document.items() if name != "impactMetrics"}
    return Call("POST", "/api/frontend/client/metrics", headers, document=document)


def frontend_register(simulator: UnleashSimulator) -> Call:
    headers = {**common_headers(simulator.frontend_key), "Accept": "application/json"}
    return Call("POST", "/api/frontend/client/register", headers, document=register(simulator).document)


def register(simulator: UnleashSimulator) -> Call:
    document = {"appName": "shop", "instanceId": "hoist-9f", "connectionId": CONNECTION,
                "sdkVersion": "unleash-hoist-sdk:0.1.0", "platformName": "hoist", "platformVersion": "6.3",
                "yggdrasilVersion": None, "specVersion": "6.1.0", "strategies": [*BUILT_IN, "mine"],
                "started": "2026-01-05T10:00:00.123Z", "interval": 60000}
    return Call("POST", "/api/client/register", backend_headers(simulator, None), document=document)


def features(simulator: UnleashSimulator) -> Call:
    return Call("GET", "/api/client/features", backend_headers(simulator))


def delta(simulator: UnleashSimulator) -> Call:
    return Call("GET", "/api/client/delta", backend_headers(simulator))


def streaming(simulator: UnleashSimulator) -> Call:
    headers = {**backend_headers(simulator), "Accept": "text/event-stream"}
    return Call("GET", "/api/client/streaming", headers)


def _labels() -> dict[str, str]:
    return {"appName": "shop", "environment": "development"}


def metrics(simulator: UnleashSimulator) -> Call:
    document = {
        "appName": "shop", "instanceId": "hoist-9f", "connectionId": CONNECTION, "platformName": "hoist",
        "platformVersion": "6.3", "specVersion": "6.1.0",
        "bucket": {"start": "2026-01-05T10:00:00Z", "stop": "2026-01-05T10:00:30Z",
                   "toggles": {"checkout": {"yes": 12, "no": 3, "variants": {"red": 7, "disabled": 8}}}},
        "impactMetrics": [
            {"name": "purchases", "help": "done", "type": "counter", "samples": [{"labels": _labels(), "value": 2}]},
            {"name": "load", "help": "", "type": "gauge", "samples": [{"labels": _labels(), "value": 0.5}]},
            {"name": "time", "help": "s", "type": "histogram", "samples": [
                {"labels": _labels(), "count": 3, "sum": 1.5, "buckets": [
                    {"le": 0.5, "count": 2}, {"le": 1, "count": 2}, {"le": "+Inf", "count": 3}]}]}]}
    return Call("POST", "/api/client/metrics", backend_headers(simulator, "60000"), document=document)


BUILDERS: dict[str, Callable[[UnleashSimulator], Call]] = {
    "frontend": frontend, "frontend_post": frontend_post, "frontend_metrics": frontend_metrics,
    "frontend_register": frontend_register, "register": register, "features": features, "delta": delta,
    "streaming": streaming, "metrics": metrics,
}


class StreamReader(EventReader):
    """Reads the stream of deltas."""

    def __init__(self, simulator: UnleashSimulator, last_event_id: str | None = None, timeout: float = 5.0) -> None:
        super().__init__(simulator, streaming(simulator).with_header("Last-Event-ID", last_event_id), timeout)

    def events(self) -> list[dict[str, Any]]:
        """The delta events inside the next event's data."""
        return json.loads(self.next()["data"])["events"]
