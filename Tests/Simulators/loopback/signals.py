"""Waiting without sleeping: a signal that can be polled together with a socket."""

from __future__ import annotations

import os
import select
import socket
import threading

SIGNALLED, GONE, TIMED_OUT = "signalled", "gone", "timed-out"


class Signal:
    """A latch with a descriptor: once set it stays set until `clear`."""

    def __init__(self) -> None:
        self._descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._lock = threading.Lock()

    def set(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                os.eventfd_write(self._descriptor, 1)

    def clear(self) -> None:
        with self._lock:
            try:
                if self._descriptor >= 0:
                    os.eventfd_read(self._descriptor)
            except BlockingIOError:
                pass

    def wait(self, connection: socket.socket, timeout: float | None = None) -> str:
        """Waits for the signal, for the peer to hang up, or for the time to pass."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        try:
            poll.register(connection, select.POLLRDHUP)
        except (OSError, ValueError):
            return GONE
        ready = dict(poll.poll(None if timeout is None else max(0.0, timeout) * 1000))
        if not ready:
            return TIMED_OUT
        return SIGNALLED if self._descriptor in ready else GONE

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
