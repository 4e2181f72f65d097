"""Vectors for buckets and conditions."""
from optimizely import bucketer
from optimizely.lib import pymmh3

from .optimizely_client import Client
from .optimizely_inputs import Ids, SEGMENTS, rng, tree

MATCHES = ["exact", "substring", "gt", "ge", "lt", "le", "exists", "qualified", "semver_eq", "semver_lt", "semver_ge", None, "regex"]
OPERANDS = ["abc", "", "10", 10, 10.5, -1, True, False, None, [], 9007199254740992, 9007199254740993, "2.1.0", "é", "é"]
GIVEN = ["abc", "xabcx", "ABC", "", "10", 10, 10.0, 9, 11, True, False, 0, 1, None, [], ["abc"], {"a": 1},
         9007199254740993, "2.1", "2.1.1-beta", "é", "é"]
VERSIONS = ["2", "2.1", "2.1.0", "2.1.9", "02.1", "2.1.0-beta", "2.1.0-beta.2", "2.1.0+build", "2.1.0-2", "2.1.0-10", "10.0.0",
            "2.", ".2", "2..1", "2.1.0.0", "2 .1", "a.b", "", "99999999999999999999.1", "2.1-beta"]


def bucketing_file():
    rated, cases = bucketer.Bucketer(), []
    for index in range(120):
        user = rng.choice(["", "🙂", "é", "x" * index, f"user-{rng.randrange(10**9)}"])
        entity = rng.choice(["", str(rng.randrange(10**12)), "$opt_x"])
        cases.append({"bucketingId": user, "entityId": entity, "hash": pymmh3.hash(user + entity, 1) & 0xFFFFFFFF,
                      "bucketValue": rated._generate_bucket_value(user + entity)})
    return {"kind": "bucketing", "description": "Hash and bucket of a bucketing id and the id of its parent.", "cases": cases}


def truth(conditions, attributes, segments=None):
    """True, false or None, told apart by a flag for the audience and one for its opposite."""
    ids = Ids()
    experiments, flags = [], []
    for key, expression in (("plain", ["and", "1"]), ("opposite", ["not", "1"])):
        variation, rule = ids.next(), ids.next()
        experiments.append({
            "id": rule, "key": key, "status": "Running", "layerId": ids.next(), "audienceIds": [], "forcedVariations": {},
            "audienceConditions": expression, "variations": [{"id": variation, "key": "in", "featureEnabled": True}],
            "trafficAllocation": [{"entityId": variation, "endOfRange": 10000}]})
        flags.append({"id": ids.next(), "key": key, "experimentIds": [rule], "rolloutId": "", "variables": []})
    client = Client({
        "version": "4", "projectId": "1", "accountId": "1", "revision": "1", "anonymizeIP": True, "experiments": experiments,
        "groups": [], "featureFlags": flags, "rollouts": [], "audiences": [], "attributes": [], "events": [],
        "typedAudiences": [{"id": "1", "name": "one", "conditions": conditions}]})
    made = client.user("user", attributes, segments).decide_all()
    if made["plain"].variation_key:
        return True
    return False if made["opposite"].variation_key else None


def condition_file():
    cases = []
    for match in MATCHES:
        for operand in OPERANDS:
            for given in rng.sample(GIVEN, 3):
                condition = {"type": "custom_attribute", "name": "attr", "value": operand}
                if match is not None:
                    condition["match"] = match
                case = {"condition": condition, "attributes": {"attr": given} if rng.random() < 0.9 else {}}
                if match == "qualified":
                    condition["value"] = rng.choice(SEGMENTS)
                    if rng.random() < 0.7:
                        case["qualifiedSegments"] = rng.sample(SEGMENTS, 2)
                # An audience needs an operator around its condition; the one of a single operand changes nothing.
                case["result"] = truth(["and", condition], case["attributes"], case.get("qualifiedSegments"))
                cases.append(case)
    return {"kind": "audience_leaf", "description": "One condition against attributes: true, false or unknown.", "cases": cases}


def tree_file():
    leaves = {
        "T": {"type": "custom_attribute", "name": "there", "match": "exists", "value": None},
        "F": {"type": "custom_attribute", "name": "missing", "match": "exists", "value": None},
        "N": {"type": "custom_attribute", "name": "missing", "match": "gt", "value": 1},
    }

    def filled(node):
        return leaves[node] if node in ("T", "F", "N") else [item if item in ("and", "or", "not") else filled(item) for item in node]

    cases = []
    while len(cases) < 150:
        made = tree(lambda: rng.choice("TFN"))
        if isinstance(made, list):
            cases.append({"tree": made, "result": truth(filled(made), {"there": 1})})
    return {"kind": "condition_tree", "description": "Operators over leaves that are true, false or unknown.", "cases": cases}


def version_file():
    cases = []
    for target in VERSIONS:
        for user in rng.sample(VERSIONS, 7):
            case = {"target": target, "user": user}
            try:
                for match in ("semver_eq", "semver_lt", "semver_le", "semver_gt", "semver_ge"):
                    condition = {"type": "custom_attribute", "name": "v", "match": match, "value": target}
                    case[match] = truth(["and", condition], {"v": user})
            except ValueError:
                continue  # digits against a text: the SDK raises
            cases.append(case)
    return {"kind": "semver", "description": "Versions under each operator.", "cases": cases}
