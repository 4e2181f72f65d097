"""Decisions: what is answered, sent, told and stored."""

from __future__ import annotations

from typing import Any

from report import Report
from vectors import Root

from hoist._native import lib
from hoist.optimizely import Decision, User

from .optimizely_service import Desk, Desks, comparable, sayable_attributes, without


def sayable(root: Root, case: Any) -> bool:
    return sayable_attributes(case) and (case.get("qualifiedSegments") is None or hasattr(lib, "hoist_optimizely_user_set_segments"))


def decide(root: Root, report: Report) -> None:
    with Desks(root) as desks:
        for number, case in enumerate(root["cases"]):
            if sayable(root, case):
                DecideCase(desks, case).run(number, report)
            else:
                report.skip(1, "decide: numbers that are not finite, or segments")


class DecideCase:
    def __init__(self, desks: Desks, case: Any) -> None:
        self.case = case
        self.desk = desks.desk(case["datafile"], case.get("defaultOptions"))

    def run(self, number: int, report: Report) -> None:
        desk, case = self.desk, self.case
        desk.begin(case.get("userProfiles"))
        forced = [(one["experimentKey"], one.get("userId") or case["userId"], one.get("variationKey"))
                  for one in case.get("setForcedVariations") or []]
        for experiment, user, variation in forced:
            desk.client.set_forced_variation(experiment, user, variation)
        decisions = self.call(self.user())
        for experiment, user, _ in forced:
            desk.client.set_forced_variation(experiment, user, None)
        report.check(f"{number} decisions", case["expect"], {key: told(one) for key, one in decisions.items()})
        report.check(f"{number} events", [comparable(event) for event in case["expectEvents"]], desk.posts())
        report.check(f"{number} notifications", case["expectNotifications"],
                     [without("reasons", news["decisionInfo"]) for news in desk.notifications()])
        if "expectProfileSaved" in case:
            report.check(f"{number} profile", case["expectProfileSaved"], desk.profiles.saved)
        if "expectReasons" in case:
            report.check(f"{number} reasons", case["expectReasons"], [text for one in decisions.values() for text in one.reasons])

    def user(self) -> User:
        user = self.desk.client.user(self.case["userId"], self.case.get("attributes"))
        for one in self.case.get("forcedDecisions") or []:
            user.set_forced_decision(one["flagKey"], one["variationKey"], one.get("ruleKey"))
        if self.case.get("qualifiedSegments") is not None:
            user.segments = self.case["qualifiedSegments"]
        return user

    def call(self, user: User) -> dict[str, Decision]:
        options = self.case.get("options") or []
        if self.case["call"] == "decide":
            decision = user.decide(self.case["flagKey"], options)
            return {decision.flag_key: decision}
        if self.case["call"] == "decideForKeys":
            return user.decide_for_keys(self.case["flagKeys"], options)
        return user.decide_all(options)


def told(decision: Decision) -> dict[str, Any]:
    return {"variationKey": decision.variation_key, "enabled": decision.enabled, "variables": decision.variables,
            "ruleKey": decision.rule_key, "flagKey": decision.flag_key}


def profiles(root: Root, report: Report) -> None:
    """decideAll again and again over one store of profiles."""
    with Desks(root) as desks:
        for number, case in enumerate(root["cases"]):
            stored: dict[str, Any] = {}
            for index, step in enumerate(case["steps"]):
                desk = desks.desk(step["datafile"])
                desk.begin(stored)
                report.check(f"{number}.{index}", [step["expect"], step["expectLookups"], step["expectSaved"]], decide_all(desk, step))
                stored = desk.profiles.by_user


def decide_all(desk: Desk, step: Any) -> list[Any]:
    user = desk.client.user(step["userId"], step.get("attributes"))
    decisions = user.decide_all(step.get("options") or [])
    answers = {key: {"variationKey": one.variation_key, "ruleKey": one.rule_key} for key, one in decisions.items()}
    return [answers, desk.profiles.lookups, desk.profiles.saved]
