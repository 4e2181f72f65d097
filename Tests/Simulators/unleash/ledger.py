"""What the service was told: sums over every metrics post it accepted."""

from __future__ import annotations

import json
from typing import Any

from loopback.posts import Post, Posts

Totals = dict[str, dict[str, Any]]


class Ledger(Posts):
    """Accepted metrics posts. A post that is sent again is counted again."""

    def totals(self, client: str | None = None, acknowledged: bool | None = None) -> Totals:
        """Sums per flag: all, of one connection id, or only (un)acknowledged posts."""
        totals: Totals = {}
        for post in self._chosen(client, acknowledged):
            bucket = post.body.get("bucket") or {}
            for name, counts in bucket.get("toggles", {}).items():
                sums = totals.setdefault(name, {"yes": 0, "no": 0, "variants": {}})
                sums["yes"] += counts.get("yes", 0)
                sums["no"] += counts.get("no", 0)
                for variant, count in counts.get("variants", {}).items():
                    sums["variants"][variant] = sums["variants"].get(variant, 0) + count
        return totals

    def by_client(self) -> dict[str, Totals]:
        clients = dict.fromkeys(post.client or "" for post in self.posts)
        return {client: self.totals(client) for client in clients}

    def impact(self) -> dict[str, dict[str, Any]]:
        """Per metric and label set (as sorted JSON): counters summed, gauges the last, histograms added."""
        found: dict[str, dict[str, Any]] = {}
        for post in self.posts:
            for metric in post.body.get("impactMetrics") or []:
                cells = found.setdefault(metric["name"], {})
                for sample in metric["samples"]:
                    _add_sample(cells, json.dumps(sample["labels"], sort_keys=True), metric["type"], sample)
        return found

    def as_json(self) -> dict[str, Any]:
        return {"posts": len(self.posts), "totals": self.totals(), "byClient": self.by_client(),
                "unacknowledged": self.totals(acknowledged=False), "impact": self.impact()}

    def _chosen(self, client: str | None, acknowledged: bool | None) -> list[Post]:
        return [post for post in self.posts
                if client in (None, post.client) and acknowledged in (None, post.acknowledged)]


def _add_sample(cells: dict[str, Any], key: str, kind: str, sample: dict[str, Any]) -> None:
    if kind == "gauge":
        cells[key] = sample["value"]
    elif kind == "counter":
        cells[key] = cells.get(key, 0) + sample["value"]
    else:
        cell = cells.setdefault(key, {"count": 0, "sum": 0.0, "buckets": {}})
        cell["count"] += sample["count"]
        cell["sum"] += sample["sum"]
        for bucket in sample["buckets"]:
            bound = str(bucket["le"])
            cell["buckets"][bound] = cell["buckets"].get(bound, 0) + bucket["count"]
