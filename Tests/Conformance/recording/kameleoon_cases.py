"""Kameleoon's cases: what is decided, and what is sent."""
from kameleoon.helpers.hasher import Hasher

from . import kameleoon_inputs as inputs
from .kameleoon_client import START_MS, play
from .kameleoon_inputs import configuration, flag, rng, rule, segment, variations


def hash_file():
    cases = []
    for number in range(300):
        code, container, respool = inputs.code(), rng.randrange(1, 2**rng.choice([8, 20, 53])), rng.choice([None, 0, 1_700_000_000])
        if number % 5:
            made = {"kind": "container", "code": code, "containerId": container, "respoolTime": respool}
            value = Hasher.obtain(code, container, respool)
        else:
            group = rng.choice(["summer", "", "été"])
            made, value = {"kind": "meGroup", "code": code, "group": group}, Hasher.obtain_hash_for_me_group(code, group)
        cases.append(made | {"expected": value, "expectedHex": value.hex()})
    return {"cases": cases}


def _file(configurations, cases):
    for case in cases:
        play(configurations[case["configuration"]], case["steps"])
    return {
        "clockStartMs": START_MS, "timeZone": "UTC", "sdk": {"name": "SWIFT", "version": "4.25.0"},
        "configurations": configurations, "cases": cases}


def _ids(code, **members):
    return {"op": "getVariationIds", "visitorCode": code, "track": False} | members


def _add(code, *data, **members):
    return {"op": "addData", "visitorCode": code, "data": list(data)} | members


def bucketing_file():
    """Rules one after another, shares, reshuffles, deliveries that end the search."""
    configurations = {
        f"b{number}": configuration([flag(at + 1, [rule(10 * at + n + 1) for n in range(rng.randrange(1, 4))]) for at in range(3)])
        for number in range(25)}
    cases = [
        {"name": f"{name} {number}", "configuration": name, "steps": [_ids(inputs.code()), ]}
        for name in configurations for number in range(8)]
    return _file(configurations, cases)


def exclusion_file():
    """Holdouts, exclusive groups, custom data that buckets, consent that blocks."""
    configurations = {}
    for number in range(16):
        flags = [
            flag(at + 1, [rule(10 * at + n + 1) for n in range(2)], mutuallyExclusiveGroup=rng.choice([None, "summer", "summer"]),
                 bucketingCustomDataId=rng.choice([None, 903])) for at in range(4)]
        rng.shuffle(flags)
        # Nothing is tracked here: a holdout is reported by some kits although nothing is to be.
        held = {"holdout": inputs.holdout(rng.choice([0.1, 0.5]))} if number % 2 else {}
        configurations[f"x{number}"] = configuration(flags, consent=inputs.consent() if number % 4 > 1 else None, **held)
    cases = []
    for name in configurations:
        for number in range(8):
            code = inputs.code()
            steps = [_add(code, {"type": "CustomData", "index": 4, "values": [inputs.code()]})] if rng.random() < 0.5 else []
            if rng.random() < 0.6:
                steps.append({"op": "setLegalConsent", "visitorCode": code, "consent": rng.random() < 0.5})
            steps += [_ids(code), _ids(code, onlyActive=True)]
            cases.append({"name": f"{name} {number}", "configuration": name, "steps": steps})
    return _file(configurations, cases)


def _gate(*segments):
    """A flag that everybody gets whom segment 1 holds."""
    delivery = rule(1, type="TARGETED_DELIVERY", exposition=1, segmentId=1, variationByExposition=variations(100, [1], ["on"]))
    return configuration([flag(1, [delivery], defaultVariationKey="off", environmentEnabled=True, featureKey="gate")], segments)


def targeting_file():
    """One condition, or a tree of up to six, and data that may meet it."""
    configurations, cases = {}, []
    for number in range(240):
        if number < 160:
            made, told = inputs.condition()
            levels, operators = [([made], [])], []
        else:
            drawn = [[inputs.condition() for _ in range(rng.randrange(1, 4))] for _ in range(rng.randrange(1, 3))]
            told = [datum for level in drawn for _, data in level for datum in data]
            levels = [([made for made, _ in level], [rng.random() < 0.5 for _ in level[1:]]) for level in drawn]
            operators = [rng.random() < 0.5 for _ in levels[1:]]
        name = f"t{number}"
        configurations[name] = _gate(segment(1, *levels, operators=operators))
        for turn in range(2):
            code = inputs.code()
            steps = []
            for at, datum in enumerate(told if turn == 0 or rng.random() < 0.5 else []):
                # Pages of the same moment have no order that kits agree on.
                steps += [{"op": "clock", "nowMs": START_MS + 1000 * (at + 1)}, _add(code, datum, track=False)]
            cases.append({"name": f"{name} {turn}", "configuration": name, "steps": steps + [_ids(code)]})
    return _file(configurations, cases)


def forced_file():
    """Variations that are forced, with and without targeting, and those that cannot be."""
    target = segment(1, ([{"targetingType": "DEVICE_TYPE", "device": "PHONE"}], []))
    configurations = {
        f"f{number}": configuration([flag(1, [rule(1, segmentId=1), rule(2)]), flag(2, [rule(3)])], [target]) for number in range(6)}
    cases = []
    for name in configurations:
        for number in range(8):
            code = inputs.code()
            forced = {"op": "setForcedVariation", "visitorCode": code, "experimentId": rng.choice([10, 20, 30, 99]),
                      "variationKey": rng.choice(["on", "off", "third", "nothing"]), "forceTargeting": rng.random() < 0.5}
            again = forced | {"variationKey": None}
            phone = [_add(code, {"type": "Device", "device": "PHONE"})] if rng.random() < 0.5 else []
            cases.append({"name": f"{name} {number}", "configuration": name, "steps": phone + [forced, _ids(code), again, _ids(code)]})
    return _file(configurations, cases)


# ---- Tracking ---------------------------------------------------------------------------------------------


def _told():
    """Any datum that can be sent."""
    return rng.choice([
        lambda: {"type": "CustomData", "index": rng.choice([0, 1, 2, 4]), "values": rng.sample(inputs.TEXTS, rng.randrange(3)), "overwrite": rng.random() < 0.5},
        lambda: {"type": "CustomData", "name": rng.choice(["plan", "team", "unknown"]), "values": ["by name"]},
        lambda: {"type": "Conversion", "goalId": rng.randrange(100), "revenue": rng.choice([0.0, 19.5, -2.25, 1e21]), "negative": rng.random() < 0.3,
                 "metadata": [{"type": "CustomData", "index": 4, "values": ["m", "é"]}] if rng.random() < 0.3 else []},
        lambda: {"type": "Device", "device": rng.choice(inputs.DEVICES)},
        lambda: {"type": "Browser", "browser": rng.choice(list(inputs.BROWSERS.values())), "version": rng.choice([0.0, 12.5])},
        lambda: {"type": "OperatingSystem", "os": rng.choice(inputs.SYSTEMS)},
        lambda: {"type": "Geolocation", "country": "FR", "region": rng.choice(["", "IDF"]), "latitude": rng.choice([0.0, 48.85])},
        lambda: {"type": "PageView", "url": rng.choice(inputs.URLS), "title": rng.choice([None, "Cart & more"]), "referrers": rng.choice([None, [1, 2]])},
        lambda: {"type": "UserAgent", "value": "Agent/1.0 (a; b)"},
        lambda: {"type": "Cookie", "cookies": {"a": "b"}},
        lambda: {"type": "ApplicationVersion", "version": "1.2"},
    ])()


def tracking_file():
    """Lines of every kind, their order, what waits for consent, what is sent once."""
    phones = segment(1, ([{"targetingType": "DEVICE_TYPE", "device": "PHONE"}], []))
    configurations = {
        "free": configuration([flag(1, [rule(1)]), flag(2, [rule(2)])], [phones]),
        "consent": configuration([flag(1, [rule(1)]), flag(2, [rule(2)])], [phones], {"consentType": "REQUIRED"})}
    cases = []
    for number in range(160):
        name, code = rng.choice(["free", "free", "consent"]), inputs.code()
        steps = [_add(code, *(_told() for _ in range(rng.randrange(4))), track=rng.random() < 0.85) for _ in range(rng.randrange(1, 3))]
        if rng.random() < 0.4:
            steps.append({"op": "getVariation", "visitorCode": code, "featureKey": f"flag-{rng.choice([1, 2, 3])}"})
        if rng.random() < 0.3:
            steps.append({"op": "trackConversion", "visitorCode": code, "goalId": 5, "revenue": 2.5})
        if rng.random() < 0.2:
            steps.append({"op": "evaluateAudiences", "visitorCode": code})
        consent = [{"op": "setLegalConsent", "visitorCode": code, "consent": rng.random() < 0.7}] if name == "consent" else []
        flush = {"op": "flush", "visitorCode": code}
        cases.append({"name": f"{name} {number}", "configuration": name, "steps": steps + [dict(flush)] + consent + [dict(flush)]})
    return _file(configurations, cases)
