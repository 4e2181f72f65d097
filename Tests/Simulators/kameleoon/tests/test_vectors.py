"""What the vendor's own kit was recorded to send is accepted: the checks are not stricter than the service.

KAM-06, KAM-41 to KAM-46 and KAM-55 to KAM-64 lead to these requests.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from loopback.calls import Call
from loopback.findings import Findings
from loopback.wire import Request

from kameleoon import KameleoonSimulator

from .support import AGENT, nonce

RECORDED = Path(__file__).resolve().parents[3] / "Conformance" / "vectors" / "kameleoon"
SHARED = Path(__file__).resolve().parents[5] / "shared" / "conformance" / "kameleoon"
"""Optional input beside the checkout; tests that read it are skipped when it is missing."""

FOLDERS = [pytest.param(RECORDED, id="recorded"), pytest.param(SHARED, id="shared")]
HOSTS = {"sdk-config": "/sdk-config", "data": "/data", "eu-data": "/data", "api": "/api"}
SITE = "a8st4f59bj"
CLAMPED = "query maxNumberPreviousVisits"
"""The vendor's kit sends what it is given; Hoist keeps to the documented 1 to 25."""


def cases(folder: Path, name: str) -> dict[str, list[tuple[dict[str, Any], dict[str, Any]]]]:
    """The recorded requests of every case, each with the case's configuration; not where Hoist does otherwise."""
    path, found = folder / f"{name}.json", {}
    if not path.is_file():
        pytest.skip(f"{path.name} is not here")
    document = json.loads(path.read_text(encoding="utf-8"))
    for number, case in enumerate(document["cases"]):
        configuration = document.get("configurations", {}).get(case.get("configuration"), {})
        sent = [request for step in case["steps"] for request in (step.get("expect") or {}).get("requests", [])]
        if sent and "quirk" not in case:
            found[f"{number} {case['name']}"] = [(request, configuration) for request in sent]
    return found


def as_sent(request: dict[str, Any]) -> Call:
    """The request at its place here, with its placeholders filled."""
    def filled(text: str) -> str:
        text = text.replace("{SDK_NAME}", "SWIFT").replace("{SDK_VERSION}", "4.25.0")
        return re.sub(r"\{N(\d+)\}", lambda found: nonce(int(found[1])), text)

    url = urlsplit(filled(request["url"]))
    lines, headers = request.get("lines"), {name: filled(value) for name, value in request.get("headers", {}).items()}
    headers.pop("If-Modified-Since", None)  # No date in the recordings, but a mark of one.
    return Call(request["method"], HOSTS[url.netloc.split(".")[0]] + url.path, {**AGENT, **headers},
                url.query.split("&") if url.query else [],
                body=request.get("body", "").encode() or None if lines is None else filled("\n".join(lines)).encode())


def check(case: list[tuple[dict[str, Any], dict[str, Any]]], links: bool) -> list[str]:
    """What is wrong with the requests of one case, for a service that knows its configuration only."""
    found = []
    with KameleoonSimulator(case[0][1], site=SITE, foreign_tokens=True, foreign_times=True, links=links) as simulator:
        for request, _ in case:
            call, findings = as_sent(request), Findings()
            if call.payload is not None:
                call = call.with_header("Content-Length", str(len(call.payload)))
            sent = Request(call.method, call.target, tuple(call.headers.items()), call.payload or b"")
            simulator.check(simulator.resolve(sent), sent, findings)
            found += [f"{call.target} {call.payload!r}: {finding}" for finding in findings if finding.where != CLAMPED]
    return found


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", ["tracking", "remote_data", "fetch"])
def test_recorded_requests_are_accepted(folder: Path, name: str) -> None:
    known = cases(folder, name)
    for title, case in known.items():
        assert check(case, links=name != "remote_data") == [], title
    assert len(known) >= 3
