"""What a client is opened from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..config import Config as _Config
from . import exposure, life
from .caches import HitCache, VisitorCache, set_hit_cache, set_visitor_cache
from .exposure import VisitorExposed
from .life import SDKStatus


class Config(_Config):
    """A `hoist.Config` of Flagship.

    Takes properties as that does, and

    - `visitor_cache`, `hit_cache`: kept by the host in place of the client's own store;
    - `on_status_changed`: told of each change of the SDK's status;
    - `on_bucketing_changed`: told when another bucketing file has come from the service;
    - `on_visitor_exposed`: told of each exposure, by visitor and flag, once the service has it.
    """

    __slots__ = ()

    def __init__(
        self,
        properties: Mapping[str, Any] | None = None,
        /,
        *,
        visitor_cache: VisitorCache | None = None,
        hit_cache: HitCache | None = None,
        on_status_changed: Callable[[SDKStatus], object] | None = None,
        on_bucketing_changed: Callable[[], object] | None = None,
        on_visitor_exposed: VisitorExposed | None = None,
        **more: Any,
    ) -> None:
        super().__init__("flagship", properties, **more)
        if visitor_cache is not None:
            set_visitor_cache(self, visitor_cache)
        if hit_cache is not None:
            set_hit_cache(self, hit_cache)
        life.set_listener(self, on_status_changed, on_bucketing_changed)
        if on_visitor_exposed is not None:
            exposure.set_observer(self, on_visitor_exposed)
