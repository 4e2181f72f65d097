"""Requests to the data platform and the prediction server with one thing wrong (protocol 3.5-3.7)."""

from __future__ import annotations

from typing import Callable, Iterator

from loopback.calls import MISSING, Call, body, bytes_of_body, header, path, twice
from loopback.spoiling import Mutation, both, lacking, place_of, replaced, wrong

from .support import NOW, PREDICTION, VUID, uuid


def of_segments() -> Iterator[Mutation]:
    name, audiences = "segments", "variables.audiences"
    yield from _keys(name)
    for at in ("query", "variables", "variables.userId", audiences):
        yield lacking(name, at)
        yield wrong(name, f"null as {at}", at, None)
        yield wrong(name, f"number as {at}", at, 7)
    yield wrong(name, "query of a VUID", "query", lambda text: text.replace("fs_user_id", "vuid"))
    yield wrong("anonymous_segments", "query of a user", "query", lambda text: text.replace("vuid", "fs_user_id"))
    for what, old, new in (("with a blank less", ") {cust", "){cust"), ("in lines", " {", "\n{"),
                           ("without state", " state", ""), ("with the user inside", "$userId)", '"carla")')):
        yield wrong(name, f"query {what}", "query", _replacing(old, new))
    yield wrong(name, "operation name", "operationName", "x")
    yield wrong(name, "variables as text", "variables", "{}")
    yield wrong(name, "other variable", "variables.vuid", VUID)
    yield wrong(name, "VUID as user", "variables.userId", "VUID_" + VUID[5:], "body.query")
    yield wrong(name, "empty audiences", audiences, [])
    yield wrong(name, "one audience missing", audiences, ["newsletter"])
    yield wrong(name, "another audience", audiences, lambda found: [*found, "other"])
    yield wrong(name, "audience twice", audiences, lambda found: [*found, "newsletter"])
    yield wrong(name, "audiences as text", audiences, "newsletter")
    yield wrong(name, "audience in other case", f"{audiences}.1", "Newsletter", place_of(audiences))
    yield wrong(name, "number as audience", f"{audiences}.1", 703)
    yield Mutation("query in an array", name, bytes_of_body(lambda text: b"[" + text + b"]"), "body")


def _replacing(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def _keys(name: str) -> Iterator[Mutation]:
    for what, value in (("missing", None), ("empty", ""), ("nobody's", "other"), ("in two words", "Bearer key")):
        yield Mutation(f"key is {what}", name, header("x-api-key", value), "header x-api-key")
    yield Mutation("key twice", name, twice("x-api-key"), "header x-api-key")
    yield Mutation("key as authorization", name, both(header("Authorization", "Bearer key"), header("x-api-key", None)),
                   "header authorization", frozenset({"header x-api-key"}))


def of_platform_events() -> Iterator[Mutation]:
    name = "platform_events"
    yield from _keys(name)
    yield Mutation("no event", name, bytes_of_body(lambda _: b"[]"), "body")
    yield Mutation("event without an array", name, bytes_of_body(lambda text: text[1 : text.index(b"}}") + 2]), "body")
    yield Mutation("eleven events", name, _eleven, "body")
    for member in ("type", "action", "identifiers", "data"):
        yield lacking(name, f"2.{member}")
        yield wrong(name, f"null as {member}", f"2.{member}", None)
    yield wrong(name, "empty type", "2.type", "")
    yield wrong(name, "empty action", "2.action", "")
    yield wrong(name, "member of an event", "2.timestamp", NOW)
    yield from _identifiers(name)
    yield from _data(name)


def _eleven(call: Call) -> Call:
    changed = call.copy()
    for number in range(8):
        more = call.copy().document[2]
        more["data"]["idempotence_id"] = uuid(200 + number)
        changed.document.append(more)
    return changed


def _identifiers(name: str) -> Iterator[Mutation]:
    for spelling in ("FS_USER_ID", "fs-user-id", "FS-USER-ID", "Fs_User_Id"):
        identifiers = {spelling: "carla"}
        yield wrong(name, f"user as {spelling}", "2.identifiers", identifiers, f"body[2].identifiers.{spelling}")
    yield wrong(name, "nobody", "2.identifiers", {})
    yield wrong(name, "nobody but empty ones", "2.identifiers", {"email": ""})
    yield wrong(name, "number as identifier", "2.identifiers.email", 7)
    yield lacking(name, "1.identifiers.vuid", "body[1].identifiers")
    yield wrong(name, "three to identify", "1.identifiers.email", "c@example.com", "body[1].identifiers")
    yield wrong(name, "empty user to identify", "1.identifiers.fs_user_id", "")
    yield wrong(name, "VUID as user to identify", "1.identifiers.fs_user_id", VUID)
    yield wrong(name, "user at initialisation", "0.identifiers.fs_user_id", "carla", "body[0].identifiers")
    for what, value in (("short", VUID[:-1]), ("in upper case", "VUID" + VUID[4:]),
                        ("with dashes", f"vuid_{uuid(1)}"[:32])):
        yield wrong(name, f"VUID is {what}", "0.identifiers.vuid", value)


def _data(name: str) -> Iterator[Mutation]:
    for member in ("idempotence_id", "data_source_type", "data_source", "data_source_version"):
        yield lacking(name, f"2.data.{member}")
        yield wrong(name, f"number as {member}", f"2.data.{member}", 1)
    for member, value in (("data_source_type", "SDK"), ("data_source", "swift-sdk"), ("data_source_version", "1"),
                          ("idempotence_id", "1"), ("idempotence_id", uuid(101)), ("price", [4.5]),
                          ("price", {"eur": 4.5})):
        yield wrong(name, f"{value} as {member}", f"2.data.{member}", value)
    yield Mutation("infinite number in data", name, replaced(b"4.5", b"1e999"), "body[2].data.price")
    yield Mutation("NaN in data", name, replaced(b"4.5", b"NaN"), "body")
    yield wrong(name, "member of the library's own data", "0.data.user", "carla")
    for member in ("os", "os_version", "device_type", "model"):
        yield Mutation(f"device without {member}", name, body(f"1.data.{member}", MISSING), f"body[1].data.{member}")
    yield wrong(name, "unknown device", "1.data.device_type", "Desktop")


def of_predictions() -> Iterator[Mutation]:
    name, instance = "prediction", "instances.0"
    for what, rule in (("of nobody", "9999"), ("that asks nobody", "9101"), ("by its key", "ranking_bandit")):
        elsewhere = both(path(f"/predict/{rule}"), body(f"{instance}.experimentId", rule))
        yield Mutation(f"rule {what}", name, elsewhere, "path")
    yield Mutation("no rule in the path", name, path("/predict/"), "path")
    yield wrong(name, "other rule than the path", f"{instance}.experimentId", "9101")
    yield lacking(name, "instances")
    for what, value in (("none", []), ("a map", {}), ("two", lambda found: found * 2)):
        yield wrong(name, f"instances are {what}", "instances", value)
    yield wrong(name, "member beside instances", "parameters", {})
    for member in ("visitorId", "experimentId", "attributes", "cmabUUID"):
        yield lacking(name, f"{instance}.{member}")
        yield wrong(name, f"null as {member}", f"{instance}.{member}", None)
        yield wrong(name, f"number as {member}", f"{instance}.{member}", 7)
    yield wrong(name, "member of an instance", f"{instance}.region", "US")
    yield wrong(name, "uuid of version 1", f"{instance}.cmabUUID", PREDICTION.replace("-4d", "-1d"))
    yield wrong(name, "uuid without dashes", f"{instance}.cmabUUID", PREDICTION.replace("-", ""))
    for member in ("id", "value", "type"):
        yield lacking(name, f"{instance}.attributes.0.{member}")
    for member, value in (("id", "country"), ("id", "503"), ("id", 501), ("id", "599"), ("value", ["de"]),
                          ("value", 2**53 + 1), ("type", "custom"), ("type", "string"), ("key", "country")):
        yield wrong(name, f"{value} as {member} of an attribute", f"{instance}.attributes.0.{member}", value)
    yield wrong(name, "attribute twice", f"{instance}.attributes.1.id", "501")
    yield wrong(name, "attributes by name", f"{instance}.attributes", {"country": "de"})
