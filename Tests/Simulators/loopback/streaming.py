"""Server-sent events: streams that stay open, keep-alives, and streams that break on demand."""

from __future__ import annotations

import threading
import zlib
from collections import deque
from typing import Any, Callable, Generic, TypeVar

from .delivery import chunk, hold
from .faults import Applied
from .journal import Journal
from .server import ClientGone, Exchange
from .signals import GONE, SIGNALLED, Signal
from .wire import Response

END, CLOSE, RESET = "end", "close", "reset"
WAYS = (END, CLOSE, RESET)
CORRUPT = '{"events":[{"eventId":1,"type":"feature-updated","feat'
DEFAULT_GAP = 0.0005


class Over(Exception):
    """The stream is to end in a given way: `end` as HTTP wants it, `close` in mid-air, `reset` with RST."""


Order = Callable[[Any], None]
"""Something to carry out on the stream that it is given, between two events."""


class EventStream:
    """One open stream. A subclass says what it begins with, and what it sends when it is woken."""

    def __init__(self, client: str | None, exchange: Exchange, applied: Applied | None) -> None:
        self.client = client
        self.events_sent = 0
        self._exchange = exchange
        self._applied = applied
        self._wake = Signal()
        self._lock = threading.Lock()
        self._orders: deque[Order] = deque()
        self._packer: Any = None

    # What a subclass defines.

    headers: tuple[tuple[str, str], ...] = ()
    """Sent besides those that make it a stream."""
    compressed = False
    """Whether it goes as gzip, each event to be read as soon as it is there."""

    def greet(self) -> None:
        """Sends what a stream begins with."""

    def refresh(self) -> None:
        """Sends what is new, after every wake."""

    def as_json(self) -> dict[str, Any]:
        return {"client": self.client, "events": self.events_sent}

    # What a service does with it.

    def do(self, order: Order) -> None:
        with self._lock:
            self._orders.append(order)
        self._wake.set()

    def wake(self) -> None:
        self._wake.set()

    def run(self, keep_alive_seconds: float) -> None:
        """Serves the stream on its connection's thread until one side ends it."""
        if self._applied is not None and self._kind == "drop":
            self._finish(self._applied.fault.get("how", CLOSE))
            return
        self._packer = zlib.compressobj(wbits=31) if self.compressed else None
        coding = [("Content-Encoding", "gzip")] if self.compressed else []
        headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"),
                   ("Transfer-Encoding", "chunked"), *coding, *self.headers]
        self._exchange.send(Response(200, headers=headers).head(length=None))
        if self._kind == "headers-only":
            return
        try:
            self.greet()
            self._serve(keep_alive_seconds)
        except Over as over:
            self._finish(str(over))

    def send_event(self, event: str, data: str, identifier: int | str | None = None) -> None:
        fault = self._applied.fault if self._applied is not None else None
        if self._kind == "stream-corrupt" and fault and self.events_sent == fault.get("afterEvents", 0):
            data = fault.get("data", CORRUPT)
        lines = [f"event: {event}"]
        lines += [] if identifier is None else [f"id: {identifier}"]
        lines += [f"data: {line}" for line in data.split("\n")]
        if self._kind == "stream-format" and fault:
            lines = [f": {comment}" for comment in fault.get("comments", [])] + lines
        self._before_event()
        self.write("\n".join(lines) + "\n\n", formatted=True)
        self.events_sent += 1
        self._after_event()

    def write(self, text: str | bytes, formatted: bool = False) -> None:
        """Sends text as one or, when the fault says so, many small chunks."""
        data = text.encode() if isinstance(text, str) else text
        fault = self._applied.fault if self._applied is not None else None
        if formatted and self._kind == "stream-format" and fault:
            data = data.replace(b"\n", fault.get("newline", "\n").encode())
            if fault.get("mark", False) and self.events_sent == 0:
                data = b"\xef\xbb\xbf" + data
        if self._packer is not None:
            data = self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        step = fault.get("pieceBytes", 1) if self._kind == "stream-split" and fault else len(data)
        for start in range(0, len(data), max(1, step)):
            self._exchange.send(chunk(data[start : start + step]))
            if step < len(data) and self._applied is not None and fault is not None:
                hold(self._exchange, self._applied, fault.get("interval", DEFAULT_GAP))

    def end(self, how: str = CLOSE) -> None:
        """Ends it in one of the ways of `Over`; an order."""
        raise Over(how)

    def stall(self, until: Signal) -> None:
        """Sends nothing more until the signal; an order."""
        if self._exchange.wait(until) == GONE:
            raise ClientGone("left a stalled stream")

    @property
    def _kind(self) -> str | None:
        return self._applied.kind if self._applied is not None else None

    def _serve(self, keep_alive_seconds: float) -> None:
        while True:
            outcome = self._exchange.wait(self._wake, keep_alive_seconds)
            if outcome == GONE:
                raise ClientGone("left the stream")
            if outcome != SIGNALLED:
                self.write(": keep-alive\n\n")
                continue
            self._wake.clear()
            while self._orders:
                with self._lock:
                    order = self._orders.popleft()
                order(self)
            self.refresh()

    def _before_event(self) -> None:
        """A stall or a drop after no events comes before the first one."""
        if self.events_sent == 0:
            self._after_event()

    def _after_event(self) -> None:
        if self._applied is None or self._kind not in ("stream-drop", "stream-stall"):
            return
        fault = self._applied.fault
        if self.events_sent != fault.get("afterEvents", 1):
            return
        if self._kind == "stream-drop":
            raise Over(fault.get("how", CLOSE))
        if hold(self._exchange, self._applied) == GONE:
            raise ClientGone("left a stalled stream")

    def _finish(self, how: str) -> None:
        if how == END:
            rest = b"" if self._packer is None else chunk(self._packer.flush())
            self._exchange.send(rest + b"0\r\n\r\n")
        elif how == RESET:
            self._exchange.reset()


OneStream = TypeVar("OneStream", bound=EventStream)


class StreamHub(Generic[OneStream]):
    """All open streams of a simulator."""

    def __init__(self, journal: Journal) -> None:
        self._lock = threading.Lock()
        self._streams: list[OneStream] = []
        self._stalls: list[Signal] = []
        self._journal = journal
        self.opened = 0

    def run(self, stream: OneStream, keep_alive_seconds: float) -> None:
        with self._lock:
            self._streams.append(stream)
            self.opened += 1
        self._journal.poke()
        try:
            stream.run(keep_alive_seconds)
        finally:
            with self._lock:
                self._streams.remove(stream)
            self._journal.poke()

    @property
    def open(self) -> list[OneStream]:
        with self._lock:
            return list(self._streams)

    def wait_for(self, count: int, timeout: float = 5.0) -> bool:
        """Waits until exactly `count` streams are open."""
        return self._journal.wait_until(lambda: len(self.open) == count, timeout)

    def wake(self) -> None:
        for stream in self.open:
            stream.wake()

    def order(self, order: Callable[[OneStream], None]) -> int:
        """Has it carried out on every open stream; returns how many there are."""
        streams = self.open
        for stream in streams:
            stream.do(order)
        return len(streams)

    def drop(self, how: str = CLOSE) -> int:
        """Ends all open streams in one of the ways of `Over`."""
        if how not in WAYS:
            raise ValueError(f"a stream ends by {', '.join(WAYS)}, not by {how!r}")
        return self.order(lambda stream: stream.end(how))

    def send(self, event: str, data: str, identifier: int | str | None = None) -> int:
        """Sends an event of any kind on all open streams."""
        return self.order(lambda stream: stream.send_event(event, data, identifier))

    def raw(self, data: bytes) -> int:
        """Puts bytes on all open streams, as one chunk each."""
        return self.order(lambda stream: stream.write(data))

    def truncate(self, event: str, data: str, keep: int, how: str = CLOSE) -> int:
        """Begins an event on all open streams, and ends them inside it."""
        self.raw(f"event: {event}\ndata: {data}\n\n".encode()[:keep])
        return self.drop(how)

    def stall(self) -> int:
        """Makes all open streams fall silent, keep-alives too, until `resume`."""
        until = Signal()
        with self._lock:
            self._stalls.append(until)
        return self.order(lambda stream: stream.stall(until))

    def resume(self) -> int:
        """Lets stalled streams send what they owe; returns how many stalls that ends."""
        with self._lock:
            stalls, self._stalls = self._stalls, []
        for until in stalls:
            until.set()
        return len(stalls)

    def keep_alive(self) -> int:
        return self.order(lambda stream: stream.write(": keep-alive\n\n"))

    def as_json(self) -> dict[str, Any]:
        return {"opened": self.opened, "open": [stream.as_json() for stream in self.open]}
