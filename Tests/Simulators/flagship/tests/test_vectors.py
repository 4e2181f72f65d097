"""What the vendor's own kit was recorded to send is accepted: the checks are not stricter than the service.

FS-06, FS-67, FS-68 and FS-90 to FS-99 lead to these requests.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Iterator

import pytest
from loopback.calls import Call

from flagship import FlagshipSimulator

from .support import ENVIRONMENT, activations, auto_context, batch, decision

RECORDED = Path(__file__).resolve().parents[3] / "Conformance" / "vectors" / "flagship"
SHARED = Path(__file__).resolve().parents[5] / "shared" / "conformance" / "flagship"
"""Optional input beside the checkout; tests that read it are skipped when it is missing."""

FOLDERS = [pytest.param(RECORDED, id="recorded"), pytest.param(SHARED, id="shared")]


def cases(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"{path.name} is not here")
    return json.loads(path.read_text(encoding="utf-8"))["cases"]


def as_sent(body: dict[str, Any]) -> dict[str, Any]:
    """A recorded body of hits with its placeholders filled, and with what every item repeats (3.5)."""
    body = json.loads(json.dumps(body).replace('"<int ms>"', "1200").replace("<client>", "hoist"))
    body["cid"] = ENVIRONMENT
    for item in body.get("h", []):
        item["cid"] = ENVIRONMENT
    return body


def bodies(value: Any) -> Iterator[dict[str, Any]]:
    """A case expects one request, or a list of them."""
    yield from value if isinstance(value, list) else [value]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", ["wire_hits", "wire_consent"])
def test_recorded_hits_are_accepted(simulator: FlagshipSimulator, folder: Path, name: str) -> None:
    sent = [as_sent(body) for case in cases(folder, name) for body in bodies(case["expected"])]
    simulator.options.change(silent_after_refusal=False)
    for body in sent:
        call: Call = batch(simulator)
        call.document = body
        assert call.send(simulator).status == 200, json.dumps(body)
    assert len(sent) >= 4 and simulator.violations == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_recorded_activations_are_accepted(simulator: FlagshipSimulator, folder: Path) -> None:
    simulator.options.change(foreign_campaigns=True)
    sent = [as_sent(request["body"]) for case in cases(folder, "wire_activate") for request in case["expected"]]
    for body in sent:
        call = activations(simulator)
        call.document = body
        assert call.send(simulator).status == 204, json.dumps(body)
    assert len(sent) >= 3 and simulator.violations == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_recorded_requests_for_decisions_are_accepted(simulator: FlagshipSimulator, folder: Path) -> None:
    known = cases(folder, "wire_decision_request")
    for case in known:
        call, expected = decision(simulator), case["expected"]
        context = {**auto_context(case["visitorId"]), **expected["contextMustContain"]}
        assert expected["headers"]["content-type"] == "application/json" and "x-api-key" in expected["headers"]
        call.query = [f"{name}={value}" for name, value in expected["query"].items()]
        call.document = {**copy.deepcopy(expected["bodyMustContain"]), "context": context}
        assert call.send(simulator).status == 200, json.dumps(case)
    assert len(known) >= 3 and simulator.violations == []
