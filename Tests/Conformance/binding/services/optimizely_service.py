"""Clients of a datafile whose events, notifications and profiles stay in this process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import hoist
from hoist import optimizely
from hoist.optimizely import NotificationKind

LIMIT = 20.0
"""Seconds after which events that should be delivered count as lost."""

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TAG_TYPES = "tag-type: the vendor's kits differ, and these are another's answers"

class Post(hoist.Dispatcher):
    """Takes every event, and keeps it."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, Any]] = []

    def dispatch(self, batch: hoist.Batch, receipt: hoist.Receipt) -> None:
        self.kept.append((batch.url, json.loads(batch.body)))
        receipt.complete()

class Profiles(optimizely.ProfileService):
    """Profiles by user, and what was asked of them."""

    def __init__(self) -> None:
        self.by_user: dict[str, Any] = {}
        self.lookups = 0
        self.saved: list[Any] = []

    def lookup(self, user_id: str) -> Mapping[str, Any] | None:
        self.lookups += 1
        return self.by_user.get(user_id)

    def save(self, profile: dict[str, Any]) -> None:
        self.saved.append(profile)
        self.by_user[profile["user_id"]] = profile

class Desk:
    """One client, and what is left of each call."""

    def __init__(self, datafile: Any, options: list[str]) -> None:
        self.post, self.profiles, self.told = Post(), Profiles(), list[Any]()
        self.client = optimizely.Client(
            datafile=datafile, decide_options=options, profiles=self.profiles, dispatcher=self.post, store="none",
            dispatch="manual", background_fetch=False, client_name="<CLIENT_NAME>", client_version="<CLIENT_VERSION>",
            **{"log.level": "none", "events.batch_size": 1, "events.durability": "memory"},
        )
        self.client.observe_notifications(NotificationKind.DECISION, self.told.append)

    def begin(self, profiles: Mapping[str, Any] | None) -> None:
        """Forgets the call before."""
        self.profiles.by_user, self.profiles.lookups, self.profiles.saved = dict(profiles or {}), 0, []
        self.post.kept.clear()
        self.told.clear()

    def posts(self) -> list[Any]:
        """Events of the call, as vectors are compared."""
        self.client.flush(LIMIT)
        return [comparable({"url": url, "body": body}) for url, body in self.post.kept]

    def notifications(self) -> list[Any]:
        self.client.dispatch()
        return list(self.told)

class Desks:
    """The desks of a file of vectors; each client serves many cases."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.open: dict[tuple[str, ...], Desk] = {}

    def desk(self, name: str, options: list[str] | None = None) -> Desk:
        key = (name, *(options or []))
        if key not in self.open:
            self.open[key] = Desk(self.root["datafiles"][name], list(options or []))
        return self.open[key]

    def __enter__(self) -> Desks:
        return self

    def __exit__(self, *_: object) -> None:
        for desk in self.open.values():
            desk.client.close()

def comparable(event: Any) -> Any:
    """An event as one value: the region among its members, attributes in order of their keys, no time stamps, no empty tags."""
    if not isinstance(event, dict):
        return event
    body = dict(event["body"])
    if "bodyRegion" in event:
        body["region"] = event["bodyRegion"]
    body["visitors"] = [comparable_visitor(visitor) for visitor in body["visitors"]]
    return {"url": event["url"], "body": body}

def comparable_visitor(visitor: Mapping[str, Any]) -> Any:
    attributes = sorted(plain(visitor["attributes"]), key=lambda one: str(one["key"] if isinstance(one, dict) else one))
    snapshots = [
        {"decisions": snapshot.get("decisions"), "events": [comparable_event(event) for event in snapshot["events"]]}
        for snapshot in visitor["snapshots"]
    ]
    return {"visitor_id": visitor["visitor_id"], "attributes": attributes, "snapshots": snapshots}

def comparable_event(event: Mapping[str, Any]) -> Any:
    left = {name: value for name, value in plain(event).items() if name != "timestamp" and not (name == "tags" and value == {})}
    if UUID.fullmatch(str(left.get("uuid"))):
        left["uuid"] = "<UUID>"
    return left

def plain(value: Any) -> Any:
    """The value with whole numbers as such: 18.0 and 18 are one number."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(element) for element in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_finite(value: Any) -> bool:
    """A context holds finite numbers only."""
    return not (isinstance(value, dict) and "$double" in value)

def sayable_attributes(case: Any) -> bool:
    return all(is_finite(value) for value in (case.get("attributes") or {}).values())

def without(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: member for key, member in value.items() if key != name}

def context(case: Any) -> hoist.Context:
    return hoist.Context(case["userId"], case.get("attributes") or {})

Run = Callable[[Any, Any], None]
