"""What a simulator is told: what it answers by default, and what it may expect of its clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loopback.settings import Settings


@dataclass
class Options(Settings):
    """`change` sets options at run time, also through the control port, under these names."""

    unknown_key_status: int = 403
    """What an SDK key without a datafile is answered with: 403 or 404."""
    last_modified: bool = True
    """Whether datafiles are sent with `Last-Modified`, and compared with `If-Modified-Since`."""
    compress: bool = False
    """Whether datafiles are sent with gzip to clients that take it."""

    client_name: str = "hoist"
    """What events must say of their sender; empty for any name."""
    client_version: str = ""
    """Empty for any semantic version."""
    user_agent: bool = True
    """Whether `User-Agent` must be `hoist/<semantic version>`; custom transports may send another."""
    event_header: str = ""
    """A header that every request of events must bring, as a header provider of the host's sets it; empty for none."""
    maximum_visitors: int = 10
    """How many visitors one event request may hold."""
    maximum_platform_events: int = 10
    """How many events one request to the data platform may hold."""
    maximum_age_ms: int | None = 24 * 3600 * 1000
    """How old an event may be; None for any age."""
    maximum_skew_ms: int | None = 60 * 1000
    """How far in the future an event may be; None for any time."""
    exactly_once: bool = False
    """Whether an event may not come again whose acceptance its client has heard of."""

    foreign_events: bool = False
    """Whether events may be of datafiles and predictions that this simulator does not know."""
    foreign_dates: bool = False
    """Whether `If-Modified-Since` may name what this simulator never sent."""
    foreign_platform_data: bool = False
    """Whether callers may replace what the library says of itself in events of the data platform."""

    def check(self, wanted: dict[str, Any]) -> None:
        if wanted["unknown_key_status"] not in (403, 404):
            raise ValueError("unknown_key_status is 403 or 404")
        for name in ("maximum_visitors", "maximum_platform_events"):
            if not isinstance(wanted[name], int) or wanted[name] < 1:
                raise ValueError(f"{name} is a count")
