"""Flagship's kinds of vectors."""

from __future__ import annotations

from vectors import Kind, Root, Service

from . import flagship_decisions as decisions
from . import flagship_visitors as visitors

INTERNAL = {
    "hash": "buckets are not public",
    "fetch_status": "polls come on a clock of the vectors' own",
    "wire_bucketing": "polls come on a clock of the vectors' own",
    "wire_activate": "when an answer has been taken in is not public",
}
INFORMATIVE = ("enabled1V1T", "strategy", "poolMaxSize")
"""Members of the cases of files that say what other programs of the vendor do."""


def kind_of_unnamed(root: Root) -> str | None:
    """Told from the first case, as the modules' run does."""
    first = next(iter(root.get("cases", [])), None)
    if first is None or any(name in first for name in INFORMATIVE):
        return None
    expected = first.get("expected")
    inner = expected if isinstance(expected, dict) else {}
    signs = [
        ("wire_decision_request", "bodyMustContain" in inner), ("wire_bucketing", "sdkStatusAfter" in inner),
        ("fetch_status", "steps" in first and "mode" in first), ("wire_consent", "step" in first and "consent" in first),
        ("wire_activate", "step" in first), ("xpc", "newVisitor" in first),
        ("wire_hits", "hit" in first and "visitorId" in first), ("hit_validation", "hit" in first),
        ("context", "accepted" in inner), ("targeting", "operator" in first), ("targeting_groups", "targetingGroups" in first),
        ("allocation", "variations" in first), ("campaigns", "bucketing" in first), ("flag_values", "defaultType" in first),
        ("decision_response", "response" in first), ("hash", "variationGroupId" in first),
    ]
    return next((kind for kind, holds in signs if holds), "unknown")


FLAGSHIP = Service(
    kinds={
        "targeting": Kind(decisions.targeting),
        "targeting_groups": Kind(decisions.targeting_groups),
        "allocation": Kind(decisions.allocation),
        "campaigns": Kind(decisions.campaigns),
        "decision_response": Kind(decisions.decision_response),
        "flag_values": Kind(decisions.flag_values),
        "context": Kind(visitors.context),
        "xpc": Kind(visitors.xpc),
        "hit_validation": Kind(visitors.hit_validation),
        "wire_hits": Kind(visitors.wire_hits),
        "wire_consent": Kind(visitors.wire_consent),
        "wire_decision_request": Kind(visitors.wire_decision_request),
    },
    internal=INTERNAL,
    kind_of_unnamed=kind_of_unnamed,
    expectations=frozenset({"expected"}),
    # What may differ, or may be missing.
    given=frozenset({"cid", "ds", "allowedBodyKeys"}),
)
