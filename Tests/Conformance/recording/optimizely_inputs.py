"""Datafiles and visitors that Optimizely's vectors are made of, drawn from one seeded generator."""
import json
import random

rng = random.Random()

NAMES = ["plan", "age", "pro", "version", "score", "país"]
VALUES = {
    "plan": ["free", "pro", "professional", "Pro", "", "プロ"],
    "age": [17, 18, 18.0, 40, -3, 0.5],
    "pro": [True, False],
    "version": ["1.2.3", "1.10.0", "2.0", "2.1.0-beta", "3", "not a version"],
    "score": [0, 1.5, 100, 9007199254740993],
    "país": ["España", "España", "de"],
}
MATCHES = ["exact", "exists", "substring", "gt", "ge", "lt", "le", "semver_eq", "semver_gt", "semver_le", "qualified"]
SEGMENTS = ["buyers", "visitors", "ünique"]


class Ids:
    """Numbers that are never given out twice."""

    def __init__(self):
        self.last = rng.randrange(10**7, 9 * 10**7)

    def next(self):
        self.last += 1
        return str(self.last)


def attribute_condition():
    name = rng.choice(NAMES)
    match = rng.choice(MATCHES)
    if match == "qualified":
        return {"type": "third_party_dimension", "name": "odp.audiences", "match": match, "value": rng.choice(SEGMENTS)}
    condition = {"type": "custom_attribute", "name": name, "match": match, "value": rng.choice(VALUES[name])}
    if match.startswith("semver"):
        condition.update(name="version", value=rng.choice(VALUES["version"]))
    return condition


def tree(leaf, depth=0):
    if depth > 2 or rng.random() < 0.4:
        return leaf()
    operator = rng.choice(["and", "or", "not"])
    operands = [tree(leaf, depth + 1) for _ in range(1 if operator == "not" else rng.randint(1, 3))]
    return [operator, *operands]


class Project:
    """A random datafile."""

    def __init__(self, exclusions=False):
        self.ids = Ids()
        self.variables = [
            {"id": self.ids.next(), "key": "title", "type": "string", "defaultValue": "plain"},
            {"id": self.ids.next(), "key": "limit", "type": "integer", "defaultValue": "3"},
            {"id": self.ids.next(), "key": "factor", "type": "double", "defaultValue": "1.5"},
            {"id": self.ids.next(), "key": "dark", "type": "boolean", "defaultValue": "false"},
            {"id": self.ids.next(), "key": "theme", "type": "string", "subType": "json", "defaultValue": "{\"a\":[1,2]}"},
        ]
        self.audiences = [
            {"id": self.ids.next(), "name": f"typed {index}", "conditions": ["and", tree(attribute_condition)]}
            for index in range(3)
        ]
        self.old = [
            {"id": self.ids.next(), "name": f"old {index}", "conditions": json.dumps(["or", tree(attribute_condition)])}
            for index in range(2)
        ]
        self.attributes = [{"id": self.ids.next(), "key": name} for name in NAMES]
        self.experiments, self.groups, self.rollouts, self.flags = [], [], [], []
        for index in range(4):
            self.add_flag(index)
        self.add_group()
        self.holdouts, self.local_holdouts = [], []
        if rng.random() < 0.5:
            self.holdouts.append(self.holdout("everywhere", exclusions))
        if self.experiments and rng.random() < 0.6:
            local = self.holdout("here", False)
            local["includedRules"] = [rng.choice(self.experiments)["id"]]
            self.local_holdouts.append(local)

    def audience_members(self):
        known = [audience["id"] for audience in self.audiences + self.old]
        kind = rng.random()
        if kind < 0.35:
            return {"audienceIds": []}
        if kind < 0.6:
            return {"audienceIds": rng.sample(known, rng.randint(1, 2))}
        return {"audienceIds": [], "audienceConditions": ["or", tree(lambda: rng.choice(known))]}

    def variation(self, key):
        values = [
            {"id": variable["id"], "value": {"string": "styled", "integer": "-12", "double": "0.25", "boolean": "true"}[variable["type"]]
             if "subType" not in variable else "{\"b\":{\"c\":\"ü\"}}"}
            for variable in self.variables if rng.random() < 0.5
        ]
        return {"id": self.ids.next(), "key": key, "featureEnabled": rng.random() < 0.7, "variables": values}

    def rule(self, key, variations, status=None):
        made = [self.variation(f"{key}_{letter}") for letter in "abc"[:variations]]
        ends = sorted(rng.sample(range(500, 10001, 500), variations))
        rows = [{"entityId": one["id"] if rng.random() < 0.9 else "", "endOfRange": end} for one, end in zip(made, ends)]
        rule = {
            "id": self.ids.next(), "key": key, "status": status or rng.choice(["Running"] * 5 + ["Paused"]),
            "layerId": self.ids.next(), "variations": made, "trafficAllocation": rows if rng.random() < 0.9 else [],
            "forcedVariations": {"listed": rng.choice(made)["key"], "wrongly listed": "nothing"}, **self.audience_members(),
        }
        if rng.random() < 0.25:
            rule["type"] = rng.choice(["td", "ab", "fr"])
        return rule

    def add_flag(self, index):
        experiments = [self.rule(f"exp_{index}_{number}", rng.randint(1, 3)) for number in range(rng.randint(0, 2))]
        deliveries = [self.rule(f"rule_{index}_{number}", 1, "Running") for number in range(rng.randint(0, 3))]
        for rule in deliveries:
            rule["forcedVariations"] = {}
            rule.pop("type", None)
        rollout = {"id": self.ids.next(), "experiments": deliveries}
        self.rollouts.append(rollout)
        self.experiments += experiments
        self.flags.append({
            "id": self.ids.next(), "key": f"flag_{index}", "experimentIds": [rule["id"] for rule in experiments],
            "rolloutId": rollout["id"] if deliveries else "",
            "variables": rng.sample(self.variables, rng.randint(0, len(self.variables))),
        })

    def add_group(self):
        members = [self.rule(f"exclusive_{number}", 2, "Running") for number in range(2)]
        self.groups.append({
            "id": self.ids.next(), "policy": rng.choice(["random", "random", "overlapping"]), "experiments": members,
            "trafficAllocation": [{"entityId": members[0]["id"], "endOfRange": 4500}, {"entityId": members[1]["id"], "endOfRange": 9000}],
        })
        for number, rule in enumerate(members):
            self.flags[number]["experimentIds"].append(rule["id"])

    def holdout(self, key, excludes):
        variation = {"id": self.ids.next(), "key": f"{key}_off", "featureEnabled": False}
        made = {
            "id": self.ids.next(), "key": key, "status": rng.choice(["Running", "Running", "Draft"]), "variations": [variation],
            "trafficAllocation": [{"entityId": variation["id"], "endOfRange": 3000}], **self.audience_members(),
        }
        if excludes:
            made["excludeTargetedDeliveries"] = True
        return made

    def datafile(self):
        made = {
            "version": "4", "projectId": self.ids.next(), "accountId": self.ids.next(), "revision": str(rng.randint(1, 999)),
            "anonymizeIP": rng.random() < 0.5, "experiments": self.experiments, "groups": self.groups,
            "featureFlags": self.flags, "rollouts": self.rollouts, "audiences": self.old, "typedAudiences": self.audiences,
            "attributes": self.attributes, "holdouts": self.holdouts, "localHoldouts": self.local_holdouts,
            "events": [{"id": self.ids.next(), "key": key, "experimentIds": []} for key in ("buy", "größe")],
        }
        if rng.random() < 0.5:
            made["botFiltering"] = rng.random() < 0.5
        if rng.random() < 0.5:
            made["sendFlagDecisions"] = True
        if rng.random() < 0.3:
            made["region"] = "EU"
        return made


def attributes():
    made = {name: rng.choice(VALUES[name]) for name in NAMES if rng.random() < 0.75}
    if rng.random() < 0.15:
        made[rng.choice(NAMES)] = rng.choice([None, True, "other", 7, ["x"]])
    if rng.random() < 0.1:
        made["$opt_bucketing_id"] = rng.choice(["shared", "", 5])
    if rng.random() < 0.1:
        made["unknown"] = "dropped"
    return made


def user():
    return rng.choice(["", "listed", "wrongly listed", "ユーザ", "🙂"] + [f"user-{rng.randrange(10**6)}" for _ in range(20)])
