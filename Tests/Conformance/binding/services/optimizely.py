"""Optimizely's kinds of vectors."""

from __future__ import annotations

from vectors import Kind, Root, Service

from .optimizely_calls import config, differs, legacy, sayable_call, track
from .optimizely_decisions import decide, profiles, sayable

INTERNAL = {
    "bucketing": "buckets are not public",
    "audience_leaf": "conditions are not public by themselves",
    "semver": "versions are not public by themselves",
    "condition_tree": "conditions are not public by themselves",
    "variables": "variables are not public by themselves",
    "datafile_parse": "the documents are not public by themselves",
    "event_batching": "batches are not public by themselves",
    "odp": "requests are not public by themselves",
    "cmab": "requests are not public by themselves",
}
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
    kinds={
        "decide": Kind(decide, can_say=sayable),
        "user_profile": Kind(profiles),
        "track": Kind(track, can_say=sayable_call),
        "legacy_api": Kind(legacy, can_say=sayable_call),
        "optimizely_config": Kind(config),
    },
    internal=INTERNAL,
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
    is_unchecked=differs,
)
