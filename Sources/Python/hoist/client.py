"""The client: one service, one key, its life from opening to closing."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, overload

from . import _exit
from ._attributes import double_of, to_json
from ._callback import start
from ._constant import Constant
from ._evaluation import Bool, Evaluations, Float, Int
from ._forward import Forwards
from ._native import NULL, ffi, lib
from ._text import KEYS, decode, encode, milliseconds, take, wrong
from ._wait import interruptible
from .config import Config, PropertyValue
from .context import Context, ContextLike, as_context, pointer_of
from .detail import load
from .observer import Observer, Subscription, Topic, observe
from .plugins import Cache, Dispatcher, HeaderProvider, Hook, Logger, LogLevel, Transport
from .plugins.headers import Headers
from .status import Error, ErrorSlot, Status, check
from .view import View

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .properties import FlagshipClient, Hooked, KameleoonClient, LaunchDarklyClient, OptimizelyClient, UnleashClient

_Function = TypeVar("_Function", bound=Observer)
_Self = TypeVar("_Self", bound="Client")
_Properties = Union[Mapping[str, PropertyValue], None]


class State(Constant):
    """Where a client stands."""

    NOT_READY = lib.HOIST_CLIENT_NOT_READY
    READY = lib.HOIST_CLIENT_READY
    STALE = lib.HOIST_CLIENT_STALE
    ERROR = lib.HOIST_CLIENT_ERROR
    FATAL = lib.HOIST_CLIENT_FATAL
    RECONCILING = lib.HOIST_CLIENT_RECONCILING
    CLOSED = lib.HOIST_CLIENT_CLOSED


class Client(Evaluations, Forwards):
    """A running client. Thread-safe.

        with hoist.Client("unleash", url="https://…/api/frontend", key=…) as client:
            client.wait_ready(2)
            if client.bool("new-checkout", {"targetingKey": "user-42"}): …

    Opening returns at once; fallbacks serve until the first flags are there. Raises `hoist.Error`
    for a configuration that is refused. A forked child goes on with the client it inherited.
    All times are seconds; a time limit of None or below 0 is none, and 0 asks without waiting.
    Log lines go to the logger "hoist" of Python's `logging`, unless `logger` takes them. Type checkers know the five
    services' properties as keywords; those of other providers are given as a mapping.
    """

    __slots__ = ("__weakref__",)

    @overload
    def __init__(
        self, provider: Literal["unleash"], given: _Properties = None, /, **more: Unpack[UnleashClient]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["optimizely"], given: _Properties = None, /, **more: Unpack[OptimizelyClient]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["launchdarkly"], given: _Properties = None, /, **more: Unpack[LaunchDarklyClient]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["flagship"], given: _Properties = None, /, **more: Unpack[FlagshipClient]
    ) -> None: ...

    @overload
    def __init__(
        self, provider: Literal["kameleoon"], given: _Properties = None, /, **more: Unpack[KameleoonClient]
    ) -> None: ...

    @overload
    def __init__(self, provider: str, given: _Properties = None, /, **more: Unpack[Hooked]) -> None: ...

    @overload
    def __init__(
        self, provider: Config, given: _Properties = None, /, *, logger: Logger | logging.Logger | None = None,
        cache: Cache | None = None, transport: Transport | None = None, dispatcher: Dispatcher | None = None,
        headers: HeaderProvider | Callable[[str], Headers] | None = None, hooks: Iterable[Hook] = (),
        **more: PropertyValue,
    ) -> None: ...  # fmt: skip

    def __init__(
        self,
        provider: str | Config,
        given: _Properties = None,
        /,
        *,
        logger: Logger | logging.Logger | None = None,
        cache: Cache | None = None,
        transport: Transport | None = None,
        dispatcher: Dispatcher | None = None,
        headers: HeaderProvider | Callable[[str], Headers] | None = None,
        hooks: Iterable[Hook] = (),
        **more: PropertyValue,
    ) -> None:
        config = provider.copy() if isinstance(provider, Config) else Config(provider)
        config.update(given, **more)
        if logger is not None:
            config.set_logger(logger)
        if cache is not None:
            config.set_cache(cache)
        if transport is not None:
            config.set_transport(transport)
        if dispatcher is not None:
            config.set_dispatcher(dispatcher)
        if headers is not None:
            config.set_headers(headers)
        if not isinstance(hooks, Iterable):
            raise wrong(hooks, "an iterable of hoist.Hook")
        for hook in hooks:
            config.add_hook(hook)
        self._open(config)

    def _open(self, config: Config) -> None:
        place, slot = ffi.new("hoist_client **"), ErrorSlot()
        slot.check(lib.hoist_client_open(config._to_open(), place, slot.pointer), "the client")
        self._pointer = ffi.gc(place[0], lib.hoist_client_free)
        _exit.watch(self)

    # ---- Life ------------------------------------------------------------------------------------

    @property
    def provider(self) -> str:
        """The service's name."""
        return decode(lib.hoist_client_provider(self._pointer))

    @property
    def current_context(self) -> Context | None:
        """A copy of the current context; None when there is none."""
        pointer = lib.hoist_client_context(self._pointer)
        return Context.owning(pointer) if pointer else None

    @property
    def log_level(self) -> LogLevel:
        """Which lines are written: those of this level and of the graver ones. Raises `hoist.Error` when it is set to another."""
        return LogLevel(lib.hoist_client_log_level(self._pointer))

    @log_level.setter
    def log_level(self, level: LogLevel) -> None:
        if not isinstance(level, Int):
            raise wrong(level, "a hoist.LogLevel")
        check(lib.hoist_client_set_log_level(self._pointer, int(level)), "the log level")

    def share(self, name: str) -> None:
        """Lets the whole process find the client by a name, with `shared`, in place of the one that has it.

        It is kept until `unshare`, or until another client is given its name. Raises `hoist.Error` for what cannot be a name:
        those with a "/" are the services'.
        """
        check(lib.hoist_client_share(self._pointer, encode(name)), "the name")
        _shared[name] = self

    @property
    def state(self) -> State:
        """Where the client stands now."""
        return State(lib.hoist_client_get_state(self._pointer))

    def wait_ready(self, timeout: Float | None = None) -> Status:
        """Waits until there are flags to serve. TIMEOUT is no disaster: fallbacks serve."""
        return Status(interruptible(lambda: lib.hoist_client_wait_ready(self._pointer, milliseconds(timeout))))

    async def ready(self, timeout: Float | None = None) -> Status:
        """`wait_ready` for asyncio."""
        from . import _awaited

        return await _awaited.ready(self, timeout)

    def identify(self, context: ContextLike, timeout: Float | None = 5.0) -> Status:
        """Changes the client's current context and waits for its flags. TIMEOUT leaves the change going on."""
        made = as_context(context)
        call, limit = lib.hoist_client_identify_wait, milliseconds(timeout)
        return Status(interruptible(lambda: call(self._pointer, pointer_of(made), limit)))

    def identify_soon(self, context: ContextLike, done: Callable[[Status], object] | None = None) -> Status:
        """Changes the current context without waiting; `done` is called once if this answers OK."""
        made = as_context(context)
        call = lib.hoist_client_identify
        return start(lambda function, data: call(self._pointer, pointer_of(made), function, data), done)

    async def identify_async(self, context: ContextLike, timeout: Float | None = 5.0) -> Status:
        """`identify` for asyncio."""
        from . import _awaited

        return await _awaited.status_of(self, lambda done: self.identify_soon(context, done), timeout)

    @property
    def online(self) -> Bool:
        """Whether the network may be used. Offline, flags stay readable and events are kept."""
        return Bool(lib.hoist_client_is_online(self._pointer))

    @online.setter
    def online(self, online: Bool) -> None:
        if not isinstance(online, Bool):
            raise wrong(online, "a bool")
        lib.hoist_client_set_online(self._pointer, online)

    def refresh(self) -> Status:
        """Fetches the configuration now; does not wait."""
        return Status(lib.hoist_client_refresh(self._pointer))

    def flush(self, timeout: Float | None = 5.0) -> Status:
        """Sends what is recorded and waits for the service's answers."""
        return Status(interruptible(lambda: lib.hoist_client_flush(self._pointer, milliseconds(timeout))))

    async def flush_async(self, timeout: Float | None = 5.0) -> Status:
        """`flush` for asyncio."""
        from . import _awaited

        return await _awaited.in_thread(self.flush, timeout)

    def close(self, timeout: Float | None = 3.0) -> Status:
        """Flushes and stops within the limit; may be repeated. Flags stay readable."""
        return Status(interruptible(lambda: lib.hoist_client_close(self._pointer, milliseconds(timeout))))

    async def close_async(self, timeout: Float | None = 3.0) -> Status:
        """`close` for asyncio."""
        from . import _awaited

        return await _awaited.in_thread(self.close, timeout)

    def reopen(self) -> None:
        """Starts a closed client again. Raises `hoist.Error` when it is not closed."""
        slot = ErrorSlot()
        slot.check(lib.hoist_client_reopen(self._pointer, slot.pointer), "the client")

    def statistics(self) -> dict[str, Any]:
        """Counters, in groups."""
        return load(take(lib.hoist_client_statistics(self._pointer)) or b"{}") or {}

    # ---- Events ----------------------------------------------------------------------------------

    def track(
        self,
        key: str,
        context: ContextLike = None,
        *,
        value: Float | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> Status:
        """Records an event, delivered in the background. Properties are texts, numbers, booleans, and what JSON can say.

        LIMIT: the queue is full and it was dropped. What no event can carry, as a value that a double would alter or a property
        beyond 64 bits, is ARGUMENT, and a line of the log names it.
        """
        try:
            made = as_context(context)
        except Error as problem:
            return problem.status
        rows, _texts = _properties(properties or {})
        event = ffi.new("hoist_event *")
        event.struct_size = ffi.sizeof("hoist_event")
        if value is not None:
            event.value, event.has_value = double_of(value), True
        event.properties, event.property_count = rows, len(rows)
        return Status(lib.hoist_client_track(self._pointer, KEYS[key], pointer_of(made), event))

    # ---- Reading many ----------------------------------------------------------------------------

    def view(self, context: ContextLike = None) -> View:
        """Pins the flags as they are now for many reads that agree with each other."""
        try:
            made = as_context(context)
        except Error:
            return View(NULL, NULL)
        return View(self._pointer, pointer_of(made))

    # ---- Being told ------------------------------------------------------------------------------

    def observe(self, topic: Topic, observer: Observer, key: str | None = None) -> Subscription:
        """Calls a function of one `Notification` when something happens.

        It runs on a thread of the library's, or in `dispatch` with the property `dispatch` =
        "manual"; it may call everything but `close` and the calls that wait. `key` narrows
        FLAG_CHANGED and IMPRESSION to one flag. Raises `hoist.Error` on a closed client.
        """
        return observe(self, topic, observer, key)

    def on(self, topic: Topic, key: str | None = None) -> Callable[[_Function], _Function]:
        """`observe` as a decorator."""

        def register(observer: _Function) -> _Function:
            self.observe(topic, observer, key)
            return observer

        return register

    def fileno(self) -> Int:
        """A descriptor that is readable while calls wait for `dispatch`; -1 unless `dispatch` = "manual"."""
        return Int(lib.hoist_client_dispatch_fd(self._pointer))

    def dispatch(self, limit: Int = 0) -> Int:
        """Runs waiting observers, completions and log lines on this thread; answers how many."""
        return Int(lib.hoist_client_dispatch(self._pointer, limit))

    # ---- Blocks ----------------------------------------------------------------------------------

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self: _Self) -> _Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    def __reduce__(self) -> Any:
        raise TypeError("a client cannot be pickled or copied; a forked child may use the one it inherited")

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__qualname__} {self.state.name}>"


_shared: dict[str, Client] = {}
_adopted: dict[Any, Client] = {}


def shared(name: str) -> Client | None:
    """The client that a name stands for: see `Client.share`. None when there is none, and while it is closed."""
    pointer = lib.hoist_client_shared(encode(name))
    if not pointer:
        return None
    return next((client for client in list(_shared.values()) if client._pointer == pointer), None) or adopt(pointer)


def unshare(name: str) -> bool:
    """Takes a name back; False when no client has it."""
    _shared.pop(name, None)
    return bool(lib.hoist_client_share(NULL, encode(name)) == Status.OK)


def adopt(pointer: Any) -> Client:
    """A client that Python has not opened, and that lives as long as the process."""
    client = _adopted.get(pointer)
    if client is None:
        module = sys.modules.get(f"{__package__}.{decode(lib.hoist_client_provider(pointer))}")
        kind: type[Client] = getattr(module, "Client", Client)
        client = kind.__new__(kind)
        client._pointer = pointer
        _adopted[pointer] = client
        _exit.watch(client)
    return client


_NO_JSON = b"NaN"
_BEYOND = 2**64


def _json(value: Any, name: str) -> bytes:
    """JSON text; what has none becomes a text that the library refuses by name."""
    if isinstance(value, int):
        value = max(-_BEYOND, min(value, _BEYOND))
    try:
        return to_json(value, name)
    except Error:
        return _NO_JSON


def _properties(properties: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """Event properties for C: the array, and what must live as long."""
    if not isinstance(properties, Mapping):
        raise wrong(properties, "a mapping")
    rows = ffi.new("hoist_event_property[]", len(properties))
    texts: list[Any] = []
    for row, (name, value) in zip(rows, properties.items(), strict=True):
        row.struct_size = ffi.sizeof("hoist_event_property")
        texts.append(ffi.new("char[]", encode(name)))
        row.name = texts[-1]
        if isinstance(value, bool):
            row.type, row.boolean = lib.HOIST_EVENT_BOOL, value
        elif isinstance(value, float) or (isinstance(value, int) and double_of(value) == value):
            row.type, row.number = lib.HOIST_EVENT_NUMBER, value
        else:
            is_text = isinstance(value, str)
            texts.append(ffi.new("char[]", encode(value) if is_text else _json(value, name)))
            row.type, row.text = lib.HOIST_EVENT_TEXT if is_text else lib.HOIST_EVENT_JSON, texts[-1]
    return rows, texts
