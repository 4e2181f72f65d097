"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m unleash --features state.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from loopback.command import new_parser, read_document, run

from .simulator import UnleashSimulator


def main(arguments: list[str] | None = None) -> int:
    parser = new_parser("unleash", __doc__)
    parser.add_argument("--features", metavar="FILE", help="client features document (default: no flags)")
    parser.add_argument("--flavour", choices=("server", "edge"), default="server")
    parser.add_argument("--key", metavar="KEY", help="one key for both APIs")
    parser.add_argument("--frontend-key", metavar="KEY")
    parser.add_argument("--backend-key", metavar="KEY")
    return run(parser, arguments, lambda given, common: UnleashSimulator(
        read_document(given.features), **{**common, **_options(given)}))


def _options(given: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {"flavour": given.flavour}
    frontend, backend = given.frontend_key or given.key, given.backend_key or given.key
    if frontend:
        found["frontend_keys"] = [frontend]
    if backend:
        found["backend_keys"] = [backend]
    return found


if __name__ == "__main__":
    sys.exit(main())
