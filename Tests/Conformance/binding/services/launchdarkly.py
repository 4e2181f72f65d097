"""LaunchDarkly's kinds of vectors."""

from __future__ import annotations

from vectors import Kind, Root, Service

from . import launchdarkly_contexts as contexts

INTERNAL = {
    "tags": "headers are not public by themselves",
    "evaluation": "flags come from the service only",
    "events": "events are not public by themselves",
    "sse": "streams are not public by themselves",
    "cache": "the cache is not public by itself",
    "throttle": "pauses are not public by themselves",
    "identify_queue": "the queue is not public by itself",
    "stream_backoff": "pauses are not public by themselves",
    "http_status": "requests are not public by themselves",
    "store_updates": "flags come from the service only",
}
SIGNS = {
    "context_hash": "fingerprint_input", "attribute_refs": "literal", "redaction": "redact_anonymous",
    "request_context": "json_in_url", "tags": "versionName", "context_parse": "input", "evaluation": "calls",
    "events": "payloads", "sse": "chunks_base64", "cache": "max_cached_contexts", "throttle": "call_times_ms",
    "identify_queue": "callbacks", "stream_backoff": "delays_ms", "http_status": "poll_report_retries_with_get",
    "store_updates": "steps",
}
"""A member of every case, by the kind of the file; the first that fits counts."""


def kind_of_unnamed(root: Root) -> str | None:
    first = next(iter(root.get("cases", [])), None)
    return first and next((kind for kind, sign in SIGNS.items() if sign in first), "unknown")


LAUNCHDARKLY = Service(
    kinds={
        "context_parse": Kind(contexts.parse, can_say=contexts.sayable_key),
        "context_hash": Kind(contexts.identify, unseen=frozenset({"hashed_key", "fingerprint"})),
        "attribute_refs": Kind(contexts.references, can_say=contexts.sayable_reference),
        "redaction": Kind(contexts.redact),
        "request_context": Kind(contexts.request),
    },
    internal=INTERNAL,
    kind_of_unnamed=kind_of_unnamed,
    expectations=frozenset({
        "valid", "output", "fully_qualified_key", "context_keys", "hashed_key", "fingerprint", "components", "json_in_url",
        "header",
    }),
    expectations_by_kind={
        "evaluation": frozenset({"expect", "allFlags"}),
        "events": frozenset({"payloads"}),
        "sse": frozenset({"events", "retry_ms"}),
        "cache": frozenset({"expect"}),
        "throttle": frozenset({"delays_ms"}),
        "identify_queue": frozenset({"callbacks", "in_flight_at_end", "waiting_at_end"}),
        "stream_backoff": frozenset({"delays_ms"}),
        "http_status": frozenset({"stream", "poll", "poll_report_retries_with_get", "event_post"}),
        "store_updates": frozenset({"status", "flags", "tombstones", "changed", "changes", "unchanged_notified"}),
    },
    given=frozenset({"privateAttributes"}),
)
