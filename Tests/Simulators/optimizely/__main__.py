"""Starts a simulator, prints its addresses as one JSON line, and serves until stdin closes.

    PYTHONPATH=Tests/Simulators python3 -m optimizely --datafile project.json

When stdin closes, a last JSON line lists the violations; the exit status is 1 if there are any.
"""

from __future__ import annotations

import sys

from loopback.command import new_parser, read_document, run

from .sample import SDK_KEY
from .simulator import OptimizelySimulator


def main(arguments: list[str] | None = None) -> int:
    parser = new_parser("optimizely", __doc__)
    parser.add_argument("--datafile", metavar="FILE", help="what is served (default: the sample project)")
    parser.add_argument("--sdk-key", metavar="KEY", default=SDK_KEY)
    parser.add_argument("--token", metavar="TOKEN", help="makes it a secured environment")
    return run(parser, arguments, lambda given, common: OptimizelySimulator(
        read_document(given.datafile), sdk_key=given.sdk_key, token=given.token, **common))


if __name__ == "__main__":
    sys.exit(main())
