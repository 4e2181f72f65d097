"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m launchdarkly_server --data data.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import sys

from loopback.command import new_parser, read_document, run

from .options import SDK_KEY
from .simulator import LaunchDarklyServerSimulator


def main(arguments: list[str] | None = None) -> int:
    parser = new_parser("launchdarkly_server", __doc__)
    parser.add_argument("--data", metavar="FILE", help="flags and segments that are served (default: the sample)")
    parser.add_argument("--sdk-key", metavar="KEY", default=SDK_KEY)
    return run(parser, arguments, lambda given, common: LaunchDarklyServerSimulator(
        read_document(given.data), sdk_key=given.sdk_key, **common))


if __name__ == "__main__":
    sys.exit(main())
