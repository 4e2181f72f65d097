"""The checks are not stricter than the service, and know the vendor's redaction: what vectors say is accepted.

LD-24, LD-40, LD-71 and LD-83 lead to these contexts and events.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Iterator

import pytest

from launchdarkly import LaunchDarklySimulator
from launchdarkly.contexts import read_context
from launchdarkly.redaction import comparable, redacted
from loopback.findings import Findings

from .support import NOW, compact, payload, poll

SHARED = Path(__file__).resolve().parents[5] / "shared" / "conformance" / "launchdarkly"
"""Optional input beside the checkout; tests that read it are skipped when it is missing."""


def cases(name: str) -> list[dict[str, Any]]:
    path = SHARED / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else []


needs_vectors = pytest.mark.skipif(not SHARED.is_dir(), reason="no vectors beside the checkout")


@needs_vectors
def test_redaction_is_the_vendors() -> None:
    for case in cases("redaction"):
        made = redacted(case["context"], case["all_attributes_private"], case["global_private"], case["redact_anonymous"])
        assert comparable(made) == comparable(case["output"]), case


@needs_vectors
def test_contexts_of_requests_are_accepted() -> None:
    for case in cases("request_context"):
        findings = Findings()
        read = read_context(findings, compact(case["json_in_url"]).encode())
        assert findings == [] and read is not None, case


@needs_vectors
def test_qualified_keys_are_the_vendors() -> None:
    for case in cases("context_hash"):
        document = json.loads(case["context"]) if isinstance(case["context"], str) else case["context"]
        read = read_context(Findings(), compact(document).encode())
        if read is not None:
            assert read.key == case["fully_qualified_key"], case


def sent(case: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The payloads of a case as they go over the wire."""
    for expected in case["payloads"]:
        events = copy.deepcopy(expected)
        for event in events:
            if event["kind"] == "summary":
                event.update(startDate=NOW - 1000, endDate=NOW)
            else:
                event["creationDate"] = NOW
            if "context" in event:
                spell_references(event["context"])
        if events:
            yield events


def spell_references(context: dict[str, Any]) -> None:
    parts = [context, *(part for part in context.values() if context["kind"] == "multi" and isinstance(part, dict))]
    for part in parts:
        names = part.get("_meta", {}).get("redactedAttributes")
        if names is not None:
            part["_meta"]["redactedAttributes"] = [
                "/" + "/".join(name.replace("~", "~0").replace("/", "~1") for name in path) for path in names]


@needs_vectors
def test_events_of_the_vendor_are_accepted() -> None:
    for number, case in enumerate(cases("events")):
        config = case["config"]
        with LaunchDarklySimulator(case["flags"], now=lambda: NOW, event_capacity=config.get("capacity", 100),
                                   all_attributes_private=config.get("all_attributes_private", False),
                                   private_attributes=config.get("global_private", [])) as simulator:
            for step in case["steps"]:
                simulator.environment.learn(step.get("flags", {}))
                poll(simulator, step.get("context", case["context"])).send(simulator)
            poll(simulator, case["context"]).send(simulator)
            for index, events in enumerate(sent(case)):
                payload(simulator, *events, number=index + 1).send(simulator)
            assert [str(found) for found in simulator.violations if not found.where.startswith("context")] == [], (
                number, case["name"])
