"""A server on the loopback interface that hands the documents out.

    GET /unleash/SIZE/client/features   alternates between the documents with the markers on and off
    GET /launchdarkly/SIZE/msdk/…       the same for LaunchDarkly's flags of one context
    GET /launchdarkly-server/SIZE/sdk/… LaunchDarkly's flags with three rules each
    GET /SIZE/internal/v1/…             Flipt's snapshot of that size
    POST anything                       202: registration, metrics, events
"""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def evaluations_in(events: list[dict]) -> int:
    """What LaunchDarkly's summary events count."""
    return sum(
        counter["count"] for event in events if event["kind"] == "summary"
        for feature in event["features"].values() for counter in feature["counters"])


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A peer that was measured and has ended drops its connections: nothing to report."""


class Loopback:
    """Serves the folders `size-N` below `root` until it is stopped."""

    def __init__(self, root: Path):
        self._root = root
        self._asked = Counter()
        self.counted = 0  # evaluations in the metrics that were posted
        self._files: dict[Path, bytes] = {}
        self._server = Server(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> tuple[bytes, str] | None:
        """Body and ETag for a path; None when there is nothing."""
        parts = path.partition("?")[0].strip("/").split("/")
        if len(parts) >= 3 and (parts[0], parts[2]) in (("unleash", "client"), ("launchdarkly", "msdk")):
            turn = self._asked[tuple(parts[:2])]
            self._asked[tuple(parts[:2])] += 1
            return self._read(parts[1], f"{parts[0]}-{'off' if turn % 2 else 'on'}.json"), f'"{turn}"'
        if len(parts) >= 3 and (parts[0], parts[2]) == ("launchdarkly-server", "sdk"):
            return self._read(parts[1], "launchdarkly-rules.json"), '"1"'
        if len(parts) >= 2 and parts[1] == "internal":
            return self._read(parts[0], "flipt.json"), '"1"'
        return None

    def _read(self, size: str, name: str) -> bytes:
        path = self._root / f"size-{size}" / name
        if path not in self._files:
            self._files[path] = path.read_bytes()
        return self._files[path]

    def _handler(owner):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                found = owner.answer(self.path)
                if found is None:
                    return self._send(404, b"{}")
                body, tag = found
                if self.headers.get("If-None-Match") == tag:
                    return self._send(304, b"")
                self._send(200, body, {"ETag": tag})

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path.endswith("/client/metrics"):
                    toggles = json.loads(body)["bucket"]["toggles"].values()
                    owner.counted += sum(toggle.get("yes", 0) + toggle.get("no", 0) for toggle in toggles)
                if self.path.startswith(("/launchdarkly/", "/launchdarkly-server/")):
                    owner.counted += evaluations_in(json.loads(body))
                self._send(202, b"{}")

            def _send(self, status, body, headers=None):
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        return Handler
