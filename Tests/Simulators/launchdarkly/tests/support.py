"""A correct client in a few lines: builds proper requests for the sample's flags, which tests then spoil."""

from __future__ import annotations

import base64
import json
from typing import Any, Callable

from loopback.calls import Call
from loopback.reader import EventReader

from launchdarkly import LaunchDarklySimulator

NOW = 1_767_700_000_000
"""What the simulator of a test takes for the present, in milliseconds since 1970."""
INSTANCE = "6f1d3a2b-0c4e-4d5f-8a9b-1c2d3e4f5a6b"
ANNA: dict[str, Any] = {"kind": "user", "key": "anna", "plan": "pro", "email": "anna@example.com", "anonymous": True,
                        "_meta": {"privateAttributes": ["email"]}}
BOTH: dict[str, Any] = {"kind": "multi", "org": {"key": "o:1", "seats": 20}, "user": {"key": "anna", "name": "Anna"}}
ANNA_TOLD: dict[str, Any] = {"kind": "user", "key": "anna", "plan": "pro", "anonymous": True,
                             "_meta": {"redactedAttributes": ["email"]}}
ANNA_HIDDEN: dict[str, Any] = {"kind": "user", "key": "anna", "anonymous": True,
                               "_meta": {"redactedAttributes": ["/email", "plan"]}}


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def compact(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def segment(text: str | bytes) -> str:
    return base64.urlsafe_b64encode(text.encode() if isinstance(text, str) else text).decode()


def headers(simulator: LaunchDarklySimulator, **more: str) -> dict[str, str]:
    common = {"Authorization": f"api_key {simulator.mobile_key}", "User-Agent": "HoistClient/0.1.0",
              "X-LaunchDarkly-Instance-Id": INSTANCE}
    return {**common, **{name.replace("_", "-"): value for name, value in more.items()}}


def stream(simulator: LaunchDarklySimulator, context: dict[str, Any] | None = None) -> Call:
    return Call("GET", "/meval/" + segment(compact(context or ANNA)),
                headers(simulator, Accept="text/event-stream", Cache_Control="no-cache"))


def stream_report(simulator: LaunchDarklySimulator, context: dict[str, Any] | None = None) -> Call:
    more = {"Accept": "text/event-stream", "Cache_Control": "no-cache", "Content_Type": "application/json"}
    return Call("REPORT", "/meval", headers(simulator, **more), body=compact(context or BOTH).encode())


def poll(simulator: LaunchDarklySimulator, context: dict[str, Any] | None = None) -> Call:
    return Call("GET", "/msdk/evalx/contexts/" + segment(compact(context or BOTH)), headers(simulator))


def poll_report(simulator: LaunchDarklySimulator, context: dict[str, Any] | None = None) -> Call:
    more = {"Content_Type": "application/json"}
    return Call("REPORT", "/msdk/evalx/context", headers(simulator, **more), body=compact(context or ANNA).encode())


def identify(context: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"kind": "identify", "key": "anna", "creationDate": NOW - 900, "context": context or ANNA_TOLD}


def feature(**more: Any) -> dict[str, Any]:
    """Of the one flag of the sample that is tracked. Its context is anonymous, and shows nothing."""
    return {"kind": "feature", "key": "banner", "creationDate": NOW - 800, "context": ANNA_HIDDEN, "version": 4,
            "variation": 0, "value": "Hello", "default": "none", "reason": {"kind": "TARGET_MATCH"}, **more}


def debug(**more: Any) -> dict[str, Any]:
    return {"kind": "debug", "key": "watched", "creationDate": NOW - 700, "context": ANNA_TOLD, "version": 11,
            "variation": 1, "value": False, "default": True, **more}


def custom(**more: Any) -> dict[str, Any]:
    return {"kind": "custom", "key": "purchase", "creationDate": NOW - 600, "context": ANNA_TOLD,
            "data": {"cart": [1, 2]}, "metricValue": 19.5, **more}


def summary(**more: Any) -> dict[str, Any]:
    """Four evaluations: two of a flag, one of an unknown one, and one with a version of events."""
    features = {
        "banner": {"default": "none", "contextKinds": ["user"],
                   "counters": [{"value": "Hello", "variation": 0, "version": 4, "count": 2}]},
        "nowhere": {"default": 1, "contextKinds": ["user"], "counters": [{"value": 1, "unknown": True, "count": 1}]},
        "dark-mode": {"contextKinds": ["user"],
                      "counters": [{"value": True, "variation": 0, "version": 2, "count": 1}]}}
    return {"kind": "summary", "startDate": NOW - 30_000, "endDate": NOW - 500, "features": features, **more}


def payload(simulator: LaunchDarklySimulator, *events_: dict[str, Any], number: int = 1) -> Call:
    more = {"Accept": "application/json", "Content_Type": "application/json", "X_LaunchDarkly_Event_Schema": "4",
            "X_LaunchDarkly_Payload_Id": uuid(number)}
    return Call("POST", "/mobile/events/bulk", headers(simulator, **more), document=json.loads(json.dumps(events_)))


def events(simulator: LaunchDarklySimulator) -> Call:
    """One event of each kind, of a context that asked for flags before."""
    poll_report(simulator).send(simulator)
    return payload(simulator, identify(), feature(), debug(), custom(), summary())


def _diagnostic(simulator: LaunchDarklySimulator, content: dict[str, Any]) -> Call:
    more = {"Accept": "application/json", "Content_Type": "application/json"}
    identity = {"diagnosticId": uuid(7), "sdkKeySuffix": simulator.mobile_key[-6:]}
    return Call("POST", "/mobile/events/diagnostic", headers(simulator, **more), document={"id": identity, **content})


def diagnostic_init(simulator: LaunchDarklySimulator) -> Call:
    return _diagnostic(simulator, {
        "kind": "diagnostic-init", "creationDate": NOW - 10, "sdk": {"name": "hoist", "version": "0.1.0"},
        "configuration": {
            "customBaseURI": True, "customEventsURI": True, "customStreamURI": True, "eventsCapacity": 100,
            "connectTimeoutMillis": 10000, "eventsFlushIntervalMillis": 30000, "streamingDisabled": False,
            "allAttributesPrivate": False, "pollingIntervalMillis": 300000, "backgroundPollingIntervalMillis": 3600000,
            "useReport": False, "backgroundPollingDisabled": True, "evaluationReasonsRequested": False,
            "maxCachedContexts": 5, "mobileKeyCount": 1, "diagnosticRecordingIntervalMillis": 900000,
            "customHeaders": False},
        "platform": {"name": "swift", "systemName": "Linux", "systemVersion": "6.1", "backgroundEnabled": True,
                     "streamingEnabled": True, "deviceType": "x86_64"}})


def diagnostic(simulator: LaunchDarklySimulator) -> Call:
    return _diagnostic(simulator, {
        "kind": "diagnostic", "creationDate": NOW - 5, "dataSinceDate": NOW - 900_000, "droppedEvents": 0,
        "eventsInLastBatch": 3, "streamInits": [{"timestamp": NOW - 1000, "durationMillis": 120, "failed": False}]})


BUILDERS: dict[str, Callable[[LaunchDarklySimulator], Call]] = {
    "stream": stream, "stream_report": stream_report, "poll": poll, "poll_report": poll_report, "events": events,
    "diagnostic_init": diagnostic_init, "diagnostic": diagnostic,
}


class StreamReader(EventReader):
    """Reads a stream of flags."""

    def __init__(self, simulator: LaunchDarklySimulator, context: dict[str, Any] | None = None) -> None:
        super().__init__(simulator, stream(simulator, context))

    def message(self) -> tuple[str, Any]:
        """Name and data of the next event."""
        found = self.next()
        return found["event"], json.loads(found["data"]) if found.get("data") else None
