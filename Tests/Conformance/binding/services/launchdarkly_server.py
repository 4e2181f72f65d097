"""Kinds of vectors of LaunchDarkly's server-side mode."""

from __future__ import annotations

from vectors import Root, Service

INTERNAL = dict.fromkeys(
    ("bucketing", "clauses", "parse_values", "secure_mode_hash", "all_flags_state", "typed", "evaluation", "store_updates",
     "events", "index_dedup", "migration_events", "big_segment_hash"), "the mode is not public")
SIGNS = {
    "bucketing": "rollout", "clauses": "clause", "parse_values": "input", "secure_mode_hash": "sdkKey",
    "all_flags_state": "options", "typed": "type", "events": "payloads", "index_dedup": "sequence",
    "migration_events": "calls", "evaluation": "data", "store_updates": "steps", "big_segment_hash": "expect",
}
"""A member of every case, by the kind of the file; the first that fits counts."""


def kind_of_unnamed(root: Root) -> str | None:
    first = next(iter(root.get("cases", [])), None)
    return first and next((kind for kind, sign in SIGNS.items() if sign in first), "unknown")


LAUNCHDARKLY_SERVER = Service(
    kinds={},
    internal=INTERNAL,
    kind_of_unnamed=kind_of_unnamed,
    expectations=frozenset({"expect", "accepted"}),
    expectations_by_kind={
        "store_updates": frozenset({"reconnect", "flags", "segments", "changed"}),
        "events": frozenset({"payloads", "stats"}),
        "index_dedup": frozenset({"index_contexts", "deduplicated"}),
    },
    given=frozenset({"oracle", "data", "divergence"}),
)
