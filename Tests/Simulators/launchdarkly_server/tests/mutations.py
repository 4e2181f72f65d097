"""Requests with one thing wrong: what it is, which correct request it spoils, how, and where the refusal must point."""

from __future__ import annotations

import gzip
from typing import Any, Iterator

from launchdarkly.tests.mutations import extended, repeated, reverse
from launchdarkly.tests.support import ANNA_HIDDEN, ANNA_TOLD, NOW, uuid
from loopback.calls import MISSING, Call, Change, body, bytes_of_body, header, method, path, query, twice
from loopback.spoiling import Mutation, both, lacking, place_of, replaced, wrong

from .support import BOB, custom, index

POSTS = ("events", "diagnostic_init", "diagnostic")
KINDS = ("index", "identify", "feature", "debug", "custom", "migration_op", "summary")
INDEX, IDENTIFY, FEATURE, DEBUG, CUSTOM, MIGRATION, SUMMARY = range(len(KINDS))
"""The places of the events in the payload of `support.events`."""


def of_every_request(builder: str) -> Iterator[Mutation]:
    """What is wrong with the headers, the method or the address of any request."""
    def headers(what: str, name: str, value: str | None) -> Mutation:
        return Mutation(what, builder, header(name, value), f"header {name}")

    for what, value in (("missing", None), ("that of a client", "api_key sdk-1"), ("a bearer's", "Bearer sdk-1"),
                        ("too long", "k" * 8193), ("no ASCII", "sdk-\u00fc")):
        yield headers(f"the key is {what}", "authorization", value)
    yield Mutation("key twice", builder, twice("Authorization"), "header authorization")
    for what, value in (("none", None), ("the transport's", "curl/8.5.0"), ("the client's", "HoistClient/0.1.0"),
                        ("without version", "HoistServer"), ("of two numbers", "HoistServer/0.1")):
        yield headers(f"the user agent is {what}", "user-agent", value)
    yield headers("a wrapper that was not named", "x-launchdarkly-wrapper", "shop/1.0")
    yield headers("tags that were not set", "x-launchdarkly-tags", "application-id/a")
    for what, value in (("missing", None), ("of version 1", uuid(1).replace("-4", "-1")), ("in braces", "{" + uuid(1) + "}")):
        yield headers(f"the instance id is {what}", "x-launchdarkly-instance-id", value)
    yield headers("a header of the vendor's that is none", "x-launchdarkly-sdk-key", "sdk-1")
    yield headers("cookie", "cookie", "a=b")
    yield headers("date", "if-modified-since", "Mon, 05 Jan 2026 10:00:00 GMT")
    yield Mutation("compressed body", builder, header("content-encoding", "gzip"), "header content-encoding",
                   frozenset({"body"} if builder in POSTS else ()))
    for what, pair in (("query", "v=1"), ("filter that was not set", "filter=mobile"), ("empty filter", "filter=")):
        yield Mutation(what, builder, query(add=pair), "query")
    for name in ("PUT", "REPORT"):
        yield Mutation(name, builder, method(name), "method")
    yield Mutation("path", builder, path("/nowhere"), "path")
    yield Mutation("a slash behind the path", builder, _with_slash, "path")
    if builder != "stream":
        yield headers("cache control", "cache-control", "no-cache")
        yield headers("event id", "last-event-id", "1")
    if builder != "poll":
        yield headers("entity tag", "if-none-match", '"1"')
    if builder != "events":
        yield headers("event schema", "x-launchdarkly-event-schema", "4")
        yield headers("payload id", "x-launchdarkly-payload-id", uuid(1))
    if builder in POSTS:
        yield from _of_every_body(builder)


def _with_slash(call: Call) -> Call:
    return path(call.path + "/")(call)


def _of_every_body(builder: str) -> Iterator[Mutation]:
    for what, value in (("no content type", None), ("charset", "application/json; charset=utf-8"), ("text", "text/plain")):
        yield Mutation(what, builder, header("content-type", value), "header content-type")
    yield Mutation("accept html", builder, header("accept", "text/html"), "header accept")
    yield Mutation("GET", builder, method("GET"), "method")
    yield Mutation("compressed all the same", builder, both(
        bytes_of_body(gzip.compress), header("Content-Encoding", "gzip")), "header content-encoding")
    for what, make in (("no body", lambda _: b""), ("cut body", lambda text: text[:-1]),
                       ("byte-order mark", lambda text: b"\xef\xbb\xbf" + text),
                       ("not UTF-8", lambda text: text.replace(b'"', b'"\xff', 1))):
        yield Mutation(what, builder, bytes_of_body(make), "body")


def of_flags() -> Iterator[Mutation]:
    """What is wrong with the head of a request for flags."""
    for what, value in (("no accept", None), ("accept anything", "*/*"), ("accept JSON", "application/json")):
        yield Mutation(what, "stream", header("accept", value), "header accept")
    for what, value in (("no cache control", None), ("other cache control", "no-store")):
        yield Mutation(what, "stream", header("cache-control", value), "header cache-control")
    for what, value in (("empty event id", ""), ("event id that was never sent", "7")):
        yield Mutation(what, "stream", header("last-event-id", value), "header last-event-id")
    yield Mutation("accept html", "poll", header("accept", "text/html"), "header accept")
    for what, value in (("no coding", None), ("another coding", "br"), ("no coding at all", "identity")):
        yield Mutation(what, "poll", header("accept-encoding", value), "header accept-encoding")
    for what, value in (("empty tag", ""), ("tag that was never sent", '"1"')):
        yield Mutation(what, "poll", header("if-none-match", value), "header if-none-match")
    for builder, old in (("stream", ("/flags", "/meval", "/all/e30=")), ("poll", ("/sdk/latest-flags", "/latest-all", "/sdk/flags"))):
        yield Mutation("body on a GET", builder, bytes_of_body(lambda _: b"{}"), "body")
        yield Mutation("content type on a GET", builder, header("content-type", "application/json"), "header content-type")
        for one in old:
            yield Mutation(f"path {one}", builder, path(one), "path")


def _event(what: str, place: int, at: str, value: Any, complains: str | None = None) -> Mutation:
    return wrong("events", f"{KINDS[place]}: {what}", f"{place}.{at}", value, complains and place_of(f"{place}.{complains}"))


def of_events() -> Iterator[Mutation]:
    yield from _payloads()
    yield from _every_event()
    yield from _introductions()
    yield from _evaluations()
    yield from _contexts()
    yield from _migrations()
    yield from _summaries()


def _payloads() -> Iterator[Mutation]:
    for what, value in (("no schema", None), ("schema 3", "3"), ("schema 4.0", "4.0")):
        yield Mutation(what, "events", header("X-LaunchDarkly-Event-Schema", value), "header x-launchdarkly-event-schema")
    for what, value in (("no", None), ("a number as", "17"), ("an empty", ""), ("a version 1", uuid(1).replace("-4", "-1"))):
        yield Mutation(f"{what} payload id", "events", header("X-LaunchDarkly-Payload-Id", value),
                       "header x-launchdarkly-payload-id")
    for old in ("/mobile/events/bulk", "/bulk/1", "/events/bulk"):
        yield Mutation(f"path {old}", "events", path(old), "path")
    yield Mutation("nothing", "events", bytes_of_body(lambda _: b"[]"), "body")
    yield Mutation("an object", "events", bytes_of_body(lambda _: b"{}"), "body")
    yield Mutation("more than the capacity", "events", extended([index(), *[custom()] * 9_995]), "body",
                   frozenset({"body[9996].context"}))
    yield Mutation("two summaries", "events", repeated(SUMMARY), "body")
    yield Mutation("summary first", "events", reverse, "body")
    yield Mutation("NaN", "events", replaced(b"19.5", b"NaN"), "body")
    yield Mutation("a name twice", "events", replaced(b'"kind": "identify"', b'"kind": "identify", "kind": "identify"'), "body")


def _every_event() -> Iterator[Mutation]:
    common = ("creationDate", "context")
    required = {INDEX: common, IDENTIFY: common, FEATURE: ("key", "value", "version", *common),
                DEBUG: ("key", "value", "version", *common), CUSTOM: ("key", *common),
                MIGRATION: ("operation", "evaluation", "measurements", *common), SUMMARY: ("startDate", "endDate", "features")}
    for place, names in required.items():
        for name in names:
            yield lacking("events", f"{place}.{name}")
        for kind in ("alias", "Feature", None, 7):
            yield _event(f"{kind} as kind", place, "kind", kind)
        yield _event("a user besides", place, "user", {"key": "anna"})
        yield _event("a ratio of counting", place, "excludeFromSummaries", False)
        if place != SUMMARY:
            yield _event("keys of the context", place, "contextKeys", {"user": "anna"})
            for what, value in (("seconds", NOW // 1000), ("a fraction", NOW + 0.5), ("text", str(NOW)),
                                ("a day old and more", NOW - 86_400_001), ("the future", NOW + 60_001)):
                yield _event(f"time is {what}", place, "creationDate", value)
    yield _event("a key", INDEX, "key", "anna")
    yield _event("a value", IDENTIFY, "value", 1)
    yield _event("null data", CUSTOM, "data", None)
    yield _event("text as metric value", CUSTOM, "metricValue", "19.5")
    yield _event("null metric value", CUSTOM, "metricValue", None)
    yield _event("url", CUSTOM, "url", "https://example.com")
    yield _event("number as key", CUSTOM, "key", 1)


def _introductions() -> Iterator[Mutation]:
    def order(*places: int) -> Change:
        def change(call: Call) -> Call:
            changed = call.copy()
            changed.document = [call.document[place] for place in places]
            return changed

        return change

    yield Mutation("no index", "events", order(FEATURE, SUMMARY), "body[0].context")
    yield Mutation("index behind the event", "events", order(CUSTOM, INDEX), "body[0].context", frozenset({"body[1].context"}))
    yield Mutation("no index before a debug event", "events", order(DEBUG), "body[0].context")
    yield Mutation("index twice", "events", order(INDEX, INDEX), "body[1].context")
    yield Mutation("index after a migration", "events", order(MIGRATION, INDEX), "body[1].context")
    yield Mutation("index after an identification", "events", both(
        order(IDENTIFY, INDEX), body("1.context", BOB)), "body[1].context")


def _evaluations() -> Iterator[Mutation]:
    for place in (FEATURE, DEBUG):
        yield _event("a flag that is none", place, "key", "nowhere")
        yield _event("a version that never was", place, "version", 99)
        yield _event("text as version", place, "version", "4")
        yield _event("a variation that never was", place, "variation", 7)
        yield _event("null as variation", place, "variation", None)
        yield _event("a value that never was", place, "value", "Moin")
        yield _event("a value of another variation", place, "variation", 1 if place == FEATURE else 0, "value")
        yield _event("neither variation nor default", place, "variation", MISSING, "value")
        yield _event("sampling", place, "samplingRatio", 1)
        yield wrong("events", f"{KINDS[place]}: the flag behind, which does not ask", f"{place}.prereqOf", "theme", None,
                    f"body[{place}].default")
        yield _event("text as reason", place, "reason", "FALLTHROUGH")
        for what, reason, at in (
                ("of no kind", {"kind": "WHIM"}, ".kind"),
                ("of an error of no kind", {"kind": "ERROR", "errorKind": "OOPS"}, ".errorKind"),
                ("that the flag has not", {"kind": "OFF"}, ""), ("of a target that is none", {"kind": "TARGET_MATCH"}, ""),
                ("of a rule that is none", {"kind": "RULE_MATCH", "ruleIndex": 5, "ruleId": "r2"}, ""),
                ("of a rule of another id", {"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r9"}, ""),
                ("of a rule without its id", {"kind": "RULE_MATCH", "ruleIndex": 0}, ""),
                ("of no prerequisite", {"kind": "PREREQUISITE_FAILED", "prerequisiteKey": "theme"}, ""),
                ("with a false mark", {"kind": "FALLTHROUGH", "inExperiment": False}, ".inExperiment"),
                ("with a mark where none is", {"kind": "OFF", "inExperiment": True}, ".inExperiment"),
                ("with a rule where none is", {"kind": "FALLTHROUGH", "ruleIndex": 0}, ".ruleIndex"),
                ("with a status of no kind", {"kind": "FALLTHROUGH", "bigSegmentsStatus": "OK"}, ".bigSegmentsStatus")):
            yield _event(f"a reason {what}", place, "reason", reason, f"reason{at}")
    yield _event("a prerequisite with a default", FEATURE, "default", "none")
    untracked = both(body(f"{FEATURE}.prereqOf", MISSING), body(f"{FEATURE}.reason", MISSING))
    yield Mutation("of a flag that is not tracked", "events", both(
        untracked, body(f"{FEATURE}.key", "dark-mode"), body(f"{FEATURE}.version", 3), body(f"{FEATURE}.value", True)),
        f"body[{FEATURE}]")
    yield Mutation("of an experiment without its reason", "events", both(
        untracked, body(f"{FEATURE}.key", "trial"), body(f"{FEATURE}.version", 2), body(f"{FEATURE}.value", "a")),
        f"body[{FEATURE}]")
    yield Mutation("of a flag that is never sampled", "events", both(
        untracked, body(f"{FEATURE}.key", "quiet"), body(f"{FEATURE}.version", 1), body(f"{FEATURE}.value", 1)),
        f"body[{FEATURE}]")
    yield Mutation("of a flag that is not debugged", "events", both(
        body(f"{DEBUG}.key", "banner"), body(f"{DEBUG}.version", 4), body(f"{DEBUG}.value", "Bye")), f"body[{DEBUG}]")
    yield Mutation("0 for false", "events", body(f"{DEBUG}.value", 0), f"body[{DEBUG}].value")


def _contexts() -> Iterator[Mutation]:
    for place in (INDEX, FEATURE, DEBUG, CUSTOM, MIGRATION):
        told = ANNA_TOLD if place in (INDEX, DEBUG) else ANNA_HIDDEN
        yield _event("a private attribute", place, "context.email", "anna@example.com", "context")
        yield _event("private attributes", place, "context._meta.privateAttributes", ["email"])
        yield _event("no redaction mark", place, "context._meta", MISSING, "context")
        yield _event("empty meta", place, "context._meta", {}, "context._meta.redactedAttributes")
        yield _event("another redaction mark", place, "context._meta.redactedAttributes", ["mail"], "context")
        yield _event("no kind", place, "context.kind", MISSING)
        yield _event("no key", place, "context.key", MISSING)
        yield _event("false anonymous", place, "context.anonymous", False)
        yield _event("an attribute more", place, "context", {**told, "age": 30})
        yield _event("text as context", place, "context", "anna")
        other = ANNA_HIDDEN if place in (INDEX, DEBUG) else ANNA_TOLD
        yield _event("redaction of another kind of event", place, "context", other)


def _migrations() -> Iterator[Mutation]:
    def migration(what: str, at: str, value: Any, complains: str | None = None) -> Mutation:
        return _event(what, MIGRATION, at, value, complains)

    yield migration("an operation of no kind", "operation", "copy")
    for name in ("key", "default", "value", "reason"):
        yield lacking("events", f"{MIGRATION}.evaluation.{name}")
    yield migration("a stage that is none", "evaluation.value", "dark")
    yield migration("a default that is none", "evaluation.default", None)
    yield migration("a stage of another variation", "evaluation.value", "shadow")
    yield migration("a version that never was", "evaluation.version", 5)
    yield migration("a variation without version", "evaluation.version", MISSING)
    yield migration("a variation that never was", "evaluation.variation", 8)
    yield migration("no variation and no default", "evaluation.variation", MISSING, "evaluation.value")
    yield migration("a reason that the flag has not", "evaluation.reason", {"kind": "OFF"})
    yield migration("no ratio", "samplingRatio", MISSING)
    yield migration("another ratio", "samplingRatio", 5)
    yield migration("no ratio of checks", "measurements.1.samplingRatio", MISSING)
    yield migration("another ratio of checks", "measurements.1.samplingRatio", 2)
    yield migration("no measurement", "measurements", [])
    yield migration("a measurement of no kind", "measurements.0.key", "speed")
    yield migration("nothing invoked", "measurements", lambda found: found[1:2], "measurements")
    yield migration("one origin, and consistent", "measurements", lambda found: [
        {"key": "invoked", "values": {"new": True}}, found[1]], "measurements.1")
    yield migration("measured twice", "measurements", lambda found: [*found, found[3]], "measurements")
    yield migration("an origin that is none", "measurements.0.values.newer", True)
    yield migration("not invoked", "measurements.0.values.old", False)
    yield migration("empty values", "measurements.3.values", {})
    yield migration("no error", "measurements.3.values.new", False)
    yield migration("text as latency", "measurements.2.values.old", "12.5")
    yield migration("negative latency", "measurements.2.values.old", -1)
    yield migration("number as consistent", "measurements.1.value", 1)
    yield migration("error of what was not invoked", "measurements", lambda found: [
        {"key": "invoked", "values": {"old": True}}, found[3]], "measurements.1.values.new")


def _summaries() -> Iterator[Mutation]:
    banner, nowhere, size = (f"{SUMMARY}.features.{name}" for name in ("banner", "nowhere", "page-size"))
    counter = f"{banner}.counters.0"

    def summary(what: str, at: str, value: Any, complains: str | None = None) -> Mutation:
        return wrong("events", f"summary: {what}", at, value, complains and place_of(complains))

    yield summary("start after the end", f"{SUMMARY}.startDate", NOW)
    yield wrong("events", "summary: end in seconds", f"{SUMMARY}.endDate", NOW // 1000, None, f"body[{SUMMARY}].startDate")
    yield summary("end in the future", f"{SUMMARY}.endDate", NOW + 60_001)
    yield summary("no features", f"{SUMMARY}.features", {})
    yield summary("a context", f"{SUMMARY}.context", ANNA_HIDDEN)
    yield summary("a creation date", f"{SUMMARY}.creationDate", NOW)
    for name in ("contextKinds", "counters"):
        yield lacking("events", f"{banner}.{name}")
        yield summary(f"empty {name}", f"{banner}.{name}", [])
    yield summary("a kind twice", f"{banner}.contextKinds", ["user", "user"])
    yield summary("multi as kind", f"{banner}.contextKinds", ["multi"])
    for name in ("value", "count"):
        yield lacking("events", f"{counter}.{name}")
    for value in (0, -1, 1.5, "2", True):
        yield summary(f"count {value!r}", f"{counter}.count", value)
    yield lacking("events", f"{counter}.version")
    yield wrong("events", "summary: known and unknown", f"{counter}.unknown", True, None, f"{place_of(counter)}.variation")
    yield summary("a variation of no flag", f"{nowhere}.counters.0.variation", 0)
    yield summary("not unknown", f"{nowhere}.counters.0.unknown", False)
    yield summary("version that never was", f"{counter}.version", 99)
    yield summary("variation that never was", f"{counter}.variation", 5)
    yield summary("null variation", f"{counter}.variation", None)
    yield summary("value of another variation", f"{size}.counters.0.value", 10)
    yield summary("reason", f"{counter}.reason", {"kind": "FALLTHROUGH"})
    yield summary("a counter twice", f"{banner}.counters", lambda found: [*found, found[0]], f"{banner}.counters.1")
    yield summary("a flag that is not to be counted", f"{SUMMARY}.features.quiet", {
        "contextKinds": ["user"], "counters": [{"value": 1, "variation": 0, "version": 1, "count": 1}]},
        f"{SUMMARY}.features.quiet.counters.0")


def of_diagnostics() -> Iterator[Mutation]:
    for builder, kind in (("diagnostic_init", "diagnostic-init"), ("diagnostic", "diagnostic")):
        for name in ("creationDate", "id"):
            yield lacking(builder, name)
        yield wrong(builder, "another kind", "kind", "diagnostic-combined")
        yield wrong(builder, "null as kind", "kind", None)
        yield wrong(builder, "member", "note", kind)
        yield wrong(builder, "time in seconds", "creationDate", NOW // 1000, None, "body.dataSinceDate")
        yield wrong(builder, "suffix of another key", "id.sdkKeySuffix", "123456")
        yield wrong(builder, "the whole key", "id.sdkKeySuffix", "sdk-11111111-2222-4333-8444-555555abcdef")
        yield wrong(builder, "id that is no UUID", "id.diagnosticId", "1")
        yield Mutation("a list", builder, bytes_of_body(lambda text: b"[" + text + b"]"), "body")
        yield Mutation("path of events", builder, path("/bulk"), "body", frozenset({
            "header x-launchdarkly-event-schema", "header x-launchdarkly-payload-id"}))
    for name in ("sdk", "configuration", "platform", "sdk.version", "configuration.userKeysCapacity",
                 "configuration.dataStoreType", "configuration.socketTimeoutMillis", "platform.osArch"):
        yield lacking("diagnostic_init", name)
    yield wrong("diagnostic_init", "text as truth", "configuration.usingProxy", "false")
    yield wrong("diagnostic_init", "seconds with a fraction", "configuration.pollingIntervalMillis", 30.5)
    yield wrong("diagnostic_init", "another store", "configuration.dataStoreType", "redis")
    yield wrong("diagnostic_init", "null wrapper", "sdk.wrapperName", None)
    for name in ("dataSinceDate", "droppedEvents", "deduplicatedUsers", "eventsInLastBatch", "streamInits", "streamInits.0.failed"):
        yield lacking("diagnostic", name)
    yield wrong("diagnostic", "begun after the end", "dataSinceDate", NOW)
    yield wrong("diagnostic", "negative count", "deduplicatedUsers", -1)
    yield wrong("diagnostic", "duration with a fraction", "streamInits.0.durationMillis", 0.5)
