"""Values that several kinds of requests carry."""

from __future__ import annotations

import math
import re
from typing import Any

from loopback.findings import Findings, brief, text
from loopback.text import ANY_UUID4, SEMVER

LARGEST_NUMBER = 2**53

TEXT = text()
ANY_TEXT = text(empty=True)
UUID = text(ANY_UUID4, "a UUID of version 4")
VERSION = text(SEMVER, "a semantic version")
VUID = re.compile("vuid_[0-9a-f]{27}")


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_vuid(user_id: str) -> bool:
    """Whether a user id is an anonymous visitor's (5.8)."""
    return user_id[:5].lower() == "vuid_"


def attribute_value(findings: Findings, where: str, value: Any) -> None:
    """Text, a truth or a finite number of at most 2^53 (3.3)."""
    if is_number(value):
        fits = math.isfinite(value) and abs(value) <= LARGEST_NUMBER
        findings.require(fits, where, f"must be a number of at most 2^53, is {brief(value)}")
    elif not isinstance(value, (str, bool)):
        findings.add(where, f"must be text, a truth or a number, is {brief(value)}")


def scalar_or_null(findings: Findings, where: str, value: Any) -> None:
    holds = value is None or isinstance(value, (str, bool)) or (is_number(value) and math.isfinite(value))
    findings.require(holds, where, f"must be text, a truth, a number or null, is {brief(value)}")


def equal(left: Any, right: Any) -> bool:
    """Whether two JSON numbers are one; true is not 1."""
    return is_number(left) and is_number(right) and left == right
