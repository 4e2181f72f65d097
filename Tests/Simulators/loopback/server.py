"""A loopback HTTP server: one thread per connection, ephemeral port, clean stop."""

from __future__ import annotations

import socket
import struct
import threading
from typing import Callable

from .signals import Signal
from .wire import Headers, Request, Response, WireError, expects_continue, read_request


class ClientGone(Exception):
    """The client closed its side, or the server is stopping."""


class Exchange:
    """One request on one connection, with everything that is needed to answer it."""

    def __init__(self, connection: socket.socket, request: Request, serial: int) -> None:
        self.connection = connection
        self.request = request
        self.serial = serial

    def send(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError as error:
            raise ClientGone(str(error)) from None

    def wait(self, signal: Signal, timeout: float | None = None) -> str:
        return signal.wait(self.connection, timeout)

    def reset(self) -> None:
        """Makes the coming close send RST instead of FIN."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


Handler = Callable[[Exchange], bool]
"""Answers one exchange; returns whether the connection may carry another request."""

BadRequest = Callable[[str], None]
"""Told about bytes that are no HTTP request."""


class LoopbackServer:
    """Listens on 127.0.0.1 from construction on; serves from `start` until `stop`."""

    def __init__(self, handler: Handler, on_bad_request: BadRequest | None = None, port: int = 0) -> None:
        self._handler = handler
        self._on_bad_request = on_bad_request
        self._listener = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._connections: dict[int, tuple[socket.socket, threading.Thread]] = {}
        self._stopping = False
        self._accepted = 0
        self._acceptor = threading.Thread(target=self._accept, name="accept", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections_accepted(self) -> int:
        with self._lock:
            return self._accepted

    @property
    def connections_open(self) -> int:
        with self._lock:
            return len(self._connections)

    def start(self) -> None:
        self._acceptor.start()

    def stop(self, timeout: float = 2.0) -> None:
        """Closes every connection and waits for the threads, at most `timeout` seconds each."""
        with self._lock:
            self._stopping = True
        for thread in self._close():
            thread.join(timeout)

    def go_away(self) -> None:
        """Connections are refused until `come_back`, and those that are open end."""
        self._close()

    def come_back(self) -> None:
        """Listens again, at the port of before."""
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=512)
        self._acceptor = threading.Thread(target=self._accept, name="accept", daemon=True)
        self._acceptor.start()

    def _close(self, timeout: float = 2.0) -> list[threading.Thread]:
        """Ends listening and every connection; returns their threads."""
        _shut(self._listener)
        self._listener.close()
        if self._acceptor.is_alive():
            self._acceptor.join(timeout)
        with self._lock:
            open_now = list(self._connections.values())
        for connection, _ in open_now:
            _shut(connection)
        return [thread for _, thread in open_now]

    def _accept(self) -> None:
        listener = self._listener
        while True:
            try:
                connection, peer = listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                if self._stopping:
                    connection.close()
                    return
                self._accepted += 1
                serial = self._accepted
                arguments = (connection, peer, serial)
                thread = threading.Thread(target=self._serve, args=arguments, name=f"connection-{serial}", daemon=True)
                self._connections[serial] = (connection, thread)
            thread.start()

    def _serve(self, connection: socket.socket, peer: tuple[str, int], serial: int) -> None:
        # Unbuffered reads of the head would cost a system call per byte.
        stream = connection.makefile("rb", buffering=16384)
        try:
            while self._one(connection, stream, peer, serial):
                pass
        except (ClientGone, OSError):
            pass
        finally:
            with self._lock:
                self._connections.pop(serial, None)
            stream.close()
            connection.close()

    def _one(self, connection: socket.socket, stream, peer: tuple[str, int], serial: int) -> bool:
        def allow_body(headers: Headers) -> None:
            if expects_continue(headers):
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

        try:
            request = read_request(stream, peer, allow_body)
        except WireError as error:
            if self._on_bad_request is not None:
                self._on_bad_request(str(error))
            answer = Response(400, str(error).encode(), [("Content-Type", "text/plain")])
            connection.sendall(answer.encoded(close=True))
            return False
        if request is None:
            return False
        return self._handler(Exchange(connection, request, serial)) and not request.wants_close


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
