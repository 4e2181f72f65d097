"""What a service is offered by its client."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._callback import function, implements, report
from .._native import NULL, ffi, lib
from .._text import decode, decode_bytes, encode, take
from ..context import Context
from ..plugins import LogLevel, Request
from ..plugins.headers import read_headers
from ..plugins.transport import c_request
from ..status import ErrorSlot, Status, check
from .flags import Flag, flag_set

if TYPE_CHECKING:
    from ..client import State

_ERROR = lib.HOIST_CLIENT_ERROR


@dataclass(frozen=True, slots=True)
class Answer:
    """How a request ended."""

    status: Status
    """OK: there is an answer, whatever its `http_status`."""
    http_status: int
    headers: list[tuple[str, str]]
    body: bytes
    message: str
    """Why there is no answer; "" when there is one."""


class Ticket:
    """Something that was begun: a request, or a timer."""

    __slots__ = ("_host", "_number", "_token")

    def __init__(self, host: ProviderHost, number: int, token: int) -> None:
        self._host, self._number, self._token = host, number, token

    def cancel(self) -> bool:
        """Its function will not be called; False when it has been, or is being called."""
        is_cancelled = bool(lib.hoist_provider_host_cancel(self._host._pointer, self._token) == Status.OK)
        if is_cancelled:
            _waiting.pop(self._number, None)
        return is_cancelled


_numbers = itertools.count(1)
_waiting: dict[int, tuple[ProviderHost, str, Callable[..., object]]] = {}
"""What is to be called, by the number that stands for it in C: a number that is not here any more is harmless."""


class ProviderHost:
    """One client, as its service sees it. Any thread; once the client is freed, every call is harmless.

    What is begun here calls its function once, on the service's lane, unless it is cancelled or the client ends
    before. What such a function raises is logged, and counts as an attempt that has failed: `set_state(ERROR)`.
    """

    __slots__ = ("_json", "_pointer", "__weakref__")

    def __init__(self, pointer: Any, json_properties: frozenset[str]) -> None:
        self._pointer = pointer
        self._json = json_properties

    # ---- Flags and state -------------------------------------------------------------------------

    def publish(self, flags: Iterable[Flag], only_for: Context | None = None) -> None:
        """Serves these flags from now on, in place of all before; `only_for` one context, where the service evaluates.

        The client is STALE with the first ones, until `set_state` says READY. Raises `hoist.Error`, which names the
        flag; the former flags go on being served then.
        """
        slot = ErrorSlot()
        slot.check(lib.hoist_provider_host_publish(self._pointer, flag_set(flags, only_for), slot.pointer), "the flags")

    def set_state(self, state: State, message: str = "") -> Status:
        """What has become of an attempt: READY; ERROR or STALE while attempts go on; FATAL when they have stopped."""
        return Status(lib.hoist_provider_host_set_state(self._pointer, int(state), encode(message)))

    def log(self, level: LogLevel, message: str) -> None:
        """Writes a line to the client's log. No secrets, and attributes of contexts only at DEBUG."""
        lib.hoist_provider_host_log(self._pointer, int(level), encode(message))

    # ---- The client ------------------------------------------------------------------------------

    def get(self, name: str) -> Any:
        """The value of a property, the service's own or one of the library's, secrets in full; None for no such name.

        Own ones of the types bool, int and json come as such, the others as text.
        """
        text = take(lib.hoist_provider_host_property(self._pointer, encode(name)))
        if text is None or name not in self._json:
            return None if text is None else text.decode()
        return json.loads(text) if text else None

    @property
    def context(self) -> Context | None:
        """A copy of the client's current context."""
        pointer = lib.hoist_provider_host_context(self._pointer)
        return Context.owning(pointer) if pointer else None

    @property
    def is_online(self) -> bool:
        """Whether the network may be used."""
        return bool(lib.hoist_provider_host_is_online(self._pointer))

    @property
    def unix_ms(self) -> int:
        """Milliseconds since 1970; may jump."""
        return int(lib.hoist_provider_host_unix_ms(self._pointer))

    @property
    def monotonic_ms(self) -> int:
        """Milliseconds since some point in the past; never jumps."""
        return int(lib.hoist_provider_host_monotonic_ms(self._pointer))

    # ---- Requests, timers, the store -------------------------------------------------------------

    def send(self, request: Request, answered: Callable[[Answer], object]) -> Ticket:
        """Sends a request over the client's transport. Raises `hoist.Error`: STATE, also when the client is offline."""
        told, _kept = c_request(request)
        token = ffi.new("hoist_token *")
        call = lib.hoist_provider_host_send
        number = self._begin(
            "the answer", answered, lambda data: call(self._pointer, told, function("provider_answered"), data, token)
        )
        return Ticket(self, number, token[0])

    def schedule(self, delay: float, due: Callable[[], object]) -> Ticket:
        """Calls a function once, no sooner than so many seconds from now. Raises `hoist.Error`."""
        token, wait = ffi.new("hoist_token *"), round(delay * 1000)
        call = lib.hoist_provider_host_schedule
        number = self._begin(
            "the timer", due, lambda data: call(self._pointer, wait, function("provider_due"), data, token)
        )
        return Ticket(self, number, token[0])

    def load(self, key: str, loaded: Callable[[bytes | None], object]) -> None:
        """Reads what was kept under a key, in this run or an earlier one; None for nothing. Raises `hoist.Error`."""
        call = lib.hoist_provider_host_load
        name = encode(key)
        self._begin("the load", loaded, lambda data: call(self._pointer, name, function("provider_loaded"), data))

    def save(self, key: str, value: bytes) -> Status:
        """Keeps a value in the client's store, which is written behind."""
        return Status(lib.hoist_provider_host_save(self._pointer, encode(key), ffi.from_buffer(value), len(value)))

    def remove(self, key: str) -> Status:
        """Forgets a value."""
        return Status(lib.hoist_provider_host_remove(self._pointer, encode(key)))

    # ---- Events ----------------------------------------------------------------------------------

    def record(self, pipeline: str, payload: bytes, subject: str = "") -> Status:
        """Records an event, in a form of the service's own, of a subject; LIMIT: no room, dropped and counted."""
        call = lib.hoist_provider_host_record
        return Status(call(self._pointer, encode(pipeline), encode(subject), ffi.from_buffer(payload), len(payload)))

    # ---- Inside ----------------------------------------------------------------------------------

    def _begin(self, what: str, told: Callable[..., object], call: Callable[[Any], int]) -> int:
        number = next(_numbers)
        _waiting[number] = (self, what, told)
        status = call(ffi.cast("void *", number))
        if status:
            del _waiting[number]
        check(status, what)
        return number

    def _forget(self) -> None:
        """Nothing that was begun is called any more."""
        for number, (host, _what, _told) in list(_waiting.items()):
            if host is self:
                _waiting.pop(number, None)

    def _failed(self, what: str, problem: BaseException) -> Status:
        """What the service raised is in the log, and an attempt has failed."""
        status = report(f"provider.{what}", problem)
        line = f"{what} raised {type(problem).__name__}"
        self.log(LogLevel.ERROR, f'{line}: the traceback is in Python\'s log "hoist"')
        lib.hoist_provider_host_set_state(self._pointer, _ERROR, encode(line))
        return status


def _call(user_data: Any, *arguments: Any) -> None:
    found = _waiting.pop(int(ffi.cast("uintptr_t", user_data)), None)
    if found is None:
        return
    host, what, told = found
    try:
        told(*arguments)
    except BaseException as problem:
        host._failed(what, problem)


@implements("provider_answered")
def _answered(user_data: Any, answer: Any) -> None:
    _call(user_data, read_answer(answer))


@implements("provider_due")
def _due(user_data: Any) -> None:
    _call(user_data)


@implements("provider_loaded")
def _loaded(user_data: Any, status: int, value: Any, size: int) -> None:
    _call(user_data, decode_bytes(value, size) if status == Status.OK else None)


def read_answer(answer: Any) -> Answer:
    """An answer that C lends."""
    headers = read_headers(answer.headers, answer.header_count) if answer.header_count else []
    body = b"" if answer.body == NULL else decode_bytes(answer.body, answer.body_size)
    return Answer(Status(answer.status), answer.http_status, headers, body, decode(answer.message))
