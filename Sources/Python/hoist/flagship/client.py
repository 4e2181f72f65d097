"""The Flagship client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import _exit
from .._attributes import to_json
from .._callback import start
from .._native import NULL, lib
from .._text import encode, milliseconds
from .._wait import interruptible
from ..client import Client as _Client
from ..config import Config as _Config
from ..status import ErrorSlot, Status
from .config import Config
from .context import Pairs
from .life import SDKStatus
from .visitor import FetchReason, FetchStatus, Visitor, make

_PLUGINS = ("logger", "cache", "transport", "dispatcher", "headers", "hooks")


class Client(_Client):
    """A `hoist.Client` with Flagship's own calls.

        with flagship.Client(env_id=…, api_key=…) as client:
            visitor = client.visitor("user-42", context={"vip": True})
            visitor.fetch()

    Takes what `hoist.Client` takes but the provider's name, and what `flagship.Config` takes.
    """

    __slots__ = ()

    def __init__(self, properties: Mapping[str, Any] | _Config | None = None, /, **more: Any) -> None:
        plugins = {name: more.pop(name) for name in _PLUGINS if name in more}
        if isinstance(properties, _Config):
            super().__init__(properties, **plugins, **more)
        else:
            super().__init__(Config(properties, **more), **plugins)

    # ---- Life ------------------------------------------------------------------------------------

    @property
    def status(self) -> SDKStatus:
        """Where the SDK stands."""
        return SDKStatus(lib.hoist_flagship_sdk_status(self._pointer))

    def start(self) -> Status:
        """Starts a client with property `autostart` off, or a closed one; does not wait."""
        return Status(lib.hoist_flagship_start_client(self._pointer))

    def collect_emotion(
        self, event: Mapping[str, Any], done: Callable[[Status], object] | None = None
    ) -> Status:
        """Sends an event of a visitor's session to the service that makes emotion scores; `done` is called once if OK.

        Needs the property `emotion_score` and an account that collects. Raises `hoist.Error` for what JSON cannot say.
        """
        text, call = to_json(dict(event), "the event"), lib.hoist_flagship_collect_emotion
        return start(lambda told, data: call(self._pointer, text, len(text), told, data), done)

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


# ---- The client of the whole process -------------------------------------------------------------


def start_process(env_id: str, api_key: str, config: _Config | Mapping[str, Any] | None = None, **more: Any) -> Client:
    """Opens the client of the whole process, in place of one that is there, and answers it.

    Takes a configuration, or what `flagship.Config` takes. Raises `hoist.Error`; then there is none.
    """
    if not isinstance(config, _Config):
        config = Config(config, **more)
    elif more:
        config = config.copy()
        config.update(**more)
    slot = ErrorSlot()
    call = lib.hoist_flagship_start
    slot.check(call(encode(env_id), encode(api_key), config._pointer, slot.pointer), "the start")
    return _adopt(lib.hoist_flagship_client())


def process_client() -> Client | None:
    """The client of the whole process; None before the start, and after `stop`."""
    pointer = lib.hoist_flagship_client()
    return _adopt(pointer) if pointer != NULL else None


def stop_process(timeout: float = 3.0) -> Status:
    """Closes the client of the whole process; OK when there is none."""
    return Status(interruptible(lambda: lib.hoist_flagship_stop(milliseconds(timeout))))


def _adopt(pointer: Any) -> Client:
    """A client that belongs to the library."""
    client = Client.__new__(Client)
    client._pointer = pointer
    _exit.watch(client)
    return client
