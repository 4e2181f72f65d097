"""AB Tasty Flagship. The five flags are modifications of one campaign, which has a variation of its own for Ben."""

from __future__ import annotations

import json
from typing import Any

from flagship import FlagshipSimulator

import hoist
from scenario import Sentence

from .base import BENS_TEXT, FLAGS, ON, REMOTE, TEXT, Simulated


def _group(name: str, key: str, value: str, flags: dict[str, Any]) -> dict[str, Any]:
    targeting = [{"operator": "EQUALS", "key": key, "value": value, "provider": None}]
    variation = {"id": f"hvar0{name}", "name": name, "reference": False, "allocation": 100,
                 "modifications": {"type": "JSON", "value": flags}}
    return {"id": f"hgrp0{name}", "name": name, "targeting": {"targetingGroups": [{"targetings": targeting}]},
            "variations": [variation]}


def bucketing(flags: dict[str, Any], panic: bool = False) -> dict[str, Any]:
    bens = {**flags, TEXT: BENS_TEXT}
    campaign = {"id": "hcamp0five", "name": "Five", "type": "toggle", "slug": "five", "bucketRanges": [{"r": [0, 100]}],
                "variationGroups": [_group("bens", "fs_users", "ben", bens), _group("all", "fs_all_users", "", flags)]}
    settings = {"enabledXPC": False, "enabled1V1T": False, "eaiCollectEnabled": False, "eaiActivationEnabled": False,
                "troubleshooting": None}
    return {"panic": panic, "visitorConsolidation": False, "accountSettings": settings, "campaigns": [campaign]}


def _decided(group: dict[str, Any]) -> list[dict[str, Any]]:
    variation = group["variations"][0]
    return [{"id": "hcamp0five", "name": "Five", "slug": "five", "type": "toggle", "variationGroupId": group["id"],
             "variationGroupName": group["name"], "variation": {name: variation[name] for name in (
                 "id", "name", "reference", "modifications")}}]


class Flagship(Simulated):
    provider = "flagship"
    simulator: FlagshipSimulator
    sending = ("hits",)
    pipeline = "hits"
    secrets = ("sample-api-key",)
    mode = ""

    @property
    def identifies(self) -> bool:
        return not any(row.name == "context" for row in hoist.describe("flagship"))

    def make(self) -> FlagshipSimulator:
        made = FlagshipSimulator(bucketing(self.flags), foreign_dates=True)
        self.decide(made)
        return made

    def decide(self, simulator: FlagshipSimulator) -> None:
        bens, all_ = bucketing(self.flags)["campaigns"][0]["variationGroups"]
        simulator.environment.decide(_decided(all_))
        simulator.environment.decide(_decided(bens), visitor="ben")

    def publish(self) -> None:
        self.simulator.publish(bucketing(self.flags))
        self.decide(self.simulator)

    def panic(self, on: bool = True) -> None:
        self.simulator.environment.panic(on)
        self.simulator.publish(bucketing(self.flags, panic=on))

    def properties(self) -> dict[str, Any]:
        reach = self.simulator
        return {"env_id": reach.environment_id, "api_key": reach.api_key, "decision.url": reach.decision_url,
                "cdn.url": reach.cdn_url, "events.url": reach.events_url, "usage_tracking": False, "mode": self.mode,
                "events.flush_interval_ms": 3_600_000, "expose": False, "polling_interval": 3600, "timeout_ms": 10_000,
                **({} if self.identifies else {"context": self.person("anna")})}

    def refused(self) -> dict[str, Any]:
        return {"env_id": "hoistsampleenv000009"}

    def handle(self, client: hoist.Client) -> Any:
        from hoist.flagship import Client

        visitor = client.visitor("anna") if isinstance(client, Client) else None
        if visitor is None:
            return super().handle(client)
        visitor.fetch()
        return lambda: visitor.value(ON, False, expose=False)

    def event(self, number: int) -> str:
        return f"event-{number}"

    def mark(self, number: int) -> str:
        return f'"event-{number}"'

    def tracked_persons(self) -> list[str]:
        return sorted(hit["vid"] for hit in self.simulator.ledger.hits("EVENT") if str(hit["ea"]).startswith("event-"))

    def order(self) -> list[float]:
        found = [hit for hit in self.simulator.ledger.hits("EVENT") if str(hit["ea"]).startswith("event-")]
        return [hit["ev"] for hit in sorted(found, key=lambda hit: -hit["qt"])]

    def accepted(self) -> list[float]:
        found = {(hit["ea"], hit.get("ev")) for hit in self.simulator.ledger.hits("EVENT") if str(hit["ea"]).startswith("event-")}
        return sorted(value for _, value in found)


class DecisionAPI(Flagship):
    name = "flagship-decision-api"
    mode = "decision_api"
    fetching = ("campaigns",)
    quick = {"network.retry_max_ms": 1000}
    lacks = {"local": REMOTE, "interval": Sentence(
        "flagship.h", "After one that succeeds the service is asked again when the host wants it (decision_api)"), "bootstrap": Sentence("flagship.h", "Property `mode` says who assigns campaigns: the service, for each fetch of a "
                                                 'visitor ("decision_api"), or this library from a file with all campaigns')}


class Bucketing(Flagship):
    name = "flagship-bucketing"
    mode = "bucketing"
    fetching = ("bucketing",)
    quick = {"polling_interval": 1, "network.retry_max_ms": 1000}
    lacks = {"remote": REMOTE}

    def bootstrap(self, good: bool = True) -> dict[str, Any]:
        return {"bucketing": json.dumps(bucketing(FLAGS) if good else {"campaigns": 7})}
