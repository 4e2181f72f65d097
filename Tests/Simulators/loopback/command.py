"""What the commands that start a simulator have in common."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Callable

from .service import Service


def new_parser(module: str, manual: str | None) -> argparse.ArgumentParser:
    """One that knows what every simulator is told."""
    parser = argparse.ArgumentParser(prog=f"python3 -m {module}", description=manual)
    parser.add_argument("--option", metavar="NAME=JSON", action="append", default=[], help="any other option")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--control-port", type=int, default=0)
    parser.add_argument("--record-only", action="store_true", help="record violations, but answer as the service would")
    return parser


def run(parser: argparse.ArgumentParser, arguments: list[str] | None,
        make: Callable[[argparse.Namespace, dict[str, Any]], Service]) -> int:
    """Makes a simulator of what is given, with what every constructor takes, and serves; returns the exit status."""
    given = parser.parse_args(arguments)
    try:
        common = {"enforce": not given.record_only, "port": given.port, "control_port": given.control_port}
        simulator = make(given, {**common, **_options(given)})
    except (ValueError, OSError) as error:
        print(f"{parser.prog.rpartition(' ')[2]} simulator: {error}", file=sys.stderr)
        return 2
    return serve(simulator)


def _options(given: argparse.Namespace) -> dict[str, Any]:
    """The values of `--option`; raises ValueError for one that is not NAME=JSON."""
    found: dict[str, Any] = {}
    for pair in given.option:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--option {pair} is not NAME=JSON")
        found[name] = json.loads(value)
    return found


def read_document(path: str | None) -> Any:
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def serve(simulator: Service) -> int:
    """Prints the addresses, serves until stdin closes, prints the violations; returns the exit status."""
    with simulator:
        print(json.dumps(simulator.describe()), flush=True)
        while sys.stdin.buffer.read(4096):
            pass
    violations = [str(violation) for violation in simulator.violations]
    print(json.dumps({"violations": violations}, ensure_ascii=False), flush=True)
    return 1 if violations else 0
