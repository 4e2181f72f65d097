"""States and contexts that vectors are made of, drawn from one seeded generator."""
import random

rng = random.Random()

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


def random_contexts(count):
    for _ in range(count):
        context = random_context()
        # A user everywhere: no case may come to a draw.
        context["userId"] = rng.choice(["1", "2", "a", "pro", str(rng.randrange(10_000))])
        yield context


def small_feature(name):
    members = {"strategies": guarded(*(random_constraint() for _ in range(rng.randint(0, 1))))}
    if rng.random() < 0.4:
        members["strategies"][0]["segments"] = [rng.randint(1, 3)]
    return feature(name, enabled=rng.random() < 0.8, **members)


def small_segment(number):
    return {"id": number, "name": f"s{number}", "constraints": [constraint("userId", "IN", values=some(["1", "2", "a"], 1))]}
