"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m unleash --features state.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from .control import describe
from .simulator import UnleashSimulator


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m unleash", description=__doc__)
    parser.add_argument("--features", metavar="FILE", help="client features document (default: no flags)")
    parser.add_argument("--flavour", choices=("server", "edge"), default="server")
    parser.add_argument("--key", metavar="KEY", help="one key for both APIs")
    parser.add_argument("--frontend-key", metavar="KEY")
    parser.add_argument("--backend-key", metavar="KEY")
    parser.add_argument("--option", metavar="NAME=JSON", action="append", default=[], help="any other option")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--control-port", type=int, default=0)
    parser.add_argument("--record-only", action="store_true", help="record violations, but answer as the service would")
    given = parser.parse_args(arguments)
    try:
        simulator = UnleashSimulator(_document(given.features), enforce=not given.record_only, port=given.port,
                                     control_port=given.control_port, **_options(given))
    except (ValueError, OSError) as error:
        print(f"unleash simulator: {error}", file=sys.stderr)
        return 2
    with simulator:
        print(json.dumps(describe(simulator)), flush=True)
        while sys.stdin.buffer.read(4096):
            pass
    violations = [str(violation) for violation in simulator.violations]
    print(json.dumps({"violations": violations}, ensure_ascii=False), flush=True)
    return 1 if violations else 0


def _document(path: str | None) -> dict[str, Any] | None:
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _options(given: argparse.Namespace) -> dict[str, Any]:
    options: dict[str, Any] = {"flavour": given.flavour}
    for pair in given.option:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--option {pair} is not NAME=JSON")
        options[name] = json.loads(value)
    frontend, backend = given.frontend_key or given.key, given.backend_key or given.key
    if frontend:
        options["frontend_keys"] = [frontend]
    if backend:
        options["backend_keys"] = [backend]
    return options


if __name__ == "__main__":
    sys.exit(main())
