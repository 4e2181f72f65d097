"""What one datafile says about the requests of its clients (protocol 2)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Iterator

from .routes import EU, US

_DIGITS = re.compile("[0-9]+")


@dataclass(frozen=True)
class Variation:
    id: str
    key: str
    enabled: bool

    @property
    def wire_id(self) -> str | None:
        """What events say: only ids of digits are ids to the service (OPT-96)."""
        return self.id if _DIGITS.fullmatch(self.id) else None


@dataclass
class Rule:
    """An experiment, a delivery rule or a holdout."""

    id: str
    key: str
    campaign: str
    variations: list[Variation]
    prediction_attributes: frozenset[str] | None = None
    """Ids of the attributes that the prediction server is told; None for a rule that does not ask it."""
    only_for: frozenset[str] | None = None
    """The rules that a local holdout covers."""

    def named(self, key: str) -> list[Variation]:
        return [variation for variation in self.variations if variation.key == key]


@dataclass
class Flag:
    key: str
    experiments: list[Rule]
    deliveries: list[Rule]
    holdouts: list[Rule] = field(default_factory=list)

    @property
    def variations(self) -> list[Variation]:
        """Those of its rules in order, each id once (2.3)."""
        found: dict[str, Variation] = {}
        for rule in (*self.experiments, *self.deliveries):
            for variation in rule.variations:
                found.setdefault(variation.id, variation)
        return list(found.values())

    def named(self, key: str) -> list[Variation]:
        """What a forced decision finds for a key: at most one."""
        return [variation for variation in self.variations if variation.key == key][:1]


class Project:
    """The look-ups of one datafile; raises KeyError for an entity without the id or key that it needs."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.account_id = document.get("accountId")
        self.project_id = document.get("projectId")
        self.revision = document.get("revision")
        region = document.get("region")
        self.region = EU if isinstance(region, str) and region.upper() == EU else US
        self.anonymize_ip = document.get("anonymizeIP")
        bots = document.get("botFiltering")
        self.bot_filtering: bool | None = bots if isinstance(bots, bool) else None
        self.sends_flag_decisions = document.get("sendFlagDecisions") is True
        self.attributes = {entry["key"]: entry["id"] for entry in _entries(document, "attributes")}
        self.events = {entry["key"]: entry["id"] for entry in _entries(document, "events")}
        experiments = _entries(document, "experiments")
        for group in _entries(document, "groups"):
            experiments += _entries(group, "experiments")
        self.experiments = {rule["id"]: _rule(rule) for rule in experiments}
        types = {rule["id"]: rule.get("type") for rule in experiments}
        self.flags = {flag["key"]: self._flag(flag, types) for flag in _entries(document, "featureFlags")}
        self.segments = _segments(document)
        self.platform_host, self.platform_key = _platform(document)

    def _flag(self, flag: dict[str, Any], types: dict[str, Any]) -> Flag:
        experiments = [self.experiments[id] for id in flag.get("experimentIds") or [] if id in self.experiments]
        rollout = next((r for r in _entries(self.document, "rollouts") if r["id"] == flag.get("rolloutId")), {})
        deliveries = [_rule(rule) for rule in _entries(rollout, "experiments")]
        everyone = deliveries[-1].variations if deliveries else []
        for rule in experiments:
            # Feature rollouts get the variation of everyone else (2.4).
            if types[rule.id] == "fr" and everyone and everyone[0] not in rule.variations:
                rule.variations.append(everyone[0])
        made = Flag(flag["key"], experiments, deliveries)
        rules = {rule.id for rule in (*experiments, *deliveries)}
        made.holdouts = [holdout for holdout in self._holdouts()
                         if holdout.only_for is None or holdout.only_for & rules]
        return made

    def _holdouts(self) -> Iterator[Rule]:
        for holdout in _entries(self.document, "holdouts"):
            if holdout.get("status") == "Running":
                yield _rule(holdout, is_holdout=True)
        for holdout in _entries(self.document, "localHoldouts"):
            rules = holdout.get("includedRules")
            if holdout.get("status") == "Running" and rules:
                yield _rule(holdout, is_holdout=True, only_for=frozenset(rules))


def _entries(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = document.get(name)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _rule(rule: dict[str, Any], is_holdout: bool = False, only_for: frozenset[str] | None = None) -> Rule:
    layer = rule.get("layerId")
    campaign = layer if isinstance(layer, str) and layer and not is_holdout else rule["id"]
    variations = [Variation(entry["id"], entry["key"], entry.get("featureEnabled") is True)
                  for entry in _entries(rule, "variations")]
    bandit = rule.get("cmab")
    asked = frozenset(bandit.get("attributeIds") or []) if isinstance(bandit, dict) else None
    return Rule(rule["id"], rule["key"], campaign, variations, asked, only_for)


def _segments(document: dict[str, Any]) -> set[str]:
    """Every value of a `qualified` condition in a typed audience (2.3)."""
    found: set[str] = set()

    def walk(node: Any) -> None:
        if isinstance(node, list):
            for entry in node:
                walk(entry)
        elif isinstance(node, dict) and node.get("match") == "qualified" and isinstance(node.get("value"), str):
            found.add(node["value"])

    for audience in _entries(document, "typedAudiences"):
        conditions = audience.get("conditions")
        is_text = isinstance(conditions, str) and conditions.startswith(("[", "{"))
        walk(json.loads(conditions) if is_text else conditions)
    return found


def _platform(document: dict[str, Any]) -> tuple[str | None, str | None]:
    """Host and public key of the data platform."""
    found = next((entry for entry in _entries(document, "integrations") if entry.get("key") == "odp"), {})
    return found.get("host"), found.get("publicKey")
