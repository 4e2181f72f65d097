"""Clients of Flagship whose services are this process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import hoist
from hoist import flagship

LIMIT = 20.0
"""Seconds after which something that should happen counts as not happening."""

EVERYBODY = [{"targetings": []}]
"""Targeting that everybody matches."""


class Services(hoist.Transport):
    """Answers requests for decisions with one body, takes all else, and keeps requests by the last part of their path."""

    def __init__(self, decisions: Any = None) -> None:
        self.decisions = json.dumps(decisions).encode()
        self.kept: list[tuple[str, hoist.Request]] = []
        self.lock = threading.Lock()

    def send(self, request: hoist.Request, exchange: hoist.Exchange) -> None:
        name = urlsplit(request.url).path.rstrip("/").rpartition("/")[2]
        with self.lock:
            self.kept.append((name, request))
        if request.method == "GET":
            exchange.respond(404)
        else:
            exchange.respond(200, self.decisions if name == "campaigns" else b"")

    def taken(self, name: str) -> list[Any]:
        """Bodies since the last call; `""` names hits."""
        return [json.loads(request.body) for request in self.requests(name)]

    def requests(self, name: str) -> list[hoist.Request]:
        """Requests since the last call."""
        with self.lock:
            found = [request for kept, request in self.kept if kept == name]
            self.kept = [(kept, request) for kept, request in self.kept if kept != name]
        return found


@contextmanager
def opened(services: Services, **properties: Any) -> Iterator[flagship.Client]:
    """A client that keeps nothing and reports nothing of itself."""
    settings = {"env_id": "c1ndrd07m0300ro0jf20", "api_key": "k", "store": "none", "log.level": "none", "usage_tracking": False,
                "events.durability": "memory", **properties}
    client = flagship.Client(settings, transport=services)
    try:
        client.wait_ready(LIMIT)
        yield client
    finally:
        client.close(LIMIT)


@contextmanager
def bucketing(file: Any) -> Iterator[tuple[flagship.Client, Services]]:
    """A client of a file that it is given, where the service has none."""
    services = Services()
    with opened(services, mode="bucketing", polling_interval=0, bucketing=json.dumps(file)) as client:
        yield client, services


def new_visitor(client: flagship.Client, id: str, context: Any = None, history: Any = None, **more: Any) -> flagship.Visitor:
    """A visitor with a context of typed values, whose assignments are what they were."""
    exported = None
    if history:
        exported = json.dumps({"version": 1, "data": {"visitorId": id, "consent": True, "assignationHistory": history}})
    pairs = {name: plain(value) for name, value in (context or {}).items()}
    return client.visitor(id, shared=False, context=pairs, exported=exported, **more)


def plain(value: Mapping[str, Any]) -> Any:
    """A value from `{"t": type, "v": value}`."""
    return float(value["v"]) if value["t"] == "double" else value["v"]


def told(flags: flagship.Flags) -> dict[str, Any]:
    """Flags as vectors write them."""
    return {key: {"value": flag.value(None, expose=False), **members(flag.metadata)} for key, flag in flags.items()}


def members(metadata: flagship.Metadata) -> dict[str, Any]:
    """Metadata but the names, which vectors leave out."""
    return {name: value for name, value in metadata.to_dict().items() if not name.endswith("Name")}


def campaign(number: int, group: str, targeting_groups: Any, variations: Any) -> dict[str, Any]:
    """A campaign of one group, whose variations all have the flag that is called as the number."""
    value = {"modifications": {"type": "JSON", "value": {str(number): number}}}
    return {"id": f"campaign{number}", "type": "ab", "variationGroups": [
        {"id": group, "targeting": {"targetingGroups": targeting_groups}, "variations": [{**one, **value} for one in variations]},
    ]}


def batches(cases: Iterable[Any], is_apart: Callable[[Any, list[Any]], bool], size: int = 100) -> Iterator[list[tuple[int, Any]]]:
    """Numbered cases that one file serves: not too many, and none that `is_apart` from those before it."""
    batch: list[tuple[int, Any]] = []
    for number, case in enumerate(cases):
        if batch and (len(batch) == size or is_apart(case, [other for _, other in batch])):
            yield batch
            batch = []
        batch.append((number, case))
    if batch:
        yield batch
