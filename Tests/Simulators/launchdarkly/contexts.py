"""Contexts: how requests carry them, and what identifies one (protocol 2.2, 3.3-3.5)."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any, Iterator

from loopback.findings import Findings, array, brief, literal, parse_json, record, text

KIND = re.compile(r"[A-Za-z0-9._-]+")
MULTI = "multi"

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_WHOLE = re.compile(rb"[0-9]\.0+(?![0-9eE])")
_SEGMENT = re.compile(r"[A-Za-z0-9_-]+={0,2}")
_PRIVATE = record({"privateAttributes": array(text(empty=True), 1)})


@dataclass(frozen=True)
class Context:
    """A context as a request carried it."""

    document: dict[str, Any]

    @property
    def key(self) -> str:
        """The fully-qualified key (3.5)."""
        return qualified_key(self.document)

    @property
    def identity(self) -> str:
        """Text that is equal for contexts whose answers may be told apart by no tag: which attributes are
        private does not matter (3.5, fingerprint)."""
        document = dict(self.document)
        for kind, part in parts(self.document):
            if "_meta" in part:
                part = {**part, "_meta": {}}
                document = part if document["kind"] != MULTI else {**document, kind: part}
        return canonical(document)


def parts(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kind and content of every single context in one."""
    if document["kind"] != MULTI:
        yield document["kind"], document
        return
    for kind, part in sorted(document.items()):
        if kind != "kind":
            yield kind, part


def qualified_key(document: dict[str, Any]) -> str:
    if document["kind"] == "user":
        return str(document["key"])
    return ":".join(f"{kind}:{_escaped(part['key'])}" for kind, part in parts(document))


def _escaped(key: str) -> str:
    return key.replace("%", "%25").replace(":", "%3A")


def canonical(value: Any) -> str:
    """Text to compare JSON by: whole numbers are integers, and true is not 1."""
    def plain(value: Any) -> Any:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, dict):
            return {name: plain(entry) for name, entry in value.items()}
        return [plain(entry) for entry in value] if isinstance(value, list) else value

    return json.dumps(plain(value), sort_keys=True, ensure_ascii=False)


def decode_segment(findings: Findings, segment: str) -> bytes | None:
    """Base64 with the URL-safe alphabet and its padding, and with no bits to spare."""
    if _SEGMENT.fullmatch(segment) is None or len(segment) % 4:
        findings.add("path", f"{segment[:40]!r} is not padded base64 of the URL-safe alphabet")
        return None
    try:
        decoded = base64.urlsafe_b64decode(segment)
    except (binascii.Error, ValueError) as error:
        findings.add("path", f"is not base64: {error}")
        return None
    exact = base64.urlsafe_b64encode(decoded).decode() == segment
    return decoded if findings.require(exact, "path", "has bits behind its last byte") else None


def read_context(findings: Findings, data: bytes) -> Context | None:
    """The context of a request for flags; None after a finding."""
    before, document = len(findings), parse_json(findings, data)
    if len(findings) > before:
        return None
    bare = _STRING.sub(b"", data)
    findings.require(re.search(rb"\s", bare) is None, "context", "must be compact JSON")
    findings.require(_WHOLE.search(bare) is None, "context", "writes a whole number with a fraction")
    if check_context(findings, "context", document, _request_meta):
        _check_order(findings, "context", document)
    return Context(document) if len(findings) == before else None


def check_context(findings: Findings, where: str, document: Any, meta: Any) -> bool:
    """The form of a context; `meta` is the shape of `_meta`. Returns whether it holds."""
    before = len(findings)
    if not isinstance(document, dict):
        findings.add(where, f"must be an object, is {brief(document)}")
    elif document.get("kind") != MULTI:
        text(KIND, "a kind")(findings, f"{where}.kind", document.get("kind"))
        findings.require(document.get("kind") != "kind", f"{where}.kind", "cannot be kind")
        _check_single(findings, where, document, meta, document.get("kind") == "user")
    else:
        kinds = [name for name in document if name != "kind"]
        findings.require(len(kinds) > 1, where, "must hold at least two kinds")
        for kind in kinds:
            fits = KIND.fullmatch(kind) is not None and kind != MULTI
            findings.require(fits, f"{where}.{kind}", "is no kind")
            if findings.require(isinstance(document[kind], dict), f"{where}.{kind}", "must be an object"):
                findings.require("kind" not in document[kind], f"{where}.{kind}.kind", "is told by the name already")
                _check_single(findings, f"{where}.{kind}", document[kind], meta, False)
    return len(findings) == before


def _check_single(findings: Findings, where: str, part: dict[str, Any], meta: Any, may_be_empty: bool) -> None:
    text(empty=may_be_empty)(findings, f"{where}.key", part.get("key"))
    for name, shape in (("name", text(empty=True)), ("anonymous", literal(True)), ("_meta", meta)):
        if name in part:
            shape(findings, f"{where}.{name}", part[name])
    for name, value in part.items():
        findings.require(bool(name), where, "has an attribute without a name")
        findings.require(value is not None, f"{where}.{name}", "is null and has to be left out")


def _request_meta(findings: Findings, where: str, value: Any) -> None:
    before = len(findings)
    _PRIVATE(findings, where, value)
    if len(findings) == before:
        names = value["privateAttributes"]
        findings.require(names == sorted(names), f"{where}.privateAttributes", "must be sorted")


def _check_order(findings: Findings, where: str, value: Any) -> None:
    """Members come in the order of their names, so that one context always has one address."""
    if isinstance(value, dict):
        findings.require(list(value) == sorted(value), where, "has members out of order")
        for name, entry in value.items():
            _check_order(findings, f"{where}.{name}", entry)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            _check_order(findings, f"{where}[{index}]", entry)
