"""The prediction server of contextual bandits (protocol 3.7, 4.15; OPT-94)."""

from __future__ import annotations

import threading
from typing import Any

from loopback.delivery import json_response
from loopback.findings import Findings, array, literal, parse_json, record
from loopback.wire import Request, Response

from .knowledge import Knowledge
from .ledger import Ledger
from .project import Project, Rule
from .routes import Endpoint, path_parameter
from .scalars import ANY_TEXT, TEXT, UUID, attribute_value


def _value(findings: Findings, where: str, value: Any) -> None:
    """An attribute that the visitor has may be null."""
    if value is not None:
        attribute_value(findings, where, value)


_ATTRIBUTE = record({"id": TEXT, "value": _value, "type": literal("custom_attribute")})
BODY = record({"instances": array(record({
    "visitorId": ANY_TEXT, "experimentId": TEXT, "attributes": array(_ATTRIBUTE), "cmabUUID": UUID}), 1, 1)})


class Choices:
    """Thread-safe. Which variation the server predicts: what it was told, or else the rule's first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chosen: dict[tuple[str, str | None], str] = {}

    def choose(self, rule: str, variation: str, visitor: str | None = None) -> None:
        """Sets the id of the variation that a rule gives to one visitor, or to all that have none of their own."""
        with self._lock:
            self._chosen[rule, visitor] = variation

    def variation(self, rule: Rule | None, identifier: str, visitor: str) -> str | None:
        with self._lock:
            chosen = self._chosen.get((identifier, visitor)) or self._chosen.get((identifier, None))
        return chosen or (rule.variations[0].id if rule is not None and rule.variations else None)


def find_rule(projects: list[Project], identifier: str) -> Rule | None:
    """The rule of that id that asks for predictions, in the latest datafile that has one."""
    rules = (project.experiments.get(identifier) for project in projects)
    return next((rule for rule in rules if rule is not None and rule.prediction_attributes is not None), None)


def check_prediction(findings: Findings, request: Request, endpoint: Endpoint, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODY(findings, "body", document)
    if len(findings) > before:
        return
    instance, where = document["instances"][0], "body.instances[0]"
    identifier = path_parameter(endpoint, request)
    findings.require(instance["experimentId"] == identifier, f"{where}.experimentId",
                     f"is {instance['experimentId']}, but the path says {identifier}")
    rule = find_rule(known.projects, identifier)
    if rule is None:
        findings.require(known.options.foreign_events, "path", f"{identifier} is no rule that asks for predictions")
    else:
        _check_attributes(findings, f"{where}.attributes", instance["attributes"], rule, known.projects)
    if len(findings) == before:
        known.ledger.ask(findings, f"{where}.cmabUUID", instance["cmabUUID"], identifier, instance["visitorId"])


def _check_attributes(findings: Findings, where: str, attributes: list[dict[str, Any]], rule: Rule,
                      projects: list[Project]) -> None:
    """Only attributes of the rule, by the id that the project gives them, each once."""
    known = {identifier for project in projects for identifier in project.attributes.values()}
    ids = [attribute["id"] for attribute in attributes]
    for index, identifier in enumerate(ids):
        place = f"{where}[{index}].id"
        findings.require(identifier not in ids[:index], place, f"{identifier} is sent more than once")
        asked = identifier in (rule.prediction_attributes or ()) and identifier in known
        findings.require(asked, place, f"{identifier} is no attribute of the rule {rule.id}")


def answer_prediction(document: dict[str, Any], projects: list[Project], ledger: Ledger, choices: Choices) -> Response:
    instance = document["instances"][0]
    identifier, visitor = instance["experimentId"], instance["visitorId"]
    variation = choices.variation(find_rule(projects, identifier), identifier, visitor)
    if variation is None:
        return json_response(404, {"message": f"no rule {identifier}"})
    ledger.predict(instance["cmabUUID"], identifier, visitor, variation)
    return json_response(200, {"predictions": [{"variation_id": variation}]})
