"""Unleash's kinds of vectors."""

from __future__ import annotations

from vectors import Kind, Service

from .unleash_evaluation import can_say, distribution, evaluate, frontend_response, specification
from .unleash_frontend import frontend_context, frontend_decode, frontend_session, frontend_url
from .unleash_state import delta, state

UNLEASH = Service(
    kinds={
        "spec": Kind(specification),
        "evaluate": Kind(evaluate, can_say=can_say),
        "distribution": Kind(distribution),
        "frontend_response": Kind(frontend_response),
        "frontend_decode": Kind(frontend_decode),
        "frontend_url": Kind(frontend_url),
        "frontend_context": Kind(frontend_context),
        "frontend_session": Kind(frontend_session),
        "delta": Kind(delta, frozenset({"segmentIds"})),
        "state": Kind(state, frozenset({"segmentIds"})),
    },
    internal={
        "hash": "the hash is not public",
        "metrics": "the bucket is not public by itself",
        "impact_metrics": "a collection is not public by itself",
        "frontend_metrics": "a host cannot set the clock",
    },
    kind_of_unnamed=lambda root: "spec" if "tests" in root or "variantTests" in root else None,
    expectations=frozenset({"expect", "expectedResult", "status", "knownFlags", "segmentIds", "enabled", "found"}),
    given=frozenset({
        "states", "state", "features", "apply", "context", "customStrategies", "body", "oracle", "description", "seed", "id",
        "do", "etag", "cache", "instanceId", "unleash-sdk", "unleash-connection-id",
    }),
)
