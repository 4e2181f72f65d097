"""Server-sent events (protocol B.9): live deltas, keep-alives, and streams that break on demand."""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import Any, Callable

from loopback.delivery import chunk, hold
from loopback.faults import Applied
from loopback.server import ClientGone, Exchange
from loopback.signals import GONE, SIGNALLED, Signal
from loopback.wire import Response

from .delta import event_id
from .options import Options
from .query import Filter
from .state import FeatureState

END, CLOSE, RESET = "end", "close", "reset"
CORRUPT = '{"events":[{"eventId":1,"type":"feature-updated","feat'
DEFAULT_GAP = 0.0005


class _Over(Exception):
    """The stream is to end in a given way."""


class EventStream:
    """One open stream. `do` hands it something to carry out between events."""

    def __init__(self, client: str | None, exchange: Exchange, applied: Applied | None) -> None:
        self.client = client
        self.events_sent = 0
        self.last_event_id: int | None = None
        self._exchange = exchange
        self._applied = applied
        self._wake = Signal()
        self._lock = threading.Lock()
        self._orders: deque[Callable[[EventStream], None]] = deque()

    def do(self, order: Callable[[EventStream], None]) -> None:
        with self._lock:
            self._orders.append(order)
        self._wake.set()

    def wake(self) -> None:
        self._wake.set()

    def run(self, state: FeatureState, options: Options, wanted: Filter) -> None:
        """Serves the stream on its connection's thread until one side ends it."""
        if self._applied is not None and self._kind == "drop":
            self._finish(self._applied.fault.get("how", CLOSE))
            return
        headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"),
                   ("Transfer-Encoding", "chunked")]
        self._exchange.send(Response(200, headers=headers).head(length=None))
        if self._kind == "headers-only":
            return
        try:
            self._greet(state, wanted)
            self._serve(state, options, wanted)
        except _Over as over:
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
        step = fault.get("pieceBytes", 1) if self._kind == "stream-split" and fault else len(data)
        for start in range(0, len(data), max(1, step)):
            self._exchange.send(chunk(data[start : start + step]))
            if step < len(data) and self._applied is not None and fault is not None:
                hold(self._exchange, self._applied, fault.get("interval", DEFAULT_GAP))

    @property
    def _kind(self) -> str | None:
        return self._applied.kind if self._applied is not None else None

    def _greet(self, state: FeatureState, wanted: Filter) -> None:
        known = event_id(self._exchange.request.header("last-event-id"))
        self._send_delta("unleash-connected", state, known, wanted)

    def _serve(self, state: FeatureState, options: Options, wanted: Filter) -> None:
        while True:
            outcome = self._exchange.wait(self._wake, options.keep_alive_seconds)
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
            if state.revision != self.last_event_id:
                self._send_delta("unleash-updated", state, self.last_event_id, wanted)

    def _send_delta(self, event: str, state: FeatureState, known: int | None, wanted: Filter) -> None:
        revision, events = state.events_after(known, wanted)
        self.last_event_id = revision
        if events or event == "unleash-connected":
            data = json.dumps({"events": events}, ensure_ascii=False, separators=(",", ":"))
            self.send_event(event, data, revision)

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
            raise _Over(fault.get("how", CLOSE))
        if hold(self._exchange, self._applied) == GONE:
            raise ClientGone("left a stalled stream")

    def _finish(self, how: str) -> None:
        if how == END:
            self._exchange.send(b"0\r\n\r\n")
        elif how == RESET:
            self._exchange.reset()


class StreamHub:
    """All open streams of a simulator."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._streams: list[EventStream] = []
        self._changed = changed
        self.opened = 0

    def run(self, stream: EventStream, state: FeatureState, options: Options, wanted: Filter) -> None:
        with self._lock:
            self._streams.append(stream)
            self.opened += 1
        self._changed()
        try:
            stream.run(state, options, wanted)
        finally:
            with self._lock:
                self._streams.remove(stream)
            self._changed()

    @property
    def open(self) -> list[EventStream]:
        with self._lock:
            return list(self._streams)

    def wake(self) -> None:
        for stream in self.open:
            stream.wake()

    def drop(self, how: str = CLOSE) -> int:
        """Ends all open streams: `end` as HTTP wants it, `close` in mid-air, `reset` with RST."""
        def order(stream: EventStream) -> None:
            raise _Over(how)

        return self._order(order)

    def send(self, event: str, data: str, identifier: int | str | None = None) -> int:
        """Sends an event of any kind on all open streams."""
        return self._order(lambda stream: stream.send_event(event, data, identifier))

    def raw(self, data: bytes) -> int:
        """Puts bytes on all open streams, as one chunk each."""
        return self._order(lambda stream: stream.write(data))

    def switch_to_polling(self) -> int:
        return self.send("fetch-mode", "polling")

    def keep_alive(self) -> int:
        return self._order(lambda stream: stream.write(": keep-alive\n\n"))

    def as_json(self) -> dict[str, Any]:
        return {"opened": self.opened, "open": [
            {"client": stream.client, "events": stream.events_sent, "lastEventId": stream.last_event_id}
            for stream in self.open]}

    def _order(self, order: Callable[[EventStream], None]) -> int:
        streams = self.open
        for stream in streams:
            stream.do(order)
        return len(streams)
