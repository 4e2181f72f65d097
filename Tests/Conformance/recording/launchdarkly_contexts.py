"""Contexts: how they are read, identified, sent and redacted, and references to their attributes."""
import base64
import hashlib
import json
import random

from ldclient import Context
from ldclient.impl.events.event_context_formatter import EventContextFormatter
from ldclient.impl.model.attribute_ref import AttributeRef

rng = random.Random()

NAMES = ["a", "b", "plan", "e mail", "x/y", "/lead", "t~0", "Zone", "\u00fc", ""]
TEXTS = ["", "x", "free", "3", "true", "gr\u00fc\u00df", "\U0001f9e9", "q\"\\/", "nul\u0000l", "e\u0301"]
NUMBERS = [0, 1, -1, 2.5, 1e-9, 123456789012, 3.0, -0.125]
KEYS = ["k", "a:b", "50%", "%3A", " ", "user@example.com", "\u65e5", "x" * 70]
KINDS = ["user", "org", "device", "A.b-c_1", "ld_device"]
WRONG_KINDS = ["", "kind", "a b", "caf\u00e9", "x:y", "multi kind"]
REFERENCES = ["a", "/a", "/a/b", "/b/plan", "name", "/name", "key", "kind", "/x~1y", "/t~00", "/~1lead", "Zone", "/a/b/a",
              "", "/", "//", "/a/", "/a//b", "/~", "/a~2", "\u00fc", "e mail", "/anonymous", "nobody"]


def value(depth=0):
    choice = rng.randrange(8 if depth < 3 else 5)
    if choice < 2:
        return rng.choice(TEXTS)
    if choice < 4:
        return rng.choice(NUMBERS)
    if choice == 4:
        return rng.choice([True, False, None])
    if choice == 5:
        return [value(depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(NAMES): value(depth + 1) for _ in range(rng.randrange(4))}


def part(with_name=True):
    """The members of a context beside its kind."""
    made = {"key": rng.choice(KEYS)}
    if rng.random() < 0.3:
        made["name"] = rng.choice(TEXTS)
    if rng.random() < 0.3:
        made["anonymous"] = rng.choice([True, False])
    for _ in range(rng.randrange(5)):
        made[rng.choice(NAMES[:-1])] = value()
    if rng.random() < 0.5:
        made["_meta"] = {"privateAttributes": [rng.choice(REFERENCES) for _ in range(rng.randrange(1, 4))]}
    return made


def context():
    if rng.random() < 0.35:
        kinds = rng.sample(KINDS, rng.randrange(2, 4))
        return {"kind": "multi", **{kind: part() for kind in kinds}}
    return {"kind": rng.choice(KINDS), **part()}


def spoilt():
    """A context with one thing wrong, or nearly so."""
    made = context()
    target = made if made["kind"] != "multi" else made[rng.choice([name for name in made if name != "kind"])]
    spoil = rng.choice([
        ("key", ""), ("key", 3), ("key", None), ("name", 3), ("name", None), ("name", ""), ("anonymous", None),
        ("anonymous", "true"), ("_meta", None), ("_meta", []), ("_meta", {"privateAttributes": None}),
        ("_meta", {"privateAttributes": [1]}), ("_meta", {"privateAttributes": "a"}), ("", 1), ("kind", None),
        ("kind", 3), ("secondary", "s"), ("custom", {"a": 1}),
    ] + [("kind", kind) for kind in WRONG_KINDS])
    if spoil[0] == "kind":
        target = made
    target[spoil[0]] = spoil[1]
    if rng.random() < 0.1:
        target.pop("key", None)
    return made


def read(document):
    """What the kit makes of it; None for what it refuses."""
    try:
        made = Context.from_dict(document)
    except Exception:
        return None
    return made if made.valid else None


def parse_file():
    cases = []
    while len(cases) < 200:
        document = spoilt() if rng.random() < 0.5 else context()
        made = read(document)
        case = {"input": json.dumps(document), "valid": made is not None}
        if made is not None:
            parts = [made.get_individual_context(i) for i in range(made.individual_context_count)]
            case |= {"output": made.to_dict(), "fully_qualified_key": made.fully_qualified_key,
                     "context_keys": {each.kind: each.key for each in parts}}
        cases.append(case)
    return {"cases": cases}


def compact(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def without_references(document):
    """As what a fingerprint is made of has it: that there are private attributes, not which."""
    if isinstance(document, dict):
        return {name: {} if name == "_meta" else without_references(member) for name, member in document.items()}
    return document


def whole(document):
    """Numbers without fraction as integers, as they are sent."""
    if isinstance(document, dict):
        return {name: whole(member) for name, member in document.items()}
    if isinstance(document, list):
        return [whole(member) for member in document]
    return int(document) if isinstance(document, float) and document.is_integer() else document


def plain(document):
    """Whether its numbers have one spelling only."""
    if isinstance(document, dict):
        return all(plain(member) for member in document.values())
    if isinstance(document, list):
        return all(plain(member) for member in document)
    return not isinstance(document, float) or document != 1e-9


def hash_file():
    cases = []
    while len(cases) < 80:
        document = context()
        made = read(document)
        if made is None or not plain(document):
            continue
        text = compact(whole(without_references(made.to_dict())))
        key = made.fully_qualified_key
        cases.append({"context": document, "fully_qualified_key": key,
                      "hashed_key": digest(key) + ("" if made.kind == "user" else "$"), "fingerprint_input": text,
                      "fingerprint": digest(text)})
    return {"cases": cases}


def reference_file():
    texts = REFERENCES + ["".join(rng.choice(["/", "~", "~0", "~1", "a", "\u00e9", " "]) for _ in range(rng.randrange(7)))
                          for _ in range(120)]
    cases = []
    for text in texts:
        for literal in (False, True):
            made = AttributeRef.from_literal(text) if literal else AttributeRef.from_path(text)
            names = [made[i] for i in range(made.depth)] if made.valid else []
            cases.append({"text": text, "literal": literal, "valid": made.valid, "components": names})
    return {"cases": cases}


def names_of(reference):
    made = AttributeRef.from_path(reference)
    return [made[i] for i in range(made.depth)]


def with_names(document):
    """References as lists of names, in order: how they are spelled does not matter."""
    made = dict(document)
    for name, member in made.items():
        if name == "_meta":
            made[name] = {"redactedAttributes": sorted(names_of(reference) for reference in member["redactedAttributes"])}
        elif document.get("kind") == "multi" and isinstance(member, dict):
            made[name] = with_names(member)
    return made


def redaction_file():
    cases = []
    while len(cases) < 120:
        document = context()
        made = read(document)
        if made is None:
            continue
        hides_all = rng.random() < 0.15
        references = [] if hides_all else [rng.choice(REFERENCES) for _ in range(rng.randrange(3))]
        anonymous = rng.random() < 0.4
        formatter = EventContextFormatter(hides_all, references)
        output = formatter.format_context_redact_anonymous(made) if anonymous else formatter.format_context(made)
        cases.append({"context": document, "all_attributes_private": hides_all, "global_private": references,
                      "redact_anonymous": anonymous, "output": with_names(output)})
    return {"cases": cases}


def request_file():
    cases = []
    while len(cases) < 60:
        document = context()
        made = read(document)
        if made is None:
            continue
        text = compact(made.to_dict())
        cases.append({"context": document, "json_in_url": made.to_dict(),
                      "example_path_segment": base64.urlsafe_b64encode(text.encode()).decode()})
    return {"cases": cases}
