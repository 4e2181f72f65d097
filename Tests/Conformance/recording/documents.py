"""Vectors of documents: which are taken, what a batch of events makes of a state, what is read from an answer."""
import json

import mmh3

from .engine import Engine
from .inputs import (
    WORDS, constraint, document, feature, guarded, rng, small_feature, small_segment, variants,
)


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
