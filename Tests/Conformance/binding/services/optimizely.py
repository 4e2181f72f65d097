"""Optimizely's kinds of vectors; the library does not open clients of the service yet."""

from __future__ import annotations

from vectors import Root, Service

MODULES_ONLY = "the library does not open clients of this service yet"
SIGNS = {
    "bucketing": "bucketValue", "audience_leaf": "condition", "semver": "target", "condition_tree": "tree",
    "event_batching": "expectBatches", "odp": "kind", "track": "eventKey", "variables": "oracleValue", "datafile_parse": "note",
    "legacy_api": "expectNotificationTypes", "user_profile": "steps", "decide": "call", "optimizely_config": "expect",
}
"""A member of every case, by the kind of the file; the first that fits counts."""


def kind_of_unnamed(root: Root) -> str | None:
    first = next(iter(root.get("cases", [])), None)
    if first is None:
        return None
    kind = next((kind for kind, sign in SIGNS.items() if sign in first), "unknown")
    return "cmab" if kind == "user_profile" and "serverScript" in first["steps"][0] else kind


OPTIMIZELY = Service(
    kinds={},
    internal={kind: MODULES_ONLY for kind in [*SIGNS, "cmab"]},
    kind_of_unnamed=kind_of_unnamed,
    expectations=frozenset({
        "hash", "bucketValue", "result", "semver_eq", "semver_lt", "semver_le", "semver_gt", "semver_ge", "expect",
        "expectReasons", "expectEvents", "expectNotifications", "expectProfileSaved", "expectSaved", "expectLookups",
        "expectNotificationTypes", "expectRequests", "expectError", "expectBatches", "expectRequest", "expectSegments",
        "expectEvent", "expectRetry",
    }),
    given=frozenset({
        "datafile", "attributes", "serverScript", "response", "data", "timestamp", "method", "headers", "timeout",
    }),
)
