"""Compiling and testing constraints (protocol C.4-C.7)."""

from __future__ import annotations

import math
import operator
import re
from typing import Any, Callable

from .context import Context
from .values import Unreadable, Value, read_address, read_context, read_network, read_value

Test = Callable[[Context], bool]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "NUM_EQ": operator.eq, "NUM_GT": operator.gt, "NUM_GTE": operator.ge, "NUM_LT": operator.lt,
    "NUM_LTE": operator.le, "DATE_AFTER": operator.gt, "DATE_BEFORE": operator.lt,
    "SEMVER_EQ": operator.eq, "SEMVER_GT": operator.gt, "SEMVER_LT": operator.lt,
    "SEMVER_GTE": operator.ge, "SEMVER_LTE": operator.le,
}
TEXT_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "STR_STARTS_WITH": str.startswith, "STR_ENDS_WITH": str.endswith, "STR_CONTAINS": operator.contains,
}
EPSILON = 2.220446049250313e-16


class CompileFailure(Exception):
    """A rule that switches its whole flag off (C.2)."""


class UnsupportedPattern(ValueError):
    """An expression of a dialect that this evaluator does not speak. Raised while evaluating."""


def compile_constraint(constraint: dict[str, Any]) -> Test:
    """The test of one constraint, `inverted` included."""
    name = constraint.get("operator")
    values = constraint.get("values") or []
    field = constraint.get("contextName", "")
    refuse_artefacts(field, *values)
    if '"' in field:
        raise CompileFailure("quote in contextName")
    if name in ("IN", "NOT_IN"):
        test = _membership(field, values, name == "NOT_IN")
    elif name in TEXT_OPERATORS:
        test = _text(field, values, TEXT_OPERATORS[name], bool(constraint.get("caseInsensitive")))
    elif name in COMPARISONS:
        return _comparison(constraint, field, name)
    elif name == "REGEX":
        test = _expression(field, constraint.get("value") or "", bool(constraint.get("caseInsensitive")))
    elif name == "IN_CIDR":
        test = _ranges(field, values)
    else:
        raise CompileFailure(f"unknown operator {name}")
    return _inverted(test) if constraint.get("inverted") else test


def refuse_artefacts(*texts: str) -> None:
    """The engine quotes texts into rules; one that ends in a backslash breaks its quotes."""
    if any(text.endswith("\\") for text in texts):
        raise CompileFailure("text ends in a backslash")


def in_ranges(values: list[str], address: str | None) -> bool:
    """Whether an address is in one of the ranges; unreadable entries do not count."""
    found = read_address(address) if address is not None else None
    if found is None:
        return False
    networks = [network for network in map(read_network, values) if network is not None]
    return any(network.version == found.version and found in network for network in networks)


def _inverted(test: Test) -> Test:
    return lambda context: not test(context)


def _membership(field: str, values: list[str], absent: bool) -> Test:
    members = set(values)

    def test(context: Context) -> bool:
        value = context.get_timed(field)
        return absent if value is None else (value in members) != absent

    return test


def _text(field: str, values: list[str], compare: Callable[[str, str], bool], folded: bool) -> Test:
    if not values:
        raise CompileFailure("no values")
    wanted = [value.lower() for value in values] if folded else values

    def test(context: Context) -> bool:
        value = context.get_timed(field)
        if value is None:
            return False
        found = value.lower() if folded else value
        return any(compare(found, entry) for entry in wanted)

    return test


def _comparison(constraint: dict[str, Any], field: str, name: str) -> Test:
    given = constraint.get("value")
    if given is None:
        raise CompileFailure("no value")
    if name.startswith("SEMVER") and given.startswith("v"):
        return lambda context: False
    try:
        value = read_value(given)
    except Unreadable:
        raise CompileFailure(f"value {given!r}") from None
    compare = COMPARISONS[name]

    def test(context: Context) -> bool:
        text = context.get_timed(field)
        if text is None:
            return False
        try:
            return _compare(compare, read_context(text, value), value)
        except Unreadable:
            return False

    return _inverted(test) if constraint.get("inverted") else test


def _compare(compare: Callable[[Any, Any], bool], found: Value, value: Value) -> bool:
    if compare is operator.eq and isinstance(found, float) and isinstance(value, float):
        difference = found - value
        return not math.isnan(difference) and abs(difference) < EPSILON
    return compare(found, value)


def _ranges(field: str, values: list[str]) -> Test:
    if not values:
        raise CompileFailure("no values")
    return lambda context: in_ranges(values, context.get_timed(field))


def _expression(field: str, pattern: str, folded: bool) -> Test:
    refuse_artefacts(pattern)

    def test(context: Context) -> bool:
        value = context.get_timed(field)
        try:
            return value is not None and translate(pattern, folded).search(value) is not None
        except re.error:
            return False

    return test


_POSIX = {"alpha": "A-Za-z", "digit": "0-9", "alnum": "0-9A-Za-z", "upper": "A-Z", "lower": "a-z",
          "space": r"\t\n\v\f\r ", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f"}
_FOREIGN = re.compile(r"\\[pPzZ]|\[:|&&|--|~~|\(\?[a-zA-Z]*[uUR]|\(\?-|\\x\{|\\b\{|[*+?}]\+")
_REFUSED = re.compile(r"\(\?(?:=|!|<=|<!|>)|\\[1-9]")


def translate(pattern: str, folded: bool) -> re.Pattern[str]:
    """Makes an expression of the service's dialect one of ours where the two agree (C.6)."""
    if _REFUSED.search(pattern):
        raise re.error("look-around and back-references are refused")
    pattern = re.sub(r"\[:(\w+):\]", lambda match: _POSIX.get(match.group(1), match.group(0)), pattern)
    if _FOREIGN.search(pattern):
        raise UnsupportedPattern(f"expression {pattern!r} is beyond this simulator")
    flags = re.search(r"(?<!\\)\(\?([imsx]+)\)", pattern)
    multiline = flags is not None and "m" in flags.group(1)
    ours = pattern if multiline else re.sub(r"(?<!\\)\$", r"\\Z", pattern)
    return re.compile(_scope(ours, pattern), re.IGNORECASE if folded else 0)


def _scope(ours: str, pattern: str) -> str:
    """Flags in the middle hold for the rest; Python wants to see that in brackets."""
    parts = re.split(r"(?<!\\)(\(\?[imsx]+\))", ours, maxsplit=1)
    if len(parts) == 1 or not parts[0]:
        return ours
    before, opening, rest = parts
    if "(" in before or "|" in rest or re.search(r"\(\?[imsx]+\)", rest):
        raise UnsupportedPattern(f"expression {pattern!r} is beyond this simulator")
    return f"{before}{opening[:-1]}:{rest})"
