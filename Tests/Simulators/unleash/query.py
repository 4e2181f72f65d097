"""Reading the context and the filters of a request, strictly (protocol B.2, B.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loopback.findings import Findings, mapping, parse_json, record, text
from loopback.text import decode_pairs
from loopback.wire import Request

from .context import Context
from .routes import Endpoint

PLAIN = ("userId", "sessionId", "remoteAddress", "appName", "environment")
MAXIMUM_TARGET = 8192

_VALUE = text(empty=True)
_CONTEXT_BODY = record({"context": record(
    {"appName": text(), "sessionId": _VALUE},
    {"environment": _VALUE, "userId": _VALUE, "remoteAddress": _VALUE, "currentTime": _VALUE,
     "properties": mapping(_VALUE)})})


def check_context(findings: Findings, request: Request) -> None:
    """Checks the context a frontend fetch sends, in the query or in the body."""
    if request.method == "POST":
        findings.require(request.query is None, "query", "must not accompany a POST")
        before, document = len(findings), parse_json(findings, request.body)
        if len(findings) == before:
            _CONTEXT_BODY(findings, "body", document)
            _check_application(findings, request, document, "body.context.appName")
        return
    findings.require(len(request.target) <= MAXIMUM_TARGET, "target", f"is longer than {MAXIMUM_TARGET} bytes; POST it")
    before = len(findings)
    pairs = decode_pairs(findings, request.query or "")
    if len(findings) > before:
        return
    names = [name for name, _ in pairs]
    for name in dict.fromkeys(names):
        where = f"query {name}"
        findings.require(name in PLAIN or _property(name) is not None, where, "is not a documented name")
        findings.require(names.count(name) == 1, where, "is sent more than once")
    for name in ("appName", "sessionId"):
        findings.require(name in names, f"query {name}", "is missing")
    _check_application(findings, request, {"context": dict(pairs)}, "query appName")


def read_context(request: Request) -> Context:
    """The context of a request, also of one that the checks found fault with."""
    if request.method == "POST":
        document = parse_json(Findings(), request.body)
        return Context.from_json(document) if isinstance(document, dict) else Context()
    context = Context()
    for name, value in decode_pairs(Findings(), request.query or ""):
        inner = _property(name)
        if inner is not None:
            context.properties[inner] = value
        elif name in PLAIN:
            context.fields[name] = value
        else:
            context.properties[name] = value
    return context


@dataclass(frozen=True)
class Filter:
    """Which flags a backend client asks for."""

    projects: tuple[str, ...] = ()
    name_prefix: str = ""
    tags: tuple[str, ...] = ()

    def admits(self, feature: dict[str, Any]) -> bool:
        if self.projects and feature.get("project", "default") not in self.projects:
            return False
        if not feature["name"].startswith(self.name_prefix):
            return False
        return not self.tags or any(tag in self.tags for tag in feature.get("tags") or [])

    def as_json(self, environment: str) -> dict[str, Any]:
        found: dict[str, Any] = {"environment": environment, "inlineSegmentConstraints": False}
        if self.projects:
            found["project"] = list(self.projects)
        if self.name_prefix:
            found["namePrefix"] = self.name_prefix
        if self.tags:
            found["tag"] = [tag.split(":", 1) for tag in self.tags]
        return found


def read_filter(findings: Findings, request: Request, endpoint: Endpoint) -> Filter:
    """Reads `project`, `namePrefix` and `tag`; other endpoints than features take no query."""
    pairs = decode_pairs(findings, request.query or "", also_plain=":*")
    filtering = endpoint.name in ("features", "delta", "streaming")
    for name, value in pairs:
        where = f"query {name}"
        if not filtering or name not in ("project", "namePrefix", "tag"):
            findings.add(where, f"is not documented for {endpoint.name}")
        elif name == "tag":
            kind, colon, rest = value.partition(":")
            findings.require(bool(kind and colon and rest), where, f"must be name:value, is {value!r}")
        else:
            findings.require(value != "", where, "must not be empty")
    prefixes = [value for name, value in pairs if name == "namePrefix"]
    findings.require(len(prefixes) <= 1, "query namePrefix", "is sent more than once")
    return Filter(tuple(value for name, value in pairs if name == "project"),
                  prefixes[0] if prefixes else "",
                  tuple(value for name, value in pairs if name == "tag"))


def _property(name: str) -> str | None:
    """NAME of `properties[NAME]`."""
    return name[11:-1] if name.startswith("properties[") and name.endswith("]") else None


def _check_application(findings: Findings, request: Request, document: Any, where: str) -> None:
    context = document.get("context") if isinstance(document, dict) else None
    said = context.get("appName") if isinstance(context, dict) else None
    announced = request.header("unleash-appname")
    if said is not None and announced is not None:
        findings.require(said == announced, where, f"is {said!r}, but the header says {announced!r}")
