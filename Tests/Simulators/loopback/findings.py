"""Violations of the protocol, and the shapes that JSON documents are checked against."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Callable


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong in one request. `where` names it: `header unleash-sdk`, `body.bucket.stop`."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class Findings(list[Violation]):
    """Collects everything that is wrong, so that one refusal shows the whole picture."""

    def add(self, where: str, message: str) -> None:
        self.append(Violation(where, message))

    def require(self, holds: bool, where: str, message: str) -> bool:
        if not holds:
            self.add(where, message)
        return holds


Shape = Callable[[Findings, str, Any], None]

MAXIMUM_INTEGER = 2**63 - 1


def brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def text(pattern: re.Pattern[str] | None = None, what: str = "", maximum: int | None = None,
         empty: bool = False) -> Shape:
    """A text; not empty unless allowed, wholly matching `pattern` (described by `what`), at most `maximum` long."""

    def check(findings: Findings, where: str, value: Any) -> None:
        if not isinstance(value, str):
            findings.add(where, f"must be text, is {brief(value)}")
        elif not value and not empty:
            findings.add(where, "must not be empty")
        elif pattern is not None and pattern.fullmatch(value) is None:
            findings.add(where, f"must be {what}, is {brief(value)}")
        elif maximum is not None and len(value) > maximum:
            findings.add(where, f"is longer than {maximum} characters")

    return check


def one_of(*allowed: str) -> Shape:
    def check(findings: Findings, where: str, value: Any) -> None:
        if not isinstance(value, str) or value not in allowed:
            findings.add(where, f"must be one of {', '.join(allowed)}, is {brief(value)}")

    return check


def integer(minimum: int = 0) -> Shape:
    """A JSON integer (no fraction, no exponent, not a boolean) that fits 64 bits."""

    def check(findings: Findings, where: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            findings.add(where, f"must be an integer, is {brief(value)}")
        elif value < minimum:
            findings.add(where, f"must be at least {minimum}, is {value}")
        elif value > MAXIMUM_INTEGER:
            findings.add(where, f"does not fit 64 bits: {value}")

    return check


def number() -> Shape:
    def check(findings: Findings, where: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            findings.add(where, f"must be a finite number, is {brief(value)}")

    return check


def nullable(shape: Shape) -> Shape:
    def check(findings: Findings, where: str, value: Any) -> None:
        if value is not None:
            shape(findings, where, value)

    return check


def literal(expected: Any) -> Shape:
    """Exactly this value, of this type."""

    def check(findings: Findings, where: str, value: Any) -> None:
        holds = type(value) is type(expected) and value == expected
        findings.require(holds, where, f"must be {brief(expected)}, is {brief(value)}")

    return check


def boolean() -> Shape:
    def check(findings: Findings, where: str, value: Any) -> None:
        findings.require(isinstance(value, bool), where, f"must be true or false, is {brief(value)}")

    return check


def array(of: Shape, minimum: int = 0, maximum: int | None = None) -> Shape:
    def check(findings: Findings, where: str, value: Any) -> None:
        if not isinstance(value, list):
            findings.add(where, f"must be an array, is {brief(value)}")
            return
        findings.require(len(value) >= minimum, where, f"must hold at least {minimum} entries")
        findings.require(maximum is None or len(value) <= maximum, where, f"must hold at most {maximum} entries")
        for index, entry in enumerate(value):
            of(findings, f"{where}[{index}]", entry)

    return check


def mapping(of: Shape) -> Shape:
    """An object with any names and values of one shape."""

    def check(findings: Findings, where: str, value: Any) -> None:
        if not isinstance(value, dict):
            findings.add(where, f"must be an object, is {brief(value)}")
            return
        for name, entry in value.items():
            of(findings, f"{where}.{name}", entry)

    return check


def record(required: dict[str, Shape], optional: dict[str, Shape] | None = None) -> Shape:
    """An object with exactly these members."""
    known = {**required, **(optional or {})}

    def check(findings: Findings, where: str, value: Any) -> None:
        if not isinstance(value, dict):
            findings.add(where, f"must be an object, is {brief(value)}")
            return
        for name in required:
            findings.require(name in value, f"{where}.{name}", "is missing")
        for name, entry in value.items():
            if name in known:
                known[name](findings, f"{where}.{name}", entry)
            else:
                findings.add(f"{where}.{name}", "is not a documented member")

    return check


class _Duplicate(ValueError):
    pass


def parse_json(findings: Findings, body: bytes) -> Any:
    """Strict JSON: UTF-8 without a mark, no NaN, no name twice. Returns None after a finding."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in found]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise _Duplicate(f"member {twice} occurs twice")
        return dict(found)

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    if not body:
        findings.add("body", "is empty")
        return None
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=pairs, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        findings.add("body", f"is not strict JSON: {error}")
        return None
