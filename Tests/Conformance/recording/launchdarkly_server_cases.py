"""One clause, one rollout, one value, one hash, one member of the wrong type."""
import copy
import math

from ldclient.config import Config
from ldclient.impl import evaluator_common
from ldclient.impl.client_common import secure_mode_hash
from ldclient.impl.model import FeatureFlag, Segment
from ldclient.impl.model import clause as clause_module
from ldclient.impl.model.value_parsing import parse_semver

from . import launchdarkly_server_inputs as inputs
from .launchdarkly_rulings import Rulings, ruled, settled
from .launchdarkly_server_client import context, context_hash, evaluate

rng = inputs.rng


def detail(flag, document, default=None):
    """What a kit with only this flag answers."""
    (answer,) = evaluate({"flags": {flag["key"]: flag}}, [{"flagKey": flag["key"], "context": document, "default": default}])
    return answer


def bucketing_file():
    given = [(inputs.rollout([0, 1, 2]), inputs.context()) for _ in range(180)]
    for age in [3, 3.0, 100.0, 1e15, -7.0, 2.5, "3", True]:
        given += [({"bucketBy": "age", "seed": seed, "variations": [{"variation": i, "weight": 33333} for i in range(3)]},
                   {"kind": "user", "key": "anna", "age": age}) for seed in (0, 61)]
    cases = []
    for rollout, document in given:
        flag = {"key": rng.choice(["flag", "f\u00fc", ""]), "version": 1, "on": True, "variations": ["a", "b", "c"],
                "salt": rng.choice(["", "salt", "."]), "fallthrough": {"rollout": rollout}}
        (made,) = settled(lambda: [_outcome(flag, document)])
        case = {"flagKey": flag["key"], "salt": flag["salt"], "rollout": rollout, "context": document, **made}
        cases.append(case | ({} if "errorKind" in made["expect"] else _bucket(flag, document)))
    return {"description": "rollouts and experiments", "cases": cases}


def _bucket(flag, document):
    """Where the context falls, if it has the kind."""
    rollout = FeatureFlag(flag).fallthrough.rollout
    by = None if rollout.is_experiment else rollout.bucket_by
    if context(document).get_individual_context(rollout.context_kind or "user") is None:
        return {}
    with ruled(set(Rulings.names)):
        return {"bucket": evaluator_common._bucket_context(
            rollout.seed, context(document), rollout.context_kind, flag["key"], flag["salt"], by)}


def _outcome(flag, document):
    answer = detail(flag, document)
    reason = answer["reason"]
    return {"variation": answer.get("variationIndex"), "inExperiment": reason.get("inExperiment", False),
            **({"errorKind": reason["errorKind"]} if reason["kind"] == "ERROR" else {})}


def clauses_file():
    cases = []
    for op, operands in inputs.OPERANDS.items():
        for _ in range(15 if op != "in" else 40):
            value, one = rng.choice([*operands, *inputs.OTHERS]), {"attribute": "a", "op": op, "values": inputs.operands(op)}
            cases.append((one | inputs.maybe(0.2, negate=True), {"kind": "user", "key": "x", "a": value}))
            cases.append((one, {"kind": "user", "key": "x", "a": [value, rng.choice(operands)]}))
    for value, wanted in ((True, 1), (1, True), (0, False), (1.0, 1)):
        for make in (lambda one: [one], lambda one: [[one]], lambda one: {"a": one}, lambda one: {"a": [one]}):
            cases.append(({"attribute": "a", "op": "in", "values": [make(wanted)]}, {"kind": "user", "key": "x", "a": make(value)}))
            cases.append(({"attribute": "a", "op": "in", "values": [make(wanted)]}, {"kind": "user", "key": "x", "a": [make(value)]}))
    for reference in inputs.REFERENCES:
        for _ in range(4):
            values = [rng.choice(inputs.TEXTS), True, "user", "org", None, *inputs.KEYS[:3]]
            one = {"attribute": reference, "op": "in", "values": values}
            cases.append((one | inputs.maybe(0.7, contextKind=rng.choice([*inputs.KINDS, ""])) | inputs.maybe(0.3, negate=True),
                          inputs.context()))
    return {"description": "one clause against one context", "cases": [
        {"clause": one, "context": document, **settled(lambda: [_matching(one, document)])[0]} for one, document in cases]}


def _matching(clause, document):
    reason = detail({"key": "f", "version": 1, "on": True, "variations": [0, 1], "fallthrough": {"variation": 1},
                     "rules": [{"id": "r", "clauses": [clause], "variation": 0}]}, document)["reason"]
    return reason.get("errorKind") or reason["kind"] == "RULE_MATCH"


def values_file():
    cases = [{"kind": "date", "input": text, **settled(lambda: [_milliseconds(text)])[0]} for text in inputs.DATES]
    for _ in range(60):
        text = "%04d-%02d-%02dT%02d:%02d:%02d%s%s" % (
            rng.randrange(1, 9999), rng.randrange(1, 13), rng.randrange(1, 32),
            rng.randrange(24), rng.randrange(60), rng.randrange(60),
            rng.choice(["", ".5", ".123456789", ".000001"]), rng.choice(["Z", "+01:00", "-11:59", "+14:00", "-00:30"]))
        cases.append({"kind": "date", "input": text, **settled(lambda: [_milliseconds(text)])[0]})
    for text in inputs.VERSIONS + ["".join(rng.choice("012.-+ra") for _ in range(rng.randrange(1, 9))) for _ in range(120)]:
        found = parse_semver(text)
        cases.append({"kind": "semver", "input": text,
                      "expect": found and [found.major, found.minor, found.patch, found.prerelease]})
    return {"description": "date and semver operands", "cases": cases}


def _milliseconds(value):
    found = clause_module.parse_time(value)
    return found if found is None or math.isfinite(found) else None


def context_hash_file():
    keys = inputs.KEYS + ["".join(rng.choice("ab\u00e9\u65e5\U0001f9e9:/ ") for _ in range(rng.randrange(12))) for _ in range(30)]
    return {"description": "hash of a context key", "cases": [{"key": key, "expect": context_hash(key)} for key in keys]}


def secure_hash_file():
    cases = []
    for _ in range(60):
        key = rng.choice(["sdk-key", "sdk.1_2-3", "k" * 100])
        document = inputs.context("" if rng.random() < 0.1 else None)
        cases.append({"sdkKey": key, "context": document, "expect": secure_mode_hash(Config(key), context(document))})
    return {"description": "secure mode hash", "cases": cases}


def typed_file():
    values = inputs.VALUES + [2.0, -0.5, 2**31, -2**31 - 1, 2**53 - 1, 1e300, "3", "false"]
    defaults = {"bool": True, "int": -99, "double": 0.25, "string": "default", "any": {"d": 1}}
    cases = []
    for value in values:
        for kind, default in defaults.items():
            flag = {"key": "f", "version": 1, "on": rng.random() < 0.9, "variations": [value], "fallthrough": {"variation": 0}}
            answer = detail(flag, {"kind": "user", "key": "k"}, default)
            cases.append({"flag": flag, "type": kind, "default": default, "expect": _typed(answer, kind, default)})
    return {"description": "typed detail calls", "cases": cases}


def _typed(answer, kind, default):
    """The kit has no types: what one asked for follows the rules of the page, section 5.2."""
    value = answer["value"]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "any" or "variationIndex" not in answer:
        return answer
    if kind == "int" and number and abs(value) < 2**63:
        return {**answer, "value": int(value)}
    if {"bool": isinstance(value, bool), "int": False, "double": number, "string": isinstance(value, str)}[kind]:
        return answer
    return {"value": default, "reason": {"kind": "ERROR", "errorKind": "WRONG_TYPE"}}


CLAUSE = {"contextKind": "user", "attribute": "plan", "op": "in", "values": ["a", None, 1], "negate": False}
ROLLOUT = {"kind": "rollout", "contextKind": "user", "bucketBy": "plan", "seed": 3,
           "variations": [{"variation": 1, "weight": 100000, "untracked": False}]}
WHOLE = {
    "flags": {
        "f": {"key": "f", "version": 1, "deleted": False, "on": True, "variations": ["a", None, {"b": 1}], "offVariation": 0,
              "fallthrough": {"rollout": ROLLOUT},
              "rules": [{"id": "r", "clauses": [CLAUSE], "variation": 0, "trackEvents": True}],
              "targets": [{"values": ["bob"], "variation": 0, "contextKind": "user"}],
              "contextTargets": [{"values": ["o"], "variation": 1, "contextKind": "org"}],
              "prerequisites": [{"key": "p", "variation": 0}], "salt": "s", "trackEvents": True, "trackEventsFallthrough": False,
              "debugEventsUntilDate": 1.5, "samplingRatio": 1, "excludeFromSummaries": False, "migration": {"checkRatio": 1}},
        "p": {"key": "p", "version": 1, "on": True, "variations": [1], "fallthrough": {"variation": 0}}},
    "segments": {
        "s": {"key": "s", "version": 2, "included": ["a"], "excluded": [],
              "includedContexts": [{"contextKind": "org", "values": ["o"]}], "excludedContexts": [],
              "rules": [{"clauses": [CLAUSE], "weight": 1, "bucketBy": "plan", "rolloutContextKind": "org"}],
              "salt": "", "unbounded": False, "unboundedContextKind": "user", "generation": 1}}}
WRONG = {"text": "text", "object": {"a": 1}, "list": ["a"], "number": 2, "truth": True, "null": None}
FITTING = {str: ["text"], bool: ["truth"], int: ["number", "truth"], float: ["number", "truth"], list: ["list"], dict: ["object"]}
"""What is no wrong type, or one in which kits differ."""


def malformed_file():
    cases = []
    for path, value in _members(WHOLE):
        kinds = [kind for kind in WRONG if kind not in FITTING[type(value)]]
        if path[-1] == "attribute" or (path[-1] == "values" and "clauses" in path):
            kinds.remove("null")  # one kit demands it, others do not
        data = {kind: {key: item for key, item in items.items() if kind == path[0]} for kind, items in WHOLE.items()}
        data = copy.deepcopy(data)
        _put(data, path, WRONG[rng.choice(kinds)])
        cases.append(_malformed(data))
    return {"description": "one member of another type", "cases": cases}


def _members(value, path=()):
    """The members of flags and segments, and the entries of lists in which not everything may stand."""
    if len(path) > 2:
        yield path, value
    if path[2:] == ("variations",) or (path and path[-1] == "values" and "clauses" in path):
        return
    for name, entry in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _members(entry, (*path, name))


def _put(data, path, value):
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value


def _malformed(data):
    try:
        for kind, make in (("flags", FeatureFlag), ("segments", Segment)):
            for item in data[kind].values():
                make(item)
    except ValueError:
        return {"data": data, "accepted": False}
    asked = [{"flagKey": "f", "context": document, "default": "default"} for document in (
        {"kind": "user", "key": "anna", "plan": "a"}, {"kind": "multi", "user": {"key": "bob"}, "org": {"key": "o"}})]
    made = settled(lambda: evaluate(data, asked))
    return {"data": data, "accepted": True, "evaluations": [{**one, **answer} for one, answer in zip(asked, made)]}
