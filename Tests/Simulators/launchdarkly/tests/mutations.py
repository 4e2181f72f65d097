"""Requests with one thing wrong: what it is, which correct request it spoils, how, and where the refusal must point."""

from __future__ import annotations

import gzip
import json
from typing import Any, Callable, Iterator

from loopback.calls import MISSING, Call, Change, body, bytes_of_body, header, method, path, query, twice
from loopback.spoiling import Mutation, both, lacking, place_of, replaced, wrong

from .support import ANNA, ANNA_HIDDEN, ANNA_TOLD, BOTH, NOW, compact, custom, segment, uuid

POSTS = ("events", "diagnostic_init", "diagnostic")
REPORTS = ("stream_report", "poll_report")
KINDS = ("identify", "feature", "debug", "custom", "summary")
IDENTIFY, FEATURE, DEBUG, CUSTOM, SUMMARY = range(len(KINDS))
"""The places of the events in the payload of `support.events`."""


def of_every_request(builder: str) -> Iterator[Mutation]:
    """What is wrong with the headers, the method or the address of any request."""
    def headers(what: str, name: str, value: str | None) -> Mutation:
        return Mutation(what, builder, header(name, value), f"header {name}")

    for what, value in (("missing", None), ("bare", "mob-1"), ("a bearer's", "Bearer mob-1"), ("empty", "api_key "),
                        ("in other case", "API_KEY mob-1"), ("after two blanks", "api_key  mob-1")):
        yield headers(f"the key is {what}", "authorization", value)
    yield Mutation("key twice", builder, twice("Authorization"), "header authorization")
    yield headers("no user agent", "user-agent", None)
    yield headers("user agent of the transport", "user-agent", "curl/8.5.0")
    yield headers("user agent of another library", "user-agent", "hoist/0.1.0")
    yield headers("user agent without version", "user-agent", "HoistClient")
    yield headers("a wrapper that nobody named", "x-launchdarkly-wrapper", "flutter/1.0")
    yield headers("tags that nobody set", "x-launchdarkly-tags", "application-id/a")
    yield headers("instance id of UUID version 1", "x-launchdarkly-instance-id", uuid(1).replace("-4", "-1"))
    yield headers("instance id in braces", "x-launchdarkly-instance-id", "{" + uuid(1) + "}")
    yield headers("a header of the vendor's that is none", "x-launchdarkly-mobile-key", "mob-1")
    yield headers("cookie", "cookie", "a=b")
    yield headers("date", "if-modified-since", "Mon, 05 Jan 2026 10:00:00 GMT")
    yield Mutation("compressed body", builder, header("content-encoding", "gzip"), "header content-encoding",
                   frozenset({"body"} if builder in POSTS else ()))
    yield Mutation("query", builder, query(add="v=1"), "query")
    yield Mutation("reasons that nobody wants", builder, query(add="withReasons=true"), "query")
    yield Mutation("PUT", builder, method("PUT"), "method")
    yield Mutation("path", builder, path("/nowhere"), "path")
    if not builder.startswith("stream"):
        yield headers("cache control", "cache-control", "no-cache")
        yield headers("event id", "last-event-id", "1")
    if not builder.startswith("poll"):
        yield headers("entity tag", "if-none-match", '"1"')
    if builder != "events":
        yield headers("event schema", "x-launchdarkly-event-schema", "4")
        yield headers("payload id", "x-launchdarkly-payload-id", uuid(1))
    if builder in (*POSTS, *REPORTS):
        yield from _of_every_body(builder, headers)


def _of_every_body(builder: str, headers: Callable[[str, str, str | None], Mutation]) -> Iterator[Mutation]:
    yield headers("no content type", "content-type", None)
    yield headers("content type with charset", "content-type", "application/json; charset=utf-8")
    yield Mutation("content type twice", builder, twice("Content-Type"), "header content-type")
    yield Mutation("GET", builder, method("GET"), "method" if builder in (*POSTS, *REPORTS) else "path")
    for what, make in (("no body", lambda _: b""), ("cut body", lambda text: text[:-1]),
                       ("byte-order mark", lambda text: b"\xef\xbb\xbf" + text),
                       ("not UTF-8", lambda text: text.replace(b'"', b'"\xff', 1))):
        yield Mutation(what, builder, bytes_of_body(make), "body")


def of_flags() -> Iterator[Mutation]:
    """What is wrong with the head of a request for flags."""
    for builder in ("stream", "stream_report"):
        for what, value in (("no accept", None), ("accept anything", "*/*"), ("accept JSON", "application/json")):
            yield Mutation(what, builder, header("accept", value), "header accept")
        for what, cached in (("no cache control", None), ("other cache control", "no-store")):
            yield Mutation(what, builder, header("cache-control", cached), "header cache-control")
        for what, last in (("empty event id", ""), ("event id that was never sent", "7")):
            yield Mutation(what, builder, header("last-event-id", last), "header last-event-id")
    for builder in ("poll", "poll_report"):
        yield Mutation("accept html", builder, header("accept", "text/html"), "header accept")
        for what, tag in (("empty tag", ""), ("tag that was never sent", '"1"')):
            yield Mutation(what, builder, header("if-none-match", tag), "header if-none-match")
    yield Mutation("content type on a GET", "poll", header("content-type", "application/json"), "header content-type")
    yield Mutation("body on a GET", "poll", bytes_of_body(lambda _: b"{}"), "body")
    yield Mutation("body on a GET", "stream", bytes_of_body(lambda _: b"{}"), "body")
    for old in ("/msdk/evalx/users/", "/msdk/evalx/user/", "/msdk/evalx/context/", "/sdk/evalx/env/contexts/"):
        yield Mutation(f"path {old}", "poll", path(old + segment(compact(BOTH))), "path")
    yield Mutation("stream of a browser", "stream", path("/eval/env/" + segment(compact(ANNA))), "path")
    for builder, base in (("stream", "/meval/"), ("poll", "/msdk/evalx/contexts/")):
        text = compact(ANNA)
        yield Mutation("no context", builder, path(base), "path")
        yield Mutation("a slash behind the context", builder, path(base + segment(text) + "/"), "path")
        yield Mutation("no padding", builder, path(base + segment(compact(BOTH)).rstrip("=") + "AA"), "path")
        yield Mutation("padding as an escape", builder, path(base + segment(text).replace("=", "%3D") + "%3D"), "path")
        yield Mutation("bits to spare", builder, path(base + "eyJ9ZZ=="), "path")
        yield Mutation("plain JSON", builder, path(base + "{}"), "path")
        standard = segment(compact({"kind": "user", "key": "~~~???>>>"})).replace("-", "+").replace("_", "/")
        assert "+" in standard or "/" in standard
        yield Mutation("the standard alphabet", builder, path(base + standard), "path")


def _context(what: str, document: Any, place: str = "context", text: str | None = None) -> Iterator[Mutation]:
    """The same wrong context in the address and in a body."""
    sent = compact(document) if text is None else text
    for builder, base in (("stream", "/meval/"), ("poll", "/msdk/evalx/contexts/")):
        yield Mutation(what, builder, path(base + segment(sent)), place)
    for builder in REPORTS:
        yield Mutation(what, builder, bytes_of_body(lambda _: sent.encode()), place)


def of_contexts() -> Iterator[Mutation]:
    yield from _context("a list", [ANNA])
    yield from _context("no JSON", None, "body", "{'kind':'user'}")
    yield from _context("a name twice", None, "body", '{"key":"a","key":"a","kind":"user"}')
    yield from _context("blanks", None, text=json.dumps(ANNA, sort_keys=True))
    yield from _context("members out of order", None, text='{"kind":"user","key":"anna"}')
    yield from _context("inner members out of order", None, "context.a", '{"a":{"c":1,"b":2},"key":"anna","kind":"user"}')
    yield from _context("a whole number with a fraction", None, text='{"age":30.0,"key":"anna","kind":"user"}')
    for what, kind in (("no kind", None), ("a kind with a blank", "a b"), ("the kind kind", "kind"), ("a number", 1),
                       ("an empty kind", "")):
        document = {"key": "a"} if kind is None else {"key": "a", "kind": kind}
        yield from _context(f"{what} as kind", document, "context.kind")
    yield from _context("no key", {"kind": "user"}, "context.key")
    yield from _context("an empty key of an org", {"kind": "org", "key": ""}, "context.key")
    yield from _context("a number as key", {"kind": "user", "key": 7}, "context.key")
    yield from _context("false anonymous", {**ANNA, "anonymous": False}, "context.anonymous")
    yield from _context("a number as name", {**ANNA, "name": 1}, "context.name")
    yield from _context("a null attribute", {**ANNA, "plan": None}, "context.plan")
    yield from _context("an empty attribute name", {**ANNA, "": 1})
    yield from _context("empty meta", {**ANNA, "_meta": {}}, "context._meta.privateAttributes")
    names = "context._meta.privateAttributes"
    yield from _context("no private attribute", {**ANNA, "_meta": {"privateAttributes": []}}, names)
    yield from _context("unsorted private attributes", {**ANNA, "_meta": {"privateAttributes": ["b", "a"]}}, names)
    redacted = {**ANNA, "_meta": {"privateAttributes": ["a"], "redactedAttributes": ["a"]}}
    yield from _context("redacted towards the service", redacted, "context._meta.redactedAttributes")
    yield from _context("one part of many", {"kind": "multi", "org": {"key": "o"}})
    yield from _context("a text as part", {**BOTH, "org": "o"}, "context.org")
    yield from _context("a part without key", {**BOTH, "org": {}}, "context.org.key")
    yield from _context("a part with kind", {**BOTH, "org": {"key": "o", "kind": "org"}}, "context.org.kind")
    yield from _context("a part of no kind", {**BOTH, "a b": {"key": "o"}}, "context.a b")


def _event(what: str, index: int, at: str, value: Any, place: str | None = None) -> Mutation:
    return wrong("events", f"{KINDS[index]}: {what}", f"{index}.{at}", value, place and place_of(f"{index}.{place}"))


def of_events() -> Iterator[Mutation]:
    yield from _payloads()
    yield from _every_event()
    yield from _evaluations()
    yield from _contexts_of_events()
    yield from _summaries()


def _payloads() -> Iterator[Mutation]:
    schema, payload = "header x-launchdarkly-event-schema", "header x-launchdarkly-payload-id"
    for what, value in (("no schema", None), ("schema 3", "3"), ("schema 4.0", "4.0")):
        yield Mutation(what, "events", header("X-LaunchDarkly-Event-Schema", value), schema)
    for what, value in (("no payload id", None), ("payload id of version 1", uuid(1).replace("-4", "-1")),
                        ("payload id that is a number", "17"), ("empty payload id", "")):
        yield Mutation(what, "events", header("X-LaunchDarkly-Payload-Id", value), payload)
    for what, accept in (("no accept", None), ("accept anything", "*/*")):
        for builder in POSTS:
            yield Mutation(what, builder, header("accept", accept), "header accept")
    for old in ("/mobile", "/mobile/events", "/mobile/events/bulk/", "/bulk"):
        yield Mutation(f"path {old}", "events", path(old), "path")
    yield Mutation("compressed all the same", "events", both(
        bytes_of_body(gzip.compress), header("Content-Encoding", "gzip")), "header content-encoding")
    yield Mutation("nothing", "events", bytes_of_body(lambda _: b"[]"), "body")
    yield Mutation("an object", "events", bytes_of_body(lambda _: b"{}"), "body")
    yield Mutation("more than the capacity", "events", extended([custom()] * 97), "body")
    yield Mutation("two summaries", "events", repeated(SUMMARY), "body")
    yield Mutation("summary first", "events", reverse, "body")
    yield Mutation("NaN", "events", replaced(b"19.5", b"NaN"), "body")
    yield Mutation("a name twice", "events", replaced(b'"kind": "identify"', b'"kind": "identify", "kind": "identify"'),
                   "body")


def extended(more: list[Any]) -> Change:
    def change(call: Call) -> Call:
        changed = call.copy()
        changed.document = [*more, *changed.document]
        return changed

    return change


def repeated(index: int) -> Change:
    def change(call: Call) -> Call:
        changed = call.copy()
        changed.document.append(call.document[index])
        return changed

    return change


def reverse(call: Call) -> Call:
    changed = call.copy()
    changed.document.reverse()
    return changed


def _every_event() -> Iterator[Mutation]:
    required = {IDENTIFY: ("creationDate", "context"), FEATURE: ("key", "creationDate", "context", "value"),
                DEBUG: ("key", "creationDate", "context", "value"), CUSTOM: ("key", "creationDate", "context"),
                SUMMARY: ("startDate", "endDate", "features")}
    for index, names in required.items():
        for name in names:
            yield lacking("events", f"{index}.{name}")
        for kind in ("index", "alias", "Feature", None, 7):
            yield _event(f"{kind} as kind", index, "kind", kind)
        yield _event("a user besides", index, "user", {"key": "anna"})
        yield _event("sampling", index, "samplingRatio", 1)
        if index != SUMMARY:
            yield _event("keys of the context", index, "contextKeys", {"user": "anna"})
            for what, value in (("seconds", NOW // 1000), ("a fraction", NOW + 0.5), ("text", str(NOW)),
                                ("a day old and more", NOW - 86_400_001), ("the future", NOW + 60_001)):
                yield _event(f"time is {what}", index, "creationDate", value)
    yield _event("key of another", IDENTIFY, "key", "bob")
    yield _event("a value", IDENTIFY, "value", 1)
    yield _event("null data", CUSTOM, "data", None)
    yield _event("text as metric value", CUSTOM, "metricValue", "19.5")
    yield _event("null metric value", CUSTOM, "metricValue", None)
    yield _event("url", CUSTOM, "url", "https://example.com")
    yield _event("number as key", CUSTOM, "key", 1)


def _evaluations() -> Iterator[Mutation]:
    for index in (FEATURE, DEBUG):
        yield _event("a flag that is none", index, "key", "nowhere")
        yield _event("a version that never was", index, "version", 99)
        yield _event("text as version", index, "version", "4")
        yield _event("a variation that never was", index, "variation", 7)
        yield _event("null as variation", index, "variation", None)
        yield _event("a value that never was", index, "value", "Bye")
        yield _event("the flag behind", index, "prereqOf", "checkout")
        yield _event("a reason of no kind", index, "reason", {"kind": "WHIM"}, "reason.kind")
        yield _event("a reason that is text", index, "reason", "FALLTHROUGH")
        yield _event("a reason that was never served", index, "reason", {"kind": "OFF"})
        yield _event("an error of no kind", index, "reason", {"kind": "ERROR", "errorKind": "OOPS"}, "reason.errorKind")
    yield Mutation("of a flag that is not tracked", "events", both(
        body("1.key", "dark-mode"), body("1.version", 2), body("1.value", True), body("1.reason", MISSING)), "body[1]")
    yield Mutation("of a flag that is not debugged", "events", both(
        body("2.key", "banner"), body("2.version", 4), body("2.variation", 0), body("2.value", "Hello")), "body[2]")
    yield Mutation("1 for true", "events", both(
        body("2.value", 0), body("2.default", 1)), "body[2].value")
    yield Mutation("version of the flag's environment", "events", both(
        body("1.key", "theme"), body("1.version", 9)), "body[1].version")


def _contexts_of_events() -> Iterator[Mutation]:
    for index in (IDENTIFY, FEATURE, DEBUG, CUSTOM):
        told = ANNA_HIDDEN if index == FEATURE else ANNA_TOLD
        yield _event("a private attribute", index, "context.email", "anna@example.com", "context")
        yield _event("private attributes", index, "context._meta.privateAttributes", ["email"])
        yield _event("no redaction mark", index, "context._meta", MISSING, "context")
        yield _event("empty meta", index, "context._meta", {}, "context._meta.redactedAttributes")
        yield _event("nothing redacted", index, "context._meta.redactedAttributes", [])
        yield _event("another redaction mark", index, "context._meta.redactedAttributes", ["mail"], "context")
        yield _event("no kind", index, "context.kind", MISSING)
        yield _event("no key", index, "context.key", MISSING)
        yield _event("false anonymous", index, "context.anonymous", False)
        yield _event("an attribute more", index, "context", {**told, "age": 30})
        yield _event("text as context", index, "context", "anna")
    yield _event("an attribute of somebody anonymous", FEATURE, "context", ANNA_TOLD)
    for index in (IDENTIFY, DEBUG, CUSTOM):
        yield _event("an attribute missing", index, "context", ANNA_HIDDEN)


def _summaries() -> Iterator[Mutation]:
    banner, nowhere, dark = (f"{SUMMARY}.features.{name}" for name in ("banner", "nowhere", "dark-mode"))
    counter = f"{banner}.counters.0"

    def summary(what: str, at: str, value: Any, place: str | None = None) -> Mutation:
        return wrong("events", f"summary: {what}", at, value, place and place_of(place))

    yield summary("start after the end", f"{SUMMARY}.startDate", NOW)
    yield wrong("events", "summary: end in seconds", f"{SUMMARY}.endDate", NOW // 1000, None, f"body[{SUMMARY}].startDate")
    yield summary("end in the future", f"{SUMMARY}.endDate", NOW + 60_001)
    yield summary("no features", f"{SUMMARY}.features", {})
    yield summary("features in a list", f"{SUMMARY}.features", [])
    yield summary("a context", f"{SUMMARY}.context", ANNA_HIDDEN)
    yield summary("a creation date", f"{SUMMARY}.creationDate", NOW)
    for name in ("contextKinds", "counters"):
        yield lacking("events", f"{banner}.{name}")
        yield summary(f"empty {name}", f"{banner}.{name}", [])
    yield summary("a kind twice", f"{banner}.contextKinds", ["user", "user"])
    yield summary("multi as kind", f"{banner}.contextKinds", ["multi"])
    yield summary("a kind with a blank", f"{banner}.contextKinds", ["a b"], f"{banner}.contextKinds.0")
    yield summary("null default", f"{banner}.default", None)
    yield summary("the key again", f"{banner}.key", "banner")
    for name in ("value", "count"):
        yield lacking("events", f"{counter}.{name}")
    for value in (0, -1, 1.5, "2", True):
        yield summary(f"count {value!r}", f"{counter}.count", value)
    yield lacking("events", f"{counter}.version")
    yield summary("known and unknown", f"{counter}.unknown", True)
    yield summary("not unknown", f"{nowhere}.counters.0.unknown", False)
    yield summary("version that never was", f"{counter}.version", 99)
    yield summary("variation that never was", f"{counter}.variation", 5)
    yield summary("null variation", f"{counter}.variation", None)
    yield summary("version of the environment", f"{dark}.counters.0.version", 3)
    yield summary("reason", f"{counter}.reason", {"kind": "FALLTHROUGH"})
    yield summary("a counter twice", f"{banner}.counters", lambda found: [*found, {**found[0], "value": "Hi"}],
                  f"{banner}.counters.1")


def of_diagnostics() -> Iterator[Mutation]:
    for builder, kind in (("diagnostic_init", "diagnostic-init"), ("diagnostic", "diagnostic")):
        for name in ("creationDate", "id"):
            yield lacking(builder, name)
        yield wrong(builder, "another kind", "kind", "diagnostic-combined")
        yield wrong(builder, "null as kind", "kind", None)
        yield wrong(builder, "member", "note", kind)
        yield wrong(builder, "time in seconds", "creationDate", NOW // 1000, None, "body.dataSinceDate")
        yield wrong(builder, "suffix of another key", "id.sdkKeySuffix", "123456")
        yield wrong(builder, "the whole key", "id.sdkKeySuffix", "mob-11111111-2222-4333-8444-555555abcdef")
        yield wrong(builder, "id that is no UUID", "id.diagnosticId", "1")
        for what, make in (("a list", lambda text: b"[" + text + b"]"), ("null", lambda _: b"null")):
            yield Mutation(what, builder, bytes_of_body(make), "body")
        yield Mutation("path of events", builder, path("/mobile/events/bulk"), "body", frozenset({
            "header x-launchdarkly-event-schema", "header x-launchdarkly-payload-id"}))
    for name in ("sdk", "configuration", "platform", "sdk.version", "configuration.useReport",
                 "configuration.maxCachedContexts", "platform.systemName"):
        yield lacking("diagnostic_init", name)
    yield wrong("diagnostic_init", "member of the configuration", "configuration.pollingDisabled", True)
    yield wrong("diagnostic_init", "text as truth", "configuration.useReport", "false")
    yield wrong("diagnostic_init", "less than -1 contexts", "configuration.maxCachedContexts", -2)
    yield wrong("diagnostic_init", "no key", "configuration.mobileKeyCount", 0)
    yield wrong("diagnostic_init", "null wrapper", "sdk.wrapperName", None)
    for name in ("dataSinceDate", "droppedEvents", "eventsInLastBatch", "streamInits", "streamInits.0.failed"):
        yield lacking("diagnostic", name)
    yield wrong("diagnostic", "begun after the end", "dataSinceDate", NOW)
    yield wrong("diagnostic", "negative count", "droppedEvents", -1)
    yield wrong("diagnostic", "duration with a fraction", "streamInits.0.durationMillis", 0.5)
    yield wrong("diagnostic", "number as failed", "streamInits.0.failed", 0)
