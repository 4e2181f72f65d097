"""What a simulator is told: what it answers by default, and what it may expect of its clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loopback.settings import Settings


@dataclass
class Options(Settings):
    """`change` sets options at run time, also through the control port, under these names."""

    unknown_site_status: int = 404
    """What a site or an environment that nobody published is answered with."""
    missing_key_status: int = 404
    """What remote data that nobody stored are answered with."""
    last_modified: bool = True
    """Whether configurations are sent with `Last-Modified`, and compared with `If-Modified-Since`."""
    compress: bool = False
    """Whether configurations are sent with gzip to clients that take it."""
    keep_alive_seconds: float = 15.0
    """How long a stream of real-time events is silent at most."""
    token_seconds: int = 7200
    """For how long access tokens are given out."""
    token_required: bool = False
    """Whether what bears no access token is answered with 401, though the real service takes it."""

    client_name: str = "SWIFT"
    """What requests must say of their sender; empty for any name."""
    client_version: str = "4.25.0"
    """Empty for any version."""
    user_agent: bool = True
    """Whether `User-Agent` must be `hoist/<semantic version>`; custom transports may send another."""
    maximum_body_bytes: int = 3 * 1024 * 1024
    """How large the body of a tracking request may be."""
    maximum_lines: int | None = None
    """How many lines a tracking request may have; None for any number."""
    maximum_previous_visits: int = 25
    """How many previous visits may be asked for."""

    exactly_once: bool = False
    """Whether an event may not come again whose acceptance its client has heard of."""
    consents: bool = False
    """Promises that the simulator is told whose consent was given (`consent`): where it is required, of other visitors
    only conversions and variations of targeted deliveries may come."""
    links: bool = True
    """Whether the custom data at the mapping index must be marked as such, and no other."""
    foreign_experiments: bool = False
    """Whether variations may be of experiments, and segments may be such, that this simulator never served."""
    foreign_dates: bool = False
    """Whether `If-Modified-Since` may name what this simulator never sent."""
    foreign_times: bool = False
    """Whether `ts` may name a time that no real-time event of this simulator had."""
    foreign_tokens: bool = False
    """Whether access tokens may be other than those that this simulator gave out."""

    def check(self, wanted: dict[str, Any]) -> None:
        for name in ("unknown_site_status", "missing_key_status"):
            if not isinstance(wanted[name], int) or not 400 <= wanted[name] <= 599:
                raise ValueError(f"{name} is the status of an error")
        for name in ("maximum_body_bytes", "maximum_previous_visits"):
            if not isinstance(wanted[name], int) or wanted[name] < 1:
                raise ValueError(f"{name} is a count")
        if wanted["maximum_lines"] is not None and wanted["maximum_lines"] < 1:
            raise ValueError("maximum_lines is a count")
        if wanted["keep_alive_seconds"] <= 0:
            raise ValueError("keep_alive_seconds is a time")
