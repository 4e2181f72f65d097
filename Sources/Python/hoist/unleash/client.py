"""The Unleash client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from .. import detail as _detail
from .. import observer as _observer
from .._callback import function, start, table
from .._native import NULL, ffi, lib, native
from .._text import KEYS, decode, document, encode, milliseconds, optional, take, wrong
from .._wait import interruptible
from ..client import Client as _Client
from ..config import Config
from ..context import Context, ContextLike, as_context, pointer_of
from ..observer import Observer, Subscription, Topic
from ..status import Error, ErrorSlot, Status, check
from . import variant as _variant
from .bootstrap import BootstrapLike, as_bootstrap
from .impact import ImpactMetrics
from .impression import Impression
from .storage import Storage
from .strategy import Strategy, StrategyFunction, as_strategy
from .variant import Variant

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..properties import UnleashClient

Fallback = Union[bool, Callable[[str, Union[Context, None]], bool], None]
"""The answer for an unknown toggle, or a function that gives it."""

_is_enabled = lib.hoist_unleash_is_enabled


@dataclass(frozen=True, slots=True)
class ToggleInfo:
    """What is known about a toggle without evaluating it for anybody."""

    name: str
    enabled: bool
    type: str = ""
    project: str = ""


def version() -> str:
    """Version as the header unleash-sdk reports it."""
    return decode(lib.hoist_unleash_version())


class Client(_Client):
    """A `hoist.Client` with Unleash's own calls.

    Takes what `hoist.Client` takes but the provider's name, and
    - `toggles`: flags to start with, readable at once; a `Bootstrap`, a list of `Toggle` (frontend mode), a document;
    - `strategies`: custom strategies by name;
    - `storage`: keeps the toggles in place of the library's memory;
    - `poller`: a configuration that says how flags are fetched, in place of this one.
    """

    __slots__ = ()

    def __init__(
        self,
        given: Mapping[str, Any] | Config | None = None,
        /,
        *,
        toggles: BootstrapLike | None = None,
        strategies: Mapping[str, Strategy | StrategyFunction] | None = None,
        storage: Storage | None = None,
        poller: Config | None = None,
        **more: Unpack[UnleashClient],
    ) -> None:
        config = given.copy() if isinstance(given, Config) else Config("unleash", given)
        if toggles is not None:
            set_bootstrap = lib.hoist_unleash_config_set_bootstrap
            check(set_bootstrap(config._pointer, as_bootstrap(toggles)._pointer), "the bootstrap")
        for name, strategy in (strategies or {}).items():
            add_strategy(config, name, strategy)
        if storage is not None:
            set_storage(config, storage)
        if poller is not None and not isinstance(poller, Config):
            raise wrong(poller, "a hoist.Config")
        if poller is not None:
            check(lib.hoist_unleash_config_set_poller(config._pointer, poller._pointer), "the poller")
        super().__init__(config, **more)

    # ---- Toggles and variants --------------------------------------------------------------------

    def is_enabled(self, name: str, context: ContextLike = None, fallback: Fallback = None) -> bool:
        """Whether a toggle is on; counted.

        In frontend mode off and unknown look alike: `fallback` is asked before the first flags only.
        """
        try:
            made = as_context(context)
        except Error:
            return fallback if isinstance(fallback, bool) else False
        if fallback is None:
            result: bool = _is_enabled(self._pointer, KEYS[name], pointer_of(made))
            return result
        answer = fallback if callable(fallback) else lambda *_: fallback
        handle = ffi.new_handle(answer)
        call = lib.hoist_unleash_is_enabled_or
        return bool(call(self._pointer, KEYS[name], pointer_of(made), function("unleash_fallback"), handle))

    def check_enabled(self, name: str, context: ContextLike = None) -> bool:
        """Whether a toggle is on, without counting or announcing."""
        try:
            made = as_context(context)
        except Error:
            return False
        return bool(lib.hoist_unleash_check_enabled(self._pointer, KEYS[name], pointer_of(made)))

    def get_variant(self, name: str, context: ContextLike = None) -> Variant:
        """The variant chosen for the context; counted. "disabled" when there is none."""
        return _get_variant(self._pointer, name, context, True)

    def check_variant(self, name: str, context: ContextLike = None) -> Variant:
        """`get_variant` without counting or announcing."""
        return _get_variant(self._pointer, name, context, False)

    def list_toggles(self) -> list[ToggleInfo]:
        """The known toggles; nothing is counted."""
        rows = _detail.load(take(lib.hoist_unleash_list_toggles(self._pointer)) or b"[]") or []
        return [
            ToggleInfo(row.get("name", ""), bool(row.get("enabled")), row.get("type") or "", row.get("project") or "")
            for row in rows
        ]

    # ---- Start and stop --------------------------------------------------------------------------

    def start(self, toggles: BootstrapLike | None = None, timeout: float | None = 5.0) -> Status:
        """Starts fetching, for clients opened with `autostart` off, or anew, and waits for the first fetch.

        With `toggles` those are served at once, and the first fetch comes after one refresh interval.
        """
        bootstrap = None if toggles is None else as_bootstrap(toggles)
        pointer = NULL if bootstrap is None else bootstrap._pointer
        call, limit = lib.hoist_unleash_start_wait, milliseconds(timeout)
        return Status(interruptible(lambda: call(self._pointer, pointer, limit)))

    def start_soon(
        self, toggles: BootstrapLike | None = None, done: Callable[[Status], object] | None = None
    ) -> Status:
        """`start` that does not wait; `done` is called once if this answers OK."""
        bootstrap = None if toggles is None else as_bootstrap(toggles)
        pointer = NULL if bootstrap is None else bootstrap._pointer
        return start(lambda call, data: lib.hoist_unleash_start(self._pointer, pointer, call, data), done)

    async def start_async(self, toggles: BootstrapLike | None = None, timeout: float | None = 5.0) -> Status:
        """`start` for asyncio."""
        from .. import _awaited

        return await _awaited.status_of(self, lambda done: self.start_soon(toggles, done), timeout)

    def stop(self) -> Status:
        """Ends fetching and removes every observer. Flags stay readable; `start` begins again."""
        return Status(lib.hoist_unleash_stop(self._pointer))

    @property
    def is_ready(self) -> bool:
        """Whether flags have been fetched, or stored ones confirmed: the event "ready" has been told."""
        return bool(lib.hoist_unleash_is_ready(self._pointer))

    @property
    def last_error(self) -> Status:
        """Why the last fetch failed; OK when it did not."""
        return Status(lib.hoist_unleash_last_error(self._pointer))

    # ---- Context ---------------------------------------------------------------------------------

    def update_context(self, context: ContextLike, properties: ContextLike = None, timeout: float | None = 5.0) -> Status:
        """Replaces the current context and waits for its flags.

        userId, sessionId and remoteAddress are fields, everything else properties, over which
        `properties` are laid.
        """
        made, laid = as_context(context), as_context(properties)
        call, limit = lib.hoist_unleash_update_context_wait, milliseconds(timeout)
        return Status(interruptible(lambda: call(self._pointer, pointer_of(made), pointer_of(laid), limit)))

    def update_context_soon(
        self,
        context: ContextLike,
        properties: ContextLike = None,
        done: Callable[[Status], object] | None = None,
    ) -> Status:
        """`update_context` that does not wait; `done` is called once if this answers OK."""
        made, laid = as_context(context), as_context(properties)
        update = lib.hoist_unleash_update_context
        return start(lambda call, data: update(self._pointer, pointer_of(made), pointer_of(laid), call, data), done)

    async def update_context_async(
        self, context: ContextLike, properties: ContextLike = None, timeout: float | None = 5.0
    ) -> Status:
        """`update_context` for asyncio."""
        from .. import _awaited

        return await _awaited.status_of(
            self, lambda done: self.update_context_soon(context, properties, done), timeout
        )

    def set_context_field(self, name: str, value: str | None) -> Status:
        """Sets, or with None removes, one field or property; several changes in a row are fetched once.

        ARGUMENT for appName and environment in frontend mode: the properties `app_name` and `environment` say them.
        """
        return Status(lib.hoist_unleash_set_context_field(self._pointer, encode(name), optional(value)))

    @property
    def context(self) -> dict[str, Any]:
        """The current context as one flat dict."""
        return _detail.load(take(lib.hoist_unleash_context(self._pointer)) or b"{}") or {}

    # ---- Events and metrics ----------------------------------------------------------------------

    def on_event(self, name: str) -> Callable[[Observer], Observer]:
        """Subscribes by Unleash's name: ready, update, sent, error, fetch_error, impression, initialized, recovered.

        "ready" and "update" are told as the vendor's SDKs tell them (`Topic.UNLEASH_READY`, `Topic.UNLEASH_UPDATE`): only
        when flags have been fetched, and only to who has subscribed by then.
        """
        topic = lib.hoist_unleash_event_topic(encode(name))
        if topic == 0:
            raise Error(Status.ARGUMENT, f'Unleash has no event "{name}"')
        return self.on(Topic(topic))

    def on_impression(self, observer: Callable[[Impression], object], name: str | None = None) -> Subscription:
        """Calls a function of one `Impression` for each, or for those of one toggle."""
        return self.observe(_observer.Topic.IMPRESSION, lambda news: observer(Impression.from_notification(news)), name)

    @property
    def impact(self) -> ImpactMetrics:
        """Impact metrics."""
        return ImpactMetrics(self)


def _plain_variant(client: Any, name: str, context: ContextLike, is_counted: bool) -> Variant:
    try:
        made = as_context(context)
    except Error:
        return Variant()
    call = lib.hoist_unleash_get_variant if is_counted else lib.hoist_unleash_check_variant
    return _variant.read(call(client, KEYS[name], pointer_of(made)))


_get_variant: Callable[[Any, str, ContextLike, bool], Variant] = (
    native.calls.unleash_variant if native.calls else _plain_variant
)


def context_from_json(text: str | bytes) -> Context:
    """A context from JSON as Unleash's engine reads one: "properties" are opened, numbers become text."""
    data = document(text)
    slot = ErrorSlot()
    pointer = lib.hoist_unleash_context_from_json(data, len(data), slot.pointer)
    if not pointer:
        raise slot.failed("the context cannot be read")
    return Context._adopt(pointer)


def add_strategy(config: Config, name: str, strategy: Strategy | StrategyFunction) -> None:
    """Registers a custom strategy under a name; a later one of the same name replaces it."""
    slot = ErrorSlot()
    filled = table("unleash_strategy", as_strategy(strategy))
    call = lib.hoist_unleash_config_add_strategy
    slot.check(call(config._pointer, encode(name), filled, slot.pointer), f'strategy "{name}"')


def set_storage(config: Config, storage: Storage) -> None:
    """Keeps a frontend client's toggles in place of the library's memory."""
    if not isinstance(storage, Storage):
        raise TypeError(f"a storage is a hoist.unleash.Storage, not {type(storage).__name__}")
    slot = ErrorSlot()
    filled = table("unleash_storage", storage)
    slot.check(lib.hoist_unleash_config_set_storage(config._pointer, filled, slot.pointer), "storage")
