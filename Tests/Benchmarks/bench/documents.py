"""The workload's flags in the words of each engine."""

import json

from .workload import COUNTRIES, MINIMUM_AGE, PLAN, Flag, payload


def unleash(flags: list[Flag], marker: bool | None = None) -> dict:
    """A features document. With a marker, two more flags are both on or both off in it."""
    features = [_unleash_feature(flag) for flag in flags]
    if marker is not None:
        features[:0] = [_unleash_base("marker-first", enabled=marker)]
        features.append(_unleash_base("marker-last", enabled=marker))
    return {"version": 2, "features": features}


def _unleash_base(key: str, enabled: bool = True) -> dict:
    return {
        "name": key, "type": "release", "enabled": enabled, "stale": False, "impressionData": False,
        "project": "default", "strategies": [], "variants": [],
    }


def _unleash_feature(flag: Flag) -> dict:
    feature = _unleash_base(flag.key)
    if flag.kind == "rule":
        feature["strategies"] = [{
            "name": "flexibleRollout",
            "parameters": {"rollout": "50", "stickiness": "userId", "groupId": flag.key},
            "constraints": [
                {"contextName": "country", "operator": "IN", "values": COUNTRIES},
                {"contextName": "plan", "operator": "IN", "values": [PLAN]},
                {"contextName": "age", "operator": "NUM_GTE", "value": str(MINIMUM_AGE)},
            ],
        }]
    if flag.kind == "vari":
        feature["variants"] = [
            {"name": name, "weight": 500, "weightType": "variable", "stickiness": "userId",
             "payload": {"type": "json", "value": payload(flag.key, name)}}
            for name in ("a", "b")
        ]
    return feature


def flipt(flags: list[Flag]) -> dict:
    """A namespace snapshot; rules and variants are variant flags with a 50/50 distribution."""
    return {"namespace": {"key": "default"}, "flags": [_flipt_flag(flag) for flag in flags]}


def _flipt_flag(flag: Flag) -> dict:
    result = {"key": flag.key, "name": flag.key, "description": "", "enabled": True, "rules": [], "rollouts": []}
    if flag.kind == "bool":
        return result | {"type": "BOOLEAN_FLAG_TYPE"}
    conditions = []
    if flag.kind == "rule":
        conditions = [
            ("country", "STRING", "isoneof", json.dumps(COUNTRIES)),
            ("plan", "STRING", "eq", PLAN),
            ("age", "NUMBER", "gte", str(MINIMUM_AGE)),
        ]
    segment = {
        "key": f"segment-{flag.key}", "matchType": "ALL_SEGMENT_MATCH_TYPE",
        "constraints": [
            {"id": f"{name}-{flag.key}", "property": name, "type": f"{kind}_CONSTRAINT_COMPARISON_TYPE",
             "operator": operator, "value": value}
            for name, kind, operator, value in conditions
        ],
    }
    shares = [("a", 50.0), ("b", 50.0)]
    rule = {
        "id": f"rule-{flag.key}", "rank": 1, "segmentOperator": "AND_SEGMENT_OPERATOR", "segments": [segment],
        "distributions": [
            {"ruleId": f"rule-{flag.key}", "rollout": share, "variantKey": name,
             "variantAttachment": payload(flag.key, name) if flag.kind == "vari" else ""}
            for name, share in shares
        ],
    }
    return result | {"type": "VARIANT_FLAG_TYPE", "rules": [rule]}


def growthbook(flags: list[Flag]) -> dict:
    """Features for the GrowthBook constructor."""
    features = {}
    for flag in flags:
        if flag.kind == "bool":
            features[flag.key] = {"defaultValue": True}
        elif flag.kind == "rule":
            condition = {"country": {"$in": COUNTRIES}, "plan": PLAN, "age": {"$gte": MINIMUM_AGE}}
            rule = {"condition": condition, "force": True, "coverage": 0.5, "hashAttribute": "id"}
            features[flag.key] = {"defaultValue": False, "rules": [rule]}
        else:
            values = [json.loads(payload(flag.key, name)) for name in ("a", "b")]
            rule = {"variations": values, "weights": [0.5, 0.5], "coverage": 1, "hashAttribute": "id", "key": flag.key}
            features[flag.key] = {"defaultValue": None, "rules": [rule]}
    return features


def launchdarkly(flags: list[Flag]) -> dict:
    """Flags by key, as the server's polling endpoint sends them."""
    return {"flags": {flag.key: _launchdarkly_flag(flag) for flag in flags}, "segments": {}}


def _launchdarkly_flag(flag: Flag) -> dict:
    variations = [json.loads(payload(flag.key, name)) for name in ("a", "b")] if flag.kind == "vari" else [True, False]
    half = {"rollout": {"variations": [{"variation": 0, "weight": 50000}, {"variation": 1, "weight": 50000}]}}
    result = {
        "key": flag.key, "version": 1, "on": True, "salt": "salt", "variations": variations, "offVariation": 1,
        "fallthrough": half if flag.kind == "vari" else {"variation": 0 if flag.kind == "bool" else 1},
        "targets": [], "rules": [], "prerequisites": [],
    }
    if flag.kind == "rule":
        clauses = [
            {"attribute": "country", "op": "in", "values": COUNTRIES, "negate": False},
            {"attribute": "plan", "op": "in", "values": [PLAN], "negate": False},
            {"attribute": "age", "op": "greaterThanOrEqual", "values": [MINIMUM_AGE], "negate": False},
        ]
        result["rules"] = [{"id": "rule", "clauses": clauses} | half]
    return result


def launchdarkly_rules(flags: list[Flag]) -> dict:
    """The same for bool flags of three rules with two clauses each: every user fails the second clause of the first two, and
    meets the third, by whose hash half of them are on."""
    return {"flags": {flag.key: _launchdarkly_rules(flag) for flag in flags}, "segments": {}}


def _launchdarkly_rules(flag: Flag) -> dict:
    of_country = {"contextKind": "user", "attribute": "country", "op": "in", "values": COUNTRIES, "negate": False}
    of_plan = of_country | {"attribute": "plan", "values": [PLAN]}
    rules = [
        [of_plan, of_country | {"attribute": "age", "op": "lessThan", "values": [MINIMUM_AGE]}],
        [of_country, of_plan | {"values": ["free", "basic"]}],
        [of_country, of_country | {"attribute": "age", "op": "greaterThanOrEqual", "values": [MINIMUM_AGE]}],
    ]
    half = {"variations": [{"variation": 0, "weight": 50000}, {"variation": 1, "weight": 50000}]}
    outcomes = [{"variation": 0}, {"variation": 0}, {"rollout": half}]
    return {
        "key": flag.key, "version": 1, "on": True, "salt": "salt", "variations": [True, False], "offVariation": 1,
        "fallthrough": {"variation": 1}, "targets": [], "prerequisites": [],
        "rules": [{"id": f"rule-{place}", "clauses": clauses} | outcome
                  for place, (clauses, outcome) in enumerate(zip(rules, outcomes))],
    }


def launchdarkly_values(flags: list[Flag], marker: bool) -> dict:
    """Flags as the service has evaluated them for one user, and one more that is on or off."""
    values = {"marker": marker}
    for number, flag in enumerate(flags):
        values[flag.key] = {
            "bool": True, "rule": number % 20 < 10, "vari": json.loads(payload(flag.key, "ab"[number // 10 % 2])),
        }[flag.kind]
    return {key: {"value": value, "variation": 0, "version": 7, "flagVersion": 3} for key, value in values.items()}


def optimizely(flags: list[Flag]) -> dict:
    """A version 4 datafile: one roll-out per flag."""
    conditions = ["and", ["or"] + [_optimizely_leaf("country", country, "exact") for country in COUNTRIES],
                  _optimizely_leaf("plan", PLAN, "exact"), _optimizely_leaf("age", MINIMUM_AGE, "ge")]
    datafile = {
        "version": "4", "accountId": "1", "projectId": "1", "revision": "1", "anonymizeIP": True, "botFiltering": False,
        "sdkKey": "benchmark", "environmentKey": "production", "sendFlagDecisions": False, "experiments": [],
        "groups": [], "events": [{"id": "purchase", "key": "purchase", "experimentIds": []}], "variables": [], "integrations": [],
        "attributes": [{"id": name, "key": name} for name in ("country", "plan", "age")],
        "audiences": [{"id": "1", "name": "target", "conditions": '["or", {"match": "exact", '
                       '"name": "$opt_dummy_attribute", "type": "custom_attribute", "value": "x"}]'}],
        "typedAudiences": [{"id": "1", "name": "target", "conditions": conditions}],
        "featureFlags": [], "rollouts": [],
    }
    for number, flag in enumerate(flags):
        _add_optimizely_flag(datafile, number, flag)
    return datafile


def _optimizely_leaf(name: str, value, match: str) -> dict:
    return {"type": "custom_attribute", "name": name, "match": match, "value": value}


def _add_optimizely_flag(datafile: dict, number: int, flag: Flag) -> None:
    text = {"id": f"variable-{number}", "key": "payload", "type": "json", "defaultValue": "{}"}
    is_variant = flag.kind == "vari"
    names = ("a", "b") if is_variant else ("on",)
    variations = [
        {"id": f"{number}-{name}", "key": name, "featureEnabled": True,
         "variables": [{"id": text["id"], "value": payload(flag.key, name)}] if is_variant else []}
        for name in names
    ]
    ends = {"bool": [10000], "rule": [5000], "vari": [5000, 10000]}[flag.kind]
    datafile["featureFlags"].append({
        "id": f"flag-{number}", "key": flag.key, "experimentIds": [], "rolloutId": f"rollout-{number}",
        "variables": [text] if is_variant else [],
    })
    datafile["rollouts"].append({"id": f"rollout-{number}", "experiments": [{
        "id": f"experiment-{number}", "key": f"experiment-{number}", "status": "Running", "layerId": f"rollout-{number}",
        "audienceIds": ["1"] if flag.kind == "rule" else [], "forcedVariations": {}, "variations": variations,
        "trafficAllocation": [
            {"entityId": variation["id"], "endOfRange": end} for variation, end in zip(variations, ends)
        ],
    }]})


def optimizely_values(flags: list[Flag]) -> dict:
    """A datafile without rules: each flag is one text."""
    datafile = optimizely([])
    for number, flag in enumerate(flags):
        variable = {"id": f"{number}-0", "key": "text", "type": "string", "defaultValue": f"value of {flag.key}"}
        datafile["featureFlags"].append({
            "id": f"flag-{number}", "key": flag.key, "experimentIds": [], "rolloutId": "", "variables": [variable]})
    return datafile


def optimizely_rules(flags: list[Flag]) -> dict:
    """A datafile of rules: each flag has a test of two variations behind three conditions, a delivery of two rules for
    those whom the test leaves, and a variable of each kind."""
    datafile = optimizely([])
    datafile["sendFlagDecisions"] = True
    for number, flag in enumerate(flags):
        _add_optimizely_rules(datafile, number, flag)
    return datafile


def _add_optimizely_rules(datafile: dict, number: int, flag: Flag) -> None:
    first = 1_000_000 + number * 100
    kinds = {"colour": ("string", "blue"), "limit": ("integer", "10"), "ratio": ("double", "0.5"),
             "layout": ("json", '{"columns": 2, "title": "none"}')}
    variables = [{"id": str(first + index), "key": key, "type": kind, "defaultValue": text}
                 for index, (key, (kind, text)) in enumerate(kinds.items())]
    values = [variables[0]["id"], "red"], [variables[1]["id"], "20"], [variables[2]["id"], "0.25"], [
        variables[3]["id"], json.dumps({"columns": 3, "title": f"of {flag.key}"})]

    def variation(offset: int, name: str, enabled: bool) -> dict:
        own = [{"id": id, "value": value} for id, value in values] if enabled else []
        return {"id": str(first + offset), "key": name, "featureEnabled": enabled, "variables": own}

    def rule(offset: int, key: str, layer: int, variations: list[dict], targeted: bool) -> dict:
        ends = [10000 * (index + 1) // len(variations) for index in range(len(variations))]
        return {
            "id": str(first + offset), "key": f"{key}-{number:05d}", "status": "Running", "layerId": str(first + layer),
            "audienceIds": ["1"] if targeted else [], "audienceConditions": ["or", "1"] if targeted else [],
            "forcedVariations": {}, "variations": variations,
            "trafficAllocation": [{"entityId": one["id"], "endOfRange": end} for one, end in zip(variations, ends)],
        }

    test = [variation(10, "control", False), variation(11, "treatment", True)]
    datafile["experiments"].append(rule(20, "test", 30, test, True))
    datafile["rollouts"].append({"id": str(first + 40), "experiments": [
        rule(41, "target", 40, [variation(12, "on", True)], True), rule(42, "rest", 40, [variation(13, "off", False)], False)]})
    datafile["featureFlags"].append({
        "id": str(first + 50), "key": flag.key, "experimentIds": [str(first + 20)], "rolloutId": str(first + 40),
        "variables": variables})


def flagship(flags: list[Flag]) -> dict:
    """A bucketing file: each flag has a campaign of its own, three targetings that everybody meets, and two variations."""
    return {"campaigns": [_flagship_campaign(number, flag) for number, flag in enumerate(flags)]}


def _flagship_campaign(number: int, flag: Flag) -> dict:
    values = {
        "bool": [False, True], "rule": ["control", "treatment"],
        "vari": [json.loads(payload(flag.key, name)) for name in ("a", "b")],
    }[flag.kind]
    targetings = [
        {"operator": "EQUALS", "key": "country", "value": COUNTRIES},
        {"operator": "EQUALS", "key": "plan", "value": PLAN},
        {"operator": "GREATER_THAN_OR_EQUALS", "key": "age", "value": MINIMUM_AGE},
    ]
    variations = [
        {"id": f"cvariation{number:05d}{place}", "name": f"Variation {place}", "reference": place == 0, "allocation": 50,
         "modifications": {"type": "FLAG", "value": {flag.key: value}}}
        for place, value in enumerate(values)
    ]
    return {
        "id": f"ccampaign{number:011d}", "name": f"Campaign of {flag.key}", "slug": "", "type": "ab", "variationGroups": [{
            "id": f"cgroup{number:014d}", "name": "Everybody", "variations": variations,
            "targeting": {"targetingGroups": [{"targetings": targetings}]},
        }],
    }


def kameleoon(flags: list[Flag]) -> dict:
    """A configuration: each flag has a rule behind a segment of three conditions, which everybody meets, with an experiment
    of two variations. Whom the rule is exposed to is one hash, which variation another."""
    data = [{"id": 700 + index, "index": index, "name": name, "scope": "VISITOR"}
            for index, name in enumerate(("country", "plan", "age"))]
    return {
        "customData": data,
        "featureFlags": [_kameleoon_feature(number, flag) for number, flag in enumerate(flags)],
        "segments": [_kameleoon_segment(number) for number in range(len(flags))],
    }


def _kameleoon_feature(number: int, flag: Flag) -> dict:
    kind, values = {
        "bool": ("BOOLEAN", [False, True]), "rule": ("STRING", ["control", "treatment"]),
        "vari": ("JSON", [payload(flag.key, name) for name in ("a", "b")]),
    }[flag.kind]
    variations = [{"key": key, "name": f"Variation {key}", "variables": [{"key": "value", "type": kind, "value": value}]}
                  for key, value in zip(("a", "b"), values)]
    return {
        "id": 1 + number, "featureKey": flag.key, "defaultVariationKey": "off", "environmentEnabled": True,
        "variations": [{"key": "off", "name": "Off", "variables": []}, *variations],
        "rules": [{
            "id": 100000 + number, "type": "EXPERIMENTATION", "exposition": 1, "experimentId": 200000 + number,
            "segmentId": 1 + number, "variationByExposition": [
                {"variationKey": key, "variationId": 300000 + 2 * number + place, "exposition": 0.5}
                for place, key in enumerate(("a", "b"))],
        }],
    }


def _kameleoon_segment(number: int) -> dict:
    conditions = [
        {"targetingType": "CUSTOM_DATUM", "customDataIndex": str(index), "valueMatchType": match, "value": value}
        for index, (match, value) in enumerate([
            ("AMONG_VALUES", json.dumps(COUNTRIES)), ("EXACT", PLAN), ("GREATER", str(MINIMUM_AGE - 1))])
    ]
    return {"id": 1 + number, "conditionsData": {
        "firstLevelOrOperators": [], "firstLevel": [{"orOperators": [False, False], "conditions": conditions}]}}
