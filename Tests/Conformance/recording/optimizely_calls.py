"""Vectors for the calls of a client."""
import json

from optimizely.optimizely_user_context import OptimizelyUserContext

from .optimizely_client import Client, Profiles, decision
from .optimizely_inputs import Project, SEGMENTS, attributes, rng, user

OPTIONS = ["DISABLE_DECISION_EVENT", "ENABLED_FLAGS_ONLY", "IGNORE_USER_PROFILE_SERVICE", "INCLUDE_REASONS", "EXCLUDE_VARIABLES"]


def projects(prefix, count, exclusions=False):
    return {f"{prefix}{index}": Project(exclusions and index % 2 == 1).datafile() for index in range(count)}


def rules_of(datafile):
    grouped = [rule for group in datafile["groups"] for rule in group["experiments"]]
    return datafile["experiments"] + grouped


def notice(info):
    """A notification's members by the names that the vendor's other kits give them, without reasons."""
    def name(key):
        first, *others = key.split("_")
        return first + "".join(map(str.capitalize, others))

    return {name(key): value for key, value in info.items() if key != "reasons"}


def decide_file():
    datafiles = projects("project_", 6, exclusions=True)
    cases = []
    for name, datafile in datafiles.items():
        for _ in range(14):
            cases.append(decide_case(name, datafile))
    return {"kind": "decide", "description": "decide, decideForKeys and decideAll on random projects.", "datafiles": datafiles,
            "cases": cases}


def decide_case(name, datafile):
    case = {"datafile": name, "userId": user(), "attributes": attributes(), "options": [o for o in OPTIONS if rng.random() < 0.12]}
    experiments = rules_of(datafile)
    deliveries = [rule for rollout in datafile["rollouts"] for rule in rollout["experiments"]]
    if rng.random() < 0.5:
        case["qualifiedSegments"] = rng.sample(SEGMENTS, 2)
    profiles = None
    if rng.random() < 0.4:
        rule = rng.choice(experiments)
        stored = {case["userId"]: {"user_id": case["userId"], "experiment_bucket_map": {
            rule["id"]: {"variation_id": rng.choice([rule["variations"][-1]["id"], "gone"])}}}} if rng.random() < 0.7 else {}
        case["userProfiles"] = json.loads(json.dumps(stored))
        profiles = Profiles(stored)
    client = Client(datafile, profiles)
    visitor = client.user(case["userId"], case["attributes"], case.get("qualifiedSegments"))
    if rng.random() < 0.3:
        case["forcedDecisions"] = []
        for flag in rng.sample(datafile["featureFlags"], 2):
            rule = rng.choice(experiments + deliveries)
            forced = {"flagKey": flag["key"], "ruleKey": rng.choice([None, rule["key"]]),
                      "variationKey": rng.choice([rule["variations"][0]["key"], "nothing"])}
            case["forcedDecisions"].append(forced)
            visitor.set_forced_decision(
                OptimizelyUserContext.OptimizelyDecisionContext(forced["flagKey"], forced["ruleKey"]),
                OptimizelyUserContext.OptimizelyForcedDecision(forced["variationKey"]))
    if rng.random() < 0.2:
        rule = rng.choice(experiments)
        forced = {"experimentKey": rule["key"], "variationKey": rng.choice([rule["variations"][0]["key"], None])}
        case["setForcedVariations"] = [forced]
        client.sdk.set_forced_variation(forced["experimentKey"], case["userId"], forced["variationKey"])
    keys = [flag["key"] for flag in datafile["featureFlags"]]
    case["call"] = rng.choice(["decide", "decideForKeys", "decideAll", "decideAll"])
    if case["call"] == "decide":
        case["flagKey"] = rng.choice(keys)
        made = {case["flagKey"]: visitor.decide(case["flagKey"], case["options"])}
    elif case["call"] == "decideForKeys":
        case["flagKeys"] = rng.sample(keys, 2)
        made = visitor.decide_for_keys(case["flagKeys"], case["options"])
    else:
        made = visitor.decide_all(case["options"])
    case["expect"] = {key: decision(one) for key, one in made.items()}
    case["expectEvents"] = client.posts()
    case["expectNotifications"] = [notice(info) for _, info in client.told]
    if profiles:
        case["expectProfileSaved"] = profiles.saved
    return case


def profile_file():
    datafiles = projects("project_", 4)
    cases = []
    for name, datafile in datafiles.items():
        for _ in range(4):
            profiles, steps, visitor = Profiles({}), [], user()
            client = Client(datafile, profiles)
            for _ in range(3):
                step = {"datafile": name, "userId": visitor, "attributes": attributes(),
                        "options": ["IGNORE_USER_PROFILE_SERVICE"] if rng.random() < 0.2 else []}
                before, saved = profiles.lookups, len(profiles.saved)
                made = client.user(visitor, step["attributes"]).decide_all(step["options"])
                step["expect"] = {key: {"variationKey": one.variation_key, "ruleKey": one.rule_key} for key, one in made.items()}
                step["expectLookups"] = profiles.lookups - before
                step["expectSaved"] = profiles.saved[saved:]
                steps.append(step)
            cases.append({"steps": steps})
    return {"kind": "user_profile", "description": "decideAll again and again over one store of profiles.",
            "datafiles": datafiles, "cases": cases}


def track_file():
    datafiles = projects("project_", 3)
    tags = [None, {}, {"revenue": 4200}, {"revenue": 0, "value": 1.5}, {"value": 7, "ünit": "€"}, {"revenue": "100"}, {"value": False},
            {"label": "x", "count": 3, "ok": True}]
    cases = []
    for name, datafile in datafiles.items():
        for _ in range(16):
            client = Client(datafile)
            case = {"datafile": name, "userId": user(), "attributes": attributes(), "eventKey": rng.choice(["buy", "größe", "unknown"]),
                    "eventTags": rng.choice(tags)}
            client.user(case["userId"], case["attributes"]).track_event(case["eventKey"], case["eventTags"])
            case["expectEvents"] = client.posts()
            cases.append(case)
    return {"kind": "track", "description": "Conversions.", "datafiles": datafiles, "cases": cases}


def legacy_file():
    datafiles = projects("project_", 4)
    for datafile in datafiles.values():
        datafile["holdouts"] = datafile["localHoldouts"] = []  # this kit alone tells nobody of them in these calls
    cases = []
    for name, datafile in datafiles.items():
        for _ in range(24):
            cases.append(legacy_case(name, datafile))
    return {"kind": "legacy_api", "description": "The calls that came before decide; null where they throw.",
            "datafiles": datafiles, "cases": cases}


def legacy_case(name, datafile):
    client = Client(datafile)
    flag, rule = rng.choice(datafile["featureFlags"]), rng.choice(rules_of(datafile))
    case = {"datafile": name, "userId": user(), "attributes": attributes()}
    who = (case["userId"], case["attributes"])
    call = rng.choice(["activate", "getVariation", "isFeatureEnabled", "getEnabledFeatures", "getFeatureVariable", "getAllFeatureVariables"])
    if call == "getFeatureVariable" and not flag["variables"]:
        call = "getEnabledFeatures"
    case["call"] = call
    sdk = client.sdk
    if call in ("activate", "getVariation"):
        case["experimentKey"] = rule["key"]
        case["expect"] = (sdk.activate if call == "activate" else sdk.get_variation)(rule["key"], *who)
    elif call == "isFeatureEnabled":
        case["flagKey"] = flag["key"]
        case["expect"] = sdk.is_feature_enabled(flag["key"], *who)
    elif call == "getEnabledFeatures":
        case["expect"] = sdk.get_enabled_features(*who)
    elif call == "getFeatureVariable":
        variable = rng.choice(flag["variables"])
        asked = rng.choice(["string", "integer", "double", "boolean", "json", variable.get("subType", variable["type"])])
        getter = {"string": sdk.get_feature_variable_string, "integer": sdk.get_feature_variable_integer, "json": sdk.get_feature_variable_json,
                  "double": sdk.get_feature_variable_double, "boolean": sdk.get_feature_variable_boolean}[asked]
        case.update(flagKey=flag["key"], variableKey=variable["key"], type=asked)
        case["expect"] = getter(flag["key"], variable["key"], *who)
    else:
        case["flagKey"] = flag["key"]
        case["expect"] = sdk.get_all_feature_variables(flag["key"], *who)
    case["expectEvents"] = client.posts()
    case["expectNotificationTypes"] = [type for type, _ in client.told]
    return case
