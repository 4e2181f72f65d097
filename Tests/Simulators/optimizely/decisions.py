"""What the decision of an impression must be, by the kind of rule (protocol 3.3, 4.7, 4.8a)."""

from __future__ import annotations

from typing import Any

from loopback.findings import Findings, brief

from .knowledge import Knowledge
from .project import Flag, Project, Rule, Variation

NOT_PREDICTED = "is for rules that ask the prediction server"


def check_decision(findings: Findings, where: str, decision: dict[str, Any], visitor: str, project: Project,
                   known: Knowledge) -> None:
    """Which rule, of which flag, and a variation that this rule can give."""
    metadata = decision["metadata"]
    kind, key = metadata["rule_type"], metadata["flag_key"]
    if kind == "rollout":
        findings.require(project.sends_flag_decisions, f"{where}.metadata.rule_type",
                         "is not sent without sendFlagDecisions (OPT-56)")
    if kind == "experiment":
        _check_activation(findings, where, decision, project)
        return
    flag = project.flags.get(key)
    if flag is None:
        findings.add(f"{where}.metadata.flag_key", f"{key!r} is no flag of the project")
        return
    if kind == "holdout":
        _check_rule(findings, where, decision, _find(flag.holdouts, decision), None)
    elif decision["experiment_id"] == "":
        _check_without_rule(findings, where, decision, flag)
    else:
        rules = flag.experiments if kind == "feature-test" else flag.deliveries
        rule = _find(rules, decision)
        _check_rule(findings, where, decision, rule, flag)
        if rule is not None:
            _check_prediction(findings, where, decision, visitor, rule, known)
            return
    findings.require("cmab_uuid" not in metadata, f"{where}.metadata.cmab_uuid", NOT_PREDICTED)


def _find(rules: list[Rule], decision: dict[str, Any]) -> Rule | None:
    return next((rule for rule in rules if rule.id == decision["experiment_id"]), None)


def _check_rule(findings: Findings, where: str, decision: dict[str, Any], rule: Rule | None, flag: Flag | None) -> None:
    """A rule's own variation or, for a forced decision, any of the flag's (OPT-65)."""
    metadata = decision["metadata"]
    if rule is None:
        findings.add(f"{where}.experiment_id",
                     f"{decision['experiment_id']} is no {metadata['rule_type']} rule of {metadata['flag_key']!r}")
        return
    _check_ids(findings, where, decision, rule.campaign, rule.key)
    key = metadata["variation_key"]
    candidates = rule.named(key) + (flag.named(key) if flag is not None else [])
    _check_variation(findings, where, decision, candidates)


def _check_without_rule(findings: Findings, where: str, decision: dict[str, Any], flag: Flag) -> None:
    """A forced decision for the flag, or nothing that matched."""
    metadata = decision["metadata"]
    _check_ids(findings, where, decision, "", "")
    if metadata["rule_type"] == "feature-test":
        _check_variation(findings, where, decision, flag.named(metadata["variation_key"]))
        return
    findings.require(decision["variation_id"] is None, f"{where}.variation_id", "must be null without a rule")
    findings.require(metadata["variation_key"] == "", f"{where}.metadata.variation_key", "must be empty without a rule")
    findings.require(metadata["enabled"] is False, f"{where}.metadata.enabled", "must be false without a rule")


def _check_activation(findings: Findings, where: str, decision: dict[str, Any], project: Project) -> None:
    """The impression of the legacy call `activate` (OPT-77)."""
    metadata = decision["metadata"]
    findings.require(metadata["flag_key"] == "", f"{where}.metadata.flag_key", "must be empty for activate")
    findings.require("cmab_uuid" not in metadata, f"{where}.metadata.cmab_uuid", "is not for activate")
    rule = project.experiments.get(decision["experiment_id"])
    if rule is None:
        findings.add(f"{where}.experiment_id", f"{decision['experiment_id']!r} is no experiment of the project")
        return
    _check_ids(findings, where, decision, rule.campaign, rule.key)
    activated = [Variation(found.id, found.key, enabled=True) for found in rule.named(metadata["variation_key"])]
    _check_variation(findings, where, decision, activated)


def _check_ids(findings: Findings, where: str, decision: dict[str, Any], campaign: str, key: str) -> None:
    findings.require(decision["campaign_id"] == campaign, f"{where}.campaign_id",
                     f"must be {campaign!r}, is {decision['campaign_id']!r}")
    found = decision["metadata"]["rule_key"]
    findings.require(found == key, f"{where}.metadata.rule_key", f"must be {key!r}, is {found!r}")


def _check_variation(findings: Findings, where: str, decision: dict[str, Any], candidates: list[Variation]) -> None:
    metadata = decision["metadata"]
    if not candidates:
        findings.add(f"{where}.metadata.variation_key", f"{metadata['variation_key']!r} is no variation here")
        return
    same = [found for found in candidates if found.wire_id == decision["variation_id"]]
    if not same:
        wanted = " or ".join(brief(found.wire_id) for found in candidates)
        findings.add(f"{where}.variation_id", f"must be {wanted} (OPT-96), is {brief(decision['variation_id'])}")
        return
    findings.require(any(found.enabled is metadata["enabled"] for found in same), f"{where}.metadata.enabled",
                     f"is not that of the variation {metadata['variation_key']!r}")


def _check_prediction(findings: Findings, where: str, decision: dict[str, Any], visitor: str, rule: Rule,
                      known: Knowledge) -> None:
    """The uuid is that of the request which brought the variation (OPT-94)."""
    uuid = decision["metadata"].get("cmab_uuid")
    if uuid is None:
        return
    place = f"{where}.metadata.cmab_uuid"
    if rule.prediction_attributes is None:
        findings.add(place, NOT_PREDICTED)
    elif not known.options.foreign_events:
        asked = known.ledger.prediction(uuid)
        if findings.require(asked is not None, place, f"no prediction was asked for as {uuid}") and asked is not None:
            findings.require((asked.rule, asked.visitor) == (rule.id, visitor), place,
                             f"was for the visitor {asked.visitor!r} and the rule {asked.rule}")
            predicted = next((found for found in rule.variations if found.id == asked.variation), None)
            if predicted is not None:
                findings.require(predicted.wire_id == decision["variation_id"], f"{where}.variation_id",
                                 f"must be what was predicted, {predicted.id}, is {decision['variation_id']}")
