"""Between a client and a service on this machine: TLS before a service that has none, and a proxy."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from pathlib import Path


class Relay:
    """Passes what comes on to another port, from `with` to its end; what it was told first is in `openings`."""

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.target = port
        self.tls = tls
        self.openings: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._acceptor = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Relay:
        self._acceptor.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._acceptor.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
            # A certificate that was asked for may be refused as late as here.
            opening = client.recv(65536)
            self.openings.append(opening)
            with client, socket.create_connection(("127.0.0.1", self.target)) as service:
                service.sendall(self.passed_on(opening))
                answers = threading.Thread(target=_pump, args=(service, client), daemon=True)
                answers.start()
                _pump(client, service)
                answers.join()
        except OSError:
            client.close()

    def passed_on(self, opening: bytes) -> bytes:
        return opening


class Proxy(Relay):
    """An HTTP proxy that carries one request per connection to one service, whatever host is asked for."""

    def passed_on(self, opening: bytes) -> bytes:
        method, target, rest = opening.split(b" ", 2)
        path = b"/" + target.split(b"/", 3)[3]
        return b" ".join((method, path, rest.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)))


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Authority:
    """Certificates for the length of a test, made with the command `openssl`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sign("authority", "-x509", "-addext", "basicConstraints=critical,CA:TRUE")
        for name in ("server", "client"):
            self._sign(name, "-x509", "-addext", "subjectAltName=IP:127.0.0.1", "-CA", self.file("authority.pem"), "-CAkey",
                       self.file("authority.key"), "-addext", "basicConstraints=critical,CA:FALSE")

    def file(self, name: str) -> str:
        return str(self.folder / name)

    def server(self, asks_for_certificates: bool = False) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file("server.pem"), self.file("server.key"))
        if asks_for_certificates:
            context.load_verify_locations(self.file("authority.pem"))
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def _sign(self, name: str, *how: str) -> None:
        subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", f"/CN={name}", "-keyout", self.file(f"{name}.key"), "-out", self.file(f"{name}.pem"), *how],
                       check=True, capture_output=True)
