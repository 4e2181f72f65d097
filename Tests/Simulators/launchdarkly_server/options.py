"""What a simulator is told: what it answers by default, and what it may expect of its clients."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from launchdarkly.options import ServiceOptions

SDK_KEY = "sdk-11111111-2222-4333-8444-555555abcdef"
FILTER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass
class Options(ServiceOptions):
    """Besides those of the services for clients."""

    put_paths: bool = True
    """Whether `put` says that it is about everything."""
    compress_streams: bool = False
    """Whether streams come with gzip to clients that take it."""
    payload_filter: str = ""
    """The key of the payload filter that clients are told; empty for none."""
    filtered_flags: list[str] = field(default_factory=list)
    """The only flags that pass the filter; all of them when it is empty."""

    event_capacity: int = 10_000
    instance_ids: bool = True
    clients: int | None = None
    """How many clients there are of each key: one instance id more is refused. None for any number."""
    indexes: bool = True
    """Whether the first event of a context comes after one that introduces it; full buffers and events that never
    came to this service leave it out."""
    repeated_indexes: bool = False
    """Whether a context may be introduced again, as it is after 300 s, after 1,000 others, and after a fork."""
    omit_anonymous: bool = False
    """Whether clients are told not to introduce anonymous contexts."""

    def check(self, wanted: dict[str, Any]) -> None:
        super().check(wanted)
        if wanted["payload_filter"] and FILTER.fullmatch(wanted["payload_filter"]) is None:
            raise ValueError("payload_filter is letters, digits, '.', '_' and '-', and begins with a letter or digit")
