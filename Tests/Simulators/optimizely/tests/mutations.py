"""Requests with one thing wrong: what it is, which correct request it spoils, how, and where the refusal must point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator

from loopback.calls import MISSING, Call, Change, body, bytes_of_body, header, method, path, query, twice

from .support import BOTS, NOW, PREDICTION, VUID, attribute, uuid


@dataclass(frozen=True)
class Mutation:
    """`along` are places that necessarily complain too."""

    what: str
    builder: str
    change: Change
    place: str
    along: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        return f"{self.builder}: {self.what}"


def both(*changes: Change) -> Change:
    def change(call: Call) -> Call:
        for one in changes:
            call = one(call)
        return call

    return change


def replaced(old: bytes, new: bytes) -> Change:
    """Replaces bytes of the body that must be there."""
    def make(text: bytes) -> bytes:
        assert old in text
        return text.replace(old, new)

    return bytes_of_body(make)


def appended(at: str, entry: Any) -> Change:
    return body(at, lambda entries: [*entries, entry])


def without(*names: str) -> Change:
    return both(*(body(name, MISSING) for name in names))


def of_every_request(builder: str) -> Iterator[Mutation]:
    """What is wrong with the headers, the method or the address of any request."""
    posts = builder not in ("datafile", "secured")
    yield Mutation("no user agent", builder, header("User-Agent", None), "header user-agent")
    yield Mutation("user agent of the transport", builder, header("User-Agent", "curl/8.5.0"), "header user-agent")
    yield Mutation("user agent without version", builder, header("User-Agent", "hoist"), "header user-agent")
    yield Mutation("user agent twice", builder, twice("User-Agent"), "header user-agent")
    yield Mutation("accept html", builder, header("Accept", "text/html"), "header accept")
    yield Mutation("cookie", builder, header("Cookie", "a=b"), "header cookie")
    yield Mutation("the agent's key", builder, header("X-Optimizely-SDK-Key", "sample-sdk-key"), "header x-optimizely-sdk-key")
    yield Mutation("entity tag", builder, header("If-None-Match", '"1"'), "header if-none-match")
    yield Mutation("compressed body", builder, header("Content-Encoding", "gzip"), "header content-encoding")
    yield Mutation("query", builder, query(add="v=1"), "query")
    yield Mutation("method", builder, method("PUT"), "method")
    yield Mutation("path", builder, path("/nowhere"), "path")
    if builder != "secured":
        yield Mutation("authorization", builder, header("Authorization", "Bearer x"), "header authorization")
    if builder not in ("segments", "platform_events"):
        yield Mutation("key of the data platform", builder, header("x-api-key", "sample-odp-public-key"), "header x-api-key")
    if posts:
        yield from _of_every_post(builder)


def _of_every_post(builder: str) -> Iterator[Mutation]:
    yield Mutation("no content type", builder, header("Content-Type", None), "header content-type")
    yield Mutation("content type with charset", builder, header("Content-Type", "application/json; charset=utf-8"),
                   "header content-type")
    yield Mutation("content type of a form", builder, header("Content-Type", "application/x-www-form-urlencoded"),
                   "header content-type")
    yield Mutation("content type twice", builder, twice("Content-Type"), "header content-type")
    yield Mutation("date", builder, header("If-Modified-Since", "Mon, 05 Jan 2026 10:00:00 GMT"), "header if-modified-since")
    yield Mutation("GET", builder, method("GET"), "method")
    yield Mutation("no body", builder, bytes_of_body(lambda _: b""), "body")
    yield Mutation("cut body", builder, bytes_of_body(lambda text: text[:-1]), "body")
    yield Mutation("byte-order mark", builder, bytes_of_body(lambda text: b"\xef\xbb\xbf" + text), "body")
    yield Mutation("not UTF-8", builder, bytes_of_body(lambda text: text.replace(b'"', b'"\xff', 1)), "body")
    yield Mutation("null as body", builder, bytes_of_body(lambda _: b"null"), "body")
    yield Mutation("text as body", builder, bytes_of_body(lambda _: b'"{}"'), "body")
    yield Mutation("path with a slash at the end", builder, lambda call: path(call.path + "/")(call), "path")


DATE = "header if-modified-since"
DATAFILES = [
    Mutation("content type on a GET", "datafile", header("Content-Type", "application/json"), "header content-type"),
    Mutation("body on a GET", "datafile", bytes_of_body(lambda _: b"{}"), "body"),
    Mutation("POST", "datafile", method("POST"), "method"),
    Mutation("HEAD", "datafile", method("HEAD"), "method"),
    Mutation("no extension", "datafile", path("/datafiles/sample-sdk-key"), "path"),
    Mutation("other folder", "datafile", path("/datafile/sample-sdk-key.json"), "path"),
    Mutation("no key", "datafile", path("/datafiles/.json"), "path"),
    Mutation("empty date", "datafile", header("If-Modified-Since", ""), DATE),
    Mutation("date in ISO form", "datafile", header("If-Modified-Since", "2026-01-05T10:00:00Z"), DATE),
    Mutation("date of an offset", "datafile", header("If-Modified-Since", "Mon, 05 Jan 2026 10:00:00 +0000"), DATE),
    Mutation("date that was never sent", "datafile", header("If-Modified-Since", "Mon, 05 Jan 2026 10:00:01 GMT"), DATE),
    Mutation("entity tag as date", "datafile", header("If-Modified-Since", '"1"'), DATE),
    Mutation("no-cache", "datafile", header("Cache-Control", "no-cache"), "header cache-control"),
    Mutation("pragma", "datafile", header("Pragma", "no-cache"), "header pragma"),
    Mutation("range", "datafile", header("Range", "bytes=0-99"), "header range"),
    Mutation("no token", "secured", header("Authorization", None), "header authorization"),
    Mutation("token without scheme", "secured", header("Authorization", "token-4711"), "header authorization"),
    Mutation("scheme in lower case", "secured", header("Authorization", "bearer token-4711"), "header authorization"),
    Mutation("scheme alone", "secured", header("Authorization", "Bearer "), "header authorization"),
    Mutation("two blanks", "secured", header("Authorization", "Bearer  token-4711"), "header authorization"),
    Mutation("basic", "secured", header("Authorization", "Basic dG9rZW4="), "header authorization"),
    Mutation("token twice", "secured", twice("Authorization"), "header authorization"),
    Mutation("date of another key", "secured", header("If-Modified-Since", "Mon, 05 Jan 2026 10:00:00 GMT"), DATE),
]

VISITOR, SNAPSHOT = "body.visitors[0]", "body.visitors[0].snapshots[0]"
EVENT, DECISION, METADATA = f"{SNAPSHOT}.events[0]", f"{SNAPSHOT}.decisions[0]", f"{SNAPSHOT}.decisions[0].metadata"
_SNAPSHOT = "visitors.0.snapshots.0"
_EVENT, _DECISION = f"{_SNAPSHOT}.events.0", f"{_SNAPSHOT}.decisions.0"
_METADATA = f"{_DECISION}.metadata"


def _head() -> Iterator[Mutation]:
    names = ("account_id", "project_id", "revision", "client_name", "client_version", "anonymize_ip", "enrich_decisions",
             "region", "visitors")
    for name in names:
        yield Mutation(f"no {name}", "impression", without(name), f"body.{name}")
        yield Mutation(f"null as {name}", "impression", body(name, None), f"body.{name}")
    for name in names[:5]:
        yield Mutation(f"number as {name}", "impression", body(name, 42), f"body.{name}")
    for name, value in (("account_id", "12009"), ("project_id", "12009"), ("revision", "41"), ("client_name", "python-sdk"),
                        ("client_version", "1.0"), ("anonymize_ip", False), ("enrich_decisions", False), ("region", "EU")):
        yield Mutation(f"other {name}", "impression", body(name, value), f"body.{name}")
    for name, value in (("anonymize_ip", "true"), ("enrich_decisions", 1), ("region", "us"), ("visitors", {})):
        yield Mutation(f"{value} as {name}", "impression", body(name, value), f"body.{name}")
    yield Mutation("unknown member", "impression", body("sent_at", NOW), "body.sent_at")
    yield Mutation("member twice", "impression", bytes_of_body(lambda text: b'{"region":"US",' + text[1:]), "body")
    yield Mutation("in an array", "impression", bytes_of_body(lambda text: b"[" + text + b"]"), "body")
    yield Mutation("nobody", "impression", body("visitors", []), "body.visitors")
    yield Mutation("address of the other region", "impression", path("/eu/v1/events"), "path")
    yield Mutation("region of the address only", "european", body("region", "US"), "body.region")
    yield Mutation("address of the other region", "european", path("/us/v1/events"), "path")


def _visitors() -> Iterator[Mutation]:
    for name in ("visitor_id", "attributes", "snapshots"):
        yield Mutation(f"no {name}", "impression", without(f"visitors.0.{name}"), f"{VISITOR}.{name}")
        yield Mutation(f"number as {name}", "impression", body(f"visitors.0.{name}", 7), f"{VISITOR}.{name}")
    yield Mutation("session of the visitor", "impression", body("visitors.0.session_id", "1"), f"{VISITOR}.session_id")
    yield Mutation("attributes by name", "impression", body("visitors.0.attributes", {"country": "de"}), f"{VISITOR}.attributes")
    yield Mutation("no snapshot", "impression", body("visitors.0.snapshots", []), f"{VISITOR}.snapshots")
    yield Mutation("two snapshots", "impression", body("visitors.0.snapshots", lambda found: found * 2), f"{VISITOR}.snapshots")
    for name in ("events", "decisions"):
        where = f"{SNAPSHOT}.{name}"
        yield Mutation(f"no {name}", "impression", without(f"{_SNAPSHOT}.{name}"), where)
        yield Mutation(f"null as {name}", "impression", body(f"{_SNAPSHOT}.{name}", None), where)
        yield Mutation(f"empty {name}", "impression", body(f"{_SNAPSHOT}.{name}", []), where)
        yield Mutation(f"two {name}", "impression", body(f"{_SNAPSHOT}.{name}", lambda found: found * 2), where)
    yield Mutation("activation time", "impression", body(f"{_SNAPSHOT}.activationTimestamp", NOW), f"{SNAPSHOT}.activationTimestamp")
    yield Mutation("one visitor too many", "batch", _two_more, "body.visitors")
    yield Mutation("uuid twice", "batch", body("visitors.8.snapshots.0.events.0.uuid", uuid(10)),
                   "body.visitors[8].snapshots[0].events[0].uuid")


def _two_more(call: Call) -> Call:
    changed = call.copy()
    for number in (1, 2):
        more = call.copy().document["visitors"][8]
        more["snapshots"][0]["events"][0]["uuid"] = uuid(30 + number)
        changed.document["visitors"].append(more)
    return changed


def _attributes() -> Iterator[Mutation]:
    where, at = f"{VISITOR}.attributes", "visitors.0.attributes"
    for name in ("entity_id", "key", "type", "value"):
        yield Mutation(f"attribute without {name}", "impression", without(f"{at}.0.{name}"), f"{where}[0].{name}")
        yield Mutation(f"null as {name} of an attribute", "impression", body(f"{at}.0.{name}", None), f"{where}[0].{name}")
    yield Mutation("number as entity_id", "impression", body(f"{at}.0.entity_id", 501), f"{where}[0].entity_id")
    yield Mutation("id of another attribute", "impression", body(f"{at}.0.entity_id", "505"), f"{where}[0].entity_id")
    yield Mutation("key as id", "impression", body(f"{at}.0.entity_id", "country"), f"{where}[0].entity_id")
    yield Mutation("attribute of no project", "impression", body(f"{at}.0.key", "land"), f"{where}[0].key")
    yield Mutation("attribute twice", "impression", body(f"{at}.1", attribute("501", "country", "at")), f"{where}[1].key")
    yield Mutation("type of an attribute", "impression", body(f"{at}.0.type", "custom_attribute"), f"{where}[0].type")
    for value in (["de"], {"de": 1}, 2**53 + 1, -(2**53) - 1, 1e16):
        yield Mutation(f"value {value}", "impression", body(f"{at}.1.value", value), f"{where}[1].value")
    yield Mutation("infinite value", "impression", replaced(b'"value": 30', b'"value": 1e999'), f"{where}[1].value")
    yield Mutation("value NaN", "impression", replaced(b'"value": 30', b'"value": NaN'), "body")
    yield Mutation("member of an attribute", "impression", body(f"{at}.0.name", "country"), f"{where}[0].name")
    yield Mutation("vendor's attribute by a number", "impression",
                   body(f"{at}.0", attribute("501", "$opt_bucketing_id", "b")), f"{where}[0].entity_id")
    yield Mutation("no bot filtering", "impression", body(at, lambda found: found[:-1]), where)
    yield Mutation("bot filtering first", "impression", body(at, lambda found: [BOTS, *found[:-1]]), where)
    yield Mutation("bot filtering otherwise", "impression", body(f"{at}.3.value", False), where)
    yield Mutation("bot filtering as a number", "impression", body(f"{at}.3.value", 1), where)


def _events() -> Iterator[Mutation]:
    for name in ("entity_id", "key", "timestamp", "uuid"):
        yield Mutation(f"event without {name}", "impression", without(f"{_EVENT}.{name}"), f"{EVENT}.{name}")
        yield Mutation(f"null as {name} of an event", "impression", body(f"{_EVENT}.{name}", None), f"{EVENT}.{name}")
    yield Mutation("event of another campaign", "impression", body(f"{_EVENT}.entity_id", "9101"), f"{EVENT}.entity_id")
    yield Mutation("key in other case", "impression", body(f"{_EVENT}.key", "Campaign_Activated"), f"{EVENT}.key",
                   frozenset({f"{SNAPSHOT}.decisions"}))
    for what, value in (("seconds", NOW // 1000), ("microseconds", NOW * 1000), ("a fraction", NOW + 0.5),
                        ("text", str(NOW)), ("a day old and more", NOW - 86_400_001), ("the future", NOW + 60_001),
                        ("a negative number", -1), ("a date", "2026-01-06T12:26:40Z")):
        yield Mutation(f"time is {what}", "impression", body(f"{_EVENT}.timestamp", value), f"{EVENT}.timestamp")
    known = "0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f"
    for what, value in (("version 1", known.replace("-4", "-1")), ("foreign variant", known.replace("-8", "-c")),
                        ("no dashes", known.replace("-", "")), ("braces", "{" + known + "}"), ("mixed case", known.replace("a", "A")),
                        ("a number", 1), ("empty", "")):
        yield Mutation(f"uuid is {what}", "impression", body(f"{_EVENT}.uuid", value), f"{EVENT}.uuid")
    yield Mutation("member of an event", "impression", body(f"{_EVENT}.type", "view_activated"), f"{EVENT}.type")
    yield Mutation("null as tags", "impression", body(f"{_EVENT}.tags", None), f"{EVENT}.tags")
    yield Mutation("tags on an impression", "impression", body(f"{_EVENT}.tags", {"a": 1}), f"{EVENT}.tags")
    yield Mutation("revenue on an impression", "impression", body(f"{_EVENT}.revenue", 1), f"{EVENT}.revenue")
    yield Mutation("value on an impression", "impression", body(f"{_EVENT}.value", 1.5), f"{EVENT}.value")


def _decisions() -> Iterator[Mutation]:
    for name in ("campaign_id", "experiment_id", "variation_id", "metadata"):
        yield Mutation(f"no {name}", "impression", without(f"{_DECISION}.{name}"), f"{DECISION}.{name}")
        yield Mutation(f"number as {name}", "impression", body(f"{_DECISION}.{name}", 9), f"{DECISION}.{name}")
    for name in ("flag_key", "rule_key", "rule_type", "variation_key", "enabled"):
        yield Mutation(f"no {name}", "impression", without(f"{_METADATA}.{name}"), f"{METADATA}.{name}")
        yield Mutation(f"null as {name}", "impression", body(f"{_METADATA}.{name}", None), f"{METADATA}.{name}")
    yield Mutation("experiment as campaign", "impression", body(f"{_DECISION}.campaign_id", "9101"), f"{DECISION}.campaign_id",
                   frozenset({f"{EVENT}.entity_id"}))
    for what, value in (("nobody's", "1"), ("of another flag", "9201"), ("of a delivery rule", "9401"), ("of a holdout", "9501")):
        yield Mutation(f"experiment {what}", "impression", body(f"{_DECISION}.experiment_id", value), f"{DECISION}.experiment_id")
    for what, value in (("of another key", "9113"), ("null", None), ("the key", "short"), ("empty", "")):
        yield Mutation(f"variation is {what}", "impression", body(f"{_DECISION}.variation_id", value), f"{DECISION}.variation_id")
    yield Mutation("holdback", "impression", body(f"{_DECISION}.is_campaign_holdback", False), f"{DECISION}.is_campaign_holdback")
    yield Mutation("unknown flag", "impression", body(f"{_METADATA}.flag_key", "checkout"), f"{METADATA}.flag_key")
    yield Mutation("rule of another flag", "impression", body(f"{_METADATA}.flag_key", "banner"), f"{DECISION}.experiment_id")
    yield Mutation("other rule key", "impression", body(f"{_METADATA}.rule_key", "checkout_new_app"), f"{METADATA}.rule_key")
    yield Mutation("unknown rule type", "impression", body(f"{_METADATA}.rule_type", "ab-test"), f"{METADATA}.rule_type")
    yield Mutation("experiment as a delivery", "impression", body(f"{_METADATA}.rule_type", "rollout"), f"{DECISION}.experiment_id")
    yield Mutation("experiment as a holdout", "impression", body(f"{_METADATA}.rule_type", "holdout"), f"{DECISION}.experiment_id")
    yield Mutation("unknown variation key", "impression", body(f"{_METADATA}.variation_key", "shorter"), f"{METADATA}.variation_key")
    yield Mutation("key of another variation", "impression", body(f"{_METADATA}.variation_key", "control"), f"{DECISION}.variation_id")
    yield Mutation("off though on", "impression", body(f"{_METADATA}.enabled", False), f"{METADATA}.enabled")
    yield Mutation("enabled as text", "impression", body(f"{_METADATA}.enabled", "true"), f"{METADATA}.enabled")
    yield Mutation("prediction of a plain rule", "impression", body(f"{_METADATA}.cmab_uuid", PREDICTION), f"{METADATA}.cmab_uuid")
    yield Mutation("member of metadata", "impression", body(f"{_METADATA}.source", "x"), f"{METADATA}.source")


def _kinds() -> Iterator[Mutation]:
    """What is wrong with one of the other kinds of decisions; the numbers are places in `batch`."""
    delivery, nothing, forced, holdout, local, grouped, activated = range(1, 8)
    for what, index, name, value in (
        ("delivery rule as an experiment", delivery, "metadata.rule_type", "feature-test"),
        ("delivery rule of another rollout", delivery, "experiment_id", "9403"),
        ("experiment's variation of a delivery rule", delivery, "variation_id", "9112"),
        ("variation without a rule", nothing, "variation_id", "9111"),
        ("variation key without a rule", nothing, "metadata.variation_key", "control"),
        ("rule key without a rule", nothing, "metadata.rule_key", "banner_short"),
        ("on without a rule", nothing, "metadata.enabled", True),
        ("unknown flag without a rule", nothing, "metadata.flag_key", "nothing"),
        ("forced variation of another flag", forced, "metadata.variation_key", "hello"),
        ("forced decision with a rule key", forced, "metadata.rule_key", "checkout_test"),
        ("forced decision without a variation", forced, "variation_id", None),
        ("forced decision that is off", forced, "metadata.enabled", False),
        ("holdout that is on", holdout, "metadata.enabled", True),
        ("holdout's key", holdout, "metadata.rule_key", "holdout_new_app"),
        ("holdout as a delivery", holdout, "metadata.rule_type", "rollout"),
        ("holdout's variation", holdout, "variation_id", "9521"),
        ("local holdout of another flag", local, "metadata.flag_key", "banner"),
        ("local holdout as an experiment", local, "metadata.rule_type", "feature-test"),
        ("other experiment of the group", grouped, "experiment_id", "9301"),
        ("variation of the group", grouped, "metadata.variation_key", "control"),
        ("activation of a flag", activated, "metadata.flag_key", "checkout_flow"),
        ("activation that is off", activated, "metadata.enabled", False),
        ("activation of a delivery rule", activated, "experiment_id", "9401"),
        ("activation with a prediction", activated, "metadata.cmab_uuid", PREDICTION),
    ):
        where = f"body.visitors[{index}].snapshots[0].decisions[0]"
        place, along = _KIND_PLACES.get(what, (name, ()))
        yield Mutation(what, "batch", body(f"visitors.{index}.snapshots.0.decisions.0.{name}", value), f"{where}.{place}",
                       frozenset(f"{where}.{other}" for other in along))


_KIND_PLACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "delivery rule as an experiment": ("experiment_id", ()),
    "holdout as a delivery": ("experiment_id", ()),
    "local holdout of another flag": ("experiment_id", ()),
    "local holdout as an experiment": ("experiment_id", ()),
    # The sibling has none of these ids and keys.
    "other experiment of the group": ("metadata.rule_key", ("campaign_id",)),
}

BANDITS = [
    Mutation("prediction that nobody asked for", "bandit", body(f"{_METADATA}.cmab_uuid", uuid(77)), f"{METADATA}.cmab_uuid"),
    Mutation("prediction as text", "bandit", body(f"{_METADATA}.cmab_uuid", "prediction"), f"{METADATA}.cmab_uuid"),
    Mutation("prediction as null", "bandit", body(f"{_METADATA}.cmab_uuid", None), f"{METADATA}.cmab_uuid"),
    Mutation("prediction for somebody else", "bandit", body("visitors.0.visitor_id", "anna"), f"{METADATA}.cmab_uuid"),
    Mutation("variation other than predicted", "bandit",
             both(body(f"{_DECISION}.variation_id", "9211"), body(f"{_METADATA}.variation_key", "classic")),
             f"{DECISION}.variation_id"),
]


def _conversions() -> Iterator[Mutation]:
    yield Mutation("decision of a conversion", "conversion", body(f"{_SNAPSHOT}.decisions", []), f"{SNAPSHOT}.decisions")
    yield Mutation("decisions null", "conversion", body(f"{_SNAPSHOT}.decisions", None), f"{SNAPSHOT}.decisions")
    yield Mutation("id of another event", "conversion", body(f"{_EVENT}.entity_id", "602"), f"{EVENT}.entity_id")
    yield Mutation("key as id", "conversion", body(f"{_EVENT}.entity_id", "purchase"), f"{EVENT}.entity_id")
    yield Mutation("unknown event", "conversion", body(f"{_EVENT}.key", "purchases"), f"{EVENT}.key")
    yield Mutation("empty key", "conversion", body(f"{_EVENT}.key", ""), f"{EVENT}.key")
    for what, value in (("other", 4300), ("text", "4200"), ("a fraction", 4200.5), ("true", True), ("null", None)):
        yield Mutation(f"revenue is {what}", "conversion", body(f"{_EVENT}.revenue", value), f"{EVENT}.revenue")
    for what, value in (("other", 12.25), ("text", "12.5"), ("true", True), ("null", None), ("a list", [12.5])):
        yield Mutation(f"value is {what}", "conversion", body(f"{_EVENT}.value", value), f"{EVENT}.value")
    for name in ("revenue", "value"):
        tag = f"{_EVENT}.tags.{name}"
        yield Mutation(f"{name} left out", "conversion", without(f"{_EVENT}.{name}"), f"{EVENT}.{name}")
        yield Mutation(f"{name} without a tag", "conversion", without(tag), f"{EVENT}.{name}")
        yield Mutation(f"{name} of a text", "conversion", body(tag, "12"), f"{EVENT}.{name}")
        yield Mutation(f"{name} of a truth", "conversion", both(body(tag, True), body(f"{_EVENT}.{name}", 1)), f"{EVENT}.{name}")
    yield Mutation("revenue rounded", "conversion", body(f"{_EVENT}.tags.revenue", 4199.9), f"{EVENT}.revenue")
    yield Mutation("revenue beyond 64 bits", "conversion", body(f"{_EVENT}.revenue", 2**63), f"{EVENT}.revenue")
    yield Mutation("tag null", "conversion", body(f"{_EVENT}.tags.category", None), f"{EVENT}.tags.category")
    yield Mutation("tags as a list", "conversion", body(f"{_EVENT}.tags", []), f"{EVENT}.tags")
    yield Mutation("tag twice", "conversion", replaced(b'"category": "shoes"', b'"category": "a", "category": "b"'), "body")
    yield Mutation("tag NaN", "conversion", replaced(b'"w": 1.5', b'"w": NaN'), "body")
    yield Mutation("quantity beside the tags", "conversion", body(f"{_EVENT}.quantity", 1), f"{EVENT}.quantity")


QUERY, VARIABLES, AUDIENCES = "body.query", "body.variables", "body.variables.audiences"
SEGMENTS = [
    Mutation("no key", "segments", header("x-api-key", None), "header x-api-key"),
    Mutation("empty key", "segments", header("x-api-key", ""), "header x-api-key"),
    Mutation("key of nobody", "segments", header("x-api-key", "other"), "header x-api-key"),
    Mutation("key with a scheme", "segments", header("x-api-key", "Bearer sample-odp-public-key"), "header x-api-key"),
    Mutation("key twice", "segments", twice("x-api-key"), "header x-api-key"),
    Mutation("key as authorization", "segments", both(header("Authorization", "Bearer k"), header("x-api-key", None)),
             "header authorization", frozenset({"header x-api-key"})),
    Mutation("no query", "segments", without("query"), QUERY),
    Mutation("query of a VUID", "segments", body("query", lambda text: text.replace("fs_user_id", "vuid")), QUERY),
    Mutation("query of a user", "anonymous_segments", body("query", lambda text: text.replace("vuid", "fs_user_id")), QUERY),
    Mutation("query with a blank less", "segments", body("query", lambda text: text.replace(") {cust", "){cust")), QUERY),
    Mutation("query in lines", "segments", body("query", lambda text: text.replace(" {", "\n{")), QUERY),
    Mutation("query with the user inside", "segments", body("query", lambda text: text.replace("$userId)", '"carla")')), QUERY),
    Mutation("query without state", "segments", body("query", lambda text: text.replace("name state", "name")), QUERY),
    Mutation("null as query", "segments", body("query", None), QUERY),
    Mutation("operation name", "segments", body("operationName", "x"), "body.operationName"),
    Mutation("no variables", "segments", without("variables"), VARIABLES),
    Mutation("variables as text", "segments", body("variables", "{}"), VARIABLES),
    Mutation("other variable", "segments", body("variables.vuid", VUID), f"{VARIABLES}.vuid"),
    Mutation("no user", "segments", without("variables.userId"), f"{VARIABLES}.userId"),
    Mutation("empty user", "segments", body("variables.userId", ""), f"{VARIABLES}.userId"),
    Mutation("number as user", "segments", body("variables.userId", 7), f"{VARIABLES}.userId"),
    Mutation("null as user", "segments", body("variables.userId", None), f"{VARIABLES}.userId"),
    Mutation("VUID as user", "segments", body("variables.userId", "VUID_" + VUID[5:]), QUERY),
    Mutation("no audiences", "segments", without("variables.audiences"), AUDIENCES),
    Mutation("empty audiences", "segments", body("variables.audiences", []), AUDIENCES),
    Mutation("null as audiences", "segments", body("variables.audiences", None), AUDIENCES),
    Mutation("one audience missing", "segments", body("variables.audiences", ["newsletter"]), AUDIENCES),
    Mutation("another audience", "segments", appended("variables.audiences", "other"), AUDIENCES),
    Mutation("audience twice", "segments", appended("variables.audiences", "newsletter"), AUDIENCES),
    Mutation("audience in other case", "segments", body("variables.audiences.1", "Newsletter"), AUDIENCES),
    Mutation("number as audience", "segments", body("variables.audiences.1", 703), f"{AUDIENCES}[1]"),
    Mutation("audiences as text", "segments", body("variables.audiences", "newsletter"), AUDIENCES),
    Mutation("query in an array", "segments", bytes_of_body(lambda text: b"[" + text + b"]"), "body"),
]


def _platform() -> Iterator[Mutation]:
    name = "platform_events"
    yield Mutation("no key", name, header("x-api-key", None), "header x-api-key")
    yield Mutation("key of nobody", name, header("x-api-key", "other"), "header x-api-key")
    yield Mutation("key twice", name, twice("x-api-key"), "header x-api-key")
    yield Mutation("no event", name, bytes_of_body(lambda _: b"[]"), "body")
    yield Mutation("event without an array", name, bytes_of_body(lambda text: text[1:text.index(b"}}") + 2]), "body")
    yield Mutation("eleven events", name, _eleven, "body")
    for member in ("type", "action", "identifiers", "data"):
        yield Mutation(f"no {member}", name, without(f"2.{member}"), f"body[2].{member}")
        yield Mutation(f"null as {member}", name, body(f"2.{member}", None), f"body[2].{member}")
    yield Mutation("empty type", name, body("2.type", ""), "body[2].type")
    yield Mutation("empty action", name, body("2.action", ""), "body[2].action")
    yield Mutation("member of an event", name, body("2.timestamp", NOW), "body[2].timestamp")
    for spelling in ("FS_USER_ID", "fs-user-id", "FS-USER-ID", "Fs_User_Id"):
        yield Mutation(f"user as {spelling}", name, body("2.identifiers", {spelling: "carla"}), f"body[2].identifiers.{spelling}")
    yield Mutation("nobody", name, body("2.identifiers", {}), "body[2].identifiers")
    yield Mutation("nobody but empty ones", name, body("2.identifiers", {"email": ""}), "body[2].identifiers")
    yield Mutation("number as identifier", name, body("2.identifiers.email", 7), "body[2].identifiers.email")
    yield Mutation("one identifier to identify", name, without("1.identifiers.vuid"), "body[1].identifiers")
    yield Mutation("three identifiers to identify", name, body("1.identifiers.email", "c@example.com"), "body[1].identifiers")
    yield Mutation("empty user to identify", name, body("1.identifiers.fs_user_id", ""), "body[1].identifiers.fs_user_id")
    yield Mutation("VUID as user to identify", name, body("1.identifiers.fs_user_id", VUID), "body[1].identifiers.fs_user_id")
    yield Mutation("user at initialisation", name, body("0.identifiers.fs_user_id", "carla"), "body[0].identifiers")
    for what, value in (("short", VUID[:-1]), ("upper case", "VUID" + VUID[4:]), ("dashes", f"vuid_{uuid(1)}"[:32])):
        yield Mutation(f"VUID is {what}", name, body("0.identifiers.vuid", value), "body[0].identifiers.vuid")
    for member in ("idempotence_id", "data_source_type", "data_source", "data_source_version"):
        yield Mutation(f"no {member}", name, without(f"2.data.{member}"), f"body[2].data.{member}")
        yield Mutation(f"number as {member}", name, body(f"2.data.{member}", 1), f"body[2].data.{member}")
    yield Mutation("other source type", name, body("2.data.data_source_type", "SDK"), "body[2].data.data_source_type")
    yield Mutation("other source", name, body("2.data.data_source", "swift-sdk"), "body[2].data.data_source")
    yield Mutation("version of the source", name, body("2.data.data_source_version", "1"), "body[2].data.data_source_version")
    yield Mutation("idempotence id no UUID", name, body("2.data.idempotence_id", "1"), "body[2].data.idempotence_id")
    yield Mutation("idempotence id twice", name, body("2.data.idempotence_id", uuid(101)), "body[2].data.idempotence_id")
    yield Mutation("list in data", name, body("2.data.price", [4.5]), "body[2].data.price")
    yield Mutation("map in data", name, body("2.data.price", {"eur": 4.5}), "body[2].data.price")
    yield Mutation("infinite number in data", name, replaced(b"4.5", b"1e999"), "body[2].data.price")
    yield Mutation("NaN in data", name, replaced(b"4.5", b"NaN"), "body")
    yield Mutation("member of the library's own data", name, body("0.data.user", "carla"), "body[0].data.user")
    for member in ("os", "os_version", "device_type", "model"):
        yield Mutation(f"device without {member}", name, without(f"1.data.{member}"), f"body[1].data.{member}")
    yield Mutation("unknown device", name, body("1.data.device_type", "Desktop"), "body[1].data.device_type")


def _eleven(call: Call) -> Call:
    changed = call.copy()
    for number in range(8):
        more = call.copy().document[2]
        more["data"]["idempotence_id"] = uuid(200 + number)
        changed.document.append(more)
    return changed


def _predictions() -> Iterator[Mutation]:
    name, where = "prediction", "body.instances[0]"
    attributes = f"{where}.attributes"
    yield Mutation("rule of nobody", name, both(path("/predict/9999"), body("instances.0.experimentId", "9999")), "path")
    yield Mutation("rule that asks nobody", name, both(path("/predict/9101"), body("instances.0.experimentId", "9101")), "path")
    yield Mutation("rule by its key", name,
                   both(path("/predict/ranking_bandit"), body("instances.0.experimentId", "ranking_bandit")), "path")
    yield Mutation("no rule in the path", name, path("/predict/"), "path")
    yield Mutation("other rule than the path", name, body("instances.0.experimentId", "9101"), f"{where}.experimentId")
    yield Mutation("no instances", name, without("instances"), "body.instances")
    yield Mutation("empty instances", name, body("instances", []), "body.instances")
    yield Mutation("two instances", name, body("instances", lambda found: found * 2), "body.instances")
    yield Mutation("instances as a map", name, body("instances", {}), "body.instances")
    yield Mutation("member beside instances", name, body("parameters", {}), "body.parameters")
    for member in ("visitorId", "experimentId", "attributes", "cmabUUID"):
        yield Mutation(f"no {member}", name, without(f"instances.0.{member}"), f"{where}.{member}")
        yield Mutation(f"null as {member}", name, body(f"instances.0.{member}", None), f"{where}.{member}")
        yield Mutation(f"number as {member}", name, body(f"instances.0.{member}", 7), f"{where}.{member}")
    yield Mutation("member of an instance", name, body("instances.0.region", "US"), f"{where}.region")
    yield Mutation("uuid of version 1", name, body("instances.0.cmabUUID", PREDICTION.replace("-4d", "-1d")), f"{where}.cmabUUID")
    yield Mutation("uuid without dashes", name, body("instances.0.cmabUUID", PREDICTION.replace("-", "")), f"{where}.cmabUUID")
    for member in ("id", "value", "type"):
        yield Mutation(f"attribute without {member}", name, without(f"instances.0.attributes.0.{member}"), f"{attributes}[0].{member}")
    for what, member, value in (
        ("attribute by its key", "id", "country"), ("attribute of another rule", "id", "503"), ("number as attribute", "id", 501),
        ("attribute of no project", "id", "599"), ("list as value", "value", ["de"]), ("large value", "value", 2**53 + 1),
        ("type of an event's attribute", "type", "custom"), ("unknown type", "type", "string")):
        yield Mutation(what, name, body(f"instances.0.attributes.0.{member}", value), f"{attributes}[0].{member}")
    yield Mutation("attribute twice", name, body("instances.0.attributes.1.id", "501"), f"{attributes}[1].id")
    yield Mutation("key of an attribute", name, body("instances.0.attributes.0.key", "country"), f"{attributes}[0].key")
    yield Mutation("attributes by name", name, body("instances.0.attributes", {"country": "de"}), attributes)


MUTATIONS: list[Mutation] = [
    *(mutation for builder in ("datafile", "secured", "impression", "conversion", "segments", "platform_events", "prediction")
      for mutation in of_every_request(builder)),
    *DATAFILES, *_head(), *_visitors(), *_attributes(), *_events(), *_decisions(), *_kinds(), *BANDITS, *_conversions(),
    *SEGMENTS, *_platform(), *_predictions(),
]
