"""Unleash: other values than bools are the payload of the flag's one variant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ...plugins import Request
from ..records import Tracked
from .base import Service, path_of


class Unleash(Service):
    """Both modes."""

    mode = "backend"
    needed = {"url": "https://hoist.invalid/api", "key": "*:development.hoist-testing"}
    given = {"fetch_mode": "polling", "disable_registration": True, "refresh_interval": 86_400, "metrics_interval": 0}

    def answer(self, request: Request, flags: Mapping[str, Any], number: int) -> bytes | None:
        """Definitions, or toggles for a frontend client."""
        path = path_of(request)
        if path.endswith("/metrics") or path.endswith("/register"):
            return None
        if path.endswith("/client/features"):
            return json.dumps({"version": 2, "features": [_feature(*flag) for flag in flags.items()]}).encode()
        return json.dumps({"toggles": [_toggle(*flag) for flag in flags.items() if flag[1] is not False]}).encode()

    def read(self, request: Request) -> Iterable[Tracked]:
        """The tracked events are impact metrics: a counter, and a histogram of the values."""
        metrics = json.loads(request.body or b"{}").get("impactMetrics", [])
        sums = {(metric["name"], _labels(sample)): sample for metric in metrics if metric["type"] == "histogram"
                for sample in metric["samples"]}  # fmt: skip
        for metric in metrics:
            for sample in metric["samples"] if metric["type"] == "counter" else ():
                of_values = sums.get((f"{metric['name']}_value", _labels(sample)), {"count": 0, "sum": 0.0})
                properties = {name: text for name, text in sample["labels"].items() if name not in _OWN}
                for index in range(int(sample["value"])):
                    value = of_values["sum"] / of_values["count"] if index < of_values["count"] else None
                    yield Tracked(metric["name"], value, properties)


_OWN = ("appName", "environment", "origin")
"""Labels that every metric has."""


def _labels(sample: Mapping[str, Any]) -> str:
    return json.dumps(sample["labels"], sort_keys=True)


def _payload(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        return {"type": "string", "value": value}
    return {"type": "number" if isinstance(value, (int, float)) else "json", "value": json.dumps(value)}


def _feature(key: str, value: Any) -> dict[str, Any]:
    feature = {"name": key, "type": "release", "enabled": value is not False, "project": "default",
               "strategies": [{"name": "default"}]}  # fmt: skip
    if not isinstance(value, bool):
        feature["variants"] = [{"name": "on", "weight": 1000, "payload": _payload(value)}]
    return feature


def _toggle(key: str, value: Any) -> dict[str, Any]:
    variant = {"name": "disabled", "enabled": False}
    if not isinstance(value, bool):
        variant = {"name": "on", "enabled": True, "payload": _payload(value)}
    return {"name": key, "enabled": True, "impressionData": False, "variant": variant}
