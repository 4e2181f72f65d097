"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m launchdarkly --flags flags.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import sys

from loopback.command import new_parser, read_document, run

from .options import MOBILE_KEY
from .simulator import LaunchDarklySimulator


def main(arguments: list[str] | None = None) -> int:
    parser = new_parser("launchdarkly", __doc__)
    parser.add_argument("--flags", metavar="FILE", help="what is served (default: the sample)")
    parser.add_argument("--mobile-key", metavar="KEY", default=MOBILE_KEY)
    return run(parser, arguments, lambda given, common: LaunchDarklySimulator(
        read_document(given.flags), mobile_key=given.mobile_key, **common))


if __name__ == "__main__":
    sys.exit(main())
