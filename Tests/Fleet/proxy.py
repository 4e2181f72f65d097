"""A proxy between a client and a server, which does to their connections what a test asks for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from types import TracebackType


class Proxy:
    """Carries bytes between a port of its own and a unix socket.

    `stalled`: takes connections and bytes, and passes none on. `refusing`: closes what comes. `answer`: bytes that the next
    command with that word is answered with, in place of the server. `before`: what is done before one is passed on. `cut_after`: so many bytes of the server's next answer, then the end.
    """

    def __init__(self, upstream: str, changed: threading.Condition | None = None) -> None:
        """`changed`: told of all that happens; several may share one."""
        self.upstream = upstream
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.changed = changed or threading.Condition()
        self.stalled = self.refusing = False
        self.answer: list[tuple[bytes, bytes]] = []
        self.before: list[tuple[bytes, Callable[[], object]]] = []
        self.cut_after: int | None = None
        self.accepted = 0
        self.heard: list[bytes] = []
        self.open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.changed:
                self.accepted += 1
                self.changed.notify_all()
                if self.refusing:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self.upstream)
                except OSError:
                    client.close()
                    continue
                self.open += [client, server]
            threading.Thread(target=self._carry, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(server, client, False), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, is_client: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                with self.changed:
                    if is_client:
                        self.heard.append(data)
                        self.changed.notify_all()
                    self.changed.wait_for(lambda: not self.stalled)
                    answer = self._own_answer(data) if is_client else None
                    if answer is not None:
                        source.sendall(answer)
                        continue
                    if not is_client and self.cut_after is not None:
                        target.sendall(data[:self.cut_after])
                        self.cut_after = None
                        break
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _own_answer(self, data: bytes) -> bytes | None:
        for place, (word, act) in enumerate(self.before):
            if word in data:
                del self.before[place]
                act()
                break
        for place, (word, answer) in enumerate(self.answer):
            if word in data:
                del self.answer[place]
                return answer
        return None

    def stall(self, wanted: bool = True) -> None:
        with self.changed:
            self.stalled = wanted
            self.changed.notify_all()

    def await_command(self, word: bytes) -> None:
        """Until one with this word has come from a client."""
        with self.changed:
            self.changed.wait_for(lambda: any(word in data for data in self.heard))

    def cut(self) -> None:
        """Ends all connections."""
        with self.changed:
            for one in self.open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self.open.clear()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stall(False)
        self.listener.close()
        self.cut()
