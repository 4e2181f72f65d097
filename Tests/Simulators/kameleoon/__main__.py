"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m kameleoon --configuration site.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys

from loopback.command import add_arguments, options, read_document, serve, service_arguments

from .sample import SITE
from .simulator import KameleoonSimulator


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m kameleoon", description=__doc__)
    parser.add_argument("--configuration", metavar="FILE", help="what is served (default: the sample)")
    parser.add_argument("--site", metavar="CODE", default=SITE)
    add_arguments(parser)
    given = parser.parse_args(arguments)
    try:
        simulator = KameleoonSimulator(read_document(given.configuration), site=given.site,
                                       **service_arguments(given), **options(given))
    except (ValueError, OSError) as error:
        print(f"kameleoon simulator: {error}", file=sys.stderr)
        return 2
    return serve(simulator)


if __name__ == "__main__":
    sys.exit(main())
