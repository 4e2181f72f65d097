"""Campaigns of a bucketing file: targeting, allocation, flags. Flags: values by the type of a default."""

from __future__ import annotations

import json
from typing import Any

from report import Report
from vectors import Root

from .flagship_service import EVERYBODY, Services, batches, bucketing, campaign, new_visitor, opened, plain, told

WHOLE = [{"id": "variation", "allocation": 100}]


def targeting(root: Root, report: Report) -> None:
    """One condition against a context."""
    match_groups(root, report, lambda case: [{"targetings": [
        {"operator": case["operator"], "key": case["key"], "value": case["target"]},
    ]}])


def targeting_groups(root: Root, report: Report) -> None:
    """Lists of conditions against a context."""
    match_groups(root, report, lambda case: case["targetingGroups"])


def match_groups(root: Root, report: Report, groups_of: Any) -> None:
    """Each case has a campaign of its own in a file of many."""
    for batch in batches(root["cases"], lambda case, others: False):
        file = {"campaigns": [campaign(number, f"group{number}", groups_of(case), WHOLE) for number, case in batch]}
        with bucketing(file) as (client, _):
            for number, case in batch:
                visitor = new_visitor(client, case.get("visitorId", "visitor"), case["context"])
                visitor.fetch()
                report.check(number, case["expected"], visitor.flag(str(number)).exists)


def allocation(root: Root, report: Report) -> None:
    """The variation of a group that everybody matches."""
    def is_apart(case: Any, others: list[Any]) -> bool:
        # What one campaign assigns, another of the same group would find.
        return any(other["variationGroupId"] == case["variationGroupId"] for other in others)

    for batch in batches(root["cases"], is_apart):
        file = {"campaigns": [campaign(number, case["variationGroupId"], EVERYBODY, case["variations"]) for number, case in batch]}
        with bucketing(file) as (client, _):
            for number, case in batch:
                visitor = new_visitor(client, case["visitorId"], history=case["history"])
                visitor.fetch()
                flag = visitor.flag(str(number))
                report.check(number, case["expected"], flag.metadata.variation_id if flag.exists else None)


def campaigns(root: Root, report: Report) -> None:
    """Whole files: flags, and the assignments afterwards."""
    for name, file in root["bucketingFiles"].items():
        with bucketing(file) as (client, _):
            for number, case in enumerate(root["cases"]):
                if case["bucketing"] == name:
                    visitor = new_visitor(client, case["visitorId"], case["context"], case["history"])
                    visitor.fetch()
                    history = json.loads(visitor.export() or "{}").get("data", {}).get("assignationHistory")
                    report.check(number, case["expected"], {"flags": told(visitor.flags), "history": history})


def decision_response(root: Root, report: Report) -> None:
    """Answers of the Decision API."""
    for number, case in enumerate(root["cases"]):
        with opened(Services(case["response"])) as client:
            visitor = client.visitor("visitor", shared=False)
            visitor.fetch()
            report.check(number, case["expected"], {"status": client.status.vendor_name, "flags": told(visitor.flags)})


# ---- Values ----------------------------------------------------------------------------------------


def flag_values(root: Root, report: Report) -> None:
    """A value by the type of a default, and whether the visitor is counted."""
    cases = list(enumerate(root["cases"]))
    file = {"campaigns": [valued(number, case) for number, case in cases if case.get("flagType", "missing") != "missing"]}
    with bucketing(file) as (client, services):
        visitor = client.visitor("visitor", shared=False)
        visitor.fetch()
        values = [visitor.flag(f"f{number}").value(typed(case, "default"), case.get("visitorExposed", True))
                  for number, case in cases]
        client.flush()
        sent = [item["vaid"] for body in services.taken("activate") for item in body["batch"]]
        for (number, case), value in zip(cases, values, strict=True):
            actual = {"activateSent": sent.count(f"variation{number}") == 1}
            if "value" in case["expected"]:
                actual["value"] = value
            report.check(number, case["expected"], actual)
        known = {f"variation{number}" for number, _ in cases}
        report.check("exposures", [], [id for id in sent if sent.count(id) > 1 or id not in known])


def valued(number: int, case: Any) -> dict[str, Any]:
    """A campaign that gives everybody the case's flag."""
    one = {"id": f"variation{number}", "allocation": 100,
           "modifications": {"type": "JSON", "value": {f"f{number}": typed(case, "flag")}}}
    return {"id": f"campaign{number}", "type": "ab", "variationGroups": [
        {"id": f"group{number}", "targeting": {"targetingGroups": EVERYBODY}, "variations": [one]},
    ]}


def typed(case: Any, name: str) -> Any:
    """The value of the flag, or the default, in the type that the vector says."""
    return plain({"t": case[f"{name}Type"], "v": case.get("flagValue" if name == "flag" else "default")})
