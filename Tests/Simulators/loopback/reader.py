"""For the simulators' own tests: a small reader of server-sent events."""

from __future__ import annotations

import http.client

from .calls import Call
from .service import Service


class EventReader:
    """Reads a stream, one event per `next`."""

    def __init__(self, simulator: Service, call: Call, timeout: float = 5.0) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", simulator.server.port, timeout=timeout)
        call.start(self._connection)
        self._response = self._connection.getresponse()
        self.status = self._response.status
        self.headers = dict(self._response.getheaders())
        self.comments: list[str] = []

    def next(self) -> dict[str, str]:
        """The next event's fields; raises EOFError when the stream ended."""
        fields: dict[str, str] = {}
        while True:
            line = self._response.readline()
            if not line:
                raise EOFError
            text = line.decode().rstrip("\r\n").removeprefix("\ufeff")
            if not text and fields:
                return fields
            if text.startswith(":"):
                self.comments.append(text)
                if text == ": keep-alive":
                    return {"comment": text}
            elif text:
                name, _, value = text.partition(": ")
                fields[name] = fields[name] + "\n" + value if name in fields else value

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
