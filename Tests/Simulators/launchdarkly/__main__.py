"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m launchdarkly --flags flags.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys

from loopback.command import add_arguments, options, read_document, serve, service_arguments

from .options import MOBILE_KEY
from .simulator import LaunchDarklySimulator


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m launchdarkly", description=__doc__)
    parser.add_argument("--flags", metavar="FILE", help="what is served (default: the sample)")
    parser.add_argument("--mobile-key", metavar="KEY", default=MOBILE_KEY)
    add_arguments(parser)
    given = parser.parse_args(arguments)
    try:
        simulator = LaunchDarklySimulator(read_document(given.flags), mobile_key=given.mobile_key,
                                          **service_arguments(given), **options(given))
    except (ValueError, OSError) as error:
        print(f"launchdarkly simulator: {error}", file=sys.stderr)
        return 2
    return serve(simulator)


if __name__ == "__main__":
    sys.exit(main())
