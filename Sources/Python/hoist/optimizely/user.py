"""User contexts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import detail as _detail
from .._attributes import to_json
from .._callback import forget, function, implements, keep, log, owner, start
from .._native import NULL, ffi, lib, use
from .._text import KEYS, decode, encode, milliseconds, optional, take, take_text
from .._wait import interruptible
from ..status import Error, ErrorSlot, Status, check
from . import decision as _decision
from .decision import Decision, Options, bits
from .platform import SegmentOption, names_array, segment_bits

if TYPE_CHECKING:
    from .client import Client

Decisions = dict[str, Decision]
"""Decisions by flag key, in the order of the call."""


class User:
    """A user id, attributes, forced decisions, segments. Thread-safe; made by `Client.user`.

    A decision works on what the user is when the call begins. A user may outlive its client; it
    answers then as before there is a datafile.
    """

    __slots__ = ("_pointer", "__weakref__")

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.hoist_optimizely_user_free)

    @property
    def id(self) -> str:
        """The user id."""
        return decode(lib.hoist_optimizely_user_id(self._pointer))

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes as they are now."""
        return _detail.load(take(lib.hoist_optimizely_user_attributes(self._pointer)) or b"{}") or {}

    def set(self, name: str, value: object) -> None:
        """Sets an attribute: str, bool, int, float, None, or what JSON can say. Raises `hoist.Error`."""
        check(self._set(encode(name), name, value), f'attribute "{name}"')

    def _set(self, key: bytes, name: str, value: object) -> int:
        if isinstance(value, str):
            return int(lib.hoist_optimizely_user_set_string(self._pointer, key, encode(value)))
        if isinstance(value, bool):
            return int(lib.hoist_optimizely_user_set_bool(self._pointer, key, value))
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            return int(lib.hoist_optimizely_user_set_int64(self._pointer, key, value))
        if isinstance(value, float):
            return int(lib.hoist_optimizely_user_set_double(self._pointer, key, value))
        if value is None:
            return int(lib.hoist_optimizely_user_set_null(self._pointer, key))
        text = to_json(value, name)
        return int(lib.hoist_optimizely_user_set_json(self._pointer, key, text, len(text)))

    def copy(self) -> User:
        """A user that is changed on its own."""
        return User(lib.hoist_optimizely_user_copy(self._pointer))

    # ---- Decisions -------------------------------------------------------------------------------

    def decide(self, key: str, options: Options = ()) -> Decision:
        """Decides a flag, sends its impression and tells observers. Never waits for the network."""
        return _decide(self._pointer, key, bits(options))

    def decide_for_keys(self, keys: Iterable[str], options: Options = ()) -> Decisions:
        """Decides some flags; empty before there is a datafile."""
        array, count, _texts = _keys(keys)
        return _take(lib.hoist_optimizely_user_decide_for_keys(self._pointer, array, count, bits(options)))

    def decide_all(self, options: Options = ()) -> Decisions:
        """Decides all flags, in the order of the datafile; empty before there is one."""
        return _take(lib.hoist_optimizely_user_decide_all(self._pointer, bits(options)))

    def explain(self, key: str) -> dict[str, Any] | None:
        """How the user comes to a flag at this moment, step by step; None for an unknown flag. Keeps and sends nothing."""
        found: dict[str, Any] | None = load_json(take(lib.hoist_optimizely_user_explain(self._pointer, KEYS[key])))
        return found

    def decide_wait(
        self, keys: Iterable[str] | None = None, options: Options = (), timeout: float | None = 10.0
    ) -> Decisions:
        """Decides some flags, or all, and asks the prediction server where a rule wants it (CMAB).

        What the server has not answered in time counts as not to be had.
        """
        array, count, _texts = _keys(keys)
        call, limit = lib.hoist_optimizely_user_decide_wait, milliseconds(timeout)
        return _take(interruptible(lambda: call(self._pointer, array, count, bits(options), limit)))

    def decide_soon(
        self, keys: Iterable[str] | None, options: Options, done: Callable[[Status, Decisions], object]
    ) -> Status:
        """`decide_wait` that does not wait; `done` is called once if this answers OK."""
        array, count, _texts = _keys(keys)
        handle = keep(done)
        call = lib.hoist_optimizely_user_decide_async
        status = Status(call(self._pointer, array, count, bits(options), function("optimizely_decided"), handle))
        if not status:
            forget(handle)
        return status

    async def decide_async(self, client: Client, keys: Iterable[str] | None = None, options: Options = ()) -> Decisions:
        """`decide_wait` for asyncio. Raises `hoist.Error` when the client closes first."""
        from .. import _awaited

        found: Decisions = await _awaited.value_of(
            client, lambda done: self.decide_soon(keys, options, done), "decisions"
        )
        return found

    # ---- Forced decisions ------------------------------------------------------------------------

    def set_forced_decision(self, flag_key: str, variation_key: str, rule_key: str | None = None) -> bool:
        """Makes a flag, or one of its rules, give a variation whatever the rules say."""
        call = lib.hoist_optimizely_user_set_forced_decision
        return bool(call(self._pointer, encode(flag_key), optional(rule_key), encode(variation_key)))

    def forced_decision(self, flag_key: str, rule_key: str | None = None) -> str | None:
        """The variation that is forced; None when none is."""
        call = lib.hoist_optimizely_user_forced_decision
        return take_text(call(self._pointer, encode(flag_key), optional(rule_key)))

    def remove_forced_decision(self, flag_key: str, rule_key: str | None = None) -> bool:
        """Whether there was one."""
        return bool(
            lib.hoist_optimizely_user_remove_forced_decision(self._pointer, encode(flag_key), optional(rule_key))
        )

    def remove_all_forced_decisions(self) -> None:
        """Forces nothing any more."""
        lib.hoist_optimizely_user_remove_all_forced_decisions(self._pointer)

    # ---- Segments --------------------------------------------------------------------------------

    @property
    def segments(self) -> list[str] | None:
        """The segments the user is known to be in; None when they were never fetched, or that failed."""
        found: list[str] | None = load_json(take(lib.hoist_optimizely_user_segments(self._pointer)))
        return found

    @segments.setter
    def segments(self, names: Iterable[str] | None) -> None:
        array, count, _texts = names_array(names)
        check(lib.hoist_optimizely_user_set_segments(self._pointer, array, count), "segments")

    def is_qualified_for(self, segment: str) -> bool:
        """Whether the user is known to be in a segment."""
        return bool(lib.hoist_optimizely_user_is_qualified_for(self._pointer, encode(segment)))

    def fetch_segments(self, options: Iterable[SegmentOption] = (), timeout: float | None = 10.0) -> Status:
        """Asks the data platform which segments the user is in."""
        slot = ErrorSlot()
        call, limit = lib.hoist_optimizely_user_fetch_segments_wait, milliseconds(timeout)
        return slot.answer(interruptible(lambda: call(self._pointer, segment_bits(options), limit, slot.pointer)))

    def fetch_segments_soon(
        self, done: Callable[[Status], object] | None = None, options: Iterable[SegmentOption] = ()
    ) -> Status:
        """`fetch_segments` that does not wait; `done` is called once if this answers OK."""
        wanted = segment_bits(options)
        call = lib.hoist_optimizely_user_fetch_segments
        return start(lambda function, data: call(self._pointer, wanted, function, data), done)

    async def fetch_segments_async(
        self, client: Client, options: Iterable[SegmentOption] = (), timeout: float | None = 10.0
    ) -> Status:
        """`fetch_segments` for asyncio."""
        from .. import _awaited

        return await _awaited.status_of(client, lambda done: self.fetch_segments_soon(done, options), timeout)

    # ---- Events ----------------------------------------------------------------------------------

    def track(self, event_key: str, tags: Mapping[str, Any] | None = None) -> Status:
        """Records a conversion. "revenue" and "value" among the tags count as such.

        ARGUMENT, with a line in the log, for tags that JSON has no words for.
        """
        return with_tags(event_key, tags, partial(lib.hoist_optimizely_user_track, self._pointer, encode(event_key)))

    def __repr__(self) -> str:
        return f"User({self.id!r})"  # attributes may be private


def _plain_decide(user: Any, key: str, options: int) -> Decision:
    pointer = lib.hoist_optimizely_user_decide(user, KEYS[key], options)
    try:
        return _decision.read(pointer, User)
    finally:
        lib.hoist_optimizely_decision_free(pointer)


_calls = use(Decision=Decision, user_type=ffi.typeof("hoist_optimizely_user *"))
_decide: Callable[[Any, str, int], Decision] = _calls.optimizely_decide if _calls else _plain_decide


def with_tags(event_key: str, tags: Mapping[str, Any] | None, call: Callable[..., int]) -> Status:
    """Calls with tags as the library takes them: a host that only counts gets a status, and never an exception."""
    try:
        text = NULL if tags is None else to_json(dict(tags), "tags")
    except (Error, TypeError, ValueError) as problem:
        log.warning("event %r is not recorded: %s", event_key, problem)
        return Status.ARGUMENT
    slot = ErrorSlot()
    return slot.answer(call(text, 0 if text == NULL else len(text), slot.pointer))


def _keys(keys: Iterable[str] | None) -> tuple[Any, int, list[Any]]:
    """Keys for C: the array, how many there are, and what must live as long. None stands for all flags."""
    if keys is None:
        return NULL, 0, []
    if isinstance(keys, str):
        raise TypeError("keys are a list of str, not one str")
    texts = [ffi.new("char[]", encode(key)) for key in keys]
    return ffi.new("char *[]", texts or [NULL]), len(texts), texts


def _take(decisions: Any) -> Decisions:
    """Reads decisions of the library's and frees them."""
    try:
        return _read(decisions)
    finally:
        lib.hoist_optimizely_decisions_free(decisions)


def _read(decisions: Any) -> Decisions:
    count = lib.hoist_optimizely_decisions_count(decisions)
    read = (_decision.read(lib.hoist_optimizely_decisions_at(decisions, index), User) for index in range(count))
    return {decision.flag_key: decision for decision in read}


@implements("optimizely_decided")
def _decided(user_data: Any, status: int, decisions: Any) -> None:
    done: Callable[[Status, Decisions], object] = owner(user_data)
    forget(user_data)
    done(Status(status), _read(decisions) if decisions else {})


def load_json(text: bytes | None) -> Any:
    """JSON of the library's; None for NULL."""
    return None if text is None else json.loads(text)
