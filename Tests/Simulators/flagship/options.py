"""What a simulator is told: what it answers by default, and what it may expect of its clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loopback.settings import Settings


@dataclass
class Options(Settings):
    """`change` sets options at run time, also through the control port, under these names."""

    unknown_environment_status: int = 403
    """What an environment that nobody published, or a wrong API key, is answered with."""
    last_modified: bool = True
    """Whether bucketing files are sent with `Last-Modified`, and compared with `If-Modified-Since`."""
    compress: bool = False
    """Whether bucketing files are sent with gzip to clients that take it."""
    extras: bool = True
    """Whether decisions bring the account settings along, when they are asked to."""

    client_name: str = "hoist"
    """What requests must say of their sender; empty for any name."""
    client_version: str = ""
    """Empty for any semantic version."""
    user_agent: bool = True
    """Whether `User-Agent` must be `hoist/<semantic version>`; custom transports may send another."""
    hits: str = "any"
    """How hits come: `batch`, `single` (each as a body of its own) or `any`."""
    maximum_batch_bytes: int = 2_621_440
    """How large a batch of hits may be."""
    maximum_hits: int | None = None
    """How many hits a batch may hold; None for any number."""
    maximum_activations: int = 100
    """How many activations one request may hold."""
    maximum_queue_ms: int = 4 * 3600 * 1000
    """How old a hit or an activation may be."""

    distinct: bool = False
    """Promises that no two hits or activations are alike: one that comes again must tell the age that it then has."""
    exactly_once: bool = False
    """Whether a hit or an activation may not come again whose acceptance its client has heard of."""
    distinct_segments: bool = False
    """Whether a SEGMENT hit may not tell what the visitor's last one told (FS-206)."""
    segments: str = "bucketing"
    """Which SEGMENT hits there may be: `any`, `none`, or none of visitors that decisions were asked for, and none where
    somebody asks for decisions and nobody for a bucketing file (`bucketing`)."""
    consent_first: bool = False
    """Whether a visitor's first hit must be about consent."""
    silent_after_refusal: bool = True
    """Whether hits of a visitor may not come after its refusal of consent."""
    late_consents: bool = False
    """Whether a request for decisions may say that a visitor consents who has refused, before a hit has said so."""
    several_identities: bool = False
    """Whether a visitor that decisions were asked for with an anonymous id may be told of without one, as where it is
    made once more."""
    final_refusals: bool = False
    """Promises that nobody takes a refusal back: then activations may not come after it either."""
    newest_first: bool = False
    """Whether the first activation of a request must be the youngest."""

    foreign_campaigns: bool = False
    """Whether activations may be of variations that this simulator never served."""
    foreign_dates: bool = False
    """Whether `If-Modified-Since` may name what this simulator never sent."""
    foreign_settings: bool = False
    """Whether troubleshooting may be on though this simulator's account settings do not say so."""

    def check(self, wanted: dict[str, Any]) -> None:
        if wanted["hits"] not in ("any", "batch", "single"):
            raise ValueError("hits is any, batch or single")
        if wanted["segments"] not in ("any", "none", "bucketing"):
            raise ValueError("segments is any, none or bucketing")
        if not 400 <= wanted["unknown_environment_status"] <= 599:
            raise ValueError("unknown_environment_status is the status of an error")
        for name in ("maximum_batch_bytes", "maximum_activations", "maximum_queue_ms"):
            if not isinstance(wanted[name], int) or wanted[name] < 1:
                raise ValueError(f"{name} is a count")
