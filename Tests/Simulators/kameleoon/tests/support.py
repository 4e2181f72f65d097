"""A correct client in a few lines: builds proper requests for the sample site, which tests then spoil."""

from __future__ import annotations

import base64
import json
from typing import Any, Callable
from urllib.parse import quote

from loopback.calls import Call, Change
from loopback.reader import EventReader

from kameleoon import KameleoonSimulator
from kameleoon.sample import CLIENT_ID, CLIENT_SECRET, SITE

NOW = 1_767_700_000_000
"""What the simulator of a test takes for the present, in milliseconds since 1970."""
AGENT = {"User-Agent": "hoist/0.1.0"}
SENDER = ["sdkName=SWIFT", "sdkVersion=4.25.0", f"siteCode={SITE}"]


def encoded(value: Any) -> str:
    return quote(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":")),
                 safe="-_.!~*'()")


def nonce(number: int) -> str:
    return f"{number:016X}"


def line(number: int, event: str, visitor: str = "carla", agent: str | None = None, named: str = "visitorCode",
         **values: Any) -> str:
    """One line; members that are no texts come as JSON."""
    pairs = [("nonce", nonce(number)), ("eventType", event), *values.items(), (named, visitor)]
    pairs += [] if agent is None else [("userAgent", agent)]
    return "&".join(f"{name}={encoded(value)}" for name, value in pairs)


def custom_data(number: int, index: int, *values: str, visitor: str = "carla", named: str = "visitorCode",
                **more: Any) -> str:
    return line(number, "customData", visitor, named=named, index=index, valuesCountMap=dict.fromkeys(values, 1),
                overwrite=True, **more)


def exposure(number: int, experiment: int = 100, variation: int = 12, visitor: str = "carla") -> str:
    return line(number, "experiment", visitor, id=experiment, variationId=variation)


def conversion(number: int, goal: int = 7, revenue: float = 0.0, visitor: str = "carla", **more: Any) -> str:
    return line(number, "conversion", visitor, goalId=goal, revenue=revenue, negative=False, **more)


LINES = [
    line(1, "staticData", agent="Mozilla/5.0 (X11) é", deviceType="PHONE"),
    line(2, "staticData", browserIndex=0, browserVersion=99.5),
    line(3, "staticData", os="IOS", osIndex=2),
    line(4, "geolocation", country="France", region="Île-de-France", city="Paris", postalCode="75001",
         latitude=48.8566, longitude=-2.5),
    line(5, "staticData", visitNumber=4, timeSincePreviousVisit=86400000),
    custom_data(6, 3, "user-1", mappingIdentifier=True),
    custom_data(7, 0, "gold", "it's (fine)"),
    line(8, "page", href="https://a.com/?q=1&r=é", title="Home & Co", referrersIndices=[1, 2]),
    exposure(9),
    exposure(10, 200, 21),
    line(11, "targetingSegment", id=5),
    conversion(12, -7, 19.5, metadata={"4": ["m1", "m2"], "0": []}),
    conversion(13)]
"""One of each kind, at the places that the mutations name."""
DEVICE, BROWSER, SYSTEM, GEOLOCATION, VISITS, MAPPING, CUSTOM, PAGE, EXPOSURE, DELIVERY, SEGMENT, CONVERSION, PLAIN = \
    range(len(LINES))


def tracking(simulator: KameleoonSimulator, *lines: str) -> Call:
    return Call("POST", "/data/visit/events", {**AGENT, "Content-Type": "*/*"}, [*SENDER, "bodyUa=true"],
                body="\n".join(lines or LINES).encode())


def visitors(simulator: KameleoonSimulator) -> Call:
    """Lines of several visitors, one of them linked and one with nothing else to tell."""
    return tracking(simulator, line(21, "activity", "anna", "agent/1"), exposure(22, visitor="bert"),
                    custom_data(23, 3, "user-1", visitor="user-1", named="mappingValue", mappingIdentifier=True),
                    line(24, "experiment", "user-1", named="mappingValue", id=300, variationId=31))


def authorised(simulator: KameleoonSimulator) -> Call:
    """A request that bears an access token."""
    given = token(simulator).send(simulator).json["access_token"]
    return tracking(simulator, conversion(31)).with_header("Authorization", f"Bearer {given}")


def configuration(simulator: KameleoonSimulator) -> Call:
    sender = {"X-Kameleoon-SDK-Type": "SWIFT", "X-Kameleoon-SDK-Version": "4.25.0"}
    return Call("GET", f"/sdk-config/v3/{SITE}", {**AGENT, **sender})


def announced(simulator: KameleoonSimulator) -> Call:
    """A configuration of an environment, asked for after a real-time event."""
    simulator.site.publish({"dateModified": 5}, "staging")
    call = configuration(simulator)
    call.query = ["environment=staging", f"ts={simulator.announce()}"]
    return call


def stream(simulator: KameleoonSimulator) -> Call:
    headers = {**AGENT, "Accept": "text/event-stream", "Cache-Control": "no-cache", "Connection": "Keep-Alive"}
    return Call("GET", "/events/sse", headers, [f"siteCode={SITE}"])


def visitor(simulator: KameleoonSimulator) -> Call:
    query = [f"siteCode={SITE}", "visitorCode=carla%20%C3%A9", "maxNumberPreviousVisits=1", "version=0",
             "staticData=true", "currentVisit=true", "customData=true"]
    return Call("GET", "/data/visit/visitor", dict(AGENT), query)


def linked(simulator: KameleoonSimulator) -> Call:
    """Everything about a visitor who is a unique identifier."""
    query = [f"siteCode={SITE}", "mappingValue=user-1", "maxNumberPreviousVisits=25", "version=0", "staticData=true",
             *(f"{name}=true" for name in ("kcs", "currentVisit", "customData", "conversion", "geolocation",
                                           "experiment", "page", "personalization", "cbs"))]
    return Call("GET", "/data/visit/visitor", dict(AGENT), query)


def remote(simulator: KameleoonSimulator) -> Call:
    simulator.site.store("prices/é", {"a": 1})
    return Call("GET", "/data/map/map", dict(AGENT), [f"siteCode={SITE}", "key=prices%2F%C3%A9"])


def token(simulator: KameleoonSimulator) -> Call:
    credentials = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
    headers = {**AGENT, "Authorization": f"Basic {credentials}", "Content-Type": "application/x-www-form-urlencoded"}
    return Call("POST", "/api/oauth/token", headers, list(SENDER), body=b"grant_type=client_credentials")


BUILDERS: dict[str, Callable[[KameleoonSimulator], Call]] = {
    "configuration": configuration, "announced": announced, "stream": stream, "tracking": tracking,
    "visitors": visitors, "authorised": authorised, "visitor": visitor, "linked": linked, "remote": remote,
    "token": token,
}


def replaced_line(index: int, change: Callable[[str], str]) -> Change:
    """Changes one line of the body; it must become another one."""
    def made(call: Call) -> Call:
        changed = call.copy()
        lines = (call.body or b"").decode().split("\n")
        before, lines[index] = lines[index], change(lines[index])
        assert lines[index] != before
        changed.body = "\n".join(lines).encode()
        return changed

    return made


def moved_line(index: int, to: int) -> Change:
    def made(call: Call) -> Call:
        changed = call.copy()
        lines = (call.body or b"").decode().split("\n")
        lines.insert(to, lines.pop(index))
        changed.body = "\n".join(lines).encode()
        return changed

    return made


def added_lines(*more: str) -> Change:
    def made(call: Call) -> Call:
        changed = call.copy()
        changed.body = b"\n".join([call.body or b"", *(text.encode() for text in more)])
        return changed

    return made


class StreamReader(EventReader):
    """Reads the stream of real-time events."""

    def __init__(self, simulator: KameleoonSimulator) -> None:
        super().__init__(simulator, stream(simulator))

    def time(self) -> int:
        """The time of the next event."""
        found = self.next()
        assert found["event"] == "configuration-update-event"
        return json.loads(found["data"])["ts"]
