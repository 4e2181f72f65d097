"""What the vendor's own kit was recorded to send is accepted: the checks are not stricter than the service.

OPT-47, OPT-56, OPT-63, OPT-65, OPT-77, OPT-92, OPT-95 and OPT-96 lead to these events.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest
from loopback.findings import Findings
from loopback.wire import Request

from optimizely.events import check_events
from optimizely.knowledge import Knowledge
from optimizely.ledger import Ledger
from optimizely.options import Options
from optimizely.project import Project
from optimizely.routes import ENDPOINTS

from .support import NOW, PREDICTION, uuid

RECORDED = Path(__file__).resolve().parents[3] / "Conformance" / "vectors" / "optimizely"
SHARED = Path(__file__).resolve().parents[5] / "shared" / "conformance" / "optimizely"
"""Optional input beside the checkout; tests that read it are skipped when it is missing."""

FILES = [*(RECORDED / f"{name}.json" for name in ("decide", "legacy_calls", "track")),
         *(SHARED / f"{name}.json" for name in ("decide_handmade", "decide_random", "legacy_api", "track", "cmab"))]


def recorded(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every recorded event request with its datafile."""
    document = json.loads(path.read_text(encoding="utf-8"))
    for case in document["cases"]:
        if "tag-type" in case.get("divergence", ()):
            continue
        known = case["datafile"]
        datafile = document["datafiles"][known] if isinstance(known, str) else known
        for step in case.get("steps", [case]):
            for event in step.get("expectEvents") or []:
                yield datafile, event


def as_sent(event: dict[str, Any], number: int) -> dict[str, Any]:
    """A recorded body with its placeholders filled, its region, and bot filtering where it belongs."""
    text = json.dumps(event["body"])
    for placeholder, value in (("<CLIENT_NAME>", "hoist"), ("<CLIENT_VERSION>", "0.1.0"), ("<UUID>", uuid(number)),
                               ("<CMAB_UUID>", PREDICTION)):
        text = text.replace(placeholder, value)
    body = json.loads(text.replace('"<TIMESTAMP_MS>"', str(NOW)))
    for visitor in body["visitors"]:
        visitor["attributes"].sort(key=lambda attribute: attribute["key"] == "$opt_bot_filtering")
    return {**body, "region": event["bodyRegion"]}


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.parent.name}-{path.stem}" for path in FILES])
def test_recorded_events_are_accepted(path: Path) -> None:
    if not path.is_file():
        pytest.skip(f"{path.name} is not here")
    checked = 0
    for datafile, event in recorded(path):
        document, findings, ledger = as_sent(event, checked), Findings(), Ledger()
        ledger.predict(PREDICTION, *prediction_of(document))
        endpoint = ENDPOINTS[f"events-{event['bodyRegion'].lower()}"]
        request = Request("POST", "/", (), json.dumps(document).encode())
        check_events(findings, request, endpoint, Knowledge([Project(datafile)], ledger, Options(), lambda: NOW))
        assert findings == [], json.dumps(event)
        checked += 1
    assert checked >= 30


def prediction_of(document: dict[str, Any]) -> tuple[str, str, str]:
    """Rule, visitor and variation of a body, as the prediction server would have been asked."""
    visitor = document["visitors"][0]
    decision = visitor["snapshots"][0].get("decisions", [{}])[0]
    return decision.get("experiment_id", ""), visitor["visitor_id"], decision.get("variation_id") or ""
