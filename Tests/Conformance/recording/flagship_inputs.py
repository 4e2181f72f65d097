"""Campaigns and visitors that Flagship's vectors are made of, drawn from one seeded generator."""
import random

rng = random.Random()

WORDS = ["plan", "Plan", "free", "pro", "professional", "", "zürich", "日本", "a b", "x1", "été"]
NUMBERS = [0, 1, -3, 18, 42, 2.5, 42.0, -0.5, 9007199254740993]
VALUES = ["green", "", "grün", 7, 0, -1.5, 2.0, True, False, None, [], [1, "two", 3.5], {"a": {"b": [1, 2]}}, {}]
ORDERING = ["GREATER_THAN", "LOWER_THAN", "GREATER_THAN_OR_EQUALS", "LOWER_THAN_OR_EQUALS"]
PARTS = ["CONTAINS", "NOT_CONTAINS", "STARTS_WITH", "ENDS_WITH"]
OPERATORS = ["EQUALS", "NOT_EQUALS", *ORDERING, *PARTS]
EVERYBODY = {"targetingGroups": [{"targetings": [{"operator": "EQUALS", "key": "fs_all_users", "value": ""}]}]}


def identifier():
    return "".join(rng.choice("0123456789abcdefghijklmnopqrstuv") for _ in range(20))


def person():
    return rng.choice([f"user_{rng.randrange(10**9)}", f"é-{rng.randrange(999)}", "日本" + str(rng.randrange(99)), identifier() * 2])


def typed(value):
    """A value with the name of its type: 1 and 1.0 are different inputs."""
    names = {bool: "bool", int: "int", float: "double", str: "string", type(None): "null", list: "list", dict: "object"}
    return {"t": names[type(value)], "v": value}


def typed_context(context):
    return {key: typed(value) for key, value in context.items()}


def variation(allocation, value, reference=False):
    return {"id": identifier(), "name": "v", "reference": reference, "allocation": allocation,
            "modifications": {"type": "JSON", "value": value}}


def group(targeting, *variations):
    return {"id": identifier(), "name": "g", "targeting": targeting, "variations": list(variations)}


def campaign(*groups, kind=None):
    return {"id": identifier(), "name": "c", "type": kind or rng.choice(["ab", "toggle", "perso", "deployment"]),
            "slug": rng.choice(["", "slug", f"s{rng.randrange(9)}"]), "variationGroups": list(groups)}


def split(count):
    """Percentages of so many variations, with some visitors left over at times."""
    cuts = sorted(rng.randint(0, 100) for _ in range(count - 1))
    total = rng.choice([100, 100, rng.randint(0, 100)])
    cuts = [min(cut, total) for cut in cuts]
    return [high - low for low, high in zip([0, *cuts], [*cuts, total])]
