"""Kameleoon. A flag is a delivery to everybody; `text` is the key of its variation, `number` a variable, `settings` all."""

from __future__ import annotations

import json
from typing import Any

from kameleoon import KameleoonSimulator

import hoist
from scenario import Sentence

from .base import BENS_TEXT, FALLBACKS, FLAGS, NUMBER, ON, REMOTE, SETTINGS, TEXT, Simulated

TYPES = {str: "STRING", int: "NUMBER", bool: "BOOLEAN"}
BENS_SEGMENT = 5
FIRST = 1_767_225_600_000


def _variables(flag: str, value: Any) -> list[dict[str, Any]]:
    named = {"value": value} if flag == NUMBER else value if flag == SETTINGS else {}
    return [{"key": name, "type": TYPES.get(type(content), "JSON"),
             "value": content if type(content) in TYPES else json.dumps(content)} for name, content in named.items()]


def _flag(place: int, flag: str, value: Any) -> dict[str, Any]:
    key = value if flag == TEXT else "some"
    rules = []
    if flag == TEXT:
        rules.append(_rule(place * 100 + 50, 0, BENS_TEXT, BENS_SEGMENT))
    if value is not False:
        rules.append(_rule(place * 100, len(rules), key))
    variations = {"off": "Off", key: "Some", **({BENS_TEXT: "Ben's"} if flag == TEXT else {})}
    return {"id": place, "featureKey": flag, "defaultVariationKey": "off", "environmentEnabled": True, "rules": rules,
            "variations": [{"key": one, "name": name, "variables": _variables(flag, value)} for one, name in variations.items()]}


def _rule(number: int, order: int, key: str, segment: int | None = None) -> dict[str, Any]:
    return {"id": number, "order": order, "type": "TARGETED_DELIVERY", "exposition": 1.0, "experimentId": number + 1,
            "respoolTime": None, "segmentId": segment,
            "variationByExposition": [{"variationKey": key, "variationId": number + 2, "exposition": 1.0}]}


def document(flags: dict[str, Any], modified: int, real_time: bool) -> dict[str, Any]:
    bens = {"targetingType": "VISITOR_CODE", "isInclude": True, "visitorCode": "ben", "matchType": "EXACT"}
    return {"configuration": {"realTimeUpdate": real_time, "consentType": "NO_CONSENT", "consentOptOutBehavior": "PARTIALLY_BLOCK"},
            "dateModified": modified, "customData": [],
            "segments": [{"id": BENS_SEGMENT, "audienceTracking": False, "conditionsData": {
                "firstLevelOrOperators": [], "firstLevel": [{"orOperators": [], "conditions": [bens]}]}}],
            "featureFlags": [_flag(place, flag, value) for place, (flag, value) in enumerate(flags.items(), 1)]}


class Kameleoon(Simulated):
    provider = "kameleoon"
    simulator: KameleoonSimulator
    fetching = ("configuration",)
    sending = ("tracking",)
    pipeline = "tracking"
    lacks = {"remote": REMOTE}
    untried = {"pace": "its shortest interval is a minute"}
    lazy = {"tracking_interval_millisecond": 5000}
    secrets = ("sample-secret",)

    def __init__(self, folder: Any) -> None:
        super().__init__(folder)
        self.modified = FIRST

    def make(self) -> KameleoonSimulator:
        return KameleoonSimulator(document(self.flags, self.modified, self.streams), foreign_dates=True)

    def publish(self) -> None:
        self.modified += 1
        self.simulator.publish(document(self.flags, self.modified, self.streams), announce=self.streams)

    def panic(self, on: bool = True) -> None:
        self.modified += 1
        self.simulator.publish(document({} if on else self.flags, self.modified, self.streams), announce=self.streams)

    def properties(self) -> dict[str, Any]:
        reach = self.simulator
        return {"site_code": reach.site_code, "configuration.url": reach.configuration_url, "data.url": reach.data_url,
                "stream.url": reach.stream_url, "token.url": reach.token_url, "visitor_code": "anna",
                "tracking_interval_millisecond": 100, "track_evaluations": False}

    def refused(self) -> dict[str, Any]:
        return {"site_code": "nosuchsite"}

    def bootstrap(self, good: bool = True) -> dict[str, Any]:
        return {"default_datafile": json.dumps(document(FLAGS, FIRST, self.streams) if good else {"featureFlags": 7})}

    def read(self, client: hoist.Client, flag: str, context: Any = None, fallback: Any = ...) -> Any:
        if flag != NUMBER:
            return super().read(client, flag, context, fallback)
        found = client.json(flag, context)
        return found["value"] if found is not None else FALLBACKS[NUMBER] if fallback is ... else fallback

    def handle(self, client: hoist.Client) -> Any:
        from hoist.kameleoon import Client

        visitor = client.visitor("anna") if isinstance(client, Client) else None
        if visitor is None:
            return super().handle(client)

        def read() -> bool:
            try:
                return visitor.is_feature_active(ON, track=False)
            except hoist.Error:  # as the vendor's SDK does
                return False

        return read

    def event(self, number: int) -> str:
        return "501"

    def mark(self, number: int) -> str:
        return f"revenue={number}"

    def tracked_persons(self) -> list[str]:
        return sorted(line.visitor for line in self.simulator.ledger.lines("conversion"))

    def order(self) -> list[float]:
        return [float(line.values["revenue"]) for line in self.simulator.ledger.lines("conversion")]

    def accepted(self) -> list[float]:
        return sorted(float(line.values["revenue"]) for line in self.simulator.ledger.lines("conversion"))


class Polling(Kameleoon):
    name = "kameleoon-polling"


class Streaming(Kameleoon):
    name = "kameleoon-streaming"
    streams = True
    asks_when_open = True
