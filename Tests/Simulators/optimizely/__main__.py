"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m optimizely --datafile project.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys

from loopback.command import add_arguments, options, read_document, serve, service_arguments

from .sample import SDK_KEY
from .simulator import OptimizelySimulator


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m optimizely", description=__doc__)
    parser.add_argument("--datafile", metavar="FILE", help="what is served (default: the sample project)")
    parser.add_argument("--sdk-key", metavar="KEY", default=SDK_KEY)
    parser.add_argument("--token", metavar="TOKEN", help="makes it a secured environment")
    add_arguments(parser)
    given = parser.parse_args(arguments)
    try:
        simulator = OptimizelySimulator(read_document(given.datafile), sdk_key=given.sdk_key, token=given.token,
                                        **service_arguments(given), **options(given))
    except (ValueError, OSError) as error:
        print(f"optimizely simulator: {error}", file=sys.stderr)
        return 2
    return serve(simulator)


if __name__ == "__main__":
    sys.exit(main())
