"""The checks are not stricter than the service: what vectors say that the vendor's kit sends is accepted."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Iterator

from launchdarkly.tests.test_vectors import sent, spell_references
from launchdarkly_server import LaunchDarklyServerSimulator

from .support import NOW, payload

TESTS = Path(__file__).resolve().parents[3]
FOLDERS = (TESTS / "Conformance" / "vectors" / "launchdarkly-server",
           TESTS.parents[1] / "shared" / "conformance" / "launchdarkly-server")
"""Our own, and optional input beside the checkout."""


def cases(name: str) -> Iterator[dict[str, Any]]:
    for folder in FOLDERS:
        path = folder / f"{name}.json"
        if path.is_file():
            yield from json.loads(path.read_text(encoding="utf-8"))["cases"]


def test_events_of_the_vendor_are_accepted() -> None:
    for number, case in enumerate(cases("events")):
        config = case["config"]
        with LaunchDarklyServerSimulator(
                case["data"], now=lambda: NOW, event_capacity=config.get("capacity", 10_000), indexes="capacity" not in config,
                repeated_indexes=True, omit_anonymous=config.get("omit_anonymous", False),
                all_attributes_private=config.get("all_attributes_private", False),
                private_attributes=config.get("global_private", [])) as simulator:
            for context in case["contexts"]:
                simulator.environment.meet(context)
            for index, events in enumerate(sent(case)):
                payload(simulator, *events, number=index + 1).send(simulator)
            assert [str(found) for found in simulator.violations] == [], number


def test_migrations_of_the_vendor_are_accepted() -> None:
    with LaunchDarklyServerSimulator({}, now=lambda: NOW) as simulator:
        for number, case in enumerate(cases("migration_events")):
            if case["expect"] is None:
                continue
            event = {**copy.deepcopy(case["expect"]), "creationDate": NOW}
            spell_references(event["context"])
            if case["flag"] is not None:
                simulator.environment.learn({case["key"]: {"variations": [case["detail"]["value"]] * 9, "on": True, **case["flag"]}})
            simulator.options.change(foreign_flags=True)
            payload(simulator, event, number=number + 1).send(simulator)
            assert [str(found) for found in simulator.violations] == [], number
