"""Serves until the harness asks for the end, or Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import signal

from .capabilities import SIDES
from .server import Service


def main() -> None:
    parser = argparse.ArgumentParser(prog="contract", description=__doc__)
    parser.add_argument("--side", choices=SIDES, default=SIDES[0],
                        help="which of the vendor's SDKs the clients stand for (default %(default)s)")  # fmt: skip
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default %(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen at; 0 picks one (default %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="tell each request on standard error")
    arguments = parser.parse_args()
    with Service(arguments.side, arguments.host, arguments.port, arguments.verbose) as service:
        host, port = service.server_address[:2]
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        print(f"http://{host!s}:{port}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            service.serve_forever(poll_interval=0.1)
        service.end()


if __name__ == "__main__":
    main()
