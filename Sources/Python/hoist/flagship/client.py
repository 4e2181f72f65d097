"""The Flagship client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._attributes import to_json
from .._callback import start as begin
from .._native import lib
from ..client import Client as _Client
from ..config import Config as _Config
from ..observer import Subscription
from ..status import Status
from .caches import HitCache, VisitorCache
from .config import Config, set_caches
from .context import Pairs
from .exposure import VisitorExposed
from .life import SDKStatus, observe
from .visitor import FetchReason, FetchStatus, Visitor, make

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..properties import FlagshipClient, FlagshipRest, Hooked

    class _More(FlagshipRest, Hooked, total=False):
        visitor_cache: VisitorCache | None
        hit_cache: HitCache | None


class Client(_Client):
    """A `hoist.Client` with Flagship's own calls.

        with flagship.Client(env_id=…, api_key=…) as client:
            visitor = client.visitor("user-42", context={"vip": True})
            visitor.fetch()

    Takes what `hoist.Client` takes but the provider's name, and what `flagship.Config` takes.
    """

    __slots__ = ()

    def __init__(
        self,
        properties: Mapping[str, Any] | _Config | None = None,
        /,
        *,
        visitor_cache: VisitorCache | None = None,
        hit_cache: HitCache | None = None,
        **more: Unpack[FlagshipClient],
    ) -> None:
        config = properties.copy() if isinstance(properties, _Config) else Config(properties)
        set_caches(config, visitor_cache, hit_cache)
        super().__init__(config, **more)

    # ---- Life ------------------------------------------------------------------------------------

    @property
    def status(self) -> SDKStatus:
        """Where the SDK stands."""
        return SDKStatus(lib.hoist_flagship_sdk_status(self._pointer))

    def start(self) -> Status:
        """Starts a client with property `autostart` off, or a closed one; does not wait."""
        return Status(lib.hoist_flagship_start(self._pointer))

    def observe_sdk(
        self,
        status_changed: Callable[[SDKStatus], object] | None = None,
        bucketing_changed: Callable[[], object] | None = None,
        exposed: VisitorExposed | None = None,
    ) -> Subscription:
        """Tells functions, at least one, on the client's delivery lane. Raises `hoist.Error`.

        `status_changed`: each change of the SDK's status. `bucketing_changed`: another bucketing file has come from the
        service. `exposed`: the service has an exposure, by visitor and flag. Who wants to miss nothing opens the client
        with the property `autostart` off, and starts it afterwards.
        """
        return observe(self, status_changed, bucketing_changed, exposed)

    def collect_emotion(
        self, event: Mapping[str, Any], done: Callable[[Status], object] | None = None
    ) -> Status:
        """Sends an event of a visitor's session to the service that makes emotion scores; `done` is called once if OK.

        Needs the property `emotion_score` and an account that collects. Raises `hoist.Error` for what JSON cannot say.
        """
        text, call = to_json(dict(event), "the event"), lib.hoist_flagship_collect_emotion
        return begin(lambda told, data: call(self._pointer, text, len(text), told, data), done)

    async def collect_emotion_async(self, event: Mapping[str, Any], timeout: float | None = None) -> Status:
        """`collect_emotion` for asyncio, until the service has it."""
        from .. import _awaited

        return await _awaited.status_of(self, lambda done: self.collect_emotion(event, done), timeout)

    # ---- Visitors --------------------------------------------------------------------------------

    def visitor(
        self,
        id: str | None = None,
        has_consented: bool = True,
        *,
        is_authenticated: bool = False,
        shared: bool = True,
        context: Pairs | None = None,
        exported: str | bytes | None = None,
        on_fetch_status: Callable[[FetchStatus, FetchReason], object] | None = None,
        on_fetch_required: Callable[[FetchReason], object] | None = None,
        on_fetched: Callable[[], object] | None = None,
    ) -> Visitor:
        """Makes a visitor. Raises `hoist.Error`.

        With consent the visitor cache is asked first, for as long as `visitor_cache.timeout_ms`
        says. `id` None: one is generated. `shared`: it becomes `shared_visitor`, whose context is
        the client's current one. `exported`: what `Visitor.export` gave for this id.
        `on_fetch_status` is told of each change of status and reason, `on_fetch_required` when
        flags have to be fetched, `on_fetched` when they are, on the client's delivery lane.
        """
        told = {"fetch_changed": on_fetch_status, "fetch_required": on_fetch_required, "fetched": on_fetched}
        return make(
            self, id, has_consented=has_consented, is_authenticated=is_authenticated, shared=shared, context=context,
            exported=exported, told={name: function for name, function in told.items() if function is not None},
        )  # fmt: skip

    @property
    def shared_visitor(self) -> Visitor | None:
        """The visitor that the client itself speaks for; None when there is none, and after close."""
        pointer = lib.hoist_flagship_shared_visitor(self._pointer)
        return Visitor(pointer, self) if pointer else None


def start(
    env_id: str, api_key: str, config: _Config | Mapping[str, Any] | None = None, **more: Unpack[_More]
) -> Client:
    """A client, by what the vendor's SDKs are started with. Takes a configuration, or what `flagship.Config` takes."""
    return Client(config, env_id=env_id, api_key=api_key, **more)
