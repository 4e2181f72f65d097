"""Vectors of evaluations: one flag, one context, what the engine answers."""
import hashlib

from .engine import Engine
from .inputs import (
    ADDRESSES, DATES, NUMBERS, PATTERNS, RANGES, VERSIONS, WORDS, constraint, document, feature, guarded,
    maybe_inverted, random_context, random_contexts, random_state, rng, rollout_strategy, some, variants, with_value,
)


def evaluate_cases(state, asked):
    engine = Engine()
    engine.take(state)
    return [
        {"id": index, "state": "s", "toggle": toggle, "context": context, "expect": engine.evaluate(toggle, context)}
        for index, (toggle, context) in enumerate(asked)
    ]


def evaluate_file(description, features, asked, segments=None):
    state = document(features, segments)
    return {"kind": "evaluate", "description": description, "states": {"s": state}, "cases": evaluate_cases(state, asked)}


def constraint_files():
    kinds = {
        "constraints_string": (["IN", "NOT_IN", "STR_STARTS_WITH", "STR_ENDS_WITH", "STR_CONTAINS"], "tier", WORDS, WORDS),
        "constraints_number": (["NUM_EQ", "NUM_GT", "NUM_GTE", "NUM_LT", "NUM_LTE"], "age", NUMBERS, NUMBERS),
        "constraints_date": (["DATE_AFTER", "DATE_BEFORE", "NUM_EQ"], "when", DATES, DATES),
        "constraints_version": (["SEMVER_EQ", "SEMVER_GT", "SEMVER_LT", "SEMVER_GTE", "SEMVER_LTE", "NUM_GT"], "ver", VERSIONS, VERSIONS),
        "constraints_address": (["IN_CIDR"], "remoteAddress", RANGES, ADDRESSES),
        "constraints_pattern": (["REGEX"], "tier", PATTERNS, WORDS),
    }
    for file, (operators, field, operands, values) in kinds.items():
        features, asked = [], []
        for index in range(20):
            operator = rng.choice(operators)
            if operator in ("IN", "NOT_IN", "STR_STARTS_WITH", "STR_ENDS_WITH", "STR_CONTAINS", "IN_CIDR"):
                rule = constraint(field, operator, values=some(operands, 0 if operator.endswith("IN") else 1), **maybe_inverted())
            else:
                rule = constraint(field, operator, value=rng.choice(operands), **maybe_inverted())
            if rng.random() < 0.4 and operator.startswith(("STR", "REGEX")):
                rule["caseInsensitive"] = True
            name = f"f{index}"
            features.append(feature(name, strategies=guarded(rule)))
            asked.append((name, {}))
            asked += [(name, with_value(field, value)) for value in rng.sample(values, 2)]
        yield file, evaluate_file(f"Constraints on {field}.", features, asked)


def rollout_file():
    features = [feature(f"roll.{i}", strategies=[rollout_strategy()]) for i in range(22)]
    asked = [(f["name"], random_context()) for f in features for _ in range(3)]
    return evaluate_file("Rollout strategies: percentages, stickiness, groups.", features, asked)


def list_file():
    lists = ["1,2, 3", "", " ", "a,b\t,c", "10.0.0.0/8, ::1", "nope, 10.0.0.1", 'q"q', "tail\\", "1,,2"]
    features, asked = [], []
    for index, text in enumerate(lists):
        for kind, parameter in (("userWithId", "userIds"), ("remoteAddress", "IPs")):
            name = f"{kind}.{index}"
            features.append(feature(name, strategies=[{"name": kind, "parameters": {parameter: text}}]))
            for value in ["1", "", "10.0.0.1", 'q"q']:
                asked.append((name, {"userId": value, "remoteAddress": value}))
            asked.append((name, {}))
    return evaluate_file("Lists in the parameters of strategies.", features, asked)


def variant_file():
    features = []
    for index in range(18):
        strategies = rng.choice([[], guarded(), [{"name": "userWithId", "parameters": {"userIds": "1,a,pro"}}]])
        if rng.random() < 0.4:
            strategies = [{"name": "flexibleRollout", "parameters": {"rollout": "100", "stickiness": "userId", "groupId": "grp"},
                           "variants": variants("userId")}] + strategies
        features.append(feature(f"var.{index}", strategies=strategies, impressionData=rng.random() < 0.3,
                                variants=variants(rng.choice(["userId", "tier", "default"]), overrides=True)))
    asked = []
    for made in features:
        for _ in range(3):
            context = random_context()
            context["userId"] = rng.choice(["1", "a", "pro", str(rng.randrange(10_000))])
            context.setdefault("properties", {})["tier"] = rng.choice(["pro", "free", "a"])
            asked.append((made["name"], context))
    return evaluate_file("Variants of flags and of strategies, overrides, payloads.", features, asked)


def dependency_file():
    features = [
        feature("on", strategies=guarded(), variants=[{"name": "pv", "weight": 1, "stickiness": "userId"}]),
        feature("off", enabled=False, variants=[{"name": "pv", "weight": 1, "stickiness": "userId"}]),
        feature("some", strategies=[{"name": "flexibleRollout", "parameters": {"rollout": "50", "stickiness": "userId"}}]),
        feature("two", strategies=guarded(), variants=[{"name": n, "weight": 1, "stickiness": "userId"} for n in "ab"]),
        feature("broken", strategies=guarded(constraint("x", "FUTURE", values=[]))),
        feature("chained", dependencies=[{"feature": "on"}]),
    ]
    for index in range(30):
        dependencies = []
        for _ in range(rng.choice([1, 1, 2])):
            dependency = {"feature": rng.choice(["on", "off", "some", "two", "broken", "chained", "missing"])}
            if rng.random() < 0.5:
                dependency["enabled"] = rng.random() < 0.5
            if rng.random() < 0.4:
                dependency["variants"] = some(["pv", "a", "b", "disabled"])
            dependencies.append(dependency)
        features.append(feature(f"child.{index}", strategies=guarded(), dependencies=dependencies))
    asked = [(f["name"], {"userId": str(rng.randrange(1000))}) for f in features for _ in range(2)]
    return evaluate_file("Flags that depend on others.", features, asked)


def segment_file():
    segments = [
        {"id": 1, "name": "one", "constraints": [constraint("tier", "IN", values=["pro", "a"])]},
        {"id": 2, "name": "empty", "constraints": []},
        {"id": 3, "constraints": [constraint("userId", "STR_CONTAINS", values=["1"]), constraint("age", "NUM_GT", value="10")]},
        {"id": 4, "constraints": [constraint("age", "NUM_GT", value="ten")]},
        {"id": -5, "constraints": [constraint("userId", "IN", values=["1"])]},
        {"id": -5, "constraints": [constraint("userId", "IN", values=["2", "a"])]},
    ]
    features = []
    for index in range(18):
        strategies = [{"name": "default", "segments": some([1, 2, 3, 4, -5, 77] if rng.random() < 0.3 else [1, 2, 3, -5]),
                       "constraints": []} for _ in range(rng.choice([1, 1, 2]))]
        features.append(feature(f"seg.{index}", strategies=strategies))
    asked = []
    for made in features:
        for _ in range(3):
            asked.append((made["name"], {"userId": rng.choice(["1", "2", "a", "21"]),
                                         "properties": {"tier": rng.choice(["pro", "free"]), "age": rng.choice(["9", "18"])}}))
    return evaluate_file("Segments.", features, asked, segments)


def custom_file():
    state = document([
        feature("one", strategies=[{"name": "customA", "parameters": {"p": "q"}}]),
        feature("guarded", strategies=[{"name": "customA", "constraints": [constraint("userId", "IN", values=["1"])]}]),
        feature("either", strategies=[{"name": "customA"}, {"name": "customB"}]),
        feature("mixed", strategies=[{"name": "userWithId", "parameters": {"userIds": "2"}}, {"name": "customB"}]),
        feature("variants", strategies=[{"name": "customB", "variants": [{"name": "s", "weight": 1, "stickiness": "userId"}]}]),
    ])
    numbers = {"one": ["customA"], "guarded": ["customA"], "either": ["customA", "customB"], "mixed": ["customB"], "variants": ["customB"]}
    engine, cases = Engine(), []
    engine.take(state)
    for toggle, names in numbers.items():
        for answers in ({}, {"customA": True}, {"customB": True}, {"customA": False, "customB": True}):
            for user in ("1", "2"):
                results = {f"customStrategy{i + 1}": answers.get(name, False) for i, name in enumerate(names)}
                context = {"userId": user}
                cases.append({"id": len(cases), "state": "s", "toggle": toggle, "context": context, "customStrategies": answers,
                              "expect": engine.evaluate(toggle, context, results)})
    return {"kind": "evaluate", "description": "Strategies of the host's own.", "states": {"s": state}, "cases": cases}


def context_file():
    values = ["abc", "123", "1.5", "1.0", "true", "-7", ""]
    features, asked = [], []
    for field in ["userId", "currentTime", "x", ""]:
        features.append(feature(f"in.{field}", strategies=guarded(constraint(field, "IN", values=values))))
        for given in ["abc", 123, 1.5, 1.0, True, -7, None, [1], {"a": 1}, ""]:
            asked.append((f"in.{field}", {field: given}))
            asked.append((f"in.{field}", {"properties": {field: given}}))
            asked.append((f"in.{field}", {field: given, "properties": {field: "abc"}}))
    asked += [("in.userId", {"context": {"userId": "abc"}}), ("in.x", {"context": {"properties": {"x": 1.0}}}), ("in.x", {"properties": None})]
    return evaluate_file("Contexts as the engine reads them from JSON.", features, asked)


def random_file():
    states, cases = {}, []
    for index in range(5):
        state = random_state()
        states[f"s{index}"] = state
        engine = Engine()
        engine.take(state)
        for context in random_contexts(2):
            for made in state["features"]:
                cases.append({"id": len(cases), "state": f"s{index}", "toggle": made["name"], "context": context,
                              "expect": engine.evaluate(made["name"], context)})
    return {"kind": "evaluate", "description": "Whole states, drawn.", "states": states, "cases": cases}


def response_file():
    cases = []
    for index in range(4):
        state = random_state()
        engine = Engine()
        engine.take(state)
        context = next(random_contexts(1))
        toggles = []
        for made in sorted(state["features"], key=lambda f: f["name"].encode()):
            answer = engine.evaluate(made["name"], context)
            if answer["enabled"]:
                variant = {k: v for k, v in answer["variant"].items() if k != "featureEnabled"}
                toggles.append({"name": made["name"], "enabled": True, "impressionData": answer["impressionData"],
                                "variant": {**variant, "feature_enabled": True}})
        cases.append({"id": index, "features": state, "context": context, "expect": {"toggles": toggles}})
    return {"kind": "frontend_response", "description": "What a frontend endpoint answers: the flags that are on, by name.", "cases": cases}


def distribution_file():
    cases = []
    for index, (share, group) in enumerate([("0", "g"), ("1", "g"), ("50", None), ("83", "grüppe"), ("100", "")]):
        parameters = {"rollout": share, "stickiness": "userId", **({"groupId": group} if group is not None else {})}
        state = document([feature("f", strategies=[{"name": "flexibleRollout", "parameters": parameters}],
                                  variants=[{"name": f"v{i}", "weight": w, "stickiness": "userId"} for i, w in enumerate((333, 333, 334))])])
        engine = Engine()
        engine.take(state)
        prefix, first, bits, names = rng.choice(["user-", "ü", ""]), rng.randrange(10_000), "", []
        for number in range(first, first + 1000):
            answer = engine.evaluate("f", {"userId": f"{prefix}{number}"})
            bits += "1" if answer["enabled"] else "0"
            names.append(answer["variant"]["name"])
        cases.append({"id": index, "features": state, "toggle": "f", "userIdPrefix": prefix, "from": first, "count": 1000,
                      "expect": {"enabledCount": bits.count("1"), "bitsSha256": hashlib.sha256(bits.encode()).hexdigest(),
                                 "variantCounts": {n: names.count(n) for n in dict.fromkeys(names)},
                                 "variantsSha256": hashlib.sha256(",".join(names).encode()).hexdigest()}})
    return {"kind": "distribution", "description": "A thousand consecutive users.", "cases": cases}
