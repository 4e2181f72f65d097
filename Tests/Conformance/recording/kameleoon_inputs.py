"""Configurations, conditions and data for Kameleoon's vectors, drawn from a seed."""
import random

rng = random.Random()
CUSTOM_DATA = [
    {"id": 900, "index": 0, "name": "plan"}, {"id": 901, "index": 1, "name": "kept here", "localOnly": True},
    {"id": 902, "index": 2, "name": "team", "scope": "VISITOR"}, {"id": 903, "index": 4, "name": "stable"},
]
TEXTS = ["", "gold", "Gold", "goldsmith", "10", "9.5", "1e1", "-3", "true", "false", "a b", "né", "日本", "🙂"]
PATTERNS = ["gold", "g.*", ".*d", "[0-9]+", "(", "^gold$", "a|b c", ""]
DEVICES = ["PHONE", "TABLET", "DESKTOP"]
BROWSERS = {"CHROME": "CHROME", "IE": "INTERNET_EXPLORER", "FIREFOX": "FIREFOX", "SAFARI": "SAFARI", "OPERA": "OPERA", "OTHER": "OTHER"}
SYSTEMS = ["WINDOWS", "MAC", "IOS", "LINUX", "ANDROID", "WINDOWS_PHONE"]
VERSIONS = ["1", "1.2", "1.10", "2.0.1", "2.0.1.9", "", "1.x"]
URLS = ["https://shop.example/", "https://shop.example/cart?id=1", "http://a", "x y"]


def code():
    return rng.choice(["visitor-", "v", "né-", "日"]) + str(rng.randrange(10_000))


def variations(first_id, shares, keys):
    return [{"variationKey": key, "variationId": first_id + at, "exposition": share} for at, (key, share) in enumerate(zip(keys, shares))]


def rule(number, **members):
    keys = ["on", "off", "third"][:rng.choice([1, 2, 3])]
    shares = rng.choice([[1.0, 0, 0], [0.5, 0.5, 0], [0.34, 0.33, 0.33], [0.2, 0.3, 0.1]])
    made = {
        "id": number, "order": 0, "type": rng.choice(["EXPERIMENTATION", "EXPERIMENTATION", "TARGETED_DELIVERY"]),
        "exposition": rng.choice([0, 0.25, 0.5, 0.9, 1, 1]), "experimentId": 10 * number,
        "respoolTime": rng.choice([None, None, 0, 1_700_000_000]), "segmentId": None,
        "variationByExposition": variations(100 * number, shares, keys)}
    return made | members


def flag(number, rules, **members):
    return {
        "id": number, "featureKey": f"flag-{number}", "defaultVariationKey": rng.choice(["off", "on", "third"]),
        "environmentEnabled": rng.random() < 0.9, "rules": rules,
        "variations": [{"key": key, "name": key.title(), "variables": []} for key in ("off", "on", "third")]} | members


def configuration(flags, segments=(), consent=None, **members):
    settings = {"realTimeUpdate": False} | (consent or {})
    return {"configuration": settings, "customData": CUSTOM_DATA, "segments": list(segments), "featureFlags": flags} | members


def consent():
    return {"consentType": rng.choice(["REQUIRED", "REQUIRED", "OFF"]),
            "consentOptOutBehavior": rng.choice(["PARTIALLY_BLOCK", "FULLY_BLOCK"])}


def holdout(share):
    shares = [share, 1 - share]
    return {"experimentId": 7000, "variationByExposition": variations(7001, shares, ["in-holdout", "not-in-holdout"])}


def segment(number, *levels, operators=()):
    first = [{"conditions": list(conditions), "orOperators": list(joined)} for conditions, joined in levels]
    return {"id": number, "audienceTracking": True, "conditionsData": {"firstLevel": first, "firstLevelOrOperators": list(operators)}}


# ---- Conditions, with data that may meet them ---------------------------------------------------------------


def _custom_data():
    operator = rng.choice(["UNDEFINED", "EXACT", "CONTAINS", "REGULAR_EXPRESSION", "EQUAL", "GREATER", "LOWER", "TRUE", "FALSE", "AMONG_VALUES"])
    # Lists in which 0, 1 and booleans stand, and lists of which a value is no number, are where kits differ.
    if operator == "AMONG_VALUES":
        value = rng.choice(['["gold","10"]', "[10, 9.5]", "[]", "gold", '["né"]'])
    elif operator == "REGULAR_EXPRESSION":
        value = rng.choice(PATTERNS)
    else:
        value = rng.choice(TEXTS)
    numbers = operator in ("EQUAL", "GREATER", "LOWER")
    values = [rng.choice(TEXTS)] if numbers else rng.sample(TEXTS, rng.randrange(3))
    told = [{"type": "CustomData", "index": rng.choice([0, 0, 2]), "values": values}]
    return {"targetingType": "CUSTOM_DATUM", "customDataIndex": "0", "valueMatchType": operator, "value": value}, told


def _device():
    return {"targetingType": "DEVICE_TYPE", "device": rng.choice(DEVICES)}, [{"type": "Device", "device": rng.choice(DEVICES)}]


def _browser():
    name = rng.choice(list(BROWSERS))
    made = {"targetingType": "BROWSER", "browser": name}
    if rng.random() < 0.6:
        made |= {"version": rng.choice(["9", "9.5", "10", "x"]), "versionMatchType": rng.choice(["EQUAL", "GREATER", "LOWER"])}
    kind = BROWSERS[rng.choice([name, "CHROME"])]
    return made, [{"type": "Browser", "browser": kind, "version": rng.choice([9.0, 9.5, 10.0, 0.0])}]


def _system():
    return {"targetingType": "OPERATING_SYSTEM", "os": rng.choice(SYSTEMS[:3])}, [{"type": "OperatingSystem", "os": rng.choice(SYSTEMS[:3])}]


def _place():
    made = {"targetingType": "GEOLOCATION", "country": rng.choice(["France", "Japan"])}
    if rng.random() < 0.5:
        made |= {"region": rng.choice(["IDF", "idf", ""]), "city": rng.choice(["Paris", None])}
    told = {"type": "Geolocation", "country": rng.choice(["FRANCE", "Japan"])}
    return made, [told | rng.choice([{}, {"region": "IDF"}, {"region": "IDF", "city": "paris"}])]


def _application():
    made = {"targetingType": "APPLICATION_VERSION", "version": rng.choice(VERSIONS), "versionMatchType": rng.choice(["EQUAL", "GREATER", "LOWER"])}
    return made, [{"type": "ApplicationVersion", "version": rng.choice(VERSIONS)}]


def _visitor_code():
    match = rng.choice(["EXACT", "CONTAINS", "REGULAR_EXPRESSION"])
    return {"targetingType": "VISITOR_CODE", "matchType": match, "visitorCode": rng.choice(["v", "visitor", ".*[13579]", "("])}, []


def _page():
    kind = rng.choice(["PAGE_URL", "PAGE_TITLE", "PREVIOUS_PAGE", "PAGE_VIEWS"])
    told = [{"type": "PageView", "url": url, "title": rng.choice(["Cart", None])} for url in rng.sample(URLS, rng.randrange(3))]
    if kind == "PAGE_VIEWS":
        return {"targetingType": kind, "matchType": rng.choice(["EQUAL", "GREATER", "LOWER"]), "pageCount": rng.randrange(3)}, told
    value = {"title": rng.choice(["Cart", "ar"])} if kind == "PAGE_TITLE" else {"url": rng.choice(["shop", "https://shop.example/", "x y"])}
    return {"targetingType": kind, "matchType": rng.choice(["EXACT", "CONTAINS"])} | value, told


def _cookie():
    made = {"targetingType": "COOKIE", "name": "plan", "nameMatchType": rng.choice(["EXACT", "CONTAINS"]), "value": "gold",
            "valueMatchType": rng.choice(["EXACT", "CONTAINS", "REGULAR_EXPRESSION"])}
    return made, [{"type": "Cookie", "cookies": {rng.choice(["plan", "my plan"]): rng.choice(["gold", "goldsmith"])}}]


def _conversion():
    told = [{"type": "Conversion", "goalId": rng.choice([1, 2])}] if rng.random() < 0.7 else []
    return {"targetingType": "CONVERSIONS", "goalId": rng.choice([1, -1])}, told


CONDITIONS = [_custom_data, _custom_data, _custom_data, _device, _browser, _system, _place, _application, _visitor_code, _page, _cookie, _conversion]


def condition():
    """A condition, and data that a visitor may have: one in ten has none."""
    made, told = rng.choice(CONDITIONS)()
    made["isInclude"] = rng.random() < 0.8
    return made, told if rng.random() < 0.9 else []
