"""Optimizely. A flag is a rule of a rollout; `text` is the key of its variation, `number` a variable, `settings` all variables."""

from __future__ import annotations

import json
from typing import Any

from optimizely import OptimizelySimulator

import hoist
from scenario import Sentence

from .base import BENS_TEXT, FALLBACKS, FLAGS, NUMBER, OFF, ON, REMOTE, SETTINGS, TEXT, Simulated

BENS_ID, SOME_ID = "9", "1"
TYPES = {bool: "boolean", str: "string", int: "integer", float: "double"}


def _variables(flag: str, value: Any) -> dict[str, Any]:
    return {"value": value} if flag == NUMBER else value if flag == SETTINGS else {}


def _flag(place: int, flag: str, value: Any) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """The flag, its rollout, and the experiments beside."""
    number = f"{place}0"
    variables, chosen = [], []
    for index, (name, content) in enumerate(_variables(flag, value).items()):
        kind = TYPES.get(type(content))
        text = json.dumps(content) if not isinstance(content, str) else content
        variables.append({"id": f"{number}{index}", "key": name, "type": kind or "string", "defaultValue": text,
                          **({} if kind else {"subType": "json"})})
        chosen.append({"id": f"{number}{index}", "value": text})
    key = value if flag == TEXT else "off" if value is False else "some"
    variation = {"id": f"{number}{SOME_ID}1", "key": key, "featureEnabled": value is not False, "variables": chosen}
    rule = {"id": f"{number}2", "key": f"{flag}_everybody", "status": "Running", "layerId": f"{number}3", "audienceIds": [],
            "forcedVariations": {}, "variations": [variation],
            "trafficAllocation": [{"entityId": variation["id"], "endOfRange": 10000}]}
    experiments = []
    if flag == TEXT:
        # Nobody gets into this experiment by chance; Ben is on its list.
        bens = {"id": f"{number}{BENS_ID}1", "key": BENS_TEXT, "featureEnabled": True, "variables": []}
        experiments = [{"id": f"{number}8", "key": "text_of_ben", "status": "Running", "layerId": f"{number}7", "audienceIds": [],
                        "forcedVariations": {"ben": BENS_TEXT}, "variations": [bens],
                        "trafficAllocation": [{"entityId": "", "endOfRange": 10000}]}]
    feature = {"id": number, "key": flag, "experimentIds": [one["id"] for one in experiments], "rolloutId": f"{number}4",
               "variables": variables}
    return feature, {"id": f"{number}4", "experiments": [rule]}, experiments


def document(flags: dict[str, Any], revision: int) -> dict[str, Any]:
    parts = [_flag(place, flag, value) for place, (flag, value) in enumerate(flags.items(), 1)]
    return {"version": "4", "accountId": "1", "projectId": "2", "revision": str(revision), "sdkKey": "sample-sdk-key",
            "environmentKey": "production", "anonymizeIP": True, "botFiltering": False, "sendFlagDecisions": False,
            "attributes": [{"id": "51", "key": "plan"}], "events": [{"id": "61", "key": "purchase", "experimentIds": []}],
            "audiences": [], "typedAudiences": [], "featureFlags": [part[0] for part in parts],
            "rollouts": [part[1] for part in parts], "experiments": [one for part in parts for one in part[2]], "groups": [],
            "variables": [], "integrations": []}


class Optimizely(Simulated):
    name = "optimizely"
    provider = "optimizely"
    simulator: OptimizelySimulator
    fetching = ("datafile",)
    sending = ("events-us",)
    identifies = True
    eager = {"events.timer_interval": 0}
    quick = {"polling_interval": 1, "min_polling_interval": 1, "network.retry_max_ms": 1000}
    lacks = {"remote": REMOTE}
    secrets = ("sample-sdk-key",)

    def __init__(self, folder: Any) -> None:
        super().__init__(folder)
        self.revision = 1

    def make(self) -> OptimizelySimulator:
        return OptimizelySimulator(document(self.flags, self.revision), foreign_dates=True)

    def publish(self) -> None:
        self.revision += 1
        self.simulator.publish(document(self.flags, self.revision))

    def panic(self, on: bool = True) -> None:
        self.revision += 1
        self.simulator.publish(document({} if on else self.flags, self.revision))

    def properties(self) -> dict[str, Any]:
        return {"sdk_key": self.simulator.sdk_key, "datafile.url": self.simulator.datafile_url, "datafile.retries": 0,
                "events.url.us": self.simulator.events_url, "events.url.eu": self.simulator.eu_events_url,
                "events.flush_interval_ms": 3_600_000}

    def refused(self) -> dict[str, Any]:
        return {"sdk_key": "no-such-key"}

    def bootstrap(self, good: bool = True) -> dict[str, Any]:
        return {"datafile": json.dumps(document(FLAGS, 1) if good else {"version": "4"})}

    def unreachable(self) -> dict[str, Any]:
        return {"sdk_key": None}

    def read(self, client: hoist.Client, flag: str, context: Any = None, fallback: Any = ...) -> Any:
        if flag != NUMBER:
            return super().read(client, flag, context, fallback)
        found = client.json(flag, context)
        return found["value"] if found is not None else FALLBACKS[NUMBER] if fallback is ... else fallback

    def handle(self, client: hoist.Client) -> Any:
        from hoist.optimizely import Client

        user = client.user("anna") if isinstance(client, Client) else None
        return super().handle(client) if user is None else lambda: user.decide(ON).enabled

    def event(self, number: int) -> str:
        return "purchase"

    def mark(self, number: int) -> str:
        return f'"value":{number}'

    def tracked_persons(self) -> list[str]:
        return sorted(visitor["visitor_id"] for body in self.simulator.ledger.bodies("events-us") for visitor in body["visitors"])

    def order(self) -> list[float]:
        found = [happening.event for happening in self.simulator.ledger.events() if happening.event["key"] == "purchase"]
        return [event["value"] for event in sorted(found, key=lambda event: event["timestamp"])]

    def accepted(self) -> list[float]:
        found = {happening.uuid: happening.event.get("value") for happening in self.simulator.ledger.events()
                 if happening.event["key"] == "purchase"}
        return sorted(found.values())
