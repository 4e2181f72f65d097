"""Starts, being online, changes of the context."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from .._callback import forget, implements, owner, start
from .._constant import Constant
from .._native import NULL, lib
from .._text import decode, milliseconds
from .._wait import interruptible
from ..context import Context as HoistContext
from ..status import Status
from .context import AnyContext, as_launchdarkly

if TYPE_CHECKING:
    from ..client import Client

Done = Callable[[Status], object]


def version() -> str:
    """Name and version as requests carry them."""
    return decode(lib.hoist_launchdarkly_version())


class CacheUsage(Constant):
    """What is served of a new context until its flags are there."""

    YES = 0
    """What is cached of it, or else no flag."""
    NO = lib.HOIST_LAUNCHDARKLY_USE_CACHE_NO
    """The former context's flags."""
    IF_AVAILABLE = lib.HOIST_LAUNCHDARKLY_USE_CACHE_IF_AVAILABLE
    """What is cached of it, or else the former context's flags."""


class IdentifyResult(Constant):
    """How an identify ended, in LaunchDarkly's words; its status says more."""

    COMPLETE = lib.HOIST_LAUNCHDARKLY_IDENTIFY_COMPLETE
    ERROR = lib.HOIST_LAUNCHDARKLY_IDENTIFY_ERROR
    SHED = lib.HOIST_LAUNCHDARKLY_IDENTIFY_SHED
    TIMEOUT = lib.HOIST_LAUNCHDARKLY_IDENTIFY_TIMEOUT

    @classmethod
    def of(cls, status: Status) -> IdentifyResult:
        """The result that goes with what `identify` answers."""
        known = {Status.OK: cls.COMPLETE, Status.LAUNCHDARKLY_SHED: cls.SHED, Status.TIMEOUT: cls.TIMEOUT}
        return known.get(status, cls.ERROR)


class Life:
    """What `launchdarkly.Client` can do about its life, always for all environments. All times are seconds."""

    __slots__ = ()

    _pointer: Any

    # ---- Start -----------------------------------------------------------------------------------

    def start(self, timeout: float | None = None) -> Status:
        """Starts a client with property `autostart` off, and waits until flags are there; offline not at all.

        TIMEOUT: the start goes on. LAUNCHDARKLY_UNAUTHORIZED and LAUNCHDARKLY_STREAM_SHUT_DOWN: what
        an earlier run has left is served.
        """
        call, limit = lib.hoist_launchdarkly_start_wait, milliseconds(timeout)
        return Status(interruptible(lambda: call(self._pointer, limit, NULL)))

    def start_soon(self, timeout: float | None = None, done: Done | None = None) -> Status:
        """`start` that does not wait; `done` is called once if this answers OK."""
        limit, call = milliseconds(timeout), lib.hoist_launchdarkly_start
        return start(lambda told, data: call(self._pointer, limit, told, data), done, "launchdarkly_started")

    async def start_async(self, timeout: float | None = None) -> Status:
        """`start` for asyncio."""
        from .. import _awaited

        return await _awaited.status_of(cast("Client", self), lambda done: self.start_soon(timeout, done))

    @property
    def is_initialized(self) -> bool:
        """Whether this environment has talked to the service about flags, or has been offline.

        `wait_ready` is OK with stored flags, too.
        """
        return bool(lib.hoist_launchdarkly_is_initialized(self._pointer))

    # ---- Online and offline ----------------------------------------------------------------------

    @property
    def is_online(self) -> bool:
        """Whether this environment is online now; `online` says whether it is wanted."""
        return bool(lib.hoist_launchdarkly_is_online(self._pointer))

    def set_online_soon(self, online: bool, done: Done | None = None) -> Status:
        """Goes online or offline; `done` is called once if this answers OK: with OK when flags have come."""
        call = lib.hoist_launchdarkly_set_online
        return start(lambda told, data: call(self._pointer, online, told, data), done)

    async def set_online_async(self, online: bool, timeout: float | None = None) -> Status:
        """`set_online_soon` for asyncio, until flags have come. TIMEOUT: it goes on."""
        from .. import _awaited

        return await _awaited.status_of(cast("Client", self), lambda done: self.set_online_soon(online, done), timeout)

    # ---- Identify --------------------------------------------------------------------------------

    def identify(
        self,
        context: AnyContext | None,
        timeout: float | None = 5.0,
        *,
        sheddable: bool = True,
        cache: CacheUsage = CacheUsage.YES,
    ) -> Status:
        """Changes the current context and waits for its flags.

        LAUNCHDARKLY_SHED: a newer one took its place. TIMEOUT: it goes on. None stands for an
        anonymous user, or as the limit for none. Raises `hoist.Error` for what is no context.
        """
        made, options = _core(context), _options(sheddable, cache)
        call, limit = lib.hoist_launchdarkly_identify_wait, milliseconds(timeout)
        return Status(interruptible(lambda: call(self._pointer, _pointer(made), limit, options, NULL)))

    def identify_soon(
        self,
        context: AnyContext | None,
        done: Done | None = None,
        *,
        timeout: float | None = None,
        sheddable: bool = True,
        cache: CacheUsage = CacheUsage.YES,
    ) -> Status:
        """`identify` that does not wait; `done` is called once if this answers OK."""
        made, limit, options = _core(context), milliseconds(timeout), _options(sheddable, cache)
        call = lib.hoist_launchdarkly_identify
        return start(
            lambda told, data: call(self._pointer, _pointer(made), limit, options, told, data),
            done,
            "launchdarkly_identified",
        )

    async def identify_async(
        self,
        context: AnyContext | None,
        timeout: float | None = 5.0,
        *,
        sheddable: bool = True,
        cache: CacheUsage = CacheUsage.YES,
    ) -> Status:
        """`identify` for asyncio."""
        from .. import _awaited

        def begin(done: Done) -> Status:
            return self.identify_soon(context, done, timeout=timeout, sheddable=sheddable, cache=cache)

        return await _awaited.status_of(cast("Client", self), begin)


def _core(context: AnyContext | None) -> HoistContext | None:
    return None if context is None else as_launchdarkly(context).to_hoist()


def _pointer(context: HoistContext | None) -> Any:
    return NULL if context is None else context._pointer


def _options(sheddable: bool, cache: CacheUsage) -> int:
    return int(cache) | (0 if sheddable else int(lib.HOIST_LAUNCHDARKLY_UNSHEDDABLE))


@implements("launchdarkly_started")
def _started(user_data: Any, _timed_out: bool, status: int) -> None:
    _finish(user_data, status)


@implements("launchdarkly_identified")
def _identified(user_data: Any, _result: int, status: int) -> None:
    _finish(user_data, status)


def _finish(user_data: Any, status: int) -> None:
    done: Done = owner(user_data)
    forget(user_data)
    done(Status(status))
