"""What a simulator is told: its keys, what it offers, and what it may expect of its clients."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

FRONTEND_KEY = "*:development.hoist-frontend-secret"
BACKEND_KEY = "*:development.hoist-backend-secret"

SERVER, EDGE = "server", "edge"


@dataclass
class Options:
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

    def change(self, **changes: Any) -> None:
        """Sets options; raises ValueError for a name or a type that does not fit."""
        for name, value in changes.items():
            if name not in _NAMES:
                raise ValueError(f"no option {name}")
            if not _fits(getattr(Options(), name), value):
                raise ValueError(f"option {name} cannot be {value!r}")
        if changes.get("flavour", self.flavour) not in (SERVER, EDGE):
            raise ValueError("flavour is server or edge")
        for name, value in changes.items():
            setattr(self, name, value)

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in sorted(_NAMES)}


_NAMES = {option.name for option in fields(Options)}


def _fits(default: Any, value: Any) -> bool:
    if default is None:
        return value is None or (isinstance(value, int) and not isinstance(value, bool))
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, (int, float)):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if isinstance(default, list):
        return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    return isinstance(value, type(default))
