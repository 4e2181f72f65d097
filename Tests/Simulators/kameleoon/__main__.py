"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m kameleoon --configuration site.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import sys

from loopback.command import new_parser, read_document, run

from .sample import SITE
from .simulator import KameleoonSimulator


def main(arguments: list[str] | None = None) -> int:
    parser = new_parser("kameleoon", __doc__)
    parser.add_argument("--configuration", metavar="FILE", help="what is served (default: the sample)")
    parser.add_argument("--site", metavar="CODE", default=SITE)
    return run(parser, arguments, lambda given, common: KameleoonSimulator(
        read_document(given.configuration), site=given.site, **common))


if __name__ == "__main__":
    sys.exit(main())
