"""Conversions, the calls that came before users, and what a project has."""

from __future__ import annotations

import json
from typing import Any

from report import Report
from vectors import Root

from hoist import optimizely

from .optimizely_service import TAG_TYPES, Desk, Desks, comparable, context, sayable_attributes, without

KINDS = {"boolean": bool, "integer": int, "double": float, "string": str, "json": dict}


def differs(case: Any) -> bool:
    """Whether the vendor's kits differ on the case, in types of tags."""
    return "tag-type" in (case.get("divergence") or [])


def sayable_call(root: Root, case: Any) -> bool:
    return sayable_attributes(case) and not differs(case)


def track(root: Root, report: Report) -> None:
    """Each conversion twice: of a user, and of a context."""
    with Desks(root) as desks:
        for number, case in enumerate(root["cases"]):
            if not sayable_call(root, case):
                report.skip(1, TAG_TYPES)
                continue
            desk = desks.desk(case["datafile"])
            wanted = [comparable(event) for event in case["expectEvents"]]
            tags = case.get("eventTags")
            desk.begin(None)
            desk.client.user(case["userId"], case.get("attributes")).track(case["eventKey"], tags)
            report.check(number, wanted, desk.posts())
            desk.begin(None)
            desk.client.track_event(case["eventKey"], context(case), tags)
            report.check(f"{number} of a context", wanted, desk.posts())


def legacy(root: Root, report: Report) -> None:
    with Desks(root) as desks:
        for number, case in enumerate(root["cases"]):
            if not sayable_call(root, case):
                report.skip(1, "legacy_api: numbers that are not finite")
                continue
            desk = desks.desk(case["datafile"])
            desk.begin(None)
            report.check(f"{number} answer", case["expect"], call(desk, case))
            report.check(f"{number} events", [comparable(event) for event in case["expectEvents"]], desk.posts())
            report.check(f"{number} notifications", case["expectNotificationTypes"],
                         [news["type"] for news in desk.notifications()])


def call(desk: Desk, case: Any) -> Any:
    """None where the vendor's call throws."""
    client, user, name = desk.client, context(case), case["call"]
    if name == "activate":
        return client.activate(case["experimentKey"], user)
    if name == "getVariation":
        return client.variation(case["experimentKey"], user)
    if name == "isFeatureEnabled":
        return client.is_feature_enabled(case["flagKey"], user)
    if name == "getEnabledFeatures":
        return client.enabled_features(user)
    if name == "getFeatureVariable":
        return variable(desk, case)
    return client.feature_variables(case["flagKey"], user)


def variable(desk: Desk, case: Any) -> Any:
    """Without a type it is asked for as what it is."""
    kinds = [KINDS[case["type"]]] if case.get("type") else list(KINDS.values())
    found = None
    for kind in kinds:
        found = desk.client.feature_variable(case["flagKey"], case["variableKey"], context(case), kind)
        if found is not None:
            break
    return found


def config(root: Root, report: Report) -> None:
    for number, case in enumerate(root["cases"]):
        properties = {"store": "none", "background_fetch": False, "log.level": "none"}
        with optimizely.Client(properties, datafile=case["datafile"]) as client:
            found = client.config or {}
        for name, wanted in case["expect"].items():
            report.check(f"{number} {name}", comparable_part(name, wanted), comparable_part(name, found.get(name)))


def comparable_part(name: str, value: Any) -> Any:
    """Audiences with their conditions parsed, flags without what vectors leave out."""
    if name == "audiences":
        return [{**audience, "conditions": parsed(audience.get("conditions"))} for audience in value or []]
    if name == "featuresMap":
        return {key: comparable_flag(flag) for key, flag in (value or {}).items()}
    return value


def comparable_flag(flag: dict[str, Any]) -> dict[str, Any]:
    left = without("experimentsMap", flag)
    left["deliveryRules"] = [
        {**rule, "variationsMap": {key: without("variablesMap", one) for key, one in rule["variationsMap"].items()}}
        for rule in flag["deliveryRules"]
    ]
    return left


def parsed(conditions: Any) -> Any:
    try:
        return json.loads(conditions) if isinstance(conditions, str) else conditions
    except ValueError:
        return conditions
