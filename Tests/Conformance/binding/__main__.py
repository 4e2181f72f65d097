"""Runs vectors through libhoist and the Python binding: `python Tests/Conformance/binding VENDOR FILE…`

Ends with "N passed, N failed"; what only the modules can run is named before.
"""

from __future__ import annotations

import sys

from report import Report
from services.table import SERVICES
from vectors import run


def main(vendor: str, files: list[str]) -> int:
    report = Report()
    if vendor not in SERVICES:
        print(f"no vectors of {vendor} are known to the binding's runner")
        return 2
    for path in files:
        run(SERVICES[vendor], path, report)
    for line in report.lines:
        print(line)
    for reason, count in report.skipped.items():
        print(f"by the modules only, {count} cases of {reason}")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
