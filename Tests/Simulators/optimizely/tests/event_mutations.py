"""Event requests with one thing wrong (protocol 3.3, 5.6)."""

from __future__ import annotations

from typing import Any, Iterator

from loopback.calls import Call, body, bytes_of_body, path
from loopback.spoiling import Mutation, both, lacking, place_of, replaced, wrong

from .support import BOTS, EXPERIMENT, NOW, PREDICTION, attribute, uuid

HEAD = ("account_id", "project_id", "revision", "client_name", "client_version", "anonymize_ip", "enrich_decisions",
        "region", "visitors")
SNAPSHOT = "visitors.0.snapshots.0"
EVENT, DECISION = f"{SNAPSHOT}.events.0", f"{SNAPSHOT}.decisions.0"
ATTRIBUTES = "visitors.0.attributes"


def _impression(what: str, at: str, value: Any, place: str | None = None, *along: str) -> Mutation:
    return wrong("impression", what, at, value, place and place_of(place), *(place_of(other) for other in along))


def _head() -> Iterator[Mutation]:
    for name in HEAD:
        yield lacking("impression", name)
        yield _impression(f"null as {name}", name, None)
    for name in HEAD[:5]:
        yield _impression(f"number as {name}", name, 42)
    for name, value in (("account_id", "12009"), ("project_id", "12009"), ("revision", "41"),
                        ("client_name", "python-sdk"), ("client_version", "1.0"), ("anonymize_ip", False),
                        ("enrich_decisions", False), ("region", "EU")):
        yield _impression(f"other {name}", name, value)
    for name, value in (("anonymize_ip", "true"), ("enrich_decisions", 1), ("region", "us"), ("visitors", {})):
        yield _impression(f"{value} as {name}", name, value)
    yield _impression("unknown member", "sent_at", NOW)
    yield _impression("nobody", "visitors", [])
    yield Mutation("member twice", "impression", bytes_of_body(lambda text: b'{"region":"US",' + text[1:]), "body")
    yield Mutation("in an array", "impression", bytes_of_body(lambda text: b"[" + text + b"]"), "body")
    yield Mutation("address of the other region", "impression", path("/eu/v1/events"), "path")
    yield Mutation("address of the other region", "european", path("/us/v1/events"), "path")
    yield wrong("european", "region of the body", "region", "US")


def _visitors() -> Iterator[Mutation]:
    for name in ("visitor_id", "attributes", "snapshots"):
        yield lacking("impression", f"visitors.0.{name}")
        yield _impression(f"number as {name}", f"visitors.0.{name}", 7)
    yield _impression("session of the visitor", "visitors.0.session_id", "1")
    yield _impression("attributes by name", ATTRIBUTES, {"country": "de"})
    yield _impression("no snapshot", "visitors.0.snapshots", [])
    yield _impression("two snapshots", "visitors.0.snapshots", lambda found: found * 2)
    for name in ("events", "decisions"):
        yield lacking("impression", f"{SNAPSHOT}.{name}")
        yield _impression(f"null as {name}", f"{SNAPSHOT}.{name}", None)
        yield _impression(f"empty {name}", f"{SNAPSHOT}.{name}", [])
        yield _impression(f"two {name}", f"{SNAPSHOT}.{name}", lambda found: found * 2)
    yield _impression("activation time", f"{SNAPSHOT}.activationTimestamp", NOW)
    yield Mutation("one visitor too many", "batch", _two_more, "body.visitors")
    yield wrong("batch", "uuid twice", "visitors.8.snapshots.0.events.0.uuid", uuid(10))


def _two_more(call: Call) -> Call:
    changed = call.copy()
    for number in (1, 2):
        more = call.copy().document["visitors"][8]
        more["snapshots"][0]["events"][0]["uuid"] = uuid(30 + number)
        changed.document["visitors"].append(more)
    return changed


def _attributes() -> Iterator[Mutation]:
    first, second, bots = (f"{ATTRIBUTES}.{index}" for index in (0, 1, 3))
    for name in ("entity_id", "key", "type", "value"):
        yield lacking("impression", f"{first}.{name}")
        yield _impression(f"null as {name} of an attribute", f"{first}.{name}", None)
    yield _impression("number as entity_id", f"{first}.entity_id", 501)
    yield _impression("id of another attribute", f"{first}.entity_id", "505")
    yield _impression("key as id", f"{first}.entity_id", "country")
    yield _impression("attribute of no project", f"{first}.key", "land")
    yield _impression("attribute twice", second, attribute("501", "country", "at"), f"{second}.key")
    yield _impression("type of a prediction's attribute", f"{first}.type", "custom_attribute")
    for value in (["de"], {"de": 1}, 2**53 + 1, -(2**53) - 1, 1e16):
        yield _impression(f"value {value}", f"{second}.value", value)
    for text, place in ((b"1e999", place_of(f"{second}.value")), (b"NaN", "body")):
        yield Mutation(f"value {text.decode()}", "impression", replaced(b'"value": 30', b'"value": ' + text), place)
    yield _impression("member of an attribute", f"{first}.name", "country")
    numbered = attribute("501", "$opt_bucketing_id", "b")
    yield _impression("vendor's attribute by a number", first, numbered, f"{first}.entity_id")
    yield _impression("no bot filtering", ATTRIBUTES, lambda found: found[:-1])
    yield _impression("bot filtering first", ATTRIBUTES, lambda found: [BOTS, *found[:-1]])
    yield _impression("bot filtering otherwise", f"{bots}.value", False, ATTRIBUTES)
    yield _impression("bot filtering as a number", f"{bots}.value", 1, ATTRIBUTES)


def _events() -> Iterator[Mutation]:
    for name in ("entity_id", "key", "timestamp", "uuid"):
        yield lacking("impression", f"{EVENT}.{name}")
        yield _impression(f"null as {name} of an event", f"{EVENT}.{name}", None)
    yield _impression("event of another campaign", f"{EVENT}.entity_id", "9101")
    yield _impression("key in other case", f"{EVENT}.key", "Campaign_Activated", None, f"{SNAPSHOT}.decisions")
    for what, value in (("seconds", NOW // 1000), ("microseconds", NOW * 1000), ("a fraction", NOW + 0.5),
                        ("text", str(NOW)), ("a day old and more", NOW - 86_400_001), ("the future", NOW + 60_001),
                        ("a negative number", -1), ("a date", "2026-01-06T12:26:40Z")):
        yield _impression(f"time is {what}", f"{EVENT}.timestamp", value)
    known = "0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f"
    for what, value in (("of version 1", known.replace("-4", "-1")),
                        ("of a foreign variant", known.replace("-8", "-c")),
                        ("without dashes", known.replace("-", "")), ("in braces", "{" + known + "}"),
                        ("in mixed case", known.replace("a", "A")), ("a number", 1), ("empty", "")):
        yield _impression(f"uuid is {what}", f"{EVENT}.uuid", value)
    for name, value in (("type", "view_activated"), ("tags", None), ("tags", {"a": 1}), ("revenue", 1), ("value", 1.5)):
        yield _impression(f"{value} as {name} of an impression", f"{EVENT}.{name}", value)


def _decisions() -> Iterator[Mutation]:
    experiment, variation, metadata = f"{DECISION}.experiment_id", f"{DECISION}.variation_id", f"{DECISION}.metadata"
    for name in ("campaign_id", "experiment_id", "variation_id", "metadata"):
        yield lacking("impression", f"{DECISION}.{name}")
        yield _impression(f"number as {name}", f"{DECISION}.{name}", 9)
    for name in ("flag_key", "rule_key", "rule_type", "variation_key", "enabled"):
        yield lacking("impression", f"{metadata}.{name}")
        yield _impression(f"null as {name}", f"{metadata}.{name}", None)
    yield _impression("experiment as campaign", f"{DECISION}.campaign_id", "9101", None, f"{EVENT}.entity_id")
    for what, value in (("of nobody", "1"), ("of another flag", "9201"), ("of a delivery", "9401"),
                        ("of a holdout", "9501")):
        yield _impression(f"experiment {what}", experiment, value)
    for what, value in (("of another key", "9113"), ("null", None), ("the key", "short"), ("empty", "")):
        yield _impression(f"variation is {what}", variation, value)
    yield _impression("holdback", f"{DECISION}.is_campaign_holdback", False)
    yield _impression("unknown flag", f"{metadata}.flag_key", "checkout")
    yield _impression("rule of another flag", f"{metadata}.flag_key", "banner", experiment)
    yield _impression("other rule key", f"{metadata}.rule_key", "checkout_new_app")
    yield _impression("unknown rule type", f"{metadata}.rule_type", "ab-test")
    yield _impression("experiment as a delivery", f"{metadata}.rule_type", "rollout", experiment)
    yield _impression("experiment as a holdout", f"{metadata}.rule_type", "holdout", experiment)
    yield _impression("unknown variation key", f"{metadata}.variation_key", "shorter")
    yield _impression("key of another variation", f"{metadata}.variation_key", "control", variation)
    yield _impression("off though on", f"{metadata}.enabled", False)
    yield _impression("enabled as text", f"{metadata}.enabled", "true")
    yield _impression("prediction of a plain rule", f"{metadata}.cmab_uuid", PREDICTION)
    yield _impression("member of metadata", f"{metadata}.source", "x")


def _kinds() -> Iterator[Mutation]:
    """What is wrong with one of the other kinds of decisions; the numbers are places in `batch`."""
    delivery, nothing, forced, holdout, local, grouped, activated = range(1, 8)
    for what, index, name, value in (
        ("experiment's variation of a delivery rule", delivery, "variation_id", "9112"),
        ("delivery rule of another rollout", delivery, "experiment_id", "9403"),
        ("variation without a rule", nothing, "variation_id", "9111"),
        ("variation key without a rule", nothing, "metadata.variation_key", "control"),
        ("rule key without a rule", nothing, "metadata.rule_key", "banner_short"),
        ("on without a rule", nothing, "metadata.enabled", True),
        ("unknown flag without a rule", nothing, "metadata.flag_key", "nothing"),
        ("forced variation of another flag", forced, "metadata.variation_key", "hello"),
        ("forced decision with a rule key", forced, "metadata.rule_key", "checkout_test"),
        ("forced decision without a variation", forced, "variation_id", None),
        ("forced decision that is off", forced, "metadata.enabled", False),
        ("forced decision with a prediction", forced, "metadata.cmab_uuid", PREDICTION),
        ("prediction without a rule", nothing, "metadata.cmab_uuid", PREDICTION),
        ("holdout with a prediction", holdout, "metadata.cmab_uuid", PREDICTION),
        ("holdout that is on", holdout, "metadata.enabled", True),
        ("holdout's key", holdout, "metadata.rule_key", "holdout_new_app"),
        ("holdout's variation", holdout, "variation_id", "9521"),
        ("variation of the group", grouped, "metadata.variation_key", "control"),
        ("activation of a flag", activated, "metadata.flag_key", "checkout_flow"),
        ("activation that is off", activated, "metadata.enabled", False),
        ("activation of a delivery rule", activated, "experiment_id", "9401"),
        ("activation with a prediction", activated, "metadata.cmab_uuid", PREDICTION),
    ):
        yield wrong("batch", what, f"visitors.{index}.snapshots.0.decisions.0.{name}", value)
    for what, index, name, value in (
        ("delivery rule as an experiment", delivery, "rule_type", "feature-test"),
        ("holdout as a delivery", holdout, "rule_type", "rollout"),
        ("local holdout of another flag", local, "flag_key", "banner"),
        ("local holdout as an experiment", local, "rule_type", "feature-test"),
    ):
        where = f"visitors.{index}.snapshots.0.decisions.0"
        yield wrong("batch", what, f"{where}.metadata.{name}", value, place_of(f"{where}.experiment_id"))
    where = f"visitors.{grouped}.snapshots.0.decisions.0"
    yield wrong("batch", "other experiment of the group", f"{where}.experiment_id", "9301",
                place_of(f"{where}.metadata.rule_key"), place_of(f"{where}.campaign_id"))


def _bandits() -> Iterator[Mutation]:
    metadata = f"{DECISION}.metadata"
    for what, value in (("that nobody asked for", uuid(77)), ("as text", "prediction"), ("as null", None)):
        yield wrong("bandit", f"prediction {what}", f"{metadata}.cmab_uuid", value)
    yield wrong("bandit", "prediction for somebody else", "visitors.0.visitor_id", "anna",
                place_of(f"{metadata}.cmab_uuid"))
    other = both(body(f"{DECISION}.variation_id", "9211"), body(f"{metadata}.variation_key", "classic"))
    yield Mutation("variation other than predicted", "bandit", other, place_of(f"{DECISION}.variation_id"))


def _conversions() -> Iterator[Mutation]:
    name = "conversion"
    for what, value in (("empty", []), ("null", None), ("those of an impression", [EXPERIMENT])):
        yield wrong(name, f"decisions are {what}", f"{SNAPSHOT}.decisions", value)
    for what, value in (("of another event", "602"), ("that is the key", "purchase"), ("that is null", None)):
        yield wrong(name, f"entity {what}", f"{EVENT}.entity_id", value)
    yield wrong(name, "unknown event", f"{EVENT}.key", "purchases")
    yield wrong(name, "empty key", f"{EVENT}.key", "")
    for what, value in (("other", 4300), ("text", "4200"), ("a fraction", 4200.5), ("true", True), ("null", None)):
        yield wrong(name, f"revenue is {what}", f"{EVENT}.revenue", value)
    for what, value in (("other", 12.25), ("text", "12.5"), ("true", True), ("null", None), ("a list", [12.5])):
        yield wrong(name, f"value is {what}", f"{EVENT}.value", value)
    for member in ("revenue", "value"):
        at, tag = f"{EVENT}.{member}", f"{EVENT}.tags.{member}"
        yield lacking(name, at)
        yield lacking(name, tag, place_of(at))
        yield wrong(name, f"{member} of a text", tag, "12", place_of(at))
        yield Mutation(f"{member} of a truth", name, both(body(tag, True), body(at, 1)), place_of(at))
    yield wrong(name, "revenue rounded", f"{EVENT}.tags.revenue", 4199.9, place_of(f"{EVENT}.revenue"))
    yield wrong(name, "revenue beyond 64 bits", f"{EVENT}.revenue", 2**63)
    yield wrong(name, "tag null", f"{EVENT}.tags.category", None)
    yield wrong(name, "tags as a list", f"{EVENT}.tags", [])
    yield Mutation("tag twice", name, replaced(b'"category": "shoes"', b'"category": "a", "category": "b"'), "body")
    yield Mutation("tag NaN", name, replaced(b'"w": 1.5', b'"w": NaN'), "body")
    yield wrong(name, "quantity beside the tags", f"{EVENT}.quantity", 1)


def of_events() -> list[Mutation]:
    return [*_head(), *_visitors(), *_attributes(), *_events(), *_decisions(), *_kinds(), *_bandits(), *_conversions()]
