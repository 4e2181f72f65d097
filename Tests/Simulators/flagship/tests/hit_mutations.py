"""Hits with one thing wrong (protocol 3.5)."""

from __future__ import annotations

from typing import Any, Iterator

from loopback.calls import Call, bytes_of_body, path
from loopback.spoiling import Mutation, lacking, place_of, wrong

from .mutations import _ages
from .support import COMMON, KINDS

CONSENT, SEGMENT, SCREEN, PAGE, TRANSACTION, ITEM, EVENT = range(len(KINDS))


def of_hits() -> Iterator[Mutation]:
    for group in (_envelopes, _common, _required, _types, _consents, _segments, _singles):
        yield from group()


def _batch(what: str, at: str, value: Any, place: str | None = None, *along: str) -> Mutation:
    return wrong("batch", what, at, value, place and place_of(place), *(place_of(other) for other in along))


def _envelopes() -> Iterator[Mutation]:
    for name in ("t", "cid", "ds", "h"):
        yield lacking("batch", name)
        yield _batch(f"null as {name}", name, None)
    yield _batch("batch in other case", "t", "batch")
    yield _batch("other source", "ds", "WEB")
    yield _batch("number as environment", "cid", 7)
    others = (f"h.{index}.cid" for index in range(len(KINDS)))
    yield _batch("environment of nobody", "cid", "hoistsampleenv000009", None, *others)
    yield _batch("no hit", "h", [])
    yield _batch("hits by name", "h", {"0": KINDS[SCREEN]})
    yield _batch("visitor of the batch", "vid", "carla")
    yield _batch("age of the batch", "qt", 0)
    yield Mutation("larger than allowed", "batch", _inflated, "body")
    yield Mutation("path of troubleshooting", "batch", path("/events/troubleshooting"), "body.cv", frozenset(
        {"body.t", "body.h", "body.vid", "body.qt"}))
    yield Mutation("path of activations", "batch", path("/decision/v2/activate"), "body.batch", frozenset(
        {"body.t", "body.h", "body.ds"}))


def _inflated(call: Call) -> Call:
    changed = call.copy()
    changed.document["h"][EVENT]["el"] = "x" * 2_621_440
    return changed


def _common() -> Iterator[Mutation]:
    for index, kind in enumerate(KINDS):
        for name in ("cid", "ds", "vid", "qt"):
            yield lacking("batch", f"h.{index}.{name}")
        yield _batch(f"unknown kind in place of {index}", f"h.{index}.t", "PAGE")
        yield _batch(f"kind of hit {index} in lower case", f"h.{index}.t", kind["t"].lower())
        yield _batch(f"environment of hit {index}", f"h.{index}.cid", "hoistsampleenv000009")
        yield _batch(f"source of hit {index}", f"h.{index}.ds", "")
        yield _batch(f"member of hit {index}", f"h.{index}.anonymousId", "x")
        yield _batch(f"nobody in hit {index}", f"h.{index}.vid", "")
    yield from _ages("batch", f"h.{SCREEN}.qt")
    for name, value in (("uip", 7), ("sr", 1920), ("sd", 24), ("ul", None), ("sn", "3"), ("sn", 1.5), ("sn", True),
                        ("qa", "false"), ("qa", 0), ("cuid", ""), ("cuid", 7), ("aid", "anon-1"), ("cst", 1),
                        ("sen", 2), ("currentSessionTimeStamp", 1), ("id", "carla:1")):
        yield _batch(f"{value} as {name}", f"h.{SCREEN}.{name}", value)
    for name in COMMON:
        yield _batch(f"null as {name} of an event", f"h.{EVENT}.{name}", None)
    yield _batch("anonymous id twice", f"h.{PAGE}.cuid", "anon-1")


def _required() -> Iterator[Mutation]:
    for index, names in ((SCREEN, ["dl"]), (PAGE, ["dl"]), (TRANSACTION, ["tid", "ta"]), (ITEM, ["tid", "in", "ic"]),
                         (EVENT, ["ec", "ea"]), (SEGMENT, ["s"])):
        for name in names:
            yield lacking("batch", f"h.{index}.{name}")
            yield _batch(f"null as {name} of hit {index}", f"h.{index}.{name}", None)
            yield _batch(f"number as {name} of hit {index}", f"h.{index}.{name}", 7)
            yield _batch(f"empty {name} of hit {index}", f"h.{index}.{name}", "")
    for value in ("not a url", "/relative", "https://", "//www.example.com", "www.example.com"):
        yield _batch(f"page at {value}", f"h.{PAGE}.dl", value)


def _types() -> Iterator[Mutation]:
    for name in ("tr", "ts", "tt"):
        for value in ("15.5", True, None):
            yield _batch(f"{value} as {name}", f"h.{TRANSACTION}.{name}", value)
    for name in ("tc", "tcc", "pm", "sm"):
        yield _batch(f"number as {name}", f"h.{TRANSACTION}.{name}", 7)
    for index, name, value in (
            (TRANSACTION, "icn", 2.5), (TRANSACTION, "icn", "3"), (TRANSACTION, "ti", "T"), (TRANSACTION, "in", "shoe"),
            (ITEM, "ip", "9.9"), (ITEM, "ip", False), (ITEM, "iq", 2.5), (ITEM, "iq", "2"), (ITEM, "iv", 7),
            (ITEM, "ta", "basket"), (EVENT, "ec", "Action_Tracking"), (EVENT, "ec", "User_Engagement"),
            (EVENT, "ec", "action tracking"), (EVENT, "el", 7), (EVENT, "ev", -1), (EVENT, "ev", 9.5),
            (EVENT, "ev", "91"), (EVENT, "ev", 2**63), (EVENT, "dl", ""), (SCREEN, "ea", "cta"),
            (SCREEN, "s", {"a": "b"})):
        yield _batch(f"{value} as {name} of hit {index}", f"h.{index}.{name}", value)


def _consents() -> Iterator[Mutation]:
    for what, value in (("of another client", "python:true"), ("in upper case", "hoist:True"), ("alone", "true"),
                        ("a number", 1), ("empty", ""), ("something else", "hoist:maybe")):
        yield _batch(f"label is {what}", f"h.{CONSENT}.el", value)
    yield lacking("batch", f"h.{CONSENT}.el")
    yield _batch("action tracked", f"h.{CONSENT}.ec", "Action Tracking")
    yield _batch("value of consent", f"h.{CONSENT}.ev", 1)


def _segments() -> Iterator[Mutation]:
    for name, value in (("vip", True), ("age", 31), ("score", 2.5), ("vip", None), ("vip", ["true"]), ("", "x"),
                        ("fs_users", "anna"), ("fs_all_users", "all"), ("fs_client", "python"), ("OS_VERSION_CODE", ""),
                        ("sdk_firstTimeInit", "True"), ("sdk_firstTimeInit", "1"), ("sdk_lat", "north"),
                        ("sdk_versionCode", "7.0"), ("sdk_versionCode", "+7")):
        yield _batch(f"{value} as {name} of the segment", f"h.{SEGMENT}.s.{name}", value)
    for name in ("fs_users", "fs_all_users", "fs_client", "fs_version"):
        yield lacking("batch", f"h.{SEGMENT}.s.{name}")
    yield _batch("segment as a list", f"h.{SEGMENT}.s", [])
    yield _batch("label of a segment", f"h.{SEGMENT}.el", "x")


def _singles() -> Iterator[Mutation]:
    for name in ("cid", "ds", "vid", "qt", "dl"):
        yield lacking("single", name)
        yield wrong("single", f"null as {name}", name, None)
    yield wrong("single", "environment of nobody", "cid", "hoistsampleenv000009")
    yield wrong("single", "batch without hits", "t", "BATCH", "body.h", "body.dl", "body.qt", "body.vid")
    several = bytes_of_body(lambda text: b"[" + text + b"," + text + b"]")
    yield Mutation("hits in a list", "single", several, "body")
    yield from _ages("single", "qt")
