"""The end of the process: clients that are still open are closed within a limit."""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _callback
from ._native import ffi, native

if TYPE_CHECKING:
    from .client import Client

_clients: weakref.WeakSet[Client] = weakref.WeakSet()
_limit = 2.0
_anchor: Any = None
_closes_in = 0


def watch(client: Client) -> None:
    """Closes the client at exit, if it lives until then."""
    _clients.add(client)
    _close_with_child()


def set_exit_limit(seconds: float) -> None:
    """How long the end of the process may be held up, in all, for clients that nobody closed. Default 2 s."""
    global _limit
    _limit = max(0.0, seconds)


def _close_all() -> None:
    deadline = time.monotonic() + _limit
    for client in list(_clients):
        client.close(max(0.0, deadline - time.monotonic()))


def _let_go() -> None:
    """Without a gate the library must have nothing left to call: clients are freed, and their last calls waited for."""
    for client in list(_clients):
        client._pointer = ffi.NULL
    deadline = time.monotonic() + min(_limit, 0.5)
    while _callback.anything_kept() and time.monotonic() < deadline:
        time.sleep(0.005)


def _leave() -> None:
    _close_all()
    if not native.has_gate:
        _let_go()
    # From here on Python is taken down; nothing of the library's may come in any more.
    native.close_gate()


def _close_with_child(_: object = None) -> None:
    """Once in each child of multiprocessing or billiard: it leaves without atexit; both have one list of last acts."""
    global _closes_in
    util: Any = sys.modules.get("multiprocessing.util")
    modules = [sys.modules.get(f"{package}.process") for package in ("multiprocessing", "billiard")]
    children: list[Any] = [module.current_process() for module in modules if module]
    if util is None or _closes_in == os.getpid() or all(child._parent_pid is None for child in children):
        return
    _closes_in = os.getpid()
    util.Finalize(None, _close_all, exitpriority=-100)
    for child in children:
        # Workers of billiard's pool, which is Celery's, leave without that, too, by way of a function of its owner.
        worker: Any = getattr(child, "_target", None)
        if hasattr(worker, "on_exit"):
            worker.on_exit = _closing_after(worker.on_exit)


def _closing_after(first: Callable[..., object] | None) -> Callable[..., None]:
    def leave(*arguments: object) -> None:
        try:
            if first is not None:
                first(*arguments)
        finally:
            _close_all()

    return leave


class _Anchor:
    """What multiprocessing hangs its after-fork call on."""


def _before_fork() -> None:
    global _anchor
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None and _anchor is None and _clients:
        _anchor = _Anchor()
        util.register_after_fork(_anchor, _close_with_child)


atexit.register(_leave)
os.register_at_fork(before=_before_fork)
