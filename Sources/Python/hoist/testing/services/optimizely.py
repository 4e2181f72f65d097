"""Optimizely: a flag is a rollout to everybody."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ... import optimizely
from ...client import Client
from ...plugins import Request
from ..records import Evaluated, Tracked
from .base import Record, Service, path_of


class Optimizely(Service):
    """Datafiles, and batches of events."""

    accepted = 204
    needed = {"sdk_key": "hoist-testing"}
    given = {"datafile.url": "https://hoist.invalid/{sdk_key}.json", "odp.disable": True,
             "update_on_new_datafile": True}  # fmt: skip

    def attach(self, client: Client, note: Callable[[Record], None]) -> None:
        """Decisions of users are not among the core's evaluations."""

        def decided(told: Mapping[str, Any]) -> None:
            info = told["decisionInfo"]
            key = info.get("flagKey") or info.get("featureKey") or info.get("experimentKey")
            value = info.get("variables") or info.get("enabled", info.get("featureEnabled"))
            variation = info.get("variationKey") or info.get("sourceInfo", {}).get("variationKey") or ""
            note(Evaluated(key, value, variation, told["userId"]))

        if isinstance(client, optimizely.Client):
            client.observe_notifications(optimizely.NotificationKind.DECISION, decided)

    def answer(self, request: Request, flags: Mapping[str, Any], number: int) -> bytes | None:
        """The datafile."""
        if request.method == "GET" and path_of(request).endswith(".json"):
            return json.dumps(_datafile(flags, self.events, number)).encode()
        return None

    def read(self, request: Request) -> Iterable[Tracked]:
        """Conversions; impressions are decisions, which are told of otherwise."""
        for visitor in json.loads(request.body or b"{}").get("visitors", []):
            for snapshot in visitor["snapshots"]:
                for event in snapshot["events"] if not snapshot.get("decisions") else ():
                    tags = {name: tag for name, tag in event.get("tags", {}).items() if name != "value"}
                    yield Tracked(event["key"], event.get("value"), tags, visitor["visitor_id"])


_TYPES = {bool: "boolean", str: "string", int: "integer", float: "double"}


def _flag(place: int, key: str, value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    number = f"{place}0"
    named = value if isinstance(value, dict) else {} if isinstance(value, bool) else {"value": value}
    variables, chosen = [], []
    for index, (name, content) in enumerate(named.items()):
        text = content if isinstance(content, str) else json.dumps(content)
        variable = {
            "id": f"{number}{index}",
            "key": name,
            "type": _TYPES.get(type(content), "string"),
            "defaultValue": text,
        }
        variables.append({**variable, "subType": "json"} if isinstance(content, dict) else variable)
        chosen.append({"id": f"{number}{index}", "value": text})
    name = value if isinstance(value, str) and value else "off" if value is False else "on"
    variation = {"id": f"{number}901", "key": name,
                 "featureEnabled": value is not False, "variables": chosen}  # fmt: skip
    rule = {"id": f"{number}902", "key": f"{key}_everybody", "status": "Running", "layerId": f"{number}903",
            "audienceIds": [], "forcedVariations": {}, "variations": [variation],
            "trafficAllocation": [{"entityId": variation["id"], "endOfRange": 10000}]}  # fmt: skip
    feature = {"id": number, "key": key, "experimentIds": [], "rolloutId": f"{number}904", "variables": variables}
    return feature, {"id": f"{number}904", "experiments": [rule]}


def _datafile(flags: Mapping[str, Any], events: Iterable[str], number: int) -> dict[str, Any]:
    parts = [_flag(place, *flag) for place, flag in enumerate(flags.items(), 1)]
    named = [{"id": f"7{place}", "key": key, "experimentIds": []} for place, key in enumerate(events)]
    return {"version": "4", "accountId": "1", "projectId": "2", "revision": str(number), "sdkKey": "hoist-testing",
            "environmentKey": "testing", "anonymizeIP": True, "botFiltering": False, "sendFlagDecisions": False,
            "attributes": [], "events": named, "audiences": [], "typedAudiences": [], "experiments": [], "groups": [],
            "featureFlags": [part[0] for part in parts], "rollouts": [part[1] for part in parts], "variables": [],
            "integrations": []}  # fmt: skip
