"""Requests with one thing wrong: what it is, which correct request it spoils, how, and where the refusal must point."""

from __future__ import annotations

from typing import Any, Iterator

from loopback.calls import bytes_of_body, header, method, path, query, twice
from loopback.spoiling import Mutation, both, lacking, place_of, replaced, wrong

from flagship.sample import ENVIRONMENT

from .support import NOW

POSTS = ("decision", "own_decision", "activations", "own_activations", "batch", "single", "usage", "troubleshooting",
         "emotions")


def of_every_request(builder: str) -> Iterator[Mutation]:
    """What is wrong with the headers, the method or the address of any request."""
    def headers(what: str, name: str, value: str | None) -> Mutation:
        return Mutation(what, builder, header(name, value), f"header {name}")

    yield headers("no user agent", "user-agent", None)
    yield headers("user agent of the transport", "user-agent", "curl/8.5.0")
    yield headers("user agent without version", "user-agent", "hoist")
    yield Mutation("user agent twice", builder, twice("User-Agent"), "header user-agent")
    yield headers("accept html", "accept", "text/html")
    yield headers("cookie", "cookie", "a=b")
    yield headers("authorization", "authorization", "Bearer x")
    yield headers("entity tag", "if-none-match", '"1"')
    yield headers("range", "range", "bytes=0-9")
    yield headers("compressed body", "content-encoding", "gzip")
    yield Mutation("another client", builder, both(header("x-sdk-client", "iOS"), header("x-sdk-version", "0.1.0")),
                   "header x-sdk-client")
    yield Mutation("client without version", builder, both(header("x-sdk-client", "hoist"),
                                                           header("x-sdk-version", None)), "header x-sdk-version")
    yield Mutation("version that is none", builder, both(header("x-sdk-client", "hoist"), header("x-sdk-version", "1")),
                   "header x-sdk-version")
    if builder not in ("decision", "own_decision"):
        yield headers("API key", "x-api-key", "sample-api-key")
    yield Mutation("query", builder, query(add="v=1"), "query")
    yield Mutation("other method", builder, method("PUT"), "method")
    yield Mutation("path", builder, path("/nowhere"), "path")
    yield from _of_every_post(builder) if builder in POSTS else _of_every_get(builder)


def _of_every_post(builder: str) -> Iterator[Mutation]:
    for what, name, value in (
            ("no content type", "content-type", None),
            ("content type of a form", "content-type", "application/x-www-form-urlencoded"),
            ("content type with charset", "content-type", "application/json; charset=utf-8"),
            ("no accept", "accept", None), ("any accept", "accept", "*/*"), ("no client", "x-sdk-client", None),
            ("no version", "x-sdk-version", None),
            ("client in other case", "x-sdk-client", "Hoist"), ("more of the client", "x-sdk-language", "c"),
            ("date", "if-modified-since", "Mon, 05 Jan 2026 10:00:00 GMT")):
        yield Mutation(what, builder, header(name, value), f"header {name}")
    yield Mutation("client twice", builder, twice("x-sdk-client"), "header x-sdk-client")
    yield Mutation("GET", builder, method("GET"), "method")
    if builder not in ("batch", "single"):
        yield Mutation("path with a slash at the end", builder, lambda call: path(call.path + "/")(call), "path")
    for what, make in (("no body", lambda _: b""), ("cut body", lambda text: text[:-1]),
                       ("byte-order mark", lambda text: b"\xef\xbb\xbf" + text),
                       ("not UTF-8", lambda text: text.replace(b'"', b'"\xff', 1)),
                       ("null as body", lambda _: b"null"), ("body in an array", lambda text: b"[" + text + b"]"),
                       ("member twice", lambda text: text[:-1] + b',"cid":"x","cid":"x"}')):
        yield Mutation(what, builder, bytes_of_body(make), "body")
    # How emotions are told is not documented.
    if builder != "emotions":
        yield wrong(builder, "unknown member", "sent_at", NOW)


def _of_every_get(builder: str) -> Iterator[Mutation]:
    yield Mutation("content type", builder, header("content-type", "application/json"), "header content-type")
    yield Mutation("body", builder, bytes_of_body(lambda _: b"{}"), "body")
    yield Mutation("POST", builder, method("POST"), "method")
    yield Mutation("HEAD", builder, method("HEAD"), "method")


def of_decisions() -> Iterator[Mutation]:
    for builder in ("decision", "own_decision"):
        yield Mutation("all keys are not asked for", builder, query(remove="exposeAllKeys"), "query")
        yield Mutation("all keys in other case", builder, query("exposeAllKeys", "exposeAllKeys=True"), "query")
        yield Mutation("all keys twice", builder, query(add="exposeAllKeys=true"), "query")
        for name in ("visitorId", "visitor_consent", "trigger_hit", "context"):
            yield lacking(builder, name)
            yield wrong(builder, f"null as {name}", name, None)
        for what, name, value in (
                ("number as visitor", "visitorId", 7), ("nobody", "visitorId", ""),
                ("empty anonymous id", "anonymousId", ""), ("visitor as the anonymous id", "anonymousId", "carla"),
                ("consent as text", "visitor_consent", "true"), ("consent as a number", "visitor_consent", 1),
                ("activation of everything", "trigger_hit", True), ("trigger as a number", "trigger_hit", 0),
                ("context as a list", "context", []), ("the seed's spelling", "visitor_id", "carla"),
                ("group as a number", "decision_group", 7), ("empty group", "decision_group", "")):
            yield wrong(builder, what, name, value)
        yield from _contexts(builder)
    for what, value in (("missing", None), ("empty", ""), ("with a blank", "Bearer x")):
        yield Mutation(f"the API key is {what}", "decision", header("x-api-key", value), "header x-api-key")
    yield Mutation("account settings are not asked for", "decision", query(remove="extras"), "query")
    yield Mutation("other extras", "decision", query("extras", "extras[]=all"), "query")
    yield Mutation("extras without brackets", "decision", query("extras", "extras=accountSettings"), "query")
    yield Mutation("no query", "decision", both(query("extras"), query("exposeAllKeys")), "query")
    yield Mutation("path of the first version", "decision", path(f"/decision/v1/{ENVIRONMENT}/campaigns"), "path")
    yield Mutation("environment in the path", "own_decision", path(f"/own/v2/{ENVIRONMENT}/campaigns"), "path")


def _contexts(builder: str) -> Iterator[Mutation]:
    for name in ("fs_users", "fs_all_users", "fs_client", "fs_version"):
        yield lacking(builder, f"context.{name}")
    for name, value in (("fs_users", "anna"), ("fs_all_users", "all"), ("fs_client", "python"),
                        ("fs_version", "9.9.9")):
        yield wrong(builder, f"other {name}", f"context.{name}", value)
    for name, value in (("vip", None), ("vip", [True]), ("vip", {"a": 1}), ("", "x"), ("OS_VERSION_CODE", ""),
                        ("sdk_firstTimeInit", 1), ("sdk_firstTimeInit", "true"), ("sdk_city", 7), ("sdk_lat", "45.7"),
                        ("sdk_lat", True), ("sdk_versionCode", 7.5), ("sdk_versionCode", "7"), ("sdk_ip", "here"),
                        ("sdk_fsVersion", 1)):
        yield wrong(builder, f"{value} as {name}", f"context.{name}", value)
    yield Mutation("NaN in the context", builder, replaced(b'"age": 31', b'"age": NaN'), "body")
    yield Mutation("endless number in the context", builder, replaced(b'"age": 31', b'"age": 1e999'),
                   "body.context.age")


def of_activations() -> Iterator[Mutation]:
    for builder in ("activations", "own_activations"):
        first = "batch.0"
        for name in ("cid", "batch"):
            yield lacking(builder, name)
            yield wrong(builder, f"null as {name}", name, None)
        yield wrong(builder, "environment of nobody", "cid", "hoistsampleenv000009")
        yield wrong(builder, "no activation", "batch", [])
        yield wrong(builder, "activation without a list", "batch", lambda found: found[0])
        yield wrong(builder, "too many", "batch", lambda found: found[:1] * 101)
        for name in ("vid", "caid", "vaid", "qt"):
            yield lacking(builder, f"{first}.{name}")
            yield wrong(builder, f"null as {name}", f"{first}.{name}", None)
        for what, name, value in (
                ("the campaign's id", "caid", "hcamp0checkout000001"), ("variation of nobody", "vaid", "hvar0nobody"),
                ("variation of another group", "vaid", "hvar0checkoutgrn0001")):
            yield wrong(builder, what, f"{first}.{name}", value, place_of(f"{first}.vaid"))
        for what, name, value in (
                ("number as visitor", "vid", 7), ("nobody", "vid", ""), ("empty anonymous id", "aid", ""),
                ("visitor as the anonymous id", "aid", "carla"), ("environment once more", "cid", ENVIRONMENT), ("known id of hits", "cuid", "carla"),
                ("kind", "t", "ACTIVATE"), ("exposure that is internal", "internal_exposure_flag", "{}"),
                ("qa as text", "qa", "true")):
            yield wrong(builder, what, f"{first}.{name}", value)
        yield from _ages(builder, f"{first}.qt")


def _ages(builder: str, at: str) -> Iterator[Mutation]:
    for what, value in (("a fraction of seconds", 1.2), ("text", "1200"), ("negative", -1),
                        ("older than four hours", 14_400_001), ("a time", NOW), ("in microseconds", 1_200_000_000),
                        ("a truth", True)):
        yield wrong(builder, f"{at} is {what}", at, value)


def of_reports() -> Iterator[Mutation]:
    for builder in ("usage", "troubleshooting"):
        for name in ("t", "cid", "ds", "vid", "qt", "cv"):
            yield lacking(builder, name)
            yield wrong(builder, f"null as {name}", name, None)
        yield wrong(builder, "batch", "t", "BATCH")
        yield wrong(builder, "other source", "ds", "WEB")
        yield wrong(builder, "environment of nobody", "cid", "hoistsampleenv000009", None, place_of("cv.envId"))
        for name in ("version", "envId", "timestamp", "timeZone", "label", "logLevel", "flagshipInstanceId"):
            yield lacking(builder, f"cv.{name}")
        for what, name, value in (
                ("number as version", "version", 1), ("other version", "version", "2"),
                ("other environment", "envId", "x"), ("unknown label", "label", "SDK"),
                ("time without milliseconds", "timestamp", "2026-01-06T12:00:00Z"),
                ("time with an offset", "timestamp", "2026-01-06T12:00:00.000+01:00"), ("level", "logLevel", "DEBUG"),
                ("other level", "logLevel", "WARNING"), ("instance", "flagshipInstanceId", "1"),
                ("member", "extra", "x")):
            yield wrong(builder, what, f"cv.{name}", value)
        for name in ("stack.type", "stack.name", "stack.version"):
            yield Mutation(f"no {name}", builder, replaced(f'"{name}": '.encode(), b'"visitor.x": '),
                           f"body.cv.{name}", frozenset({"body.cv.visitor.x"}))
        yield Mutation("other client", builder, replaced(b'"stack.name": "hoist"', b'"stack.name": "python"'),
                       "body.cv.stack.name")
    yield wrong("usage", "visitor", "vid", "carla")
    yield wrong("usage", "label of troubleshooting", "cv.label", "HTTP_CALL")
    for old, new in ((b'"sdk.config.mode": "BUCKETING"', b'"sdk.config.mode": "API"'),
                     (b'"sdk.config.timeout": "2000"', b'"sdk.config.timeout": 2000'),
                     (b'"sdk.config.timeout": "2000"', b'"sdk.config.timeout": "2.0"'),
                     (b'"sdk.status": "SDK_INITIALIZED"', b'"sdk.status": "READY"'),
                     (b'"sdk.config.usingCustomHitCache": "false"', b'"sdk.config.usingCustomHitCache": "False"')):
        yield Mutation(f"{new.decode()}", "usage", replaced(old, new), "body.cv." + old.decode().split('"')[1])
    for name in ("hit.caid", "hit.vaid"):
        yield Mutation(f"no {name}", "troubleshooting", replaced(f'"{name}"'.encode(), b'"hit.other"'), f"body.cv.{name}")
    for label, *names in (
            ("HTTP_CALL", "http.request.method", "http.request.url", "http.response.code"),
            ("ERROR_CATCHED", "error.message", "logLevel"), ("GET_FLAG_VALUE_TYPE_WARNING", "flag.key", "logLevel"),
            ("FLAG_EXPOSED_BEFORE_CALLING_VALUE_METHOD", "flag.key")):
        yield Mutation(f"nothing to {label}", "troubleshooting", replaced(b"VISITOR_SEND_ACTIVATE", label.encode()),
                       f"body.cv.{names[0]}", frozenset(f"body.cv.{name}" for name in names[1:]))
    yield Mutation("no emotion", "emotions", bytes_of_body(lambda _: b"{}"), "body")
    yield Mutation("no visitor", "troubleshooting", replaced(b'"visitor.visitorId"', b'"visitor.id"'),
                   "body.cv.visitor.visitorId")


def of_downloads() -> Iterator[Mutation]:
    date = "header if-modified-since"
    for what, value in (("empty", ""), ("in ISO form", "2026-01-05T10:00:00Z"), ("an entity tag", '"1"'),
                        ("with an offset", "Mon, 05 Jan 2026 10:00:00 +0000"), ("in seconds", "1767607200"),
                        ("one that was never sent", "Mon, 05 Jan 2026 10:00:01 GMT")):
        yield Mutation(f"the date is {what}", "bucketing", header("If-Modified-Since", value), date)
    for name in ("Cache-Control", "Pragma"):
        yield Mutation(name, "bucketing", header(name, "no-cache"), f"header {name.lower()}")
    for builder in ("account_settings", "segments", "score"):
        yield Mutation("date", builder, header("If-Modified-Since", "Mon, 05 Jan 2026 10:00:00 GMT"), date)
    for what, value in (("without environment", "/cdn/bucketing.json"),
                        ("in other case", f"/cdn/{ENVIRONMENT}/Bucketing.json"),
                        ("without extension", f"/cdn/{ENVIRONMENT}/bucketing")):
        yield Mutation(f"path {what}", "bucketing", path(value), "path")
    yield Mutation("no partner", "score", query(remove="partner"), "query")
    yield Mutation("other partner", "score", query("partner", "partner=mixpanel"), "query")
    base: dict[str, Any] = {"segments": f"/data-connector/accounts/{ENVIRONMENT}/segments/",
                            "score": f"/uc-info/v1/segments/clients/{ENVIRONMENT}/visitors/"}
    for builder, start in base.items():
        for what, name in (("empty", ""), ("not encoded", "carla+2"), ("in lower case escapes", "carla%c3%a9"),
                           ("needlessly encoded", "c%61rla"), ("no UTF-8", "carla%FF"), ("cut", "carla%2")):
            yield Mutation(f"the visitor is {what}", builder, path(start + name), "path")
