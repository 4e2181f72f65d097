"""Python objects behind the library's plug-in tables and completions.

An object that the library may call is kept alive here until the library releases it. Whatever a
plug-in raises becomes a status and a line in the log "hoist"; nothing passes through C.
"""

from __future__ import annotations

import _thread
import contextlib
import functools
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ._native import CFunction, ffi, native
from .status import Error, Status

log = logging.getLogger("hoist")

_Function = TypeVar("_Function", bound=Callable[..., Any])
_members: dict[str, dict[str, CFunction]] = {}
_alive: dict[int, Any] = {}
_compiled: set[str] = set()
_QUIET_SECONDS = 60
_MOST_COMPLAINTS = 1000
_complaints: dict[tuple[Any, ...], tuple[float, int]] = {}
"""When each line that raised was told of, and how often it has raised since."""


def implements(table: str, member: str = "", failure: Any = None) -> Callable[[_Function], _Function]:
    """Makes a function a member of every table of a kind, or a callback type of that name.

    `failure` is answered when the function raises; `Status` stands for the status that fits.
    """

    def register(function: _Function) -> _Function:
        @functools.wraps(function)
        def guarded(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as problem:
                status = report(f"{table}.{member}" if member else table, problem)
                return int(status) if failure is Status else failure

        _members.setdefault(table, {})[member] = native.c_function(table, member, guarded)
        return function

    return register


def report(where: str, problem: BaseException) -> Status:
    """Logs what a plug-in raised, and finds the status to answer with."""
    if isinstance(problem, KeyboardInterrupt):
        # The main thread may be here, inside an evaluation. A thread that waits for the interpreter
        # lock interrupts it when it has left.
        _thread.start_new_thread(_thread.interrupt_main, ())
    else:
        with contextlib.suppress(BaseException):  # a log that fails must not pass through C either
            _complain(where, problem)
    if isinstance(problem, Error) and not problem.status:
        return problem.status
    return Status.PLUGIN


def _complain(where: str, problem: BaseException) -> None:
    """At most one traceback a minute of each line that raises: a hook runs at every evaluation."""
    trace = problem.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    line = (where, type(problem).__name__, trace and trace.tb_frame.f_code.co_filename, trace and trace.tb_lineno)
    now = time.monotonic()
    # Without a lock, which a forked child could find held: two threads at once may count one too few.
    told, times = _complaints.get(line, (float("-inf"), 0))
    if now - told < _QUIET_SECONDS:
        _complaints[line] = (told, times + 1)
        return
    if len(_complaints) >= _MOST_COMPLAINTS:
        _complaints.clear()
    _complaints[line] = (now, 0)
    more = f", and {times} times since this was last told" if times else ""
    log.error("%s raised %s%s", where, line[1], more, exc_info=problem)


def keep(owner: object) -> Any:
    """A `user_data` for an object that lives until `forget`."""
    handle = ffi.new_handle(owner)
    _alive[_address(handle)] = handle
    return handle


def keep_in_tuple(owner: object) -> Any:
    """Likewise, for compiled code: the address of a tuple of the object."""
    kept = (owner,)
    _alive[id(kept)] = kept
    return ffi.cast("void *", id(kept))


def adopt(kind: str, functions: dict[str, Any]) -> None:
    """Makes functions of compiled code the members of every table of a kind, in place of Python's."""
    types = dict(ffi.typeof(f"hoist_{kind}").fields)
    _members[kind].update({member: ffi.cast(types[member].type, function) for member, function in functions.items()})
    _compiled.add(kind)


def owner(user_data: Any) -> Any:
    """The object behind a `user_data`."""
    return ffi.from_handle(user_data)


def forget(user_data: Any) -> None:
    """Lets go of the object."""
    _alive.pop(_address(user_data), None)


def anything_kept() -> bool:
    """Whether the library may still call an object."""
    return bool(_alive)


def function(callback_type: str) -> CFunction:
    """The C function of a callback type."""
    return _members[callback_type][""]


def table(kind: str, plugin: object, members: Iterable[str] | None = None) -> Any:
    """A table over a plug-in, with all its members or some. The library must be given it at once."""
    functions = _members[kind]
    if "release" not in functions:
        implements(kind, "release")(forget)
    filled = ffi.new(f"hoist_{kind} *")
    filled.struct_size = ffi.sizeof(filled[0])
    filled.user_data = keep_in_tuple(plugin) if kind in _compiled else keep(plugin)
    for member in functions if members is None else {*members, "release"}:
        setattr(filled, member, functions[member])
    return filled


def overridden(plugin: object, base: type, members: Iterable[str]) -> list[str]:
    """The members that a plug-in's class brings itself."""
    return [name for name in members if getattr(type(plugin), name, None) is not getattr(base, name)]


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


@implements("done")
def _done(user_data: Any, status: int) -> None:
    completion: Callable[[Status], object] = owner(user_data)
    forget(user_data)
    completion(Status(status))


def start(
    call: Callable[[CFunction, Any], int], completion: Callable[[Status], object] | None, kind: str = "done"
) -> Status:
    """Makes a call that takes a completion, `call(done, user_data)`; the completion is called once if it answers OK.

    `kind` is the callback type of the completion.
    """
    if completion is None:
        return Status(call(ffi.NULL, ffi.NULL))
    handle = keep(completion)
    status = Status(call(function(kind), handle))
    if not status:
        forget(handle)
    return status
