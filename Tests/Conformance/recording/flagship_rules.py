"""Vectors of what is computed from a bucketing file: hashes, targeting, allocations, whole files."""
import json

from flagship.murmur32x86 import murmurHash

from .flagship_client import fetched, flags_of, restart
from .flagship_inputs import (
    EVERYBODY, NUMBERS, OPERATORS, ORDERING, PARTS, VALUES, WORDS, campaign, group, identifier, person, rng, split, typed,
    typed_context, variation,
)


def case(expected, **inputs):
    return {**inputs, "expected": expected, "divergence": None}


def hash_file():
    cases = []
    for length in range(90):
        name, user = rng.choice(["", identifier(), identifier()[: rng.randint(1, 19)]]), rng.choice(["é", "日本", "x"]) * (length % 23)
        user += rng.choice(["", str(rng.randrange(10**6)), "-visitor"])
        value = murmurHash(name + user)
        cases.append(case({"hash": value, "bucket": value % 100}, variationGroupId=name, visitorId=user))
    return {"description": "MurmurHash3 over group and visitor, and the bucket.", "cases": cases}


def _agreed(operator, value, target):
    """Whether all kits answer a comparison alike; where they do not, the vectors of this folder say nothing."""
    targets = target if isinstance(target, list) else [target]
    if isinstance(target, list) and operator in ORDERING:
        return False
    kinds = {_kind(entry) for entry in [value, *targets]}
    if any(_is_json(entry) for entry in targets):
        return False
    if operator in PARTS:
        return kinds == {"text"}
    if kinds == {"truth"}:
        return operator not in ORDERING
    return "truth" not in kinds or "number" not in kinds


def _kind(value):
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _is_json(entry):
    try:
        return isinstance(entry, str) and json.loads(entry) is not entry
    except ValueError:
        return False


def _comparisons():
    for operator in OPERATORS:
        for value in [*rng.sample(WORDS, 5), *rng.sample(NUMBERS, 5), True, False]:
            targets = [value, *rng.sample(WORDS, 2), *rng.sample(NUMBERS, 2), True, rng.sample(WORDS, 2), rng.sample(NUMBERS, 2),
                       [value, rng.choice(WORDS)], []]
            if isinstance(value, str) and value:
                targets += [value[:1], value[-1:], [value[1:], "none"]]
            yield from ((operator, value, target) for target in targets if _agreed(operator, value, target))


def targeting_file():
    asked = [(operator, value, target, "k") for operator, value, target in _comparisons()]
    asked += [(operator, "x", "x", "absent") for operator in OPERATORS]
    asked += [(operator, "x", "x", "k") for operator in ("", "equals", "UNKNOWN")]
    answers = {}
    for value in {repr(value): value for _, value, _, _ in asked}.values():
        mine = [one for one in asked if repr(one[1]) == repr(value)]
        file = {"campaigns": [campaign(group(
            {"targetingGroups": [{"targetings": [{"operator": operator, "key": key, "value": target}]}]},
            variation(100, {f"f{index}": True}))) for index, (operator, _, target, key) in enumerate(mine)]}
        restart(file)
        found = flags_of(fetched("visitor", {"k": value}))
        answers.update({repr(one): f"f{index}" in found for index, one in enumerate(mine)})
    return {"description": "One rule against one context.", "cases": [
        case(answers[repr(one)], operator=one[0], key=one[3], target=one[2], context={"k": typed(one[1])}) for one in asked]}


def _rule():
    operator = rng.choice(["EQUALS", "NOT_EQUALS", "CONTAINS", "STARTS_WITH"])
    return {"operator": operator, "key": rng.choice("abc"), "value": rng.choice(["red", "re", "blue", ["red", "green"]])}


def _groups():
    return [{"targetings": [_rule() for _ in range(rng.choice([0, 1, 1, 2, 3]))]} for _ in range(rng.choice([0, 1, 2, 3]))]


def _words():
    return {key: rng.choice(["red", "green", "blue"]) for key in rng.sample("abc", rng.randint(0, 3))}


def targeting_group_file():
    asked = [(_groups(), _words()) for _ in range(60)]
    cases = []
    for groups, context in asked:
        restart({"campaigns": [campaign(group({"targetingGroups": groups}, variation(100, {"f": True})))]})
        cases.append(case("f" in flags_of(fetched("visitor", context)), targetingGroups=groups, context=typed_context(context)))
    return {"description": "Groups of rules: one has to match, with all its rules.", "cases": cases}


def allocation_file():
    cases = []
    for _ in range(70):
        made = group(EVERYBODY, *(variation(part, {"f": True}) for part in split(rng.randint(1, 4))))
        user, history = person(), {}
        if rng.random() < 0.3:
            history = {made["id"]: rng.choice(made["variations"])["id"]}
        restart({"campaigns": [campaign(made)]})
        found = flags_of(fetched(user, history=history)).get("f")
        cases.append(case(
            found and found["variationId"], variationGroupId=made["id"], visitorId=user,
            variations=[{"id": one["id"], "allocation": one["allocation"]} for one in made["variations"]],
            history=history, bucket=murmurHash(made["id"] + user) % 100))
    return {"description": "Which variation of a group that everybody matches.", "cases": cases}


def _file():
    campaigns = []
    for _ in range(rng.randint(1, 6)):
        groups = []
        for _ in range(rng.randint(1, 3)):
            parts = split(rng.randint(1, 3))
            variations = [variation(part, {key: rng.choice(VALUES) for key in rng.sample(["a", "b", "größe", "d"], rng.randint(0, 3))},
                                    index == 0) for index, part in enumerate(parts)]
            groups.append(group(rng.choice([EVERYBODY, {"targetingGroups": _groups()}]), *variations))
        campaigns.append(campaign(*groups))
    return {"campaigns": campaigns}


def campaign_file():
    files, cases = {f"file{index:02}": _file() for index in range(12)}, []
    for name, file in files.items():
        for _ in range(6):
            restart(file)
            user, context = person(), _words()
            first = fetched(user, context)
            history = dict(first.assignations) if rng.random() < 0.4 else {}
            # The same history for somebody else, who would have got other variations.
            user = person() if history else user
            made = fetched(user, context, history)
            cases.append(case({"flags": flags_of(made), "history": made.assignations}, bucketing=name, visitorId=user,
                              context=typed_context(context), history=history))
    return {"description": "Whole files: flags and assignments after one fetch.", "bucketingFiles": files, "cases": cases}
