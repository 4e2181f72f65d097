"""Requests with one thing wrong: what it is, which correct request it spoils, how, and where the refusal must point."""

from __future__ import annotations

import base64
from typing import Iterator

from loopback.calls import bytes_of_body, header, method, path, query, twice
from loopback.spoiling import Mutation, both

from kameleoon.sample import SITE

from .support import BUILDERS

POSTS = ("tracking", "visitors", "authorised", "token")
GETS = tuple(name for name in BUILDERS if name not in POSTS)
CONFIGURATIONS = ("configuration", "announced")
OF_VISITORS = ("visitor", "linked")


def of_every_request(builder: str) -> Iterator[Mutation]:
    """What is wrong with the headers, the method or the address of any request."""
    def headers(what: str, name: str, value: str | None) -> Mutation:
        return Mutation(what, builder, header(name, value), f"header {name}")

    yield headers("no user agent", "user-agent", None)
    yield headers("user agent of the transport", "user-agent", "curl/8.5.0")
    yield headers("user agent without version", "user-agent", "hoist")
    yield Mutation("user agent twice", builder, twice("User-Agent"), "header user-agent")
    for name, value in (("cookie", "a=b"), ("if-none-match", '"1"'), ("range", "bytes=0-9"), ("last-event-id", "7"),
                        ("content-encoding", "gzip"), ("x-api-key", "k"), ("referer", "https://a.com"),
                        ("x-kameleoon-sdk-language", "SWIFT")):
        yield headers(f"a header {name}", name, value)
    yield headers("accept html", "accept", "text/html")
    yield Mutation("PUT", builder, method("PUT"), "method")
    yield Mutation("path", builder, path("/nowhere"), "path")
    yield Mutation("slash at the end of the path", builder, lambda call: path(call.path + "/")(call), "path")
    yield Mutation("name that is not documented", builder, query(add="v=1"), "query v")
    yield Mutation("name without a value", builder, query(add="v"), "query v")
    yield Mutation("escape that is none", builder, query(add="siteCode=%2"), "query siteCode=%2")
    yield Mutation("needless escape", builder, query(add="environment=st%61ging"), "query environment=st%61ging")
    yield Mutation("escape in lower case", builder, query(add="key=%c3%a9"), "query key=%c3%a9")
    yield Mutation("plus for a blank", builder, query(add="key=a+b"), "query key=a+b")
    yield Mutation("no UTF-8", builder, query(add="key=%FF"), "query key=%FF")
    yield from _of_every_post(builder) if builder in POSTS else _of_every_get(builder)
    if builder not in CONFIGURATIONS:
        yield headers("date", "if-modified-since", "Mon, 05 Jan 2026 10:00:00 GMT")
        yield headers("sender in a header", "x-kameleoon-sdk-type", "SWIFT")
        yield headers("version in a header", "x-kameleoon-sdk-version", "4.25.0")
        yield Mutation("no site", builder, query(remove="siteCode="), "query siteCode")
        yield Mutation("empty site", builder, query("siteCode=", "siteCode="), "query siteCode")
        yield Mutation("the site twice", builder, query(add=f"siteCode={SITE}"), "query siteCode")
        yield Mutation("the site by another name", builder, query("siteCode=", f"sitecode={SITE}"), "query siteCode",
                       frozenset({"query sitecode"}))
    if builder in CONFIGURATIONS or builder == "stream":
        yield headers("access token", "authorization", "Bearer token-1")
    elif builder != "token":
        yield headers("token that nobody got", "authorization", "Bearer token-77")
        yield headers("token without its scheme", "authorization", "token-1")
        yield headers("empty token", "authorization", "Bearer ")
        yield headers("credentials for a token", "authorization", "Basic YTpi")


def _of_every_get(builder: str) -> Iterator[Mutation]:
    yield Mutation("POST", builder, method("POST"), "method")
    yield Mutation("HEAD", builder, method("HEAD"), "method")
    yield Mutation("content type", builder, header("content-type", "application/json"), "header content-type")
    yield Mutation("body", builder, bytes_of_body(lambda _: b"{}"), "body")


def _of_every_post(builder: str) -> Iterator[Mutation]:
    yield Mutation("GET", builder, method("GET"), "method")
    for what, value in (("no content type", None), ("JSON", "application/json"), ("text", "text/plain")):
        yield Mutation(f"content type: {what}", builder, header("content-type", value), "header content-type")
    yield Mutation("no body", builder, bytes_of_body(lambda _: b""), "body")
    for name, value in (("sdkName", "PYTHON"), ("sdkName", "swift"), ("sdkVersion", "4.25"), ("sdkVersion", "")):
        yield Mutation(f"{name} is {value!r}", builder, query(f"{name}=", f"{name}={value}"), f"query {name}")
    for name in ("sdkName", "sdkVersion"):
        yield Mutation(f"no {name}", builder, query(remove=f"{name}="), f"query {name}")


def of_configurations() -> Iterator[Mutation]:
    date = "header if-modified-since"
    for builder in CONFIGURATIONS:
        for what, value in (("empty", ""), ("in ISO form", "2026-01-05T10:00:00Z"), ("an entity tag", '"1"'),
                            ("in seconds", "1767607200"), ("one that was never sent", "Mon, 05 Jan 2026 10:00:59 GMT")):
            yield Mutation(f"the date is {what}", builder, header("If-Modified-Since", value), date)
        for name in ("Cache-Control", "Pragma"):
            yield Mutation(name, builder, header(name, "no-cache"), f"header {name.lower()}")
        for name in ("x-kameleoon-sdk-type", "x-kameleoon-sdk-version"):
            yield Mutation(f"no {name}", builder, header(name, None), f"header {name}")
            yield Mutation(f"other {name}", builder, header(name, "PYTHON"), f"header {name}")
        yield Mutation("sender in the query", builder, query(add="sdkName=SWIFT"), "query sdkName")
        yield Mutation("site in the query", builder, query(add=f"siteCode={SITE}"), "query siteCode")
        for what, value in (("older version", f"/sdk-config/v1/{SITE}"), ("no version", f"/sdk-config/{SITE}"),
                            ("no site", "/sdk-config/v3/"), ("site with a needless escape", "/sdk-config/v3/h%6Fist")):
            yield Mutation(f"path: {what}", builder, path(value), "path")
        yield Mutation("empty environment", builder, both(query(add="environment=")), "query environment")
    yield Mutation("date of another environment", "announced",
                   header("If-Modified-Since", "Mon, 05 Jan 2026 10:59:00 GMT"), date)
    yield Mutation("time of no event", "configuration", query(add="ts=1767700000001"), "query ts")
    yield Mutation("the environment twice", "announced", query(add="environment=staging"), "query environment")
    for what, value in (("empty", ""), ("in seconds", "1767700000"), ("in ISO form", "2026-01-06"),
                        ("a fraction", "1767700000000.5"), ("negative", "-1")):
        yield Mutation(f"the time is {what}", "announced", query("ts=", f"ts={value}"), "query ts")


def of_streams() -> Iterator[Mutation]:
    for name, values in (("accept", (None, "*/*", "application/json")), ("cache-control", (None, "no-store")),
                         ("connection", ("upgrade",))):
        for value in values:
            yield Mutation(f"{name}: {value}", "stream", header(name, value), f"header {name}")
    yield Mutation("accept twice", "stream", twice("Accept"), "header accept")
    yield Mutation("sender in the query", "stream", query(add="sdkName=SWIFT"), "query sdkName")
    yield Mutation("environment in the query", "stream", query(add="environment=staging"), "query environment")
    yield Mutation("path: of version 3", "stream", path("/events/v3/sse"), "path")
    yield Mutation("path: of the configuration", "stream", path("/sdk-config/sse"), "path")


def of_visitors() -> Iterator[Mutation]:
    for builder in OF_VISITORS:
        for name in ("maxNumberPreviousVisits", "version", "staticData"):
            yield Mutation(f"no {name}", builder, query(remove=f"{name}="), f"query {name}")
        for name, values in (("maxNumberPreviousVisits", ("0", "26", "-1", "1.0", "01", "all", "")),
                             ("version", ("1", "true")), ("staticData", ("false", "1", "True")),
                             ("currentVisit", ("false", "")), ("customData", ("1",))):
            for value in values:
                yield Mutation(f"{name} is {value!r}", builder, query(f"{name}=", f"{name}={value}"), f"query {name}")
        for name in ("conversions", "experiments", "pageViews", "device", "visitorCodeFilter", "sdkName"):
            yield Mutation(f"name {name}", builder, query(add=f"{name}=true"), f"query {name}")
        yield Mutation("part twice", builder, query(add="customData=true"), "query customData")
    named = "query visitorCode"
    yield Mutation("nobody", "visitor", query("visitorCode=", "visitorCode="), named)
    yield Mutation("no visitor", "visitor", query(remove="visitorCode="), named)
    yield Mutation("two visitors", "visitor", query(add="mappingValue=anna"), named)
    yield Mutation("no linked visitor", "linked", query(remove="mappingValue="), named)
    yield Mutation("the visitor under both names", "linked", query(add="visitorCode=user-1"), named)
    yield Mutation("path of remote data", "visitor", path("/data/map/map"), "query key", frozenset(
        f"query {name}" for name in ("visitorCode", "maxNumberPreviousVisits", "version", "staticData", "currentVisit",
                                     "customData")))


def of_remote_data() -> Iterator[Mutation]:
    yield Mutation("no key", "remote", query(remove="key="), "query key")
    yield Mutation("empty key", "remote", query("key=", "key="), "query key")
    yield Mutation("key twice", "remote", query(add="key=b"), "query key")
    yield Mutation("slash that is not escaped", "remote", query("key=", "key=a/b"), "query key=a/b")
    yield Mutation("apostrophe that is escaped", "remote", query("key=", "key=it%27s"), "query key=it%27s")
    for name in ("visitorCode", "version", "sdkName", "environment"):
        yield Mutation(f"name {name}", "remote", query(add=f"{name}=a"), f"query {name}")


def of_tokens() -> Iterator[Mutation]:
    for what, value in (("missing", None), ("a token", "Bearer token-1"), ("not in base 64", "Basic a:b"),
                        ("without a colon", "Basic " + base64.b64encode(b"id").decode()),
                        ("cut", "Basic YTp"), ("without a scheme", "YTpi"), ("in lower case", "basic YTpi")):
        yield Mutation(f"the credentials are {what}", "token", header("authorization", value), "header authorization")
    for what, body in (("another grant", b"grant_type=password"), ("JSON", b'{"grant_type":"client_credentials"}'),
                       ("more", b"grant_type=client_credentials&scope=all"),
                       ("a line end", b"grant_type=client_credentials\n")):
        yield Mutation(f"the body is {what}", "token", bytes_of_body(lambda _, body=body: body), "body")
    yield Mutation("bodyUa", "token", query(add="bodyUa=true"), "query bodyUa")
    yield Mutation("path: of version 2", "token", path("/api/oauth2/token"), "path")
