"""What a conversion must be (protocol 3.3, `OPT-63`)."""

from __future__ import annotations

import math
from typing import Any

from loopback.findings import MAXIMUM_INTEGER, Findings, brief, mapping

from .project import Project
from .scalars import equal, is_number


def _tag(findings: Findings, where: str, value: Any) -> None:
    """Null is left out where a tag is null; inside of arrays and maps it may stay."""
    findings.require(value is not None, where, "must be left out rather than be null")


TAGS = mapping(_tag)


def check_conversion(findings: Findings, where: str, event: dict[str, Any], project: Project) -> None:
    known = project.events.get(event["key"])
    if findings.require(known is not None, f"{where}.key", f"{event['key']} is no event of the project"):
        findings.require(event["entity_id"] == known, f"{where}.entity_id", f"must be {known}, is {event['entity_id']}")
    tags = event.get("tags", {})
    for name, expected in (("revenue", _revenue(tags.get("revenue"))), ("value", _value(tags.get("value")))):
        if expected is None:
            findings.require(name not in event, f"{where}.{name}",
                             f"does not follow from the tag {brief(tags.get(name))}")
        elif findings.require(name in event, f"{where}.{name}", f"is missing beside the tag {brief(tags[name])}"):
            findings.require(equal(event[name], expected), f"{where}.{name}",
                             f"must be {brief(expected)}, is {brief(event[name])}")


def _revenue(tag: Any) -> int | None:
    """Integers, and doubles cut toward zero."""
    if not is_number(tag) or not math.isfinite(tag):
        return None
    whole = int(tag)
    return whole if -MAXIMUM_INTEGER - 1 <= whole <= MAXIMUM_INTEGER else None


def _value(tag: Any) -> float | None:
    return tag if is_number(tag) and math.isfinite(tag) else None
