"""Mode server: moving from an old system to a new one, by the stages that a flag names."""

from __future__ import annotations

import contextvars
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._callback import function, implements, owner
from .._constant import Constant
from .._native import ffi, lib
from .._text import KEYS
from ..context import pointer_of
from ..status import Error, Status
from .context import AnyContext, given

if TYPE_CHECKING:
    from .client import Client


class MigrationStage(Constant):
    """How far a migration has come; a flag's value is the name in small letters."""

    OFF = lib.HOIST_LAUNCHDARKLY_MIGRATION_OFF
    DUALWRITE = lib.HOIST_LAUNCHDARKLY_MIGRATION_DUALWRITE
    SHADOW = lib.HOIST_LAUNCHDARKLY_MIGRATION_SHADOW
    LIVE = lib.HOIST_LAUNCHDARKLY_MIGRATION_LIVE
    RAMPDOWN = lib.HOIST_LAUNCHDARKLY_MIGRATION_RAMPDOWN
    COMPLETE = lib.HOIST_LAUNCHDARKLY_MIGRATION_COMPLETE


class MigrationOrigin(Constant):
    """A system that takes part."""

    OLD = lib.HOIST_LAUNCHDARKLY_MIGRATION_OLD
    NEW = lib.HOIST_LAUNCHDARKLY_MIGRATION_NEW


class MigrationOperation(Constant):
    """What is done."""

    READ = lib.HOIST_LAUNCHDARKLY_MIGRATION_READ
    WRITE = lib.HOIST_LAUNCHDARKLY_MIGRATION_WRITE


class MigrationOrder(Constant):
    """How both systems are read."""

    SERIAL = lib.HOIST_LAUNCHDARKLY_MIGRATION_SERIAL
    RANDOM = lib.HOIST_LAUNCHDARKLY_MIGRATION_RANDOM
    CONCURRENT = lib.HOIST_LAUNCHDARKLY_MIGRATION_CONCURRENT


_OLD, _NEW = MigrationOrigin.OLD, MigrationOrigin.NEW
# Where reads and writes go: first the system whose result counts.
_READS = {
    MigrationStage.OFF: [_OLD],
    MigrationStage.DUALWRITE: [_OLD],
    MigrationStage.SHADOW: [_OLD, _NEW],
    MigrationStage.LIVE: [_NEW, _OLD],
    MigrationStage.RAMPDOWN: [_NEW],
    MigrationStage.COMPLETE: [_NEW],
}
_WRITES = {**_READS, MigrationStage.DUALWRITE: [_OLD, _NEW], MigrationStage.RAMPDOWN: [_NEW, _OLD]}


class MigrationTracker:
    """Gathers what is done in one operation. Any thread."""

    __slots__ = ("_pointer",)

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.hoist_launchdarkly_migration_tracker_free) if pointer else ffi.NULL

    def begin(self, operation: MigrationOperation) -> Status:
        """What is done."""
        return Status(lib.hoist_launchdarkly_migration_tracker_begin(self._pointer, int(operation)))

    def invoked(self, origin: MigrationOrigin) -> Status:
        """A system was used."""
        return Status(lib.hoist_launchdarkly_migration_tracker_invoked(self._pointer, int(origin)))

    def failed(self, origin: MigrationOrigin) -> Status:
        """It has failed."""
        return Status(lib.hoist_launchdarkly_migration_tracker_failed(self._pointer, int(origin)))

    def took(self, origin: MigrationOrigin, seconds: float) -> Status:
        """How long it took."""
        return Status(lib.hoist_launchdarkly_migration_tracker_took(self._pointer, int(origin), seconds * 1000))

    def check(self, compare: Callable[[], bool]) -> Status:
        """Whether both gave the same. Called here, for the part of checks that the flag says; one that raises says no."""
        handle, call = ffi.new_handle(compare), function("launchdarkly_migration_compare")
        return Status(lib.hoist_launchdarkly_migration_tracker_check(self._pointer, call, handle))


@implements("launchdarkly_migration_compare", failure=False)
def _compare(user_data: Any) -> bool:
    return bool(owner(user_data)())


class Migrations:
    """What `launchdarkly.Client` can do for migrations; in mode server alone."""

    __slots__ = ()

    _pointer: Any

    def migration_variation(
        self, key: str, context: AnyContext | None, default_stage: MigrationStage
    ) -> tuple[MigrationStage, MigrationTracker]:
        """The stage that a flag names for a context, None for the current one, with what gathers the operation that follows."""
        subject, place = given(context), ffi.new("hoist_launchdarkly_migration_tracker **")
        call = lib.hoist_launchdarkly_migration_variation
        stage = call(self._pointer, KEYS[key], pointer_of(subject), int(default_stage), place)
        return MigrationStage(stage), MigrationTracker(place[0])

    def track_migration(self, tracker: MigrationTracker) -> Status:
        """Makes the event of what was gathered."""
        return Status(lib.hoist_launchdarkly_migration_track(self._pointer, tracker._pointer))


@dataclass(frozen=True)
class OriginResult:
    """What one system has given."""

    origin: MigrationOrigin
    value: Any = None
    error: Exception | None = None
    """What it has raised."""

    @property
    def has_succeeded(self) -> bool:
        """Whether it raised nothing."""
        return self.error is None


@dataclass(frozen=True)
class MigrationResult:
    """What an operation has done."""

    stage: MigrationStage
    authoritative: OriginResult
    """Whose result counts."""
    other: OriginResult | None = None
    """Where both systems were used."""


Work = Callable[[Any], Any]


class Migrator:
    """Reads and writes in the systems that a flag's stage names, and tells the service how that went.

        orders = Migrator(client, read_old=old.load, read_new=new.load, write_old=old.save, write_new=new.save,
                          is_consistent=lambda one, other: one == other)
        loaded = orders.read("orders-move", context, MigrationStage.OFF, 42)

    Each function takes the operation's payload; one that raises an Exception has failed. Of concurrent reads the one that
    counts is made on the caller's thread, and the other beside it, with the same context variables.
    """

    def __init__(
        self,
        client: Client,
        *,
        read_old: Work | None = None,
        read_new: Work | None = None,
        write_old: Work | None = None,
        write_new: Work | None = None,
        is_consistent: Callable[[Any, Any], bool] | None = None,
        order: MigrationOrder = MigrationOrder.CONCURRENT,
        tracks_latency: bool = True,
        tracks_errors: bool = True,
    ) -> None:
        self._client = client
        self._reads = {_OLD: read_old, _NEW: read_new}
        self._writes = {_OLD: write_old, _NEW: write_new}
        self._is_consistent = is_consistent
        self._order = order
        self._tracks_latency, self._tracks_errors = tracks_latency, tracks_errors

    def read(
        self, key: str, context: AnyContext | None, default_stage: MigrationStage, payload: Any = None
    ) -> MigrationResult:
        """Reads, by the default stage where the flag names none; `hoist.Error` where there are no functions for that."""
        run = _Run(self, self._reads, payload)
        stage, run.tracker = self._client.migration_variation(key, context, default_stage)
        run.tracker.begin(MigrationOperation.READ)
        origins = _READS[stage]
        if len(origins) == 2 and self._order is MigrationOrder.CONCURRENT:
            results = run.both(origins)
        elif self._order is MigrationOrder.RANDOM and random.random() < 0.5:
            results = [run.use(origin) for origin in reversed(origins)][::-1]
        else:
            results = [run.use(origin) for origin in origins]
        compare = self._is_consistent
        if compare is not None and len(results) == 2 and all(result.has_succeeded for result in results):
            old, new = sorted(results, key=lambda result: result.origin)
            run.tracker.check(lambda: compare(old.value, new.value))
        self._client.track_migration(run.tracker)
        return MigrationResult(stage, *results)

    def write(
        self, key: str, context: AnyContext | None, default_stage: MigrationStage, payload: Any = None
    ) -> MigrationResult:
        """Writes, one after the other; where the one that counts fails the other is not written. As `read`."""
        run = _Run(self, self._writes, payload)
        stage, run.tracker = self._client.migration_variation(key, context, default_stage)
        run.tracker.begin(MigrationOperation.WRITE)
        first, *others = _WRITES[stage]
        results = [run.use(first)]
        if results[0].has_succeeded:
            results += [run.use(origin) for origin in others]
        self._client.track_migration(run.tracker)
        return MigrationResult(stage, *results)


class _Run:
    """One operation."""

    tracker: MigrationTracker

    def __init__(self, migrator: Migrator, work: dict[MigrationOrigin, Work | None], payload: Any) -> None:
        if None in work.values():
            raise Error(Status.ARGUMENT, "the migrator has no functions for this operation")
        self._migrator, self._work, self._payload = migrator, work, payload

    def use(self, origin: MigrationOrigin) -> OriginResult:
        call = self._work[origin]
        assert call is not None
        self.tracker.invoked(origin)
        start = time.perf_counter()
        try:
            result = OriginResult(origin, call(self._payload))
        except Exception as problem:  # the host's own, whose affair it is
            result = OriginResult(origin, error=problem)
        if self._migrator._tracks_latency:
            self.tracker.took(origin, time.perf_counter() - start)
        if self._migrator._tracks_errors and not result.has_succeeded:
            self.tracker.failed(origin)
        return result

    def both(self, origins: list[MigrationOrigin]) -> list[OriginResult]:
        beside: list[OriginResult] = []
        around = contextvars.copy_context()
        thread = threading.Thread(target=lambda: beside.append(around.run(self.use, origins[1])), daemon=True)
        thread.start()
        first = self.use(origins[0])
        thread.join()
        return [first, *beside]
