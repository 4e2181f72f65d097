"""Kameleoon's kinds of vectors: the steps of a visitor that need neither a clock nor a service of the vectors' own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hoist import Error, Status, kameleoon
from report import Report
from vectors import Kind, Root, Service

Step = dict[str, Any]


def steps(root: Root, report: Report) -> None:
    """Cases are steps, each with what comes of it; each case has a client of its own."""
    for number, case in enumerate(root["cases"]):
        if not can_say(root, case):
            report.skip(1, "a clock, or a service, of the vectors' own")
            continue
        properties = {
            "site_code": case.get("siteCode", root.get("siteCode", "site")), "online": False, "store": "none", "log.level": "none",
            "strict_vendor": "quirk" in case, "default_datafile": json.dumps(root["configurations"][case["configuration"]]),
        }
        with kameleoon.Client(properties) as client:
            client.wait_ready(10)
            visitors = {code: client.visitor(code) for code in codes(case)}
            wrong = next((found for found in (compare(client, visitors, step) for step in case["steps"]) if found), None)
            report.check(number, wrong[0] if wrong else None, wrong[1] if wrong else None)


def codes(case: Any) -> list[str]:
    return list(dict.fromkeys(step["visitorCode"] for step in case["steps"] if "visitorCode" in step))


def can_say(root: Root, case: Any) -> bool:
    """Whether all steps can be taken offline, now."""
    return all(step["op"] in CALLS for step in case["steps"]) and all(1 <= len(code) <= 255 for code in codes(case))


def compare(client: Any, visitors: dict[str, Any], step: Step) -> tuple[Any, Any] | None:
    """What was to come of a step and what came, where they are not the same."""
    expected = step.get("expect") or {}
    try:
        came = CALLS[step["op"]](client, visitors.get(step.get("visitorCode", "")), step)
    except Error as problem:
        came = {"error": NAMES.get(problem.status, str(problem.status))}
    if isinstance(came, Status):
        came = {} if came == Status.OK else {"error": NAMES.get(came, str(came))}
    seen = {name: value for name, value in came.items() if name in expected or name == "error"}
    return None if json.dumps(seen, sort_keys=True) == json.dumps(expected, sort_keys=True) else (expected, seen)


def datum(told: Step) -> kameleoon.Data:
    """A datum in the binding's classes."""
    if told["type"] == "CustomData":
        return custom_data(told)
    if told["type"] == "Conversion":
        metadata = tuple(custom_data(entry) for entry in told.get("metadata") or ())
        return kameleoon.Conversion(told["goalId"], told.get("revenue", 0.0), told.get("negative", False), metadata)
    if told["type"] == "Device":
        return kameleoon.Device(kameleoon.DeviceType[told["device"]])
    if told["type"] == "Browser":
        return kameleoon.Browser(kameleoon.BrowserType[told["browser"]], told.get("version"))
    if told["type"] == "OperatingSystem":
        return kameleoon.OperatingSystem(kameleoon.SystemType[told["os"]])
    if told["type"] == "Geolocation":
        names = ("region", "city", "postalCode", "latitude", "longitude")
        return kameleoon.Geolocation(told["country"], *(told.get(name) for name in names))
    if told["type"] == "PageView":
        return kameleoon.PageView(told["url"], told.get("title"), tuple(told.get("referrers") or ()))
    if told["type"] == "Cookie":
        return kameleoon.Cookie(told["cookies"])
    if told["type"] == "ApplicationVersion":
        return kameleoon.ApplicationVersion(told["version"])
    if told["type"] == "UserAgent":
        return kameleoon.UserAgent(told["value"])
    return kameleoon.UniqueIdentifier(told["value"])


def custom_data(told: Step) -> kameleoon.CustomData:
    return kameleoon.CustomData(told["name"] if "name" in told else told["index"], *told["values"],
                                overwrite=told.get("overwrite", True))


def whole(variation: Any) -> dict[str, Any]:
    variables = {key: {"type": variable.type, "value": variable.value} for key, variable in variation.variables.items()}
    return {"key": variation.key, "name": variation.name, "id": known(variation.id),
            "experimentId": known(variation.experiment_id), "variables": variables}


def known(number: int) -> int | None:
    return None if number == -1 else number


def ids(variation: Any) -> list[Any]:
    return [variation.key, known(variation.id), known(variation.experiment_id)]


def variations(visitor: Any, step: Step, tell: Callable[[Any], Any]) -> dict[str, Any]:
    found = visitor.variations(step.get("onlyActive", False), step.get("track", True))
    return {"variations": {key: tell(variation) for key, variation in found.items()}}


CALLS: dict[str, Callable[[Any, Any, Step], Any]] = {
    "addData": lambda client, visitor, step: visitor.add_data(
        *map(datum, step.get("data") or ()), track=step.get("track", True)),
    "setLegalConsent": lambda client, visitor, step: visitor.set_legal_consent(step["consent"]),
    "setForcedVariation": lambda client, visitor, step: visitor.set_forced_variation(
        step["experimentId"], step["variationKey"], step.get("forceTargeting", True)),
    "getVariation": lambda client, visitor, step: {
        "variation": whole(visitor.variation(step["featureKey"], step.get("track", True)))},
    "getVariations": lambda client, visitor, step: variations(visitor, step, whole),
    "getVariationIds": lambda client, visitor, step: variations(visitor, step, ids),
    "isFeatureActive": lambda client, visitor, step: {
        "active": visitor.is_feature_active(step["featureKey"], step.get("track", True))},
    "getFeatureVariationKey": lambda client, visitor, step: {"key": visitor.variation_key(step["featureKey"])},
    "getFeatureVariable": lambda client, visitor, step: {"value": visitor.variable(step["featureKey"], step["variableKey"])},
    "getFeatureVariationVariables": lambda client, visitor, step: {
        "variables": client.variables_of(step["featureKey"], step["variationKey"])},
    "getFeatureList": lambda client, visitor, step: {"list": client.feature_list},
    "getActiveFeatureList": lambda client, visitor, step: {"list": visitor.active_feature_list},
    "getActiveFeatures": lambda client, visitor, step: {
        "variations": {key: whole(variation) for key, variation in visitor.active_features.items()}},
}
"""What the public API says of a step."""

NAMES = {
    Status.KAMELEOON_SDK_NOT_READY: "SDKNotReady",
    Status.KAMELEOON_VISITOR_CODE_INVALID: "VisitorCodeInvalid",
    Status.KAMELEOON_FEATURE_NOT_FOUND: "FeatureNotFound",
    Status.KAMELEOON_FEATURE_ENVIRONMENT_DISABLED: "FeatureEnvironmentDisabled",
    Status.KAMELEOON_FEATURE_EVALUATION_BLOCKED: "FeatureEnvironmentDisabled",
    Status.KAMELEOON_FEATURE_VARIATION_NOT_FOUND: "FeatureVariationNotFound",
    Status.KAMELEOON_FEATURE_VARIABLE_NOT_FOUND: "FeatureVariableNotFound",
    Status.KAMELEOON_FEATURE_EXPERIMENT_NOT_FOUND: "FeatureExperimentNotFound",
}


def kind_of_unnamed(root: Root) -> str | None:
    """Told from the first case, as the modules' run does."""
    first = next(iter(root.get("cases", [])), None)
    if first is None:
        return None
    return "steps" if "steps" in first else "hash" if "expectedHex" in first else "addresses"


KAMELEOON = Service(
    kinds={"steps": Kind(steps, can_say=can_say)},
    internal={"hash": "buckets are not public", "addresses": "addresses are not public"},
    kind_of_unnamed=kind_of_unnamed,
    expectations=frozenset({"expect", "expectedHex", "expected"}),
    # Beside the text of a hash to the last bit, for people.
    expectations_by_kind={"hash": frozenset({"expectedHex"})},
)
