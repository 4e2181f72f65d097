"""Sets of flags and segments, evaluated by one client."""
import string

from . import launchdarkly_server_inputs as inputs
from .launchdarkly_rulings import settled
from .launchdarkly_server_client import client, context, context_hash, evaluate

rng = inputs.rng
DEEP = 100
MANY = 100_000
ALPHABET = string.ascii_letters + string.digits
OPTIONS = {"clientSideOnly": "client_side_only", "withReasons": "with_reasons",
           "detailsOnlyForTrackedFlags": "details_only_for_tracked_flags"}
ANNA, BOB = {"kind": "user", "key": "anna"}, {"kind": "user", "key": "bob"}


def simple(key, **members):
    return {"key": key, "version": 1, "on": True, "variations": ["a", "b"], "fallthrough": {"variation": 0}, "offVariation": 1,
            **members}


def in_segment(*names, **members):
    return {"attribute": "", "op": "segmentMatch", "values": list(names), **members}


def _asked(data, evaluations, **more):
    asked = [{"flagKey": key, "context": document, "default": default} for key, document, default in evaluations]
    made = settled(lambda: evaluate(data, asked, more.get("store")))
    return {"data": data, **more, "evaluations": [{**one, **answer} for one, answer in zip(asked, made)]}


def evaluation_file():
    cases = [make() for make in (_many_targets, _deep_segments, _round_segments, _deep_prerequisites, _round_prerequisites, _diamond,
                                 _unicode_keys, _whole_doubles, _nested_references, _invalid_contexts)]
    while len(cases) < 31:
        data = inputs.data()
        cases.append(_asked(data, [(rng.choice([*data["flags"], "f0", "nowhere"]), inputs.context(), rng.choice(["d", None, 7]))
                                   for _ in range(6)]))
    return {"description": "sets of flags, detail calls", "cases": cases}


def _many_targets():
    """One hundred thousand keys, of which the first, the last and one between are looked for, and others that are near."""
    keys = [a + b + c for a in ALPHABET for b in ALPHABET for c in ALPHABET][:MANY]
    flag = simple("many", targets=[{"variation": 1, "values": keys}])
    wanted = [keys[0], keys[-1], keys[MANY // 2], keys[0].upper() + "a", "", keys[-1][:2], "\u00e9"]
    return _asked({"flags": {"many": flag}, "segments": {}}, [("many", {"kind": "user", "key": key}, "d") for key in wanted] + [
        ("many", {"kind": "org", "key": keys[0]}, "d"),
        ("many", {"kind": "multi", "org": {"key": "x"}, "user": {"key": keys[7]}}, "d")])


def _deep_segments():
    """Each segment is that of the next one, down to one that lists its members."""
    segments = {f"s{i}": {"key": f"s{i}", "version": 1, "rules": [{"clauses": [in_segment(f"s{i + 1}")]}]} for i in range(DEEP)}
    segments[f"s{DEEP}"] = {"key": f"s{DEEP}", "version": 1, "included": ["anna"]}
    flags = {f"f{i}": simple(f"f{i}", rules=[{"id": "r", "variation": 1, "clauses": [in_segment(f"s{i}")]}]) for i in (0, DEEP - 1)}
    return _asked({"flags": flags, "segments": segments}, [(key, one, "d") for key in flags for one in (ANNA, BOB)])


def _round_segments():
    """A circle that is only run through where nothing matches before."""
    segments = {
        "a": {"key": "a", "version": 1, "included": ["anna"], "rules": [{"clauses": [in_segment("b")]}]},
        "b": {"key": "b", "version": 1, "excluded": ["bob"], "rules": [{"clauses": [in_segment("c", negate=True)]}]},
        "c": {"key": "c", "version": 1, "rules": [{"clauses": [in_segment("a", "d")]}]},
        "d": {"key": "d", "version": 1, "rules": [{"clauses": [in_segment("d")]}]}}
    flags = {f"f{name}": simple(f"f{name}", rules=[{"id": "r", "variation": 1, "clauses": [in_segment("nowhere", name)]}])
             for name in segments}
    contexts = (ANNA, BOB, {"kind": "user", "key": "carl"}, {"kind": "org", "key": "o"})
    return _asked({"flags": flags, "segments": segments}, [(key, one, "d") for key in flags for one in contexts])


def _deep_prerequisites():
    flags = {f"f{i}": simple(f"f{i}", prerequisites=[{"key": f"f{i + 1}", "variation": 0}]) for i in range(DEEP)}
    flags[f"f{DEEP}"] = simple(f"f{DEEP}", targets=[{"variation": 1, "values": ["bob"]}])
    return _asked({"flags": flags, "segments": {}}, [(key, one, "d") for key in ("f0", f"f{DEEP - 1}") for one in (ANNA, BOB)])


def _round_prerequisites():
    """What was finished before the circle is closed has had its event."""
    flags = {"top": simple("top", prerequisites=[{"key": "good", "variation": 0}, {"key": "left", "variation": 0}]),
             "good": simple("good"), "left": simple("left", prerequisites=[{"key": "right", "variation": 0}]),
             "right": simple("right", prerequisites=[{"key": "good", "variation": 0}, {"key": "left", "variation": 0}]),
             "self": simple("self", prerequisites=[{"key": "self", "variation": 0}]),
             "off": simple("off", on=False, prerequisites=[{"key": "off", "variation": 0}]),
             "behind": simple("behind", prerequisites=[{"key": "off", "variation": 1}, {"key": "self", "variation": 0}])}
    return _asked({"flags": flags, "segments": {}}, [(key, ANNA, 1) for key in flags])


def _diamond():
    flags = {"top": simple("top", prerequisites=[{"key": "left", "variation": 0}, {"key": "right", "variation": 0}]),
             "left": simple("left", prerequisites=[{"key": "base", "variation": 0}]),
             "right": simple("right", prerequisites=[{"key": "base", "variation": 0}, {"key": "gone", "variation": 0}]),
             "base": simple("base")}
    return _asked({"flags": flags, "segments": {}}, [(key, ANNA, None) for key in flags])


def _unicode_keys():
    """Keys are compared code point by code point, and hashed as UTF-8."""
    keys = ["\u00e9", "e\u0301", "\U0001f9e9", "\u65e5\u672c", "I", "\u0131", "\u00df", "ss", "\ufeff"]
    halves = {"variations": [{"variation": 0, "weight": 50000}, {"variation": 1, "weight": 50000}]}
    flags = {key: simple(key, salt=key, targets=[{"variation": 1, "values": [key]}],
                         prerequisites=[{"key": keys[0], "variation": i % 2}] if i else [],
                         rules=[{"id": key, "clauses": [{"attribute": key, "op": "in", "values": [key]}], "rollout": halves}])
             for i, key in enumerate(keys)}
    return _asked({"flags": flags, "segments": {}}, [
        (key, {"kind": "user", "key": other, key: key}, "d") for key in keys for other in rng.sample(keys, 4)])


def _whole_doubles():
    flags = {f"f{i}": simple(f"f{i}", variations=[3.0, 1e15, -0.5, 2], fallthrough={"variation": i}, rules=[
        {"id": "r", "variation": 3, "clauses": [{"attribute": "age", "op": "in", "values": [wanted]}]}])
        for i, wanted in enumerate([3, 3.0, True, [1, 2.0]])}
    ages = [3, 3.0, "3", True, [3.0], [1.0, 2], [[1, 2]], [[1.0, 2]], [[True, 2]], {"a": 3}]
    return _asked({"flags": flags, "segments": {}}, [
        (key, {"kind": "user", "key": "x", "age": age}, 1.0) for key in flags for age in ages])


def _nested_references():
    place = {"city": "Oslo", "a/b": {"~": [1, {"c": "x"}], "": 1}, "deep": {"er": {"est": {"of": {"all": True}}}}}
    references = ["/place/city", "/place/a~1b/~0", "/place/deep/er/est/of/all", "/place/deep/er/none/of", "/place/a~1b/~0/1/c", "place",
                  "/place/city/x", "/place/", "/place/~", "/PLACE/city"]
    flags = {f"f{i}": simple(f"f{i}", rules=[{"id": "r", "variation": 1, "clauses": [
        {"contextKind": "org", "attribute": reference, "op": "in", "values": ["Oslo", 1, True, {"c": "x"}]}]}])
        for i, reference in enumerate(references)}
    one = {"kind": "multi", "org": {"key": "o", "place": place}, "user": {"key": "u", "place": {"city": "Rome"}}}
    return _asked({"flags": flags, "segments": {}}, [
        (key, document, "d") for key in flags for document in (one, {"kind": "user", "key": "u", "place": place})])


def _invalid_contexts():
    wrong = [{"kind": "user", "key": ""}, {"kind": "multi"}, *({"kind": kind, "key": "a"} for kind in ("kind", "a b", "caf\u00e9"))]
    return _asked({"flags": {"f": simple("f")}, "segments": {}}, [
        (key, document, 5) for key in ("f", "nowhere") for document in wrong])


def big_segments_file():
    cases = [_two_statuses()]
    while len(cases) < 22:
        data = inputs.data(flags=2, segments=3)
        generations = {}
        for name, one in data["segments"].items():
            if rng.random() < 0.7:
                one |= {"unbounded": True, **inputs.maybe(0.5, unboundedContextKind=rng.choice([*inputs.KINDS, ""]))}
                if rng.random() < 0.85:
                    generations[name] = one["generation"] = rng.choice([0, 1, 12])
            rules = data["flags"][rng.choice(list(data["flags"]))]["rules"]
            rules.insert(0, {"id": f"of {name}", "variation": 0, "clauses": [in_segment(name)]})
        asked = [(rng.choice(list(data["flags"])), inputs.context(), "d") for _ in range(5)]
        cases.append(_asked(data, asked, store=_store(generations)))
    return {"description": "big segments, statuses, queries", "cases": cases}


def _two_statuses():
    """Two queries of one evaluation, for a key each, of which the first or the second fails."""
    segments = {f"of {kind}": {"key": f"of {kind}", "version": 1, "unbounded": True, "unboundedContextKind": kind, "generation": 1}
                for kind in ("user", "org")}
    orders = {"user first": ["of user", "of org"], "org first": ["of org", "of user"]}
    flags = {key: simple(key, rules=[{"id": "r", "variation": 1, "clauses": [in_segment(*names)]}]) for key, names in orders.items()}
    document = {"kind": "multi", "user": {"key": "anna"}, "org": {"key": "o"}}
    store = {"memberships": {context_hash("anna"): {"of user.g1": False}}, "status": "STALE", "failing": [context_hash("o")]}
    return _asked({"flags": flags, "segments": segments}, [(key, document, "d") for key in flags], store=store)


def _store(generations):
    if rng.random() < 0.1:
        return None
    hashes = [context_hash(key) for key in rng.sample(inputs.KEYS, 8)]
    references = [f"{name}.g{rng.choice([number, number, number + 1])}" for name, number in generations.items()]
    memberships = [{reference: rng.random() < 0.6 for reference in references if rng.random() < 0.7} for _ in hashes]
    return {"memberships": {one: rng.choice([None, found]) for one, found in zip(hashes, memberships)},
            "status": rng.choice(["HEALTHY", "HEALTHY", "STALE", "STORE_ERROR"]),
            "failing": rng.sample(hashes, 1) if rng.random() < 0.3 else []}


def all_flags_file():
    cases = []
    while len(cases) < 32:
        data = inputs.data(flags=3, segments=2)
        for flag in data["flags"].values():
            flag |= inputs.tracking()
        document = inputs.context("" if rng.random() < 0.05 else None)
        options = {name: True for name in OPTIONS if rng.random() < 0.4}
        (made,) = settled(lambda: [_all_flags(data, document, options)])
        cases.append({"data": data, "context": document, "options": options, **made})
    return {"description": "all-flags state JSON", "cases": cases}


def _all_flags(data, document, options):
    kit = client(data)
    found = kit.all_flags_state(context(document), **{OPTIONS[name]: True for name in options}).to_json_dict()
    kit.close()
    for meta in found["$flagsState"].values():
        if "reason" in meta:
            meta["reason"] = {name: value for name, value in meta["reason"].items() if name != "ruleId" or value is not None}
    return found
