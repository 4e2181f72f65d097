"""What a simulator is told: its keys, what it offers, and what it may expect of its clients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from loopback.settings import Settings

FRONTEND_KEY = "*:development.hoist-frontend-secret"
BACKEND_KEY = "*:development.hoist-backend-secret"

SERVER, EDGE = "server", "edge"


@dataclass
class Options(Settings):
    """`change` sets options at run time, also through the control port, under these names."""

    flavour: str = SERVER
    prefix: str = ""
    """Path in front of `/api`, as hosted instances have one."""
    frontend_keys: list[str] = field(default_factory=lambda: [FRONTEND_KEY])
    backend_keys: list[str] = field(default_factory=lambda: [BACKEND_KEY])
    key_header: str = "Authorization"

    frontend_enabled: bool = True
    delta_enabled: bool = True
    streaming_enabled: bool = True
    metrics_enabled: bool = True
    """False: metrics are answered with 204."""
    ready: bool = True
    """False: Edge answers 503."""
    fetch_mode: str = ""
    """The hint in the `fetch-mode` header of features answers; empty for none."""
    keep_alive_seconds: float = 30.0
    compress: bool = False
    """Whether fetches are answered with gzip to clients that take it."""

    refresh_interval_ms: int | None = None
    """When known, `unleash-interval` of fetches must be exactly this."""
    metrics_interval_ms: int | None = None
    minimum_interval_ms: int = 1000
    """Smaller intervals other than 0 are taken for seconds."""
    maximum_clients: int | None = None
    """How many connection ids may turn up."""
    foreign_etags: bool = False
    """Whether If-None-Match and Last-Event-ID may name what this simulator never issued."""

    def check(self, wanted: dict[str, Any]) -> None:
        if wanted["flavour"] not in (SERVER, EDGE):
            raise ValueError("flavour is server or edge")
