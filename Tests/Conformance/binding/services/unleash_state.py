"""Documents and deltas, as a service hands them to a backend client one after the other."""

from __future__ import annotations

import json
from typing import Any

from report import Report
from vectors import Root

from hoist import Status

from .unleash_evaluation import context
from .unleash_service import Answer, Fetches, Script, open_client

OUTCOMES = {"ok": "taken", "warning": "taken", "error": "refused"}


def delta(root: Root, report: Report) -> None:
    run_steps(root, report, compares_status=False)


def state(root: Root, report: Report) -> None:
    run_steps(root, report, compares_status=True)


def run_steps(root: Root, report: Report, *, compares_status: bool) -> None:
    for case in root["cases"]:
        script = Script(*(Answer(body=json.dumps(step["apply"], ensure_ascii=False).encode()) for step in case["steps"]))
        with open_client(script, mode="backend", fetch_mode="delta", url="http://unleash.test/api", key="k") as client:
            fetches = Fetches(client)
            for number, step in enumerate(case["steps"], 1):
                place = f"{case['id']} step {number}"
                status = fetches.start() if number == 1 else fetches.refresh()
                if compares_status:
                    wanted = OUTCOMES.get(step["status"], step["status"])
                    report.check(f"{place} status", wanted, "taken" if status is Status.OK else "refused")
                check(step, client, place, report)


def check(step: dict[str, Any], client: Any, place: str, report: Report) -> None:
    if "knownFlags" in step:
        known = {toggle.name for toggle in client.list_toggles()}
        report.check(f"{place} knownFlags", sorted(set(step["knownFlags"])), sorted(known))
    for wanted in step.get("checks", []):
        toggle, user = wanted["toggle"], context(wanted["context"])
        detail = client.evaluate(toggle, user)
        found = detail.error_code not in ("FLAG_NOT_FOUND", "PROVIDER_NOT_READY", "PROVIDER_FATAL")
        report.check(f"{place} {toggle}", {"enabled": wanted["enabled"], "found": wanted["found"]},
                     {"enabled": client.check_enabled(toggle, user), "found": found})
