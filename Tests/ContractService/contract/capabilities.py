"""What the service says it can do. The harness leaves out the tests of everything else."""

from __future__ import annotations

from . import plugin

_BOTH = [
    "strongly-typed",
    "service-endpoints",
    "tags",
    "context-type",
    "context-comparison",
    "user-type",
    "inline-context-all",
    "anonymous-redaction",
    "evaluation-hooks",
    "event-gzip",
    "optional-event-gzip",
    "polling-gzip",
    "client-prereq-events",
    "wrapper",
    "instance-id",
    "track-hooks",
    "hook-environment-id",
    "secure-mode-hash",
    "tls:verify-peer",
    "tls:custom-ca",
    "http-proxy",
]
_OF_SIDE = {
    "client": [
        "client-side",
        "mobile",
        "etag-caching",
        "client-prereq-cycle-detection",
        "client-event-source-http-errors",
        "auto-env-attributes",
        "client-per-context-summaries",
    ],
    "server": [
        "server-side",
        "server-side-polling",
        "all-flags-with-reasons",
        "all-flags-client-side-only",
        "all-flags-details-only-for-tracked-flags",
        "big-segments",
        "filtering",
        "filtering-strict",
        "migrations",
        "event-sampling",
        "omit-anonymous-contexts",
        "flag-change-listeners",
        "flag-value-change-listeners",
    ],
}
SIDES = tuple(_OF_SIDE)


def capabilities(side: str) -> list[str]:
    """Those of a side, with what depends on what is installed."""
    stores = ["persistent-data-store-redis"] if side == "server" and plugin.found() else []
    return _BOTH + _OF_SIDE[side] + stores
