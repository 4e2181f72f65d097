"""Kinds of vectors of LaunchDarkly's server-side mode."""

from __future__ import annotations

from vectors import Kind, Root, Service

from . import launchdarkly_rules as rules

INTERNAL = {
    "parse_values": "operands are not public by themselves",
    "big_segment_hash": "the hash is told to a store only",
    "store_updates": "updates come from the service only",
    "events": "events are not public by themselves",
    "index_dedup": "events are not public by themselves",
    "migration_events": "events are not public by themselves",
}
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
    kinds={
        "evaluation": Kind(rules.evaluate_sets, unseen=frozenset({"prerequisiteEvents"})),
        "bucketing": Kind(rules.place_contexts, unseen=frozenset({"bucket"})),
        "clauses": Kind(rules.test_clauses),
        "typed": Kind(rules.read_types),
        "all_flags_state": Kind(rules.list_flags),
        "secure_mode_hash": Kind(rules.hash_contexts),
    },
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
