"""What an event request must be: its head, its visitors, and what they did (protocol 3.3, 5.6)."""

from __future__ import annotations

from typing import Any

from loopback.findings import (
    MAXIMUM_INTEGER, Findings, array, boolean, brief, integer, literal, nullable, one_of, parse_json, record)
from loopback.wire import Request

from .conversions import TAGS, check_conversion
from .decisions import check_decision
from .happenings import IMPRESSION, Happening, happenings
from .knowledge import Knowledge
from .ledger import EVENT
from .options import Options
from .project import Project
from .routes import EU, US, Endpoint
from .scalars import ANY_TEXT, TEXT, UUID, VERSION, attribute_value, scalar_or_null

BOT_FILTERING = "$opt_bot_filtering"
RULE_TYPES = ("experiment", "feature-test", "rollout", "holdout")

_ATTRIBUTE = record({"entity_id": TEXT, "key": ANY_TEXT, "type": literal("custom"), "value": attribute_value})
_METADATA = record({"flag_key": ANY_TEXT, "rule_key": ANY_TEXT, "rule_type": one_of(*RULE_TYPES),
                    "variation_key": ANY_TEXT, "enabled": boolean()}, {"cmab_uuid": UUID})
_DECISION = record({"campaign_id": ANY_TEXT, "experiment_id": ANY_TEXT, "variation_id": nullable(TEXT),
                    "metadata": _METADATA})
_EVENT = record({"entity_id": ANY_TEXT, "key": TEXT, "timestamp": integer(), "uuid": UUID},
                {"tags": TAGS, "revenue": integer(-MAXIMUM_INTEGER - 1), "value": scalar_or_null})
_SNAPSHOT = record({"events": array(_EVENT, 1, 1)}, {"decisions": array(_DECISION, 1, 1)})
_VISITOR = record({"visitor_id": ANY_TEXT, "attributes": array(_ATTRIBUTE), "snapshots": array(_SNAPSHOT, 1, 1)})
BODY = record({"account_id": TEXT, "project_id": TEXT, "revision": TEXT, "client_name": TEXT, "client_version": TEXT,
               "anonymize_ip": boolean(), "enrich_decisions": literal(True), "region": one_of(US, EU),
               "visitors": array(_VISITOR, 1)})


def check_events(findings: Findings, request: Request, endpoint: Endpoint, known: Knowledge) -> None:
    before, document = len(findings), parse_json(findings, request.body)
    if len(findings) == before:
        BODY(findings, "body", document)
    if len(findings) > before:
        return
    _check_sender(findings, document, known.options)
    for happening in happenings(document):
        _check_time(findings, f"{happening.where}.snapshots[0].events[0].timestamp", happening.event, known)
    _check_identities(findings, document, known)
    _check_against_datafiles(findings, document, endpoint, known)


def _check_sender(findings: Findings, document: dict[str, Any], options: Options) -> None:
    name, version = document["client_name"], document["client_version"]
    findings.require(options.client_name in ("", name), "body.client_name", f"must be {options.client_name}, is {name}")
    if options.client_version:
        findings.require(version == options.client_version, "body.client_version",
                         f"must be {options.client_version}, is {version}")
    else:
        VERSION(findings, "body.client_version", version)
    count = len(document["visitors"])
    findings.require(count <= options.maximum_visitors, "body.visitors",
                     f"must hold at most {options.maximum_visitors} entries, holds {count}")


def _check_time(findings: Findings, where: str, event: dict[str, Any], known: Knowledge) -> None:
    age, options = known.now() - event["timestamp"], known.options
    if options.maximum_age_ms is not None and age > options.maximum_age_ms:
        findings.add(where, f"{event['timestamp']} is too old for milliseconds since 1970")
    if options.maximum_skew_ms is not None and -age > options.maximum_skew_ms:
        findings.add(where, f"{event['timestamp']} is in the future")


def _check_identities(findings: Findings, document: dict[str, Any], known: Knowledge) -> None:
    """A uuid stands for one event: never for two, also not in another request (OPT-72)."""
    seen: set[str] = set()
    for happening in happenings(document):
        where, uuid = f"{happening.where}.snapshots[0].events[0].uuid", happening.uuid
        findings.require(uuid not in seen, where, f"{uuid} is that of another event of this request")
        seen.add(uuid)
        known.ledger.check_again(findings, where, EVENT, uuid, happening.visitor, known.options.exactly_once)


def _check_against_datafiles(findings: Findings, document: dict[str, Any], endpoint: Endpoint,
                             known: Knowledge) -> None:
    """All visitors of a request belong to one project, revision and region (5.6)."""
    same_project = [project for project in known.projects if project.project_id == document["project_id"]]
    same = [project for project in same_project if project.revision == document["revision"]]
    if not same:
        if not known.options.foreign_events:
            name = "revision" if same_project else "project_id"
            findings.add(f"body.{name}", f"{document[name]} is that of no datafile that was ever sent")
        return
    fewest: Findings | None = None
    for project in same:
        # Two environments of a project may be at the same revision.
        found = Findings()
        _check_against(found, document, endpoint, project, known)
        if fewest is None or len(found) < len(fewest):
            fewest = found
    findings += fewest or []


def _check_against(findings: Findings, document: dict[str, Any], endpoint: Endpoint, project: Project,
                   known: Knowledge) -> None:
    expected = {"account_id": project.account_id, "anonymize_ip": project.anonymize_ip or False,
                "region": project.region}
    for name, value in expected.items():
        findings.require(document[name] == value, f"body.{name}", f"must be {brief(value)}, is {brief(document[name])}")
    findings.require(endpoint.region == project.region, "path", f"events of the region {project.region} go elsewhere")
    for happening in happenings(document):
        _check_attributes(findings, f"{happening.where}.attributes", happening.visitor["attributes"], project)
        snapshot = f"{happening.where}.snapshots[0]"
        if happening.event["key"] != IMPRESSION:
            findings.require(happening.decision is None, f"{snapshot}.decisions", "is not for conversions")
            check_conversion(findings, f"{snapshot}.events[0]", happening.event, project)
        elif findings.require(happening.decision is not None, f"{snapshot}.decisions", "is missing"):
            _check_impression(findings, f"{snapshot}.events[0]", happening)
            check_decision(findings, f"{snapshot}.decisions[0]", happening.decision or {},
                           happening.visitor["visitor_id"], project, known)


def _check_attributes(findings: Findings, where: str, attributes: list[dict[str, Any]], project: Project) -> None:
    """Those of the project by id, the vendor's own by name, bot filtering last."""
    last = attributes[-1] if attributes else {}
    if project.bot_filtering is not None:
        bots = {"entity_id": BOT_FILTERING, "key": BOT_FILTERING, "type": "custom", "value": project.bot_filtering}
        # Python takes 1 for true.
        findings.require(last == bots and isinstance(last["value"], bool), where, f"must end with {brief(bots)}")
        attributes = attributes[:-1] if last.get("key") == BOT_FILTERING else attributes
    keys = [attribute["key"] for attribute in attributes]
    for index, attribute in enumerate(attributes):
        key, entity, place = attribute["key"], attribute["entity_id"], f"{where}[{index}]"
        findings.require(key not in keys[:index], f"{place}.key", f"{key} is sent more than once")
        if key in project.attributes:
            known = project.attributes[key]
            findings.require(entity == known, f"{place}.entity_id", f"of {key} must be {known}, is {entity}")
        elif key.startswith("$opt_"):
            findings.require(entity == key, f"{place}.entity_id", f"must be {key}, is {entity}")
        else:
            findings.add(f"{place}.key", f"{key} is no attribute of the project")


def _check_impression(findings: Findings, where: str, happening: Happening) -> None:
    event, decision = happening.event, happening.decision or {}
    findings.require(event["entity_id"] == decision["campaign_id"], f"{where}.entity_id",
                     f"must be that of the decision, {decision['campaign_id']!r}, is {event['entity_id']!r}")
    for name in ("revenue", "value"):
        findings.require(name not in event, f"{where}.{name}", "is for conversions")
    findings.require(not event.get("tags"), f"{where}.tags", "is empty for impressions")
