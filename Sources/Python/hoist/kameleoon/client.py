"""The Kameleoon client."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._native import NULL, ffi, lib
from .._text import encode, milliseconds, optional
from .._wait import interruptible
from ..client import Client as _Client
from ..client import adopt
from ..config import Config
from ..status import ErrorSlot, Status
from . import flags
from .life import Life
from .visitor import Visitor, make

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..properties import KameleoonClient, KameleoonRest


class Client(Life, _Client):
    """A `hoist.Client` with Kameleoon's own calls: one site in one environment, with any number of visitors.

        with kameleoon.Client(site_code=…) as client:
            visitor = client.visitor("user-42")
            client.wait_ready(5)
            if visitor.is_feature_active("new-checkout"): …

    Takes what `hoist.Client` takes but the provider's name, and `config_file`: a path of properties, as JSON or as
    an XML property list, which the properties given beside it go before.
    """

    __slots__ = ()

    def __init__(
        self,
        properties: Mapping[str, Any] | Config | None = None,
        /,
        *,
        config_file: str | os.PathLike[str] | None = None,
        **more: Unpack[KameleoonClient],
    ) -> None:
        config, left = _config(properties, config_file)
        super().__init__(config, left, **more)

    # ---- Readiness -------------------------------------------------------------------------------

    def wait_ready(self, timeout: float | None = None) -> Status:
        """Waits until there are flags to serve. TIMEOUT is no disaster: fallbacks serve. None: without limit.

        With the property `ready.fails_fast`, NETWORK as soon as a fetch has failed.
        """
        status = Status(interruptible(lambda: lib.hoist_kameleoon_wait_ready(self._pointer, milliseconds(timeout))))
        # After close it is the core's word, as with every service.
        return self._readiness() if status is Status.STATE else status

    async def ready(self, timeout: float | None = None) -> Status:
        """`wait_ready` for asyncio."""
        from .. import _awaited

        status = self._readiness()
        if status is not Status.TIMEOUT:
            return status
        # The library's limit comes after this one's: where it is told of before, a fetch has failed or the client closes.
        limit = None if timeout is None else timeout + 1

        def start(done: Callable[[Status], object]) -> Status:
            return self.run_when_ready(lambda is_ready: done(Status.OK if is_ready else Status.NETWORK), limit)

        ended = await _awaited.status_of(self, start, timeout)
        # A client that closes is not ready either; on the library's own threads nobody can ask.
        status = self._readiness() if ended is Status.NETWORK else ended
        return ended if status is Status.TIMEOUT else status

    def _readiness(self) -> Status:
        return Status(lib.hoist_client_wait_ready(self._pointer, 0))

    # ---- Visitors --------------------------------------------------------------------------------

    def visitor(self, code: str | None = None) -> Visitor:
        """The visitor of a code; None: the client's own, whose code is generated unless a property says it.

        Raises `hoist.Error`.
        """
        return make(self, code)

    # ---- What the configuration has --------------------------------------------------------------

    @property
    def feature_list(self) -> list[str]:
        """The keys of all flags, those that are disabled in the environment included. Raises `hoist.Error`."""
        return flags.feature_list(self._pointer)

    def variables_of(self, feature_key: str, variation_key: str) -> dict[str, Any]:
        """The variables of a variation; the vendor has deprecated it. Raises `hoist.Error`."""
        return flags.variables_of(self._pointer, feature_key, variation_key)

    @property
    def datafile(self) -> dict[str, Any]:
        """What the configuration has, as JSON. Raises `hoist.Error`."""
        return flags.datafile(self._pointer)


# ---- Sites of the process ------------------------------------------------------------------------

def create(
    site_code: str,
    visitor_code: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    **more: Unpack[KameleoonRest],
) -> Visitor:
    """Makes a visitor of a site, as the vendor's factory does; returns at once, the site is not ready yet.

    The first call for a site and environment opens a client for it, which all later calls share, until `forget`.
    Without any properties a configuration file is read if there is one. Raises `hoist.Error`.
    """
    place, slot = ffi.new("hoist_kameleoon_visitor **"), ErrorSlot()
    pointer = NULL
    if more or config is not None:
        given, left = _config(config)
        given.update(left, **more)
        pointer = given._to_open()
    call = lib.hoist_kameleoon_create
    site, code = encode(site_code), optional(visitor_code)
    slot.check(interruptible(lambda: call(site, code, pointer, place, slot.pointer)), "the visitor")
    client: Any = adopt(lib.hoist_kameleoon_visitor_client(place[0]))
    return Visitor(place[0], client)


def forget(site_code: str, environment: str | None = None, timeout: float | None = 3.0) -> Status:
    """Closes the client that `create` has opened for a site; what is recorded is sent first."""
    call, limit = lib.hoist_kameleoon_forget, milliseconds(timeout)
    return Status(interruptible(lambda: call(encode(site_code), optional(environment), limit)))


async def forget_async(site_code: str, environment: str | None = None, timeout: float | None = 3.0) -> Status:
    """`forget` for asyncio."""
    from .. import _awaited

    return await _awaited.in_thread(forget, site_code, environment, timeout)


def _config(
    properties: Mapping[str, Any] | Config | None, file: str | os.PathLike[str] | None = None
) -> tuple[Config, Mapping[str, Any] | None]:
    """A configuration of its own, and the properties that are still to be set in it."""
    config = properties.copy() if isinstance(properties, Config) else Config("kameleoon")
    if file is not None:
        slot = ErrorSlot()
        call = lib.hoist_kameleoon_config_load_file
        slot.check(call(config._pointer, encode(os.fspath(file)), slot.pointer), "the configuration file")
    return config, None if isinstance(properties, Config) else properties
