"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m flagship --bucketing campaigns.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import sys

from loopback.command import new_parser, read_document, run

from .sample import API_KEY, ENVIRONMENT
from .simulator import FlagshipSimulator


def main(arguments: list[str] | None = None) -> int:
    parser = new_parser("flagship", __doc__)
    parser.add_argument("--bucketing", metavar="FILE", help="what is served (default: the sample)")
    parser.add_argument("--environment", metavar="ID", default=ENVIRONMENT)
    parser.add_argument("--api-key", metavar="KEY", default=API_KEY)
    return run(parser, arguments, lambda given, common: FlagshipSimulator(
        read_document(given.bucketing), environment=given.environment, api_key=given.api_key, **common))


if __name__ == "__main__":
    sys.exit(main())
