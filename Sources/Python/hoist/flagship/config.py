"""What a client is opened from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..config import Config as _Config
from .caches import HitCache, VisitorCache, set_hit_cache, set_visitor_cache

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..properties import Flagship

class Config(_Config):
    """A `hoist.Config` of Flagship.

    Takes properties as that does, and `visitor_cache`, `hit_cache`: kept by the host in place of the client's own store.
    """

    __slots__ = ()

    def __init__(
        self,
        properties: Mapping[str, Any] | None = None,
        /,
        *,
        visitor_cache: VisitorCache | None = None,
        hit_cache: HitCache | None = None,
        **more: Unpack[Flagship],
    ) -> None:
        super().__init__("flagship", properties, **more)
        set_caches(self, visitor_cache, hit_cache)


def set_caches(config: _Config, visitor_cache: VisitorCache | None, hit_cache: HitCache | None) -> None:
    """Gives a configuration the host's own caches, where there are any."""
    if visitor_cache is not None:
        set_visitor_cache(config, visitor_cache)
    if hit_cache is not None:
        set_hit_cache(config, hit_cache)
