"""What a simulator is told: what it answers by default, and what it may expect of its clients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from loopback.settings import Settings

MOBILE_KEY = "mob-11111111-2222-4333-8444-555555abcdef"
PUT, PING, NOTHING = "put", "ping", "nothing"


@dataclass
class ServiceOptions(Settings):
    """What the services for clients and for servers have in common.

    `change` sets options at run time, also through the control port, under these names.
    """

    prefix: str = ""
    """A path in front of every endpoint, as relays have one."""
    greeting: str = PUT
    """What a stream begins with: all flags, an order to poll, or nothing."""
    event_ids: bool = False
    """Whether events of streams carry ids."""
    keep_alive_seconds: float = 180.0
    tags: str = "quoted"
    """How entity tags of polls look: quoted, bare or off."""
    compress: bool = False
    """Whether polls are answered with gzip to clients that take it."""
    environment_id: str = ""
    """Sent as `X-LD-EnvID` where it is not empty."""
    clock_offset_seconds: float = 0.0
    """How far ahead the service's clock is, as the `Date` of event answers says."""
    date: str = ""
    """The `Date` of event answers as it stands; empty for the clock's."""

    context_summaries: bool = False
    """Whether there is a summary for each context, with that context. Kits for servers have one for all."""
    user_agent: bool = True
    """Whether `User-Agent` must be the kit's name and its semantic version; custom transports may send another."""
    wrapper: str = ""
    """`X-LaunchDarkly-Wrapper`; empty for none."""
    application: str = ""
    """`X-LaunchDarkly-Tags`; empty for none."""
    instance_ids: bool = False
    """Whether every request must carry an instance id; one that is sent must be a UUID in any case."""
    compressed_events: bool = False
    """Whether events and diagnostics come with gzip; they come as they are otherwise."""
    event_capacity: int = 100
    """How many events besides the summary one request may hold."""
    all_attributes_private: bool = False
    private_attributes: list[str] = field(default_factory=list)
    """References that clients are told to keep from events, besides those of each context."""
    secrets: list[str] = field(default_factory=list)
    """Text that may stand nowhere in events and diagnostics."""
    exactly_once: bool = True
    """Whether a payload may not come again whose acceptance its client has heard of."""
    maximum_age_ms: int | None = 24 * 3600 * 1000
    """How old an event may be; None for any age."""
    maximum_skew_ms: int | None = 60 * 1000
    """How far in the future an event may be; None for any time."""
    foreign_flags: bool = False
    """Whether events may be of flags that this simulator never served, as a cache may have them."""

    def check(self, wanted: dict[str, Any]) -> None:
        if wanted["tags"] not in ("quoted", "bare", "off"):
            raise ValueError("tags is quoted, bare or off")
        if wanted["prefix"] and (not wanted["prefix"].startswith("/") or wanted["prefix"].endswith("/")):
            raise ValueError("prefix begins with a slash and does not end with one")
        if wanted["greeting"] not in (PUT, PING, NOTHING):
            raise ValueError(f"greeting is {PUT}, {PING} or {NOTHING}")


@dataclass
class Options(ServiceOptions):
    """What only clients are told, and only their services answer."""

    with_reasons: bool = False
    """Whether clients ask for evaluation reasons."""
    secure_mode_hash: str = ""
    """What clients of an environment in secure mode send as `h`; empty for none."""
