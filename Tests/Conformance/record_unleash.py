#!/usr/bin/env python3
"""Records test vectors by asking Unleash's own engine, used as a black box.

    python3 -m venv oracle
    oracle/bin/pip install yggdrasil-engine==2.0.0 mmh3==5.1.0
    oracle/bin/python Tests/Conformance/record_unleash.py Tests/Conformance/vectors/unleash

States and contexts are generated here, from a fixed seed; the expected values are what the engine answers. Only
`frontend_decode.json` is not recorded: the engine does not read such documents, so its expected values are
written down here by the rules. Cases never depend on a random draw or on the time of day.
"""
import ctypes
import glob
import hashlib
import json
import os
import random
import sys

import mmh3
import yggdrasil_engine

ORACLE = "yggdrasil-engine==2.0.0"


class Engine:
    """The engine's C interface."""

    library = None

    def __init__(self):
        if Engine.library is None:
            folder = os.path.join(os.path.dirname(yggdrasil_engine.__file__), "lib")
            Engine.library = library = ctypes.CDLL(glob.glob(os.path.join(folder, "*.so"))[0])
            pointer, text = ctypes.c_void_p, ctypes.c_char_p
            for name, arguments in {
                "new_engine": [],
                "free_engine": [pointer],
                "free_response": [pointer],
                "take_state": [pointer, text],
                "check_enabled": [pointer, text, text, text],
                "check_variant": [pointer, text, text, text],
                "should_emit_impression_event": [pointer, text],
                "list_known_toggles": [pointer],
                "get_state": [pointer],
            }.items():
                function = getattr(library, name)
                function.argtypes, function.restype = arguments, pointer
            library.free_engine.restype = library.free_response.restype = None
        self.engine = Engine.library.new_engine()

    def __del__(self):
        Engine.library.free_engine(self.engine)

    def ask(self, function, *arguments):
        encoded = [a.encode() if isinstance(a, str) else json.dumps(a).encode() for a in arguments]
        pointer = getattr(Engine.library, function)(self.engine, *encoded)
        answer = json.loads(ctypes.string_at(pointer))
        Engine.library.free_response(pointer)
        return answer

    def take(self, document):
        """ok, warning or error."""
        answer = self.ask("take_state", document)
        if answer["status_code"] == "Ok":
            return "ok"
        return "warning" if "warnings were reported" in (answer["error_message"] or "") else "error"

    def evaluate(self, toggle, context, custom=None):
        enabled = self.ask("check_enabled", toggle, context, custom or {})
        variant = self.ask("check_variant", toggle, context, custom or {})
        impression = self.ask("should_emit_impression_event", toggle)
        assert "panick" not in (variant["error_message"] or ""), (toggle, context)
        value = variant["value"] or {"name": "disabled", "enabled": False, "featureEnabled": False}
        value = {
            "name": value["name"],
            "enabled": value["enabled"],
            "featureEnabled": value.get("featureEnabled", value.get("feature_enabled", False)),
            **({"payload": value["payload"]} if value.get("payload") else {}),
        }
        return {
            "enabled": bool(enabled["value"]),
            "found": enabled["value"] is not None,
            "variant": value,
            "impressionData": bool(impression["value"]),
        }

    def known(self):
        return sorted(toggle["name"] for toggle in self.ask("list_known_toggles")["value"])

    def segments(self):
        return sorted(segment["id"] for segment in self.ask("get_state")["value"].get("segments") or [])


rng = random.Random(20260105)
FIELDS = ["userId", "sessionId", "environment", "appName", "remoteAddress", "tier", "age", "ver", "when", "søk"]
WORDS = ["a", "b", "pro", "free", "NO", "Ås", "ÅS", "straße", "ΟΔΟΣ", "οδος", "İz", "i̇z", "é", "é", "x y", "", "1", "18"]
NUMBERS = ["0", "1", "-1", "18", "18.0", "1e2", "+5", ".5", "5.", "0.1", "nan", "inf", "-inf", "1_0", "0x1", " 1", "abc", ""]
DATES = ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.001Z", "2020-1-2T3:4:5Z", "2020-01-01 00:00:00 +0000",
         "2020-01-01T01:00:00+01:00", "2019-12-31T23:59:60Z", "2020-01-01t00:00:00z", "2020-01-01", "1577836800", "nope"]
VERSIONS = ["1.2.3", "1.2.3-alpha", "1.2.3-alpha.1", "1.2.3-alpha.beta", "1.2.3+b", "1.2.4", "1.10.0", "2.0.0-rc.1", "01.2.3",
            "1.2", "v1.2.3", "1.2.3-01", "18446744073709551615.0.0", ""]
ADDRESSES = ["10.0.0.1", "10.1.2.3", "192.168.1.7", "::1", "2001:db8::7", "::ffff:10.0.0.1", "010.0.0.1", "10.0.0", "", "fe80::1%eth0"]
RANGES = ["10.0.0.0/8", "10.0.0.1", "192.168.1.9/24", "10.0.0.0/255.0.0.0", "2001:db8::/32", "::/0", "0.0.0.0/0", "10.0.0.0/33", "nope", " 10.0.0.1"]
PATTERNS = ["^a", "\\d+", "^\\p{L}+$", "(?i)å", "a|b", "^$", "[[:alpha:]]", "^.{3}$", "(?P<n>a)b", "\\bpro\\b", "a(", "(?=a)", "[a-z&&[^b]]"]


def feature(name, **members):
    return {"name": name, "enabled": True, **members}


def document(features, segments=None):
    return {"version": 2, "features": features, **({"segments": segments} if segments is not None else {})}


def constraint(field, operator, **members):
    return {"contextName": field, "operator": operator, **members}


def guarded(*constraints):
    return [{"name": "default", "constraints": list(constraints)}]


def some(options, least=0, most=3):
    return [rng.choice(options) for _ in range(rng.randint(least, most))]


def maybe_inverted():
    return {"inverted": True} if rng.random() < 0.3 else {}


def random_context():
    context = {}
    for field in ["userId", "sessionId", "environment", "appName"]:
        if rng.random() < 0.6:
            context[field] = rng.choice(WORDS + [str(rng.randrange(1000))])
    if rng.random() < 0.6:
        context["remoteAddress"] = rng.choice(ADDRESSES)
    properties = {}
    for field, values in {"tier": WORDS, "age": NUMBERS, "ver": VERSIONS, "when": DATES, "søk": WORDS}.items():
        if rng.random() < 0.6:
            properties[field] = rng.choice(values)
    if properties:
        context["properties"] = properties
    return context


def with_value(field, value):
    return {field: value} if field in FIELDS[:5] else {"properties": {field: value}}


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


def rollout_strategy(percentages=("0", "1", "25", "50", "75", "99", "100", "101", "+5", "007", "50.5", "", "x")):
    kind = rng.choice(["flexibleRollout"] * 4 + ["gradualRolloutUserId", "gradualRolloutSessionId"])
    share = rng.choice(percentages)
    if kind == "flexibleRollout":
        parameters = {"rollout": share}
        if rng.random() < 0.9:
            # Without an identity the default stickiness draws: only where a draw cannot matter.
            parameters["stickiness"] = rng.choice(["userId", "sessionId", "tier", "søk", "appName"])
        elif share not in ("0", "100"):
            parameters["stickiness"] = "userId"
        if rng.random() < 0.7:
            parameters["groupId"] = rng.choice(["g", "", "grüppe", "a:b"])
    else:
        parameters = {"percentage": share}
        if rng.random() < 0.9:
            parameters["groupId"] = "g"
    return {"name": kind, "parameters": parameters}


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


def variants(stickiness, payloads=True, overrides=False):
    made = []
    for index in range(rng.randint(1, 4)):
        variant = {"name": rng.choice(["red", "blå", "v", "disabled"]) + str(index), "weight": rng.choice([0, 1, 10, 333, 1000]),
                   "weightType": "variable", "stickiness": stickiness}
        if index == 0:
            variant["weight"] = 500
        if payloads and rng.random() < 0.5:
            kind, value = rng.choice([("string", "x"), ("json", '{"a":[1]}'), ("csv", "a,b"), ("number", "1.5"), ("json", "{")])
            variant["payload"] = {"type": kind, "value": value}
        if overrides and rng.random() < 0.4:
            variant["overrides"] = [{"contextName": rng.choice(["userId", "tier", "appName"]), "values": some(WORDS, 1)}]
        made.append(variant)
    return made


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


def random_state():
    segments = [{"id": i, "constraints": [random_constraint() for _ in range(rng.randint(0, 2))]} for i in range(3)]
    features = []
    for index in range(6):
        strategies = []
        for _ in range(rng.randint(0, 3)):
            strategy = rng.choice([
                {"name": "default", "parameters": {}},
                rollout_strategy(("0", "30", "60", "100")),
                {"name": "userWithId", "parameters": {"userIds": "1,a,pro"}},
                {"name": "remoteAddress", "parameters": {"IPs": "10.0.0.0/8"}},
            ]).copy()
            strategy["constraints"] = [random_constraint() for _ in range(rng.randint(0, 2))]
            if rng.random() < 0.3:
                strategy["segments"] = [rng.randrange(3)]
            if rng.random() < 0.2:
                strategy["variants"] = variants("userId")
                strategy["parameters"] = {**strategy["parameters"], "stickiness": "userId"}
            strategies.append(strategy)
        members = {"strategies": strategies, "enabled": rng.random() < 0.9, "impressionData": rng.random() < 0.3}
        if rng.random() < 0.5:
            members["variants"] = variants("userId", overrides=True)
        if index > 3 and rng.random() < 0.6:
            members["dependencies"] = [{"feature": f"flag{rng.randrange(3)}", "enabled": rng.random() < 0.7}]
        features.append(feature(f"flag{index}", **members))
    return document(features, segments)


def random_constraint():
    field = rng.choice(["tier", "age", "ver", "when", "userId", "remoteAddress"])
    rule = {
        "tier": lambda: constraint(field, rng.choice(["IN", "NOT_IN", "STR_CONTAINS"]), values=some(WORDS[:8], 1)),
        "userId": lambda: constraint(field, "NOT_IN", values=some(["1", "2", "3"], 1)),
        "age": lambda: constraint(field, rng.choice(["NUM_GT", "NUM_LTE"]), value=rng.choice(["0", "18", "1e2"])),
        "ver": lambda: constraint(field, "SEMVER_GTE", value=rng.choice(["1.2.3", "1.2.3-alpha"])),
        "when": lambda: constraint(field, "DATE_AFTER", value="2020-01-01T00:00:00.000Z"),
        "remoteAddress": lambda: constraint(field, "IN_CIDR", values=["10.0.0.0/8", "::/0"]),
    }[field]()
    return {**rule, **maybe_inverted()}


def random_contexts(count):
    for _ in range(count):
        context = random_context()
        # A user everywhere: no case may come to a draw.
        context["userId"] = rng.choice(["1", "2", "a", "pro", str(rng.randrange(10_000))])
        yield context


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


def small_feature(name):
    members = {"strategies": guarded(*(random_constraint() for _ in range(rng.randint(0, 1))))}
    if rng.random() < 0.4:
        members["strategies"][0]["segments"] = [rng.randint(1, 3)]
    return feature(name, enabled=rng.random() < 0.8, **members)


def small_segment(number):
    return {"id": number, "name": f"s{number}", "constraints": [constraint("userId", "IN", values=some(["1", "2", "a"], 1))]}


def checks(engine, names, users=("1", "a")):
    made = []
    for name in names:
        for user in users:
            answer = engine.evaluate(name, {"userId": user})
            made.append({"toggle": name, "context": {"userId": user}, "enabled": answer["enabled"], "found": answer["found"]})
    return made


def delta_file():
    cases = []
    for index in range(7):
        engine, steps, number = Engine(), [], 0
        for step in range(3):
            events = []
            for _ in range(rng.randint(1, 3)):
                number += 1
                if step == 0 and not events:
                    event = {"type": "hydration", "features": [small_feature(f"d{i}") for i in range(3)], "segments": [small_segment(i) for i in (1, 2)]}
                else:
                    event = rng.choice([
                        lambda: {"type": "feature-updated", "feature": small_feature(f"d{rng.randrange(5)}")},
                        lambda: {"type": "feature-removed", "featureName": f"d{rng.randrange(5)}", "project": "default"},
                        lambda: {"type": "segment-updated", "segment": small_segment(rng.randint(1, 4))},
                        lambda: {"type": "segment-removed", "segmentId": rng.randint(1, 4)},
                    ])()
                events.append({"eventId": number, **event})
            batch = {"events": events}
            engine.take(batch)
            steps.append({"apply": batch, "knownFlags": engine.known(), "segmentIds": engine.segments(),
                          "checks": checks(engine, [f"d{i}" for i in range(5)])})
        cases.append({"id": index, "steps": steps})
    return {"kind": "delta", "description": "Batches of events on top of each other.", "cases": cases}


def changed(path, value):
    """A small document with one member changed, or (value is None) missing."""
    made = document([feature("a", strategies=[{"name": "default", "parameters": {"p": "q"}, "constraints": [constraint("x", "IN", values=["1"])], "segments": []}],
                             variants=[{"name": "v", "weight": 1, "payload": {"type": "string", "value": "x"}, "overrides": [{"contextName": "x", "values": ["1"]}]}],
                             dependencies=[]), feature("b")], [{"id": 1, "constraints": []}])
    place = made
    for key in path[:-1]:
        place = place[key]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return made


REMOVED = object()


def state_file():
    a, strategy, variant = ["features", 0], ["features", 0, "strategies", 0], ["features", 0, "variants", 0]
    documents = [changed(path, value) for path, values in [
        (["version"], [REMOVED, "2", -1, 1, 2.0]),
        (["features"], [REMOVED, None, {}]),
        (["segments"], [REMOVED, None, {}]),
        (a + ["name"], [REMOVED, 1, None]),
        (a + ["enabled"], [REMOVED, "true", None]),
        (a + ["type"], [None, 1]),
        (a + ["stale"], [None, "no"]),
        (a + ["description"], [None, 1]),
        (a + ["impressionData"], [None, 1]),
        (a + ["createdAt"], ["2024-01-01T00:00:00Z", "nope", None]),
        (a + ["lastSeenAt"], ["2024-01-01 00:00:00 +0100", 1]),
        (a + ["future"], [{"a": 1}]),
        (a + ["strategies"], [REMOVED, None, {}]),
        (strategy + ["name"], [REMOVED, None]),
        (strategy + ["parameters"], [None, [], {"x": 1}, {"x": None}]),
        (strategy + ["segments"], [None, [1], [77], ["1"], [1.0], [4294967296]]),
        (strategy + ["constraints"], [None, {}]),
        (strategy + ["constraints", 0, "operator"], [REMOVED, "FUTURE", None]),
        (strategy + ["constraints", 0, "contextName"], [REMOVED, 1]),
        (strategy + ["constraints", 0, "values"], [None, [1], "x"]),
        (strategy + ["constraints", 0, "inverted"], [None, True, 1]),
        (strategy + ["constraints", 0, "caseInsensitive"], [None, True]),
        (a + ["variants"], [None, {}]),
        (variant + ["weight"], [REMOVED, "1", 1.5, 2147483648]),
        (variant + ["stickiness"], [None, 1]),
        (variant + ["payload"], [None, {}, {"type": "string", "value": 1}]),
        (variant + ["overrides"], [None, [{}], [{"contextName": "x", "values": None}]]),
        (a + ["dependencies"], [None, [{}], [{"feature": "b"}], [{"feature": "b", "enabled": None, "variants": None}], [{"feature": 1}]]),
        (["segments", 0, "id"], [REMOVED, "1", 2147483648]),
        (["segments", 0, "constraints"], [REMOVED, None]),
    ] for value in values]
    event = {"type": "feature-updated", "eventId": 1, "feature": feature("c", strategies=guarded())}
    documents += [
        [], {}, {"events": []}, {"events": None}, {"events": [event]}, {"events": [{**event, "eventId": "1"}]},
        {"events": [{k: v for k, v in event.items() if k != "eventId"}]}, {"events": [event, {"type": "weird", "eventId": 2}]},
        {"events": [{"type": "feature-removed", "eventId": 1, "featureName": "a"}]},
        {"events": [{"type": "hydration", "eventId": 1, "features": []}]},
        {"events": [{"type": "segment-removed", "eventId": 1, "segmentId": "1"}]},
    ]
    cases, good = [], document([feature("good", strategies=guarded())])
    for made in documents:
        engine, steps = Engine(), []
        for apply in (good, made):
            status = engine.take(apply)
            steps.append({"apply": apply, "status": status, "knownFlags": engine.known()})
        steps[-1]["checks"] = checks(engine, ["good", "a"], users=["1"])
        cases.append({"id": len(cases), "steps": steps})
    return {"kind": "state", "description": "Which documents are taken, over a good one.", "cases": cases}


def hash_file():
    cases = []
    for index in range(60):
        group, identifier = rng.choice(WORDS + ["checkout", "gr1"]), rng.choice(WORDS + [str(rng.randrange(10**6)) for _ in range(9)])
        seed, modulus = rng.choice([(0, 100), (86028157, 1000), (0, 1), (1, 99999)])
        value = mmh3.hash(f"{group}:{identifier}".encode(), seed, signed=False)
        cases.append({"id": index, "group": group, "identifier": identifier, "modulus": modulus, "seed": seed,
                      "murmur3_x86_32": value, "expect": value % modulus + 1})
    return {"kind": "hash", "oracle": "mmh3==5.1.0", "description": "Normalised hashes.", "cases": cases}


def decode_file():
    def toggle(**members):
        return {"name": "a", "enabled": True, **members}

    def read(**members):
        return {"name": "a", "enabled": True, "impressionData": False, **members}

    whole = {"name": "v", "enabled": True, "feature_enabled": True, "payload": {"type": "json", "value": "{}"}}
    good = [
        ([], []),
        ([toggle()], [read()]),
        ([toggle(impressionData=True, extra=[1])], [read(impressionData=True)]),
        ([toggle(impressionData="true")], [read()]),
        ([toggle(variant=None)], [read()]),
        ([toggle(variant=whole)], [read(variant={"name": "v", "enabled": True, "featureEnabled": True, "payload": whole["payload"]})]),
        ([toggle(variant={**whole, "feature_enabled": None, "payload": None})], [read(variant={"name": "v", "enabled": True})]),
        ([toggle(variant={"name": "v", "enabled": False, "featureEnabled": True})], [read(variant={"name": "v", "enabled": False})]),
        ([toggle(enabled=False, variant={"name": "disabled", "enabled": False, "feature_enabled": False})],
         [{**read(enabled=False), "variant": {"name": "disabled", "enabled": False, "featureEnabled": False}}]),
        ([toggle(), toggle(enabled=False)], [read()]),
    ]
    bad = [{"toggles": [made]} for made in [
        1, {"name": "a"}, {"enabled": True}, toggle(enabled="true"), toggle(name=1), toggle(variant=1), toggle(variant={"name": "v"}),
        toggle(variant={"enabled": True}), toggle(variant={**whole, "feature_enabled": 1}), toggle(variant={**whole, "payload": "x"}),
        toggle(variant={**whole, "payload": {"type": "json"}}), toggle(variant={**whole, "payload": {"type": "json", "value": 1}}),
    ]] + [None, [], {}, {"toggles": None}, {"toggles": {}}]
    bodies = [(json.dumps({"toggles": sent}), {"ok": True, "toggles": seen}) for sent, seen in good]
    bodies += [(json.dumps(made), {"ok": False}) for made in bad] + [(text, {"ok": False}) for text in ("", "nope", '{"toggles":[')]
    return {"kind": "frontend_decode", "oracle": "written by the reading rules", "description": "Answers of the frontend endpoint.",
            "cases": [{"id": index, "body": body, "expect": expect} for index, (body, expect) in enumerate(bodies)]}


def write(folder, name, made):
    """One case a line, so that a change shows as what it is."""
    head = {"oracle": ORACLE, **made}
    cases = head.pop("cases")
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = [f"{json.dumps(key)}:{dump(value)}" for key, value in head.items()]
    body = ",\n".join(map(dump, cases))
    text = "{" + ",\n".join(lines) + ',\n"cases":[\n' + body + "\n]}\n"
    assert json.loads(text)["cases"] == cases
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, made in constraint_files():
        write(folder, name, made)
    for name, record in {
        "rollout": rollout_file, "lists": list_file, "variants": variant_file, "dependencies": dependency_file,
        "segments": segment_file, "custom_strategies": custom_file, "context_json": context_file, "random_states": random_file,
        "frontend_response": response_file, "distribution": distribution_file, "delta": delta_file, "state": state_file,
        "hash": hash_file, "frontend_decode": decode_file,
    }.items():
        write(folder, name, record())


main()
