"""Flags, segments and contexts that vectors of LaunchDarkly's server-side mode are made of."""
import random

rng = random.Random()

KINDS = ["user", "org", "device"]
KEYS = ["anna", "bob", "\u00e9", "e\u0301", "\u65e5\u672c", "\U0001f9e9", "a:b%c", "a/b", "~1", " ", "k" * 90]
TEXTS = ["", "a", "ab", "abc", "Abc", "gr\u00fc\u00df", "e\u0301", "\u00e9", "\U0001f9e9\U0001f9e9", "a\nb", "1", "true", "null"]
NUMBERS = [0, 1, -1, 3.0, 2.5, -2.5, 1e-9, 1e15, 9007199254740991, 33333, 100.0]
VALUES = ["v0", "gr\u00fc\u00df", "", 0, 3.0, -2.5, 1e15, True, False, None, [], [1, [2.0]], {}, {"\u00fc": {"~": None}},
          {"a": [True, 1]}]
PATTERNS = ["^a", "b$", "a|b", "^$", "[a-c]+", "\\d", "^.{2}$", "(a)(b)", "a(", "\u00fc", "a+?b", "\\."]
DATES = ["2017-12-06T00:00:00Z", "2017-12-06T05:30:00+05:30", "2017-12-05T20:00:00-04:00", "2017-12-06T00:00:00-00:00",
         "2017-12-06T23:59:00+23:59", "2017-12-06T23:59:00+24:00", "2017-12-06T00:00:00.000001Z", "2017-12-06T00:00:00.0000019Z",
         "2017-12-06t00:00:00z", "2016-02-29T12:00:00Z", "2017-02-29T12:00:00Z", "2017-04-31T00:00:00Z", "2017-12-06T00:00:60Z",
         "2017-12-06T24:00:00Z", "2017-12-06T00:60:00Z", "1969-12-31T23:59:59.5Z", "1900-01-01T00:00:00+13:45",
         "2017-13-06T00:00:00Z", "2017-12-06T00:00Z", "2017-12-06 00:00:00Z", "2017-12-06_00:00:00Z", "2017-12-06T00:00:00+0530",
         "2017-12-06T00:00:00,5Z", "2017-12-06T00:00:00", "2017-12-06", "1512518400000", "", "soon",
         1512518400000, 1512518400000.5, 0, -1, -0.5, 1e15]
VERSIONS = ["2", "2.0", "2.0.0", "2-rc", "2.0-rc+b", "2.0.0-rc", "2.0.0-rc.1", "2.0.0-rc.1.0", "2.0.0-rc.01", "2.0.0-0",
            "2.0.0-00", "2.0.0--", "2.0.0-a-b", "2.0.0-9a", "2.0.0-99", "2.0.0-100", "2.0.0-Rc", "2.0.0+", "2.0.0+01", "2+b",
            "2.0.0-+b", "2.0.0-\u03b2", "v2", "02.0.0", "2.00.0", "2.0.0.0", "2..0", "2.", ".2", "2.0.", "-1.0.0", "", " 2.0.0",
            "2.0.0 ", "2.1", "10.0.0", "2.0.1-rc"]
REFERENCES = ["plan", "/plan", "/place/city", "/place/x~1y/~0", "/place/list/0", "key", "name", "anonymous", "kind", "/kind", "~",
              "nowhere", "/place", "/", "//", "", "/place/", "/place/~2", "\u00fc"]
OPERANDS = {**dict.fromkeys(["before", "after"], DATES),
            **dict.fromkeys(["semVerEqual", "semVerLessThan", "semVerGreaterThan"], VERSIONS),
            **dict.fromkeys(["startsWith", "endsWith", "contains", "about"], TEXTS),
            **dict.fromkeys(["lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"], NUMBERS),
            "matches": PATTERNS, "in": VALUES + TEXTS + NUMBERS}
WEIGHTS = [0, 1, 1000, 33333, 50000, 99999, 100000]
OTHERS = [None, True, False, 1, 0, "1", [], {}, [1], 2.0]


def maybe(share, **members):
    return members if rng.random() < share else {}


def some(options, least=0, most=3):
    return rng.sample(options, rng.randint(least, min(most, len(options))))


def part(key=None):
    place = {"city": rng.choice(TEXTS), "x/y": {"~": rng.choice(NUMBERS)}, "list": [rng.choice(VALUES)]}
    return {"key": rng.choice(KEYS) if key is None else key, **maybe(0.3, name=rng.choice(TEXTS)), **maybe(0.2, anonymous=True),
            **maybe(0.6, plan=rng.choice(TEXTS)), **maybe(0.5, age=rng.choice(NUMBERS)), **maybe(0.4, when=rng.choice(DATES)),
            **maybe(0.4, ver=rng.choice(VERSIONS)), **maybe(0.4, place=place), **maybe(0.4, tags=some(VALUES[:9], 0)),
            **maybe(0.2, **{"\u00fc": rng.choice(VALUES)})}


def context(key=None):
    kinds = some(KINDS, 1, 3) if rng.random() < 0.4 else ["user" if rng.random() < 0.7 else rng.choice(KINDS)]
    if len(kinds) == 1:
        return {"kind": kinds[0], **part(key)}
    return {"kind": "multi", **{kind: part(key) for kind in kinds}}


def operands(op, most=3):
    values = [rng.choice(OPERANDS[op]) for _ in range(rng.randint(1, most))]
    return values + ([rng.choice(OTHERS)] if rng.random() < 0.15 else [])


def clause(segments=()):
    if segments and rng.random() < 0.35:
        made = {"attribute": "", "op": "segmentMatch", "values": some([*segments, "nowhere", 3], 1, 2)}
    else:
        attribute, ops = rng.choice([
            ("plan", ["in", "startsWith", "endsWith", "contains", "matches"]), ("key", ["in", "startsWith", "matches"]),
            ("age", ["lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual", "in"]), ("when", ["before", "after"]),
            ("ver", ["semVerEqual", "semVerLessThan", "semVerGreaterThan"]), ("tags", ["in", "contains"]), ("kind", ["in"])])
        if rng.random() < 0.15:
            attribute = rng.choice(REFERENCES)
        op = rng.choice(ops)
        values = some(KINDS, 1, 2) if attribute == "kind" else some(KEYS, 1, 3) if attribute == "key" and op == "in" else operands(op)
        made = {"attribute": attribute, "op": op, "values": values}
    return {**made, **maybe(0.5, contextKind=rng.choice([*KINDS, ""])), **maybe(0.25, negate=True)}


def rollout(variations):
    weighted = [{"variation": rng.choice(variations), "weight": rng.choice(WEIGHTS), **maybe(0.2, untracked=True)}
                for _ in range(rng.randint(1, 4))]
    return {"variations": weighted, **maybe(0.5, kind=rng.choice(["experiment", "rollout", "other"])),
            **maybe(0.4, contextKind=rng.choice([*KINDS, ""])), **maybe(0.3, seed=rng.choice([0, 61, -7, 2**31])),
            **maybe(0.4, bucketBy=rng.choice(["age", "plan", "key", "/place/x~1y/~0", "tags", "nowhere", "anonymous", ""]))}


def outcome(count):
    choices = list(range(count)) + ([count, -1] if rng.random() < 0.05 else [])
    return {"rollout": rollout(choices)} if rng.random() < 0.4 else {"variation": rng.choice(choices)}


def flag(key, prerequisites, segments):
    variations = some(VALUES, 2, 4)
    count = len(variations)
    rules = [{**maybe(0.9, id=f"{key}-r{i}"), "clauses": [clause(segments) for _ in range(rng.randint(0, 2))], **outcome(count),
              **maybe(0.2, trackEvents=True)} for i in range(rng.randint(0, 3))]
    targets = [{"variation": rng.randrange(count), "values": some(KEYS, 0, 2)} for _ in range(rng.randint(0, 2))]
    of_kinds = [{"variation": rng.randrange(count), "values": some(KEYS, 0, 2), **maybe(0.9, contextKind=rng.choice([*KINDS, ""]))}
                for _ in range(rng.randint(0, 3))]
    wanted = [{"key": other, "variation": rng.randrange(2)} for other in prerequisites if rng.random() < 0.4]
    return {"key": key, "version": rng.randrange(500), "on": rng.random() < 0.9, "variations": variations, "rules": rules,
            "salt": rng.choice(["", "salt", "\u00fc"]), "fallthrough": outcome(count),
            **maybe(0.8, offVariation=rng.randrange(count)), **maybe(0.4, targets=targets), **maybe(0.3, contextTargets=of_kinds),
            **maybe(0.7, prerequisites=wanted)}


def segment(key, others=()):
    rules = [{"clauses": [clause(others) for _ in range(rng.randint(0, 2))], **maybe(0.4, weight=rng.choice(WEIGHTS)),
              **maybe(0.3, bucketBy=rng.choice(["age", "plan", "nowhere"])),
              **maybe(0.3, rolloutContextKind=rng.choice([*KINDS, ""]))}
             for _ in range(rng.randint(0, 2))]
    lists = {name: [{"contextKind": rng.choice(KINDS), "values": some(KEYS, 0, 2)}]
             for name in ("includedContexts", "excludedContexts")}
    return {"key": key, "version": rng.randrange(500), "salt": rng.choice(["", "salz"]), "rules": rules,
            **maybe(0.4, included=some(KEYS, 1, 2)), **maybe(0.4, excluded=some(KEYS, 1, 2)), **maybe(0.4, **lists)}


def data(flags=4, segments=3):
    names = [f"s{i}" for i in range(segments)]
    keys = [f"f{i}" for i in range(flags)]
    return {"flags": {key: flag(key, keys[:i], names) for i, key in enumerate(keys)},
            "segments": {name: segment(name, names[:i]) for i, name in enumerate(names)}}


def tracking():
    """Members of a flag that concern events alone."""
    return {**maybe(0.5, trackEvents=True), **maybe(0.3, trackEventsFallthrough=True), **maybe(0.2, excludeFromSummaries=True),
            **maybe(0.2, samplingRatio=rng.choice([0, -1, 1])), **maybe(0.3, debugEventsUntilDate=rng.choice([1, 4102444800000])),
            **maybe(0.6, clientSide=rng.random() < 0.7)}
