"""A correct client in a few lines: builds proper requests for the sample's data, which tests then spoil."""

from __future__ import annotations

import json
from typing import Any, Callable

from launchdarkly.tests.support import ANNA, ANNA_HIDDEN, ANNA_TOLD, INSTANCE, NOW, uuid
from loopback.calls import Call
from loopback.reader import EventReader

from launchdarkly_server import LaunchDarklyServerSimulator

BOB: dict[str, Any] = {"kind": "user", "key": "bob", "plan": "pro"}
"""A known person with nothing private. ANNA is anonymous, and has a private attribute."""


def headers(simulator: LaunchDarklyServerSimulator, **more: str) -> dict[str, str]:
    common = {"Authorization": simulator.sdk_key, "User-Agent": "HoistServer/0.1.0", "X-LaunchDarkly-Instance-Id": INSTANCE}
    return {**common, **{name.replace("_", "-"): value for name, value in more.items()}}


def stream(simulator: LaunchDarklyServerSimulator) -> Call:
    return Call("GET", "/all", headers(simulator, Accept="text/event-stream", Cache_Control="no-cache"))


def poll(simulator: LaunchDarklyServerSimulator) -> Call:
    return Call("GET", "/sdk/latest-all", headers(simulator, Accept_Encoding="gzip"))


def index(context: dict[str, Any] = ANNA_TOLD) -> dict[str, Any]:
    return {"kind": "index", "creationDate": NOW - 1000, "context": context}


def identify(context: dict[str, Any] = BOB) -> dict[str, Any]:
    return {"kind": "identify", "creationDate": NOW - 900, "context": context}


def feature(**more: Any) -> dict[str, Any]:
    """A prerequisite of the tracked flag behind it. Anna is anonymous, so her context shows nothing."""
    return {"kind": "feature", "key": "banner", "creationDate": NOW - 800, "context": ANNA_HIDDEN, "version": 4,
            "variation": 0, "value": "Hello", "default": None, "prereqOf": "checkout", "reason": {"kind": "FALLTHROUGH"},
            **more}


def debug(**more: Any) -> dict[str, Any]:
    return {"kind": "debug", "key": "watched", "creationDate": NOW - 700, "context": ANNA_TOLD, "version": 11,
            "variation": 1, "value": False, "default": True, **more}


def custom(**more: Any) -> dict[str, Any]:
    return {"kind": "custom", "key": "purchase", "creationDate": NOW - 600, "context": ANNA_HIDDEN,
            "data": {"cart": [1, 2]}, "metricValue": 19.5, **more}


def migration(**more: Any) -> dict[str, Any]:
    return {"kind": "migration_op", "creationDate": NOW - 500, "operation": "read", "context": ANNA_HIDDEN, "samplingRatio": 2,
            "evaluation": {"key": "move", "default": "off", "value": "live", "variation": 3, "version": 6,
                           "reason": {"kind": "FALLTHROUGH"}},
            "measurements": [{"key": "invoked", "values": {"old": True, "new": True}},
                             {"key": "consistent", "value": True, "samplingRatio": 3},
                             {"key": "latency_ms", "values": {"old": 12.5, "new": 3}},
                             {"key": "error", "values": {"new": True}}], **more}


def summary(**more: Any) -> dict[str, Any]:
    features = {
        "banner": {"default": None, "contextKinds": ["user"],
                   "counters": [{"value": "Hello", "variation": 0, "version": 4, "count": 2}]},
        "nowhere": {"default": 1, "contextKinds": ["user"], "counters": [{"value": 1, "unknown": True, "count": 1}]},
        "page-size": {"default": 5, "contextKinds": ["user", "org"], "counters": [
            {"value": 25, "variation": 1, "version": 7, "count": 1}, {"value": 5, "version": 7, "count": 3}]}}
    return {"kind": "summary", "startDate": NOW - 4_000, "endDate": NOW - 500, "features": features, **more}


def payload(simulator: LaunchDarklyServerSimulator, *events_: dict[str, Any], number: int = 1) -> Call:
    more = {"Content_Type": "application/json", "X_LaunchDarkly_Event_Schema": "4", "X_LaunchDarkly_Payload_Id": uuid(number)}
    return Call("POST", "/bulk", headers(simulator, **more), document=json.loads(json.dumps(events_)))


def events(simulator: LaunchDarklyServerSimulator) -> Call:
    """One event of each kind."""
    simulator.environment.meet(ANNA)
    return payload(simulator, index(), identify(), feature(), debug(), custom(), migration(), summary())


def _diagnostic(simulator: LaunchDarklyServerSimulator, content: dict[str, Any]) -> Call:
    identity = {"diagnosticId": uuid(7), "sdkKeySuffix": simulator.sdk_key[-6:]}
    return Call("POST", "/diagnostic", headers(simulator, Content_Type="application/json"), document={"id": identity, **content})


def diagnostic_init(simulator: LaunchDarklyServerSimulator) -> Call:
    return _diagnostic(simulator, {
        "kind": "diagnostic-init", "creationDate": NOW - 10,
        "sdk": {"name": "hoist", "version": "0.1.0", "wrapperName": "shop", "wrapperVersion": "2"},
        "configuration": {
            "customBaseURI": True, "customEventsURI": True, "customStreamURI": True, "eventsCapacity": 10000,
            "connectTimeoutMillis": 10000, "socketTimeoutMillis": 15000, "eventsFlushIntervalMillis": 5000,
            "usingProxy": False, "streamingDisabled": False, "usingRelayDaemon": False, "allAttributesPrivate": False,
            "pollingIntervalMillis": 30000, "userKeysCapacity": 1000, "userKeysFlushIntervalMillis": 300000,
            "diagnosticRecordingIntervalMillis": 900000, "dataStoreType": "memory"},
        "platform": {"name": "swift", "osArch": "x86_64", "osName": "Linux", "osVersion": "6.1"}})


def diagnostic(simulator: LaunchDarklyServerSimulator) -> Call:
    return _diagnostic(simulator, {
        "kind": "diagnostic", "creationDate": NOW - 5, "dataSinceDate": NOW - 900_000, "droppedEvents": 0,
        "deduplicatedUsers": 4, "eventsInLastBatch": 3,
        "streamInits": [{"timestamp": NOW - 1000, "durationMillis": 120, "failed": False}]})


BUILDERS: dict[str, Callable[[LaunchDarklyServerSimulator], Call]] = {
    "stream": stream, "poll": poll, "events": events, "diagnostic_init": diagnostic_init, "diagnostic": diagnostic}


class StreamReader(EventReader):
    """Reads a stream of changes."""

    def __init__(self, simulator: LaunchDarklyServerSimulator) -> None:
        super().__init__(simulator, stream(simulator))

    def message(self) -> tuple[str, Any]:
        """Name and data of the next event."""
        found = self.next()
        return found["event"], json.loads(found["data"]) if found.get("data") else None
