"""Starts, and the calls of the datafile handler."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from .._callback import start
from .._native import NULL, lib
from .._text import decode, document, milliseconds, take, take_text
from .._wait import interruptible
from ..status import ErrorSlot, Status, check

if TYPE_CHECKING:
    from ..client import Client

Datafile = str | bytes


def version() -> str:
    """What events are sent with as client name and version, unless properties say otherwise."""
    return decode(lib.hoist_optimizely_version())


class Life:
    """What `optimizely.Client` can do about datafiles. All times are seconds."""

    __slots__ = ()

    _pointer: Any

    def start_with_datafile(
        self, datafile: Datafile | None = None, *, update: bool = False, background_fetch: bool = True
    ) -> None:
        """Serves what an earlier run has saved, else this datafile. Waits for the store, not for the network.

        `update`: what is downloaded is served at once. Raises `hoist.Error` when there is nothing to serve.
        """
        data = None if datafile is None else document(datafile)
        slot = ErrorSlot()
        call = lib.hoist_optimizely_start_with_datafile
        given = (NULL, 0) if data is None else (data, len(data))
        flags = _flags(update, background_fetch)
        slot.check(interruptible(lambda: call(self._pointer, *given, flags, slot.pointer)), "the datafile")

    def start_with_file(
        self, path: str | os.PathLike[str], *, update: bool = False, background_fetch: bool = True
    ) -> None:
        """`start_with_datafile` from a file."""
        slot = ErrorSlot()
        call = lib.hoist_optimizely_start_with_file
        name, flags = os.fsencode(path), _flags(update, background_fetch)
        slot.check(interruptible(lambda: call(self._pointer, name, flags, slot.pointer)), "the datafile's file")

    def start(self, timeout: float | None = None) -> None:
        """Downloads first; without an answer in time what is saved is served, else what the properties bring.

        Raises `hoist.Error` when there is nothing to serve.
        """
        slot = ErrorSlot()
        call, limit = lib.hoist_optimizely_start_wait, milliseconds(timeout)
        slot.check(interruptible(lambda: call(self._pointer, limit, slot.pointer)), "the start")

    def start_soon(
        self, timeout: float | None = None, done: Callable[[Status], object] | None = None
    ) -> Status:
        """`start` that does not wait; `done` is called once if this answers OK."""
        limit = milliseconds(timeout)
        return start(lambda call, data: lib.hoist_optimizely_start(self._pointer, limit, call, data), done)

    async def start_async(self, timeout: float | None = None) -> None:
        """`start` for asyncio. Raises `hoist.Error` when there is nothing to serve."""
        from .. import _awaited

        status = await _awaited.status_of(cast("Client", self), lambda done: self.start_soon(timeout, done))
        check(int(status), "the start")

    @property
    def datafile(self) -> bytes | None:
        """The datafile that is served, as it was sent."""
        return take(lib.hoist_optimizely_datafile(self._pointer)) or None

    @property
    def revision(self) -> str | None:
        """The revision of what is served."""
        return take_text(lib.hoist_optimizely_revision(self._pointer))

    @property
    def datafile_origin(self) -> str:
        """Where it came from: "given", "saved", "network"; "" before there is a datafile."""
        return decode(lib.hoist_optimizely_datafile_origin(self._pointer))

    def download_datafile(self, done: Callable[[Status], object] | None = None) -> Status:
        """Downloads, checks and keeps a datafile for the next start; `done` is called once if this answers OK."""
        return start(lambda call, data: lib.hoist_optimizely_download_datafile(self._pointer, call, data), done)

    async def download_datafile_async(self, timeout: float | None = None) -> Status:
        """`download_datafile` for asyncio, until the datafile is kept."""
        from .. import _awaited

        return await _awaited.status_of(cast("Client", self), self.download_datafile, timeout)

    @property
    def has_saved_datafile(self) -> bool:
        """Whether a datafile is saved for this SDK key, where the next run finds it; in memory, the next start of this client."""
        return bool(lib.hoist_optimizely_has_saved_datafile(self._pointer))

    @property
    def saved_datafile(self) -> bytes | None:
        """The saved datafile."""
        return take(lib.hoist_optimizely_saved_datafile(self._pointer)) or None

    def save_datafile(self, datafile: Datafile) -> None:
        """Saves a datafile for the next start. Raises `hoist.Error` for what is none."""
        data = document(datafile)
        slot = ErrorSlot()
        slot.check(lib.hoist_optimizely_save_datafile(self._pointer, data, len(data), slot.pointer), "the datafile")

    def remove_saved_datafile(self) -> Status:
        """Deletes the saved datafile."""
        return Status(lib.hoist_optimizely_remove_saved_datafile(self._pointer))

    def set_active(self, active: bool) -> Status:
        """Whether the program is in the foreground; while it is not, polling and the delivery of events rest."""
        return Status(lib.hoist_optimizely_set_active(self._pointer, active))


def _flags(update: bool, background_fetch: bool) -> int:
    flags = lib.HOIST_OPTIMIZELY_UPDATE_ON_NEW_DATAFILE if update else 0
    return int(flags | (0 if background_fetch else lib.HOIST_OPTIMIZELY_NO_BACKGROUND_FETCH))
