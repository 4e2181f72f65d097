"""Requests with one thing wrong: what it is, which correct request it spoils, how, and where the refusal must point."""

from __future__ import annotations

from typing import Callable, Iterator

from loopback.calls import bytes_of_body, header, method, path, query, twice
from loopback.spoiling import Mutation


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
    yield headers("the agent's key", "x-optimizely-sdk-key", "sample-sdk-key")
    yield headers("entity tag", "if-none-match", '"1"')
    yield headers("compressed body", "content-encoding", "gzip")
    if builder != "secured":
        yield headers("authorization", "authorization", "Bearer x")
    if builder not in ("segments", "platform_events"):
        yield headers("key of the data platform", "x-api-key", "sample-odp-public-key")
    yield Mutation("query", builder, query(add="v=1"), "query")
    yield Mutation("method", builder, method("PUT"), "method")
    yield Mutation("path", builder, path("/nowhere"), "path")
    if builder not in ("datafile", "secured"):
        yield from _of_every_post(builder, headers)


def _of_every_post(builder: str, headers: Callable[[str, str, str | None], Mutation]) -> Iterator[Mutation]:
    yield headers("no content type", "content-type", None)
    yield headers("content type with charset", "content-type", "application/json; charset=utf-8")
    yield headers("content type of a form", "content-type", "application/x-www-form-urlencoded")
    yield Mutation("content type twice", builder, twice("Content-Type"), "header content-type")
    yield headers("date", "if-modified-since", "Mon, 05 Jan 2026 10:00:00 GMT")
    yield Mutation("GET", builder, method("GET"), "method")
    yield Mutation("path with a slash at the end", builder, lambda call: path(call.path + "/")(call), "path")
    for what, make in (("no body", lambda _: b""), ("cut body", lambda text: text[:-1]),
                       ("byte-order mark", lambda text: b"\xef\xbb\xbf" + text),
                       ("not UTF-8", lambda text: text.replace(b'"', b'"\xff', 1)),
                       ("null as body", lambda _: b"null"), ("text as body", lambda _: b'"{}"')):
        yield Mutation(what, builder, bytes_of_body(make), "body")


def of_datafiles() -> Iterator[Mutation]:
    date, token = "header if-modified-since", "header authorization"
    for name, value in (("Content-Type", "application/json"), ("Cache-Control", "no-cache"), ("Pragma", "no-cache"),
                        ("Range", "bytes=0-99"), ("If-Unmodified-Since", "Mon, 05 Jan 2026 10:00:00 GMT")):
        yield Mutation(name, "datafile", header(name, value), f"header {name.lower()}")
    for what, value in (("empty", ""), ("in ISO form", "2026-01-05T10:00:00Z"), ("an entity tag", '"1"'),
                        ("with an offset", "Mon, 05 Jan 2026 10:00:00 +0000"), ("in seconds", "1767607200"),
                        ("one that was never sent", "Mon, 05 Jan 2026 10:00:01 GMT")):
        yield Mutation(f"the date is {what}", "datafile", header("If-Modified-Since", value), date)
    for what, value in (("missing", None), ("alone", "token-4711"), ("of another case", "bearer token-4711"),
                        ("empty", "Bearer "), ("after two blanks", "Bearer  token-4711"), ("basic", "Basic dG9rZW4=")):
        yield Mutation(f"the token is {what}", "secured", header("Authorization", value), token)
    yield Mutation("token twice", "secured", twice("Authorization"), token)
    yield Mutation("date of another key", "secured", header("If-Modified-Since", "Mon, 05 Jan 2026 10:00:00 GMT"), date)
    yield Mutation("body on a GET", "datafile", bytes_of_body(lambda _: b"{}"), "body")
    yield Mutation("POST", "datafile", method("POST"), "method")
    yield Mutation("HEAD", "datafile", method("HEAD"), "method")
    for what, value in (("without extension", "/datafiles/sample-sdk-key"), ("without key", "/datafiles/.json"),
                        ("of another folder", "/datafile/sample-sdk-key.json")):
        yield Mutation(f"path {what}", "datafile", path(value), "path")
