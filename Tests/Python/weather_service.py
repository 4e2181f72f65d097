"""A whole service in Python, as its customer would write it: flags from a document that is polled, rules, events."""

from __future__ import annotations

import json
import zlib
from typing import Any

import hoist
from hoist import Flag, Pipeline, ProviderProperty, Reason, State, Status


class Weather(hoist.Provider):
    """`{"flags": {KEY: {"values": {NAME: VALUE}, "default": NAME, "cities": {CITY: NAME}}}}`, at `url`."""

    name = "weather"
    properties = (
        ProviderProperty("url", help="Address of the flags.", required=True, identity=True),
        ProviderProperty("interval_ms", "int", 60_000, "Milliseconds between polls.", minimum=10, maximum=86_400_000),
    )
    pipelines = (Pipeline("sightings", flush_interval=3600),)

    def __init__(self, host: hoist.ProviderHost) -> None:
        super().__init__(host)
        self.cities: dict[str, dict[str, int]] = {}
        self.made_of: bytes | None = None

    def start(self) -> None:
        self.host.load("flags", lambda kept: self.publish(kept) if kept and self.made_of is None else None)
        self.refresh()

    def set_online(self, is_online: bool) -> None:
        if is_online:
            self.refresh()

    def refresh(self) -> None:
        if self.host.is_online:
            self.host.send(hoist.Request("GET", self.host.get("url")), self.answered)

    def answered(self, answer: hoist.Answer) -> None:
        self.host.schedule(self.host.get("interval_ms") / 1000, self.refresh)
        if not answer.status or answer.http_status != 200:
            self.host.set_state(State.ERROR, answer.message or f"status {answer.http_status}")
            return
        self.publish(answer.body)
        self.host.save("flags", answer.body)
        self.host.set_state(State.READY)

    def publish(self, body: bytes) -> None:
        flags = []
        for key, row in json.loads(body)["flags"].items():
            names = list(row["values"])
            self.cities[key] = {city: names.index(name) for city, name in row.get("cities", {}).items()}
            flags.append(Flag(key, list(row["values"].items()), names.index(row["default"]), is_decided_per_call=True,
                              is_recorded=True, metadata={"checksum": zlib.crc32(body)}))
        self.host.publish(flags)
        self.made_of = body

    def evaluate(self, evaluation: hoist.Evaluation) -> None:
        city = evaluation.context.to_dict().get("city") if evaluation.context else None
        if city is None:
            raise hoist.Error(Status.ARGUMENT, "whose weather?")
        if city in self.cities[evaluation.key]:
            evaluation.variation, evaluation.reason = self.cities[evaluation.key][city], Reason.TARGETING_MATCH

    def explain(self, evaluation: hoist.Evaluation) -> Any:
        return {"cities": sorted(self.cities[evaluation.key])}

    def record(self, evaluation: hoist.Evaluation) -> None:
        self.count("seen", evaluation.key, evaluation.variation)

    def track(self, event: hoist.ProviderEvent) -> Status:
        return self.count("tracked", event.key, [event.value, dict(event.properties)])

    def count(self, kind: str, key: str, what: Any) -> Status:
        return self.host.record("sightings", json.dumps([kind, key, what]).encode())

    def encode(self, batch: hoist.ProviderBatch) -> hoist.Request:
        body = "[" + ",".join(row.payload.decode() for row in batch.rows) + "]"
        return hoist.Request("POST", self.host.get("url"), [("X-Batch", batch.id)], body.encode())
