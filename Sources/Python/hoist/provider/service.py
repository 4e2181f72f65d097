"""The service: one instance for each client."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar

from .._attributes import to_json
from .._callback import forget, implements, keep, owner, report, table
from .._constant import Constant
from .._native import ffi, lib
from .._text import decode, encode
from ..config import describe
from ..context import Context
from ..plugins import Request
from ..plugins.transport import c_request
from ..status import ErrorSlot, Status
from .events import Pipeline, ProviderBatch, ProviderEvent, lent_context, read_batch, read_event
from .host import Answer, ProviderHost, read_answer


class Reason(Constant):
    """How a variation was chosen."""

    UNKNOWN = lib.HOIST_REASON_UNKNOWN
    STATIC = lib.HOIST_REASON_STATIC
    DEFAULT = lib.HOIST_REASON_DEFAULT
    TARGETING_MATCH = lib.HOIST_REASON_TARGETING_MATCH
    SPLIT = lib.HOIST_REASON_SPLIT
    CACHED = lib.HOIST_REASON_CACHED
    DISABLED = lib.HOIST_REASON_DISABLED
    STALE = lib.HOIST_REASON_STALE


@dataclass(slots=True)
class Evaluation:
    """One evaluation: the question, and the answer as it stands, which `Provider.evaluate` may change."""

    key: str
    context: Context | None
    """A copy of the call's, else of the client's current one."""
    enabled: bool
    variation: int
    """Its place in `Flag.variations`; -1 for none, which serves the fallback."""
    reason: Reason = Reason.DEFAULT


@dataclass(frozen=True, slots=True)
class ProviderProperty:
    """A property of the service's own, beside those that every client has."""

    name: str
    type: str = "text"
    """ "text", "secret" (never shown), "bool", "int" or "json"."""
    default: str | bool | int | None = None
    help: str = ""
    """One sentence, with units."""
    required: bool = False
    identity: bool = False
    """Tells one store from another, as an address or a key does."""
    minimum: int = 0
    maximum: int = 0
    """Of an int; both 0 for any."""


_TYPES = {
    "text": lib.HOIST_PROPERTY_TEXT,
    "secret": lib.HOIST_PROPERTY_SECRET,
    "bool": lib.HOIST_PROPERTY_BOOL,
    "int": lib.HOIST_PROPERTY_INT64,
    "json": lib.HOIST_PROPERTY_JSON,
}


class Reply:
    """The answer that is owed to one `identify` or `flush`; on any thread. One that is dropped is PLUGIN."""

    __slots__ = ("_lock", "_pointer")

    def __init__(self, pointer: Any) -> None:
        self._pointer: Any = pointer
        self._lock = Lock()

    def complete(self, status: Status = Status.OK) -> None:
        """Completes the call; the first answer counts."""
        with self._lock:
            pointer, self._pointer = self._pointer, None
        if pointer is not None:
            lib.hoist_provider_reply_complete(pointer, int(status))

    def __del__(self) -> None:
        self.complete(Status.PLUGIN)


_MEMBERS = (
    "start", "stop", "set_online", "refresh", "identify", "flush", "forked", "track", "evaluate", "record", "explain",
    "encode", "classify",
)  # fmt: skip


class Provider:
    """A service: subclass, `register`, and open clients of its name. Each client has an instance of its own.

    The members run on the instance's lane, one at a time; they may block, and call everything but `Client.close` and
    the calls that wait. `track`, `evaluate`, `record` and `explain` run on the host's threads instead, several at
    once: they must be quick. Only the members that a subclass overrides are called.

    What a member raises is logged under "hoist" with its traceback. In `__init__` it refuses the client; in `start`,
    `refresh`, `set_online` and what `ProviderHost` calls it is an attempt that has failed; elsewhere the call fails,
    with the status of a `hoist.Error`.
    """

    name: ClassVar[str] = ""
    """What clients open: a to z, 0 to 9, - and _, beginning with a letter."""
    properties: ClassVar[Sequence[ProviderProperty]] = ()
    pipelines: ClassVar[Sequence[Pipeline]] = ()
    """At most 8; they need `encode`."""

    def __init__(self, host: ProviderHost) -> None:
        self.host = host

    @classmethod
    def register(cls) -> None:
        """Lets configurations that are made from now on find the service by its name. Raises `hoist.Error`."""
        register(cls)

    # ---- On the lane -----------------------------------------------------------------------------

    def start(self) -> None:
        """The client is open, for the first time or again, or goes on in a forked child: begin to fetch if online."""

    def stop(self) -> None:
        """The client closes; requests and timers have ended."""

    def set_online(self, is_online: bool) -> None:
        """`Client.online` was set."""

    def refresh(self) -> None:
        """`Client.refresh`: fetch now."""

    def identify(self, context: Context, reply: Reply) -> None:
        """The current context has become this one; complete the reply when its flags are published."""

    def flush(self, reply: Reply) -> None:
        """Record what is counted elsewhere, then complete the reply: what the pipelines hold is sent after it."""

    def forked(self) -> None:
        """In a forked child, before `start`: what was under way or counted belongs to the parent."""

    def encode(self, batch: ProviderBatch) -> Request:
        """The request for a batch. `hoist.Error` with ARGUMENT: it can never be sent; with another: later."""
        raise NotImplementedError

    def classify(self, batch: ProviderBatch, answer: Answer) -> Status | tuple[Status, float]:
        """What an answer means: OK delivered, ARGUMENT dropped, LIMIT halve it; else again, so many seconds later."""
        raise NotImplementedError

    def destroy(self) -> None:
        """The client is freed: the last call of all."""

    # ---- On the host's threads -------------------------------------------------------------------

    def track(self, event: ProviderEvent) -> Status | None:
        """`Client.track`, which gets what this answers; None is OK."""
        raise NotImplementedError

    def evaluate(self, evaluation: Evaluation) -> None:
        """Decides a flag that `is_decided_per_call`, by setting `variation`, `reason` and `enabled`.

        `hoist.Error` with ARGUMENT: the context will not do; with STATE: not ready; what else it raises is GENERAL.
        """
        raise NotImplementedError

    def record(self, evaluation: Evaluation) -> None:
        """After an evaluation of a flag that `is_recorded`: an exposure."""

    def explain(self, evaluation: Evaluation) -> Any:
        """What JSON can say of how a flag was decided."""
        raise NotImplementedError


class _Kind:
    """What stands behind a registered table: the class."""

    def __init__(self, made_by: type[Provider]) -> None:
        self.made_by = made_by
        self.json = frozenset(row.name for row in made_by.properties if row.type in ("bool", "int", "json"))


def register(made_by: type[Provider]) -> None:
    """Registers a service under its name."""
    if not (isinstance(made_by, type) and issubclass(made_by, Provider)):
        raise TypeError(f"a service is a subclass of hoist.Provider, not {made_by!r}")
    texts: list[Any] = []

    def text(value: str) -> Any:
        texts.append(ffi.new("char[]", encode(value)))
        return texts[-1]

    brought = [name for name in _MEMBERS if getattr(made_by, name) is not getattr(Provider, name)]
    properties = ffi.new("hoist_provider_property[]", [_property(row, text) for row in made_by.properties])
    size = ffi.sizeof("hoist_provider_pipeline")
    pipelines = ffi.new("hoist_provider_pipeline[]", [
        (size, text(row.name), round(row.flush_interval * 1000), row.flush_count, row.batch_count)
        for row in made_by.pipelines
    ])  # fmt: skip
    name = text(made_by.name)
    # `stop` and `forked` end what waits here, too.
    filled = table("provider", _Kind(made_by), {"create", "destroy", "stop", "forked", *brought})
    filled.name = name
    filled.properties, filled.property_count = properties, len(made_by.properties)
    filled.pipelines, filled.pipeline_count = pipelines, len(made_by.pipelines)
    slot = ErrorSlot()
    slot.check(lib.hoist_provider_register(filled, slot.pointer), f'the provider "{made_by.name}"')
    describe.cache_clear()


def unregister_provider(name: str) -> None:
    """Gives a service's name free; clients go on. Raises `hoist.Error`."""
    slot = ErrorSlot()
    slot.check(lib.hoist_provider_unregister(encode(name), slot.pointer), f'the provider "{name}"')
    describe.cache_clear()


def _property(row: ProviderProperty, text: Any) -> tuple[Any, ...]:
    if row.type not in _TYPES:
        raise ValueError(f'property "{row.name}": a type is one of {", ".join(_TYPES)}, not "{row.type}"')
    default = ffi.NULL
    if row.default is not None:
        default = text(row.default if isinstance(row.default, str) else json.dumps(row.default))
    return (
        ffi.sizeof("hoist_provider_property"), text(row.name), _TYPES[row.type], row.required, row.identity, default,
        text(row.help), row.minimum, row.maximum,
    )  # fmt: skip


# ---- The table ------------------------------------------------------------------------------------


@implements("provider", "create", failure=Status)
def _create(user_data: Any, host: Any, instance: Any, message: Any, size: int) -> int:
    kind: _Kind = owner(user_data)
    offered = ProviderHost(host, kind.json)
    try:
        made = kind.made_by(offered)
        made.host = offered
    except BaseException as problem:
        status = report(f"provider.create of {kind.made_by.__qualname__}", problem)
        text = encode(f"{type(problem).__name__}: {problem}".splitlines()[0])[: max(0, size - 1)]
        ffi.memmove(message, text + b"\0", min(size, len(text) + 1))
        return status
    instance[0] = keep(made)
    return Status.OK


@implements("provider", "destroy")
def _destroy(instance: Any) -> None:
    found: Provider = owner(instance)
    forget(instance)
    found.host._forget()
    found.destroy()


@implements("provider", "stop")
def _stop(instance: Any) -> None:
    found: Provider = owner(instance)
    found.host._forget()
    found.stop()


@implements("provider", "forked")
def _forked(instance: Any) -> None:
    found: Provider = owner(instance)
    found.host._forget()
    found.forked()


@implements("provider", "start")
def _start(instance: Any) -> None:
    _attempt(instance, "start")


@implements("provider", "refresh")
def _refresh(instance: Any) -> None:
    _attempt(instance, "refresh")


@implements("provider", "set_online")
def _set_online(instance: Any, is_online: bool) -> None:
    _attempt(instance, "set_online", bool(is_online))


def _attempt(instance: Any, member: str, *arguments: Any) -> None:
    found: Provider = owner(instance)
    try:
        getattr(found, member)(*arguments)
    except BaseException as problem:
        found.host._failed(member, problem)


@implements("provider", "identify")
def _identify(instance: Any, context: Any, pointer: Any) -> None:
    reply = Reply(pointer)
    try:
        owner(instance).identify(lent_context(context), reply)
    except BaseException as problem:
        reply.complete(report("provider.identify", problem))


@implements("provider", "flush")
def _flush(instance: Any, pointer: Any) -> None:
    reply = Reply(pointer)
    try:
        owner(instance).flush(reply)
    except BaseException as problem:
        reply.complete(report("provider.flush", problem))


@implements("provider", "track", failure=Status)
def _track(instance: Any, event: Any) -> int:
    status = owner(instance).track(read_event(event))
    return Status.OK if status is None else status


@implements("provider", "evaluate", failure=Status)
def _evaluate(instance: Any, evaluation: Any) -> int:
    asked = _read(evaluation)
    owner(instance).evaluate(asked)
    evaluation.enabled, evaluation.variation, evaluation.reason = asked.enabled, asked.variation, int(asked.reason)
    return Status.OK


@implements("provider", "record")
def _record(instance: Any, evaluation: Any) -> None:
    owner(instance).record(_read(evaluation))


@implements("provider", "explain", failure=Status)
def _explain(instance: Any, evaluation: Any, sink: Any) -> int:
    text = to_json(owner(instance).explain(_read(evaluation)), "the explanation")
    return int(lib.hoist_bytes_sink_write(sink, text, len(text)))


@implements("provider", "encode", failure=Status)
def _encode(instance: Any, batch: Any, sink: Any) -> int:
    told, _kept = c_request(owner(instance).encode(read_batch(batch)))
    return int(lib.hoist_request_sink_set(sink, told))


@implements("provider", "classify", failure=Status)
def _classify(instance: Any, batch: Any, answer: Any, retry_after_ms: Any) -> int:
    said = owner(instance).classify(read_batch(batch), read_answer(answer))
    if isinstance(said, tuple):
        said, seconds = said
        retry_after_ms[0] = round(seconds * 1000)
    return int(said)


def _read(evaluation: Any) -> Evaluation:
    return Evaluation(
        decode(evaluation.key), lent_context(evaluation.context), bool(evaluation.enabled), evaluation.variation,
        Reason(evaluation.reason),
    )  # fmt: skip
